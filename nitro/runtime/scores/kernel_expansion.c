/* Evaluates kernel expansions. */
#include "nitro/runtime/scores/kernel_expansion.h"

#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"

nitro_status nitro_kernel_expansion_create(nitro_context *context, size_t num_columns,
                                           size_t num_outputs, size_t num_vectors, double gamma,
                                           nitro_kernel_expansion **expansion)
{
    nitro_kernel_expansion *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    *made = (nitro_kernel_expansion){
        .num_columns = num_columns,
        .num_outputs = num_outputs,
        .num_vectors = num_vectors,
        .gamma = gamma,
        .bias = nitro_calloc(context, num_outputs + 1, sizeof *made->bias),
        .vectors = nitro_calloc(context, num_vectors + 1, (num_columns + 1) * sizeof(double)),
        .coefficients = nitro_calloc(context, num_vectors + 1, (num_outputs + 1) * sizeof(double))};
    if (!made->bias || !made->vectors || !made->coefficients) {
        nitro_kernel_expansion_free(made);
        return NITRO_ERR_NO_MEMORY;
    }
    *expansion = made;
    return NITRO_OK;
}

void nitro_kernel_expansion_free(nitro_kernel_expansion *expansion)
{
    if (!expansion)
        return;
    free(expansion->bias);
    free(expansion->vectors);
    free(expansion->coefficients);
    free(expansion);
}

static double squared_distance_within(const double *columns, const double *vector, size_t count)
{
    double sum = 0.0;
    for (size_t c = 0; c < count; c++) {
        double difference = nitro_clamp(columns[c], -1.0, 1.0) - vector[c];
        sum += difference * difference;
    }
    return sum;
}

void nitro_kernel_expansion_evaluate(const nitro_kernel_expansion *expansion, const double *columns,
                                     double *outputs)
{
    size_t num_columns = expansion->num_columns, num_outputs = expansion->num_outputs;
    for (size_t o = 0; o < num_outputs; o++)
        outputs[o] = expansion->bias[o];
    for (size_t i = 0; i < expansion->num_vectors; i++) {
        double square =
            squared_distance_within(columns, expansion->vectors + i * num_columns, num_columns);
        double kernel = exp(-expansion->gamma * square);
        const double *coefficients = expansion->coefficients + i * num_outputs;
        for (size_t o = 0; o < num_outputs; o++)
            outputs[o] += kernel * coefficients[o];
    }
}
