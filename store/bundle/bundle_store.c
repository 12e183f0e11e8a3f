/* bundle_store.c - published bundles as read-only stores: https, http and file. A refused bundle is
 * logged once and counts as missing. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle/bundle_store_internal.h"

/* ---- Valid bundles --------------------------------------------------------------------------- */

const nitro_bundle *nitro_bundle_store_at(const nitro_bundle_store *store, size_t index)
{
    return &nitro_bundle_source_index(store->source)->bundles[index];
}

size_t nitro_bundle_store_count(const nitro_bundle_store *store)
{
    return nitro_bundle_source_index(store->source)->count;
}

nitro_status nitro_bundle_store_get(nitro_bundle_store *store, size_t index, const char **path)
{
    *path = NULL;
    nitro_status status = nitro_bundle_source_get(store->source, index, path);
    if (!nitro_bundle_is_refusal(status))
        return status;
    if (!store->warned[index]) {
        char message[3072];
        nitro_context_last_error(store->context, message, sizeof(message));
        nitro_log(store->context, NITRO_LOG_WARNING, "%s", message);
        store->warned[index] = true;
    }
    return NITRO_OK;
}

bool nitro_bundle_is_of(const nitro_bundle *bundle, const char *computation)
{
    return bundle->computation && strcmp(bundle->computation, computation) == 0;
}

/* ---- The store ------------------------------------------------------------------------------- */

static nitro_status verify(void *state, nitro_problem_function report, void *user)
{
    nitro_bundle_store *store = state;
    nitro_status found = NITRO_OK;
    for (size_t i = 0; i < nitro_bundle_store_count(store); i++) {
        const char *path;
        char message[3072];
        nitro_status status = nitro_bundle_source_get(store->source, i, &path);
        if (status != NITRO_OK && !nitro_bundle_is_refusal(status))
            return status;
        if (status == NITRO_OK)
            continue;
        nitro_context_last_error(store->context, message, sizeof(message));
        report(user, message);
        found = NITRO_ERR_FORMAT;
    }
    return found == NITRO_OK ? found
                             : nitro_fail(store->context, found, "some bundles are refused");
}

static nitro_status remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                   void *user)
{
    const nitro_bundle_store *store = state;
    (void)report;
    (void)user;
    return dry_run
               ? NITRO_OK
               : nitro_fail(store->context, NITRO_ERR_ARGUMENT, "published bundles are read-only");
}

static nitro_status layout_version(void *state, int64_t *version)
{
    (void)state;
    *version = NITRO_BUNDLE_VERSION;
    return NITRO_OK;
}

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    const nitro_bundle_store *store = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < nitro_bundle_store_count(store); i++)
        sum += nitro_bundle_store_at(store, i)->bytes;
    *bytes = sum;
    return NITRO_OK;
}

static void close_store(void *state)
{
    nitro_bundle_store *store = state;
    if (!store)
        return;
    nitro_bundle_source_close(store->source);
    free(store->warned);
    free(store);
}

static nitro_status open_store(nitro_context *context, const char *url,
                               const nitro_trusted_keys *keys, nitro_bundle_store **state)
{
    nitro_bundle_store *store = nitro_calloc(context, 1, sizeof(*store));
    if (!store)
        return NITRO_ERR_NO_MEMORY;
    store->context = context;
    nitro_status status = nitro_bundle_source_open(context, url, keys, &store->source);
    if (status == NITRO_OK) {
        store->warned =
            nitro_calloc(context, nitro_bundle_store_count(store), sizeof(*store->warned));
        status = store->warned ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        *state = store;
    else
        close_store(store);
    return status;
}

static nitro_status open_address(nitro_context *context, const char *scheme, const char *address,
                                 nitro_store_mode mode, void **state)
{
    nitro_bundle_store *store = NULL;
    if (mode != NITRO_STORE_READ)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s:%.200s: published bundles are read-only; copy them to your own "
                          "store with 'nitro store pull'",
                          scheme, address);
    char *url = nitro_asprintf(context, "%s:%s", scheme, address);
    nitro_status status = url ? open_store(context, url, NULL, &store) : NITRO_ERR_NO_MEMORY;
    free(url);
    if (status == NITRO_OK)
        *state = store;
    return status;
}

static nitro_status open_https(nitro_context *context, const char *address, nitro_store_mode mode,
                               void **state)
{
    return open_address(context, "https", address, mode, state);
}

static nitro_status open_http(nitro_context *context, const char *address, nitro_store_mode mode,
                              void **state)
{
    return open_address(context, "http", address, mode, state);
}

static nitro_status open_file(nitro_context *context, const char *address, nitro_store_mode mode,
                              void **state)
{
    return open_address(context, "file", address, mode, state);
}

#define BUNDLE_STORE(its_scheme, its_description, its_open)                                        \
    {                                                                                              \
        .scheme = its_scheme, .description = its_description, .read_only = true, .open = its_open, \
        .close = close_store, .get_schema = nitro_bundle_store_get_schema,                         \
        .list_computations = nitro_bundle_store_list_computations,                                 \
        .get_device = nitro_bundle_store_get_device,                                               \
        .list_devices = nitro_bundle_store_list_devices,                                           \
        .each_sample = nitro_bundle_store_each_sample,                                             \
        .get_sample = nitro_bundle_store_get_sample,                                               \
        .list_inputs = nitro_bundle_store_list_inputs,                                             \
        .count_samples = nitro_bundle_store_count_samples,                                         \
        .each_profile = nitro_bundle_store_each_profile,                                           \
        .count_profiles = nitro_bundle_store_count_profiles, .verify = verify,                     \
        .remove_damaged = remove_damaged, .layout_version = layout_version,                        \
        .size_bytes = size_bytes,                                                                  \
    }

const nitro_store_kind nitro_store_https =
    BUNDLE_STORE("https", "published bundles on a web server (read only)", open_https);
const nitro_store_kind nitro_store_http =
    BUNDLE_STORE("http", "published bundles without encryption (read only)", open_http);
const nitro_store_kind nitro_store_file =
    BUNDLE_STORE("file", "published bundles in a local folder (read only)", open_file);

nitro_status nitro_bundle_store_open(nitro_context *context, const char *url,
                                     const nitro_trusted_keys *keys, nitro_store **store)
{
    nitro_bundle_store *state = NULL;
    nitro_status status = open_store(context, url, keys, &state);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < nitro_bundle_store_count(state); i++)
        state->warned[i] = true; /* the caller reports what the source refuses */
    status = nitro_store_create(context, &nitro_store_file, NITRO_STORE_READ, url, state, store);
    if (status != NITRO_OK)
        close_store(state);
    return status;
}

nitro_bundle_source *nitro_bundle_store_source(nitro_store *store)
{
    return ((nitro_bundle_store *)nitro_store_state(store))->source;
}
