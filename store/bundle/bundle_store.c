/* bundle_store.c - published bundles as read-only stores: https, http and file. Lists and counts
 * come from the index where possible, so that little is downloaded. A refused bundle is logged once
 * and counts as missing; there are no damaged records, for a bundle with one is refused. */
#include <stdlib.h>
#include <string.h>

#include "store/bundle/bundle.h"

/* Was a refusal of the same reason logged? */
static bool is_known(const nitro_bundle_source *source, const char *reason)
{
    for (size_t i = 0; i < source->index->count; i++)
        if (source->states[i].logged && strcmp(source->states[i].reason, reason) == 0)
            return true;
    return false;
}

/* The file of a bundle, or NULL where it is refused. Of refusals for one reason, the first is
 * logged at once and the others are counted when the source is closed. */
static nitro_status get_valid(nitro_bundle_source *source, size_t index, const char **path)
{
    nitro_bundle_state *state = &source->states[index];
    nitro_status status = nitro_bundle_source_get(source, index, path);
    if (!state->problem || source->quiet || state->logged || state->noted)
        return status;
    state->noted = is_known(source, state->reason);
    state->logged = !state->noted;
    if (state->logged)
        nitro_log(source->context, NITRO_LOG_WARNING, "%s", state->problem);
    return status;
}

static bool is_of(const nitro_bundle *bundle, const char *computation)
{
    return bundle->computation && strcmp(bundle->computation, computation) == 0;
}

/* ---- Schemas and devices --------------------------------------------------------------------- */

/* The first valid bundle of a computation or of a device (NULL: any). NITRO_ERR_FORMAT: all such
 * bundles are refused. */
static nitro_status find_valid(nitro_bundle_source *source, const char *computation,
                               const char *device, const nitro_bundle_state **found)
{
    const nitro_bundle_state *refused = NULL;
    for (size_t i = 0; i < source->index->count; i++) {
        const nitro_bundle *bundle = &source->index->bundles[i];
        const char *path;
        if ((computation && !is_of(bundle, computation)) ||
            (device && strcmp(bundle->device, device) != 0))
            continue;
        nitro_status status = get_valid(source, i, &path);
        if (status != NITRO_OK)
            return status;
        if (path) {
            *found = &source->states[i];
            return NITRO_OK;
        }
        refused = &source->states[i];
    }
    return refused ? nitro_fail(source->context, NITRO_ERR_FORMAT,
                                "%s: all bundles of %s are refused: %s", source->url,
                                device ? device : computation, refused->reason)
                   : NITRO_ERR_NOT_FOUND;
}

static nitro_status get_schema(void *state, const char *computation, nitro_schema **schema)
{
    nitro_bundle_source *source = state;
    const nitro_bundle_state *found = NULL;
    nitro_status status = find_valid(source, computation, NULL, &found);
    return status == NITRO_OK ? nitro_schema_copy(source->context, found->schema, schema) : status;
}

static nitro_status get_device(void *state, const char *id, nitro_device **device)
{
    nitro_bundle_source *source = state;
    const nitro_bundle_state *found = NULL;
    nitro_status status = find_valid(source, NULL, id, &found);
    return status == NITRO_OK ? nitro_device_copy(source->context, found->device, device) : status;
}

static nitro_status list_computations(void *state, nitro_string_list *computations)
{
    const nitro_bundle_source *source = state;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++)
        if (source->index->bundles[i].computation && !source->states[i].problem)
            status = nitro_string_list_add(source->context, computations,
                                           source->index->bundles[i].computation);
    nitro_string_list_unique(computations);
    return status;
}

/* All devices come from the index, without bundles known to be refused: errors that list devices
 * need no download. */
static nitro_status list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    nitro_bundle_source *source = state;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = &source->index->bundles[i];
        const char *path = NULL;
        if (computation && is_of(bundle, computation))
            status = get_valid(source, i, &path);
        if (status == NITRO_OK &&
            (computation ? path && bundle->samples > 0 : !source->states[i].problem))
            status = nitro_string_list_add(source->context, ids, bundle->device);
    }
    nitro_string_list_unique(ids);
    return status;
}

/* ---- Samples and profiles -------------------------------------------------------------------- */

/* Read the samples or the profiles of all valid bundles of a computation (NULL: of devices by
 * themselves) on a device (NULL: on all). @param[in] visitor  NULL: only count them. */
static nitro_status read_records(nitro_bundle_source *source, const char *computation,
                                 const char *device, bool profiles,
                                 const nitro_bundle_visitor *visitor, size_t *count)
{
    nitro_status status = NITRO_OK;
    size_t sum = 0;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = &source->index->bundles[i];
        uint64_t records = profiles ? bundle->profiles : bundle->samples;
        bool same = computation ? is_of(bundle, computation) : !bundle->computation;
        const char *path;
        if (records == 0 || !same || (device && strcmp(bundle->device, device) != 0))
            continue;
        status = get_valid(source, i, &path);
        if (status == NITRO_OK && path && visitor)
            status = nitro_bundle_read_file(source->context, path, bundle, visitor);
        sum += path ? (size_t)records : 0;
    }
    if (status == NITRO_OK)
        *count = sum;
    return status;
}

