/* Counter models by least squares: for each combination of the parameters that have two values, a
 * quadratic polynomial with interactions of the others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/counter_model.h"

/* Relative to the diagonal: terms that the rows do not tell apart share a coefficient. */
#define RIDGE 1e-9

size_t search_counter_num_terms(const nitro_counter_model *model)
{
    size_t others = model->num_parameters - model->num_binary;
    return 1 + others + others * (others + 1) / 2;
}

static void fill_terms(const nitro_counter_model *model, const double *values, double *terms)
{
    double scaled[NITRO_MAX_PARAMETERS];
    size_t others = 0, t = 0;
    for (size_t p = 0; p < model->num_parameters; p++) {
        const counter_parameter *parameter = &model->parameters[p];
        if (!parameter->binary)
            scaled[others++] = (values[p] - parameter->centre) / parameter->width;
    }
    terms[t++] = 1;
    for (size_t i = 0; i < others; i++)
        terms[t++] = scaled[i];
    for (size_t i = 0; i < others; i++)
        for (size_t j = 0; j <= i; j++)
            terms[t++] = scaled[i] * scaled[j];
}

/* Parameters of the part that differ. */
static size_t num_different(const nitro_counter_model *model, const counter_part *part,
                            const double *values)
{
    size_t count = 0, b = 0;
    for (size_t p = 0; p < model->num_parameters; p++)
        if (model->parameters[p].binary)
            count += part->levels[b++] != values[p];
    return count;
}

static const counter_part *nearest_part(const nitro_counter_model *model, const double *values)
{
    const counter_part *nearest = &model->parts[0];
    size_t least = num_different(model, nearest, values);
    for (size_t i = 1; i < model->num_parts && least > 0; i++) {
        size_t count = num_different(model, &model->parts[i], values);
        if (count < least) {
            least = count;
            nearest = &model->parts[i];
        }
    }
    return nearest;
}

void search_counter_parts_predict(const nitro_counter_model *model, const double *values,
                                  double *counters)
{
    double terms[1 + NITRO_MAX_PARAMETERS + NITRO_MAX_PARAMETERS * (NITRO_MAX_PARAMETERS + 1) / 2];
    const counter_part *part = nearest_part(model, values);
    fill_terms(model, values, terms);
    for (size_t c = 0; c < model->counters.count; c++) {
        const double *coefficients = part->coefficients + c * model->num_terms;
        counters[c] = 0;
        for (size_t t = 0; t < model->num_terms; t++)
            counters[c] += coefficients[t] * terms[t];
    }
}

/* Solve A x = b for a positive definite A, shape [n x n], of which the lower half is overwritten.
 */
static void solve(double *matrix, size_t n, double *vector)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= matrix[i * n + k] * matrix[j * n + k];
            matrix[i * n + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / matrix[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            vector[i] -= matrix[i * n + k] * vector[k];
        vector[i] /= matrix[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            vector[i] -= matrix[k * n + i] * vector[k];
        vector[i] /= matrix[i * n + i];
    }
}

/* One counter of one part, by its rows where the counter is known. */
static void fit_counter(const nitro_counter_model *model, const counter_rows *rows,
                        const counter_part *part, size_t counter, double *matrix, double *terms,
                        double *coefficients)
{
    size_t n = model->num_terms, count = 0;
    double trace = 0;
    memset(matrix, 0, n * n * sizeof(*matrix));
    memset(coefficients, 0, n * sizeof(*coefficients));
    for (size_t row = 0; row < rows->num_rows; row++) {
        const double *values = rows->values + row * rows->num_parameters;
        double target = rows->counters[row * rows->num_counters + counter];
        if (isnan(target) || num_different(model, part, values) > 0)
            continue;
        fill_terms(model, values, terms);
        count++;
        for (size_t i = 0; i < n; i++) {
            coefficients[i] += terms[i] * target;
            for (size_t j = 0; j <= i; j++)
                matrix[i * n + j] += terms[i] * terms[j];
        }
    }
    for (size_t i = 0; i < n; i++)
        trace += matrix[i * n + i];
    for (size_t i = 0; i < n; i++)
        matrix[i * n + i] += RIDGE * trace / (double)n + (count == 0);
    solve(matrix, n, coefficients);
}

static nitro_status add_part(nitro_context *context, nitro_counter_model *model,
                             const double *values)
{
    counter_part *parts = realloc(model->parts, (model->num_parts + 1) * sizeof(*model->parts));
    if (!parts)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: a counter model");
    model->parts = parts;
    counter_part *part = &parts[model->num_parts];
    part->levels = nitro_calloc(context, model->num_binary + 1, sizeof(*part->levels));
    part->coefficients =
        nitro_calloc(context, model->counters.count * model->num_terms, sizeof(double));
    model->num_parts++;
    if (!part->levels || !part->coefficients)
        return NITRO_ERR_NO_MEMORY;
    for (size_t p = 0, b = 0; p < model->num_parameters; p++)
        if (model->parameters[p].binary)
            part->levels[b++] = values[p];
    return NITRO_OK;
}

nitro_status search_counter_parts_fit(nitro_context *context, const counter_rows *rows,
                                      nitro_counter_model *model)
{
    size_t n = model->num_terms = search_counter_num_terms(model);
    nitro_status status = NITRO_OK;
    for (size_t row = 0; status == NITRO_OK && row < rows->num_rows; row++) {
        const double *values = rows->values + row * rows->num_parameters;
        if (model->num_parts == 0 || num_different(model, nearest_part(model, values), values) > 0)
            status = add_part(context, model, values);
    }
    double *matrix = nitro_calloc(context, n * n, sizeof(*matrix));
    double *terms = nitro_calloc(context, n, sizeof(*terms));
    if (!matrix || !terms)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < model->num_parts; i++)
        for (size_t c = 0; c < rows->num_counters; c++)
            fit_counter(model, rows, &model->parts[i], c, matrix, terms,
                        model->parts[i].coefficients + c * n);
    free(matrix);
    free(terms);
    return status;
}
