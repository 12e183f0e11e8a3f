/* krylov.cuh - what the methods and the preconditioners of the solver share on CUDA devices. */
#ifndef NITRO_VARIANTS_SOLVER_CUDA_KRYLOV_CUH
#define NITRO_VARIANTS_SOLVER_CUDA_KRYLOV_CUH

#include <math.h>

#include "nitro/cuda.hpp"
#include "variants/solver/gmres.h"
#include "variants/solver/solver.h"

#define WARP     32
#define TILE     NITRO_SOLVER_BLOCK
#define MAX_SUMS 2

enum { JACOBI, BLOCKS, FACTORISED, INVERSE, FACTORS }; /* preconditioners */
enum { CG, BICGSTAB, GMRES, MINRES };
enum { RUNNING, ENDED }; /* or a nitro_run_failure */

struct krylov_numbers {
    double alpha, beta, omega, rho, first, norm, best, target;
    int iterations, best_at, outcome;
    unsigned num_done[NITRO_GMRES_RESTART + 1]; /* blocks of a step; of GM_DOTS, for each vector */
    unsigned num_taken;                         /* rows of incomplete factors */
    int rows_from_bad; /* num_rows less the first row whose pivot cannot be used; 0: none */

    double dots[NITRO_GMRES_RESTART + 1]; /* of GMRES: of the basis and its newest vector */
    double left; /* squared norm of the newest, when its shares of the others are subtracted */

    double first_beta, older_beta, diagonal, d_bar, epsilon, cosine, sine, phi_bar; /* of MINRES */
    double by_y, by_w, by_last, phi;
};

struct krylov_method {
    int iterate, preconditioner;
};

/* What kernels get. */
struct krylov_task {
    krylov_method how;
    int num_rows, lanes, limit;
    double tolerance, scale; /* of b and x: nitro_solver_scale */
    const int *offsets, *columns;
    const double *values, *b;
    /* CG has M r in mp; q is v of BiCGStab. MINRES has the Lanczos process's residuals in p, r and
     * ms, from the oldest, M times the last two of these in mp and t, and directions in q and
     * first. */
    double *x, *r, *p, *q, *first, *t, *mp, *ms;
    double *diagonal; /* of Jacobi; of incomplete factors, inverse pivots */
    double *factors; /* of blocks: single precision, by columns; else on A's pattern, the lower part
                        is G's, and the upper one its transpose's; or L's and U's */
    double *between; /* of incomplete factors: of both solves */
    const double *from;
    double *to;
    double *sums; /* shape [MAX_BLOCKS][MAX_SUMS] */
    krylov_numbers *now;
    /* Of GMRES: shape [RESTART + 1][num_rows], of which `count` are before the newest. */
    double *basis;
    int count, iterations;
    double factor;
};

/* Where a row has a column; -1: nowhere. */
static __device__ int find(const krylov_task &t, int row, int column)
{
    int low = t.offsets[row], end = t.offsets[row + 1], high = end;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t.columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && t.columns[low] == column ? low : -1;
}

/* 1 / a_ii; 1: none, or it is 0 */
static __device__ double inverse_diagonal(const krylov_task &t, int row)
{
    int at = find(t, row, row);
    return at < 0 || t.values[at] == 0 ? 1 : 1 / t.values[at];
}

/* The length of krylov_task.factors. */
int64_t nitro_solver_cuda_factors_length(const nitro_solver *system, const krylov_method *how);

/* Make the preconditioner. Pivots that cannot be used show in krylov_numbers.rows_from_bad. */
bool nitro_solver_cuda_set_up(nitro_solver_cuda *s, const krylov_task &t);

/* to = M from, by incomplete factors. */
bool nitro_solver_cuda_solve_factors(nitro_solver_cuda *s, const krylov_task &t);

#endif
