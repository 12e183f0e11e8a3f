/* tree_grow.h - growing and pruning one tree. Internal to nitro/learn/forest. */
#ifndef NITRO_LEARN_FOREST_TREE_GROW_H
#define NITRO_LEARN_FOREST_TREE_GROW_H

#include "nitro/learn/forest/forest_train.h"
#include "nitro/runtime/scores/forest_tree.h"

typedef struct sorted_row {
    float value;
    uint32_t row;
} sorted_row;

/** A node of a tree that may still be pruned. */
typedef struct grown_node {
    size_t column; /* NITRO_NONE: a leaf */
    float threshold;
    size_t left; /* the right child follows */
    size_t num_rows;
    double weight;  /* of the rows */
    double cost;    /* loss of the output that is best in sum */
    double subtree; /* of the leaves below */
    size_t num_leaves;
} grown_node;

typedef struct grown_tree {
    size_t num_columns, num_outputs;
    size_t num_nodes;
    grown_node *nodes; /* level by level */
    double *sums;      /* shape [num_nodes x num_outputs]: weighted outputs of a node's rows */
} grown_tree;

/** Sort the rows by each column, once for all trees that are grown from them; free with free().
 *  Shape [num_columns x num_rows]. */
nitro_status nitro_tree_sort(nitro_context *context, const nitro_forest_data *data,
                             sorted_row **sorted);

/** Grow a tree of at most `max_depth` cuts one below the other from the rows listed in `members`,
 *  shape [count], each once; free with nitro_grown_tree_free. */
nitro_status nitro_tree_grow(nitro_context *context, const nitro_forest_data *data,
                             const sorted_row *sorted, const uint32_t *members, size_t count,
                             size_t min_leaf_rows, size_t max_depth, grown_tree *grown);
void nitro_grown_tree_free(grown_tree *grown);

/** Make a leaf of every node whose cuts save less than `alpha` each (cost-complexity pruning).
 *  Repeated calls with rising `alpha` give nested trees. */
void nitro_tree_prune(grown_tree *grown, double alpha);

/** The output that the tree chooses for a row, shape [num_columns]. */
size_t nitro_tree_choose(const grown_tree *grown, const double *columns);

/** The tree as it is pruned, for prediction. */
nitro_status nitro_tree_finish(nitro_context *context, const grown_tree *grown, forest_tree *tree);

#endif
