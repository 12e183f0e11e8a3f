/*
 * Bench "spmv_cuda": every CUDA variant of y = A x, cuSPARSE's among them, on a matrix of every
 * family with some 20 million non-zeros, timed by the device's own clock in turns, medians. The
 * reference is the fastest of cuSPARSE's variants on that matrix, so that a ratio below 1 is
 * faster than cuSPARSE; the fastest variant of each matrix is marked. Each timed run follows one of
 * the same variant; nothing is flushed between them, but most matrices are larger than an L2
 * cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix_inputs.h"
#include "bench/bench.h"
#include "nitro/backend/statistics.h"
#include "nitro/runtime/computation.h"
#include "unit/spmv_inputs.h"
#include "variants/spmv/spmv_cuda.h"

#define NUM_NONZEROS 2e7
#define NUM_ROUNDS   25
#define SEED         1

typedef struct rig {
    nitro_context *context;
    nitro_computation *computation;
    const nitro_device_access *access;
    nitro_device_session *session;
    bench_report *report;
} rig;

static int fail_with_last_error(const rig *r)
{
    char message[512];
    nitro_context_last_error(r->context, message, sizeof(message));
    return bench_fail("%s", message);
}

/* One run of a variant by the device's clock; negative when it failed. */
static double time_once(const rig *r, const nitro_variant *variant, nitro_spmv_cuda *spmv)
{
    double elapsed_ms = -1;
    if (variant->run(spmv, variant->user) != 0 || /* the caches hold another variant's arrays */
        r->access->start(r->session, spmv->cuda.stream) != NITRO_OK ||
        variant->run(spmv, variant->user) != 0 ||
        r->access->stop(r->session, spmv->cuda.stream, &elapsed_ms) != NITRO_OK)
        return -1;
    return elapsed_ms;
}

/* Prepare the variants that allow the matrix, and check each; `is_in` says which. */
static int prepare_all(const rig *r, nitro_spmv_cuda *spmv, bool *is_in)
{
    double features[NITRO_SPMV_NUM_FEATURES];
    char why[512];
    const nitro_hooks *hooks = &r->computation->hooks;
    const nitro_variant *variants = r->computation->variants;
    if (nitro_computation_evaluate(r->computation, spmv, features) != NITRO_OK)
        return fail_with_last_error(r);
    if (hooks->prepare_input(spmv, hooks->user) != 0 ||
        variants[0].run(spmv, variants[0].user) != 0 ||
        hooks->keep_reference(spmv, hooks->user) != 0)
        return bench_fail("%s", spmv->cuda.problem);
    for (size_t v = 0; v < nitro_computation_num_variants(r->computation); v++) {
        is_in[v] = variants[v].allows(features, NULL, variants[v].user);
        if (!is_in[v])
            continue;
        if (variants[v].prepare(spmv, variants[v].user) != 0 ||
            variants[v].run(spmv, variants[v].user) != 0)
            return bench_fail("%s: %s", variants[v].name, spmv->cuda.problem);
        if (hooks->check_result(spmv, why, sizeof(why), hooks->user) != 0)
            return bench_fail("%s: %s", variants[v].name, why);
    }
    return 0;
}

static void report_matrix(const rig *r, const char *matrix, const bool *is_in,
                          const double *medians_ms, const double *spreads)
{
    size_t num_variants = nitro_computation_num_variants(r->computation), best = 0;
    double reference_ms = 0;
    for (size_t v = 0; v < num_variants; v++) {
        const char *name = nitro_computation_variant_name(r->computation, v);
        if (!is_in[v])
            continue;
        if (medians_ms[v] < medians_ms[best])
            best = v;
        if (strncmp(name, "cusparse", 8) == 0 &&
            (reference_ms == 0 || medians_ms[v] < reference_ms))
            reference_ms = medians_ms[v];
    }
    for (size_t v = 0; v < num_variants; v++) {
        char name[192];
        snprintf(name, sizeof(name), "%s/%s%s", matrix,
                 nitro_computation_variant_name(r->computation, v), v == best ? " (fastest)" : "");
        if (is_in[v])
            bench_add(r->report, name, medians_ms[v],
                      reference_ms > 0 ? reference_ms : medians_ms[0], "ms", spreads[v]);
    }
}

