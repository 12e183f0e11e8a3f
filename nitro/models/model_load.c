/* Model files in libnitro: JSON and binary. libnitro-runtime has model_load_binary.c instead. */
#include <stdio.h>

#include "nitro/models/binary.h"
#include "nitro/models/model_file.h"

/* What a model computes when it is read does not depend on the caller's rounding mode. */
nitro_status nitro_model_parse_any(nitro_context *context, const char *origin, const char *data,
                                   size_t size, nitro_model **model)
{
    nitro_number_scope before = nitro_numbers_begin();
    nitro_status status = nitro_binary_is(data, size)
                              ? nitro_binary_parse(context, origin, data, size, model)
                              : nitro_model_parse(context, origin, data, size, model);
    nitro_numbers_end(before);
    return status;
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
