/* The CUDA variants of spmv, emulated: correct on every kind of matrix in any order of blocks and
 * threads; prepared before a capture, never within; small devices and failures leak nothing. */
#include <dlfcn.h>

#include "cuda/spmv_cases.h"
#include "cuda_emulation/emulated_cases.h"
#include "unit/computations/kit_cases.h"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

static int setup(void **state)
{
    emulated_cases_start_device();
    *state = cuda_cases_open(&nitro_module_spmv_cuda, nitro_kit_allows_nothing);
    return 0;
}

static int teardown(void **state)
{
    return emulated_cases_close(*state);
}

static void variants_agree_on_all_families(void **state)
{
    spmv_cases_check_families(*state, 1, 1000);
}

static void variants_agree_on_odd_matrices(void **state)
{
    spmv_cases_check_odd(*state);
}

static void inputs_are_loaded_without_a_device(void **state)
{
    double features[NITRO_SPMV_NUM_FEATURES];
    emulated_cases_check_loading(*state, 3, 0, "non-zeros", features);
    assert_true(features[NITRO_SPMV_NNZ] > 0);
}

static void running_neither_allocates_nor_waits(void **state)
{
    nitro_spmv_cuda *spmv = spmv_cases_load(*state);
    emulated_cases_check_running(*state, spmv);
    nitro_module_spmv_cuda.unload(spmv);
}

static void prepared_variants_can_be_captured(void **state)
{
    nitro_spmv_cuda *spmv = spmv_cases_load(*state);
    cuda_cases_check_graphs(*state, spmv);
    nitro_module_spmv_cuda.unload(spmv);
}

static void nothing_is_prepared_in_a_capture(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    size_t num_variants = nitro_computation_num_variants(cases->computation);
    for (size_t v = 0; v < num_variants; v++)
        if (cases->is_here[v])
            emulated_cases_check_refusal(cases, spmv, &spmv->cuda, v);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    for (size_t v = 2; v < num_variants; v++) /* csr and csr_vector need no more */
        if (cases->is_here[v])
            emulated_cases_check_refusal(cases, spmv, &spmv->cuda, v);
    nitro_module_spmv_cuda.unload(spmv);
}

