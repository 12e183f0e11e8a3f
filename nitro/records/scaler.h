/* scaler.h - scales columns: each value is transformed by its column's scale, then the training
 * range is mapped to [-1, 1]. Internal to nitro/.
 */
#ifndef NITRO_RECORDS_SCALER_H
#define NITRO_RECORDS_SCALER_H

#include "nitro/nitro_backend.h"

/** One column: its scale (never AUTO) and the range of its transformed training values. */
typedef struct nitro_scaler_column {
    nitro_scale scale;
    double low, high;
} nitro_scaler_column;

/** As nitro_scale_choose, without memory of its own: values are overwritten. */
nitro_scale nitro_scale_choose_in_place(double *values, size_t count);

/**
 * Learn columns from training rows.
 * @param[in]  values    shape [num_rows x num_columns], row-major, finite; LOG columns positive.
 *                       num_rows is at least 1.
 * @param[in]  declared  shape [num_columns]; AUTO is resolved by nitro_scale_choose.
 * @param[out] columns   shape [num_columns].
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_scaler_fit(nitro_context *context, const double *values, size_t num_rows,
                              size_t num_columns, const nitro_scale *declared,
                              nitro_scaler_column *columns);

/**
 * A value in scaled units: [-1, 1] over the training range, extrapolated linearly and clamped to
 * +-1000; 0 for a column that was constant in training. Values without a logarithm become -3, one
 * range below the smallest. Never NaN for a finite value.
 */
double nitro_scaler_apply(const nitro_scaler_column *column, double value);

/** A column that a model ignores: every value is inside its range, and scaled to about 0. */
nitro_scaler_column nitro_scaler_ignored(void);
bool nitro_scaler_is_ignored(const nitro_scaler_column *column);

/** A column with precomputed scaling constants. */
typedef struct nitro_scaler_line {
    nitro_scale scale;
    bool is_constant;
    double middle, half_range; /* of the transformed training values */
} nitro_scaler_line;

nitro_scaler_line nitro_scaler_prepare(const nitro_scaler_column *column);
/** Bit-identical to nitro_scaler_apply. */
double nitro_scaler_line_apply(const nitro_scaler_line *line, double value);

/** The value at this place in scaled units; the constant where the column was constant. */
double nitro_scaler_invert(const nitro_scaler_column *column, double scaled);

/**
 * How far a value lies outside the training range, in scaled units (the range is 2 wide); 0 inside.
 * A constant column's range is taken as its value's magnitude.
 */
double nitro_scaler_excess(const nitro_scaler_column *column, double value);

/**
 * The interval of values whose excess is at most `tolerance`: checking it needs no logarithm.
 * @return false for a constant column: use nitro_scaler_excess.
 */
bool nitro_scaler_interval(const nitro_scaler_column *column, double tolerance, double *low,
                           double *high);

#endif
