/* Published bundles in a build without zstd or libsodium: everything says what to install. */
#include "nitro/nitro_backend.h"

static nitro_status fail_not_built(nitro_context *context)
{
    return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                      "this build cannot publish or read bundles; install libzstd-dev and "
                      "libsodium-dev and build again with -DNITRO_ZSTD=ON -DNITRO_SODIUM=ON");
}

static nitro_status open_none(nitro_context *context, const char *address, nitro_store_mode mode,
                              void **state)
{
    (void)address;
    (void)mode;
    (void)state;
    return fail_not_built(context);
}

const nitro_store_kind nitro_store_https = {.scheme = "https",
                                            .description = "published bundles (not built)",
                                            .read_only = true,
                                            .open = open_none};
const nitro_store_kind nitro_store_http = {.scheme = "http",
                                           .description = "published bundles (not built)",
                                           .read_only = true,
                                           .open = open_none};
const nitro_store_kind nitro_store_file = {.scheme = "file",
                                           .description = "published bundles (not built)",
                                           .read_only = true,
                                           .open = open_none};

nitro_status nitro_store_publish(nitro_store *store, const nitro_publish_options *options,
                                 nitro_publish_report *report)
{
    (void)options;
    (void)report;
    return fail_not_built(nitro_store_context(store));
}

nitro_status nitro_store_pull(nitro_context *context, const char *store,
                              const nitro_pull_options *options, nitro_pull_report *report)
{
    (void)store;
    (void)options;
    (void)report;
    return fail_not_built(context);
}

void nitro_pull_report_free(nitro_pull_report *report)
{
    (void)report; /* none can be made */
}
