/* bundle_store_read.c - reads of a store of published bundles: schemas, devices, samples, profiles.
 * Lists and counts come from the index where possible, so that little is downloaded. There are no
 * damaged records: a bundle with one is refused as a whole. */
#include <string.h>

#include "store/bundle/bundle_store_internal.h"

static bool is_of_device(const nitro_bundle *bundle, const char *device)
{
    return !device || strcmp(bundle->device, device) == 0;
}

/* Bundles of a computation (NULL: of devices by themselves) on a device (NULL: on all). */
static bool is_wanted(const nitro_bundle *bundle, const char *computation, const char *device)
{
    bool same = computation ? nitro_bundle_is_of(bundle, computation) : !bundle->computation;
    return same && is_of_device(bundle, device);
}

/* ---- Schemas and devices --------------------------------------------------------------------- */

/* A reading that ends once it has its record. */
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

/* All bundles that could have the record are refused: fail with the reason of one. */
static nitro_status fail_refused(nitro_bundle_store *store, size_t index)
{
    const char *path;
    char message[3072];
    nitro_bundle_source_get(store->source, index, &path);
    nitro_context_last_error(store->context, message, sizeof(message));
    return nitro_fail(store->context, NITRO_ERR_FORMAT, "%s", message);
}

/* The first schema or device in valid bundles of a computation or of a device (NULL: any).
 * NITRO_ERR_FORMAT: all such bundles are refused. */
static nitro_status find_record(nitro_bundle_store *store, const char *computation,
                                const char *device, const nitro_bundle_visitor *visitor)
{
    const one_record *wanted = visitor->user;
    size_t refused = NITRO_NONE;
    for (size_t i = 0; i < nitro_bundle_store_count(store); i++) {
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path;
        if ((computation && !nitro_bundle_is_of(bundle, computation)) ||
            !is_of_device(bundle, device))
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

/* From the index, without bundles known to be refused: errors that list devices need no download.
 */
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
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path;
        if (!nitro_bundle_is_of(bundle, computation))
            continue;
        status = nitro_bundle_store_get(store, i, &path);
        if (status == NITRO_OK && path && bundle->samples > 0)
            status = nitro_string_list_add(store->context, ids, bundle->device);
    }
    return status;
}

/* ---- Samples and profiles -------------------------------------------------------------------- */

static uint64_t count_in(const nitro_bundle *bundle, bool profiles)
{
    return profiles ? bundle->profiles : bundle->samples;
}

/* Visit the samples or the profiles of all valid bundles wanted. */
static nitro_status read_records(nitro_bundle_store *store, const char *computation,
                                 const char *device, const nitro_bundle_visitor *visitor)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path;
        if (count_in(bundle, visitor->profile != NULL) == 0 ||
            !is_wanted(bundle, computation, device))
            continue;
        status = nitro_bundle_store_get(store, i, &path);
        if (status == NITRO_OK && path)
            status = nitro_bundle_read_file(store->context, path, bundle, visitor);
    }
    return status;
}

static nitro_status count_records(nitro_bundle_store *store, const char *computation,
                                  const char *device, bool profiles, size_t *count)
{
    nitro_status status = NITRO_OK;
    size_t sum = 0;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path = NULL;
        if (count_in(bundle, profiles) > 0 && is_wanted(bundle, computation, device))
            status = nitro_bundle_store_get(store, i, &path);
        sum += path ? (size_t)count_in(bundle, profiles) : 0;
    }
    if (status == NITRO_OK)
        *count = sum;
    return status;
}

nitro_status nitro_bundle_store_each_sample(void *state, const char *computation,
                                            const char *device, nitro_sample_function function,
                                            void *user, nitro_problem_function damaged,
                                            void *damaged_user)
{
    (void)damaged, (void)damaged_user;
    return read_records(state, computation, device,
                        &(nitro_bundle_visitor){.sample = function, .user = user});
}

typedef struct one_sample {
    nitro_context *context;
    const char *input;
    nitro_sample *found;
} one_sample;

static nitro_status take_sample(void *user, const nitro_sample *sample)
{
    one_sample *wanted = user;
    int order = strcmp(sample->input, wanted->input);
    if (order < 0)
        return NITRO_OK;
    nitro_status status =
        order > 0 ? NITRO_OK : nitro_sample_copy(wanted->context, sample, &wanted->found);
    return status == NITRO_OK ? NITRO_ERR_INTERRUPTED : status;
}

nitro_status nitro_bundle_store_get_sample(void *state, const char *computation, const char *device,
                                           const char *input, nitro_sample **sample)
{
    nitro_bundle_store *store = state;
    one_sample wanted = {.context = store->context, .input = input};
    nitro_status status =
        read_records(store, computation, device,
                     &(nitro_bundle_visitor){.sample = take_sample, .user = &wanted});
    if (wanted.found) {
        *sample = wanted.found;
        return NITRO_OK;
    }
    return status == NITRO_OK || status == NITRO_ERR_INTERRUPTED ? NITRO_ERR_NOT_FOUND : status;
}

typedef struct input_listing {
    nitro_context *context;
    nitro_string_list *inputs;
} input_listing;

static nitro_status add_input(void *user, const nitro_sample *sample)
{
    const input_listing *listing = user;
    return nitro_string_list_add(listing->context, listing->inputs, sample->input);
}

nitro_status nitro_bundle_store_list_inputs(void *state, const char *computation,
                                            const char *device, nitro_string_list *inputs)
{
    nitro_bundle_store *store = state;
    input_listing listing = {store->context, inputs};
    return read_records(store, computation, device,
                        &(nitro_bundle_visitor){.sample = add_input, .user = &listing});
}

nitro_status nitro_bundle_store_count_samples(void *state, const char *computation,
                                              const char *device, size_t *count)
{
    return count_records(state, computation, device, false, count);
}

nitro_status nitro_bundle_store_each_profile(void *state, const char *device,
                                             const char *computation,
                                             nitro_profile_function function, void *user,
                                             nitro_problem_function damaged, void *damaged_user)
{
    (void)damaged, (void)damaged_user;
    return read_records(state, computation, device,
                        &(nitro_bundle_visitor){.profile = function, .user = user});
}

nitro_status nitro_bundle_store_count_profiles(void *state, const char *device,
                                               const char *computation, size_t *count)
{
    return count_records(state, computation, device, true, count);
}
