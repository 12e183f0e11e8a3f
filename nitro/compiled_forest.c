/*
 * Compiled forests. Hides how trees are walked: eight side by side without a branch, as each step
 * down a tree waits for the one before it; and that leaves are no nodes, so that a forest stays in
 * the cache.
 */
#include "nitro/compiled_forest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/forest_tree.h"

#define TREES_AT_ONCE 8
#define STEPS_AT_ONCE 4
#define LANES         8
#define MAX_NODES     ((size_t)1 << 24) /* of one tree */
#define MAX_COLUMNS   256

/* Left where the column is not above the threshold; the right child stands behind the left one. A
 * leaf's threshold is infinite, and its left child is itself. */
typedef struct flat_node {
    float threshold;
    uint32_t link; /* left child << 8 | column */
} flat_node;

typedef struct flat_tree {
    const flat_node *nodes;
    const uint32_t *leaves; /* shape [nodes]: a leaf's number */
    const float *outputs;   /* shape [leaves x num_outputs] */
} flat_tree;

struct nitro_compiled_forest {
    size_t num_columns, num_outputs, num_trees;
    double bound;
    flat_tree *trees; /* shape [num_trees, padded to a multiple of TREES_AT_ONCE] */
    flat_node *nodes;
    uint32_t *leaves;
    float *outputs; /* of all leaves, and LANES more, for whole vectors are read */
};

/* ---- Making ------------------------------------------------------------------------------- */

/** The largest float that is not above: x <= threshold is the same for every float x. */
static float round_down(double threshold)
{
    float rounded = (float)threshold;
    return (double)rounded > threshold ? nextafterf(rounded, -INFINITY) : rounded;
}

static void flatten(const forest_tree *tree, flat_node *nodes, uint32_t *leaves)
{
    for (size_t i = 0; i < tree->num_nodes; i++) {
        const forest_node *node = &tree->nodes[i];
        bool is_leaf = node->column == FOREST_LEAF;
        nodes[i].threshold = is_leaf ? INFINITY : round_down(node->threshold);
        nodes[i].link = is_leaf ? (uint32_t)i << 8 : node->next << 8 | node->column;
        leaves[i] = is_leaf ? node->next : 0;
    }
}

/** Round a tree's outputs; returns the largest. */
static double copy_outputs(const forest_tree *tree, size_t num_outputs, float *outputs)
{
    double largest = 0.0;
    for (size_t i = 0; i < tree->num_leaves * num_outputs; i++) {
        outputs[i] = (float)tree->outputs[i];
        largest = fmax(largest, fabs(tree->outputs[i]));
    }
    return largest;
}

static void fill(const nitro_forest *forest, nitro_compiled_forest *made)
{
    size_t first_node = 0, first_leaf = 0;
    double sum = 0.0;
    for (size_t i = 0; i < forest->num_trees; i++) {
        const forest_tree *tree = &forest->trees[i];
        float *outputs = made->outputs + first_leaf * made->num_outputs;
        sum += copy_outputs(tree, made->num_outputs, outputs);
        flatten(tree, made->nodes + first_node, made->leaves + first_node);
        made->trees[i] = (flat_tree){made->nodes + first_node, made->leaves + first_node, outputs};
        first_node += tree->num_nodes;
        first_leaf += tree->num_leaves;
    }
    /* What fills up the last eight walks with them, and is not added. */
    for (size_t i = forest->num_trees; i % TREES_AT_ONCE != 0; i++)
        made->trees[i] = made->trees[0];
    /* Each output is rounded once, and so is each of the additions, to 2^-24 of what it adds up. */
    made->bound = ldexp((double)forest->num_trees + 2.0, -24) * sum / (double)forest->num_trees;
    if (!(sum < (double)FLT_MAX / 2.0))
        made->bound = INFINITY;
}

