/* Samples and profiles in published bundles. Hides that there are no damaged ones: a record that is
 * makes its bundle a refused one. */
#include <string.h>

#include "store/bundle/bundle_store_internal.h"

/* Index of the bundle, NITRO_NONE. */
static size_t find_bundle(const nitro_bundle_store *store, const char *computation,
                          const char *device)
{
    for (size_t i = 0; i < nitro_bundle_store_count(store); i++)
        if (nitro_bundle_is_of(nitro_bundle_store_at(store, i), computation) &&
            strcmp(nitro_bundle_store_at(store, i)->device, device) == 0)
            return i;
    return NITRO_NONE;
}

static nitro_status read_samples(nitro_bundle_store *store, const char *computation,
                                 const char *device, nitro_sample_function function, void *user)
{
    const char *path = NULL;
    size_t index = find_bundle(store, computation, device);
    if (index == NITRO_NONE)
        return NITRO_OK;
    nitro_status status = nitro_bundle_store_get(store, index, &path);
    if (status != NITRO_OK || !path)
        return status;
    return nitro_bundle_read_file(store->context, path, nitro_bundle_store_at(store, index),
                                  &(nitro_bundle_visitor){.sample = function, .user = user});
}

nitro_status nitro_bundle_store_each_sample(void *state, const char *computation,
                                            const char *device, nitro_sample_function function,
                                            void *user, nitro_problem_function damaged,
                                            void *damaged_user)
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

nitro_status nitro_bundle_store_get_sample(void *state, const char *computation, const char *device,
                                           const char *input, nitro_sample **sample)
{
    nitro_bundle_store *store = state;
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

nitro_status nitro_bundle_store_list_inputs(void *state, const char *computation,
                                            const char *device, nitro_string_list *inputs)
{
    nitro_bundle_store *store = state;
    return read_samples(store, computation, device, add_input,
                        &(input_listing){store->context, inputs});
}

nitro_status nitro_bundle_store_count_samples(void *state, const char *computation,
                                              const char *device, size_t *count)
{
    nitro_bundle_store *store = state;
    const char *path = NULL;
    size_t index = find_bundle(store, computation, device);
    nitro_status status = NITRO_OK;
    if (index != NITRO_NONE)
        status = nitro_bundle_store_get(store, index, &path);
    if (status == NITRO_OK)
        *count = path ? (size_t)nitro_bundle_store_at(store, index)->samples : 0;
    return status;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Those of a computation (NULL: devices by themselves) on a device (NULL: on all). */
static bool is_wanted(const nitro_bundle *bundle, const char *computation, const char *device)
{
    bool same = computation ? nitro_bundle_is_of(bundle, computation) : !bundle->computation;
    return same && (!device || strcmp(bundle->device, device) == 0);
}

nitro_status nitro_bundle_store_each_profile(void *state, const char *device,
                                             const char *computation,
                                             nitro_profile_function function, void *user,
                                             nitro_problem_function damaged, void *damaged_user)
{
    nitro_bundle_store *store = state;
    (void)damaged;
    (void)damaged_user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const nitro_bundle *bundle = nitro_bundle_store_at(store, i);
        const char *path;
        if (bundle->profiles == 0 || !is_wanted(bundle, computation, device))
            continue;
        status = nitro_bundle_store_get(store, i, &path);
        if (status == NITRO_OK && path)
            status =
                nitro_bundle_read_file(store->context, path, bundle,
                                       &(nitro_bundle_visitor){.profile = function, .user = user});
    }
    return status;
}

nitro_status nitro_bundle_store_count_profiles(void *state, const char *device,
                                               const char *computation, size_t *count)
{
    nitro_bundle_store *store = state;
    nitro_status status = NITRO_OK;
    size_t sum = 0;
    for (size_t i = 0; i < nitro_bundle_store_count(store) && status == NITRO_OK; i++) {
        const char *path = NULL;
        if (nitro_bundle_store_at(store, i)->profiles > 0 &&
            is_wanted(nitro_bundle_store_at(store, i), computation, device))
            status = nitro_bundle_store_get(store, i, &path);
        sum += path ? (size_t)nitro_bundle_store_at(store, i)->profiles : 0;
    }
    if (status == NITRO_OK)
        *count = sum;
    return status;
}
