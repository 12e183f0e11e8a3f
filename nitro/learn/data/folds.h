/* folds.h - a sample of a training set, and the parts of it that are held out in turn, so that rows
 * are judged by predictors that never saw their input. Internal to nitro/. */
#ifndef NITRO_LEARN_DATA_FOLDS_H
#define NITRO_LEARN_DATA_FOLDS_H

#include "nitro/nitro_backend.h"

/**
 * The sample of strategies whose training takes more than a row's time a row: kernel matrices take
 * the square of these rows in memory (64 MB), Cholesky factors their cube in time.
 */
#define NITRO_FOLDS_MAX_ROWS 4000

/** A sample of whole inputs, dealt out to folds. */
typedef struct nitro_folds {
    size_t num_rows;  /* of the sample */
    size_t num_folds; /* 1 where there is only one input: nothing can be held out then */
    size_t *rows;     /* shape [num_rows]: rows of the training set, ascending */
    size_t *folds;    /* shape [num_rows] */
} nitro_folds;

/**
 * Draw inputs by the set's seed until the sample has `max_rows` rows, and deal them out to up to
 * `max_folds` folds in turn; each fold gets at least one input, however many rows that has. The
 * same set, seed and numbers give the same folds, so that several strategies judge the same rows.
 * @param[out] folds  free with nitro_folds_free.
 */
nitro_status nitro_folds_draw(nitro_context *context, const nitro_training_set *set,
                              size_t max_rows, size_t max_folds, nitro_folds *folds);
void nitro_folds_free(nitro_folds *folds);

/** The columns of the sample's rows, shape [num_rows x num_columns]; free with free(). */
double *nitro_folds_columns(nitro_context *context, const nitro_training_set *set,
                            const nitro_folds *folds);

#endif
