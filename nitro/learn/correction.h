/* correction.h - the errors of a model on measured inputs as a Gaussian process. Internal to
 * nitro/learn. */
#ifndef NITRO_LEARN_CORRECTION_H
#define NITRO_LEARN_CORRECTION_H

#include "nitro/runtime/scores/kernel_pair.h"

/**
 * Fit the model's error at x, expected from those at the measured inputs x_i:
 *     e(x) = sum_i c_i k(x, x_i),  k(a, b) = common + exp(-g |a - b|^2) + exp(-6 g |a - b|^2)
 * with g = 6 / columns. The variance common to all inputs and that of the noise are those, of a few
 * priors, under which the errors are likeliest (Rasmussen and Williams, Gaussian Processes for
 * Machine Learning, 5.4.1). Without common error, inputs far from all measured ones stay
 * uncorrected.
 * @param[in] columns  shape [num_inputs x num_columns], as the model sees them.
 * @param[in] errors   shape [num_inputs x num_variants]: to be added to the model's scores.
 * @param[out] correction  free with nitro_kernel_pair_free.
 */
nitro_status nitro_correction_fit(nitro_context *context, const double *columns,
                                  const double *errors, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, unsigned num_threads,
                                  nitro_kernel_pair **correction);

/**
 * Choose inputs to measure, greedily: each the one that reduces the weighted variance of the errors
 * at all inputs most.
 * @param[in]  columns  shape [num_inputs x num_columns].
 * @param[in]  weights  shape [num_inputs], positive: how likely a wrong choice is.
 * @param[out] chosen   shape [count]: indices, best first; count <= num_inputs. Only the first
 *                      thousand inputs are compared.
 */
nitro_status nitro_correction_plan(nitro_context *context, const double *columns,
                                   const double *weights, size_t num_inputs, size_t num_columns,
                                   size_t count, size_t *chosen);

#endif
