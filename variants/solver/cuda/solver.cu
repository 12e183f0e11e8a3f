/* The solver on CUDA devices: the methods of host/methods.c with the preconditioners of
 * host/preconditioners.c. A step is a kernel over all rows. Its sums are added in a fixed order: in
 * a thread, in a block, and over all blocks by the one that is done last, whose first thread goes
 * on with the method's numbers. These stay on the device; steps of a method that has ended do
 * nothing, and the host looks every few iterations. GMRES's iterations are directed by the host. */
#include <float.h>
#include <math.h>

#include <algorithm>

#include "variants/solver/cuda/krylov.cuh"

#define BLOCK      128
#define MAX_BLOCKS 2048
#define ENTRIES    4  /* of a row for a lane */
#define BATCH      16 /* iterations until the host looks */

/* Steps; from RESIDUAL on with a product, from APPLY_INVERSE on of an approximate inverse. */
enum { START, ROUND, RESULT, CG_RHO, CG_DIRECTION, CG_UPDATE, BI_DIRECTION, BI_HALF, BI_UPDATE };
enum { MR_SUBTRACT = BI_UPDATE + 1, MR_UPDATE };
enum { GM_SCALE = MR_UPDATE + 1, GM_DOTS, GM_SUBTRACT, GM_COMBINE, GM_UPDATE };
enum { APPLY_BLOCKS = GM_UPDATE + 1, RESIDUAL, CG_PRODUCT, BI_FIRST_PRODUCT, BI_SECOND_PRODUCT };
enum { MR_PRODUCT = BI_SECOND_PRODUCT + 1, GM_PRODUCT };
enum { APPLY_INVERSE = GM_PRODUCT + 1, APPLY_LOWER, APPLY_UPPER };
/* ---- Sums, and what follows from them ---- */

static __device__ void set_beta(krylov_numbers *now, double rho)
{
    now->beta = rho / now->rho;
    now->rho = rho;
    if (!isfinite(rho))
        now->outcome = NITRO_RUN_NOT_FINITE;
    else if (rho <= 0)
        now->outcome = NITRO_RUN_BREAKDOWN; /* the preconditioner is not positive definite */
}

static __device__ void begin_method(const krylov_task &t, krylov_numbers *now, const double *sums)
{
    if (t.how.iterate == GMRES)
        now->iterations = t.iterations;
    now->norm = now->first = now->best = sqrt(sums[0]);
    now->best_at = now->iterations;
    now->alpha = now->beta = now->omega = 0;
    now->rho = t.how.iterate == CG ? INFINITY : sums[0];
    now->outcome = RUNNING;
    if (t.how.iterate == CG && t.how.preconditioner == JACOBI)
        set_beta(now, sums[1]);
    if (t.how.iterate == MINRES) {
        now->beta = now->first_beta = now->phi_bar = sqrt(sums[1]);
        now->older_beta = 1;
        now->d_bar = now->epsilon = now->sine = 0;
        now->cosine = -1;
    }
}

/* The next column of MINRES's tridiagonal matrix is rotated. */
static __device__ void rotate_column(krylov_numbers *now, double next_beta)
{
    double older_epsilon = now->epsilon;
    double delta = now->cosine * now->d_bar + now->sine * now->diagonal;
    double g_bar = now->sine * now->d_bar - now->cosine * now->diagonal;
    double gamma = hypot(g_bar, next_beta);
    now->older_beta = now->beta;
    now->beta = next_beta;
    now->epsilon = now->sine * next_beta;
    now->d_bar = -now->cosine * next_beta;
    now->cosine = g_bar / gamma;
    now->sine = next_beta / gamma;
    now->by_y = 1 / (now->older_beta * gamma);
    now->by_w = older_epsilon / gamma;
    now->by_last = delta / gamma;
    now->phi = now->cosine * now->phi_bar;
    if (!isfinite(next_beta) || !isfinite(now->diagonal))
        now->outcome = NITRO_RUN_NOT_FINITE;
    else if (gamma == 0)
        now->outcome = NITRO_RUN_BREAKDOWN;
}

