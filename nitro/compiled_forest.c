/*
 * Compiled forests. Hides how trees are walked: sixteen side by side without a branch, as each step
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
#define LANES         8
#define MAX_LEAVES    ((size_t)1 << 15) /* of one tree */
#define MAX_COLUMNS   256
#define LEAF          UINT32_C(0x8000)

/* Left where the column is not above the threshold. Children are inner nodes of the tree, or LEAF
 * and a leaf's number. */
typedef struct flat_node {
    float threshold;
    uint32_t children; /* left, and right << 16 */
    uint32_t column;
} flat_node;

typedef struct flat_tree {
    const flat_node *nodes; /* shape [leaves]: one more than there are inner nodes */
    const float *outputs;   /* shape [leaves x num_outputs] */
    uint32_t root;
} flat_tree;

struct nitro_compiled_forest {
    size_t num_columns, num_outputs, num_trees;
    double bound;
    flat_tree *trees; /* shape [num_trees, padded to a multiple of TREES_AT_ONCE] */
    flat_node *nodes;
    float *outputs; /* of all leaves, and LANES more, for whole vectors are read */
};

/* ---- Making ------------------------------------------------------------------------------- */

/** The largest float that is not above: x <= threshold is the same for every float x. */
static float round_down(double threshold)
{
    float rounded = (float)threshold;
    return (double)rounded > threshold ? nextafterf(rounded, -INFINITY) : rounded;
}

/** Inner nodes and leaves numbered apart, each in the tree's order; returns the root. */
static uint32_t flatten(const forest_tree *tree, uint32_t *numbers, flat_node *nodes)
{
    uint32_t num_inner = 0;
    for (size_t i = 0; i < tree->num_nodes; i++)
        numbers[i] =
            tree->nodes[i].column == FOREST_LEAF ? LEAF | tree->nodes[i].next : num_inner++;
    for (size_t i = 0, at = 0; i < tree->num_nodes; i++) {
        const forest_node *node = &tree->nodes[i];
        if (node->column != FOREST_LEAF)
            nodes[at++] =
                (flat_node){round_down(node->threshold),
                            numbers[node->next] | numbers[node->next + 1] << 16, node->column};
    }
    return numbers[0];
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

static void fill(const nitro_forest *forest, uint32_t *numbers, nitro_compiled_forest *made)
{
    size_t first_leaf = 0;
    double sum = 0.0;
    for (size_t i = 0; i < forest->num_trees; i++) {
        const forest_tree *tree = &forest->trees[i];
        float *outputs = made->outputs + first_leaf * made->num_outputs;
        sum += copy_outputs(tree, made->num_outputs, outputs);
        made->trees[i] = (flat_tree){made->nodes + first_leaf, outputs,
                                     flatten(tree, numbers, made->nodes + first_leaf)};
        first_leaf += tree->num_leaves;
    }
    /* What fills up the last ones is a leaf, and is not added. */
    for (size_t i = forest->num_trees; i % TREES_AT_ONCE != 0; i++)
        made->trees[i] = (flat_tree){made->nodes, made->outputs, LEAF};
    /* Each output is rounded once, and so is each of the additions, to 2^-24 of what it adds up. */
    made->bound = ldexp((double)forest->num_trees + 2.0, -24) * sum / (double)forest->num_trees;
    if (!(sum < (double)FLT_MAX / 2.0))
        made->bound = INFINITY;
}

static nitro_status make(nitro_context *context, const nitro_forest *forest, size_t num_leaves,
                         size_t most_nodes, nitro_compiled_forest *made)
{
    made->num_columns = forest->num_columns;
    made->num_outputs = forest->num_outputs;
    made->num_trees = forest->num_trees;
    made->trees = nitro_calloc(context, made->num_trees + TREES_AT_ONCE, sizeof *made->trees);
    made->nodes = nitro_calloc(context, num_leaves, sizeof *made->nodes);
    made->outputs = nitro_calloc(context, num_leaves * made->num_outputs + LANES, sizeof(float));
    uint32_t *numbers = nitro_calloc(context, most_nodes, sizeof *numbers);
    bool all = made->trees && made->nodes && made->outputs && numbers;
    if (all)
        fill(forest, numbers, made);
    free(numbers);
    return all ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_compiled_forest_create(nitro_context *context, const nitro_forest *forest,
                                          nitro_compiled_forest **compiled)
{
    size_t num_leaves = 0, most_nodes = 0;
    *compiled = NULL;
    if (forest->num_columns > MAX_COLUMNS || forest->num_outputs > NITRO_MAX_VARIANTS)
        return NITRO_OK;
    for (size_t i = 0; i < forest->num_trees; i++) {
        const forest_tree *tree = &forest->trees[i];
        if (tree->num_leaves > MAX_LEAVES)
            return NITRO_OK;
        num_leaves += tree->num_leaves;
        most_nodes = tree->num_nodes > most_nodes ? tree->num_nodes : most_nodes;
    }
    nitro_compiled_forest *made = nitro_calloc(context, 1, sizeof *made);
    nitro_status status =
        made ? make(context, forest, num_leaves, most_nodes, made) : NITRO_ERR_NO_MEMORY;
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

/** One step down; who is at a leaf stays there, and looks at some node in vain. */
static inline uint32_t step(const flat_tree *tree, uint32_t at, const float *columns)
{
    const flat_node *node = &tree->nodes[at & (LEAF - 1)];
    uint32_t right = !(columns[node->column] <= node->threshold);
    uint32_t child = node->children >> (16 * right) & 0xffff;
    uint32_t stays = 0u - (at >> 15); /* all ones at a leaf: compilers make ?: a branch, which is as
                                         hard to foresee as the path */
    return (at & stays) | (child & ~stays);
}

/** Walk some trees to their leaves. */
static void walk(const flat_tree *trees, const float *columns, uint32_t *leaves)
{
    uint32_t at[TREES_AT_ONCE], all;
    for (size_t i = 0; i < TREES_AT_ONCE; i++)
        at[i] = trees[i].root;
    do {
        all = LEAF;
#pragma GCC unroll 16
        for (size_t i = 0; i < TREES_AT_ONCE; i++) {
            at[i] = step(&trees[i], at[i], columns);
            all &= at[i];
        }
    } while (!all);
    for (size_t i = 0; i < TREES_AT_ONCE; i++)
        leaves[i] = at[i] & (LEAF - 1);
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
