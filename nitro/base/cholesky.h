/* cholesky.h - linear systems with a symmetric positive definite matrix. Internal to nitro/. */
#ifndef NITRO_BASE_CHOLESKY_H
#define NITRO_BASE_CHOLESKY_H

#include "nitro/nitro_backend.h"

/**
 * A = U'U in place: the upper triangle of A becomes U; the lower one is neither read nor changed.
 * Sums have a fixed order, so results do not depend on the number of threads. About size^3 / 3
 * operations.
 * @param[in,out] matrix  shape [size x size], row-major, finite.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT: not positive definite (the matrix is overwritten).
 */
nitro_status nitro_cholesky_factor(nitro_context *context, double *matrix, size_t size,
                                   unsigned num_threads);

/**
 * Solve A X = B, given U.
 * @param[in,out] values  shape [size x count]: B, then X.
 */
void nitro_cholesky_solve(const double *factor, size_t size, double *values, size_t count);

#endif
