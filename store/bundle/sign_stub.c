/* Signing in a build without libsodium: everything says what to install. */
#include "nitro/nitro_backend.h"

static nitro_status fail_not_built(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "this build cannot sign or check signatures; install libsodium-dev and build "
                      "again with -DNITRO_SODIUM=ON");
}

nitro_status nitro_signing_key_create(nitro_context *context, const char *path, const char *name)
{
    (void)path;
    (void)name;
    return fail_not_built(context);
}

nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                    nitro_signing_key **key)
{
    (void)path;
    (void)key;
    return fail_not_built(context);
}

void nitro_signing_key_free(nitro_signing_key *key)
{
    (void)key; /* none can be made */
}

nitro_status nitro_sign(nitro_context *context, const nitro_signing_key *key, const void *data,
                        size_t size, char **signature)
{
    (void)key;
    (void)data;
    (void)size;
    (void)signature;
    return fail_not_built(context);
}

nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_trusted_keys **keys)
{
    (void)origin;
    (void)text;
    (void)size;
    (void)keys;
    return fail_not_built(context);
}

nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                     nitro_trusted_keys **keys)
{
    (void)path;
    (void)keys;
    return fail_not_built(context);
}

void nitro_trusted_keys_free(nitro_trusted_keys *keys)
{
    (void)keys; /* none can be made */
}

nitro_status nitro_signature_check(nitro_context *context, const nitro_trusted_keys *keys,
                                   const char *origin, const void *data, size_t size,
                                   const char *signature, size_t signature_size,
                                   const char **signer)
{
    (void)keys;
    (void)origin;
    (void)data;
    (void)size;
    (void)signature;
    (void)signature_size;
    (void)signer;
    return fail_not_built(context);
}
