/*
 * tree_train.h - one decision tree (CART, Breiman et al. 1984) of losses, pruned by the loss of its
 * decisions. Internal to nitro/learn/forest.
 *
 * A node takes the cut, among all of all columns, that reduces the outputs' squared error most. Of
 * the trees that minimal cost-complexity pruning then gives, with the loss of the node's best
 * output as cost, cross-validation chooses one.
 */
#ifndef NITRO_LEARN_FOREST_TREE_TRAIN_H
#define NITRO_LEARN_FOREST_TREE_TRAIN_H

#include "nitro/learn/forest/forest_train.h"

/**
 * @param[in]  folds  shape [data->num_rows], below num_folds: folds of cross-validation; with fewer
 *                    than two the tree is not pruned.
 * @param[out] tree   a forest of one tree. The same data give the same tree.
 * @return as nitro_forest_train.
 */
nitro_status nitro_tree_train(nitro_context *context, const nitro_forest_data *data,
                              size_t min_leaf_rows, const size_t *folds, size_t num_folds,
                              nitro_forest **tree);

#endif
