/* What strategies whose predictor is a forest share. */
#include "nitro/learn/forest/forest_strategy.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/regret.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/forest_tree.h"
#include "nitro/runtime/scores/score_terms.h"

void nitro_forest_strategy_free(void *forest)
{
    nitro_forest_free(forest);
}

static nitro_score_term only_term(const nitro_forest *forest)
{
    return (nitro_score_term){
        .kind = NITRO_TERM_TREES, .weight = 1.0, .forest = (nitro_forest *)(uintptr_t)forest};
}

void nitro_forest_strategy_score(const void *user, const double *columns, double *scores)
{
    const nitro_forest *forest = user;
    const nitro_score_terms terms = {
        .num_variants = forest->num_outputs, .count = 1, .items = {only_term(forest)}};
    nitro_score_terms_score(&terms, columns, scores);
}

nitro_status nitro_forest_strategy_terms(nitro_context *context, const void *forest,
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

nitro_status nitro_forest_strategy_gather(const nitro_fold_sample *sample, const size_t *members,
                                          size_t count, nitro_forest_data *data)
{
    const nitro_training_set *set = sample->set;
    double *columns =
        nitro_calloc(sample->context, count, (set->num_columns + 1) * sizeof *columns);
    double *losses = nitro_calloc(sample->context, count, set->num_variants * sizeof *losses);
    if (!columns || !losses) {
        free(columns);
        free(losses);
        return NITRO_ERR_NO_MEMORY;
    }
    *data = gather(sample, members, count, columns, losses);
    return NITRO_OK;
}

void nitro_forest_strategy_release(nitro_forest_data *data)
{
    free((double *)(uintptr_t)data->columns);
    free((double *)(uintptr_t)data->outputs);
}

void nitro_forest_strategy_round(nitro_forest *forest)
{
    for (size_t t = 0; t < forest->num_trees; t++)
        for (size_t i = 0; i < forest->trees[t].num_leaves * forest->num_outputs; i++)
            forest->trees[t].outputs[i] = (double)(float)forest->trees[t].outputs[i];
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

/** @param own  shape [count]: scratch. */
static nitro_status grow_sources(const nitro_fold_sample *sample, const size_t *members,
                                 size_t count, nitro_forest_grower grow, size_t *own,
                                 nitro_forest *sum)
{
    double total = 0.0;
    for (size_t source = 0; source < nitro_fold_num_sources(sample); source++) {
        nitro_forest *forest = NULL;
        size_t num_own = nitro_fold_members_of(sample, members, count, source, own);
        if (num_own == 0)
            continue;
        double weight = nitro_fold_source_weight(sample, own[0]);
        nitro_status status =
            grow(sample, own, num_own, weight, sample->set->seed + source, &forest);
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

static nitro_status mix_sources(const nitro_fold_sample *sample, const size_t *members,
                                size_t count, size_t num_trees, nitro_forest_grower grow,
                                nitro_forest **forest)
{
    const nitro_training_set *set = sample->set;
    nitro_forest *sum = NULL;
    size_t *own = nitro_calloc(sample->context, count, sizeof *own);
    nitro_status status =
        own ? nitro_forest_create(sample->context, set->num_columns ? set->num_columns : 1,
                                  set->num_variants, num_trees * nitro_fold_num_sources(sample),
                                  &sum)
            : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        sum->num_trees = 0; /* there is room for all */
        status = grow_sources(sample, members, count, grow, own, sum);
    }
    free(own);
    if (status == NITRO_OK)
        *forest = sum;
    else
        nitro_forest_free(sum);
    return status;
}

nitro_status nitro_forest_strategy_mix(const nitro_fold_sample *sample, const size_t *members,
                                       size_t count, size_t num_trees, nitro_forest_grower grow,
                                       void **predictor)
{
    nitro_forest *forest = NULL;
    nitro_status status = sample->set->source_weights
                              ? mix_sources(sample, members, count, num_trees, grow, &forest)
                              : grow(sample, members, count, 1.0, sample->set->seed, &forest);
    if (status == NITRO_OK) {
        nitro_forest_strategy_round(forest);
        *predictor = forest;
    }
    return status;
}

nitro_status nitro_forest_strategy_encode(nitro_context *context, const void *forest, json_t **json)
{
    return nitro_forest_encode(context, forest, json);
}

nitro_status nitro_forest_strategy_decode(nitro_context *context, const char *path,
                                          const json_t *json, size_t num_columns,
                                          size_t num_variants, void **predictor)
{
    nitro_json_place place = {context, path, "predictor"};
    nitro_forest *forest = NULL;
    nitro_status status = nitro_forest_decode(&place, json, num_columns, num_variants, &forest);
    if (status == NITRO_OK)
        *predictor = forest;
    return status;
}

nitro_status nitro_forest_strategy_train(nitro_context *context, const nitro_training_set *set,
                                         nitro_forest_term_trainer train_term, void **predictor,
                                         double *held_out_scores)
{
    const nitro_fold_learner learner = {.find_targets = nitro_losses_find,
                                        .train = train_term,
                                        .score = nitro_forest_strategy_score,
                                        .free = nitro_forest_strategy_free};
    return nitro_fold_learner_train(context, set, &learner, predictor, held_out_scores);
}
