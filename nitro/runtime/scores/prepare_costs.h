/*
 * prepare_costs.h - the cost of preparing each variant, in units of the fastest variant's run time
 * (nitro_losses_unit where that needs preparing and is far faster): log-linear in a model's
 * columns. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_SCORES_PREPARE_COSTS_H
#define NITRO_RUNTIME_SCORES_PREPARE_COSTS_H

#include "nitro/nitro_backend.h"

/** Least speed, relative to the fastest variant, that a score stands for. */
#define NITRO_LEAST_SPEED 0.1

/** Choices without features, at most: one for each range of a feature. */
#define NITRO_MAX_FEW 4

/** Up to so many uses one variant is chosen without features. */
typedef struct nitro_few_uses {
    double up_to; /* of the feature, in its unit; INFINITY for the last one */
    double uses;  /* up to these, features cost more than choosing gains; 0: never */
    size_t variant;
    double confidence; /* share of training inputs on which it is within 5 % of the best */
} nitro_few_uses;

typedef struct nitro_prepare_costs {
    size_t num_columns, num_variants;
    uint64_t prepared;  /* bit v: variant v has a cost; the others have none */
    double *weights;    /* shape [num_variants x (num_columns + 1)]; the last one is the bias */
    size_t few_feature; /* an input feature that costs next to nothing; NITRO_NONE: none */
    size_t num_few;     /* at least 1, which is all without that feature */
    nitro_few_uses few[NITRO_MAX_FEW]; /* by ascending `up_to` */
} nitro_prepare_costs;

/** Largest magnitude of a weight in a file: sums stay finite. */
#define NITRO_PREPARE_COSTS_MAX_WEIGHT 1e100

/** No variant has a cost. */
nitro_status nitro_prepare_costs_create(nitro_context *context, size_t num_columns,
                                        size_t num_variants, nitro_prepare_costs **costs);
void nitro_prepare_costs_free(nitro_prepare_costs *costs);

/** Are all numbers in range? For files; positions were checked. */
bool nitro_prepare_costs_are_valid(const nitro_prepare_costs *costs);

/** The choice for few uses of an input with these features, of which those with bits in `known` are
 *  known; NULL: one more must be known. */
const nitro_few_uses *nitro_prepare_costs_few(const nitro_prepare_costs *costs,
                                              const double *features, uint64_t known);

/**
 * @param[in]  columns  shape [num_columns], no NaN; clamped to [-1, 1], the training range.
 * @param[out] runs     shape [num_variants], finite.
 */
void nitro_prepare_costs_evaluate(const nitro_prepare_costs *costs, const double *columns,
                                  double *runs);

/**
 * Add the cost of preparing to scores that are negated losses: 1 + score becomes the speed with a
 * share of that cost in every run, scaled so that the best variant of `allowed` keeps its speed;
 * confidences thus remain comparable.
 * @param[in]     share   of the cost for each run: 1 / uses.
 * @param[in,out] scores  shape [num_variants].
 * @return the factor by which errors of scores may have grown.
 */
double nitro_prepare_costs_charge(const nitro_prepare_costs *costs, const double *columns,
                                  double share, uint64_t allowed, double *scores);

#endif
