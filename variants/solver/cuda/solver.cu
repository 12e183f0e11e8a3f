/* The solver on CUDA devices: CG and BiCGStab with Jacobi, block Jacobi and approximate inverses,
 * as in host/methods.c and host/preconditioners.c. A step is a kernel over all rows. Its sums are
 * added in a fixed order: in a thread, in a block, and over all blocks by the one that is done
 * last, whose first thread goes on with the method's numbers. These stay on the device; steps of a
 * method that has ended do nothing, and the host looks every few iterations.
 *
 * Variants with incomplete factors are on hosts only: in their triangular solves a row waits for
 * others, and levels of rows that do not would have to be found in every run. So is minres. */
#include <float.h>
#include <math.h>

#include "nitro/cuda.hpp"
#include "variants/solver/solver.h"

#define BLOCK      128
#define WARP       32
#define MAX_BLOCKS 2048
#define MAX_SUMS   2
#define ENTRIES    4  /* of a row for a lane */
#define BATCH      16 /* iterations until the host looks */
#define TILE       NITRO_SOLVER_BLOCK
#define MOST       NITRO_SOLVER_MOST

enum { JACOBI, BLOCKS, FACTORISED, INVERSE };
enum { CG, BICGSTAB };
/* Steps; from RESIDUAL on with a product, from APPLY_INVERSE on of an approximate inverse. */
enum { START, ROUND, RESULT, CG_DIRECTION, CG_UPDATE, BI_DIRECTION, BI_HALF, BI_UPDATE };
enum { APPLY_BLOCKS = BI_UPDATE + 1, RESIDUAL, CG_PRODUCT, BI_FIRST_PRODUCT, BI_SECOND_PRODUCT };
enum { APPLY_INVERSE = BI_SECOND_PRODUCT + 1, APPLY_LOWER, APPLY_UPPER };
enum { RUNNING, ENDED }; /* or a nitro_run_failure */

struct numbers {
    double alpha, beta, omega, rho, first, norm, best, target;
    int iterations, best_at, outcome;
    unsigned num_done; /* blocks of a step */
};

struct method {
    int iterate, preconditioner;
};

/* What kernels get. */
struct task {
    method how;
    int num_rows, lanes, limit;
    double tolerance, scale; /* of b and x: nitro_solver_scale */
    const int *offsets, *columns;
    const double *values, *b;
    double *x, *r, *p, *q, *first, *t, *mp, *ms; /* CG has M r in mp; q is v of BiCGStab */
    double *diagonal;                            /* of Jacobi */
    double *factors; /* of blocks: single precision, by columns; else on A's pattern, the lower part
                        is G's, and the upper one its transpose's */
    const double *from;
    double *to;
    double *sums; /* shape [MAX_BLOCKS][MAX_SUMS] */
    numbers *now;
};

/* ---- Sums, and what follows from them ---- */

static __device__ void set_beta(numbers *now, double rho)
{
    now->beta = rho / now->rho;
    now->rho = rho;
    if (!isfinite(rho))
        now->outcome = NITRO_RUN_NOT_FINITE;
    else if (rho <= 0)
        now->outcome = NITRO_RUN_BREAKDOWN; /* the preconditioner is not positive definite */
}

static __device__ void begin_method(const task &t, numbers *now, const double *sums)
{
    now->norm = now->first = now->best = sqrt(sums[0]);
    now->best_at = now->iterations;
    now->alpha = now->beta = now->omega = 0;
    now->rho = t.how.iterate == CG ? INFINITY : sums[0];
    now->outcome = RUNNING;
    if (t.how.iterate == CG && t.how.preconditioner == JACOBI)
        set_beta(now, sums[1]);
}

static __device__ void end_iteration(const task &t, numbers *now, double norm, double other)
{
    now->norm = norm;
    if (norm < NITRO_SOLVER_NEARER * now->best) {
        now->best = norm;
        now->best_at = now->iterations;
    }
    bool is_stuck =
        t.how.iterate == BICGSTAB && now->iterations - now->best_at > NITRO_SOLVER_PATIENCE;
    if (!isfinite(norm) || !isfinite(other))
        now->outcome = NITRO_RUN_NOT_FINITE;
    else if (norm <= now->target || now->iterations >= t.limit || is_stuck)
        now->outcome = ENDED;
}

