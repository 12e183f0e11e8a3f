/*
 * Costs of preparing by ridge regression. On SpMV formats of a host, the logarithm is linear in the
 * scaled features to within the noise of the measured costs: quadratic terms and hinges gain
 * nothing.
 */
#include "nitro/learn/prepare_costs_fit.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/base/cholesky.h"
#include "nitro/learn/data/dataset.h"

#define RIDGE            1.0  /* rows' worth of evidence that a column does not matter */
#define LEAST_RUNS       1e-6 /* a cost that the clock does not see */
#define LARGEST_VARIANCE 1.0  /* of the logarithm that is corrected for */

/** Rows of one variant: where its cost and the best time are known. */
typedef struct cost_rows {
    const nitro_training_rows *all;
    size_t num_variants, variant;
} cost_rows;

/** ln(cost / best time); NaN: unknown. */
static double logarithm(const cost_rows *rows, size_t row)
{
    const double *times = rows->all->times_ms + row * rows->num_variants;
    double prepare_ms = rows->all->prepare_ms[row * rows->num_variants + rows->variant];
    double best_ms = times[nitro_times_best(times, rows->num_variants)];
    return isnan(prepare_ms) ? NAN : log(fmax(prepare_ms / best_ms, LEAST_RUNS));
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
    double *matrix = nitro_calloc(context, size, size * sizeof *matrix);
    nitro_status status = matrix ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t v = 0; v < costs->num_variants && status == NITRO_OK; v++)
        status = fit_variant(context, &(cost_rows){rows, costs->num_variants, v}, matrix, costs);
    free(matrix);
    return status;
}

/* ---- Few uses -------------------------------------------------------------------------------- */

/** Times of one use, over rows with held-out scores. Large inputs decide the total, and mostly
 * small ones the total in units of each row's best: a choice must be good by both, since neither of
 * them alone holds for inputs of other sizes. */
typedef struct use_cost {
    double total_ms, relative;
} use_cost;

typedef struct use_costs {
    double uses;
    size_t num_rows;
    use_cost best, chosen;               /* by the model, features included */
    use_cost fixed[NITRO_MAX_VARIANTS];  /* always this variant; infinite if some row has no time */
    size_t num_good[NITRO_MAX_VARIANTS]; /* rows where it is within 5 % of the best */
} use_costs;

static void add_cost(double time_ms, double best_ms, use_cost *to)
{
    to->total_ms += time_ms;
    to->relative += time_ms / best_ms;
}

/** Time of one use; infinite without a time. */
static double time_of_use(const nitro_training_rows *rows, size_t place, double uses)
{
    double prepare_ms = rows->prepare_ms[place];
    double time_ms = rows->times_ms[place] + (isnan(prepare_ms) ? 0.0 : prepare_ms / uses);
    return isnan(time_ms) ? INFINITY : time_ms;
}

static void add_row(const nitro_training_rows *rows, const double *held_out_scores,
                    const nitro_prepare_costs *costs, size_t row, use_costs *of_use)
{
    size_t num_variants = costs->num_variants, first = row * num_variants;
    double scores[NITRO_MAX_VARIANTS] = {0}, times[NITRO_MAX_VARIANTS] = {0}, best_ms = INFINITY;
    uint64_t timed = 0;
    for (size_t v = 0; v < num_variants; v++) {
        scores[v] = held_out_scores[first + v];
        times[v] = time_of_use(rows, first + v, of_use->uses);
        best_ms = fmin(best_ms, times[v]);
        timed |= (uint64_t)isfinite(times[v]) << v;
    }
    if (isnan(scores[0]))
        return;
    nitro_prepare_costs_charge(costs, rows->columns + row * rows->num_columns, 1.0 / of_use->uses,
                               timed, scores);
    for (size_t v = 0; v < num_variants; v++)
        if (!(timed >> v & 1))
            scores[v] = -INFINITY;
    double features_ms = isnan(rows->features_ms[row]) ? 0.0 : rows->features_ms[row];
    of_use->num_rows++;
    add_cost(best_ms, best_ms, &of_use->best);
    add_cost(times[nitro_scores_best(scores, num_variants)] + features_ms / of_use->uses, best_ms,
             &of_use->chosen);
    for (size_t v = 0; v < num_variants; v++) {
        add_cost(times[v], best_ms, &of_use->fixed[v]);
        of_use->num_good[v] += best_ms >= NITRO_GOOD_QUALITY * times[v];
    }
}

static double over_best(const use_costs *of_use, size_t variant)
{
    return of_use->fixed[variant].total_ms / of_use->best.total_ms +
           of_use->fixed[variant].relative / of_use->best.relative;
}

static size_t find_best_fixed(const use_costs *of_use, size_t num_variants)
{
    size_t best = 0;
    for (size_t v = 1; v < num_variants; v++)
        if (over_best(of_use, v) < over_best(of_use, best))
            best = v;
    return best;
}

/** Up to which number of uses is one variant, without features, at least as good as choosing? */
static void find_few_uses(const nitro_training_rows *rows, const double *held_out_scores,
                          nitro_prepare_costs *costs)
{
    static const double steps[] = {1, 2, 3, 5, 7};
    size_t num_steps = sizeof steps / sizeof steps[0];
    for (size_t level = 0; level < 6 * num_steps; level++) {
        use_costs of_use = {.uses =
                                steps[level % num_steps] * pow(10.0, (double)(level / num_steps))};
        for (size_t row = 0; row < rows->num_rows; row++)
            add_row(rows, held_out_scores, costs, row, &of_use);
        if (level == 0)
            costs->few_variant = find_best_fixed(&of_use, costs->num_variants);
        const use_cost *fixed = &of_use.fixed[costs->few_variant];
        if (of_use.num_rows == 0 || !(fixed->total_ms <= of_use.chosen.total_ms) ||
            !(fixed->relative <= of_use.chosen.relative))
            break;
        costs->few_uses = of_use.uses;
        costs->few_confidence =
            (double)of_use.num_good[costs->few_variant] / (double)of_use.num_rows;
    }
}

static bool has_any(const double *costs_ms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (costs_ms[i] > 0.0)
            return true;
    return false;
}

nitro_status nitro_prepare_costs_fit(nitro_context *context, const nitro_training_rows *rows,
                                     const double *held_out_scores, nitro_model *model)
{
    size_t num_variants = model->schema->num_variants;
    nitro_prepare_costs *costs = NULL;
    if (model->strategy->loss_per_score != 1.0 ||
        (!has_any(rows->prepare_ms, rows->num_rows * num_variants) &&
         !has_any(rows->features_ms, rows->num_rows)))
        return NITRO_OK;
    nitro_status status =
        nitro_prepare_costs_create(context, rows->num_columns, num_variants, &costs);
    if (status == NITRO_OK)
        status = fit_variants(context, rows, costs);
    if (status == NITRO_OK)
        find_few_uses(rows, held_out_scores, costs);
    if (status == NITRO_OK && (costs->prepared || costs->few_uses > 0.0))
        model->prepare_costs = costs;
    else
        nitro_prepare_costs_free(costs);
    return status;
}
