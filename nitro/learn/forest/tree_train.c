/* Training one tree: cross-validation chooses how far the tree of all rows is pruned. */
#include "nitro/learn/forest/tree_train.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/learn/forest/tree_grow.h"

/* Losses that a cut must save, as a share of the rows' weight: 0, then steps by a factor of two. */
#define NUM_ALPHAS  14
#define LEAST_ALPHA 2e-6

static double alpha_of(size_t index, const grown_tree *grown)
{
    return index ? ldexp(LEAST_ALPHA, (int)index - 1) * grown->nodes[0].weight : 0.0;
}

/** The rows of a fold, or of all others; returns their number. */
static size_t list_rows(const size_t *folds, size_t num_rows, size_t fold, bool in_fold,
                        uint32_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < num_rows; i++)
        if ((folds[i] == fold) == in_fold)
            rows[count++] = (uint32_t)i;
    return count;
}

/** Add the losses of a tree of all other rows on the rows of a fold, for every alpha. */
static nitro_status hold_out(nitro_context *context, const nitro_forest_data *data,
                             const sorted_row *sorted, size_t min_leaf_rows, const size_t *folds,
                             size_t fold, uint32_t *rows, double *losses)
{
    grown_tree grown;
    size_t count = list_rows(folds, data->num_rows, fold, false, rows);
    if (count == 0 || count == data->num_rows)
        return NITRO_OK;
    nitro_status status =
        nitro_tree_grow(context, data, sorted, rows, count, min_leaf_rows, NITRO_NONE, &grown);
    if (status != NITRO_OK)
        return status;
    size_t num_held = list_rows(folds, data->num_rows, fold, true, rows);
    for (size_t a = 0; a < NUM_ALPHAS; a++) {
        nitro_tree_prune(&grown, alpha_of(a, &grown));
        for (size_t i = 0; i < num_held; i++) {
            size_t chosen = nitro_tree_choose(&grown, data->columns + rows[i] * data->num_columns);
            losses[a] += (data->weights ? data->weights[rows[i]] : 1.0) *
                         data->outputs[rows[i] * data->num_outputs + chosen];
        }
    }
    nitro_grown_tree_free(&grown);
    return NITRO_OK;
}

/** The largest alpha, and so the smallest tree, of those that lose least. */
static size_t best_alpha(const double *losses)
{
    size_t best = 0;
    for (size_t a = 1; a < NUM_ALPHAS; a++)
        if (losses[a] <= losses[best])
            best = a;
    return best;
}

nitro_status nitro_tree_train(nitro_context *context, const nitro_forest_data *data,
                              size_t min_leaf_rows, const size_t *folds, size_t num_folds,
                              nitro_forest **tree)
{
    double losses[NUM_ALPHAS] = {0};
    nitro_forest *made = NULL;
    nitro_status status = nitro_forest_check(context, data);
    if (status != NITRO_OK)
        return status;
    uint32_t *rows = nitro_calloc(context, data->num_rows, sizeof *rows);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    sorted_row *sorted = NULL;
    status = nitro_tree_sort(context, data, &sorted);
    for (size_t fold = 0; fold < num_folds && status == NITRO_OK; fold++)
        status = hold_out(context, data, sorted, min_leaf_rows, folds, fold, rows, losses);
    grown_tree grown = {0};
    size_t count = list_rows(folds, data->num_rows, NITRO_NONE, false, rows);
    if (status == NITRO_OK)
        status =
            nitro_tree_grow(context, data, sorted, rows, count, min_leaf_rows, NITRO_NONE, &grown);
    if (status == NITRO_OK)
        status = nitro_forest_create(context, data->num_columns, data->num_outputs, 1, &made);
    if (status == NITRO_OK) {
        if (num_folds > 1)
            nitro_tree_prune(&grown, alpha_of(best_alpha(losses), &grown));
        status = nitro_tree_finish(context, &grown, &made->trees[0]);
    }
    nitro_grown_tree_free(&grown);
    free(sorted);
    free(rows);
    if (status == NITRO_OK)
        *tree = made;
    else
        nitro_forest_free(made);
    return status;
}