static void small_devices_are_told_before_anything_is_copied(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 1000;
    cuda_emulation_configure(&settings);
    assert_int_not_equal(nitro_spmv_cuda_upload(spmv), 0);
    assert_non_null(strstr(spmv->cuda.problem, "the input of spmv takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), 0);
    settings.memory_bytes = 1 << 30;
    cuda_emulation_configure(&settings);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    settings.memory_bytes = cuda_emulation_used_bytes() + 8;
    cuda_emulation_configure(&settings);
    unsigned mallocs = cuda_emulation_num_mallocs();
    const nitro_variant *sellp = cuda_cases_find(cases, "sellp");
    assert_int_not_equal(sellp->prepare(spmv, sellp->user), 0);
    assert_non_null(strstr(spmv->cuda.problem, "the format sellp takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
    assert_null(spmv->host.sellp);
    nitro_module_spmv_cuda.unload(spmv);
}

/* Every allocation fails once: nothing is left of the format, and the next try succeeds. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        if (!cases->is_here[v])
            continue;
        unsigned num_failed =
            emulated_cases_fail_mallocs(cases, spmv, variant->prepare, variant->user);
        assert_true(v == 1 || num_failed > 0); /* csr has uploaded what csr_vector takes */
    }
    nitro_module_spmv_cuda.unload(spmv);
}

/* Whichever of its functions fails, nothing of cuSPARSE's is left. */
static void check_cusparse_failures(cuda_cases *cases, nitro_spmv_cuda *spmv, const int *num_live,
                                    const char *name, const char *describes)
{
    const char *const functions[] = {
        "cusparseCreate",      "cusparseSetStream",       describes,
        "cusparseCreateDnVec", "cusparseSpMV_bufferSize", "cusparseSpMV_preprocess"};
    const nitro_variant *variant = cuda_cases_find(cases, name);
    assert_true(cuda_cases_allow(cases, variant, spmv));
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        setenv("NITRO_FAKE_CUSPARSE_FAIL", functions[i], 1);
        assert_int_not_equal(variant->prepare(spmv, variant->user), 0);
        assert_non_null(strstr(spmv->cuda.problem, functions[i]));
        assert_non_null(strstr(spmv->cuda.problem, "resource allocation failed"));
        assert_int_equal(*num_live, 0);
    }
    unsetenv("NITRO_FAKE_CUSPARSE_FAIL");
    assert_int_equal(variant->prepare(spmv, variant->user), 0);
    assert_int_equal(*num_live, 4);
    setenv("NITRO_FAKE_CUSPARSE_FAIL", "cusparseSpMV", 1);
    assert_int_not_equal(variant->run(spmv, variant->user), 0);
    assert_non_null(strstr(spmv->cuda.problem, "cusparseSpMV: resource"));
    unsetenv("NITRO_FAKE_CUSPARSE_FAIL");
    variant->release(spmv, variant->user);
    assert_int_equal(*num_live, 0);
    assert_int_not_equal(variant->run(spmv, variant->user), 0);
    assert_non_null(strstr(spmv->cuda.problem, "was not prepared"));
    assert_int_equal(variant->prepare(spmv, variant->user), 0); /* unload releases it */
}

static void cusparse_leaves_nothing_behind(void **state)
{
    static const char *const variants[][2] = {{"cusparse_csr2", "cusparseCreateCsr"},
                                              {"cusparse_coo", "cusparseCreateCoo"},
                                              {"cusparse_sell", "cusparseCreateSlicedEll"},
                                              {"cusparse_bsr", "cusparseCreateBsr"}};
    cuda_cases *cases = *state;
    void *library = dlopen("libcusparse.so.12", RTLD_NOW);
    int *num_live = dlsym(library, "nitro_fake_cusparse_num_live");
    assert_non_null(num_live); /* it is the fake one */
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        nitro_spmv_cuda *spmv = spmv_cases_load(cases);
        check_cusparse_failures(cases, spmv, num_live, variants[i][0], variants[i][1]);
        nitro_module_spmv_cuda.unload(spmv);
        assert_int_equal(*num_live, 0);
    }
    dlclose(library);
}

static void count_reasons(void *user, nitro_log_level level, const char *message)
{
    assert_int_equal(level, NITRO_LOG_WARNING);
    *(size_t *)user += strstr(message, "another major version") != NULL;
}

/* Where cuSPARSE is of another version its variants are declared, say why once, and allow nothing.
 */
static void another_cusparse_is_not_used(void **state)
{
    cuda_cases *cases = *state;
    nitro_computation *computation = NULL;
    double features[NITRO_SPMV_NUM_FEATURES] = {0};
    const nitro_variant *variant = &nitro_spmv_cuda_cusparse_variants[0];
    assert_null(nitro_spmv_cusparse_problem(variant));
    setenv("NITRO_FAKE_CUSPARSE_MAJOR", "13", 1);
    assert_non_null(strstr(nitro_spmv_cusparse_problem(variant), "another major version"));
    size_t num_reasons = 0;
    nitro_context_set_log(cases->context, NITRO_LOG_WARNING, count_reasons, &num_reasons);
    assert_ok(cases->context, nitro_module_spmv_cuda.create(cases->context, &computation));
    assert_int_equal(nitro_computation_num_variants(computation),
                     nitro_computation_num_variants(cases->computation));
    nitro_context_set_log(cases->context, NITRO_LOG_WARNING, NULL, NULL);
    assert_int_equal(num_reasons, 1);
    size_t num_refusing = 0;
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++)
        num_refusing +=
            !computation->variants[v].allows(features, NULL, computation->variants[v].user);
    assert_int_equal(num_refusing, NITRO_SPMV_NUM_CUSPARSE + 1); /* and cache_blocked */
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    assert_int_not_equal(variant->prepare(spmv, variant->user), 0);
    assert_string_equal(spmv->cuda.problem, nitro_spmv_cusparse_problem(variant));
    unsetenv("NITRO_FAKE_CUSPARSE_MAJOR");
    nitro_module_spmv_cuda.unload(spmv);
    nitro_computation_free(computation);
}

