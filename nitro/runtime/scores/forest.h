/* forest.h - extremely randomised trees (Geurts, Ernst, Wehenkel 2006) with vector-valued leaves.
 * Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_SCORES_FOREST_H
#define NITRO_RUNTIME_SCORES_FOREST_H

#include "nitro/nitro_backend.h"

#define NITRO_FOREST_MAX_TREES 10000
/** Largest magnitude of an output: sums of squares stay finite. */
#define NITRO_FOREST_MAX_OUTPUT 1e100
typedef struct nitro_forest nitro_forest;

void nitro_forest_free(nitro_forest *forest);

size_t nitro_forest_num_trees(const nitro_forest *forest);

/**
 * Mean of the trees' leaves for a row; a leaf is the weighted mean of its training rows.
 * @param[in]  columns  shape [num_columns].
 * @param[out] outputs  shape [num_outputs]; finite, whatever the columns are.
 * Allocates nothing; safe from any number of threads.
 */
void nitro_forest_predict(const nitro_forest *forest, const double *columns, double *outputs);

/**
 * One tree's output, shape [num_outputs], owned by the forest; the trees' variance estimates the
 * uncertainty of their mean. Rows of one leaf get the same pointer. Threads: as
 * nitro_forest_predict.
 */
const double *nitro_forest_leaf(const nitro_forest *forest, size_t tree, const double *columns);

#endif
