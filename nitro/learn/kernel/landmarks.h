/*
 * landmarks.h - kernel expansions on a few representative rows (Nystroem's method): the cost of a
 * decision does not grow with the training set. Internal to nitro/learn.
 */
#ifndef NITRO_LEARN_KERNEL_LANDMARKS_H
#define NITRO_LEARN_KERNEL_LANDMARKS_H

#include "nitro/runtime/scores/kernel_expansion.h"

/**
 * Most landmarks. On recorded SpMV data (four devices, 1,700 rows to learn from, three seeds)
 * auto's mean quality was 96.41 with 192 of them and 96.43 with 256.
 */
#define NITRO_LANDMARKS_MAX 256

/** An expansion on the members' landmarks; its coefficients are zero, to be fitted. */
nitro_status nitro_landmarks_expansion(nitro_context *context, const double *columns,
                                       size_t num_columns, const size_t *members, size_t count,
                                       size_t num_outputs, double gamma,
                                       nitro_kernel_expansion **expansion);

/**
 * Fit the sum of expansions, each sum_j c_j K(x, v_j) over its vectors v, to targets by least
 * squares, with `ridge` times each one's squared norm. Biases are not fitted: subtract them from
 * the targets.
 * @param[in]     targets   shape [count x num_outputs].
 * @param[in,out] expansions  shape [num_expansions]: vectors and gammas are set; coefficients are
 *                            fitted.
 */
nitro_status nitro_landmarks_fit(nitro_context *context, const double *columns,
                                 const size_t *members, size_t count, const double *targets,
                                 double ridge, unsigned num_threads,
                                 nitro_kernel_expansion *const *expansions, size_t num_expansions);

#endif
