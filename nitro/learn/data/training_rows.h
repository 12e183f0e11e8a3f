/* training_rows.h - the samples that a model is trained on, as matrices. Internal to nitro/learn.
 */
#ifndef NITRO_LEARN_DATA_TRAINING_ROWS_H
#define NITRO_LEARN_DATA_TRAINING_ROWS_H

#include "nitro/runtime/model/model.h"

/** Samples skipped for one reason: how many, and the first. */
typedef struct nitro_skipped_rows {
    size_t count;
    size_t row;    /* of the dataset */
    size_t column; /* of the model */
} nitro_skipped_rows;

/** Columns are raw at first, then scaled in place. */
typedef struct nitro_training_rows {
    size_t num_rows, num_columns;
    double *columns;       /* shape [num_rows x num_columns] */
    double *times_ms;      /* shape [num_rows x num_variants] */
    double *prepare_ms;    /* shape [num_rows x num_variants]; NaN: none or unknown */
    double *features_ms;   /* shape [num_rows]; NaN: unknown */
    uint64_t dropped;      /* set before collecting: bit f: input feature f is ignored */
    uint64_t *row_allowed; /* shape [num_rows]: as in the dataset */
    size_t *row_source;    /* shape [num_rows]: row of the dataset */
    size_t *row_input;     /* shape [num_rows] */
    size_t *row_device;    /* shape [num_rows] */
    nitro_scale scales[NITRO_MODEL_MAX_COLUMNS];
    nitro_skipped_rows undefined;    /* a relative feature is undefined there */
    nitro_skipped_rows not_positive; /* a value that its declared log scale cannot take */
} nitro_training_rows;

/**
 * Collect the samples with times of two variants, no undefined column, and no value that a declared
 * log scale cannot take.
 * @param[in]     model  its relative and device features are set.
 * @param[in,out] rows   zero at first; nitro_training_rows_free it, also after an error.
 * @return NITRO_OK; NITRO_ERR_NO_DATA (no usable sample); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_training_rows_collect(nitro_context *context, const nitro_dataset *sources,
                                         const nitro_model *model, nitro_training_rows *rows);

/** Warn of skipped samples: how many for which reason, and the first. */
void nitro_training_rows_log_skipped(const nitro_model *model, const nitro_dataset *sources,
                                     const nitro_training_rows *rows);

/** Fit the model's scaler to the rows, and keep of each row the columns that the strategy sees,
 *  scaled. */
nitro_status nitro_training_rows_scale(nitro_context *context, nitro_training_rows *rows,
                                       nitro_model *model);

/** The variants that have a cost of preparing in some row, as bits. */
uint64_t nitro_training_rows_prepared(const nitro_training_rows *rows, size_t num_variants);

void nitro_training_rows_free(nitro_training_rows *rows);

#endif
