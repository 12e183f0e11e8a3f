/* forest_grow.h - what trees are grown from, and growing one. Shared by training's two halves. */
#ifndef NITRO_LEARN_FOREST_FOREST_GROW_H
#define NITRO_LEARN_FOREST_FOREST_GROW_H

#include "nitro/learn/forest/forest_train.h"
#include "nitro/runtime/scores/forest_tree.h"

/* Outputs of a row stand in blocks of so many lanes: a block's sums fit in registers. */
#define FOREST_LANES 4

/* Read only while trees grow. Rows of weight 0 are gone. */
typedef struct forest_training {
    nitro_context *context;
    nitro_forest_options options;
    uint64_t first_seed; /* of the first tree; each next tree's is one more */
    size_t num_rows, num_columns, num_outputs;
    size_t num_blocks; /* enough lanes for the outputs and one more */
    double *columns;   /* shape [num_columns x num_rows]: column by column */
    double *weights;   /* shape [num_rows], in (0, 1] */
    double *centres;   /* shape [num_outputs]: means, taken off the outputs for precision's sake */
    double *lanes;     /* shape [num_rows x num_blocks x FOREST_LANES]: outputs, 1, zeros */
} forest_training;

/** Grow tree number `index`. Safe from any number of threads. */
nitro_status nitro_forest_grow(const forest_training *training, size_t index, forest_tree *tree);

#endif
