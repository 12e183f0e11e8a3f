/* forest_grow.h - training data laid out for growing trees, and growing one tree. Internal to
 * nitro/learn/forest. */
#ifndef NITRO_LEARN_FOREST_FOREST_GROW_H
#define NITRO_LEARN_FOREST_FOREST_GROW_H

#include "nitro/learn/forest/forest_train.h"
#include "nitro/runtime/scores/forest_tree.h"

/* Outputs of a row stand in blocks of this many lanes, so that a block's sums fit in registers. */
#define FOREST_LANES 4

/* Read only while trees grow. */
typedef struct forest_training {
    nitro_context *context;
    nitro_forest_options options;
    uint64_t first_seed; /* of the first tree; the next ones count up */
    size_t num_rows, num_columns, num_outputs;
    size_t num_blocks; /* enough lanes for the outputs */
    double *columns;   /* shape [num_columns x num_rows]: column by column */
    double *centres;   /* shape [num_outputs]: means, subtracted from the outputs for precision */
    double *lanes;     /* shape [num_rows x num_blocks x FOREST_LANES]: outputs, zeros */
} forest_training;

/** Grow tree number `index`. Safe from any number of threads. */
nitro_status nitro_forest_grow(const forest_training *training, size_t index, forest_tree *tree);

#endif
