/* Stands in for gunzip.c where the build has no zlib. */
#include "nitro/base/gzip.h"

nitro_status nitro_gunzip(nitro_context *context, const char *origin, const char *data,
                          size_t data_size, size_t max_bytes, char **text, size_t *size)
{
    (void)data;
    (void)data_size;
    (void)max_bytes;
    (void)text;
    (void)size;
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "%s is compressed, and this build has no zlib: decompress it (gunzip), or "
                      "install zlib's headers (Debian: zlib1g-dev) and build with NITRO_ZLIB=ON",
                      origin);
}
