/* Growing one tree, level by level. Hides how a node finds its cut: its rows' outputs are gathered
 * once, each column's values once, and a cut is scored by the sums of the rows on its left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/forest/forest_grow.h"
#include "nitro/learn/forest/forest_train.h"

/* Rows first .. first + count - 1 of a tree's order, and how many cuts led there. */
typedef struct node_rows {
    size_t first, count, depth;
} node_rows;

typedef struct forest_cut {
    size_t column;
    double threshold;
    double score; /* larger is better */
} forest_cut;

typedef struct forest_grower {
    const forest_training *training;
    nitro_random random;
    uint32_t *rows;       /* shape [num_rows]: a node's rows stand together */
    size_t *column_order; /* shape [num_columns]: a permutation */
    node_rows *nodes;     /* shape [most nodes]: the rows of the tree's nodes */
    forest_tree tree;     /* with room for most nodes and leaves */
    /* Of the node that is being cut: */
    double *values;         /* shape [count]: one column */
    double *lanes;          /* shape [num_blocks x count x FOREST_LANES]: weighted */
    double *totals, *lefts; /* shape [num_blocks x FOREST_LANES]: lanes summed over rows */
} forest_grower;

static size_t most_leaves(const forest_training *training)
{
    size_t leaves = training->num_rows / training->options.min_leaf_rows;
    return leaves > 0 ? leaves : 1;
}

/* ---- The node's numbers ------------------------------------------------------------------- */

static void gather_outputs(forest_grower *grower, const node_rows *node)
{
    const forest_training *training = grower->training;
    size_t row_size = training->num_blocks * FOREST_LANES;
    memset(grower->totals, 0, row_size * sizeof(*grower->totals));
    for (size_t i = 0; i < node->count; i++) {
        size_t row = grower->rows[node->first + i];
        const double *from = training->lanes + row * row_size;
        double weight = training->weights[row];
        for (size_t k = 0; k < row_size; k++) {
            size_t block = k / FOREST_LANES, lane = k % FOREST_LANES;
            double weighted = weight * from[k];
            grower->lanes[(block * node->count + i) * FOREST_LANES + lane] = weighted;
            grower->totals[k] += weighted;
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

/* ---- The node's cut ----------------------------------------------------------------------- */

/* In [low, high), so that both sides get a row; weighed, for high - low may be infinite. */
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

/* Without a branch: which side a row falls on is as random as it gets. */
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

/* What a cut takes off the weighted sum of squares, up to a constant of the node. */
static double score_sums(const forest_grower *grower)
{
    size_t num_outputs = grower->training->num_outputs;
    double weight_left = grower->lefts[num_outputs];
    double weight_right = grower->totals[num_outputs] - weight_left;
    double squares_left = 0, squares_right = 0;
    if (!(weight_left > 0 && weight_right > 0))
        return -HUGE_VAL; /* a side's weight is lost in rounding */
    for (size_t i = 0; i < num_outputs; i++) {
        double left = grower->lefts[i], right = grower->totals[i] - left;
        squares_left += left * left;
        squares_right += right * right;
    }
    return squares_left / weight_left + squares_right / weight_right;
}

/* One random cut of a column. Returns false where the column is constant: it was no candidate. */
static bool try_column(forest_grower *grower, const node_rows *node, size_t column,
                       forest_cut *best)
{
    size_t min_rows = grower->training->options.min_leaf_rows;
    double low, high;
    gather_column(grower, node, column, &low, &high);
    if (!(low < high))
        return false;
    double threshold = draw_threshold(&grower->random, low, high);
    size_t left = count_left(grower->values, node->count, threshold);
    if (left < min_rows || node->count - left < min_rows)
        return true;
    sum_left(grower, node->count, threshold);
    double score = score_sums(grower);
    if (score > best->score)
        *best = (forest_cut){column, threshold, score};
    return true;
}

/* Random columns without repetition, until enough were not constant. Returns false without a cut.
 */
static bool find_cut(forest_grower *grower, const node_rows *node, forest_cut *best)
{
    size_t num_columns = grower->training->num_columns;
    size_t wanted = grower->training->options.num_candidates;
    *best = (forest_cut){.score = -HUGE_VAL};
    for (size_t drawn = 0; drawn < num_columns && wanted > 0; drawn++) {
        size_t *order = grower->column_order;
        size_t chosen = drawn;
        if (wanted < num_columns - drawn)
            chosen += (size_t)nitro_random_below(&grower->random, num_columns - drawn);
        size_t column = order[chosen];
        order[chosen] = order[drawn];
        order[drawn] = column;
        if (try_column(grower, node, column, best))
            wanted--;
    }
    return best->score > -HUGE_VAL;
}

/* ---- The tree ----------------------------------------------------------------------------- */

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

/* A rounded mean must not leave the range that decoding asks for. */
static void add_leaf(forest_grower *grower)
{
    size_t num_outputs = grower->training->num_outputs;
    double *outputs = grower->tree.outputs + grower->tree.num_leaves++ * num_outputs;
    for (size_t i = 0; i < num_outputs; i++) {
        double mean =
            grower->training->centres[i] + grower->totals[i] / grower->totals[num_outputs];
        outputs[i] = fmax(-NITRO_FOREST_MAX_OUTPUT, fmin(NITRO_FOREST_MAX_OUTPUT, mean));
    }
}

static void grow_node(forest_grower *grower, size_t index)
{
    const nitro_forest_options *options = &grower->training->options;
    const node_rows *node = &grower->nodes[index];
    forest_node *grown = &grower->tree.nodes[index];
    bool may_cut = node->count / 2 >= options->min_leaf_rows &&
                   (options->max_depth == 0 || node->depth < options->max_depth) &&
                   !has_equal_outputs(grower, node);
    forest_cut best;
    gather_outputs(grower, node);
    if (!may_cut || !find_cut(grower, node, &best)) {
        grown->column = FOREST_LEAF;
        add_leaf(grower);
        return;
    }
    size_t left = partition(grower, node, &best);
    grown->column = (uint32_t)best.column;
    grown->threshold = best.threshold;
    node_rows *children = &grower->nodes[grower->tree.num_nodes];
    children[0] = (node_rows){node->first, left, node->depth + 1};
    children[1] = (node_rows){node->first + left, node->count - left, node->depth + 1};
    grower->tree.num_nodes += 2;
}

static void grow_tree(forest_grower *grower)
{
    const forest_training *training = grower->training;
    for (size_t i = 0; i < training->num_rows; i++)
        grower->rows[i] = (uint32_t)i;
    for (size_t i = 0; i < training->num_columns; i++)
        grower->column_order[i] = i;
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
    grower.column_order =
        nitro_calloc(context, training->num_columns, sizeof(*grower.column_order));
    grower.nodes = nitro_calloc(context, num_nodes, sizeof(*grower.nodes));
    grower.tree.nodes = nitro_calloc(context, num_nodes, sizeof(*grower.tree.nodes));
    grower.tree.outputs = nitro_calloc(context, num_leaves, leaf_size);
    grower.values = nitro_calloc(context, num_rows, sizeof(*grower.values));
    grower.lanes = nitro_calloc(context, num_rows, row_size * sizeof(*grower.lanes));
    grower.totals = nitro_calloc(context, 2 * row_size, sizeof(*grower.totals));
    if (!grower.rows || !grower.column_order || !grower.nodes || !grower.tree.nodes ||
        !grower.tree.outputs || !grower.values || !grower.lanes || !grower.totals) {
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
    free(grower.column_order);
    free(grower.nodes);
    free(grower.values);
    free(grower.lanes);
    free(grower.totals);
    return status;
}