/* Of GMRES, on the host. */
static __host__ __device__ void end_iteration(const krylov_task &t, krylov_numbers *now,
                                              double norm, double other)
{
    now->norm = norm;
    if (norm < NITRO_SOLVER_NEARER * now->best) {
        now->best = norm;
        now->best_at = now->iterations;
    }
    bool is_stuck = t.how.iterate != CG && now->iterations - now->best_at > NITRO_SOLVER_PATIENCE;
    if (!isfinite(norm) || !isfinite(other))
        now->outcome = NITRO_RUN_NOT_FINITE;
    else if (norm <= now->target || now->iterations >= t.limit || is_stuck)
        now->outcome = ENDED;
}

template <int STEP> static __device__ void go_on(const krylov_task &t, const double *sums)
{
    krylov_numbers *now = t.now;
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
    } else if (STEP == MR_PRODUCT) {
        now->iterations++;
        now->diagonal = sums[0] / now->beta;
        now->alpha = now->diagonal / now->beta;
    } else if (STEP == MR_SUBTRACT) {
        rotate_column(now, sqrt(sums[0]));
    } else if (STEP == MR_UPDATE) { /* the residual in the preconditioner's norm */
        now->phi_bar *= now->sine;
        end_iteration(t, now, now->first * fabs(now->phi_bar) / now->first_beta, 0);
    } else if (STEP == GM_DOTS) {
        now->dots[blockIdx.y] = sums[0];
    } else if (STEP == GM_SUBTRACT) {
        now->left = sums[0];
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

template <int STEP> static __device__ void finish(const krylov_task &t, double *sums)
{
    static __shared__ bool is_last;
    double *ours = t.sums + (size_t)blockIdx.y * gridDim.x * MAX_SUMS;
    add_block(sums);
    if (threadIdx.x == 0) {
        for (int s = 0; s < MAX_SUMS; s++)
            ours[blockIdx.x * MAX_SUMS + s] = sums[s];
        __threadfence();
        is_last = atomicInc(&t.now->num_done[blockIdx.y], gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    const volatile double *all = ours;
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
template <int STEP> static __device__ double multiply(const krylov_task &t, int row, bool is_row)
{
    constexpr bool is_inverse = STEP >= APPLY_INVERSE;
    const double *values = is_inverse ? t.factors : t.values;
    const double *from = STEP == RESIDUAL            ? t.x
                         : STEP == CG_PRODUCT        ? t.p
                         : STEP == BI_FIRST_PRODUCT  ? t.mp
                         : STEP == BI_SECOND_PRODUCT ? t.ms
                         : STEP == MR_PRODUCT        ? t.mp
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

static __device__ double combine_basis(const krylov_task &t, int i)
{
    double sum = 0;
    for (int j = 0; j < t.count; j++)
        sum += t.now->dots[j] * t.basis[(size_t)j * t.num_rows + i];
    return sum;
}

/* r of x, and what methods begin with */
static __device__ void begin_row(const krylov_task &t, int i, double r, double *sums)
{
    t.r[i] = r;
    t.p[i] = t.q[i] = 0;
    sums[0] += r * r;
    if (t.how.iterate == BICGSTAB || t.how.iterate == MINRES)
        t.first[i] = t.how.iterate == MINRES ? 0 : r;
    if (t.how.iterate != BICGSTAB && t.how.preconditioner == JACOBI) {
        t.mp[i] = t.diagonal[i] * r;
        sums[1] += r * t.mp[i];
    }
}

static __device__ double apply_block(const krylov_task &t, int row)
{
    int first = row / TILE * TILE, size = min(TILE, t.num_rows - first);
    const float *inverse = (const float *)t.factors + (size_t)first * TILE + (row - first);
    double sum = 0;
    for (int i = 0; i < size; i++, inverse += TILE)
        sum += (double)*inverse * t.from[first + i];
    return sum;
}

template <int STEP>
static __device__ void do_row(const krylov_task &t, int i, double product, double *sums)
{
    const krylov_numbers &now = *t.now;
    bool is_jacobi = t.how.preconditioner == JACOBI;
    if (STEP == START) {
        double inverse = is_jacobi ? inverse_diagonal(t, i) : 0;
        t.x[i] = 0;
        if (is_jacobi)
            t.diagonal[i] = t.how.iterate == MINRES ? fabs(inverse) : inverse;
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
    } else if (STEP == MR_PRODUCT) {
        t.ms[i] = product / now.beta - now.beta / now.older_beta * t.p[i];
        sums[0] += t.mp[i] * t.ms[i];
    } else if (STEP == MR_SUBTRACT) {
        double next = t.ms[i] -= now.alpha * t.r[i];
        t.t[i] = t.diagonal[i] * next;
        sums[0] += next * t.t[i];
    } else if (STEP == MR_UPDATE) {
        t.q[i] = now.by_y * t.mp[i] - now.by_w * t.q[i] - now.by_last * t.first[i];
        t.x[i] += now.phi * t.q[i];
    } else if (STEP == GM_SCALE) {
        t.to[i] = t.factor * t.from[i];
    } else if (STEP == GM_DOTS) {
        sums[0] += t.basis[(size_t)blockIdx.y * t.num_rows + i] * t.to[i];
    } else if (STEP == GM_SUBTRACT) {
        double left = t.to[i] -= combine_basis(t, i);
        sums[0] += left * left;
    } else if (STEP == GM_COMBINE) {
        t.to[i] = combine_basis(t, i);
    } else if (STEP == GM_UPDATE) {
        t.x[i] += t.from[i];
    } else if (STEP == CG_RHO) {
        sums[0] += t.r[i] * t.mp[i];
    } else {
        t.to[i] = STEP == APPLY_BLOCKS ? apply_block(t, i) : product;
        sums[0] += t.r[i] * t.to[i];
    }
}

template <int STEP> static __global__ void __launch_bounds__(BLOCK) do_step(krylov_task t)
{
    constexpr bool is_end = STEP == ROUND || STEP == RESULT;
    constexpr bool has_sums = STEP != CG_DIRECTION && STEP != BI_DIRECTION && STEP != BI_HALF &&
                              STEP != GM_SCALE && STEP != GM_COMBINE && STEP != GM_UPDATE &&
                              STEP != GM_PRODUCT && STEP != APPLY_LOWER && !is_end;
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

/* ---- On the host ---- */

/* What kernels get, in a room of so many bytes. */
static krylov_task describe(const nitro_solver_cuda *s, const krylov_method *how, int64_t *bytes)
{
    const nitro_solver *host = &s->host;
    double *memory = (double *)s->cuda.room.memory;
    int64_t count = 0;
    auto take = [&](int64_t length) {
        double *taken = memory ? memory + count : NULL;
        count += length;
        return taken;
    };
    krylov_task t = {};
    double **of_all[] = {&t.x, &t.r, &t.p, &t.q, &t.mp, &t.ms}, **of_more[] = {&t.t, &t.first};
    bool is_factors = how->preconditioner == FACTORS;
    t.now = (krylov_numbers *)take((sizeof(krylov_numbers) + sizeof(double) - 1) / sizeof(double));
    t.sums = take(MAX_BLOCKS * MAX_SUMS);
    t.factors = take(nitro_solver_cuda_factors_length(host, how));
    t.diagonal = take(how->preconditioner == JACOBI || is_factors ? host->num_rows : 0);
    t.between = take(is_factors ? host->num_rows : 0);
    for (double **vector : of_all)
        *vector = take(host->num_rows);
    for (double **vector : of_more)
        *vector = take(how->iterate == BICGSTAB || how->iterate == MINRES ? host->num_rows : 0);
    t.basis = take(how->iterate == GMRES ? (NITRO_GMRES_RESTART + 1) * host->num_rows : 0);
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
    describe((const nitro_solver_cuda *)argument, (const krylov_method *)user, &bytes);
    return nitro_kit_make_room(&nitro_solver_kit, argument, bytes);
}

template <int STEP> static bool launch(nitro_solver_cuda *s, const krylov_task &t)
{
    int64_t threads = (int64_t)t.num_rows * (is_product<STEP> ? t.lanes : 1);
    int64_t most = (int64_t)MAX_BLOCKS * BLOCK;
    return nitro_cuda_launch(&s->cuda, "launching a step of a solver",
                             threads < most ? threads : most, BLOCK, do_step<STEP>, t) == 0;
}

/* to = M from, unless Jacobi did that within other steps. */
static bool apply(nitro_solver_cuda *s, krylov_task t, const double *from, double *to)
{
    t.from = from;
    t.to = to;
    if (t.how.preconditioner == BLOCKS)
        return launch<APPLY_BLOCKS>(s, t);
    if (t.how.preconditioner == INVERSE)
        return launch<APPLY_INVERSE>(s, t);
    if (t.how.preconditioner == JACOBI)
        return true;
    if (t.how.preconditioner == FACTORS)
        return nitro_solver_cuda_solve_factors(s, t) &&
               (t.how.iterate != CG || launch<CG_RHO>(s, t));
    t.to = t.ms;
    if (!launch<APPLY_LOWER>(s, t))
        return false;
    t.from = t.ms;
    t.to = to;
    return launch<APPLY_UPPER>(s, t);
}

static bool iterate(nitro_solver_cuda *s, krylov_task *its)
{
    const krylov_task &t = *its;
    if (t.how.iterate == CG)
        return apply(s, t, t.r, t.mp) && launch<CG_DIRECTION>(s, t) && launch<CG_PRODUCT>(s, t) &&
               launch<CG_UPDATE>(s, t);
    if (t.how.iterate == MINRES) {
        bool is_done =
            launch<MR_PRODUCT>(s, t) && launch<MR_SUBTRACT>(s, t) && launch<MR_UPDATE>(s, t);
        std::swap(its->q, its->first);
        std::swap(its->mp, its->t);
        std::swap(its->p, its->r);
        std::swap(its->r, its->ms);
        return is_done;
    }
    return launch<BI_DIRECTION>(s, t) && apply(s, t, t.p, t.mp) && launch<BI_FIRST_PRODUCT>(s, t) &&
           launch<BI_HALF>(s, t) && apply(s, t, t.r, t.ms) && launch<BI_SECOND_PRODUCT>(s, t) &&
           launch<BI_UPDATE>(s, t);
}

static bool look(nitro_solver_cuda *s, const krylov_task &t, krylov_numbers *now)
{
    return nitro_cuda_download(&s->cuda, t.now, 1, sizeof(*now), now) == 0;
}

/* 0, or the outcome of factors with an unusable pivot; 1 where CUDA fails. */
static int check_pivots(nitro_solver_cuda *s, const krylov_task &t, const krylov_numbers &now)
{
    double pivot;
    int row = t.num_rows - now.rows_from_bad;
    if (now.rows_from_bad == 0)
        return 0;
    if (nitro_cuda_download(&s->cuda, t.mp + row, 1, sizeof(pivot), &pivot) != 0)
        return 1;
    s->host.residual = isfinite(now.norm) ? 1 : now.norm;
    return nitro_solver_refuse_pivot(&s->host, row, pivot);
}

/* ---- GMRES ---- */

static bool scale(nitro_solver_cuda *s, krylov_task t, const double *from, double *to,
                  double factor)
{
    t.from = from;
    t.to = to;
    t.factor = factor;
    return launch<GM_SCALE>(s, t);
}

/* Of the newest vector with all: a row of blocks for each. */
static bool launch_dots(nitro_solver_cuda *s, const krylov_task &t)
{
    unsigned vectors = (unsigned)t.count + 1;
    cudaLaunchConfig_t config = nitro_cuda_grid(&s->cuda, t.num_rows, BLOCK);
    config.gridDim.x = std::min(config.gridDim.x, MAX_BLOCKS / vectors);
    config.gridDim.y = vectors;
    return nitro_cuda_check(&s->cuda, cudaLaunchKernelEx(&config, do_step<GM_DOTS>, t),
                            "launching a step of a solver") == 0;
}

/* As orthogonalise() of host/methods.c. */
static bool orthogonalise(nitro_solver_cuda *s, krylov_task t, double *h)
{
    krylov_numbers now;
    t.from = t.mp;
    t.to = t.basis + (size_t)t.count * t.num_rows;
    if (!apply(s, t, t.to - t.num_rows, t.mp) || !launch<GM_PRODUCT>(s, t))
        return false;
    std::fill(h, h + t.count, 0.0);
    for (int pass = 0; pass < 2; pass++) {
        if (!launch_dots(s, t) || !launch<GM_SUBTRACT>(s, t) || !look(s, t, &now))
            return false;
        for (int i = 0; i < t.count; i++)
            h[i] += now.dots[i];
        if (!(now.left < NITRO_GMRES_LOST * now.dots[t.count]))
            break;
    }
    h[t.count] = sqrt(now.left);
    return true;
}

/* x += M V y, and the residual. */
static bool add_cycle(nitro_solver_cuda *s, krylov_task t, const double *y, krylov_numbers *now)
{
    t.to = t.r;
    t.from = t.basis;
    return nitro_cuda_check(&s->cuda,
                            cudaMemcpyAsync(t.now->dots, y, (size_t)t.count * sizeof(*y),
                                            cudaMemcpyHostToDevice, (cudaStream_t)s->cuda.stream),
                            "copying to the device") == 0 &&
           launch<GM_COMBINE>(s, t) && apply(s, t, t.r, t.basis) && launch<GM_UPDATE>(s, t) &&
           launch<RESIDUAL>(s, t) && look(s, t, now);
}

/* A cycle from the residual r. It goes on in `mine`, the host's numbers of all cycles. */
static bool do_cycle(nitro_solver_cuda *s, krylov_task *t, krylov_numbers *mine,
                     krylov_numbers *now)
{
    nitro_gmres cycle;
    double *newest = t->basis, y[NITRO_GMRES_RESTART], length = now->norm;
    cycle.g[0] = length;
    if (!scale(s, *t, t->r, newest, 1 / length))
        return false;
    t->count = 0;
    while (t->count < NITRO_GMRES_RESTART && mine->outcome == RUNNING && length > 0) {
        double *h = cycle.h[t->count++];
        mine->iterations = ++t->iterations;
        if (!orthogonalise(s, *t, h))
            return false;
        length = h[t->count];
        end_iteration(*t, mine, nitro_gmres_rotate(&cycle, t->count - 1), 0);
        newest += t->num_rows;
        if (length > 0 && !scale(s, *t, newest, newest, 1 / length))
            return false;
    }
    if (mine->outcome == NITRO_RUN_NOT_FINITE)
        return true;
    if (nitro_gmres_solve(&cycle, t->count, y))
        return add_cycle(s, *t, y, now);
    mine->outcome = NITRO_RUN_BREAKDOWN;
    return true;
}

/* Cycles, while they reduce the residual. */
static bool do_cycles(nitro_solver_cuda *s, krylov_task *t, krylov_numbers *now)
{
    krylov_numbers mine = *now;
    double before;
    do {
        before = now->norm;
        if (!do_cycle(s, t, &mine, now))
            return false;
    } while (mine.outcome == RUNNING && now->norm < before);
    now->iterations = mine.iterations;
    now->outcome = mine.outcome == RUNNING ? (int)ENDED : mine.outcome;
    return true;
}

/* As solve() of host/krylov.c. Returns a nitro_run_failure, 1 where CUDA fails, or 0. */
static int solve(nitro_solver_cuda *s, krylov_task &t)
{
    krylov_numbers now = {};
    double before = INFINITY, norm;
    int outcome = 0;
    if (!nitro_solver_cuda_set_up(s, t) || !launch<START>(s, t) || !look(s, t, &now))
        return 1;
    t.scale = nitro_solver_scale(now.norm);
    if (t.scale != 1 && (!launch<START>(s, t) || !look(s, t, &now)))
        return 1;
    norm = now.norm;
    if (norm != 0)
        outcome = check_pivots(s, t, now);
    while (outcome == 0) {
        s->host.iterations = now.iterations;
        s->host.residual = now.norm == 0 ? 0 : now.norm / norm;
        if (!nitro_solver_goes_on(&s->host, &before, &outcome))
            return outcome;
        if (t.how.iterate == GMRES && !do_cycles(s, &t, &now))
            return 1;
        while (now.outcome == RUNNING) {
            for (int i = 0; i < BATCH; i++)
                if (!iterate(s, &t))
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
    return outcome;
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
    krylov_task t = describe(s, (const krylov_method *)user, &bytes);
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

static bool allows_symmetric(const double *features, const void *argument, void *user)
{
    return allows(features, argument, user) && features[NITRO_SOLVER_ASYMMETRY] <= 0;
}

static bool allows_positive(const double *features, const void *argument, void *user)
{
    return allows_symmetric(features, argument, user) && features[NITRO_SOLVER_NOT_POSITIVE] <= 0;
}

static const krylov_method cg_jacobi = {CG, JACOBI}, cg_bjacobi = {CG, BLOCKS};
static const krylov_method cg_fainv = {CG, FACTORISED}, bicgstab_fainv = {BICGSTAB, INVERSE};
static const krylov_method bicgstab_jacobi = {BICGSTAB, JACOBI},
                           bicgstab_bjacobi = {BICGSTAB, BLOCKS};
static const krylov_method cg_ic0 = {CG, FACTORS}, bicgstab_ilu0 = {BICGSTAB, FACTORS};
static const krylov_method gmres30_ilu0 = {GMRES, FACTORS}, minres = {MINRES, JACOBI};

#define VARIANT(its_name, its_allows, reads)                                                       \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .allows = its_allows,   \
        .allows_reads = reads, .fails_cleanly = true, .user = (void *)&its_name                    \
    }
#define OF_ANY(name)      VARIANT(name, allows, "num_nonzeros")
#define OF_POSITIVE(name) VARIANT(name, allows_positive, "num_nonzeros,asymmetry,not_positive")
static const nitro_variant declared[] = {
    OF_POSITIVE(cg_jacobi),   OF_POSITIVE(cg_bjacobi),
    OF_POSITIVE(cg_fainv),    OF_ANY(bicgstab_jacobi),
    OF_ANY(bicgstab_bjacobi), OF_ANY(bicgstab_fainv),
    OF_POSITIVE(cg_ic0),      OF_ANY(bicgstab_ilu0),
    OF_ANY(gmres30_ilu0),     VARIANT(minres, allows_symmetric, "num_nonzeros,asymmetry"),
};

static const nitro_variant *const variants[] = {
    &declared[0], &declared[1], &declared[2], &declared[3], &declared[4],
    &declared[5], &declared[6], &declared[7], &declared[8], &declared[9]};

const nitro_kit_device nitro_solver_cuda_device = NITRO_CUDA_DEVICE(
    nitro_solver_cuda, variants, .allows = allows, .allows_reads = "num_nonzeros");
