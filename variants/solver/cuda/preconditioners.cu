/* Preconditioners on CUDA devices, as in host/preconditioners.c; what steps of a method do by them
 * is in solver.cu. */
#include "variants/solver/cuda/krylov.cuh"

#define MOST NITRO_SOLVER_MOST

/* ---- Small dense systems, each solved by a warp ---- */

struct dense {
    double a[MOST][MOST + 1]; /* with right sides behind the matrix */
    int columns[MOST];        /* of A */
};

/* a[c][r] = A[r, c] of the columns, and zeros behind. */
static __device__ void gather(const krylov_task &t, dense *d, int size, int width)
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

static __global__ void __launch_bounds__(WARP) invert_blocks(krylov_task t)
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
static __global__ void __launch_bounds__(WARP) invert_rows(krylov_task t)
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

/* ---- Incomplete factors, as in host/preconditioners.c ---- */

/* A warp computes a row, and waits for the rows that it needs. Every wait ends: rows are taken in
 * an order in which the needed ones come first, so that these are done or being computed. */
static __device__ int take_row(const krylov_task &t)
{
    unsigned row = 0;
    if (threadIdx.x == 0)
        row = atomicInc(&t.now->num_taken, (unsigned)t.num_rows - 1);
    return (int)__shfl_sync(NITRO_CUDA_FULL_MASK, row, 0);
}

/* Stands for a number that is not known yet: the NaN with all bits set, as publish() stores none.
 */
#define IS_MISSING(value) (__double_as_longlong(value) == -1)
#define MISSING           __longlong_as_double(-1)

static __device__ double wait_for(const double *at)
{
    double value;
    do
        value = *(const volatile double *)at;
    while (IS_MISSING(value));
    return value;
}

static __device__ void publish(double *at, double value)
{
    *(volatile double *)at = IS_MISSING(value) ? __longlong_as_double(-2) : value;
}

/* Row by row: pivots go to mp, their inverses to `diagonal`, which tells that a row is done. */
static __global__ void __launch_bounds__(WARP) factorise(krylov_task t)
{
    int row = take_row(t), lane = (int)threadIdx.x, end = t.offsets[row + 1];
    volatile double *values = t.factors;
    for (int k = t.offsets[row]; k < end && t.columns[k] < row; k++) {
        int above = t.columns[k];
        double factor = values[k] * wait_for(&t.diagonal[above]);
        __threadfence();
        __syncwarp();
        if (lane == 0)
            values[k] = factor;
        for (int at = t.offsets[above] + lane; at < t.offsets[above + 1]; at += WARP) {
            int own = t.columns[at] > above ? find(t, row, t.columns[at]) : -1;
            if (own >= 0)
                values[own] -= factor * values[at];
        }
        __threadfence();
        __syncwarp();
    }
    if (lane != 0)
        return;
    int at = find(t, row, row);
    double pivot = at < 0 ? 0 : values[at], inverse = 1 / pivot;
    t.mp[row] = pivot;
    if (pivot == 0 || !isfinite(inverse) || (t.how.iterate == CG && pivot < 0))
        atomicMax(&t.now->rows_from_bad, t.num_rows - row);
    __threadfence();
    publish(&t.diagonal[row], inverse);
}

/* between = 1/L from; to = 1/U between. Each leaves the other's result missing. */
template <bool IS_UPPER>
static __global__ void __launch_bounds__(WARP) solve_triangle(krylov_task t)
{
    if (t.now->outcome != RUNNING)
        return;
    int row = IS_UPPER ? t.num_rows - 1 - take_row(t) : take_row(t), lane = (int)threadIdx.x;
    const double *known = IS_UPPER ? t.to : t.between;
    double sum = 0;
    for (int k = t.offsets[row] + lane; k < t.offsets[row + 1]; k += WARP)
        if (IS_UPPER ? t.columns[k] > row : t.columns[k] < row)
            sum += t.factors[k] * wait_for(&known[t.columns[k]]);
    for (int delta = WARP / 2; delta > 0; delta /= 2)
        sum += __shfl_down_sync(NITRO_CUDA_FULL_MASK, sum, delta);
    if (lane != 0)
        return;
    if (IS_UPPER) {
        publish(&t.to[row], (t.between[row] - sum) * t.diagonal[row]);
        t.between[row] = MISSING;
    } else {
        publish(&t.between[row], t.from[row] - sum);
        t.to[row] = MISSING;
    }
}

/* ---- On the host ---- */

int64_t nitro_solver_cuda_factors_length(const nitro_solver *system, const krylov_method *how)
{
    return how->preconditioner == JACOBI   ? 0
           : how->preconditioner == BLOCKS ? (system->num_rows + TILE) * TILE / 2
                                           : system->num_nonzeros;
}

static bool launch_warps(nitro_solver_cuda *s, const krylov_task &t, int64_t count,
                         void (*kernel)(krylov_task))
{
    return nitro_cuda_launch(&s->cuda, "launching a preconditioner of a solver", count * WARP, WARP,
                             kernel, t) == 0;
}

bool nitro_solver_cuda_set_up(nitro_solver_cuda *s, const krylov_task &t)
{
    bool is_blocks = t.how.preconditioner == BLOCKS;
    int64_t warps = is_blocks ? (s->host.num_rows + TILE - 1) / TILE : t.num_rows;
    int64_t length = nitro_solver_cuda_factors_length(&s->host, &t.how);
    if (nitro_cuda_fill(&s->cuda, t.now, 1, sizeof(krylov_numbers), 0))
        return false;
    if (t.how.preconditioner == FACTORS)
        return !nitro_cuda_copy(&s->cuda, t.values, length, sizeof(double), t.factors) &&
               !nitro_cuda_fill(&s->cuda, t.diagonal, t.num_rows, sizeof(double), 0xFF) &&
               !nitro_cuda_fill(&s->cuda, t.between, t.num_rows, sizeof(double), 0xFF) &&
               launch_warps(s, t, t.num_rows, factorise);
    if (nitro_cuda_fill(&s->cuda, t.factors, length, sizeof(double), 0))
        return false;
    return t.how.preconditioner == JACOBI ||
           launch_warps(s, t, warps, is_blocks ? invert_blocks : invert_rows);
}

bool nitro_solver_cuda_solve_factors(nitro_solver_cuda *s, const krylov_task &t)
{
    return launch_warps(s, t, t.num_rows, solve_triangle<false>) &&
           launch_warps(s, t, t.num_rows, solve_triangle<true>);
}
