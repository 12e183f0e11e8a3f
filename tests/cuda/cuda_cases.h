/* cuda_cases.h - shared by tests of CUDA variants, emulated and on a GPU: the module's computation
 * with a stream, and checks for the variants of any computation. */
#ifndef NITRO_TESTS_CUDA_CUDA_CASES_H
#define NITRO_TESTS_CUDA_CUDA_CASES_H

#include <cuda_runtime_api.h>

#include "nitro/runtime/computation.h"
#include "unit/unit.h"

typedef struct cuda_cases {
    const nitro_module *module;
    nitro_context *context;
    nitro_computation *computation; /* the module's, of kind cuda */
    void *stream;
    bool is_here[NITRO_MAX_VARIANTS];    /* not one that another kind or library has */
    size_t num_runs[NITRO_MAX_VARIANTS]; /* of cuda_cases_check_variant that were right */
} cuda_cases;

/** @param[in] allows_nothing  what variants that are not here have for `allows`; NULL: all are. */
static inline cuda_cases *cuda_cases_open(const nitro_module *module,
                                          bool (*allows_nothing)(const double *, const void *,
                                                                 void *))
{
    cuda_cases *cases = calloc(1, sizeof(*cases));
    assert_non_null(cases);
    cases->module = module;
    cases->context = unit_context();
    assert_ok(cases->context, module->create(cases->context, &cases->computation));
    assert_int_equal(
        cudaStreamCreateWithFlags((cudaStream_t *)&cases->stream, cudaStreamNonBlocking),
        cudaSuccess);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
        cases->is_here[v] =
            !allows_nothing || cases->computation->variants[v].allows != allows_nothing;
    return cases;
}

/** @return 0, or 1 where the stream or the device complains. */
static inline int cuda_cases_close(cuda_cases *cases)
{
    nitro_computation_free(cases->computation);
    nitro_context_free(cases->context);
    bool failed =
        cudaStreamDestroy(cases->stream) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
    free(cases);
    return failed;
}

static inline const nitro_variant *cuda_cases_variant(const cuda_cases *cases, size_t v)
{
    return &cases->computation->variants[v];
}

/** The variant of that name. */
static inline const nitro_variant *cuda_cases_find(const cuda_cases *cases, const char *name)
{
    size_t v = 0;
    while (strcmp(nitro_computation_variant_name(cases->computation, v), name) != 0)
        v++;
    return cuda_cases_variant(cases, v);
}

/** Why the last function of a variant failed. */
static inline const char *cuda_cases_problem(const cuda_cases *cases, const void *argument)
{
    return cases->computation->problem(argument, cases->computation->problem_user);
}

/** A generated input of the module, as measuring gets it; the module's `unload` frees it. The
 *  caller sets its stream. */
static inline void *cuda_cases_generate(const cuda_cases *cases, uint64_t seed, size_t index)
{
    char name[256];
    void *argument = NULL;
    assert_ok(cases->context,
              cases->module->generate(cases->context, seed, index, name, sizeof(name), &argument));
    return argument;
}

/** Run a variant that is prepared; false: it failed without a result, as it may where fails_cleanly
 *  is declared. */
static inline bool cuda_cases_run_or_fail(const cuda_cases *cases, void *argument,
                                          const nitro_variant *variant, const char *name)
{
    int failure = variant->run(argument, variant->user);
    if (failure == 0)
        return true;
    if (!variant->fails_cleanly || nitro_outcome_of_failure(failure) == NITRO_OUTCOME_FAILED)
        fail_msg("%s: %s cannot run: %s", name, variant->name, cuda_cases_problem(cases, argument));
    return false;
}

/** Have the reference variant run, or another one where it fails cleanly, and its result kept: it
 *  must be right. The argument is on the stream of the cases. */
static inline void cuda_cases_keep_reference(const cuda_cases *cases, void *argument,
                                             const char *name)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    const nitro_variant *reference = cuda_cases_variant(cases, cases->computation->reference);
    if (hooks->prepare_input(argument, hooks->user) != 0)
        fail_msg("%s: cannot be uploaded: %s", name, cuda_cases_problem(cases, argument));
    assert_ptr_equal(hooks->stream(argument, hooks->user), cases->stream);
    assert_int_equal(reference->prepare(argument, reference->user), 0);
    bool is_done = cuda_cases_run_or_fail(cases, argument, reference, name);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation) && !is_done; v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        is_done = cases->is_here[v] && variant->prepare(argument, variant->user) == 0 &&
                  cuda_cases_run_or_fail(cases, argument, variant, name);
    }
    if (hooks->keep_reference(argument, hooks->user) != 0)
        fail_msg("%s: the reference variant is wrong: %s", name,
                 cuda_cases_problem(cases, argument));
}

