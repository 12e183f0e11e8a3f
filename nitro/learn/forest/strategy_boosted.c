/*
 * Strategy "boosted": gradient boosting (Friedman, "Stochastic gradient boosting", 2002) of the
 * loss of each variant (1 - best time / time), by trees of all losses; of each source by itself
 * where sources have weights. The default for a device's own samples: learnt from 55 to 240 inputs
 * of seven computations on a host, its mean quality on other inputs is 1.2 points above that of
 * kernel-ridge and forest with chosen settings, and the time lost to wrong choices a third less.
 * Averaged with them, or chosen by validation, it was no better.
 */
#include <stdlib.h>

#include "nitro/learn/forest/forest_strategy.h"
#include "nitro/learn/forest/tree_grow.h"
#include "nitro/runtime/scores/forest_tree.h"

#define NUM_TREES     60
#define RATE          0.1 /* of a tree's correction that is applied; more with fewer trees */
#define LEAST_SHARE   0.2 /* of the trees, for a source of a small weight */
#define MAX_DEPTH     5
#define MIN_LEAF_ROWS 3
#define TREE_ROWS     0.6 /* share of the rows that a tree is grown from */

typedef struct boosting {
    nitro_context *context;
    nitro_forest_data data; /* its outputs are the residuals */
    double *residuals;      /* shape [num_rows x num_outputs] */
    double *means;          /* shape [num_outputs]: of the losses */
    sorted_row *sorted;     /* shape [num_columns x num_rows] */
    uint32_t *rows;         /* shape [num_rows], in random order */
    nitro_random random;
    size_t num_trees;
    double rate;
    nitro_forest *forest;
} boosting;

static void subtract_means(boosting *b)
{
    size_t num_rows = b->data.num_rows, num_outputs = b->data.num_outputs;
    for (size_t i = 0; i < num_rows * num_outputs; i++)
        b->means[i % num_outputs] += b->residuals[i] / (double)num_rows;
    for (size_t i = 0; i < num_rows * num_outputs; i++)
        b->residuals[i] -= b->means[i % num_outputs];
}

/** Move `count` random rows to the front. */
static void draw_rows(boosting *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = i + (size_t)nitro_random_below(&b->random, b->data.num_rows - i);
        uint32_t row = b->rows[i];
        b->rows[i] = b->rows[other];
        b->rows[other] = row;
    }
}

static nitro_status add_tree(boosting *b, size_t tree)
{
    grown_tree grown;
    size_t num_outputs = b->data.num_outputs;
    size_t count = (size_t)(TREE_ROWS * (double)b->data.num_rows) + 1;
    count = count < b->data.num_rows ? count : b->data.num_rows;
    draw_rows(b, count);
    nitro_status status = nitro_tree_grow(b->context, &b->data, b->sorted, b->rows, count,
                                          MIN_LEAF_ROWS, MAX_DEPTH, &grown);
    if (status != NITRO_OK)
        return status;
    status = nitro_tree_finish(b->context, &grown, &b->forest->trees[tree]);
    nitro_grown_tree_free(&grown);
    for (size_t row = 0; status == NITRO_OK && row < b->data.num_rows; row++) {
        const double *leaf =
            nitro_forest_leaf(b->forest, tree, b->data.columns + row * b->data.num_columns);
        for (size_t o = 0; o < num_outputs; o++)
            b->residuals[row * num_outputs + o] -= b->rate * leaf[o];
    }
    return status;
}

/** A forest's output is the mean over its trees. */
static void make_mean(boosting *b)
{
    size_t num_outputs = b->data.num_outputs;
    double factor = (double)b->num_trees * b->rate;
    for (size_t t = 0; t < b->num_trees; t++) {
        forest_tree *tree = &b->forest->trees[t];
        for (size_t i = 0; i < tree->num_leaves * num_outputs; i++)
            tree->outputs[i] = b->means[i % num_outputs] + factor * tree->outputs[i];
    }
}

static nitro_status boost(boosting *b)
{
    nitro_status status = nitro_forest_check(b->context, &b->data);
    b->means = nitro_calloc(b->context, b->data.num_outputs, sizeof *b->means);
    b->rows = nitro_calloc(b->context, b->data.num_rows, sizeof *b->rows);
    if (status == NITRO_OK && (!b->means || !b->rows))
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_tree_sort(b->context, &b->data, &b->sorted);
    if (status == NITRO_OK)
        status = nitro_forest_create(b->context, b->data.num_columns, b->data.num_outputs,
                                     b->num_trees, &b->forest);
    if (status != NITRO_OK)
        return status;
    for (size_t row = 0; row < b->data.num_rows; row++)
        b->rows[row] = (uint32_t)row;
    subtract_means(b);
    for (size_t t = 0; t < b->num_trees && status == NITRO_OK; t++)
        status = add_tree(b, t);
    if (status == NITRO_OK)
        make_mean(b);
    return status;
}

static nitro_status grow(const nitro_fold_sample *sample, const size_t *members, size_t count,
                         double weight, uint64_t seed, nitro_forest **forest)
{
    double share = weight > LEAST_SHARE ? weight : LEAST_SHARE;
    boosting b = {.context = sample->context,
                  .num_trees = (size_t)(NUM_TREES * share + 0.5),
                  .rate = RATE / share};
    nitro_status status = nitro_forest_strategy_gather(sample, members, count, &b.data);
    if (status != NITRO_OK)
        return status;
    b.residuals = (double *)(uintptr_t)b.data.outputs;
    nitro_random_seed(&b.random, seed);
    status = boost(&b);
    nitro_forest_strategy_release(&b.data);
    free(b.means);
    free(b.sorted);
    free(b.rows);
    if (status == NITRO_OK)
        *forest = b.forest;
    else
        nitro_forest_free(b.forest);
    return status;
}

static nitro_status train_term(const nitro_fold_sample *sample, const size_t *members, size_t count,
                               void **predictor)
{
    return nitro_forest_strategy_mix(sample, members, count, NUM_TREES, grow, predictor);
}

static nitro_status boosted_train(nitro_context *context, const nitro_training_set *set,
                                  void **predictor, double *held_out_scores)
{
    return nitro_forest_strategy_train(context, set, train_term, predictor, held_out_scores);
}

const nitro_strategy nitro_strategy_boosted = {
    .name = "boosted",
    .description = "gradient boosting of 1 - best time / time by small trees",
    .priority = 4,
    .dfs = "omit",
    .loss_per_score = 1.0,
    .train = boosted_train,
    .score = nitro_forest_strategy_score,
    .terms = nitro_forest_strategy_terms,
    .encode = nitro_forest_strategy_encode,
    .decode = nitro_forest_strategy_decode,
    .free = nitro_forest_strategy_free,
};
