/* solver.h - the computation "solver": a sparse system of equations A x = b by Krylov methods with
 * preconditioners, which are made in the run. The argument of all variants, and the declarations of
 * variants and input features (features/input/solver_features.c). */
#ifndef NITRO_VARIANTS_SOLVER_SOLVER_H
#define NITRO_VARIANTS_SOLVER_SOLVER_H

#include "nitro/computation_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NITRO_SOLVER_TOLERANCE      1e-8
#define NITRO_SOLVER_MAX_ITERATIONS 5000

/**
 * The argument. Fill in the first part, which is borrowed, and zero the rest. Arrays and their
 * addresses may change between runs; sizes may not until nitro_kit_release.
 *
 * A run returns 0; NITRO_RUN_NOT_CONVERGED (max_iterations were done, or the residual stays where
 * it is), NITRO_RUN_BREAKDOWN or NITRO_RUN_NOT_FINITE, and leaves x as it was: nitro_run then tries
 * the next variant; or 1 (not prepared).
 */
typedef struct nitro_solver {
    int64_t num_rows;           /* 0 to INT32_MAX; A is square */
    int64_t num_nonzeros;       /* stored entries, explicit zeros among them */
    const int64_t *row_offsets; /* shape [num_rows + 1], ascending from 0 to num_nonzeros */
    const int32_t *columns;     /* shape [num_nonzeros], in [0, num_rows), ascending in every row,
                                   none twice */
    const double *values;       /* shape [num_nonzeros] */
    const double *b;            /* shape [num_rows] */
    double tolerance;           /* of |b - A x| / |b|, Euclidean norms */
    int64_t max_iterations;
    double *x; /* shape [num_rows]: the result; the iteration begins at 0 */

    /* Of the last run, also one that failed. */
    int64_t iterations;
    double residual;   /* |b - A x| / |b|; NaN: unknown */
    char problem[160]; /* "" on success */

    nitro_room room;
    nitro_kept *kept; /* by the hooks that check results; NULL until then */
} nitro_solver;

/** Input features in declared order. */
enum {
    NITRO_SOLVER_NUM_ROWS,
    NITRO_SOLVER_NUM_NONZEROS,
    NITRO_SOLVER_MEAN_ROW,
    NITRO_SOLVER_TRACE,
    NITRO_SOLVER_DIAGONAL_MEAN,
    NITRO_SOLVER_DIAGONAL_VARIANCE,
    NITRO_SOLVER_NORM,
    NITRO_SOLVER_DOMINANCE,
    NITRO_SOLVER_BANDWIDTH,
    NITRO_SOLVER_RELATIVE_DIAGONAL,
    NITRO_SOLVER_DIAGONAL_DEVIATION,
    NITRO_SOLVER_DIAGONAL_SPREAD,
    NITRO_SOLVER_LEAST_DOMINANCE,
    NITRO_SOLVER_NOT_POSITIVE,
    NITRO_SOLVER_ASYMMETRY,
    NITRO_SOLVER_ROW_SUM,
    NITRO_SOLVER_ENTRY_SPREAD,
    NITRO_SOLVER_POSITIVE_ENTRIES,
    NITRO_SOLVER_BLOCK_SHARE,
    NITRO_SOLVER_NUM_FEATURES
};

/** The host's variants, in declared order. Those by CG allow matrices that look symmetric with a
 *  positive diagonal, minres symmetric ones; the others allow all. */
#define NITRO_SOLVER_NUM_VARIANTS 10
extern const nitro_variant *const nitro_solver_variants[NITRO_SOLVER_NUM_VARIANTS];

/** The place in a row of the first entry at or after a column. */
static inline int64_t nitro_solver_find(const nitro_solver *system, int64_t row, int64_t column)
{
    int64_t at = system->row_offsets[row], count = system->row_offsets[row + 1] - at;
    while (count > 0) { /* without branches, which would be mispredicted */
        int64_t half = (count + 1) / 2;
        at += system->columns[at + half - 1] < column ? half : 0;
        count -= half;
    }
    return at;
}

/** The place of an entry; -1: it is not stored. */
static inline int64_t nitro_solver_find_entry(const nitro_solver *system, int64_t row,
                                              int64_t column)
{
    int64_t at = nitro_solver_find(system, row, column);
    return at < system->row_offsets[row + 1] && system->columns[at] == column ? at : -1;
}

/* Shared by the variants on hosts and on CUDA devices. */
#define NITRO_SOLVER_BLOCK    16 /* rows of block Jacobi's dense blocks */
#define NITRO_SOLVER_MOST     32 /* entries of a row of an approximate inverse: near the diagonal */
#define NITRO_SOLVER_SINGULAR 1e-14 /* a pivot over the greatest entry */
#define NITRO_SOLVER_MARGIN   0.98  /* the method's residual and the true one differ by rounding */
#define NITRO_SOLVER_NEARER   0.9   /* of the best residual so far: one below it is progress */
/** Methods other than CG, whose residual may rise for long, end after so many iterations without
 *  progress. */
#define NITRO_SOLVER_PATIENCE 500
/** BiCGStab: r has become orthogonal to the first residual. */
#define NITRO_SOLVER_ORTHOGONAL (DBL_EPSILON * DBL_EPSILON)

/** By what a method multiplies b, whose norm this is, and at last divides x: 1, or a power of two
 *  where squares of b's elements would vanish or overflow. */
static inline double nitro_solver_scale(double norm)
{
    return norm < 1e-100 ? 0x1p700 : norm > 1e100 ? 0x1p-700 : 1;
}

/** For variants that have just computed the true residual: should they iterate again from there?
 *  @param[in,out] before   the true residual of the last call; INFINITY at first.
 *  @param[out]    outcome  0 if solved or going on, else a nitro_run_failure. */
bool nitro_solver_goes_on(const nitro_solver *system, double *before, int *outcome);

/** For variants: add to `problem` what a nitro_run_failure is, with iterations and residual.
 *  @return the failure. */
int nitro_solver_fail(nitro_solver *system, int failure);

/** For variants: set `problem` for a pivot of incomplete factors that is 0, not finite, or, of
 *  Cholesky's, negative. @return the failure. */
int nitro_solver_refuse_pivot(nitro_solver *system, int64_t row, double pivot);

/** Declare all input features. */
nitro_status nitro_solver_add_features(nitro_computation *computation);

/** The computation (apps/solver/solver_module.c): bicgstab_ilu0 is the default. */
extern const nitro_kit nitro_solver_kit;

/* ---- On CUDA devices: `run` launches on the argument's stream, allocates nothing, and waits for
 * the stream every few iterations: it cannot be captured. ---- */

/** The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The arrays may
 * be the caller's device memory; NULL: nitro_kit_upload allocates them. */
typedef struct nitro_solver_cuda {
    nitro_solver host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;
    const int32_t *row_offsets;
    const int32_t *columns;
    const double *values;
    const double *b;
    double *x;
} nitro_solver_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_solver_cuda_device;

#ifdef __cplusplus
}
#endif

#endif
