/* Model files in libnitro-runtime: binary only, which needs neither a JSON library nor training
 * code. libnitro has model_load.c instead. */
#include <stdlib.h>

#include "nitro/base/require.h"
#include "nitro/models/binary.h"
#include "nitro/models/model_file.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

static nitro_status parse_binary(nitro_context *context, const char *origin, const char *data,
                                 size_t size, nitro_model **model)
{
    if (nitro_binary_is(data, size))
        return nitro_binary_parse(context, origin, data, size, model);
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "%s: libnitro-runtime reads binary models only: make one with nitro "
                      "compile --model FILE --format binary --output FILE, or link libnitro",
                      origin);
}

nitro_status nitro_model_load(nitro_context *context, const char *path, nitro_model **model)
{
    NITRO_REQUIRE(context, context && path && model);
    char *bytes = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &bytes, &size);
    if (status == NITRO_OK)
        status = parse_binary(context, path, bytes, size, model);
    free(bytes);
    return status;
}

nitro_status nitro_model_load_memory(nitro_context *context, const void *data, size_t size,
                                     nitro_model **model)
{
    NITRO_REQUIRE(context, context && data && model);
    return parse_binary(context, NITRO_MODEL_IN_MEMORY, data, size, model);
}

const bool nitro_model_reads_json = false;

/* Describing a device takes hwloc or a driver. */
bool nitro_model_device_here(nitro_context *context, const char *kind, char id[64])
{
    (void)context;
    (void)kind;
    (void)id;
    return false;
}
