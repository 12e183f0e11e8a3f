/* Reads files that may be compressed by gzip. */
#include <stdlib.h>

#include "nitro/base/gzip.h"

nitro_status nitro_file_read_gzip(nitro_context *context, const char *path, size_t max_bytes,
                                  char **text, size_t *size)
{
    char *raw = NULL;
    size_t raw_size = 0;
    nitro_status status = nitro_file_read(context, path, max_bytes, &raw, &raw_size);
    if (status != NITRO_OK)
        return status;
    if (raw_size < 2 || (unsigned char)raw[0] != 0x1F || (unsigned char)raw[1] != 0x8B) {
        *text = raw;
        *size = raw_size;
        return NITRO_OK;
    }
    status = nitro_gunzip(context, path, raw, raw_size, max_bytes, text, size);
    free(raw);
    return status;
}
