/* Scales columns to [-1, 1], including constant ones, zeros under a logarithm and infinities. */
#include "nitro/records/scaler.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"
#include "nitro/base/number_order.h"

#define SCALED_LIMIT 1000.0 /* an RBF kernel underflows long before; keeps squares finite */
#define BELOW_LOG    (-3.0)

static bool takes(nitro_scale scale, double value)
{
    return scale != NITRO_SCALE_LOG || value > 0.0;
}

/** sign(x) ln(1 + |x|). From 1 on, log is as accurate as log1p and several times faster. */
static double signed_log(double value)
{
    double magnitude = fabs(value);
    return copysign(magnitude < 1.0 ? log1p(magnitude) : log(1.0 + magnitude), value);
}

static double transform(nitro_scale scale, double value)
{
    switch (scale) {
    case NITRO_SCALE_LOG:
        return log(value);
    case NITRO_SCALE_SIGNED_LOG:
        return signed_log(value);
    default:
        return value;
    }
}

static void fit_column(const double *values, size_t num_rows, size_t stride,
                       nitro_scaler_column *column)
{
    column->low = INFINITY;
    column->high = -INFINITY;
    for (size_t row = 0; row < num_rows; row++) {
        double value = transform(column->scale, values[row * stride]);
        column->low = fmin(column->low, value);
        column->high = fmax(column->high, value);
    }
}

nitro_status nitro_scaler_fit(nitro_context *context, const double *values, size_t num_rows,
                              size_t num_columns, const nitro_scale *declared,
                              nitro_scaler_column *columns)
{
    double *copy = nitro_calloc(context, num_rows, sizeof *copy);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; c < num_columns; c++) {
        columns[c].scale = declared[c];
        if (declared[c] == NITRO_SCALE_AUTO) {
            for (size_t row = 0; row < num_rows; row++)
                copy[row] = values[row * num_columns + c];
            columns[c].scale = nitro_scale_choose_in_place(copy, num_rows);
        }
        fit_column(values + c, num_rows, num_columns, &columns[c]);
    }
    free(copy);
    return NITRO_OK;
}

/** Larger than any value, and small enough for differences. */
#define ANY_VALUE (DBL_MAX / 4.0)

nitro_scaler_column nitro_scaler_ignored(void)
{
    return (nitro_scaler_column){.scale = NITRO_SCALE_LINEAR, .low = -ANY_VALUE, .high = ANY_VALUE};
}

bool nitro_scaler_is_ignored(const nitro_scaler_column *column)
{
    return column->low == -ANY_VALUE && column->high == ANY_VALUE;
}

nitro_scaler_line nitro_scaler_prepare(const nitro_scaler_column *column)
{
    /* Halves keep high - low finite for any finite range. */
    return (nitro_scaler_line){.scale = column->scale,
                               .is_constant = !(column->high > column->low),
                               .middle = 0.5 * column->high + 0.5 * column->low,
                               .half_range = 0.5 * column->high - 0.5 * column->low};
}

double nitro_scaler_line_apply(const nitro_scaler_line *line, double value)
{
    if (line->is_constant)
        return 0.0;
    if (!takes(line->scale, value))
        return BELOW_LOG;
    double scaled = (transform(line->scale, value) - line->middle) / line->half_range;
    return nitro_clamp(scaled, -SCALED_LIMIT, SCALED_LIMIT);
}

double nitro_scaler_apply(const nitro_scaler_column *column, double value)
{
    nitro_scaler_line line = nitro_scaler_prepare(column);
    return nitro_scaler_line_apply(&line, value);
}

double nitro_scaler_invert(const nitro_scaler_column *column, double scaled)
{
    double value = 0.5 * (1.0 - scaled) * column->low + 0.5 * (1.0 + scaled) * column->high;
    switch (column->scale) {
    case NITRO_SCALE_LOG:
        return exp(value);
    case NITRO_SCALE_SIGNED_LOG:
        return copysign(expm1(fabs(value)), value);
    default:
        return value;
    }
}

double nitro_scaler_excess(const nitro_scaler_column *column, double value)
{
    if (column->high > column->low)
        return fmax(fabs(nitro_scaler_apply(column, value)) - 1.0, 0.0);
    if (!takes(column->scale, value))
        return fabs(BELOW_LOG) - 1.0;
    double away = fabs(transform(column->scale, value) - column->low);
    if (away == 0.0)
        return 0.0;
    return fmin(2.0 * away / fabs(column->low), SCALED_LIMIT);
}

/** The last value from `inside` towards `outside` whose excess is within the tolerance. */
static double find_border(const nitro_scaler_column *column, double tolerance, double inside,
                          double outside)
{
    int64_t in = nitro_order_of_number(inside), out = nitro_order_of_number(outside);
    if (nitro_scaler_excess(column, outside) <= tolerance)
        return outside;
    for (;;) {
        int64_t middle = in / 2 + out / 2 + (in % 2 + out % 2) / 2; /* their sum may overflow */
        if (middle == in || middle == out)
            break;
        if (nitro_scaler_excess(column, nitro_number_of_order(middle)) <= tolerance)
            in = middle;
        else
            out = middle;
    }
    return nitro_number_of_order(in);
}

bool nitro_scaler_interval(const nitro_scaler_column *column, double tolerance, double *low,
                           double *high)
{
    double inside = nitro_scaler_invert(column, 0.0);
    if (!(column->high > column->low) || !(nitro_scaler_excess(column, inside) <= tolerance))
        return false;
    *low = find_border(column, tolerance, inside, -DBL_MAX);
    *high = find_border(column, tolerance, inside, DBL_MAX);
    return true;
}
