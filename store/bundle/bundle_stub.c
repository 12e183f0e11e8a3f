/* bundle_stub.c - published bundles in a build without zstd or libsodium: each function fails with
 * what to install. */
#include "nitro/nitro_backend.h"

static nitro_status fail_not_built(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "this build cannot publish, sign or read bundles; install libzstd-dev and "
                      "libsodium-dev and build again with -DNITRO_ZSTD=ON -DNITRO_SODIUM=ON");
}

static nitro_status open_none(nitro_context *context, const char *address, nitro_store_mode mode,
                              void **state)
{
    (void)address, (void)mode, (void)state;
    return fail_not_built(context);
}

#define NOT_BUILT(its_scheme)                                                                      \
    {                                                                                              \
        .scheme = its_scheme, .description = "published bundles (not built)", .read_only = true,   \
        .open = open_none                                                                          \
    }

const nitro_store_kind nitro_store_https = NOT_BUILT("https");
const nitro_store_kind nitro_store_http = NOT_BUILT("http");
const nitro_store_kind nitro_store_file = NOT_BUILT("file");

nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                 nitro_publish_report *report)
{
    (void)options, (void)report;
    return fail_not_built(nitro_store_context(store));
}

nitro_status nitro_store_pull(nitro_context *context, const char *store,
                              const nitro_pull_options *options, nitro_pull_report *report)
{
    (void)store, (void)options, (void)report;
    return fail_not_built(context);
}

nitro_status nitro_signing_key_create(nitro_context *context, const char *path, const char *name,
                                      const char *expires)
{
    (void)path, (void)name, (void)expires;
    return fail_not_built(context);
}

nitro_status nitro_signing_key_read(nitro_context *context, const char *path,
                                    nitro_signing_key **key)
{
    (void)path, (void)key;
    return fail_not_built(context);
}

nitro_status nitro_trusted_keys_parse(nitro_context *context, const char *origin, const char *text,
                                      size_t size, nitro_trusted_keys **keys)
{
    (void)origin, (void)text, (void)size, (void)keys;
    return fail_not_built(context);
}

nitro_status nitro_trusted_keys_read(nitro_context *context, const char *path,
                                     nitro_trusted_keys **keys)
{
    (void)path, (void)keys;
    return fail_not_built(context);
}

nitro_status nitro_trusted_keys_read_default(nitro_context *context, nitro_trusted_keys **keys)
{
    *keys = NULL;
    (void)context;
    return NITRO_OK;
}

nitro_status nitro_revoked_keys_add(nitro_context *context, const char *path,
                                    const nitro_string_list *keys, const nitro_signing_key *signer)
{
    (void)path, (void)keys, (void)signer;
    return fail_not_built(context);
}

/* Nothing can be made, so there is nothing to free. */
void nitro_pull_report_free(nitro_pull_report *report)
{
    (void)report;
}

void nitro_signing_key_free(nitro_signing_key *key)
{
    (void)key;
}

void nitro_trusted_keys_free(nitro_trusted_keys *keys)
{
    (void)keys;
}
