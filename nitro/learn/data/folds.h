/* folds.h - a sample of a training set, divided into folds by input for cross-validation. Internal
 * to nitro/learn. */
#ifndef NITRO_LEARN_DATA_FOLDS_H
#define NITRO_LEARN_DATA_FOLDS_H

#include "nitro/nitro_backend.h"

/** Sample size of strategies whose cost grows faster than the number of rows: a kernel matrix takes
 *  64 MB. */
#define NITRO_FOLDS_MAX_ROWS 4000

/** A sample of whole inputs, each in one fold. */
typedef struct nitro_folds {
    size_t num_rows;  /* of the sample */
    size_t num_folds; /* 1: there is only one input, so that nothing can be held out */
    size_t *rows;     /* shape [num_rows]: rows of the training set, ascending */
    size_t *folds;    /* shape [num_rows] */
} nitro_folds;

/**
 * Draw inputs by the set's seed until the sample has `max_rows` rows, and deal them out to up to
 * `max_folds` folds in turn; each fold gets at least one input, whatever its number of rows. Folds
 * depend on nothing else, so that all strategies hold out the same rows.
 * @param[out] folds  free with nitro_folds_free.
 */
nitro_status nitro_folds_draw(nitro_context *context, const nitro_training_set *set,
                              size_t max_rows, size_t max_folds, nitro_folds *folds);
void nitro_folds_free(nitro_folds *folds);

/**
 * Deal the inputs of a dataset that have rows to parts by a hash of their names, so that other
 * inputs change little; of many inputs, only about `max_inputs`. Inputs of one group (GROUP/NAME)
 * are in one part, since they are alike. Independent of the folds of the same seed.
 * @param[out] part_of  shape [num_inputs]: below num_parts; NITRO_NONE: in no part.
 */
nitro_status nitro_inputs_deal(nitro_context *context, const nitro_dataset *dataset, uint64_t seed,
                               size_t num_parts, size_t max_inputs, size_t *part_of);

/** The columns of the sample's rows, shape [num_rows x num_columns]; free with free(). */
double *nitro_folds_columns(nitro_context *context, const nitro_training_set *set,
                            const nitro_folds *folds);

#endif
