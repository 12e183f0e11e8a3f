/* Decompresses gzip with zlib. */
#include <stdlib.h>
#include <zlib.h>

#include "nitro/base/gzip.h"

/* Decompress into memory that grows; `used` bytes are there. */
static nitro_status inflate_all(nitro_context *context, const char *origin, z_stream *stream,
                                size_t max_bytes, char **text, size_t *used)
{
    size_t capacity = 1 << 16;
    for (int result = Z_OK; result != Z_STREAM_END;) {
        if (!*text || *used + 1 >= capacity) {
            capacity *= 2;
            char *grown = realloc(*text, capacity);
            if (!grown)
                return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %s", origin);
            *text = grown;
        }
        size_t room = capacity - *used - 1;
        stream->next_out = (Bytef *)*text + *used;
        stream->avail_out = (uInt)(room < (1u << 30) ? room : 1u << 30);
        uInt before = stream->avail_out;
        result = inflate(stream, Z_NO_FLUSH);
        *used += before - stream->avail_out;
        if (result != Z_OK && result != Z_STREAM_END)
            return nitro_fail(context, NITRO_ERR_FORMAT,
                              "%s: the gzip data are damaged or cut off (%s)", origin,
                              stream->msg ? stream->msg : "they end too early");
        if (*used > max_bytes)
            return nitro_fail(context, NITRO_ERR_FORMAT, "%s: more than %zu bytes decompressed",
                              origin, max_bytes);
    }
    return NITRO_OK;
}

nitro_status nitro_gunzip(nitro_context *context, const char *origin, const char *data,
                          size_t data_size, size_t max_bytes, char **text, size_t *size)
{
    z_stream stream = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)data_size};
    char *made = NULL;
    size_t used = 0;
    if (data_size > UINT32_MAX)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: larger than 4 GB", origin);
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) /* 16: gzip */
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %s", origin);
    nitro_status status = inflate_all(context, origin, &stream, max_bytes, &made, &used);
    inflateEnd(&stream);
    if (status != NITRO_OK) {
        free(made);
        return status;
    }
    made[used] = '\0';
    *text = made;
    *size = used;
    return NITRO_OK;
}
