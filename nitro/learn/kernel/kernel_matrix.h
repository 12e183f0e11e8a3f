/* kernel_matrix.h - the RBF kernel matrix of training rows. Internal to nitro/. */
#ifndef NITRO_LEARN_KERNEL_KERNEL_MATRIX_H
#define NITRO_LEARN_KERNEL_KERNEL_MATRIX_H

#include "nitro/nitro_backend.h"

/**
 * exp(-gamma |a - b|^2) of all pairs of rows, computed on threads.
 * @param[in]  columns  shape [num_rows x num_columns].
 * @param[out] kernel   shape [num_rows x num_rows], symmetric; free with free(). Single precision:
 *                      its error is far below what learning tolerates, and it halves the memory.
 */
nitro_status nitro_kernel_matrix(nitro_context *context, const double *columns, size_t num_rows,
                                 size_t num_columns, double gamma, unsigned num_threads,
                                 float **kernel);

#endif
