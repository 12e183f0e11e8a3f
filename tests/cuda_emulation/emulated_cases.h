/* emulated_cases.h - shared by tests of emulated CUDA variants: a device that shuffles threads and
 * must be empty in the end, and checks that are only possible on it. */
#ifndef NITRO_TESTS_CUDA_EMULATION_EMULATED_CASES_H
#define NITRO_TESTS_CUDA_EMULATION_EMULATED_CASES_H

#include "cuda/cuda_cases.h"
#include "cuda_emulation/cuda_emulation.h"
#include "nitro/cuda.hpp"

static inline void emulated_cases_start_device(void)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.seed = 1;
    cuda_emulation_reset(&settings);
}

/** Whatever a test did, nothing of it is left on the device. */
static inline int emulated_cases_close(cuda_cases *cases)
{
    cuda_emulation_settings settings = cuda_emulation_defaults();
    int failed = cuda_cases_close(cases);
    size_t handles = cuda_emulation_num_handles();
    return failed || handles != 0 || cuda_emulation_reset(&settings) != 0;
}

/** Loading an input, its features and its description ask nothing of CUDA.
 *  @param[out] features  of the input that `generate` makes. */
static inline void emulated_cases_check_loading(const cuda_cases *cases, uint64_t seed,
                                                size_t index, const char *description,
                                                double *features)
{
    char text[128];
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.no_driver = true; /* every call to CUDA would leave an error */
    cuda_emulation_configure(&settings);
    void *argument = cuda_cases_generate(cases, seed, index);
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, argument, features));
    cases->module->describe(argument, text, sizeof(text));
    assert_non_null(strstr(text, description));
    cases->module->unload(argument);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    settings.no_driver = false;
    cuda_emulation_configure(&settings);
}

/** Variants that are prepared put work on the stream: they neither allocate nor wait. */
static inline void emulated_cases_check_running(const cuda_cases *cases, void *argument)
{
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        if (!cases->is_here[v])
            continue;
        assert_int_equal(variant->prepare(argument, variant->user), 0);
        unsigned mallocs = cuda_emulation_num_mallocs(), waits = cuda_emulation_num_waits();
        assert_int_equal(variant->run(argument, variant->user), 0);
        assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
        assert_int_equal(cuda_emulation_num_waits(), waits);
        assert_true(cuda_emulation_num_pending() > 0);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    }
}

/** While the stream captures, a variant refuses to prepare and does not spoil the capture.
 *  @param[in,out] cuda  of the argument. */
static inline void emulated_cases_check_refusal(const cuda_cases *cases, void *argument,
                                                nitro_cuda *cuda, size_t v)
{
    const nitro_variant *variant = cuda_cases_variant(cases, v);
    cudaGraph_t graph;
    cuda->problem[0] = '\0';
    assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
    assert_int_not_equal(variant->prepare(argument, variant->user), 0);
    assert_non_null(strstr(cuda->problem, "before the capture begins"));
    assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
}

/** Every allocation of `prepare` fails once: nothing is left of it, and at last it succeeds.
 *  @return how many there are. */
static inline unsigned emulated_cases_fail_mallocs(const cuda_cases *cases, void *argument,
                                                   int (*prepare)(void *, void *), void *user)
{
    size_t used = cuda_emulation_used_bytes();
    unsigned num_failed = 0;
    for (;; num_failed++) {
        cuda_emulation_settings settings = cuda_emulation_defaults();
        settings.fail_malloc = num_failed + 1;
        cuda_emulation_configure(&settings);
        if (prepare(argument, user) == 0)
            break;
        assert_non_null(strstr(cuda_cases_problem(cases, argument), "out of memory"));
        assert_int_equal(cuda_emulation_used_bytes(), used);
        assert_true(num_failed < 20);
    }
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_configure(&settings);
    return num_failed;
}

/** Results of nothing, of an earlier run and of a lost device are found. The argument is freed.
 *  @param[in] runs   a variant that needs nothing but the input.
 *  @param[in] wrong  what is said of a result that nobody has written since. */
static inline void emulated_cases_check_results(cuda_cases *cases, void *argument,
                                                const nitro_variant *runs, const char *wrong)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    char why[512] = "";
    assert_int_equal(hooks->prepare_input(argument, hooks->user), 0);
    assert_int_not_equal(hooks->keep_reference(argument, hooks->user), 0); /* nothing has run */
    assert_int_equal(runs->run(argument, runs->user), 0);
    assert_int_equal(hooks->keep_reference(argument, hooks->user), 0);
    assert_int_not_equal(hooks->check_result(argument, why, sizeof(why), hooks->user),
                         0); /* spoilt */
    assert_non_null(strstr(why, wrong));
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    assert_int_equal(runs->run(argument, runs->user), 0);
    assert_int_not_equal(hooks->check_result(argument, why, sizeof(why), hooks->user), 0);
    assert_non_null(strstr(why, "illegal memory access"));
    cases->module->unload(argument); /* a lost device cannot free; nor can this one */
    emulated_cases_start_device();
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
}

#endif
