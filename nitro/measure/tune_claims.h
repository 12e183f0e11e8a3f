/* tune_claims.h - claims of inputs among tuners of the same device. */
#ifndef NITRO_MEASURE_TUNE_CLAIMS_H
#define NITRO_MEASURE_TUNE_CLAIMS_H

#include "nitro/measure/tune_plan.h"

/** One tuner's claims in a store. */
typedef struct nitro_tune_claims {
    const nitro_tune_plan *plan;
    const nitro_tune_target *target; /* whose variants run; NULL: no claims */
    char owner[96];                  /* "HOST:PROCESS:TIME" */
    double longest_ms;               /* longest block of an input so far; set by the tune */
    double renewed_ms;
    bool checked; /* the store was checked for the other cache mode */
} nitro_tune_claims;

/** Begin to claims, where the store can and a device of the plan is live. */
void nitro_tune_claims_begin(nitro_tune_claims *claims, const nitro_tune_plan *plan);

/**
 * Claim an input before it is measured. A store that refuses claims (no permission) is logged once;
 * the tune continues alone.
 * @param[out] ours    measure it now; false: another tuner does.
 * @param[out] stored  another tuner has stored it.
 * @return NITRO_OK; NITRO_ERR_MISMATCH: another tuner measures or measured the device with the
 * other cache mode.
 */
nitro_status nitro_tune_claims_claim(nitro_tune_claims *claims, size_t input, bool *ours,
                                     bool *stored);
/** Claim inputs for longer, if it is time to; they are kept for further blocks. */
void nitro_tune_claims_renew(nitro_tune_claims *claims, const size_t *inputs, size_t count);
/** End the claim of an input that is stored or failed. */
void nitro_tune_claims_release(nitro_tune_claims *claims, size_t input);
/** End the tune's claim of the cache mode. */
void nitro_tune_claims_end(nitro_tune_claims *claims);

#endif
