/* bundle_store_internal.h - the state of a store of published bundles, and its functions. */
#ifndef NITRO_STORE_BUNDLE_BUNDLE_STORE_INTERNAL_H
#define NITRO_STORE_BUNDLE_BUNDLE_STORE_INTERNAL_H

#include "store/bundle/bundle.h"

typedef struct nitro_bundle_store {
    nitro_context *context;
    nitro_bundle_source *source;
    bool *warned; /* shape [count of the index]: its refusal was logged */
} nitro_bundle_store;

/* ---- bundle_store.c ------------------------------------------------------------------------- */

size_t nitro_bundle_store_count(const nitro_bundle_store *store);
const nitro_bundle *nitro_bundle_store_at(const nitro_bundle_store *store, size_t index);
/** Is it a bundle of this computation? */
bool nitro_bundle_is_of(const nitro_bundle *bundle, const char *computation);
/**
 * Get a bundle's file. A refused bundle counts as missing, and is logged once.
 * @param[out] path  borrowed; NULL: refused.
 * @return NITRO_OK, also where it is refused; an error of the source as a whole.
 */
nitro_status nitro_bundle_store_get(nitro_bundle_store *store, size_t index, const char **path);

/* ---- bundle_store_read.c: functions of nitro_store_kind -------------------------------------- */

nitro_status nitro_bundle_store_get_schema(void *state, const char *computation,
                                           nitro_schema **schema);
nitro_status nitro_bundle_store_list_computations(void *state, nitro_string_list *computations);
nitro_status nitro_bundle_store_get_device(void *state, const char *id, nitro_device **device);
nitro_status nitro_bundle_store_list_devices(void *state, const char *computation,
                                             nitro_string_list *ids);

nitro_status nitro_bundle_store_each_sample(void *state, const char *computation,
                                            const char *device, nitro_sample_function function,
                                            void *user, nitro_problem_function damaged,
                                            void *damaged_user);
nitro_status nitro_bundle_store_get_sample(void *state, const char *computation, const char *device,
                                           const char *input, nitro_sample **sample);
nitro_status nitro_bundle_store_list_inputs(void *state, const char *computation,
                                            const char *device, nitro_string_list *inputs);
nitro_status nitro_bundle_store_count_samples(void *state, const char *computation,
                                              const char *device, size_t *count);
nitro_status nitro_bundle_store_each_profile(void *state, const char *device,
                                             const char *computation,
                                             nitro_profile_function function, void *user,
                                             nitro_problem_function damaged, void *damaged_user);
nitro_status nitro_bundle_store_count_profiles(void *state, const char *device,
                                               const char *computation, size_t *count);

#endif
