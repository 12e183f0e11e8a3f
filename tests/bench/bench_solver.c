/*
 * Bench "solver": the time of an iteration of cg_jacobi over that of Eigen's conjugate gradients
 * with Jacobi, on one thread, both of 100 iterations from 0 with their set-up; and for every family
 * of systems how many nitro_run solves over how many any variant solves: a variant that fails gives
 * way to the next one, so that there must be as many.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "apps/solver/systems.h"
#include "bench/bench.h"
#include "bench/peers/solver_eigen.h"
#include "nitro/runtime/computation.h"

#define NUM_NONZEROS   1800000 /* 64^3 points of a 7-point stencil */
#define FEWER_NONZEROS 100000  /* in a core's cache */
#define SMALL_NONZEROS 10000
#define NUM_SMALL      5 /* a family */
#define ITERATIONS     100
#define MIN_ROUNDS     3
#define BUDGET_MS      1000

static nitro_solver *make(nitro_context *context, size_t family, double size, uint64_t seed)
{
    nitro_random random;
    char label[NITRO_KIT_LABEL];
    void *data = NULL;
    nitro_solver *system = NULL;
    nitro_random_seed(&random, seed);
    if (nitro_system_make(context, family, &random, size, label, &data) != NITRO_OK ||
        nitro_solver_kit.adopt(context, data, (void **)&system) != NITRO_OK)
        return NULL;
    return system;
}

typedef struct solving {
    nitro_solver *system;
    void *eigen;
} solving;

static void run_ours(void *state)
{
    const solving *s = state;
    const nitro_variant *variant = nitro_solver_variants[0]; /* cg_jacobi */
    variant->run(s->system, variant->user);
}

static void run_eigen(void *state)
{
    const solving *s = state;
    solver_eigen_run(s->eigen, s->system->b, ITERATIONS);
}

static int measure_iterations(bench_report *report, nitro_context *context, const char *family,
                              double size)
{
    size_t f = 0;
    while (strcmp(nitro_system_families[f].name, family) != 0)
        f++;
    nitro_solver *system = make(context, f, size, 1);
    if (!system || nitro_solver_variants[0]->prepare(system, nitro_solver_variants[0]->user) != 0)
        return bench_fail("out of memory");
    system->tolerance = 1e-300;
    system->max_iterations = ITERATIONS;
    solving s = {system, solver_eigen_create(system)};
    bench_subject subjects[] = {{.run = run_ours, .state = &s}, {.run = run_eigen, .state = &s}};
    int failed = s.eigen ? bench_measure(subjects, 2, MIN_ROUNDS, BUDGET_MS)
                         : bench_fail("Eigen's headers were not found when this was built: install "
                                      "them (Debian: libeigen3-dev), and configure again");
    char name[96];
    snprintf(name, sizeof(name), "%s, %.3g non-zeros/an iteration of cg_jacobi over Eigen's",
             family, (double)system->num_nonzeros);
    if (!failed)
        bench_add(report, name, subjects[0].median_ms / ITERATIONS,
                  subjects[1].median_ms / ITERATIONS, "ms", subjects[0].spread);
    solver_eigen_free(s.eigen);
    nitro_kit_free(&nitro_solver_kit, false, system);
    return failed;
}

static bool any_solves(const nitro_computation *computation, nitro_solver *system)
{
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
        const nitro_variant *variant = &computation->variants[v];
        if (variant->prepare(system, variant->user) == 0 &&
            variant->run(system, variant->user) == 0)
            return true;
    }
    return false;
}

static int count_solved(bench_report *report, nitro_context *context,
                        const nitro_computation *computation)
{
    double by_any = 0, by_run = 0;
    for (size_t family = 0; family < NITRO_SYSTEM_NUM_FAMILIES; family++)
        for (uint64_t seed = 0; seed < NUM_SMALL; seed++) {
            nitro_solver *system = make(context, family, SMALL_NONZEROS, seed);
            if (!system)
                return bench_fail("out of memory");
            by_any += any_solves(computation, system);
            by_run += nitro_run(computation, system, NULL) == NITRO_OK;
            nitro_kit_free(&nitro_solver_kit, false, system);
        }
    bench_add(report, "solved by nitro_run over by any variant", by_run, by_any, "systems", 0);
    return 0;
}

static int run(bench_report *report)
{
    static const char *const families[] = {"poisson3d", "jumps3d",  "poisson2d", "anisotropic2d",
                                           "box2d",     "box3d",    "scaled2d",  "blocks2d",
                                           "blocks3d",  "laplacian"};
    nitro_context *context;
    nitro_computation *computation;
    int failed = 0, threads = omp_get_max_threads();
    if (nitro_context_create(&context) != NITRO_OK ||
        nitro_module_solver.create(context, &computation) != NITRO_OK)
        return bench_fail("out of memory");
    omp_set_num_threads(1);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !failed; i++) {
        failed = measure_iterations(report, context, families[i], NUM_NONZEROS);
        if (!failed)
            failed = measure_iterations(report, context, families[i], FEWER_NONZEROS);
    }
    omp_set_num_threads(threads);
    if (!failed)
        failed = count_solved(report, context, computation);
    nitro_computation_free(computation);
    nitro_context_free(context);
    return failed;
}

const bench bench_solver = {
    .name = "solver",
    .description = "an iteration of cg_jacobi over Eigen's on one thread, and systems solved by "
                   "nitro_run over those that any variant solves",
    .run = run,
};
