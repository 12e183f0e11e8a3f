/*
 * Strategy "forest": extremely randomised trees that regress the loss of each variant (1 - best
 * time / time). On recorded SpMV data (four devices, three seeds) the mean quality of auto
 * was 96.41 with 16 trees and 96.42 with 48: 16 decide faster and make smaller model files.
 */
#include <stdlib.h>

#include "nitro/learn/forest/forest_strategy.h"
#include "nitro/runtime/scores/forest_tree.h"

#define NUM_TREES 16

static const size_t min_leaf_rows[] = {6, 2, 20}; /* by hyper-parameter setting */
static const char *const hyper_parameter_names[] = {"leaves of 6 rows", "leaves of 2 rows",
                                                    "leaves of 20 rows"};

enum { NUM_HYPER_SETTINGS = sizeof min_leaf_rows / sizeof min_leaf_rows[0] };

static nitro_status grow(const nitro_fold_sample *sample, const size_t *members, size_t count,
                         double weight, uint64_t seed, nitro_forest **forest)
{
    const nitro_training_set *set = sample->set;
    nitro_forest_data data;
    double num_trees = weight * NUM_TREES;
    const nitro_forest_options options = {.num_trees =
                                              num_trees < 1.0 ? 1 : (size_t)(num_trees + 0.5),
                                          .min_leaf_rows = min_leaf_rows[set->hyper_settings[0]],
                                          .num_threads = set->num_threads};
    nitro_status status = nitro_forest_strategy_gather(sample, members, count, &data);
    if (status != NITRO_OK)
        return status;
    status = nitro_forest_train(sample->context, &data, &options, seed, forest);
    nitro_forest_strategy_release(&data);
    return status;
}

static nitro_status train_term(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    return nitro_forest_strategy_mix(sample, members, count, NUM_TREES, grow, predictor);
}

static nitro_status forest_train(nitro_context *context, const nitro_training_set *set,
                                 void **predictor, double *held_out_scores)
{
    return nitro_forest_strategy_train(context, set, train_term, predictor, held_out_scores);
}

const nitro_strategy nitro_strategy_forest = {
    .name = "forest",
    .description = "extremely randomised trees that regress 1 - best time / time",
    .priority = 20,
    .dfs = "omit",
    .loss_per_score = 1.0,
    .num_hyper_settings = NUM_HYPER_SETTINGS,
    .hyper_settings = hyper_parameter_names,
    .train = forest_train,
    .score = nitro_forest_strategy_score,
    .terms = nitro_forest_strategy_terms,
    .encode = nitro_forest_strategy_encode,
    .decode = nitro_forest_strategy_decode,
    .free = nitro_forest_strategy_free,
};