template <int STEP> static __device__ void go_on(const task &t, const double *sums)
{
    numbers *now = t.now;
    if (STEP == START || STEP == RESIDUAL) {
        begin_method(t, now, sums); /* the numbers are 0 at the start */
        if (STEP == START)
            now->target = NITRO_SOLVER_MARGIN * t.tolerance * now->norm;
    } else if (STEP == CG_PRODUCT || STEP == BI_FIRST_PRODUCT) {
        now->iterations++;
        if (!isfinite(sums[0]))
            now->outcome = NITRO_RUN_NOT_FINITE;
        else if (STEP == CG_PRODUCT ? sums[0] <= 0 : sums[0] == 0)
            now->outcome = NITRO_RUN_BREAKDOWN;
        now->alpha = now->rho / sums[0];
    } else if (STEP == CG_UPDATE) {
        end_iteration(t, now, sqrt(sums[0]), 0);
        if (now->outcome == RUNNING && t.how.preconditioner == JACOBI)
            set_beta(now, sums[1]);
    } else if (STEP == BI_SECOND_PRODUCT) {
        now->omega = sums[1] > 0 ? sums[0] / sums[1] : 0;
    } else if (STEP == BI_UPDATE) {
        end_iteration(t, now, sqrt(sums[1]), sums[0]);
        if (now->outcome == RUNNING &&
            (now->omega == 0 || fabs(sums[0]) <= NITRO_SOLVER_ORTHOGONAL * now->first * now->norm))
            now->outcome = NITRO_RUN_BREAKDOWN;
        now->beta = sums[0] / now->rho * (now->alpha / now->omega);
        now->rho = sums[0];
    } else {
        set_beta(now, sums[0]); /* CG has applied its preconditioner */
    }
}

/* The sums of all threads of a block, for its first one. */
static __device__ void add_block(double *sums)
{
    static __shared__ double warps[MAX_SUMS][BLOCK / WARP];
    int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    __syncthreads();
    for (int s = 0; s < MAX_SUMS; s++) {
        for (int delta = WARP / 2; delta > 0; delta /= 2)
            sums[s] += __shfl_down_sync(NITRO_CUDA_FULL_MASK, sums[s], delta);
        if (lane == 0)
            warps[s][warp] = sums[s];
    }
    __syncthreads();
    for (int s = 0; s < MAX_SUMS && threadIdx.x == 0; s++)
        for (int w = 1; w < BLOCK / WARP; w++)
            sums[s] += warps[s][w];
}

