/* The host's variants of the solver: memory, steps, and a run, which iterates until the residual,
 * recomputed from x, is small enough. */
#include "variants/solver/host/krylov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "variants/spmv/host/spmv_kernels.h"

#define NS_PER_ENTRY 0.5
#define LINE         8    /* doubles */
#define MARGIN       0.98 /* the method's residual and the true one differ by rounding */
#define LEAST_GAIN   0.5  /* by iterating again from the true residual */

/* ---- Steps ---- */

static int64_t num_chunks(int64_t n)
{
    return (n + NITRO_KRYLOV_CHUNK - 1) / NITRO_KRYLOV_CHUNK;
}

static void do_part(const void *state, int part, int parts)
{
    nitro_krylov *k = *(nitro_krylov *const *)state;
    int64_t chunks = num_chunks(k->n);
    int64_t last = nitro_host_split_evenly(chunks, part + 1, parts);
    for (int64_t c = nitro_host_split_evenly(chunks, part, parts); c < last; c++) {
        int64_t begin = c * NITRO_KRYLOV_CHUNK, end = begin + NITRO_KRYLOV_CHUNK;
        double sums[NITRO_KRYLOV_MAX_SUMS] = {0};
        k->chunk(k, begin, end < k->n ? end : k->n, sums);
        memcpy(k->chunk_sums + c * k->num_sums, sums, (size_t)k->num_sums * sizeof(*sums));
    }
}

void nitro_krylov_step(nitro_krylov *k, nitro_krylov_chunk *chunk, int num_sums)
{
    k->chunk = chunk;
    k->num_sums = num_sums;
    nitro_host_run_parts(do_part, &k, k->parts);
    for (int s = 0; s < num_sums; s++) {
        k->sums[s] = 0;
        for (int64_t c = 0; c < num_chunks(k->n); c++)
            k->sums[s] += k->chunk_sums[c * num_sums + s];
    }
}

void nitro_krylov_multiply(const nitro_krylov *k, const double *from, double *to, int64_t begin,
                           int64_t end)
{
    const nitro_solver *system = k->system;
    const nitro_spmv spmv = {.num_rows = k->n,
                             .num_cols = k->n,
                             .num_nonzeros = system->num_nonzeros,
                             .row_offsets = system->row_offsets,
                             .columns = system->columns,
                             .values = system->values,
                             .x = from,
                             .y = to};
    nitro_spmv_csr_multiply(&spmv, begin, end);
}

