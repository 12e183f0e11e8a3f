/* training_rows.h - the rows of a lesson that teach, as matrices. Internal to nitro/. */
#ifndef NITRO_LEARN_TRAINING_ROWS_H
#define NITRO_LEARN_TRAINING_ROWS_H

#include "nitro/learn/training_task.h"

/** Rows that teach, as matrices; columns raw at first, then scaled in place. */
typedef struct nitro_training_rows {
    size_t num_rows, num_columns;
    double *columns;    /* shape [num_rows x num_columns] */
    double *times_ms;   /* shape [num_rows x num_variants] */
    size_t *row_input;  /* shape [num_rows] */
    size_t *row_device; /* shape [num_rows] */
    nitro_scale scales[NITRO_MODEL_MAX_COLUMNS];
} nitro_training_rows;

/**
 * Collect the rows that teach: times of two variants, no undefined column, no value that a declared
 * log scale cannot take. How many were left out for the latter reasons is logged, unless the lesson
 * is quiet.
 * @param[in]     model  its relative and device features are set.
 * @param[in,out] rows   zero at first; nitro_training_rows_free it, also after an error.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no row teaches); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_training_rows_collect(nitro_context *context, const nitro_training_task *task,
                                         const nitro_model *model, nitro_training_rows *rows);

/** Learn the model's scaler from the rows, and leave of each row those columns, scaled, that the
 *  strategy sees. */
nitro_status nitro_training_rows_scale(nitro_context *context, nitro_training_rows *rows,
                                       nitro_model *model);

void nitro_training_rows_free(nitro_training_rows *rows);

#endif
