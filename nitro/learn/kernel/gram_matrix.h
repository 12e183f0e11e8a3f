/* gram_matrix.h - A'A, the normal equations of least squares. Internal to nitro/learn. */
#ifndef NITRO_LEARN_KERNEL_GRAM_MATRIX_H
#define NITRO_LEARN_KERNEL_GRAM_MATRIX_H

#include "nitro/nitro_backend.h"

/**
 * Add the inner products of the columns, on and above the diagonal; below it, the result is
 * undefined. Does not depend on the number of threads or the processor.
 * @param[in]     rows  shape [count x size], row-major.
 * @param[in,out] gram  shape [size x size].
 * @param[in]     num_threads  0: one per core.
 * @return NITRO_OK, or as nitro_parallel_run.
 */
nitro_status nitro_gram_matrix(const double *rows, size_t count, size_t size, unsigned num_threads,
                               double *gram);

#endif