/** Prepare a variant, twice, and run it: its result must be right. The reference is kept. */
static inline void cuda_cases_check_variant(cuda_cases *cases, void *argument, size_t v,
                                            const char *name)
{
    const nitro_variant *variant = cuda_cases_variant(cases, v);
    char why[512] = "";
    if (variant->prepare(argument, variant->user) != 0)
        fail_msg("%s: %s cannot prepare: %s", name, variant->name,
                 cuda_cases_problem(cases, argument));
    if (variant->prepare(argument, variant->user) != 0)
        fail_msg("%s: %s is prepared and cannot prepare again", name, variant->name);
    if (!cuda_cases_run_or_fail(cases, argument, variant, name))
        return;
    if (cases->computation->hooks.check_result(argument, why, sizeof(why),
                                               cases->computation->hooks.user) != 0)
        fail_msg("%s: %s: %s", name, variant->name, why);
    cases->num_runs[v]++;
}

/** A variant that is prepared can be captured, and its graph computes what it does, twice. */
static inline void cuda_cases_check_graph(const cuda_cases *cases, void *argument,
                                          const nitro_variant *variant)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    char why[512] = "";
    assert_int_equal(variant->prepare(argument, variant->user), 0);
    assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
    assert_int_equal(variant->prepare(argument, variant->user), 0);
    assert_int_equal(variant->run(argument, variant->user), 0);
    assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
    assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(cudaGraphLaunch(executable, cases->stream), cudaSuccess);
        if (cases->computation->hooks.check_result(argument, why, sizeof(why),
                                                   cases->computation->hooks.user) != 0)
            fail_msg("%s: %s", variant->name, why);
    }
    assert_int_equal(cudaGraphExecDestroy(executable), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
}

/** The same for all that are here. */
static inline void cuda_cases_check_graphs(const cuda_cases *cases, void *argument)
{
    cuda_cases_keep_reference(cases, argument, "a generated input");
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
        if (cases->is_here[v])
            cuda_cases_check_graph(cases, argument, cuda_cases_variant(cases, v));
}

static inline void cuda_cases_run_one(const cuda_cases *cases, void *argument,
                                      const nitro_variant *variant)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    assert_true(!hooks->restore_input || hooks->restore_input(argument, hooks->user) == 0);
    if (variant->run(argument, variant->user) != 0)
        fail_msg("%s: %s", variant->name, cuda_cases_problem(cases, argument));
}

static inline void cuda_cases_check_one(const cuda_cases *cases, void *argument,
                                        const nitro_variant *variant)
{
    char why[512] = "";
    if (cases->computation->hooks.check_result(argument, why, sizeof(why),
                                               cases->computation->hooks.user) != 0)
        fail_msg("%s beside another argument: %s", variant->name, why);
}

static inline bool cuda_cases_allow(const cuda_cases *cases, const nitro_variant *variant,
                                    const void *argument)
{
    double features[NITRO_MAX_FEATURES];
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, argument, features));
    return !variant->allows || variant->allows(features, argument, variant->user);
}

/** Two live arguments do not disturb each other: both are prepared, then both run, on the streams
 *  that they have. Their references are kept. */
static inline void cuda_cases_check_two(const cuda_cases *cases, void *first, void *second)
{
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        if (!cases->is_here[v] || !cuda_cases_allow(cases, variant, first) ||
            !cuda_cases_allow(cases, variant, second))
            continue;
        assert_int_equal(variant->prepare(first, variant->user), 0);
        assert_int_equal(variant->prepare(second, variant->user), 0);
        cuda_cases_run_one(cases, first, variant);
        cuda_cases_run_one(cases, second, variant);
        cuda_cases_check_one(cases, first, variant);
        cuda_cases_check_one(cases, second, variant);
    }
}

/** Say so where there is no GPU: the test then ends with 77. */
static inline bool cuda_cases_is_without_gpu(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return false;
    printf("SKIPPED: no GPU is here (%s): nothing has run on one\n", cudaGetErrorString(error));
    return true;
}

#endif
