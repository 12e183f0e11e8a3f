/* computation_cases.h - every variant of every built-in computation on CUDA devices, on inputs of
 * any family, on the emulation and on a GPU. */
#ifndef NITRO_TESTS_CUDA_COMPUTATION_CASES_H
#define NITRO_TESTS_CUDA_COMPUTATION_CASES_H

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_cases.h"
#include "nitro/cuda.hpp"
#include "nitro/kit/fields.h"

extern const nitro_kit nitro_bfs_kit, nitro_histogram_kit, nitro_solver_kit, nitro_sort_kit,
    nitro_spmv_kit, nitro_transpose_kit, nitro_transpose_inplace_kit;
extern const nitro_module nitro_module_bfs_cuda, nitro_module_histogram_cuda,
    nitro_module_solver_cuda, nitro_module_sort_cuda, nitro_module_spmv_cuda,
    nitro_module_transpose_cuda, nitro_module_transpose_inplace_cuda;

static const struct {
    const nitro_kit *kit;
    const nitro_module *module;
} cuda_computations[] = {
    {&nitro_bfs_kit, &nitro_module_bfs_cuda},
    {&nitro_histogram_kit, &nitro_module_histogram_cuda},
    {&nitro_solver_kit, &nitro_module_solver_cuda},
    {&nitro_sort_kit, &nitro_module_sort_cuda},
    {&nitro_spmv_kit, &nitro_module_spmv_cuda},
    {&nitro_transpose_kit, &nitro_module_transpose_cuda},
    {&nitro_transpose_inplace_kit, &nitro_module_transpose_inplace_cuda},
};
#define CUDA_NUM_COMPUTATIONS (sizeof(cuda_computations) / sizeof(cuda_computations[0]))

static inline nitro_cuda *computation_cases_cuda(const nitro_kit *kit, void *argument)
{
    return (nitro_cuda *)((char *)argument + kit->device->cuda);
}

/* An input of one family on the stream of the cases. */
static inline void *computation_cases_load(const cuda_cases *cases, const nitro_kit *kit,
                                           size_t family, double size)
{
    char label[NITRO_KIT_LABEL];
    nitro_random random;
    void *host = NULL, *argument = calloc(1, kit->device->argument_bytes);
    nitro_random_seed(&random, family);
    assert_ok(cases->context,
              kit->inputs->make(cases->context, family, &random, size, label, &host));
    if (kit->adopt)
        assert_ok(cases->context, kit->adopt(cases->context, host, &host));
    memcpy(argument, host, kit->argument_bytes);
    free(host);
    computation_cases_cuda(kit, argument)->stream = cases->stream;
    return argument;
}

/* Every variant that allows the input is right. The argument is freed. */
static inline void computation_cases_check(cuda_cases *cases, const nitro_kit *kit, void *argument)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    double features[NITRO_MAX_FEATURES];
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, argument, features));
    cuda_cases_keep_reference(cases, argument, kit->name);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        if (variant->allows && !variant->allows(features, argument, variant->user))
            continue;
        if (hooks->restore_input)
            assert_int_equal(hooks->restore_input(argument, hooks->user), 0);
        cuda_cases_check_variant(cases, argument, v, kit->name);
        if (variant->release)
            variant->release(argument, variant->user);
    }
    cases->module->unload(argument);
}

/* Two arguments of the first family, of these sizes, on two streams. */
static inline void computation_cases_check_two(cuda_cases *cases, const nitro_kit *kit,
                                               double first_size, double second_size)
{
    void *streams[] = {cases->stream, NULL}, *arguments[2];
    assert_int_equal(cudaStreamCreateWithFlags((cudaStream_t *)&streams[1], cudaStreamNonBlocking),
                     cudaSuccess);
    for (size_t i = 0; i < 2; i++) {
        cases->stream = streams[i];
        arguments[i] = computation_cases_load(cases, kit, 0, i == 0 ? first_size : second_size);
        cuda_cases_keep_reference(cases, arguments[i], "one of two");
    }
    cuda_cases_check_two(cases, arguments[0], arguments[1]);
    for (size_t i = 0; i < 2; i++)
        cases->module->unload(arguments[i]);
    assert_int_equal(cudaStreamDestroy(streams[1]), cudaSuccess);
    cases->stream = streams[0];
}

#endif
