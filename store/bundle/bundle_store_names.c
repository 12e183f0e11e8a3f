/* Computations, their names, and devices in published bundles. Hides that an index tells most of
 * them, so that little is downloaded. */
#include <string.h>

#include "store/bundle/bundle_store_internal.h"

/* Where a reading may end as soon as it has what it came for. */
typedef struct one_record {
    nitro_context *context;
    nitro_schema *schema;
    nitro_device *device;
} one_record;

static nitro_status take_schema(void *user, const nitro_schema *schema)
{
    one_record *wanted = user;
    nitro_status status = nitro_schema_copy(wanted->context, schema, &wanted->schema);
    return status == NITRO_OK ? NITRO_ERR_INTERRUPTED : status;
}

static nitro_status take_device(void *user, const nitro_device *device)
{
    one_record *wanted = user;
    nitro_status status = nitro_device_copy(wanted->context, device, &wanted->device);
    return status == NITRO_OK ? NITRO_ERR_INTERRUPTED : status;
}

/* All that there is of it is refused: for the reason of this one. */
static nitro_status fail_refused(nitro_bundle_store *store, size_t index)
{
    const char *path;
    char message[3072];
    nitro_bundle_source_get(store->source, index, &path);
    nitro_context_last_error(store->context, message, sizeof(message));
    return nitro_fail(store->context, NITRO_ERR_FORMAT, "%s", message);
}

/* The first record of one sort in sound bundles of a computation or of a device (NULL: any).
 * NITRO_ERR_FORMAT: there are bundles, and all are refused. */
static nitro_status find_record(nitro_bundle_store *store, const char *computation,
                                const char *device, const nitro_bundle_visitor *visitor)
{
    const one_record *wanted = visitor->user;
    size_t refused = NITRO_NONE;
    for (size_t i = 0; i < nitro_bundle_store_count(store); i++) {
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path;
        if ((computation && !nitro_bundle_is_of(bundle, computation)) ||
            (device && strcmp(bundle->device, device) != 0))
            continue;
        nitro_status status = nitro_bundle_store_get(store, i, &path);
        if (status == NITRO_OK && path)
            status = nitro_bundle_read_file(store->context, path, bundle, visitor);
        if (wanted->schema || wanted->device)
            return NITRO_OK;
        if (status != NITRO_OK)
            return status;
        refused = i;
    }
    return refused == NITRO_NONE ? NITRO_ERR_NOT_FOUND : fail_refused(store, refused);
}

nitro_status nitro_bundle_store_get_schema(void *state, const char *computation,
                                           nitro_schema **schema)
{
    nitro_bundle_store *store = state;
    one_record wanted = {.context = store->context};
    nitro_status status = find_record(
        store, computation, NULL, &(nitro_bundle_visitor){.schema = take_schema, .user = &wanted});
    if (status == NITRO_OK)
        *schema = wanted.schema;
    return status;
}

nitro_status nitro_bundle_store_list_computations(void *state, nitro_string_list *computations)
{
    nitro_bundle_store *store = state;
    nitro_status status = NITRO_OK;
    const char *last = NULL;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const char *name = nitro_bundle_store_at(store, i)->computation;
        if (!name || nitro_bundle_source_has_refused(store->source, i) ||
            (last && strcmp(last, name) == 0))
            continue;
        status = nitro_string_list_add(store->context, computations, name);
        last = name;
    }
    return status;
}

nitro_status nitro_bundle_store_get_device(void *state, const char *id, nitro_device **device)
{
    nitro_bundle_store *store = state;
    one_record wanted = {.context = store->context};
    nitro_status status = find_record(
        store, NULL, id, &(nitro_bundle_visitor){.device = take_device, .user = &wanted});
    if (status == NITRO_OK)
        *device = wanted.device;
    return status;
}

/* Names of the index, but what is known to be refused: what "there is: ..." in an error says need
 * not be downloaded. */
static nitro_status list_all_devices(nitro_bundle_store *store, nitro_string_list *ids)
{
    nitro_string_list all = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++)
        if (!nitro_bundle_source_has_refused(store->source, i))
            status = nitro_string_list_add(store->context, &all,
                                           nitro_bundle_store_at(store, i)->device);
    nitro_string_list_sort(&all);
    for (size_t i = 0; i < all.count && status == NITRO_OK; i++)
        if (i == 0 || strcmp(all.items[i - 1], all.items[i]) != 0)
            status = nitro_string_list_add(store->context, ids, all.items[i]);
    nitro_string_list_free(&all);
    return status;
}

nitro_status nitro_bundle_store_list_devices(void *state, const char *computation,
                                             nitro_string_list *ids)
{
    nitro_bundle_store *store = state;
    nitro_status status = NITRO_OK;
    if (!computation)
        return list_all_devices(store, ids);
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const char *path;
        if (!nitro_bundle_is_of(nitro_bundle_store_at(store, i), computation))
            continue;
        status = nitro_bundle_store_get(store, i, &path);
        if (status == NITRO_OK && path && nitro_bundle_store_at(store, i)->samples > 0)
            status =
                nitro_string_list_add(store->context, ids, nitro_bundle_store_at(store, i)->device);
    }
    return status;
}
