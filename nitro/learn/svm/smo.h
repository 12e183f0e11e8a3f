/* smo.h - a weighted binary C-SVC: LIBSVM's solver without shrinking, with an upper bound for each
 * row, for several C on kernel columns that are gathered once. Internal to nitro/. */
#ifndef NITRO_LEARN_SVM_SMO_H
#define NITRO_LEARN_SVM_SMO_H

#include <stdint.h>

#include "nitro/learn/svm/smo_pass.h"
#include "nitro/nitro.h"

typedef struct nitro_smo_problem {
    size_t num_rows;
    const signed char *labels; /* shape [num_rows]: +1 or -1; both occur */
    const double *weights;     /* shape [num_rows], > 0: C times it is a row's upper bound; NULL:
                                  all 1 */
    const uint32_t *ids;       /* shape [num_rows]: the rows' numbers for `gather` */
    /** Write K(id, ids[k]) to column[k], k < count; K(x, x) is 1, as with RBF kernels. */
    void (*gather)(const void *user, uint32_t id, const uint32_t *ids, size_t count, float *column);
    const void *user;
    double tolerance;               /* of the optimality conditions: LIBSVM's eps, 0.001 there */
    const nitro_smo_passes *passes; /* NULL: the fastest that run here */
} nitro_smo_problem;

/** A solver of one problem, with its columns. For one thread at a time. */
typedef struct nitro_smo nitro_smo;

/** @param[in] problem  borrowed, with what it points to, until nitro_smo_free. */
nitro_status nitro_smo_create(nitro_context *context, const nitro_smo_problem *problem,
                              nitro_smo **smo);
void nitro_smo_free(nitro_smo *smo);

/**
 * Minimise 1/2 a'Qa - e'a over 0 <= a_i <= C weights[i], y'a = 0 (Q_ij = y_i y_j K_ij), with
 * second-order working-set selection (Fan, Chen and Lin, JMLR 6, 2005). With equal weights the
 * result is that of LIBSVM without shrinking, bit for bit: ties and the order of sums are LIBSVM's.
 *
 * @param[out] coefficients  shape [num_rows]: y_i a_i, so that f(x) = sum_i c_i K(x_i, x) - rho.
 */
void nitro_smo_solve(nitro_smo *smo, double c, double *coefficients, double *rho);

#endif
