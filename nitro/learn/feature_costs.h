/*
 * feature_costs.h - what evaluating input features costs, by the samples, and what the choices of a
 * model cost with it. Internal to nitro/learn.
 */
#ifndef NITRO_LEARN_FEATURE_COSTS_H
#define NITRO_LEARN_FEATURE_COSTS_H

#include "nitro/learn/data/training_rows.h"

struct json_t;

/** Runs of an input for which its features are evaluated once, where nothing is declared. */
#define NITRO_FEATURE_USES 100.0

/** Groups of features that cost less, in runs of the fastest variant, count as free. */
#define NITRO_LEAST_FEATURE_COST 0.05

/** Features that one call evaluates together. */
typedef struct nitro_feature_cost {
    uint64_t features; /* bit f: feature f */
    double cost;       /* mean, in runs of each input's fastest variant */
    double gain;       /* by which a run is longer without them, likewise; NaN: not tried */
} nitro_feature_cost;

/**
 * The groups of features, with their costs.
 * @param[out] groups  shape [NITRO_MAX_FEATURES].
 * @return their number; 0: no sample has costs.
 */
size_t nitro_feature_costs_find(const nitro_dataset *sources, nitro_feature_cost *groups);

/** The features of groups that count as free: a bit each. */
uint64_t nitro_feature_costs_free(const nitro_dataset *sources);

/** For a model's provenance; NULL when out of memory. @param[in] used  bit f: the model uses it. */
struct json_t *nitro_feature_costs_json(const nitro_schema *schema,
                                        const nitro_feature_cost *groups, size_t count,
                                        uint64_t used);

/** Set rows->features_ms to the cost of the groups with some of these features, in rows where the
 *  costs of groups are known. */
void nitro_feature_costs_charge(const nitro_dataset *sources, uint64_t features,
                                nitro_training_rows *rows);

/**
 * Mean time of a run by held-out scores, with the row's features for NITRO_FEATURE_USES runs, in
 * runs of the fastest variant: at least 1. INFINITY where no row has scores.
 */
double nitro_feature_costs_total(const nitro_training_rows *rows, const double *held_out_scores,
                                 size_t num_variants);

#endif
