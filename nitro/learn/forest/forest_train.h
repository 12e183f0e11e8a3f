/*
 * forest_train.h - growing extremely randomised trees (Geurts, Ernst, Wehenkel 2006). Internal to
 * nitro/.
 *
 * A node draws one cut a column, uniform between the column's smallest and largest value there, and
 * takes the cut that lowers the outputs' variance most, summed over the outputs. Outputs are not
 * scaled: bring them to comparable units first. Columns need no scaling; they are rounded to single
 * precision, in learning as in predicting, so that a compiled forest of floats decides the same.
 */
#ifndef NITRO_LEARN_FOREST_FOREST_TRAIN_H
#define NITRO_LEARN_FOREST_FOREST_TRAIN_H

#include "nitro/runtime/scores/forest.h"

typedef struct nitro_forest_options {
    size_t num_trees;      /* 1 to NITRO_FOREST_MAX_TREES */
    size_t num_candidates; /* columns that a node tries, of those not constant there; 0: all */
    size_t min_leaf_rows;  /* at least 1: no leaf stands on fewer training rows */
    size_t max_depth;      /* cuts from root to leaf; 0: no limit */
    unsigned num_threads;  /* 0: one a core; the forest does not depend on it */
} nitro_forest_options;

/** 150 trees, all columns, leaves of 3 rows, any depth, one thread a core. */
void nitro_forest_options_init(nitro_forest_options *options);

/** What a forest learns from; borrowed during training. */
typedef struct nitro_forest_data {
    size_t num_rows, num_columns, num_outputs; /* at least 1 each */
    const double *columns;                     /* shape [num_rows x num_columns], finite */
    const double *outputs; /* shape [num_rows x num_outputs], within NITRO_FOREST_MAX_OUTPUT */
    const double *weights; /* shape [num_rows], finite, at least 0; NULL: all alike. Only their
                              ratios count; a row of weight 0 might as well not be there. */
} nitro_forest_data;

/**
 * Grow a forest. Same data, options (but for num_threads) and seed: the same forest, bit for bit.
 * Memory: a copy of the data, and a few numbers a row and thread. Time grows with trees x columns x
 * outputs x rows x log(rows).
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row of positive weight); NITRO_ERR_ARGUMENT (a count or
 *         number out of range: which, and in which row); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_forest_train(nitro_context *context, const nitro_forest_data *data,
                                const nitro_forest_options *options, uint64_t seed,
                                nitro_forest **forest);
#endif
