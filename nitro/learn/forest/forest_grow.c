/* Growing one tree, level by level. A node gathers its rows' outputs once and each column's values
 * once, and scores a cut by the sums of the rows on its left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/forest/forest_grow.h"
#include "nitro/learn/forest/forest_train.h"

/* Rows first .. first + count - 1 of a tree's order. */
typedef struct node_rows {
    size_t first, count;
} node_rows;

typedef struct forest_cut {
    size_t column;
    double threshold;
    double score; /* larger is better */
} forest_cut;

typedef struct forest_grower {
    const forest_training *training;
    nitro_random random;
    uint32_t *rows;   /* shape [num_rows]: a node's rows stand together */
    node_rows *nodes; /* shape [most nodes]: the rows of the tree's nodes */
    forest_tree tree; /* with room for most nodes and leaves */
    /* Of the node that is being cut: */
    double *values;         /* shape [count]: one column */
    double *lanes;          /* shape [num_blocks x count x FOREST_LANES] */
    double *totals, *lefts; /* shape [num_blocks x FOREST_LANES]: lanes summed over rows */
} forest_grower;

static size_t most_leaves(const forest_training *training)
{
    size_t leaves = training->num_rows / training->options.min_leaf_rows;
    return leaves > 0 ? leaves : 1;
}

static void gather_outputs(forest_grower *grower, const node_rows *node)
{
    const forest_training *training = grower->training;
    size_t row_size = training->num_blocks * FOREST_LANES;
    memset(grower->totals, 0, row_size * sizeof(*grower->totals));
    for (size_t i = 0; i < node->count; i++) {
        size_t row = grower->rows[node->first + i];
        const double *from = training->lanes + row * row_size;
        for (size_t k = 0; k < row_size; k++) {
            size_t block = k / FOREST_LANES, lane = k % FOREST_LANES;
            grower->lanes[(block * node->count + i) * FOREST_LANES + lane] = from[k];
            grower->totals[k] += from[k];
        }
    }
}

static void gather_column(forest_grower *grower, const node_rows *node, size_t column, double *low,
                          double *high)
{
    const double *from = grower->training->columns + column * grower->training->num_rows;
    const uint32_t *rows = grower->rows + node->first;
    double least = from[rows[0]], most = least;
    for (size_t i = 0; i < node->count; i++) {
        double value = from[rows[i]];
        grower->values[i] = value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    *low = least;
    *high = most;
}

static bool has_equal_outputs(const forest_grower *grower, const node_rows *node)
{
    size_t row_size = grower->training->num_blocks * FOREST_LANES;
    const uint32_t *rows = grower->rows + node->first;
    const double *lanes = grower->training->lanes;
    for (size_t i = 1; i < node->count; i++)
        for (size_t k = 0; k < row_size; k++)
            if (lanes[rows[i] * row_size + k] != lanes[rows[0] * row_size + k])
                return false;
    return true;
}

/* In [low, high), so that both sides get a row; high - low may overflow. */
static double draw_threshold(nitro_random *random, double low, double high)
{
    double share = nitro_random_uniform(random);
    double threshold = low * (1 - share) + high * share;
    return threshold >= low && threshold < high ? threshold : low;
}

static size_t count_left(const double *values, size_t count, double threshold)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        left += values[i] <= threshold;
    return left;
}

/* Without a branch: the side of a row is unpredictable. */
static void sum_left(forest_grower *grower, size_t count, double threshold)
{
    for (size_t block = 0; block < grower->training->num_blocks; block++) {
        const double *lanes = grower->lanes + block * count * FOREST_LANES;
        double sums[FOREST_LANES] = {0};
        for (size_t i = 0; i < count; i++) {
            double share = grower->values[i] <= threshold;
            for (size_t lane = 0; lane < FOREST_LANES; lane++)
                sums[lane] += share * lanes[i * FOREST_LANES + lane];
        }
        memcpy(grower->lefts + block * FOREST_LANES, sums, sizeof(sums));
    }
}

/* The decrease of the sum of squares, up to a constant of the node. */
static double score_sums(const forest_grower *grower, size_t num_left, size_t num_right)
{
    double squares_left = 0, squares_right = 0;
    for (size_t i = 0; i < grower->training->num_outputs; i++) {
        double left = grower->lefts[i], right = grower->totals[i] - left;
        squares_left += left * left;
        squares_right += right * right;
    }
    return squares_left / (double)num_left + squares_right / (double)num_right;
}

/* One random cut of a column, unless that is constant. */
static void try_column(forest_grower *grower, const node_rows *node, size_t column,
                       forest_cut *best)
{
    size_t min_rows = grower->training->options.min_leaf_rows;
    double low, high;
    gather_column(grower, node, column, &low, &high);
    if (!(low < high))
        return;
    double threshold = draw_threshold(&grower->random, low, high);
    size_t left = count_left(grower->values, node->count, threshold);
    if (left < min_rows || node->count - left < min_rows)
        return;
    sum_left(grower, node->count, threshold);
    double score = score_sums(grower, left, node->count - left);
    if (score > best->score)
        *best = (forest_cut){column, threshold, score};
}

