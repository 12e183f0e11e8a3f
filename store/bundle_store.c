/* Published bundles as stores that can be read: https, http and file. A call sees the bundles that
 * are sound; what is refused is said in the log, once, and counts as not there. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle.h"

typedef struct bundle_store {
    nitro_context *context;
    nitro_bundle_source *source;
    bool *warned; /* shape [count of the index]: its refusal is in the log */
} bundle_store;

/* ---- Bundles that are sound ------------------------------------------------------------------ */

static const nitro_bundle *bundle_at(const bundle_store *store, size_t index)
{
    return &nitro_bundle_source_index(store->source)->bundles[index];
}

static size_t num_bundles(const bundle_store *store)
{
    return nitro_bundle_source_index(store->source)->count;
}

/* NITRO_OK with `path` NULL: refused. */
static nitro_status get_if_sound(bundle_store *store, size_t index, const char **path)
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

static bool is_of(const nitro_bundle *bundle, const char *computation)
{
    return bundle->computation && strcmp(bundle->computation, computation) == 0;
}

/* Index of the bundle, NITRO_NONE. */
static size_t find_bundle(const bundle_store *store, const char *computation, const char *device)
{
    for (size_t i = 0; i < num_bundles(store); i++)
        if (is_of(bundle_at(store, i), computation) &&
            strcmp(bundle_at(store, i)->device, device) == 0)
            return i;
    return NITRO_NONE;
}

/* ---- Names and devices ----------------------------------------------------------------------- */

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
static nitro_status fail_refused(bundle_store *store, size_t index)
{
    const char *path;
    char message[3072];
    nitro_bundle_source_get(store->source, index, &path);
    nitro_context_last_error(store->context, message, sizeof(message));
    return nitro_fail(store->context, NITRO_ERR_FORMAT, "%s", message);
}

/* The first record of one sort in sound bundles of a computation or of a device (NULL: any).
 * NITRO_ERR_FORMAT: there are bundles, and all are refused. */