static nitro_status make(nitro_context *context, const nitro_forest *forest, size_t num_nodes,
                         size_t num_leaves, nitro_compiled_forest *made)
{
    made->num_columns = forest->num_columns;
    made->num_outputs = forest->num_outputs;
    made->num_trees = forest->num_trees;
    made->trees = nitro_calloc(context, made->num_trees + TREES_AT_ONCE, sizeof *made->trees);
    made->nodes = nitro_calloc(context, num_nodes, sizeof *made->nodes);
    made->leaves = nitro_calloc(context, num_nodes, sizeof *made->leaves);
    made->outputs = nitro_calloc(context, num_leaves * made->num_outputs + LANES, sizeof(float));
    if (!made->trees || !made->nodes || !made->leaves || !made->outputs)
        return NITRO_ERR_NO_MEMORY;
    fill(forest, made);
    return NITRO_OK;
}

nitro_status nitro_compiled_forest_create(nitro_context *context, const nitro_forest *forest,
                                          nitro_compiled_forest **compiled)
{
    size_t num_leaves = 0, num_nodes = 0;
    *compiled = NULL;
    if (forest->num_columns > MAX_COLUMNS || forest->num_outputs > NITRO_MAX_VARIANTS)
        return NITRO_OK;
    for (size_t i = 0; i < forest->num_trees; i++) {
        if (forest->trees[i].num_nodes >= MAX_NODES)
            return NITRO_OK;
        num_leaves += forest->trees[i].num_leaves;
        num_nodes += forest->trees[i].num_nodes;
    }
    nitro_compiled_forest *made = nitro_calloc(context, 1, sizeof *made);
    nitro_status status =
        made ? make(context, forest, num_nodes, num_leaves, made) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        *compiled = made;
    else
        nitro_compiled_forest_free(made);
    return status;
}

void nitro_compiled_forest_free(nitro_compiled_forest *compiled)
{
    if (!compiled)
        return;
    free(compiled->trees);
    free(compiled->nodes);
    free(compiled->leaves);
    free(compiled->outputs);
    free(compiled);
}

/* ---- Walking ------------------------------------------------------------------------------ */

/** Columns as training rounded them; what is no number goes right, as everywhere. */
static void round_columns(const nitro_compiled_forest *compiled, const double *columns,
                          float *rounded)
{
    for (size_t c = 0; c < compiled->num_columns; c++)
        rounded[c] = columns[c] == columns[c] ? (float)columns[c] : INFINITY;
}

static inline uint32_t step(const flat_tree *tree, uint32_t at, const float *columns)
{
    flat_node node = tree->nodes[at];
    return (node.link >> 8) + !(columns[node.link & 255] <= node.threshold);
}

/** Walk some trees to their leaves: until a step moves none of them. */
static void walk(const flat_tree *trees, const float *columns, uint32_t *leaves)
{
    uint32_t at[TREES_AT_ONCE] = {0}, moved;
    do {
        moved = 0;
        for (size_t s = 0; s < STEPS_AT_ONCE; s++)
#pragma GCC unroll 8
            for (size_t i = 0; i < TREES_AT_ONCE; i++) {
                uint32_t next = step(&trees[i], at[i], columns);
                moved = s + 1 < STEPS_AT_ONCE ? 0 : moved | (next ^ at[i]);
                at[i] = next;
            }
    } while (moved);
    for (size_t i = 0; i < TREES_AT_ONCE; i++)
        leaves[i] = trees[i].leaves[at[i]];
}

double nitro_compiled_forest_predict(const nitro_compiled_forest *compiled, const double *columns,
                                     double *outputs)
{
    float rounded[MAX_COLUMNS], sums[NITRO_MAX_VARIANTS + LANES] = {0};
    size_t num_outputs = compiled->num_outputs;
    round_columns(compiled, columns, rounded);
    for (size_t first = 0; first < compiled->num_trees; first += TREES_AT_ONCE) {
        const flat_tree *trees = compiled->trees + first;
        uint32_t leaves[TREES_AT_ONCE];
        walk(trees, rounded, leaves);
        for (size_t i = 0; i < TREES_AT_ONCE && first + i < compiled->num_trees; i++) {
            const float *leaf = trees[i].outputs + leaves[i] * num_outputs;
            for (size_t o = 0; o < num_outputs; o += LANES)
                for (size_t k = 0; k < LANES; k++) /* beyond the leaf's: nobody asks for them */
                    sums[o + k] += leaf[o + k];
        }
    }
    for (size_t o = 0; o < num_outputs; o++)
        outputs[o] = (double)sums[o] / (double)compiled->num_trees;
    return compiled->bound;
}
