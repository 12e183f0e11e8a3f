/*
 * Strategy "forest": extremely randomised trees that regress the loss of each variant (1 - best
 * time / time). On recorded SpMV data (four devices, three seeds) the mean quality of auto
 * was 96.41 with 16 trees and 96.42 with 48: 16 decide faster and make smaller model files.
 */
#include <stdlib.h>

#include "nitro/learn/data/regret.h"
#include "nitro/learn/forest/forest_strategy.h"
#include "nitro/runtime/scores/forest_tree.h"

#define NUM_TREES 16

static const size_t min_leaf_rows[] = {6, 2, 20}; /* by hyper-parameter setting */
static const char *const hyper_parameter_names[] = {"leaves of 6 rows", "leaves of 2 rows",
                                                    "leaves of 20 rows"};

enum { NUM_HYPER_SETTINGS = sizeof min_leaf_rows / sizeof min_leaf_rows[0] };

/** Grow trees on the members, of seed `seed`. */
static nitro_status grow(const nitro_fold_sample *sample, const size_t *members, size_t count,
                         size_t num_trees, uint64_t seed, nitro_forest **forest)
{
    const nitro_training_set *set = sample->set;
    nitro_forest_data data;
    const nitro_forest_options options = {.num_trees = num_trees,
                                          .min_leaf_rows = min_leaf_rows[set->hyper_settings[0]],
                                          .num_threads = set->num_threads};
    nitro_status status = nitro_forest_strategy_gather(sample, members, count, &data);
    if (status != NITRO_OK)
        return status;
    status = nitro_forest_train(sample->context, &data, &options, seed, forest);
    nitro_forest_strategy_release(&data);
    return status;
}

/** Move the trees into the sum of all sources, which is a mean over trees: leaves of a source with
 *  fewer trees than its weight asks for count more. */
static void move_trees(nitro_forest *from, double weight, nitro_forest *sum)
{
    for (size_t t = 0; t < from->num_trees; t++) {
        forest_tree *tree = &from->trees[t];
        for (size_t i = 0; i < tree->num_leaves * from->num_outputs; i++)
            tree->outputs[i] *= weight / (double)from->num_trees;
        sum->trees[sum->num_trees++] = *tree;
        *tree = (forest_tree){0};
    }
}

static size_t trees_of(double weight)
{
    return weight * NUM_TREES < 1.0 ? 1 : (size_t)(weight * NUM_TREES + 0.5);
}

/** Trees of each source by its weight.
 *  @param own  shape [count]: scratch. */
static nitro_status grow_sources(const nitro_fold_sample *sample, const size_t *members,
                                 size_t count, size_t *own, nitro_forest *sum)
{
    const nitro_training_set *set = sample->set;
    double total = 0.0;
    for (size_t source = 0; source < nitro_fold_num_sources(sample); source++) {
        nitro_forest *forest = NULL;
        size_t num_own = nitro_fold_members_of(sample, members, count, source, own);
        if (num_own == 0)
            continue;
        double weight = nitro_fold_source_weight(sample, own[0]);
        nitro_status status =
            grow(sample, own, num_own, trees_of(weight), set->seed + source, &forest);
        if (status != NITRO_OK)
            return status;
        move_trees(forest, weight, sum);
        total += weight;
        nitro_forest_free(forest);
    }
    for (size_t t = 0; t < sum->num_trees; t++)
        for (size_t i = 0; i < sum->trees[t].num_leaves * sum->num_outputs; i++)
            sum->trees[t].outputs[i] *= (double)sum->num_trees / total;
    return NITRO_OK;
}

static nitro_status average_sources(const nitro_fold_sample *sample, const size_t *members,
                                    size_t count, nitro_forest **forest)
{
    const nitro_training_set *set = sample->set;
    nitro_forest *sum = NULL;
    size_t *own = nitro_calloc(sample->context, count, sizeof *own);
    if (!own)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_forest_create(
        sample->context, set->num_columns ? set->num_columns : 1, set->num_variants,
        NUM_TREES + 2 * nitro_fold_num_sources(sample), &sum);
    if (status == NITRO_OK) {
        sum->num_trees = 0; /* there is room for all */
        status = grow_sources(sample, members, count, own, sum);
    }
    free(own);
    if (status == NITRO_OK)
        *forest = sum;
    else
        nitro_forest_free(sum);
    return status;
}

static nitro_status train_term(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    nitro_forest *forest = NULL;
    nitro_status status = sample->set->source_weights
                              ? average_sources(sample, members, count, &forest)
                              : grow(sample, members, count, NUM_TREES, sample->set->seed, &forest);
    if (status == NITRO_OK) {
        nitro_forest_strategy_round(forest);
        *predictor = forest;
    }
    return status;
}

static nitro_status forest_train(nitro_context *context, const nitro_training_set *set,
                                 void **predictor, double *held_out_scores)
{
    return nitro_forest_strategy_train(context, set, nitro_losses_find, train_term, predictor,
                                       held_out_scores);
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