static nitro_status find_record(bundle_store *store, const char *computation, const char *device,
                                const nitro_bundle_visitor *visitor)
{
    const one_record *wanted = visitor->user;
    size_t refused = NITRO_NONE;
    for (size_t i = 0; i < num_bundles(store); i++) {
        const nitro_bundle *bundle = bundle_at(store, i);
        const char *path;
        if ((computation && !is_of(bundle, computation)) ||
            (device && strcmp(bundle->device, device) != 0))
            continue;
        nitro_status status = get_if_sound(store, i, &path);
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

static nitro_status get_schema(void *state, const char *computation, nitro_schema **schema)
{
    bundle_store *store = state;
    one_record wanted = {.context = store->context};
    nitro_status status = find_record(
        store, computation, NULL, &(nitro_bundle_visitor){.schema = take_schema, .user = &wanted});
    if (status == NITRO_OK)
        *schema = wanted.schema;
    return status;
}

static nitro_status list_computations(void *state, nitro_string_list *computations)
{
    bundle_store *store = state;
    nitro_status status = NITRO_OK;
    const char *last = NULL;
    for (size_t i = 0; i < num_bundles(store) && status == NITRO_OK; i++) {
        const char *name = bundle_at(store, i)->computation;
        if (!name || nitro_bundle_source_has_refused(store->source, i) ||
            (last && strcmp(last, name) == 0))
            continue;
        status = nitro_string_list_add(store->context, computations, name);
        last = name;
    }
    return status;
}

static nitro_status get_device(void *state, const char *id, nitro_device **device)
{
    bundle_store *store = state;
    one_record wanted = {.context = store->context};
    nitro_status status = find_record(
        store, NULL, id, &(nitro_bundle_visitor){.device = take_device, .user = &wanted});
    if (status == NITRO_OK)
        *device = wanted.device;
    return status;
}

/* Names of the index, but what is known to be refused: what "there is: ..." in an error says need
 * not be downloaded. */
static nitro_status list_all_devices(bundle_store *store, nitro_string_list *ids)
{
    nitro_string_list all = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_bundles(store) && status == NITRO_OK; i++)
        if (!nitro_bundle_source_has_refused(store->source, i))
            status = nitro_string_list_add(store->context, &all, bundle_at(store, i)->device);
    nitro_string_list_sort(&all);
    for (size_t i = 0; i < all.count && status == NITRO_OK; i++)
        if (i == 0 || strcmp(all.items[i - 1], all.items[i]) != 0)
            status = nitro_string_list_add(store->context, ids, all.items[i]);
    nitro_string_list_free(&all);
    return status;
}

static nitro_status list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    bundle_store *store = state;
    nitro_status status = NITRO_OK;
    if (!computation)
        return list_all_devices(store, ids);
    for (size_t i = 0; i < num_bundles(store) && status == NITRO_OK; i++) {
        const char *path;
        if (!is_of(bundle_at(store, i), computation))
            continue;
        status = get_if_sound(store, i, &path);
        if (status == NITRO_OK && path && bundle_at(store, i)->samples > 0)
            status = nitro_string_list_add(store->context, ids, bundle_at(store, i)->device);
    }
    return status;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static nitro_status read_samples(bundle_store *store, const char *computation, const char *device,
                                 nitro_sample_function function, void *user)
{
    const char *path = NULL;
    size_t index = find_bundle(store, computation, device);
    if (index == NITRO_NONE)
        return NITRO_OK;
    nitro_status status = get_if_sound(store, index, &path);
    if (status != NITRO_OK || !path)
        return status;
    return nitro_bundle_read_file(store->context, path, bundle_at(store, index),
                                  &(nitro_bundle_visitor){.sample = function, .user = user});
}

/* A damaged sample makes the bundle a refused one: there are none in a sound one. */
static nitro_status each_sample(void *state, const char *computation, const char *device,
                                nitro_sample_function function, void *user,
                                nitro_problem_function damaged, void *damaged_user)
{
    (void)damaged;
    (void)damaged_user;
    return read_samples(state, computation, device, function, user);
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

static nitro_status get_sample(void *state, const char *computation, const char *device,
                               const char *input, nitro_sample **sample)
{
    bundle_store *store = state;
    one_sample wanted = {.context = store->context, .input = input};
    nitro_status status = read_samples(store, computation, device, take_sample, &wanted);
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

static nitro_status list_inputs(void *state, const char *computation, const char *device,
                                nitro_string_list *inputs)
{
    bundle_store *store = state;
    return read_samples(store, computation, device, add_input,
                        &(input_listing){store->context, inputs});
}

static nitro_status count_samples(void *state, const char *computation, const char *device,
                                  size_t *count)
{
    bundle_store *store = state;
    const char *path = NULL;
    size_t index = find_bundle(store, computation, device);
    nitro_status status = NITRO_OK;
    if (index != NITRO_NONE)
        status = get_if_sound(store, index, &path);
    if (status == NITRO_OK)
        *count = path ? (size_t)bundle_at(store, index)->samples : 0;
    return status;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Those of a computation (NULL: devices by themselves) on a device (NULL: on all). */
static bool is_wanted(const nitro_bundle *bundle, const char *computation, const char *device)
{
    bool same = computation ? is_of(bundle, computation) : !bundle->computation;
    return same && (!device || strcmp(bundle->device, device) == 0);
}

static nitro_status each_profile(void *state, const char *device, const char *computation,
                                 nitro_profile_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user)
{
    bundle_store *store = state;
    (void)damaged;
    (void)damaged_user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_bundles(store) && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = bundle_at(store, i);
        const char *path;
        if (bundle->profiles == 0 || !is_wanted(bundle, computation, device))
            continue;
        status = get_if_sound(store, i, &path);
        if (status == NITRO_OK && path)
            status =
                nitro_bundle_read_file(store->context, path, bundle,
                                       &(nitro_bundle_visitor){.profile = function, .user = user});
    }
    return status;
}

static nitro_status count_profiles(void *state, const char *device, const char *computation,
                                   size_t *count)
{
    bundle_store *store = state;
    nitro_status status = NITRO_OK;
    size_t sum = 0;
    for (size_t i = 0; i < num_bundles(store) && status == NITRO_OK; i++) {
        const char *path = NULL;
        if (bundle_at(store, i)->profiles > 0 &&
            is_wanted(bundle_at(store, i), computation, device))
            status = get_if_sound(store, i, &path);
        sum += path ? (size_t)bundle_at(store, i)->profiles : 0;
    }
    if (status == NITRO_OK)
        *count = sum;
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static nitro_status verify(void *state, nitro_problem_function report, void *user)
{
    bundle_store *store = state;
    nitro_status found = NITRO_OK;
    for (size_t i = 0; i < num_bundles(store); i++) {
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
    const bundle_store *store = state;
    (void)report;
    (void)user;
    return dry_run ? NITRO_OK
                   : nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                                "published bundles cannot be written to");
}

static nitro_status layout_version(void *state, int64_t *version)
{
    (void)state;
    *version = NITRO_BUNDLE_VERSION;
    return NITRO_OK;
}

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    const bundle_store *store = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < num_bundles(store); i++)
        sum += bundle_at(store, i)->bytes;
    *bytes = sum;
    return NITRO_OK;
}

static void close_store(void *state)
{
    bundle_store *store = state;
    if (!store)
        return;
    nitro_bundle_source_close(store->source);
    free(store->warned);
    free(store);
}

static nitro_status open_store(nitro_context *context, const char *url,
                               const nitro_trusted_keys *keys, bundle_store **state)
{
    bundle_store *store = nitro_calloc(context, 1, sizeof(*store));
    if (!store)
        return NITRO_ERR_NO_MEMORY;
    store->context = context;
    nitro_status status = nitro_bundle_source_open(context, url, keys, &store->source);
    if (status == NITRO_OK) {
        store->warned = nitro_calloc(context, num_bundles(store), sizeof(*store->warned));
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
    bundle_store *store = NULL;
    if (mode != NITRO_STORE_READ)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s:%.200s: published bundles cannot be written to; 'nitro store pull' "
                          "brings them into a store of your own",
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
        .close = close_store, .get_schema = get_schema, .list_computations = list_computations,    \
        .get_device = get_device, .list_devices = list_devices, .each_sample = each_sample,        \
        .get_sample = get_sample, .list_inputs = list_inputs, .count_samples = count_samples,      \
        .each_profile = each_profile, .count_profiles = count_profiles, .verify = verify,          \
        .remove_damaged = remove_damaged, .layout_version = layout_version,                        \
        .size_bytes = size_bytes,                                                                  \
    }

const nitro_store_kind nitro_store_https =
    BUNDLE_STORE("https", "published bundles on a web server (read only)", open_https);
const nitro_store_kind nitro_store_http =
    BUNDLE_STORE("http", "the same without encryption (read only)", open_http);
const nitro_store_kind nitro_store_file =
    BUNDLE_STORE("file", "published bundles in a folder here (read only)", open_file);

nitro_status nitro_bundle_store_open(nitro_context *context, const char *url,
                                     const nitro_trusted_keys *keys, nitro_store **store)
{
    bundle_store *state = NULL;
    nitro_status status = open_store(context, url, keys, &state);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < num_bundles(state); i++)
        state->warned[i] = true; /* who asks for the source says himself what it refuses */
    nitro_store *opened = nitro_calloc(context, 1, sizeof(*opened));
    char *copy = nitro_strdup(context, url);
    if (!opened || !copy) {
        free(opened);
        free(copy);
        close_store(state);
        return NITRO_ERR_NO_MEMORY;
    }
    *opened = (nitro_store){.context = context,
                            .kind = &nitro_store_file, /* by its state, not by its scheme */
                            .mode = NITRO_STORE_READ,
                            .url = copy,
                            .state = state};
    *store = opened;
    return NITRO_OK;
}

nitro_bundle_source *nitro_bundle_store_source(nitro_store *store)
{
    return ((bundle_store *)store->state)->source;
}
