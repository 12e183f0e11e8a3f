/* tune_share.h - which inputs other tuners of the same device are measuring. Internal to nitro/. */
#ifndef NITRO_MEASURE_TUNE_SHARE_H
#define NITRO_MEASURE_TUNE_SHARE_H

#include "nitro/measure/tune_plan.h"

/** One tuner's claims in a store. */
typedef struct nitro_tune_share {
    const nitro_tune_plan *plan;
    const nitro_tune_target *target; /* whose variants really run; NULL: nothing is shared out */
    char owner[96];                  /* "HOST:PROCESS:TIME" */
    double longest_ms;               /* that an input took so far */
    double began_ms;
    bool checked; /* since caches of this sort are claimed, that the store has no others */
} nitro_tune_share;

/** Begin to share, where the store can and a device of the plan is live. */
void nitro_tune_share_begin(nitro_tune_share *share, const nitro_tune_plan *plan);

/**
 * Claim an input before it is measured. A store that refuses claims (its rights, say) is told of in
 * the log once; the tune goes on alone.
 * @param[out] ours    measure it now; false: another tuner does.
 * @param[out] stored  another tuner has measured it meanwhile.
 * @return NITRO_OK; NITRO_ERR_MISMATCH: another tuner measures the device with cold caches and this
 *         one with warm ones, or the other way; or has done so by now.
 */
nitro_status nitro_tune_share_claim(nitro_tune_share *share, size_t input, bool *ours,
                                    bool *stored);
/** It is measured and stored, or failed: the claim ends. */
void nitro_tune_share_release(nitro_tune_share *share, size_t input);
/** The tune is over: others may measure with other caches. */
void nitro_tune_share_end(nitro_tune_share *share);

#endif
