/* smo.h - a weighted binary C-SVC: LIBSVM's solver with an upper bound for every row of its own,
 * for several C one after the other over kernel columns that are gathered once. Internal to nitro/.
 */
#ifndef NITRO_LEARN_SVM_SMO_H
#define NITRO_LEARN_SVM_SMO_H

#include <stdint.h>

#include "nitro/nitro.h"

typedef struct nitro_smo_problem {
    size_t num_rows;
    const signed char *labels; /* shape [num_rows]: +1 or -1; both occur */
    const double *weights;     /* shape [num_rows], > 0: a row's upper bound is C times it; NULL:
                                  all 1 */
    const uint32_t *names;     /* shape [num_rows]: what `gather` calls the rows */
    /** Write K(name, names[k]) to column[k], k < count; K(x, x) is 1, as RBF kernels have it. */
    void (*gather)(const void *user, uint32_t name, const uint32_t *names, size_t count,
                   float *column);
    const void *user;
    double tolerance; /* of the optimality conditions; LIBSVM's eps, 0.001 there */
} nitro_smo_problem;

/** A solver of one problem, with its columns. For one thread at a time. */
typedef struct nitro_smo nitro_smo;

/** @param[in] problem  what it points to is borrowed until nitro_smo_free. */
nitro_status nitro_smo_create(nitro_context *context, const nitro_smo_problem *problem,
                              nitro_smo **smo);
void nitro_smo_free(nitro_smo *smo);

/**
 * Minimise 1/2 a'Qa - e'a over 0 <= a_i <= C weights[i], y'a = 0 (Q_ij = y_i y_j K_ij), choosing
 * pairs by second-order information (Fan, Chen and Lin, JMLR 6, 2005). With equal weights the
 * answer is that of LIBSVM without shrinking, bit for bit: ties and the order of sums are LIBSVM's.
 *
 * @param[out] coefficients  shape [num_rows]: y_i a_i, so that f(x) = sum_i c_i K(x_i, x) - rho.
 * @param[out] c_mattered    false: no upper bound was ever met, and every larger C gives this very
 *                           answer, bit for bit.
 */
void nitro_smo_solve(nitro_smo *smo, double c, double *coefficients, double *rho, bool *c_mattered);

#endif