template <int STEP> static __device__ void finish(const task &t, double *sums)
{
    static __shared__ bool is_last;
    add_block(sums);
    if (threadIdx.x == 0) {
        for (int s = 0; s < MAX_SUMS; s++)
            t.sums[blockIdx.x * MAX_SUMS + s] = sums[s];
        __threadfence();
        is_last = atomicInc(&t.now->num_done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    const volatile double *all = t.sums;
    for (int s = 0; s < MAX_SUMS; s++) {
        sums[s] = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
            sums[s] += all[i * MAX_SUMS + s];
    }
    add_block(sums);
    if (threadIdx.x == 0)
        go_on<STEP>(t, sums);
}

/* ---- Rows ---- */

/* A group of lanes does a row. */
template <int STEP> static constexpr bool is_product = STEP >= RESIDUAL;

/* A row's product, for the first of its lanes. A row of an approximate inverse without a diagonal
 * element is 1. All lanes of a warp are here. */
template <int STEP> static __device__ double multiply(const task &t, int row, bool is_row)
{
    constexpr bool is_inverse = STEP >= APPLY_INVERSE;
    const double *values = is_inverse ? t.factors : t.values;
    const double *from = STEP == RESIDUAL            ? t.x
                         : STEP == CG_PRODUCT        ? t.p
                         : STEP == BI_FIRST_PRODUCT  ? t.mp
                         : STEP == BI_SECOND_PRODUCT ? t.ms
                                                     : t.from;
    int end = is_row ? t.offsets[row + 1] : 0, has_diagonal = 0;
    double sum = 0;
    for (int k = is_row ? t.offsets[row] + (int)threadIdx.x % t.lanes : 0; k < end; k += t.lanes) {
        int column = t.columns[k];
        has_diagonal |= column == row;
        if ((STEP != APPLY_LOWER || column <= row) && (STEP != APPLY_UPPER || column >= row))
            sum += values[k] * from[column];
    }
    for (int delta = t.lanes / 2; delta > 0; delta /= 2) {
        sum += __shfl_xor_sync(NITRO_CUDA_FULL_MASK, sum, delta);
        if (is_inverse)
            has_diagonal |= __shfl_xor_sync(NITRO_CUDA_FULL_MASK, has_diagonal, delta);
    }
    return is_inverse && is_row && !has_diagonal ? from[row] : sum;
}

/* Where a row has a column; -1: nowhere. */
static __device__ int find(const task &t, int row, int column)
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
static __device__ double inverse_diagonal(const task &t, int row)
{
    int at = find(t, row, row);
    return at < 0 || t.values[at] == 0 ? 1 : 1 / t.values[at];
}

/* r of x, and what methods begin with */
static __device__ void begin_row(const task &t, int i, double r, double *sums)
{
    t.r[i] = r;
    t.p[i] = t.q[i] = 0;
    sums[0] += r * r;
    if (t.how.iterate == BICGSTAB) {
        t.first[i] = r;
    } else if (t.how.preconditioner == JACOBI) {
        t.mp[i] = t.diagonal[i] * r;
        sums[1] += r * t.mp[i];
    }
}

static __device__ double apply_block(const task &t, int row)
{
    int first = row / TILE * TILE, size = min(TILE, t.num_rows - first);
    const float *inverse = (const float *)t.factors + (size_t)first * TILE + (row - first);
    double sum = 0;
    for (int i = 0; i < size; i++, inverse += TILE)
        sum += (double)*inverse * t.from[first + i];
    return sum;
}

template <int STEP>
static __device__ void do_row(const task &t, int i, double product, double *sums)
{
    const numbers &now = *t.now;
    bool is_jacobi = t.how.preconditioner == JACOBI;
    if (STEP == START) {
        t.x[i] = 0;
        if (is_jacobi)
            t.diagonal[i] = inverse_diagonal(t, i);
        begin_row(t, i, t.scale * t.b[i], sums);
    } else if (STEP == RESIDUAL) {
        begin_row(t, i, t.scale * t.b[i] - product, sums);
    } else if (STEP == ROUND) { /* to numbers that the result can have */
        t.x[i] = t.x[i] / t.scale * t.scale;
    } else if (STEP == RESULT) {
        t.to[i] = t.x[i] / t.scale;
    } else if (STEP == CG_DIRECTION) {
        t.p[i] = t.mp[i] + now.beta * t.p[i];
    } else if (STEP == CG_PRODUCT) {
        t.q[i] = product;
        sums[0] += t.p[i] * product;
    } else if (STEP == CG_UPDATE) {
        t.x[i] += now.alpha * t.p[i];
        double r = t.r[i] -= now.alpha * t.q[i];
        sums[0] += r * r;
        if (is_jacobi) {
            t.mp[i] = t.diagonal[i] * r;
            sums[1] += r * t.mp[i];
        }
    } else if (STEP == BI_DIRECTION) {
        t.p[i] = t.r[i] + now.beta * (t.p[i] - now.omega * t.q[i]);
        if (is_jacobi)
            t.mp[i] = t.diagonal[i] * t.p[i];
    } else if (STEP == BI_FIRST_PRODUCT) {
        t.q[i] = product;
        sums[0] += t.first[i] * product;
    } else if (STEP == BI_HALF) {
        t.r[i] -= now.alpha * t.q[i];
        if (is_jacobi)
            t.ms[i] = t.diagonal[i] * t.r[i];
    } else if (STEP == BI_SECOND_PRODUCT) {
        t.t[i] = product;
        sums[0] += product * t.r[i];
        sums[1] += product * product;
    } else if (STEP == BI_UPDATE) {
        t.x[i] += now.alpha * t.mp[i] + now.omega * t.ms[i];
        double r = t.r[i] -= now.omega * t.t[i];
        sums[0] += t.first[i] * r;
        sums[1] += r * r;
    } else {
        t.to[i] = STEP == APPLY_BLOCKS ? apply_block(t, i) : product;
        sums[0] += t.r[i] * t.to[i];
    }
}

template <int STEP> static __global__ void __launch_bounds__(BLOCK) do_step(task t)
{
    constexpr bool is_end = STEP == ROUND || STEP == RESULT;
    constexpr bool has_sums = STEP != CG_DIRECTION && STEP != BI_DIRECTION && STEP != BI_HALF &&
                              STEP != APPLY_LOWER && !is_end;
    constexpr bool is_apply = STEP == APPLY_BLOCKS || STEP == APPLY_INVERSE || STEP == APPLY_UPPER;
    if (STEP != START && STEP != RESIDUAL && !is_end && t.now->outcome != RUNNING)
        return;
    double sums[MAX_SUMS] = {};
    int lanes = is_product<STEP> ? t.lanes : 1, rows = BLOCK / lanes;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < t.num_rows;
         first += (int64_t)gridDim.x * rows) {
        int64_t row = first + (int)threadIdx.x / lanes;
        bool is_row = row < t.num_rows;
        double product = is_product<STEP> ? multiply<STEP>(t, (int)row, is_row) : 0;
        if (is_row && threadIdx.x % lanes == 0)
            do_row<STEP>(t, (int)row, product, sums);
    }
    if (has_sums && (!is_apply || t.how.iterate == CG))
        finish<STEP>(t, sums);
}

/* ---- Small dense systems, each solved by a warp ---- */

struct dense {
    double a[MOST][MOST + 1]; /* with right sides behind the matrix */
    int columns[MOST];        /* of A */
};

/* a[c][r] = A[r, c] of the columns, and zeros behind. */
static __device__ void gather(const task &t, dense *d, int size, int width)
{
    int lane = (int)threadIdx.x;
    for (int c = 0; c < size; c++)
        for (int i = lane; i < width; i += WARP)
            d->a[c][i] = 0;
    __syncwarp();
    if (lane < size) {
        int row = d->columns[lane], c = 0;
        for (int k = t.offsets[row]; k < t.offsets[row + 1] && c < size; k++) {
            while (c < size && d->columns[c] < t.columns[k])
                c++;
            if (c < size && d->columns[c] == t.columns[k])
                d->a[c][lane] = t.values[k];
        }
    }
    __syncwarp();
}

/* Solves for the right sides in place, by elimination with row exchanges. */
static __device__ bool solve_dense(dense *d, int size, int width)
{
    int lane = (int)threadIdx.x;
    double greatest = 0;
    for (int c = 0; c < size && lane < size; c++)
        greatest = fmax(greatest, fabs(d->a[c][lane]));
    for (int delta = WARP / 2; delta > 0; delta /= 2)
        greatest = fmax(greatest, __shfl_xor_sync(NITRO_CUDA_FULL_MASK, greatest, delta));
    for (int j = 0; j < size; j++) {
        int pivot = j;
        for (int i = j + 1; i < size; i++)
            pivot = fabs(d->a[i][j]) > fabs(d->a[pivot][j]) ? i : pivot;
        double value = d->a[pivot][j];
        __syncwarp();
        if (!(fabs(value) > NITRO_SOLVER_SINGULAR * greatest))
            return false;
        for (int i = lane; i < width; i += WARP) {
            double moved = d->a[j][i];
            d->a[j][i] = d->a[pivot][i] / value;
            if (pivot != j)
                d->a[pivot][i] = moved;
        }
        __syncwarp();
        for (int row = 0; row < size; row++)
            for (int i = lane; row != j && i < width; i += WARP)
                if (i > j) /* the factors stay where they are */
                    d->a[row][i] -= d->a[row][j] * d->a[j][i];
        __syncwarp();
    }
    return true;
}

static __global__ void __launch_bounds__(WARP) invert_blocks(task t)
{
    static __shared__ dense d;
    int first = (int)blockIdx.x * TILE, size = min(TILE, t.num_rows - first);
    int lane = (int)threadIdx.x;
    float *inverse = (float *)t.factors + (size_t)first * TILE;
    if (lane < size)
        d.columns[lane] = first + lane;
    __syncwarp();
    gather(t, &d, size, 2 * TILE);
    bool is_symmetric = true;
    for (int c = 0; c < size; c++)
        for (int i = 0; i < c; i++)
            is_symmetric = is_symmetric && d.a[i][c] == d.a[c][i];
    __syncwarp();
    if (lane < size)
        d.a[lane][size + lane] = 1;
    __syncwarp();
    bool is_regular = solve_dense(&d, size, 2 * size);
    for (int c = 0; c < size && lane < size; c++) { /* of the transposed block's inverse */
        double mirrored = is_symmetric ? d.a[lane][size + c] : d.a[c][size + lane];
        double value = is_regular ? (d.a[c][size + lane] + mirrored) / 2 : 0;
        inverse[c * TILE + lane] =
            (float)(!is_regular && c == lane ? inverse_diagonal(t, first + lane) : value);
    }
}

/* m A[J, J] = e, J a row's columns near the diagonal; G's row is m over the root of its last
 * element, J up to the diagonal. */
static __global__ void __launch_bounds__(WARP) invert_rows(task t)
{
    static __shared__ dense d;
    bool is_lower = t.how.preconditioner == FACTORISED;
    int row = (int)blockIdx.x, lane = (int)threadIdx.x, at = find(t, row, row);
    if (at < 0)
        return;
    int first = max(t.offsets[row], at - (is_lower ? MOST - 1 : MOST / 2));
    int size = min(MOST, (is_lower ? at + 1 : t.offsets[row + 1]) - first);
    if (lane < size)
        d.columns[lane] = t.columns[first + lane];
    __syncwarp();
    gather(t, &d, size, size + 1);
    if (lane == 0)
        d.a[at - first][size] = 1;
    __syncwarp();
    bool is_solved = solve_dense(&d, size, size + 1);
    double own = d.a[at - first][size];
    is_solved = is_solved && (!is_lower || own > 0);
    if (!is_solved)
        own = is_lower ? fabs(inverse_diagonal(t, row)) : inverse_diagonal(t, row);
    if (lane >= size)
        return;
    double value = is_solved ? d.a[lane][size] : first + lane == at ? own : 0;
    if (is_lower)
        value /= sqrt(own);
    t.factors[first + lane] = value;
    int mirrored = is_lower ? find(t, d.columns[lane], row) : -1;
    if (mirrored >= 0)
        t.factors[mirrored] = value;
}

/* ---- On the host ---- */

static int64_t factors_length(const nitro_solver *system, const method *how)
{
    return how->preconditioner == JACOBI   ? 0
           : how->preconditioner == BLOCKS ? (system->num_rows + TILE) * TILE / 2
                                           : system->num_nonzeros;
}

/* What kernels get, in a room of so many bytes. */
static task describe(const nitro_solver_cuda *s, const method *how, int64_t *bytes)
{
    const nitro_solver *host = &s->host;
    double *memory = (double *)s->cuda.room.memory;
    int64_t count = 0;
    auto take = [&](int64_t length) {
        double *taken = memory ? memory + count : NULL;
        count += length;
        return taken;
    };
    task t = {};
    double **of_cg[] = {&t.x, &t.r, &t.p, &t.q, &t.mp, &t.ms}, **of_bicgstab[] = {&t.t, &t.first};
    t.now = (numbers *)take((sizeof(numbers) + sizeof(double) - 1) / sizeof(double));
    t.sums = take(MAX_BLOCKS * MAX_SUMS);
    t.factors = take(factors_length(host, how));
    t.diagonal = take(how->preconditioner == JACOBI ? host->num_rows : 0);
    for (double **vector : of_cg)
        *vector = take(host->num_rows);
    for (double **vector : of_bicgstab)
        *vector = take(how->iterate == BICGSTAB ? host->num_rows : 0);
    *bytes = count * (int64_t)sizeof(double);
    t.how = *how;
    t.num_rows = (int)host->num_rows;
    t.lanes = 1;
    while (t.lanes < WARP && (int64_t)t.lanes * ENTRIES * host->num_rows < host->num_nonzeros)
        t.lanes *= 2;
    t.limit = (int)(host->max_iterations < INT32_MAX ? host->max_iterations : INT32_MAX);
    t.tolerance = host->tolerance;
    t.scale = 1;
    t.offsets = s->row_offsets;
    t.columns = s->columns;
    t.values = s->values;
    t.b = s->b;
    return t;
}

static int prepare(void *argument, void *user)
{
    int64_t bytes;
    describe((const nitro_solver_cuda *)argument, (const method *)user, &bytes);
    return nitro_kit_make_room(&nitro_solver_kit, argument, bytes);
}

template <int STEP> static bool launch(nitro_solver_cuda *s, const task &t)
{
    int64_t threads = (int64_t)t.num_rows * (is_product<STEP> ? t.lanes : 1);
    int64_t most = (int64_t)MAX_BLOCKS * BLOCK;
    return nitro_cuda_launch(&s->cuda, "launching a step of a solver",
                             threads < most ? threads : most, BLOCK, do_step<STEP>, t) == 0;
}

/* to = M from, unless Jacobi did that within other steps. */
static bool apply(nitro_solver_cuda *s, task t, const double *from, double *to)
{
    t.from = from;
    t.to = to;
    if (t.how.preconditioner == BLOCKS)
        return launch<APPLY_BLOCKS>(s, t);
    if (t.how.preconditioner == INVERSE)
        return launch<APPLY_INVERSE>(s, t);
    if (t.how.preconditioner == JACOBI)
        return true;
    t.to = t.ms;
    if (!launch<APPLY_LOWER>(s, t))
        return false;
    t.from = t.ms;
    t.to = to;
    return launch<APPLY_UPPER>(s, t);
}

static bool iterate(nitro_solver_cuda *s, const task &t)
{
    if (t.how.iterate == CG)
        return apply(s, t, t.r, t.mp) && launch<CG_DIRECTION>(s, t) && launch<CG_PRODUCT>(s, t) &&
               launch<CG_UPDATE>(s, t);
    return launch<BI_DIRECTION>(s, t) && apply(s, t, t.p, t.mp) && launch<BI_FIRST_PRODUCT>(s, t) &&
           launch<BI_HALF>(s, t) && apply(s, t, t.r, t.ms) && launch<BI_SECOND_PRODUCT>(s, t) &&
           launch<BI_UPDATE>(s, t);
}

static bool set_up(nitro_solver_cuda *s, const task &t)
{
    bool is_blocks = t.how.preconditioner == BLOCKS;
    int64_t warps = is_blocks ? (s->host.num_rows + TILE - 1) / TILE : t.num_rows;
    if (nitro_cuda_fill(&s->cuda, t.now, 1, sizeof(numbers), 0) ||
        nitro_cuda_fill(&s->cuda, t.factors, factors_length(&s->host, &t.how), sizeof(double), 0))
        return false;
    return t.how.preconditioner == JACOBI ||
           nitro_cuda_launch(&s->cuda, "launching the set-up of a solver", warps * WARP, WARP,
                             is_blocks ? invert_blocks : invert_rows, t) == 0;
}

static bool look(nitro_solver_cuda *s, const task &t, numbers *now)
{
    return nitro_cuda_download(&s->cuda, t.now, 1, sizeof(*now), now) == 0;
}

/* As solve() of host/krylov.c. Returns a nitro_run_failure, 1 where CUDA fails, or 0. */
static int solve(nitro_solver_cuda *s, task &t)
{
    numbers now = {};
    double before = INFINITY, norm;
    int outcome = 0;
    if (!set_up(s, t) || !launch<START>(s, t) || !look(s, t, &now))
        return 1;
    t.scale = nitro_solver_scale(now.norm);
    if (t.scale != 1 && (!launch<START>(s, t) || !look(s, t, &now)))
        return 1;
    for (norm = now.norm;;) {
        s->host.iterations = now.iterations;
        s->host.residual = now.norm == 0 ? 0 : now.norm / norm;
        if (!nitro_solver_goes_on(&s->host, &before, &outcome))
            return outcome;
        while (now.outcome == RUNNING) {
            for (int i = 0; i < BATCH; i++)
                if (!iterate(s, t))
                    return 1;
            if (!look(s, t, &now))
                return 1;
        }
        s->host.iterations = now.iterations;
        s->host.residual = now.norm / norm;
        if (now.outcome != ENDED)
            return now.outcome;
        if ((t.scale != 1 && !launch<ROUND>(s, t)) || !launch<RESIDUAL>(s, t) || !look(s, t, &now))
            return 1;
    }
}

static int run(void *argument, void *user)
{
    nitro_solver_cuda *s = (nitro_solver_cuda *)argument;
    int64_t bytes;
    s->host.iterations = 0;
    s->host.residual = 0;
    s->host.problem[0] = s->cuda.problem[0] = '\0';
    if (s->host.num_rows == 0)
        return 0;
    task t = describe(s, (const method *)user, &bytes);
    if (s->cuda.room.bytes < bytes)
        return nitro_cuda_fail(&s->cuda, "the solver was not prepared");
    int failure = solve(s, t);
    if (failure >= NITRO_RUN_NOT_CONVERGED)
        return nitro_solver_fail(&s->host, failure);
    t.to = s->x;
    return failure || launch<RESULT>(s, t) ? failure : s->cuda.failure;
}

static bool allows(const double *features, const void *, void *)
{
    return features[NITRO_SOLVER_NUM_NONZEROS] <= (double)(NITRO_CUDA_MAX_COUNT - WARP);
}

static bool allows_positive(const double *features, const void *argument, void *user)
{
    return allows(features, argument, user) && features[NITRO_SOLVER_ASYMMETRY] <= 0 &&
           features[NITRO_SOLVER_NOT_POSITIVE] <= 0;
}

static const method cg_jacobi = {CG, JACOBI}, cg_bjacobi = {CG, BLOCKS};
static const method cg_fainv = {CG, FACTORISED}, bicgstab_fainv = {BICGSTAB, INVERSE};
static const method bicgstab_jacobi = {BICGSTAB, JACOBI}, bicgstab_bjacobi = {BICGSTAB, BLOCKS};

#define VARIANT(its_name, its_allows, reads)                                                       \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .allows = its_allows,   \
        .allows_reads = reads, .fails_cleanly = true, .user = (void *)&its_name                    \
    }
#define BY_CG(name)       VARIANT(name, allows_positive, "num_nonzeros,asymmetry,not_positive")
#define BY_BICGSTAB(name) VARIANT(name, allows, "num_nonzeros")
static const nitro_variant declared[] = {BY_BICGSTAB(bicgstab_fainv),
                                         BY_BICGSTAB(bicgstab_bjacobi),
                                         BY_BICGSTAB(bicgstab_jacobi),
                                         BY_CG(cg_jacobi),
                                         BY_CG(cg_bjacobi),
                                         BY_CG(cg_fainv)};

static const nitro_variant *const variants[] = {&declared[0], &declared[1], &declared[2],
                                                &declared[3], &declared[4], &declared[5]};

const nitro_kit_device nitro_solver_cuda_device = NITRO_CUDA_DEVICE(
    nitro_solver_cuda, variants, .allows = allows, .allows_reads = "num_nonzeros");
