/*
 * Errors of a model as a Gaussian process. The kernels' widths come from a study on recorded SpMV
 * data, each device held out in turn: errors were likeliest under about these. The common error and
 * the noise differ between targets, so the measured inputs choose among priors.
 */
#include "nitro/learn/correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/cholesky.h"

#define GAMMA_TIMES_COLUMNS 6.0 /* of the wide kernel; distances grow with the columns */
#define NARROWER            6.0 /* an integer, so that a compiled model computes one exponential */
#define MAX_COMPARED        200 /* inputs that priors are compared by */
#define MAX_PLANNED         1000

/** Variances, relative to those of the two kernels. */
typedef struct error_prior {
    double common; /* of the error that all inputs share */
    double noise;  /* independent between inputs */
} error_prior;

/** Planning uses the first. */
static const error_prior priors[] = {{0.0, 2.0}, {0.0, 0.6}, {0.0, 6.0},
                                     {4.0, 2.0}, {4.0, 0.6}, {4.0, 6.0}};

enum { NUM_PRIORS = sizeof priors / sizeof priors[0] };

static double gamma_of(size_t expansion, size_t num_columns)
{
    return (expansion == NITRO_WIDE ? 1.0 : NARROWER) * GAMMA_TIMES_COLUMNS /
           fmax(1.0, (double)num_columns);
}

static double kernel(const double *a, const double *b, size_t num_columns)
{
    double sum = 0.0;
    for (size_t c = 0; c < num_columns; c++) {
        double difference = fmin(fmax(a[c], -1.0), 1.0) - fmin(fmax(b[c], -1.0), 1.0);
        sum += difference * difference;
    }
    return exp(-gamma_of(NITRO_WIDE, num_columns) * sum) +
           exp(-gamma_of(NITRO_NARROW, num_columns) * sum);
}

/** Both triangles, without noise and common error. */
static void fill_kernel(const double *columns, size_t num_inputs, size_t num_columns,
                        double *matrix)
{
    for (size_t i = 0; i < num_inputs; i++)
        for (size_t j = i; j < num_inputs; j++)
            matrix[i * num_inputs + j] = matrix[j * num_inputs + i] =
                kernel(columns + i * num_columns, columns + j * num_columns, num_columns);
}

/** Solve (K + common + noise) C = errors in place; `matrix` holds K and becomes its factor. */
static nitro_status solve(nitro_context *context, double *matrix, size_t num_inputs,
                          const error_prior *prior, unsigned num_threads, double *coefficients,
                          size_t num_variants)
{
    for (size_t i = 0; i < num_inputs * num_inputs; i++)
        matrix[i] += prior->common;
    for (size_t i = 0; i < num_inputs; i++)
        matrix[i * num_inputs + i] += prior->noise;
    nitro_status status = nitro_cholesky_factor(context, matrix, num_inputs, num_threads);
    if (status == NITRO_OK)
        nitro_cholesky_solve(matrix, num_inputs, coefficients, num_variants);
    return status;
}

/** Under the prior that was solved for, each variant at its likeliest scale. */
static double log_likelihood(const double *factor, const double *errors, const double *coefficients,
                             size_t num_inputs, size_t num_variants)
{
    double roots = 0.0, sum = 0.0;
    for (size_t i = 0; i < num_inputs; i++)
        roots += log(factor[i * num_inputs + i]);
    for (size_t v = 0; v < num_variants; v++) {
        double square = 0.0;
        for (size_t i = 0; i < num_inputs; i++)
            square += errors[i * num_variants + v] * coefficients[i * num_variants + v];
        if (square > 0.0) /* else equally likely under any prior */
            sum -= roots + 0.5 * (double)num_inputs * log(square);
    }
    return sum;
}

