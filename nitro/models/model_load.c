/* Model files in libnitro: JSON and binary. libnitro-runtime has model_load_binary.c instead. */
#include <stdio.h>
#include <stdlib.h>

#include "nitro/base/require.h"
#include "nitro/models/binary.h"
#include "nitro/models/model_file.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

/* What a model computes when it is read does not depend on the caller's rounding mode. */
static nitro_status parse_any(nitro_context *context, const char *origin, const char *data,
                              size_t size, nitro_model **model)
{
    nitro_number_scope before = nitro_numbers_begin();
    nitro_status status = nitro_binary_is(data, size)
                              ? nitro_binary_parse(context, origin, data, size, model)
                              : nitro_model_parse(context, origin, data, size, model);
    nitro_numbers_end(before);
    return status;
}

nitro_status nitro_model_load(nitro_context *context, const char *path, nitro_model **model)
{
    NITRO_REQUIRE(context, context && path && model);
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = parse_any(context, path, text, size, model);
    free(text);
    return status;
}

nitro_status nitro_model_load_memory(nitro_context *context, const void *data, size_t size,
                                     nitro_model **model)
{
    NITRO_REQUIRE(context, context && data && model);
    return parse_any(context, NITRO_MODEL_IN_MEMORY, data, size, model);
}

const bool nitro_model_reads_json = true;

bool nitro_model_device_here(nitro_context *context, const char *kind, char id[64])
{
    nitro_device *device = NULL;
    bool is_known = nitro_device_find(context, kind, false, &device, NULL) == NITRO_OK;
    if (is_known)
        snprintf(id, 64, "%s", device->id);
    nitro_device_free(device);
    return is_known;
}
