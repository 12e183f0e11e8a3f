/* Errors of a model as a Gaussian process: learning it, and what to ask for. */
#include "nitro/correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/cholesky.h"

#define CONSTANT            0.3
#define GAMMA_TIMES_COLUMNS 1.6 /* as kernel machines have it: distances grow with the columns */
#define NARROWER            6.0
#define NOISE               1.0 /* variance of what no input's neighbours tell */
#define MAX_PLANNED         1000

/* ---- The kernel ------------------------------------------------------------------------------ */

static double gamma_of(size_t machine, size_t num_columns)
{
    return (machine == NITRO_WIDE ? 1.0 : NARROWER) * GAMMA_TIMES_COLUMNS /
           fmax(1.0, (double)num_columns);
}

static double kernel(const double *a, const double *b, size_t num_columns)
{
    double sum = 0.0;
    for (size_t c = 0; c < num_columns; c++) {
        double difference = fmin(fmax(a[c], -1.0), 1.0) - fmin(fmax(b[c], -1.0), 1.0);
        sum += difference * difference;
    }
    return CONSTANT + exp(-gamma_of(NITRO_WIDE, num_columns) * sum) +
           exp(-gamma_of(NITRO_NARROW, num_columns) * sum);
}

static void fill_kernel(const double *columns, size_t num_inputs, size_t num_columns,
                        double *matrix)
{
    for (size_t i = 0; i < num_inputs; i++)
        for (size_t j = i; j < num_inputs; j++)
            matrix[i * num_inputs + j] = matrix[j * num_inputs + i] =
                kernel(columns + i * num_columns, columns + j * num_columns, num_columns);
}

/* ---- Fitting --------------------------------------------------------------------------------- */

/** Solve (K + noise) C = errors in place. */
static nitro_status solve(nitro_context *context, const double *columns, size_t num_inputs,
                          size_t num_columns, unsigned num_threads, double *coefficients,
                          size_t num_variants)
{
    double *matrix = nitro_calloc(context, num_inputs, num_inputs * sizeof *matrix);
    if (!matrix)
        return NITRO_ERR_NO_MEMORY;
    fill_kernel(columns, num_inputs, num_columns, matrix);
    for (size_t i = 0; i < num_inputs; i++)
        matrix[i * num_inputs + i] += NOISE;
    nitro_status status = nitro_cholesky_factor(context, matrix, num_inputs, num_threads);
    if (status == NITRO_OK)
        nitro_cholesky_solve(matrix, num_inputs, coefficients, num_variants);
    free(matrix);
    return status;
}

/** Both machines have the same vectors and coefficients; the constant part is the wide one's bias.
 */
static nitro_status make_machines(nitro_context *context, const double *columns,
                                  const double *coefficients, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, nitro_correction *correction)
{
    for (size_t m = 0; m < NITRO_MACHINE_PAIR_SIZE; m++) {
        nitro_kernel_machine *machine = NULL;
        nitro_status status = nitro_kernel_machine_create(
            context, num_columns, num_variants, num_inputs, gamma_of(m, num_columns), &machine);
        if (status != NITRO_OK)
            return status;
        correction->machines[m] = machine;
        for (size_t i = 0; i < num_inputs * num_columns; i++)
            machine->vectors[i] = fmin(fmax(columns[i], -1.0), 1.0);
        memcpy(machine->coefficients, coefficients,
               num_inputs * num_variants * sizeof *coefficients);
        for (size_t i = 0; m == NITRO_WIDE && i < num_inputs * num_variants; i++)
            machine->bias[i % num_variants] += CONSTANT * coefficients[i];
    }
    return NITRO_OK;
}

nitro_status nitro_correction_fit(nitro_context *context, const double *columns,
                                  const double *errors, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, unsigned num_threads,
                                  nitro_correction **correction)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    nitro_correction *made = nitro_calloc(context, 1, sizeof *made);
    double *coefficients = nitro_calloc(context, num_inputs, num_variants * sizeof *coefficients);
    if (made && coefficients) {
        memcpy(coefficients, errors, num_inputs * num_variants * sizeof *errors);
        status = solve(context, columns, num_inputs, num_columns, num_threads, coefficients,
                       num_variants);
    }
    if (status == NITRO_OK)
        status = make_machines(context, columns, coefficients, num_inputs, num_columns,
                               num_variants, made);
    free(coefficients);
    if (status == NITRO_OK)
        *correction = made;
    else
        nitro_machine_pair_free(made);
    return status;
}

/* ---- Planning -------------------------------------------------------------------------------- */

/** The input that takes away most of the weighted variance, the first of equals. */
static size_t most_telling(const double *covariance, const double *weights, const bool *taken,
                           size_t num_inputs)
{
    size_t best = NITRO_NONE;
    double most = -1.0;
    for (size_t j = 0; j < num_inputs; j++) {
        const double *row = covariance + j * num_inputs;
        double gain = 0.0;
        for (size_t i = 0; i < num_inputs; i++)
            gain += weights[i] * row[i] * row[i];
        gain /= row[j] + NOISE;
        if (!taken[j] && gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

/** What is still unknown once input `known` is measured. `row` has room for a row. */
static void condition(double *covariance, size_t num_inputs, size_t known, double *row)
{
    memcpy(row, covariance + known * num_inputs, num_inputs * sizeof *row);
    double variance = row[known] + NOISE;
    for (size_t i = 0; i < num_inputs; i++)
        for (size_t j = 0; j < num_inputs; j++)
            covariance[i * num_inputs + j] -= row[i] * row[j] / variance;
}

nitro_status nitro_correction_plan(nitro_context *context, const double *columns,
                                   const double *weights, size_t num_inputs, size_t num_columns,
                                   size_t count, size_t *chosen)
{
    size_t num_planned = num_inputs < MAX_PLANNED ? num_inputs : MAX_PLANNED;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    double *covariance = nitro_calloc(context, num_planned, num_planned * sizeof *covariance);
    double *row = nitro_calloc(context, num_planned, sizeof *row);
    bool *taken = nitro_calloc(context, num_planned, sizeof *taken);
    if (covariance && row && taken) {
        fill_kernel(columns, num_planned, num_columns, covariance);
        for (size_t k = 0; k < count && k < num_planned; k++) {
            chosen[k] = most_telling(covariance, weights, taken, num_planned);
            taken[chosen[k]] = true;
            condition(covariance, num_planned, chosen[k], row);
        }
        for (size_t k = num_planned; k < count; k++)
            chosen[k] = k;
        status = NITRO_OK;
    }
    free(covariance);
    free(row);
    free(taken);
    return status;
}
