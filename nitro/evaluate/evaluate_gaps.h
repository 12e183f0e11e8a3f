/* evaluate_gaps.h - methods without a result on a target; each reason is logged once. Internal to
 * nitro/evaluate. */
#ifndef NITRO_EVALUATE_EVALUATE_GAPS_H
#define NITRO_EVALUATE_EVALUATE_GAPS_H

#include "nitro/nitro_backend.h"

/** One reason, with the methods and targets that it holds for. */
typedef struct nitro_evaluate_gap {
    char *reason;
    nitro_string_list methods, targets;
} nitro_evaluate_gap;

typedef struct nitro_evaluate_gaps {
    nitro_evaluate_gap *items; /* shape [count] */
    size_t count;
} nitro_evaluate_gaps;

/** Note that `method` has no result on `target`; the context's last error is the reason. */
nitro_status nitro_evaluate_gaps_add(nitro_context *context, nitro_evaluate_gaps *gaps,
                                     const char *method, const char *target);
/** A warning a reason. */
void nitro_evaluate_gaps_log(nitro_context *context, const nitro_evaluate_gaps *gaps);
void nitro_evaluate_gaps_free(nitro_evaluate_gaps *gaps);

#endif