static int measure(const rig *r, const char *matrix, nitro_spmv_cuda *spmv)
{
    bool is_in[NITRO_MAX_VARIANTS];
    double times_ms[NITRO_MAX_VARIANTS][NUM_ROUNDS], medians_ms[NITRO_MAX_VARIANTS],
        spreads[NITRO_MAX_VARIANTS];
    size_t num_variants = nitro_computation_num_variants(r->computation);
    if (prepare_all(r, spmv, is_in) != 0)
        return 1;
    for (size_t round = 0; round < NUM_ROUNDS; round++)
        for (size_t v = 0; v < num_variants; v++) {
            if (!is_in[v])
                continue;
            times_ms[v][round] = time_once(r, &r->computation->variants[v], spmv);
            if (times_ms[v][round] < 0)
                return bench_fail("%s: %s: could not be timed: %s", matrix,
                                  r->computation->variants[v].name, spmv->cuda.problem);
        }
    for (size_t v = 0; v < num_variants; v++)
        if (is_in[v]) {
            nitro_sort(times_ms[v], NUM_ROUNDS);
            medians_ms[v] = nitro_median(times_ms[v], NUM_ROUNDS);
            spreads[v] = nitro_relative_spread(times_ms[v], NUM_ROUNDS);
        }
    report_matrix(r, matrix, is_in, medians_ms, spreads);
    return 0;
}

static int run_family(const rig *r, const nitro_matrix_family *family)
{
    nitro_random random;
    nitro_matrix_shape shape = {0};
    char name[128];
    nitro_random_seed(&random, SEED);
    family->plan(&random, NUM_NONZEROS, &shape);
    nitro_matrix *matrix = NULL;
    nitro_spmv *host = NULL;
    snprintf(name, sizeof(name), "%s-%s", family->name, shape.label);
    if (nitro_matrix_build(r->context, family, &shape, &random, name, &matrix) != NITRO_OK ||
        nitro_spmv_kit.adopt(r->context, matrix, (void **)&host) != NITRO_OK)
        return fail_with_last_error(r);
    nitro_spmv_cuda spmv = {.host = *host};
    int failed = measure(r, name, &spmv);
    nitro_kit_release_device(&nitro_spmv_kit, &spmv);
    spmv_inputs_free(host);
    return failed;
}

static int open_device(rig *r)
{
    for (const nitro_device_kind *const *kind = nitro_builtin_device_kinds(); *kind; kind++)
        if (strcmp((*kind)->name, "cuda") == 0)
            r->access = (*kind)->access;
    if (!r->access)
        return bench_fail("this build is without CUDA");
    return r->access->open(r->context, "cuda", &r->session) == NITRO_OK ? 0
                                                                        : fail_with_last_error(r);
}

static int run(bench_report *report)
{
    rig r = {.report = report};
    if (nitro_context_create(&r.context) != NITRO_OK)
        return bench_fail("out of memory");
    int failed = nitro_module_spmv_cuda.create(r.context, &r.computation) == NITRO_OK
                     ? open_device(&r)
                     : fail_with_last_error(&r);
    for (const nitro_matrix_family *family = nitro_matrix_families; family->name && !failed;
         family++)
        failed = run_family(&r, family);
    if (r.session)
        r.access->close(r.session);
    nitro_computation_free(r.computation);
    nitro_context_free(r.context);
    return failed;
}

const bench bench_spmv_cuda = {
    .name = "spmv_cuda",
    .description =
        "CUDA variants of y = A x over the fastest of cuSPARSE's, on a matrix of every family "
        "with about 2e7 non-zeros; needs a GPU",
    .run = run,
};
