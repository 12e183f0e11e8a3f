/* smo.h - a weighted binary C-SVC: LIBSVM's solver with an upper bound for every row of its own,
 * over a kernel matrix that many trainings share. */
#ifndef NITRO_SMO_H
#define NITRO_SMO_H

#include "nitro/nitro.h"

typedef struct nitro_smo_problem {
    size_t num_rows;
    const size_t *rows;         /* shape [num_rows]: this problem's rows in the shared kernel */
    const signed char *labels;  /* shape [num_rows]: +1 or -1 */
    const double *upper_bounds; /* shape [num_rows]: C times the row's weight, > 0 */
    const float *kernel;        /* shape [kernel_size x kernel_size], K(x, x') */
    size_t kernel_size;
    double tolerance; /* of the optimality conditions; LIBSVM's eps, 0.001 there */
} nitro_smo_problem;

/**
 * Minimise 1/2 a'Qa - e'a over 0 <= a_i <= upper_bounds[i], y'a = 0 (Q_ij = y_i y_j K_ij), choosing
 * pairs by second-order information (Fan, Chen and Lin, JMLR 6, 2005). With equal bounds the answer
 * is that of LIBSVM without shrinking, bit for bit: ties and the order of sums are LIBSVM's.
 *
 * @param[out] coefficients  shape [num_rows]: y_i a_i, so that f(x) = sum_i c_i K(x_i, x) - rho.
 * @return NITRO_OK or NITRO_ERR_NO_MEMORY. Both labels must occur. Safe from any number of threads
 *         on one kernel matrix.
 */
nitro_status nitro_smo_solve(nitro_context *context, const nitro_smo_problem *problem,
                             double *coefficients, double *rho);

#endif
