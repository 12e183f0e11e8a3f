/* fuzz_sign.c - files of trusted keys and signatures of any bytes: up to the first zero byte a file
 * of keys, then a signature of an empty file by one of them. */
#include <string.h>

#include "fuzz.h"
#include "store/bundle/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_trusted_keys *keys = NULL;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t keys_size = zero ? (size_t)(zero - data) : size;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_trusted_keys_parse(context, "fuzz", (const char *)data, keys_size, &keys) ==
            NITRO_OK &&
        zero)
        nitro_signature_check(context, keys, "/dev/null", (const char *)zero + 1,
                              size - keys_size - 1, NULL);
    nitro_trusted_keys_free(keys);
    nitro_context_free(context);
    return 0;
}
