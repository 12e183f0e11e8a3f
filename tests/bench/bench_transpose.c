/*
 * Bench "transpose": doubles, on one thread. Out of place, the fastest variant over plain tiles of
 * 32 x 32; in place, the fastest over FFTW's (a plan of rank 0, measured), where FFTW is. Medians,
 * in turns; `ours` and the peer in GB/s, read and written.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "apps/transpose/transpose_inputs.h"
#include "bench/bench.h"
#include "bench/peers/transpose_fftw.h"
#include "nitro/runtime/computation.h"

#define MIN_ROUNDS   7
#define BUDGET_MS    300
#define MAX_SUBJECTS (NITRO_MAX_VARIANTS + 1)
#define TILE         32

typedef struct transposing {
    nitro_transpose *t;
    const nitro_variant *variant; /* NULL: a peer */
    void *plan;                   /* of FFTW; NULL: plain tiles */
} transposing;

static void transpose_tiles(const nitro_transpose *t)
{
    const double *in = t->in;
    double *out = t->out;
    int64_t rows = t->num_rows, cols = t->num_cols;
    for (int64_t i = 0; i < rows; i += TILE)
        for (int64_t j = 0; j < cols; j += TILE) {
            int64_t below = i + TILE < rows ? i + TILE : rows;
            int64_t right = j + TILE < cols ? j + TILE : cols;
            for (int64_t k = i; k < below; k++)
                for (int64_t l = j; l < right; l++)
                    out[l * rows + k] = in[k * cols + l];
        }
}

static void run_one(void *state)
{
    const transposing *one = state;
    if (one->variant)
        one->variant->run(one->t, one->variant->user);
    else if (one->plan)
        transpose_fftw_run(one->plan);
    else
        transpose_tiles(one->t);
}

static double gbps(const nitro_transpose *t, double ms)
{
    return 2e-6 * (double)(t->num_rows * t->num_cols * t->element_bytes) / ms;
}

static int measure(bench_report *report, const nitro_computation *computation, nitro_transpose *t)
{
    transposing all[MAX_SUBJECTS];
    bench_subject subjects[MAX_SUBJECTS];
    double features[NITRO_MAX_FEATURES];
    size_t count = 0, best = 0;
    void *plan = t->data ? transpose_fftw_plan(t->data, t->num_rows, t->num_cols) : NULL;
    if (nitro_computation_evaluate(computation, t, features) != NITRO_OK)
        return bench_fail("transpose: features failed");
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++) {
        const nitro_variant *variant = &computation->variants[v];
        if (variant->allows && !variant->allows(features, t, variant->user))
            continue;
        if (variant->prepare && variant->prepare(t, variant->user) != 0)
            return bench_fail("out of memory");
        all[count++] = (transposing){t, variant, NULL};
    }
    bool has_peer = plan || !t->data;
    if (has_peer)
        all[count] = (transposing){t, NULL, plan};
    for (size_t i = 0; i < count + has_peer; i++)
        subjects[i] = (bench_subject){.run = run_one, .state = &all[i]};
    int failed = bench_measure(subjects, count + has_peer, MIN_ROUNDS, BUDGET_MS);
    for (size_t i = 1; i < count; i++)
        best = subjects[i].median_ms < subjects[best].median_ms ? i : best;
    char name[128];
    double ours = gbps(t, subjects[best].median_ms);
    snprintf(name, sizeof(name), "%s/%lldx%lld/%s over %s", nitro_computation_name(computation),
             (long long)t->num_rows, (long long)t->num_cols, all[best].variant->name,
             !t->data ? "plain tiles"
             : plan   ? "FFTW"
                      : "itself: FFTW is not here");
    if (!failed)
        bench_add(report, name, ours, has_peer ? gbps(t, subjects[count].median_ms) : ours, "GB/s",
                  subjects[best].spread);
    transpose_fftw_free(plan);
    return failed;
}

static int run(bench_report *report)
{
    static const int64_t sides[][2] = {{2048, 2048}, {4096, 4096}, {2000, 3000}, {5000, 5003},
                                       {6, 1000000}, {1000000, 6}, {31, 200000}, {200000, 31},
                                       {1001, 777},  {300, 300},   {100, 90}};
    static const nitro_kit *const kits[] = {&nitro_transpose_kit, &nitro_transpose_inplace_kit};
    nitro_context *context;
    int failed = 0, most = omp_get_max_threads();
    if (nitro_context_create(&context) != NITRO_OK)
        return bench_fail("out of memory");
    omp_set_num_threads(1);
    for (size_t k = 0; k < 2 && !failed; k++) {
        nitro_computation *computation;
        if (nitro_kit_create(context, kits[k], false, &computation) != NITRO_OK) {
            failed = bench_fail("out of memory");
            break;
        }
        for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]) && !failed; i++) {
            const nitro_transpose sizes = {.num_rows = sides[i][0],
                                           .num_cols = sides[i][1],
                                           .element_bytes = 8,
                                           .is_row_major = 1};
            nitro_transpose *t = NULL;
            failed = nitro_transpose_create(context, kits[k], &sizes, &t) != NITRO_OK
                         ? bench_fail("out of memory")
                         : measure(report, computation, t);
            nitro_kit_free(kits[k], false, t);
        }
        nitro_computation_free(computation);
    }
    omp_set_num_threads(most);
    nitro_context_free(context);
    return failed;
}

const bench bench_transpose = {
    .name = "transpose",
    .description =
        "the fastest variant over plain tiles, and in place over FFTW, on one thread, for "
        "squares, skinny and other matrices of doubles, in GB/s",
    .run = run,
};