static bool find_cut(forest_grower *grower, const node_rows *node, forest_cut *best)
{
    *best = (forest_cut){.score = -HUGE_VAL};
    for (size_t column = 0; column < grower->training->num_columns; column++)
        try_column(grower, node, column, best);
    return best->score > -HUGE_VAL;
}

static size_t partition(forest_grower *grower, const node_rows *node, const forest_cut *cut)
{
    const double *values = grower->training->columns + cut->column * grower->training->num_rows;
    uint32_t *rows = grower->rows + node->first;
    size_t left = 0, end = node->count;
    while (left < end) {
        if (values[rows[left]] <= cut->threshold) {
            left++;
        } else {
            uint32_t row = rows[left];
            rows[left] = rows[--end];
            rows[end] = row;
        }
    }
    return left;
}

static void add_leaf(forest_grower *grower, size_t num_rows)
{
    size_t num_outputs = grower->training->num_outputs;
    double *outputs = grower->tree.outputs + grower->tree.num_leaves++ * num_outputs;
    for (size_t i = 0; i < num_outputs; i++) {
        double mean = grower->training->centres[i] + grower->totals[i] / (double)num_rows;
        outputs[i] = nitro_forest_leaf_output(mean);
    }
}

static void grow_node(forest_grower *grower, size_t index)
{
    const node_rows *node = &grower->nodes[index];
    forest_node *grown = &grower->tree.nodes[index];
    bool may_cut = node->count / 2 >= grower->training->options.min_leaf_rows &&
                   !has_equal_outputs(grower, node);
    forest_cut best;
    gather_outputs(grower, node);
    if (!may_cut || !find_cut(grower, node, &best)) {
        grown->column = FOREST_LEAF;
        add_leaf(grower, node->count);
        return;
    }
    size_t left = partition(grower, node, &best);
    grown->column = (uint32_t)best.column;
    grown->threshold = best.threshold;
    node_rows *children = &grower->nodes[grower->tree.num_nodes];
    children[0] = (node_rows){node->first, left};
    children[1] = (node_rows){node->first + left, node->count - left};
    grower->tree.num_nodes += 2;
}

static void grow_tree(forest_grower *grower)
{
    const forest_training *training = grower->training;
    for (size_t i = 0; i < training->num_rows; i++)
        grower->rows[i] = (uint32_t)i;
    grower->nodes[0] = (node_rows){.count = training->num_rows};
    grower->tree.num_nodes = 1;
    for (size_t i = 0; i < grower->tree.num_nodes; i++)
        grow_node(grower, i);
    nitro_forest_link(&grower->tree);
}

static void *shrink(void *memory, size_t size)
{
    void *smaller = realloc(memory, size);
    return smaller ? smaller : memory;
}

nitro_status nitro_forest_grow(const forest_training *training, size_t index, forest_tree *tree)
{
    nitro_context *context = training->context;
    size_t num_rows = training->num_rows, row_size = training->num_blocks * FOREST_LANES;
    size_t num_leaves = most_leaves(training), num_nodes = 2 * num_leaves - 1;
    size_t leaf_size = training->num_outputs * sizeof(double);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    forest_grower grower = {.training = training};
    nitro_random_seed(&grower.random, training->first_seed + index);
    grower.rows = nitro_calloc(context, num_rows, sizeof(*grower.rows));
    grower.nodes = nitro_calloc(context, num_nodes, sizeof(*grower.nodes));
    grower.tree.nodes = nitro_calloc(context, num_nodes, sizeof(*grower.tree.nodes));
    grower.tree.outputs = nitro_calloc(context, num_leaves, leaf_size);
    grower.values = nitro_calloc(context, num_rows, sizeof(*grower.values));
    grower.lanes = nitro_calloc(context, num_rows, row_size * sizeof(*grower.lanes));
    grower.totals = nitro_calloc(context, 2 * row_size, sizeof(*grower.totals));
    if (!grower.rows || !grower.nodes || !grower.tree.nodes || !grower.tree.outputs ||
        !grower.values || !grower.lanes || !grower.totals) {
        free(grower.tree.nodes);
        free(grower.tree.outputs);
        goto free_grower;
    }
    grower.lefts = grower.totals + row_size;
    grow_tree(&grower);
    *tree = grower.tree;
    tree->nodes = shrink(tree->nodes, tree->num_nodes * sizeof(*tree->nodes));
    tree->outputs = shrink(tree->outputs, tree->num_leaves * leaf_size);
    status = NITRO_OK;

free_grower:
    free(grower.rows);
    free(grower.nodes);
    free(grower.values);
    free(grower.lanes);
    free(grower.totals);
    return status;
}
