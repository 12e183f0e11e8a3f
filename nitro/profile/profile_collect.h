/* profile_collect.h - collects one device's profiles, of variants or of proxies, into a store. */
#ifndef NITRO_PROFILE_PROFILE_COLLECT_H
#define NITRO_PROFILE_PROFILE_COLLECT_H

#include "nitro/measure/measure_input.h"
#include "nitro/measure/receive_profiles.h"

typedef struct nitro_collection {
    nitro_context *context;
    nitro_store *store;
    nitro_device *device;
    const nitro_schema *schema; /* of the variants; NULL: of proxies. Set by the caller */
    bool is_prepared;           /* the store has the device and the schema */
    nitro_profile_options options;
    nitro_measure_options measure;
    nitro_proxies *proxies;
    nitro_profiling profiling;
    nitro_received_profiles received; /* `name` and `name_user` are set by the caller */
    nitro_profile_progress progress;
    nitro_profile_report *report;
} nitro_collection;

/** Find the profiler for the device, and read the proxies; `options` may be NULL. Must be ended,
 * also on error. */
nitro_status nitro_collection_begin(nitro_collection *collection, nitro_store *store,
                                    nitro_device *device, const nitro_profile_options *options,
                                    nitro_profile_report *report);
/**
 * Profile some variants on one input, and store the profiles.
 * @param[out] input_failed  on error: true if the next input may succeed.
 */
nitro_status nitro_collection_run(nitro_collection *collection, nitro_computation *computation,
                                  const nitro_input *input, uint64_t variants, bool *input_failed);
/** Report progress. @return NITRO_OK or NITRO_ERR_INTERRUPTED. */
nitro_status nitro_collection_report(nitro_collection *collection, const char *what);
void nitro_collection_end(nitro_collection *collection);

#endif
