/*
 * kernel_expansion.h - sums of RBF kernels: output_o(x) = bias_o + sum_i c_io exp(-gamma |x -
 * v_i|^2). Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_SCORES_KERNEL_EXPANSION_H
#define NITRO_RUNTIME_SCORES_KERNEL_EXPANSION_H

#include "nitro/nitro_backend.h"

typedef struct nitro_kernel_expansion {
    size_t num_columns, num_outputs, num_vectors;
    double gamma;
    double *bias;         /* shape [num_outputs] */
    double *vectors;      /* shape [num_vectors x num_columns] */
    double *coefficients; /* shape [num_vectors x num_outputs] */
} nitro_kernel_expansion;

/** All zero but gamma. @param[out] expansion  free with nitro_kernel_expansion_free. */
nitro_status nitro_kernel_expansion_create(nitro_context *context, size_t num_columns,
                                           size_t num_outputs, size_t num_vectors, double gamma,
                                           nitro_kernel_expansion **expansion);
void nitro_kernel_expansion_free(nitro_kernel_expansion *expansion);

/**
 * Evaluate all outputs in one pass over the vectors. Columns are clamped to [-1, 1], since kernels
 * vanish far outside the training range.
 * @param[in]  columns  shape [num_columns], finite or not, but no NaN.
 * @param[out] outputs  shape [num_outputs].
 * Allocates nothing; safe from any number of threads.
 */
void nitro_kernel_expansion_evaluate(const nitro_kernel_expansion *expansion, const double *columns,
                                     double *outputs);

#endif
