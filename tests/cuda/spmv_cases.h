/* spmv_cases.h - the CUDA variants of spmv against the host's reference, on matrices of every
 * family and on odd ones: the same cases for the emulation and for a GPU. */
#ifndef NITRO_TESTS_CUDA_SPMV_CASES_H
#define NITRO_TESTS_CUDA_SPMV_CASES_H

#include <cuda_runtime_api.h>
#include <math.h>

#include "apps/spmv/family.h"
#include "apps/spmv/generate.h"
#include "apps/spmv/module.h"
#include "nitro/nitro_internal.h"
#include "unit/unit.h"
#include "variants/spmv/spmv_cuda.h"

/* Inputs that every variant must have run. */
#define SPMV_NUM_INPUTS 200

typedef struct spmv_cases {
    nitro_context *context;
    nitro_computation *computation; /* the module's, of kind cuda */
    void *stream;
    size_t num_runs[NITRO_MAX_VARIANTS];
} spmv_cases;

/* Matrix `index` of all families in turn, with 1 to about `max_nonzeros` entries. */
static nitro_spmv *spmv_cases_make(const spmv_cases *cases, uint64_t seed, size_t index,
                                   double max_nonzeros, char name[128])
{
    const nitro_spmv_family *family = &nitro_spmv_families[index % nitro_spmv_num_families()];
    nitro_random random;
    nitro_spmv_shape shape = {0};
    nitro_random_seed(&random, seed + index);
    family->plan(&random, pow(max_nonzeros, nitro_random_uniform(&random)), &shape);
    nitro_spmv_entries entries = {.num_rows = shape.num_rows, .num_cols = shape.num_cols};
    nitro_spmv_builder builder = {
        .context = cases->context, .entries = &entries, .random = &random, .status = NITRO_OK};
    family->build(&shape, &builder);
    assert_ok(cases->context, builder.status);
    snprintf(name, 128, "%s-%s#%zu", family->name, shape.label, index);
    nitro_spmv *spmv = NULL;
    assert_ok(cases->context, nitro_spmv_matrix_create(cases->context, name, &entries, &spmv));
    return spmv;
}

static void spmv_cases_check_variant(spmv_cases *cases, nitro_spmv_cuda *spmv, size_t v,
                                     const char *name)
{
    const nitro_variant *variant = &cases->computation->variants[v];
    char why[512] = "";
    if (variant->prepare(spmv, variant->user) != 0)
        fail_msg("%s: %s cannot prepare: %s", name, variant->name, spmv->cuda.problem);
    if (variant->prepare(spmv, variant->user) != 0)
        fail_msg("%s: %s is prepared and cannot prepare again", name, variant->name);
    if (variant->run(spmv, variant->user) != 0)
        fail_msg("%s: %s cannot run: %s", name, variant->name, spmv->cuda.problem);
    if (cases->computation->hooks.check_result(spmv, why, sizeof(why), NULL) != 0)
        fail_msg("%s: %s: %s", name, variant->name, why);
    if (variant->release)
        variant->release(spmv, variant->user);
    cases->num_runs[v]++;
}

/* Run every variant that allows the matrix and has had fewer than `enough` inputs; returns how many
 * ran. The matrix is freed. */
static size_t spmv_cases_check(spmv_cases *cases, nitro_spmv *matrix, const char *name,
                               size_t enough)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    const nitro_variant *reference = &cases->computation->variants[0];
    nitro_spmv_cuda spmv = {.host = *matrix, .cuda.stream = cases->stream};
    double features[NITRO_SPMV_NUM_FEATURES];
    size_t ran = 0;
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, &spmv, features));
    if (hooks->prepare_input(&spmv, NULL) != 0)
        fail_msg("%s: cannot be uploaded: %s", name, spmv.cuda.problem);
    assert_ptr_equal(hooks->stream(&spmv, NULL), cases->stream);
    if (reference->run(&spmv, reference->user) != 0 || hooks->keep_reference(&spmv, NULL) != 0)
        fail_msg("%s: the reference variant is wrong: %s", name, spmv.cuda.problem);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (cases->num_runs[v] >= enough || !variant->allows(features, NULL, variant->user))
            continue;
        spmv_cases_check_variant(cases, &spmv, v, name);
        ran++;
    }
    nitro_spmv_cuda_release(&spmv);
    nitro_spmv_matrix_free(matrix);
    return ran;
}

