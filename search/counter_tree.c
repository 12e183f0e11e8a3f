/* Regression trees of counters: the cut that reduces the squared error most, until it does not. */
#include <stdlib.h>

#include "search/counter_model.h"

typedef struct tree_grower {
    nitro_context *context;
    const counter_rows *rows;
    size_t counter, min_leaf_rows;
    counter_tree *tree;
    size_t capacity;
    size_t *scratch;
} tree_grower;

typedef struct tree_cut {
    size_t column; /* NITRO_NONE: none */
    double threshold, gain;
} tree_cut;

static double value_of(const counter_rows *rows, size_t row, size_t column)
{
    return rows->values[row * rows->num_parameters + column];
}

static double target_of(const tree_grower *grower, size_t row)
{
    return grower->rows->counters[row * grower->rows->num_counters + grower->counter];
}

/* By the column's value: merge sort, which keeps ties in order. */
static void sort_members(const counter_rows *rows, size_t column, size_t *members, size_t count,
                         size_t *scratch)
{
    if (count < 2)
        return;
    size_t half = count / 2, left = 0, right = half;
    sort_members(rows, column, members, half, scratch);
    sort_members(rows, column, members + half, count - half, scratch);
    for (size_t i = 0; i < count; i++) {
        bool takes_left =
            right == count || (left < half && value_of(rows, members[left], column) <=
                                                  value_of(rows, members[right], column));
        scratch[i] = members[takes_left ? left++ : right++];
    }
    for (size_t i = 0; i < count; i++)
        members[i] = scratch[i];
}

static void try_column(const tree_grower *grower, size_t column, size_t *members, size_t count,
                       double mean, tree_cut *best)
{
    const counter_rows *rows = grower->rows;
    double left = 0;
    sort_members(rows, column, members, count, grower->scratch);
    for (size_t i = 1; i < count; i++) {
        double below = value_of(rows, members[i - 1], column);
        double above = value_of(rows, members[i], column);
        left += target_of(grower, members[i - 1]) - mean;
        if (below == above || i < grower->min_leaf_rows || count - i < grower->min_leaf_rows)
            continue;
        double gain = left * left / (double)i + left * left / (double)(count - i);
        if (gain > best->gain * (1 + 1e-12))
            *best = (tree_cut){column, below + (above - below) / 2, gain};
    }
}

static tree_cut find_cut(const tree_grower *grower, size_t *members, size_t count, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (target_of(grower, members[i]) - mean) * (target_of(grower, members[i]) - mean);
    tree_cut best = {NITRO_NONE, 0, 1e-12 * squares};
    for (size_t column = 0; squares > 0 && column < grower->rows->num_parameters; column++)
        try_column(grower, column, members, count, mean, &best);
    return best;
}

static nitro_status add_node(tree_grower *grower, counter_node node)
{
    counter_tree *tree = grower->tree;
    counter_node *nodes = nitro_grow(grower->context, tree->nodes, tree->num_nodes,
                                     &grower->capacity, sizeof(node), "nodes of a tree");
    if (!nodes)
        return NITRO_ERR_NO_MEMORY;
    tree->nodes = nodes;
    tree->nodes[tree->num_nodes++] = node;
    return NITRO_OK;
}

static nitro_status grow(tree_grower *grower, size_t *members, size_t count)
{
    double mean = 0;
    size_t index = grower->tree->num_nodes, left = 0;
    for (size_t i = 0; i < count; i++)
        mean += target_of(grower, members[i]) / (double)count;
    tree_cut cut = find_cut(grower, members, count, mean);
    bool leaf = cut.column == NITRO_NONE;
    counter_node node = {leaf ? COUNTER_LEAF : (uint32_t)cut.column, leaf ? mean : cut.threshold,
                         0};
    nitro_status status = add_node(grower, node);
    if (status != NITRO_OK || leaf)
        return status;
    sort_members(grower->rows, cut.column, members, count, grower->scratch);
    while (value_of(grower->rows, members[left], cut.column) <= cut.threshold)
        left++;
    status = grow(grower, members, left);
    grower->tree->nodes[index].right = (uint32_t)grower->tree->num_nodes;
    return status == NITRO_OK ? grow(grower, members + left, count - left) : status;
}

nitro_status search_counter_tree_grow(nitro_context *context, const counter_rows *rows,
                                      size_t counter, size_t *members, size_t count,
                                      size_t min_leaf_rows, counter_tree *tree)
{
    counter_tree grown = {0};
    tree_grower grower = {context, rows, counter, min_leaf_rows, &grown, 0, NULL};
    grower.scratch = nitro_calloc(context, count, sizeof(*grower.scratch));
    nitro_status status = grower.scratch ? grow(&grower, members, count) : NITRO_ERR_NO_MEMORY;
    free(grower.scratch);
    if (status == NITRO_OK)
        *tree = grown;
    else
        free(grown.nodes);
    return status;
}

double search_counter_tree_predict(const counter_tree *tree, const double *values)
{
    size_t at = 0;
    while (tree->nodes[at].column != COUNTER_LEAF) {
        const counter_node *node = &tree->nodes[at];
        at = values[node->column] <= node->value ? at + 1 : node->right;
    }
    return tree->nodes[at].value;
}