static nitro_status each_sample(void *state, const char *computation, const char *device,
                                nitro_sample_function function, void *user,
                                nitro_problem_function damaged, void *damaged_user)
{
    size_t count;
    (void)damaged, (void)damaged_user;
    return read_records(state, computation, device, false,
                        &(nitro_bundle_visitor){.sample = function, .user = user}, &count);
}

typedef struct wanted_samples {
    nitro_context *context;
    const char *input;         /* of one sample */
    nitro_sample *found;       /* that sample */
    nitro_string_list *inputs; /* of all samples */
} wanted_samples;

static nitro_status take_sample(void *user, const nitro_sample *sample)
{
    wanted_samples *wanted = user;
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
    const nitro_bundle_source *source = state;
    wanted_samples wanted = {.context = source->context, .input = input};
    nitro_status status = each_sample(state, computation, device, take_sample, &wanted, NULL, NULL);
    if (wanted.found) {
        *sample = wanted.found;
        return NITRO_OK;
    }
    return status == NITRO_OK || status == NITRO_ERR_INTERRUPTED ? NITRO_ERR_NOT_FOUND : status;
}

static nitro_status add_input(void *user, const nitro_sample *sample)
{
    const wanted_samples *wanted = user;
    return nitro_string_list_add(wanted->context, wanted->inputs, sample->input);
}

static nitro_status list_inputs(void *state, const char *computation, const char *device,
                                nitro_string_list *inputs)
{
    const nitro_bundle_source *source = state;
    wanted_samples all = {.context = source->context, .inputs = inputs};
    return each_sample(state, computation, device, add_input, &all, NULL, NULL);
}

static nitro_status count_samples(void *state, const char *computation, const char *device,
                                  size_t *count)
{
    return read_records(state, computation, device, false, NULL, count);
}

static nitro_status each_profile(void *state, const char *device, const char *computation,
                                 nitro_profile_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user)
{
    size_t count;
    (void)damaged, (void)damaged_user;
    return read_records(state, computation, device, true,
                        &(nitro_bundle_visitor){.profile = function, .user = user}, &count);
}

static nitro_status count_profiles(void *state, const char *device, const char *computation,
                                   size_t *count)
{
    return read_records(state, computation, device, true, NULL, count);
}

/* ---- The store ------------------------------------------------------------------------------- */

static nitro_status verify(void *state, nitro_problem_function report, void *user)
{
    nitro_bundle_source *source = state;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < source->index->count && status == NITRO_OK; i++) {
        const char *path;
        status = nitro_bundle_source_get(source, i, &path);
        if (status == NITRO_OK && !path)
            report(user, source->states[i].problem);
    }
    return status;
}

static nitro_status remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                   void *user)
{
    const nitro_bundle_source *source = state;
    (void)report;
    (void)user;
    return dry_run
               ? NITRO_OK
               : nitro_fail(source->context, NITRO_ERR_ARGUMENT, "published bundles are read-only");
}

static nitro_status layout_version(void *state, int64_t *version)
{
    (void)state;
    *version = NITRO_BUNDLE_VERSION;
    return NITRO_OK;
}

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    const nitro_bundle_source *source = state;
    uint64_t sum = 0;
    for (size_t i = 0; i < source->index->count; i++)
        sum += source->index->bundles[i].bytes;
    *bytes = sum;
    return NITRO_OK;
}

static void close_store(void *state)
{
    nitro_bundle_source_close(state);
}

static nitro_status open_address(nitro_context *context, const char *scheme, const char *address,
                                 nitro_store_mode mode, void **state)
{
    nitro_bundle_source *source = NULL;
    if (mode != NITRO_STORE_READ) {
        char *shown = nitro_store_redact(context, scheme, address);
        nitro_status status = shown ? nitro_fail(context, NITRO_ERR_ARGUMENT,
                                                 "%.200s: published bundles are read-only; copy "
                                                 "them to your own store with 'nitro store pull'",
                                                 shown)
                                    : NITRO_ERR_NO_MEMORY;
        free(shown);
        return status;
    }
    char *url = nitro_asprintf(context, "%s:%s", scheme, address);
    nitro_status status =
        url ? nitro_bundle_source_open(context, url, NULL, false, &source) : NITRO_ERR_NO_MEMORY;
    free(url);
    if (status == NITRO_OK)
        *state = source;
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
    BUNDLE_STORE("http", "published bundles without encryption (read only)", open_http);
const nitro_store_kind nitro_store_file =
    BUNDLE_STORE("file", "published bundles in a local folder (read only)", open_file);

nitro_status nitro_bundle_store_open(nitro_context *context, const char *url,
                                     const nitro_trusted_keys *keys, bool allow_unsigned,
                                     nitro_store **store, nitro_bundle_source **source)
{
    nitro_bundle_source *opened = NULL;
    nitro_status status = nitro_bundle_source_open(context, url, keys, allow_unsigned, &opened);
    if (status != NITRO_OK)
        return status;
    opened->quiet = true;
    status = nitro_store_create(context, &nitro_store_file, NITRO_STORE_READ, url, opened, store);
    if (status == NITRO_OK)
        *source = opened;
    else
        nitro_bundle_source_close(opened);
    return status;
}
