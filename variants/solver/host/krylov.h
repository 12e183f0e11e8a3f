/* krylov.h - what the host's variants of the solver share: vectors, steps over all rows, and
 * preconditioners. */
#ifndef NITRO_VARIANTS_SOLVER_HOST_KRYLOV_H
#define NITRO_VARIANTS_SOLVER_HOST_KRYLOV_H

#include "variants/solver/solver.h"

/** Steps are done by chunks of so many rows. A chunk's sums are its own, and those of all chunks
 *  are added in order: results do not depend on the number of threads. */
#define NITRO_KRYLOV_CHUNK       2048
#define NITRO_KRYLOV_RESTART     30 /* of GMRES */
#define NITRO_KRYLOV_MAX_VECTORS (NITRO_KRYLOV_RESTART + 4)
#define NITRO_KRYLOV_MAX_SUMS    (NITRO_KRYLOV_RESTART + 2)

typedef struct nitro_krylov nitro_krylov;

/** Rows [begin, end) of a step; what it adds to `sums` is added up over all chunks. */
typedef void nitro_krylov_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums);

typedef struct nitro_preconditioner {
    int64_t (*bytes)(const nitro_solver *system); /* of nitro_krylov.factors */
    /** @return 0, or NITRO_RUN_BREAKDOWN with the system's `problem` set. */
    int (*set_up)(nitro_krylov *k);
    /** z = M r in whole chunks, from r there: done within other steps; else NULL. */
    void (*local)(const nitro_krylov *k, const double *r, double *z, int64_t begin, int64_t end);
    void (*apply)(nitro_krylov *k, const double *r, double *z); /* where `local` is NULL */
} nitro_preconditioner;

/** Iterate from the residual r of x until the method's own |r| is at most `target`, or at the
 *  limit of iterations. @return 0, or a nitro_run_failure. */
typedef int nitro_krylov_iterate(nitro_krylov *k);

typedef struct nitro_krylov_method {
    nitro_krylov_iterate *iterate;
    const nitro_preconditioner *preconditioner;
    int num_vectors;
} nitro_krylov_method;

/** Vectors of all methods. */
enum { NITRO_KRYLOV_X, NITRO_KRYLOV_R, NITRO_KRYLOV_OWN };

/** One run. */
struct nitro_krylov {
    nitro_solver *system;
    const nitro_preconditioner *preconditioner;
    int64_t n;
    int parts;
    double *vectors[NITRO_KRYLOV_MAX_VECTORS];
    void *factors;   /* of the preconditioner */
    double target;   /* of |r| */
    double residual; /* |r| of the method, so far */

    nitro_krylov_chunk *chunk; /* of the current step */
    int num_sums;
    double *chunk_sums; /* shape [chunks][num_sums] */
    double sums[NITRO_KRYLOV_MAX_SUMS];

    double alpha, beta, omega; /* for chunks */
    double weights[NITRO_KRYLOV_MAX_SUMS];
    int count;
    const double *from;
    double *to;
    const void *state; /* of the method */
};

/** Do all chunks, and set k->sums. */
void nitro_krylov_step(nitro_krylov *k, nitro_krylov_chunk *chunk, int num_sums);

/** A step: r = b - A x, and the sum |r|^2. */
nitro_krylov_chunk nitro_krylov_residual;

/** to = A from, in some rows. */
void nitro_krylov_multiply(const nitro_krylov *k, const double *from, double *to, int64_t begin,
                           int64_t end);

/** The sum of products of rows, in a fixed order. */
double nitro_krylov_dot(const double *a, const double *b, int64_t begin, int64_t end);

/** z = M r, unless that was done within a step. */
static inline void nitro_krylov_precondition(nitro_krylov *k, const double *r, double *z)
{
    if (!k->preconditioner->local)
        k->preconditioner->apply(k, r, z);
}

/** The same within a step, if it can be. */
static inline void nitro_krylov_precondition_chunk(const nitro_krylov *k, const double *r,
                                                   double *z, int64_t begin, int64_t end)
{
    if (k->preconditioner->local)
        k->preconditioner->local(k, r, z, begin, end);
}

extern const nitro_preconditioner nitro_krylov_jacobi;
extern const nitro_preconditioner nitro_krylov_absolute; /* Jacobi by |a_ii|: positive definite */
extern const nitro_preconditioner nitro_krylov_bjacobi;  /* dense blocks of 16 x 16 */
extern const nitro_preconditioner nitro_krylov_fsai;     /* approximate inverses: factorised... */
extern const nitro_preconditioner nitro_krylov_isai;     /* ...and not */
extern const nitro_preconditioner nitro_krylov_ilu0;
extern const nitro_preconditioner nitro_krylov_ic0;

nitro_krylov_iterate nitro_krylov_cg, nitro_krylov_bicgstab, nitro_krylov_gmres,
    nitro_krylov_minres;

#endif
