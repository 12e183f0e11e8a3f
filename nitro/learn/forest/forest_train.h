/*
 * forest_train.h - growing extremely randomised trees (Geurts, Ernst, Wehenkel 2006). Internal to
 * nitro/.
 *
 * A node draws one cut per column, uniform between the column's smallest and largest value there,
 * and takes that which reduces the outputs' summed variance most. Outputs must have comparable
 * units. Columns need no scaling; they are rounded to single precision, in training and in
 * prediction, so that a compiled forest of floats decides the same.
 */
#ifndef NITRO_LEARN_FOREST_FOREST_TRAIN_H
#define NITRO_LEARN_FOREST_FOREST_TRAIN_H

#include "nitro/runtime/scores/forest.h"

typedef struct nitro_forest_options {
    size_t num_trees;     /* 1 to NITRO_FOREST_MAX_TREES */
    size_t min_leaf_rows; /* training rows of a leaf, at least 1 */
    unsigned num_threads; /* 0: one per core; the forest does not depend on it */
} nitro_forest_options;

/** A forest's training set; borrowed during training. */
typedef struct nitro_forest_data {
    size_t num_rows, num_columns, num_outputs; /* at least 1 each */
    const double *columns;                     /* shape [num_rows x num_columns], finite */
    const double *outputs; /* shape [num_rows x num_outputs], within NITRO_FOREST_MAX_OUTPUT */
    const double *weights; /* shape [num_rows], positive; NULL: 1. Only single trees have them. */
} nitro_forest_data;

/**
 * Grow a forest. The same data, options and seed give the same forest, bit for bit. Memory: a copy
 * of the data, and a few numbers per row and thread. Time grows with trees x columns x outputs x
 * rows x log(rows).
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row); NITRO_ERR_ARGUMENT (a count or number out of range:
 *         which, and in which row); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_forest_train(nitro_context *context, const nitro_forest_data *data,
                                const nitro_forest_options *options, uint64_t seed,
                                nitro_forest **forest);

/** NITRO_ERR_NO_DATA or NITRO_ERR_ARGUMENT, as nitro_forest_train. */
nitro_status nitro_forest_check(nitro_context *context, const nitro_forest_data *data);
/** A column's value of a row, as forests see it. */
float nitro_forest_column(const nitro_forest_data *data, size_t row, size_t column);
/** A mean as a leaf's output: rounding must not take it out of the range that decoding accepts. */
double nitro_forest_leaf_output(double mean);

#endif