/* The caller's own x and y on the device, others at every run. */
static void x_and_y_may_change(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    size_t x_bytes = (size_t)spmv->host.num_cols * sizeof(double);
    size_t y_bytes = (size_t)spmv->host.num_rows * sizeof(double);
    void *x, *y;
    assert_int_equal(cudaMalloc(&x, x_bytes), cudaSuccess);
    assert_int_equal(cudaMalloc(&y, y_bytes), cudaSuccess);
    assert_int_equal(cudaMemsetAsync(x, 0, x_bytes, cases->stream), cudaSuccess);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    double *result = malloc(y_bytes);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        if (!cases->is_here[v])
            continue;
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        spmv->x = x;
        spmv->y = y;
        assert_int_equal(cudaMemsetAsync(y, 0xFF, y_bytes, cases->stream), cudaSuccess);
        assert_int_equal(variant->run(spmv, variant->user), 0);
        assert_int_equal(
            nitro_cuda_download(&spmv->cuda, y, spmv->host.num_rows, sizeof(double), result), 0);
        for (int64_t row = 0; row < spmv->host.num_rows; row++)
            assert_true(result[row] == 0);
    }
    free(result);
    nitro_module_spmv_cuda.unload(spmv);
    assert_int_equal(cudaFree(x), cudaSuccess);
    assert_int_equal(cudaFree(y), cudaSuccess);
}

static void calls_are_timed_without_waiting(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    kit_case_monitor(cases->context, &nitro_spmv_kit, cases->computation, spmv, true);
    nitro_module_spmv_cuda.unload(spmv);
}

/* Another part of the program captures a graph: to ask whether timed calls are over leaves it
 * whole. */
static void calls_are_timed_while_others_capture(void **state)
{
    cuda_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    nitro_monitor_options options;
    nitro_monitor_statistics counts;
    cudaStream_t other;
    cudaGraph_t graph;
    nitro_monitor_options_init(&options);
    options.every = 1;
    assert_ok(cases->context, nitro_computation_monitor(cases->computation, &options));
    assert_ok(cases->context, nitro_run(cases->computation, spmv, NULL));
    assert_int_equal(nitro_cuda_wait(&spmv->cuda), 0);
    assert_int_equal(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal), cudaSuccess);
    assert_ok(cases->context, nitro_run(cases->computation, spmv, NULL));
    nitro_computation_monitor_statistics(cases->computation, &counts);
    assert_int_equal(counts.num_timed, 1);
    assert_int_equal(cudaStreamEndCapture(other, &graph), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(other), cudaSuccess);
    assert_ok(cases->context, nitro_computation_monitor(cases->computation, NULL));
    nitro_module_spmv_cuda.unload(spmv);
}

static void wrong_results_and_lost_devices_are_found(void **state)
{
    cuda_cases *cases = *state;
    emulated_cases_check_results(cases, spmv_cases_load(cases), cuda_cases_find(cases, "csr"),
                                 "are wrong");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(variants_agree_on_all_families),
        TEST(variants_agree_on_odd_matrices),
        TEST(inputs_are_loaded_without_a_device),
        TEST(running_neither_allocates_nor_waits),
        TEST(prepared_variants_can_be_captured),
        TEST(nothing_is_prepared_in_a_capture),
        TEST(small_devices_are_told_before_anything_is_copied),
        TEST(failed_allocations_leave_nothing_behind),
        TEST(cusparse_leaves_nothing_behind),
        TEST(another_cusparse_is_not_used),
        TEST(x_and_y_may_change),
        TEST(calls_are_timed_without_waiting),
        TEST(calls_are_timed_while_others_capture),
        TEST(wrong_results_and_lost_devices_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
