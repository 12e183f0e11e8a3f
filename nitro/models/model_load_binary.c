/* Model files in libnitro-runtime: binary only, which needs neither a JSON library nor training
 * code. libnitro has model_load.c instead. */
#include "nitro/models/binary.h"
#include "nitro/models/model_file.h"

nitro_status nitro_model_parse_any(nitro_context *context, const char *origin, const char *data,
                                   size_t size, nitro_model **model)
{
    if (nitro_binary_is(data, size))
        return nitro_binary_parse(context, origin, data, size, model);
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "%s: libnitro-runtime reads binary models only: make one with nitro "
                      "compile --model FILE --format binary --output FILE, or link libnitro",
                      origin);
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
