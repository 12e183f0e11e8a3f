/*
 * Strategy "forest": extremely randomised trees that regress the loss of each variant (1 - best
 * time / time). On recorded SpMV data (four devices, three seeds) the mean quality of auto
 * was 96.41 with 16 trees and 96.42 with 48: 16 decide faster and make smaller model files.
 */
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/fold_learner.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/forest_tree.h"
#include "nitro/runtime/scores/score_terms.h"

#define NUM_TREES 16

static const size_t min_leaf_rows[] = {6, 2, 20}; /* by hyper-parameter setting */
static const char *const hyper_parameter_names[] = {"leaves of 6 rows", "leaves of 2 rows",
                                                    "leaves of 20 rows"};

enum { NUM_HYPER_SETTINGS = sizeof min_leaf_rows / sizeof min_leaf_rows[0] };

static void forest_free(void *forest)
{
    nitro_forest_free(forest);
}

static nitro_score_term only_term(const nitro_forest *forest)
{
    return (nitro_score_term){
        .kind = NITRO_TERM_TREES, .weight = 1.0, .forest = (nitro_forest *)(uintptr_t)forest};
}

static void forest_score(const void *user, const double *columns, double *scores)
{
    const nitro_forest *forest = user;
    nitro_score_term term = only_term(forest);
    nitro_score_term_score(&term, 0, forest->num_outputs, columns, scores);
}

static nitro_status forest_terms(nitro_context *context, const void *forest,
                                 nitro_score_terms *terms)
{
    nitro_score_term term = only_term(forest);
    return nitro_score_terms_add(context, terms, &term);
}

/** The members' columns and losses; `columns` and `losses` have room for them. */
static nitro_forest_data gather(const nitro_fold_sample *sample, const size_t *members,
                                size_t count, double *columns, double *losses)
{
    /* A forest needs a column; without any, the buffer's zeros are a constant one. */
    size_t width = sample->set->num_columns, num_variants = sample->set->num_variants;
    for (size_t i = 0; i < count; i++) {
        memcpy(columns + i * width, sample->columns + members[i] * width, width * sizeof *columns);
        memcpy(losses + i * num_variants, sample->targets + members[i] * num_variants,
               num_variants * sizeof *losses);
    }
    return (nitro_forest_data){.num_rows = count,
                               .num_columns = width ? width : 1,
                               .num_outputs = num_variants,
                               .columns = columns,
                               .outputs = losses};
}

static nitro_status train_term(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    const nitro_training_set *set = sample->set;
    nitro_forest *forest = NULL;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    const nitro_forest_options options = {.num_trees = NUM_TREES,
                                          .min_leaf_rows = min_leaf_rows[set->hyper_settings[0]],
                                          .num_threads = set->num_threads};
    double *columns =
        nitro_calloc(sample->context, count, (set->num_columns + 1) * sizeof *columns);
    double *losses = nitro_calloc(sample->context, count, set->num_variants * sizeof *losses);
    if (columns && losses) {
        nitro_forest_data data = gather(sample, members, count, columns, losses);
        status = nitro_forest_train(sample->context, &data, &options, set->seed, &forest);
    }
    free(columns);
    free(losses);
    if (status == NITRO_OK)
        *predictor = forest;
    return status;
}

static nitro_status forest_train(nitro_context *context, const nitro_training_set *set,
                                 void **predictor, double *held_out_scores)
{
    static const nitro_fold_learner learner = {.find_targets = nitro_losses_find,
                                               .train = train_term,
                                               .score = forest_score,
                                               .free = forest_free};
    return nitro_fold_learner_train(context, set, &learner, predictor, held_out_scores);
}

static nitro_status forest_encode(nitro_context *context, const void *forest, json_t **json)
{
    return nitro_forest_encode(context, forest, json);
}

static nitro_status forest_decode(nitro_context *context, const char *path, const json_t *json,
                                  size_t num_columns, size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    nitro_forest *forest = NULL;
    nitro_status status = nitro_forest_decode(&place, json, num_columns, num_variants, &forest);
    if (status == NITRO_OK)
        *predictor = forest;
    return status;
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
    .score = forest_score,
    .terms = forest_terms,
    .encode = forest_encode,
    .decode = forest_decode,
    .free = forest_free,
};
