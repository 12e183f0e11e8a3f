/* tune_plan.h - what a tuning run works on: inputs by name, devices, and what the store already
 * holds of them. */
#ifndef NITRO_MEASURE_TUNE_PLAN_H
#define NITRO_MEASURE_TUNE_PLAN_H

#include "nitro/runtime/computation.h"

/** One device of a run. */
typedef struct nitro_tune_target {
    nitro_device *device;
    const nitro_device_kind *kind;
    bool *stored;           /* shape [num_inputs]: the store has this input, and it is up to date */
    nitro_sample **partial; /* shape [num_inputs]: what the store has of an input of which some
                               variants' times are stale and the others' still count; else NULL */
} nitro_tune_target;

typedef struct nitro_tune_plan {
    nitro_context *context;
    nitro_computation *computation;
    nitro_store *store;
    const nitro_input *inputs;
    size_t num_inputs;
    bool again; /* take nothing as stored */
    nitro_cache cache;
    size_t *by_name; /* shape [num_inputs]: input indices in byte order of their names */
    nitro_tune_target *targets;
    size_t num_targets;
} nitro_tune_plan;

/**
 * Check inputs and devices ("a,b,c"); the store is left alone.
 * @param[in,out] plan  the fields before by_name are set, the others zero. Free it also on error.
 * @param[in] how  what the device that variants run on has to be able to.
 */
nitro_status nitro_tune_plan_choose(nitro_tune_plan *plan, const char *devices,
                                    const nitro_measure_options *how);
/** The same, and put the schema and the devices into the store. */
nitro_status nitro_tune_plan_make(nitro_tune_plan *plan, const char *devices,
                                  const nitro_measure_options *how);

/** Index of the input with this name, or NITRO_NONE. */
size_t nitro_tune_plan_find_input(const nitro_tune_plan *plan, const char *name);

/** Is this input stored for every device? */
bool nitro_tune_plan_is_stored(const nitro_tune_plan *plan, size_t input);

/** Read what the store has of a target's inputs: fills `stored` and `partial`. NITRO_ERR_MISMATCH
 * as below. */
nitro_status nitro_tune_find_stored(const nitro_tune_plan *plan, nitro_tune_target *target);

/** NITRO_ERR_MISMATCH where the store has samples of the target with cold caches and the plan is
 * for warm ones, or the other way; those that the plan measures again are no matter. */
nitro_status nitro_tune_check_caches(const nitro_tune_plan *plan, const nitro_tune_target *target);

/** "warm", "cold". */
const char *nitro_tune_cache_name(nitro_cache cache);

/** A bit for each variant whose time in this sample is not that of today's code. */
uint64_t nitro_tune_outdated_variants(const nitro_tune_plan *plan, const nitro_sample *sample);

/** Free what the two made. */
void nitro_tune_plan_free(nitro_tune_plan *plan);

#endif
