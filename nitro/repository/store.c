/* The facade of open stores: checks arguments and records, so that all backends accept and refuse
 * the same. */
#include <stdlib.h>

#include "nitro/base/require.h"
#include "nitro/repository/store_internal.h"

nitro_context *nitro_store_context(const nitro_store *store)
{
    return store->context;
}

const char *nitro_store_url(const nitro_store *store)
{
    return store->url;
}

void nitro_store_close(nitro_store *store)
{
    if (!store)
        return;
    store->kind->close(store->state);
    free(store->url);
    free(store);
}

nitro_status nitro_store_require_writable(const nitro_store *store)
{
    if (store->mode == NITRO_STORE_WRITE)
        return NITRO_OK;
    return nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                      "%s: the store is open for reading; open it for writing to change it",
                      store->url);
}

nitro_status nitro_store_put_schema(nitro_store *store, const nitro_schema *schema)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_check_schema(store->context, store->url, schema, NITRO_ERR_ARGUMENT);
    return status == NITRO_OK ? store->kind->put_schema(store->state, schema) : status;
}

/* "No ...", with the existing names, since the name may be mistyped. */
static nitro_status fail_not_found(nitro_store *store, const char *what, const char *name,
                                   const nitro_string_list *known)
{
    char *names = nitro_store_print_some(store->context, known);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(
            store->context, NITRO_ERR_NOT_FOUND, "%s: no %s '%.80s' in this store%s%s", store->url,
            what, name ? name : "(null)", known->count ? "; known: " : ", which has none yet",
            known->count ? names : "");
    free(names);
    return status;
}

static nitro_status fail_no_computation(nitro_store *store, const char *computation)
{
    nitro_string_list known = {0};
    nitro_status status = store->kind->list_computations(store->state, &known);
    if (status == NITRO_OK)
        status = fail_not_found(store, "computation", computation, &known);
    nitro_string_list_free(&known);
    return status;
}

nitro_status nitro_store_get_schema(nitro_store *store, const char *computation,
                                    nitro_schema **schema)
{
    nitro_status status = NITRO_ERR_NOT_FOUND;
    if (nitro_name_is_valid(computation))
        status = store->kind->get_schema(store->state, computation, schema);
    return status == NITRO_ERR_NOT_FOUND ? fail_no_computation(store, computation) : status;
}

nitro_status nitro_store_list_computations(nitro_store *store, nitro_string_list *list)
{
    return store->kind->list_computations(store->state, list);
}

nitro_status nitro_store_put_device(nitro_store *store, const nitro_device *device)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_check_device(store->context, store->url, device, NITRO_ERR_ARGUMENT);
    return status == NITRO_OK ? store->kind->put_device(store->state, device) : status;
}

static nitro_status fail_no_device(nitro_store *store, const char *id)
{
    nitro_string_list known = {0};
    nitro_status status = store->kind->list_devices(store->state, NULL, &known);
    if (status == NITRO_OK)
        status = fail_not_found(store, "device", id, &known);
    nitro_string_list_free(&known);
    return status;
}

nitro_status nitro_store_get_device(nitro_store *store, const char *id, nitro_device **device)
{
    nitro_status status = NITRO_ERR_NOT_FOUND;
    if (nitro_device_id_is_valid(id))
        status = store->kind->get_device(store->state, id, device);
    return status == NITRO_ERR_NOT_FOUND ? fail_no_device(store, id) : status;
}

nitro_status nitro_store_require_names(const nitro_store *store, const char *computation,
                                       const char *device)
{
    if (computation && !nitro_name_is_valid(computation))
        return nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is no valid computation name", computation);
    if (device && !nitro_device_id_is_valid(device))
        return nitro_fail(store->context, NITRO_ERR_ARGUMENT, "'%.80s' is no valid device id",
                          device);
    return NITRO_OK;
}

nitro_status nitro_store_require_both(const nitro_store *store, const char *computation,
                                      const char *device)
{
    return nitro_store_require_names(store, computation ? computation : "(null)",
                                     device ? device : "(null)");
}

nitro_status nitro_store_list_devices(nitro_store *store, const char *computation,
                                      nitro_string_list *ids)
{
    nitro_status status = nitro_store_require_names(store, computation, NULL);
    return status == NITRO_OK ? store->kind->list_devices(store->state, computation, ids) : status;
}

