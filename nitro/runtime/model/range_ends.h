/* range_ends.h - what a model does for an input beyond the training range of a feature. Internal to
 * nitro/. */
#ifndef NITRO_RUNTIME_MODEL_RANGE_ENDS_H
#define NITRO_RUNTIME_MODEL_RANGE_ENDS_H

#include "nitro/nitro_backend.h"

/** One end of a feature's training range. Distances are as of nitro_scaler_excess. */
typedef struct nitro_range_end {
    double reach;               /* scores are extrapolated up to this distance; 0: never;
                                   DBL_MAX: at any finite one */
    double confidence;          /* of an extrapolated choice at this end */
    double fallback_confidence; /* of the choice by fallback_scores, at this end */
    /** Farther out these decide: 1 / m - 1, where m is the variant's mean slowdown, its time over
     *  the best one's, on the training inputs nearest to this end; -1: it ran on none of them. */
    double fallback_scores[NITRO_MAX_VARIANTS]; /* shape [num_variants] */
} nitro_range_end;

/** Are its numbers in their ranges? */
bool nitro_range_end_is_valid(const nitro_range_end *end, size_t num_variants);

struct nitro_model;

/** How an input lies outside the training range. */
typedef struct nitro_outside {
    bool is_within_reach;       /* of every end that it lies beyond */
    double confidence;          /* an upper bound for an extrapolated choice */
    const nitro_range_end *end; /* the one beyond whose reach the input lies farthest; within reach
                                   of all, the one farthest away; NULL: the model has no ends */
    double excess;              /* beyond that end */
} nitro_outside;

/** Does an input lie outside the training range, in a feature whose range is checked? */
bool nitro_model_is_outside(const struct nitro_model *model, const double *features);
/** Bit f: it does in feature f. */
uint64_t nitro_model_outside_features(const struct nitro_model *model, const double *features);
/** How it lies outside. */
void nitro_model_find_outside(const struct nitro_model *model, const double *features,
                              nitro_outside *outside);

#endif
