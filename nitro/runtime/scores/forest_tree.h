/* forest_tree.h - the definition of a forest: trees as flat arrays. Shared by training, prediction
 * and JSON. */
#ifndef NITRO_RUNTIME_SCORES_FOREST_TREE_H
#define NITRO_RUNTIME_SCORES_FOREST_TREE_H

#include "nitro/runtime/scores/forest.h"

#define FOREST_LEAF UINT32_MAX /* column of a leaf */

typedef struct forest_node {
    double threshold; /* of inner nodes: left if the column's value is not above it */
    uint32_t column;  /* or FOREST_LEAF */
    uint32_t next;    /* inner: left child, followed by the right one; leaf: its number */
} forest_node;

/* Nodes are stored level by level from the root; leaves are numbered in that order. */
typedef struct forest_tree {
    size_t num_nodes;
    forest_node *nodes; /* shape [num_nodes] */
    size_t num_leaves;
    double *outputs; /* shape [num_leaves x num_outputs] */
} forest_tree;

struct nitro_forest {
    size_t num_columns, num_outputs, num_trees;
    forest_tree *trees; /* shape [num_trees] */
};

/** A forest of empty trees, to be filled. */
nitro_status nitro_forest_create(nitro_context *context, size_t num_columns, size_t num_outputs,
                                 size_t num_trees, nitro_forest **forest);

/**
 * Number the children of inner nodes and the leaves, from the columns alone.
 * @return false if this is not a tree: inconsistent counts, or a child before its parent.
 */
bool nitro_forest_link(forest_tree *tree);

/** The largest float that is not above: x <= threshold is unchanged for every float x. */
float nitro_forest_round_down(double threshold);

#endif
