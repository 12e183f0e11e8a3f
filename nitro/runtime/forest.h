/*
 * forest.h - extremely randomised trees (Geurts, Ernst, Wehenkel 2006) that regress a vector of
 * outputs: one tree gives all of them. Internal to nitro/.
 *
 * A node draws one cut a column, uniform between the column's smallest and largest value there, and
 * takes the cut that lowers the outputs' variance most, summed over the outputs. Outputs are not
 * scaled: bring them to comparable units first. Columns need no scaling; they are rounded to single
 * precision, in learning as in predicting, so that a compiled forest of floats decides the same.
 */
#ifndef NITRO_RUNTIME_FOREST_H
#define NITRO_RUNTIME_FOREST_H

#include <jansson.h>

#include "nitro/base/json.h"
#include "nitro/nitro_backend.h"

#define NITRO_FOREST_MAX_TREES 10000
/** Largest magnitude of an output: sums of squares stay finite. */
#define NITRO_FOREST_MAX_OUTPUT 1e100

typedef struct nitro_forest nitro_forest;

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
void nitro_forest_free(nitro_forest *forest);

size_t nitro_forest_num_trees(const nitro_forest *forest);

/**
 * Mean over the trees of the leaf that a row falls into; a leaf is the weighted mean of its rows.
 * @param[in]  columns  shape [num_columns].
 * @param[out] outputs  shape [num_outputs]; finite, whatever the columns are.
 * Allocates nothing; safe from any number of threads.
 */
void nitro_forest_predict(const nitro_forest *forest, const double *columns, double *outputs);

/**
 * One tree's answer, shape [num_outputs], owned by the forest: the trees' disagreement tells how
 * sure their mean is. Rows of one leaf get the same pointer. Threads: as nitro_forest_predict.
 */
const double *nitro_forest_leaf(const nitro_forest *forest, size_t tree, const double *columns);

/**
 * To JSON and back without loss:
 *   {"trees": [{"columns": [3, -1, -1], "thresholds": [0.5], "outputs": [1.0, 2.0]}]}
 * Nodes stand level by level; `columns` has one number a node, -1 for a leaf; inner nodes have a
 * threshold each (a row goes left where its column is not above it) and leaves num_outputs outputs
 * each, all in order of the nodes. The two children of the k-th inner node (from 0) are nodes
 * 2k + 1 and 2k + 2, so that no file can describe a loop that decoding would take.
 */
nitro_status nitro_forest_encode(nitro_context *context, const nitro_forest *forest, json_t **json);

/**
 * @param[in] place  names the file and the field that holds `json`, for errors.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY; NITRO_ERR_FORMAT: not a forest of so many columns and
 *         outputs; file, tree and field are named.
 */
nitro_status nitro_forest_decode(const nitro_json_place *place, const json_t *json,
                                 size_t num_columns, size_t num_outputs, nitro_forest **forest);

#endif
