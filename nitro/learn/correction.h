/*
 * correction.h - what a few measured inputs say against a model that learnt from other devices: a
 * Gaussian process over its errors. Internal to nitro/.
 */
#ifndef NITRO_LEARN_CORRECTION_H
#define NITRO_LEARN_CORRECTION_H

#include "nitro/runtime/scores/kernel_pair.h"

/**
 * The error of a model at x, expected from those at the measured inputs x_i:
 *     e(x) = sum_i c_i k(x, x_i),  k(a, b) = common + exp(-g |a - b|^2) + exp(-6 g |a - b|^2)
 * with g = 6 / columns: what holds for inputs that are alike, and for those that are nearly the
 * same. Whether anything is common to all inputs, and how much is noise, is chosen from a few
 * priors by the likelihood of the errors (Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, 5.4.1): where nothing is, what is like no measured input stays as the model has it.
 */
typedef nitro_kernel_pair nitro_correction;

/**
 * @param[in] columns  shape [num_inputs x num_columns], as the model sees them.
 * @param[in] errors   shape [num_inputs x num_variants]: what is to be added to the model's scores.
 * @param[out] correction  free with nitro_kernel_pair_free.
 */
nitro_status nitro_correction_fit(nitro_context *context, const double *columns,
                                  const double *errors, size_t num_inputs, size_t num_columns,
                                  size_t num_variants, unsigned num_threads,
                                  nitro_correction **correction);

/**
 * Which inputs to measure: one after the other the one that makes the errors most certain, at all
 * inputs together, each weighted by how much a wrong choice is to be feared there.
 * @param[in]  columns  shape [num_inputs x num_columns].
 * @param[in]  weights  shape [num_inputs], positive.
 * @param[out] chosen   shape [count]: indices, best first; count <= num_inputs. Beyond the first
 *                      thousand inputs they are taken as they come.
 */
nitro_status nitro_correction_plan(nitro_context *context, const double *columns,
                                   const double *weights, size_t num_inputs, size_t num_columns,
                                   size_t count, size_t *chosen);

#endif
