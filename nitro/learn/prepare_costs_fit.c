/*
 * Costs of preparing by ridge regression. On SpMV formats of a host, the logarithm is linear in the
 * scaled features to within the noise of the measured costs: quadratic terms and hinges gain
 * nothing.
 */
#include "nitro/learn/prepare_costs_fit.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/base/cholesky.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/few_uses_fit.h"

#define RIDGE            1.0  /* rows' worth of evidence that a column does not matter */
#define LEAST_RUNS       1e-6 /* a cost that the clock does not see */
#define LARGEST_VARIANCE 1.0  /* of the logarithm that is corrected for */

/** Rows of one variant: where its cost and the best time are known. */
typedef struct cost_rows {
    const nitro_training_rows *all;
    size_t num_variants, variant;
    uint64_t prepared;
} cost_rows;

/** ln(cost / unit of losses); NaN: unknown. */
static double logarithm(const cost_rows *rows, size_t row)
{
    const double *times = rows->all->times_ms + row * rows->num_variants;
    double prepare_ms = rows->all->prepare_ms[row * rows->num_variants + rows->variant];
    double unit_ms = nitro_losses_unit(times, rows->num_variants, rows->prepared);
    return isnan(prepare_ms) ? NAN : log(fmax(prepare_ms / unit_ms, LEAST_RUNS));
}

static double column(const cost_rows *rows, size_t row, size_t index)
{
    size_t num_columns = rows->all->num_columns;
    return index < num_columns ? rows->all->columns[row * num_columns + index] : 1.0;
}

static double predict(const cost_rows *rows, size_t row, const double *weights)
{
    double sum = 0.0;
    for (size_t i = 0; i <= rows->all->num_columns; i++)
        sum += weights[i] * column(rows, row, i);
    return sum;
}

/** Normal equations: the upper triangle of `matrix`, and the right side in `weights`. */
static size_t add_equations(const cost_rows *rows, double *matrix, double *weights)
{
    size_t size = rows->all->num_columns + 1, count = 0;
    for (size_t row = 0; row < rows->all->num_rows; row++) {
        double y = logarithm(rows, row);
        if (isnan(y))
            continue;
        count++;
        for (size_t i = 0; i < size; i++) {
            weights[i] += column(rows, row, i) * y;
            for (size_t j = i; j < size; j++)
                matrix[i * size + j] += column(rows, row, i) * column(rows, row, j);
        }
    }
    for (size_t i = 0; i + 1 < size; i++)
        matrix[i * size + i] += RIDGE;
    return count;
}

/** The mean of a cost whose logarithm varies is larger than the exponential of the mean. */
static double mean_correction(const cost_rows *rows, const double *weights)
{
    double squares = 0.0, count = 0.0;
    for (size_t row = 0; row < rows->all->num_rows; row++) {
        double y = logarithm(rows, row);
        if (isnan(y))
            continue;
        double error = y - predict(rows, row, weights);
        squares += error * error;
        count += 1.0;
    }
    return 0.5 * fmin(squares / count, LARGEST_VARIANCE);
}

static nitro_status fit_variant(nitro_context *context, const cost_rows *rows, double *matrix,
                                nitro_prepare_costs *costs)
{
    size_t size = costs->num_columns + 1;
    double *weights = costs->weights + rows->variant * size;
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = 0.0;
    if (add_equations(rows, matrix, weights) == 0)
        return NITRO_OK;
    nitro_status status = nitro_cholesky_factor(context, matrix, size, 1);
    if (status != NITRO_OK)
        return status;
    nitro_cholesky_solve(matrix, size, weights, 1);
    weights[size - 1] += mean_correction(rows, weights);
    costs->prepared |= UINT64_C(1) << rows->variant;
    return NITRO_OK;
}

static nitro_status fit_variants(nitro_context *context, const nitro_training_rows *rows,
                                 nitro_prepare_costs *costs)
{
    size_t size = costs->num_columns + 1;
    uint64_t prepared = nitro_training_rows_prepared(rows, costs->num_variants);
    double *matrix = nitro_calloc(context, size, size * sizeof *matrix);
    nitro_status status = matrix ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t v = 0; v < costs->num_variants && status == NITRO_OK; v++)
        status = fit_variant(context, &(cost_rows){rows, costs->num_variants, v, prepared}, matrix,
                             costs);
    free(matrix);
    return status;
}

static bool has_any(const double *costs_ms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (costs_ms[i] > 0.0)
            return true;
    return false;
}

nitro_status nitro_prepare_costs_fit(nitro_context *context, const nitro_dataset *sources,
                                     const nitro_training_rows *rows, const double *held_out_scores,
                                     nitro_model *model)
{
    size_t num_variants = model->schema->num_variants;
    nitro_prepare_costs *costs = NULL;
    if (model->strategy->loss_per_score != 1.0 ||
        (!has_any(rows->prepare_ms, rows->num_rows * num_variants) &&
         !has_any(rows->features_ms, rows->num_rows)))
        return NITRO_OK;
    nitro_status status =
        nitro_prepare_costs_create(context, rows->num_columns, num_variants, &costs);
    if (status != NITRO_OK)
        return status;
    status = fit_variants(context, rows, costs);
    if (status == NITRO_OK)
        status = nitro_few_uses_fit(context, sources, rows, held_out_scores, costs);
    bool has_few = false;
    for (size_t i = 0; i < costs->num_few; i++)
        has_few = has_few || costs->few[i].uses > 0.0;
    if (status == NITRO_OK && (costs->prepared || has_few))
        model->prepare_costs = costs;
    else
        nitro_prepare_costs_free(costs);
    return status;
}
