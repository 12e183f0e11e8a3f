/* Model files in libnitro-runtime: binary only, which needs neither a JSON library nor training
 * code. libnitro has model_decode.c instead. */
#include <stdlib.h>

#include "nitro/models/binary.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

nitro_status nitro_model_load(nitro_context *context, const char *path, nitro_model **model)
{
    char *bytes = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &bytes, &size);
    if (status != NITRO_OK)
        return status;
    if (nitro_binary_is(bytes, size))
        status = nitro_binary_parse(context, path, bytes, size, model);
    else
        status = nitro_fail(context, NITRO_ERR_NOT_BUILT,
                            "%s: libnitro-runtime reads binary models only: make one with nitro "
                            "compile --model %s --format binary --output FILE, or link libnitro",
                            path, path);
    free(bytes);
    return status;
}