nitro_status nitro_store_remove(nitro_store *store, const char *computation, const char *device,
                                size_t *removed)
{
    size_t count = 0, num_profiles = 0;
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_require_both(store, computation, device ? device : "any");
    if (status == NITRO_OK)
        status = store->kind->count_profiles(store->state, device, computation, &num_profiles);
    if (status == NITRO_OK)
        status = store->kind->remove(store->state, computation, device, &count);
    if (status == NITRO_ERR_NOT_FOUND)
        return fail_no_computation(store, computation);
    if (status == NITRO_OK && device && count == 0 && num_profiles == 0)
        return nitro_store_fail_no_samples(store, computation, device);
    if (status == NITRO_OK && removed)
        *removed = count;
    return status;
}

nitro_status nitro_store_fail_no_samples(nitro_store *store, const char *computation,
                                         const char *device)
{
    nitro_string_list known = {0};
    nitro_status status = store->kind->list_devices(store->state, computation, &known);
    char *names = status == NITRO_OK ? nitro_store_print_some(store->context, &known) : NULL;
    status = NITRO_ERR_NO_MEMORY;
    if (names && nitro_string_list_find(&known, device) != NITRO_NONE)
        status =
            nitro_fail(store->context, NITRO_ERR_NOT_FOUND,
                       "%s: no samples of %s on device '%.80s' can be read; if there should be "
                       "some, 'nitro store verify' says why not",
                       store->url, computation, device);
    else if (names)
        status = nitro_fail(store->context, NITRO_ERR_NOT_FOUND,
                            "%s: no samples of %s on device '%.80s'; there are some on: %s",
                            store->url, computation, device, names);
    free(names);
    nitro_string_list_free(&known);
    return status;
}

nitro_status nitro_store_remove_device(nitro_store *store, const char *id)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_device_id_is_valid(id) ? store->kind->remove_device(store->state, id)
                                              : NITRO_ERR_NOT_FOUND;
    return status == NITRO_ERR_NOT_FOUND ? fail_no_device(store, id) : status;
}

bool nitro_store_has_claims(const nitro_store *store)
{
    return store->kind->claim != NULL;
}

nitro_status nitro_store_claim(nitro_store *store, const char *computation, const char *device,
                               const char *input, const char *owner, uint32_t lease_ms,
                               bool *claimed)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_require_names(store, computation, device);
    if (status != NITRO_OK)
        return status;
    if (!store->kind->claim)
        return nitro_fail(store->context, NITRO_ERR_UNSUPPORTED,
                          "%s: inputs of this kind of store cannot be claimed", store->url);
    if (!nitro_input_name_is_valid(input) || !nitro_text_is_valid(owner, 127) || !owner[0])
        return nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                          "a claim needs a valid input name and an owner of 1 to 127 bytes");
    return store->kind->claim(store->state, computation, device, input, owner, lease_ms, claimed);
}

typedef struct counted_problems {
    nitro_problem_function report; /* may be NULL */
    void *user;
    size_t count;
} counted_problems;

static void count_problem(void *user, const char *problem)
{
    counted_problems *found = user;
    found->count++;
    if (found->report)
        found->report(found->user, problem);
}

nitro_status nitro_store_verify(nitro_store *store, nitro_problem_function report, void *user)
{
    counted_problems found = {.report = report, .user = user};
    nitro_status status = store->kind->verify(store->state, count_problem, &found);
    return status == NITRO_OK && found.count > 0
               ? nitro_fail(store->context, NITRO_ERR_FORMAT, "%s: %zu problem%s found", store->url,
                            found.count, found.count == 1 ? "" : "s")
               : status;
}

nitro_status nitro_store_size_bytes(nitro_store *store, uint64_t *bytes)
{
    return store->kind->size_bytes(store->state, bytes);
}

nitro_status nitro_store_flush(nitro_store *store, double patience_ms, size_t *unsent)
{
    NITRO_REQUIRE(NULL, store);
    size_t count = 0;
    nitro_status status = NITRO_OK;
    if (store->kind->flush)
        status = store->kind->flush(store->state, patience_ms, &count);
    if (status == NITRO_OK && unsent)
        *unsent = count;
    return status;
}

nitro_status nitro_store_count_unsent(nitro_store *store, size_t *unsent)
{
    NITRO_REQUIRE(store ? store->context : NULL, store && unsent);
    if (store->kind->count_unsent)
        return store->kind->count_unsent(store->state, unsent);
    *unsent = 0;
    return NITRO_OK;
}

nitro_status nitro_store_remove_damaged(nitro_store *store, bool dry_run,
                                        nitro_problem_function report, void *user)
{
    nitro_status status = dry_run ? NITRO_OK : nitro_store_require_writable(store);
    if (status != NITRO_OK)
        return status;
    counted_problems found = {.report = report, .user = user};
    return store->kind->remove_damaged(store->state, dry_run, count_problem, &found);
}

nitro_status nitro_store_layout_version(nitro_store *store, int64_t *version)
{
    return store->kind->layout_version(store->state, version);
}