/* All families, until every variant that is here has run on so many inputs. */
static void spmv_cases_check_families(spmv_cases *cases, uint64_t seed, double max_nonzeros)
{
    bool is_done = false;
    size_t index = 0;
    memset(cases->num_runs, 0, sizeof(cases->num_runs));
    for (; !is_done && index < 40 * SPMV_NUM_INPUTS; index++) {
        char name[128];
        nitro_spmv *matrix = spmv_cases_make(cases, seed, index, max_nonzeros, name);
        spmv_cases_check(cases, matrix, name, SPMV_NUM_INPUTS);
        is_done = true;
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
            is_done &= cases->num_runs[v] >= SPMV_NUM_INPUTS ||
                       cases->computation->variants[v].allows == nitro_spmv_allows_nothing;
    }
    assert_true(is_done);
}

/* Matrices that no family has. */
static void spmv_cases_check_odd(spmv_cases *cases)
{
    static const struct {
        const char *name;
        int64_t rows, cols;
        int64_t every_row, long_row; /* entries of each row, and of the row in the middle */
    } odd[] = {
        {"0 x 0", 0, 0, 0, 0},
        {"0 x 5", 0, 5, 0, 0},
        {"5 x 0", 5, 0, 0, 0},
        {"1 x 1", 1, 1, 1, 1},
        {"1 x 1, empty", 1, 1, 0, 0},
        {"1 x 3000", 1, 3000, 3000, 3000},
        {"3000 x 1", 3000, 1, 1, 1},
        {"no entries", 777, 70, 0, 0},
        {"one long row, all others empty", 1025, 2000, 0, 2000},
        {"one long row among short ones", 513, 4099, 3, 4099},
        {"257 rows of 256", 257, 300, 256, 256},
        {"dense", 33, 65, 65, 65},
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        nitro_spmv_entries entries = {.num_rows = odd[i].rows, .num_cols = odd[i].cols};
        for (int64_t row = 0; row < odd[i].rows; row++) {
            int64_t length = row == odd[i].rows / 2 ? odd[i].long_row : odd[i].every_row;
            for (int64_t k = 0; k < length; k++)
                assert_ok(cases->context,
                          nitro_spmv_entries_add(cases->context, &entries, row,
                                                 k * odd[i].cols / length, sin((double)(row + k))));
        }
        nitro_spmv *matrix = NULL;
        assert_ok(cases->context,
                  nitro_spmv_matrix_create(cases->context, odd[i].name, &entries, &matrix));
        assert_true(spmv_cases_check(cases, matrix, odd[i].name, SIZE_MAX) >= 4);
    }
}

/* A loaded input of the module, as measuring gets it; its `unload` frees it. */
static nitro_spmv_cuda *spmv_cases_load(const spmv_cases *cases)
{
    char name[256];
    void *argument = NULL;
    assert_ok(cases->context,
              nitro_module_spmv_cuda.generate(cases->context, 3, 0, name, sizeof(name), &argument));
    nitro_spmv_cuda *spmv = argument;
    spmv->cuda.stream = cases->stream;
    return spmv;
}

/* Prepared variants can be captured, and their graphs compute what they do. */
static void spmv_cases_check_capture(spmv_cases *cases)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    const nitro_variant *reference = &cases->computation->variants[0];
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    char why[512] = "";
    assert_int_equal(hooks->prepare_input(spmv, NULL), 0);
    assert_int_equal(reference->run(spmv, reference->user), 0);
    assert_int_equal(hooks->keep_reference(spmv, NULL), 0);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (variant->allows == nitro_spmv_allows_nothing)
            continue;
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        assert_int_equal(variant->run(spmv, variant->user), 0);
        assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
        assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(cudaGraphLaunch(executable, cases->stream), cudaSuccess);
            if (hooks->check_result(spmv, why, sizeof(why), NULL) != 0)
                fail_msg("%s: %s", variant->name, why);
        }
        assert_int_equal(cudaGraphExecDestroy(executable), cudaSuccess);
        assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    }
    nitro_module_spmv_cuda.unload(spmv);
}

#endif
