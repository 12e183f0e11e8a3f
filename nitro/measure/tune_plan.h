/* tune_plan.h - inputs and devices of a tuning run, with what the store already holds of them. */
#ifndef NITRO_MEASURE_TUNE_PLAN_H
#define NITRO_MEASURE_TUNE_PLAN_H

#include "nitro/runtime/computation.h"

/** One device of a run. */
typedef struct nitro_tune_target {
    nitro_device *device;
    const nitro_device_kind *kind;
    bool *stored;           /* shape [num_inputs]: stored, up to date, and its times hold */
    nitro_sample **partial; /* shape [num_inputs]: the stored sample of an input with some variants
                               to be measured; else NULL */
} nitro_tune_target;

typedef struct nitro_tune_plan {
    nitro_context *context;
    nitro_computation *computation;
    nitro_store *store;
    const nitro_input *inputs;
    size_t num_inputs;
    bool again; /* ignore stored samples */
    unsigned max_blocks;
    nitro_cache cache;
    const nitro_input **by_name; /* shape [num_inputs]: inputs in byte order of their names */
    nitro_tune_target *targets;
    size_t num_targets;
} nitro_tune_plan;

/** Is the store of the computation's context, and has the computation variants "to PURPOSE"?
 *  @return NITRO_OK or NITRO_ERR_ARGUMENT. */
nitro_status nitro_tune_plan_check(const nitro_tune_plan *plan, const char *purpose);

/**
 * Check inputs and devices ("a,b,c"); does not use the store.
 * @param[in,out] plan  the fields before by_name are set, the others zero. Must be freed, also on
 * error.
 * @param[in] how  options that the device which runs variants must support.
 */
nitro_status nitro_tune_plan_choose(nitro_tune_plan *plan, const char *devices,
                                    const nitro_measure_options *how);
/** The same; also stores the schema and the devices, and finds stored samples. */
nitro_status nitro_tune_plan_make(nitro_tune_plan *plan, const char *devices,
                                  const nitro_measure_options *how);

/** Index of the input with this name, or NITRO_NONE. */
size_t nitro_tune_plan_find_input(const nitro_tune_plan *plan, const char *name);

/** Is this input stored for every device? */
bool nitro_tune_plan_is_stored(const nitro_tune_plan *plan, size_t input);

/** Find a target's stored inputs: fills `stored` and `partial`. NITRO_ERR_MISMATCH as below. */
nitro_status nitro_tune_find_stored(const nitro_tune_plan *plan, nitro_tune_target *target);

/** NITRO_ERR_MISMATCH if the store has samples of the target with the other cache mode than the
 * plan's, except those that the plan replaces. */
nitro_status nitro_tune_check_caches(const nitro_tune_plan *plan, const nitro_tune_target *target);

/** "warm", "cold". */
const char *nitro_tune_cache_name(nitro_cache cache);

/** A bit for each variant whose time in this sample is of another version of its code. */
uint64_t nitro_tune_outdated_variants(const nitro_tune_plan *plan, const nitro_sample *sample);
/** Does it lack a feature, one that was declared later? */
bool nitro_tune_lacks_features(const nitro_sample *sample);
/** A bit for each variant to be measured: outdated, or in need of another block. */
uint64_t nitro_tune_missing_variants(const nitro_tune_plan *plan, const nitro_sample *sample);

/** Free a plan's members. */
void nitro_tune_plan_free(nitro_tune_plan *plan);

#endif
