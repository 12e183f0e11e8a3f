/* Files of trusted keys and signatures, as others write them: up to the first zero byte a file of
 * keys, then a signature of these very keys. */
#include <stdint.h>
#include <string.h>

#include "nitro/nitro_backend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nitro_context *context = NULL;
    nitro_trusted_keys *keys = NULL;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t keys_size = zero ? (size_t)(zero - data) : size;
    const char *signature = zero ? (const char *)zero + 1 : "", *signer = NULL;
    size_t signature_size = zero ? size - keys_size - 1 : 0;
    if (nitro_context_create(&context) != NITRO_OK)
        return 0;
    if (nitro_trusted_keys_parse(context, "fuzz", (const char *)data, keys_size, &keys) ==
            NITRO_OK &&
        nitro_signature_check(context, keys, "fuzz", data, keys_size, signature, signature_size,
                              &signer) == NITRO_OK &&
        !nitro_device_id_is_valid(signer))
        __builtin_trap();
    nitro_trusted_keys_free(keys);
    nitro_context_free(context);
    return 0;
}