double nitro_krylov_dot(const double *a, const double *b, int64_t begin, int64_t end)
{
    nitro_spmv_lanes sums = {0};
    double rest = 0;
    int64_t i = begin;
    for (; i + NITRO_SPMV_LANES <= end; i += NITRO_SPMV_LANES)
        sums += NITRO_SPMV_LOAD(a + i) * NITRO_SPMV_LOAD(b + i);
    for (; i < end; i++)
        rest += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

/* ---- Memory: vectors, sums of chunks, factors ---- */

static int64_t vector_length(int64_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

static int64_t sums_length(int64_t n)
{
    return vector_length(num_chunks(n) * NITRO_KRYLOV_MAX_SUMS);
}

static int64_t bytes_of(const nitro_solver *system, const nitro_krylov_method *method)
{
    int64_t doubles =
        vector_length(system->num_rows) * method->num_vectors + sums_length(system->num_rows);
    return doubles * (int64_t)sizeof(double) + method->preconditioner->bytes(system);
}

static int prepare(void *argument, void *user)
{
    nitro_solver *system = argument;
    int64_t bytes = bytes_of(system, user);
    if (system->room && system->room_bytes >= bytes)
        return 0;
    void *made = nitro_host_allocate(bytes, 1);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    nitro_host_free(system->room);
    system->room = made;
    system->room_bytes = bytes;
    return 0;
}

static void lay_out(nitro_krylov *k, const nitro_krylov_method *method)
{
    double *at = k->system->room;
    for (int i = 0; i < method->num_vectors; i++, at += vector_length(k->n))
        k->vectors[i] = at;
    k->chunk_sums = at;
    k->factors = at + sums_length(k->n);
}

/* ---- A run ---- */

/* x = 0 and r = b; the sum is |b|^2. */
static void start_chunk(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    size_t bytes = (size_t)(end - begin) * sizeof(double);
    memset(k->vectors[NITRO_KRYLOV_X] + begin, 0, bytes);
    memcpy(k->vectors[NITRO_KRYLOV_R] + begin, k->system->b + begin, bytes);
    sums[0] = nitro_krylov_dot(k->system->b, k->system->b, begin, end);
}

void nitro_krylov_residual(nitro_krylov *k, int64_t begin, int64_t end, double *sums)
{
    double *r = k->vectors[NITRO_KRYLOV_R];
    nitro_krylov_multiply(k, k->vectors[NITRO_KRYLOV_X], r, begin, end);
    for (int64_t i = begin; i < end; i++)
        r[i] = k->system->b[i] - r[i];
    sums[0] = nitro_krylov_dot(r, r, begin, end);
}

static int fail(nitro_solver *system, int failure)
{
    static const char *const words[] = {"not converged", "breakdown", "not finite"};
    char why[sizeof(system->problem)];
    snprintf(why, sizeof(why), "%s", system->problem);
    snprintf(system->problem, sizeof(system->problem),
             "%s after %lld iterations, residual %.3g%s%.80s",
             words[failure - NITRO_RUN_NOT_CONVERGED], (long long)system->iterations,
             system->residual, why[0] ? ": " : "", why);
    return failure;
}

/* Iterates, again from the true residual where the method's own one lost touch with it. */
static int solve(nitro_krylov *k, const nitro_krylov_method *method, double norm)
{
    nitro_solver *system = k->system;
    double before = INFINITY;
    k->residual = norm;
    for (;;) {
        system->residual = k->residual / norm;
        if (!isfinite(system->residual))
            return NITRO_RUN_NOT_FINITE;
        if (system->residual <= system->tolerance)
            return 0;
        if (system->iterations >= system->max_iterations || system->residual > LEAST_GAIN * before)
            return NITRO_RUN_NOT_CONVERGED;
        before = system->residual;
        int failure = method->iterate(k);
        if (failure) {
            system->residual = k->residual / norm;
            return failure;
        }
        nitro_krylov_step(k, nitro_krylov_residual, 1);
        k->residual = sqrt(k->sums[0]);
    }
}

static int run(void *argument, void *user)
{
    nitro_solver *system = argument;
    const nitro_krylov_method *method = user;
    nitro_krylov k = {
        .system = system, .preconditioner = method->preconditioner, .n = system->num_rows};
    system->iterations = 0;
    system->residual = 0;
    system->problem[0] = '\0';
    if (k.n == 0)
        return 0;
    if (!system->room || system->room_bytes < bytes_of(system, method)) {
        snprintf(system->problem, sizeof(system->problem), "not prepared");
        return 1;
    }
    lay_out(&k, method);
    k.parts = nitro_host_num_parts(NS_PER_ENTRY * (double)(system->num_nonzeros + 2 * k.n));
    nitro_krylov_step(&k, start_chunk, 1);
    double norm = sqrt(k.sums[0]);
    k.target = MARGIN * system->tolerance * norm;
    int failure = 0;
    if (norm != 0) {
        system->residual = 1;
        failure = method->preconditioner->set_up(&k);
        if (!failure)
            failure = solve(&k, method, norm);
    }
    if (failure)
        return fail(system, failure);
    memcpy(system->x, k.vectors[NITRO_KRYLOV_X], (size_t)k.n * sizeof(*system->x));
    return 0;
}

/* ---- Variants ---- */

static bool allows_symmetric(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SOLVER_ASYMMETRY] <= 0;
}

static bool allows_positive(const double *features, const void *argument, void *user)
{
    return allows_symmetric(features, argument, user) && features[NITRO_SOLVER_NOT_POSITIVE] <= 0;
}

#define VARIANT(its_name, its_iterate, its_preconditioner, vectors, its_allows, reads)             \
    static const nitro_krylov_method its_name##_method = {                                         \
        .iterate = nitro_krylov_##its_iterate,                                                     \
        .preconditioner = &nitro_krylov_##its_preconditioner,                                      \
        .num_vectors = NITRO_KRYLOV_OWN + (vectors)};                                              \
    const nitro_variant nitro_solver_variant_##its_name = {                                        \
        .name = #its_name,                                                                         \
        .version = "1",                                                                            \
        .run = run,                                                                                \
        .prepare = prepare,                                                                        \
        .allows = its_allows,                                                                      \
        .allows_reads = reads,                                                                     \
        .fails_cleanly = true,                                                                     \
        .user = (void *)&its_name##_method,                                                        \
    };
#define BY_CG(name, preconditioner)                                                                \
    VARIANT(name, cg, preconditioner, 3, allows_positive, "asymmetry,not_positive")
#define BY_BICGSTAB(name, preconditioner) VARIANT(name, bicgstab, preconditioner, 6, NULL, NULL)

BY_CG(cg_jacobi, jacobi)
BY_CG(cg_bjacobi, bjacobi)
BY_CG(cg_fainv, fsai)
BY_CG(cg_ic0, ic0)
BY_BICGSTAB(bicgstab_jacobi, jacobi)
BY_BICGSTAB(bicgstab_bjacobi, bjacobi)
BY_BICGSTAB(bicgstab_fainv, isai)
BY_BICGSTAB(bicgstab_ilu0, ilu0)
VARIANT(gmres30_ilu0, gmres, ilu0, NITRO_KRYLOV_RESTART + 2, NULL, NULL)
VARIANT(minres, minres, absolute, 6, allows_symmetric, "asymmetry")