/** The prior under which the errors are likeliest. */
static nitro_status choose_prior(nitro_context *context, const double *columns,
                                 const double *errors, size_t num_inputs, size_t num_columns,
                                 size_t num_variants, unsigned num_threads, error_prior *chosen)
{
    size_t count = num_inputs < MAX_COMPARED ? num_inputs : MAX_COMPARED;
    double *kernels = nitro_calloc(context, count, count * sizeof *kernels);
    double *matrix = nitro_calloc(context, count, count * sizeof *matrix);
    double *coefficients = nitro_calloc(context, count, num_variants * sizeof *coefficients);
    nitro_status status = kernels && matrix && coefficients ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    double most = -INFINITY;
    if (status == NITRO_OK)
        fill_kernel(columns, count, num_columns, kernels);
    for (size_t p = 0; p < NUM_PRIORS && status == NITRO_OK; p++) {
        memcpy(matrix, kernels, count * count * sizeof *matrix);
        memcpy(coefficients, errors, count * num_variants * sizeof *errors);
        status = solve(context, matrix, count, &priors[p], num_threads, coefficients, num_variants);
        if (status != NITRO_OK)
            break;
        double likelihood = log_likelihood(matrix, errors, coefficients, count, num_variants);
        if (p == 0 || (likelihood > most && count > 1)) { /* one input: any */
            most = likelihood;
            *chosen = priors[p];
        }
    }
    free(kernels);
    free(matrix);
    free(coefficients);
    return status;
}

/** Both expansions have the same vectors and coefficients; the common error is the wide one's bias.
 */
static nitro_status make_expansions(nitro_context *context, const double *columns,
                                    const double *coefficients, size_t num_inputs,
                                    size_t num_columns, size_t num_variants, double common,
                                    nitro_kernel_pair *correction)
{
    for (size_t m = 0; m < NITRO_KERNEL_PAIR_SIZE; m++) {
        nitro_kernel_expansion *expansion = NULL;
        nitro_status status = nitro_kernel_expansion_create(
            context, num_columns, num_variants, num_inputs, gamma_of(m, num_columns), &expansion);
        if (status != NITRO_OK)
            return status;
        correction->expansions[m] = expansion;
        for (size_t i = 0; i < num_inputs * num_columns; i++)
            expansion->vectors[i] = fmin(fmax(columns[i], -1.0), 1.0);
        memcpy(expansion->coefficients, coefficients,
               num_inputs * num_variants * sizeof *coefficients);
        for (size_t i = 0; m == NITRO_WIDE && i < num_inputs * num_variants; i++)
            expansion->bias[i % num_variants] += common * coefficients[i];
    }
    return NITRO_OK;
}

nitro_status nitro_correction_fit(nitro_context *context, const double *columns,
                                  const double *errors, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, unsigned num_threads,
                                  nitro_kernel_pair **correction)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    nitro_kernel_pair *made = nitro_calloc(context, 1, sizeof *made);
    double *coefficients = nitro_calloc(context, num_inputs, num_variants * sizeof *coefficients);
    double *matrix = nitro_calloc(context, num_inputs, num_inputs * sizeof *matrix);
    error_prior prior = {0};
    if (made && coefficients && matrix) {
        fill_kernel(columns, num_inputs, num_columns, matrix);
        memcpy(coefficients, errors, num_inputs * num_variants * sizeof *errors);
        status = choose_prior(context, columns, errors, num_inputs, num_columns, num_variants,
                              num_threads, &prior);
    }
    if (status == NITRO_OK)
        status =
            solve(context, matrix, num_inputs, &prior, num_threads, coefficients, num_variants);
    if (status == NITRO_OK)
        status = make_expansions(context, columns, coefficients, num_inputs, num_columns,
                                 num_variants, prior.common, made);
    free(coefficients);
    free(matrix);
    if (status == NITRO_OK)
        *correction = made;
    else
        nitro_kernel_pair_free(made);
    return status;
}

/** The input that reduces the weighted variance most, the first of equals. */
static size_t most_informative(const double *covariance, const double *weights, const bool *taken,
                               size_t num_inputs)
{
    size_t best = NITRO_NONE;
    double most = -1.0;
    for (size_t j = 0; j < num_inputs; j++) {
        const double *row = covariance + j * num_inputs;
        double gain = 0.0;
        for (size_t i = 0; i < num_inputs; i++)
            gain += weights[i] * row[i] * row[i];
        gain /= row[j] + priors[0].noise;
        if (!taken[j] && gain > most) {
            most = gain;
            best = j;
        }
    }
    return best;
}

/** Covariance once input `known` is measured. `row` has room for a row. */
static void condition(double *covariance, size_t num_inputs, size_t known, double *row)
{
    memcpy(row, covariance + known * num_inputs, num_inputs * sizeof *row);
    double variance = row[known] + priors[0].noise;
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
            chosen[k] = most_informative(covariance, weights, taken, num_planned);
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
