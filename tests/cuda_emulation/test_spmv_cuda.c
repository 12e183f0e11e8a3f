/* The CUDA variants of spmv, emulated: right on every kind of matrix and in any order of blocks and
 * threads; prepared before a capture and never within; small devices and failures leave nothing
 * behind. */
#include <dlfcn.h>

#include "cuda/spmv_cases.h"
#include "cuda_emulation/cuda_emulation.h"
#include "variants/spmv/kernels_cuda.h"

static int setup(void **state)
{
    spmv_cases *cases = calloc(1, sizeof(*cases));
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.seed = 1;
    cuda_emulation_reset(&settings);
    cases->context = unit_context();
    assert_ok(cases->context, nitro_module_spmv_cuda.create(cases->context, &cases->computation));
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
    *state = cases;
    return 0;
}

/* Whatever a test did, nothing of it is left on the device. */
static int teardown(void **state)
{
    spmv_cases *cases = *state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cudaStreamDestroy(cases->stream);
    nitro_computation_free(cases->computation);
    nitro_context_free(cases->context);
    free(cases);
    size_t handles = cuda_emulation_num_handles();
    return handles != 0 || cuda_emulation_reset(&settings) != 0;
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
    spmv_cases *cases = *state;
    double features[NITRO_SPMV_NUM_FEATURES];
    char text[128];
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.no_driver = true; /* every call to CUDA would leave an error */
    cuda_emulation_configure(&settings);
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, spmv, features));
    assert_true(features[NITRO_SPMV_NNZ] == (double)spmv->host.num_nonzeros);
    nitro_module_spmv_cuda.describe(spmv, text, sizeof(text));
    assert_non_null(strstr(text, "non-zeros"));
    nitro_module_spmv_cuda.unload(spmv);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    settings.no_driver = false;
    cuda_emulation_configure(&settings);
}

static void running_neither_allocates_nor_waits(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (variant->allows == nitro_spmv_allows_nothing)
            continue;
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        unsigned mallocs = cuda_emulation_num_mallocs(), waits = cuda_emulation_num_waits();
        assert_int_equal(variant->run(spmv, variant->user), 0);
        assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
        assert_int_equal(cuda_emulation_num_waits(), waits);
        assert_true(cuda_emulation_num_pending() > 0);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    }
    nitro_module_spmv_cuda.unload(spmv);
}

static void prepared_variants_can_be_captured(void **state)
{
    spmv_cases_check_capture(*state);
}

static void nothing_is_prepared_in_a_capture(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    cudaGraph_t graph;
    assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
    assert_int_not_equal(nitro_spmv_cuda_upload(spmv), 0);
    assert_non_null(strstr(spmv->cuda.problem, "before the capture begins"));
    assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess); /* not spoilt */
    cudaGraphDestroy(graph);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
    for (size_t v = 2; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (variant->allows == nitro_spmv_allows_nothing)
            continue;
        spmv->cuda.problem[0] = '\0';
        assert_int_not_equal(variant->prepare(spmv, variant->user), 0);
        assert_non_null(strstr(spmv->cuda.problem, "before the capture begins"));
    }
    assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    nitro_module_spmv_cuda.unload(spmv);
}

static void small_devices_are_told_before_anything_is_copied(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 1000;
    cuda_emulation_configure(&settings);
    assert_int_not_equal(nitro_spmv_cuda_upload(spmv), 0);
    assert_non_null(strstr(spmv->cuda.problem, "the matrix takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), 0);
    settings.memory_bytes = 1 << 30;
    cuda_emulation_configure(&settings);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    settings.memory_bytes = cuda_emulation_used_bytes() + 8;
    cuda_emulation_configure(&settings);
    unsigned mallocs = cuda_emulation_num_mallocs();
    assert_int_not_equal(nitro_spmv_cuda_variant_sellp.prepare(spmv, NULL), 0);
    assert_non_null(strstr(spmv->cuda.problem, "the format sellp takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
    assert_null(spmv->host.sellp);
    nitro_module_spmv_cuda.unload(spmv);
}

/* Every allocation fails once: nothing is left of the format, and the next try succeeds. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (variant->allows == nitro_spmv_allows_nothing)
            continue;
        size_t used = cuda_emulation_used_bytes();
        unsigned num_failed = 0;
        for (unsigned nth = 1;; nth++) {
            cuda_emulation_settings settings = cuda_emulation_defaults();
            settings.fail_malloc = nth;
            cuda_emulation_configure(&settings);
            if (variant->prepare(spmv, variant->user) == 0)
                break;
            assert_non_null(strstr(spmv->cuda.problem, "out of memory"));
            assert_int_equal(cuda_emulation_used_bytes(), used);
            assert_true(++num_failed < 20);
        }
        assert_true(v == 1 || num_failed > 0); /* csr has uploaded what csr_vector takes */
    }
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cuda_emulation_configure(&settings);
    nitro_module_spmv_cuda.unload(spmv);
}

static const char *const cusparse_functions[] = {
    "cusparseCreate",      "cusparseSetStream",       "cusparseCreateCsr",
    "cusparseCreateDnVec", "cusparseSpMV_bufferSize", "cusparseSpMV_preprocess",
};

/* Whichever of its functions fails, nothing of cuSPARSE's is left; teardown asks for memory. */
static void cusparse_leaves_nothing_behind(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    const nitro_variant *variant = &nitro_spmv_cuda_variant_cusparse_csr2;
    void *library = dlopen("libcusparse.so.12", RTLD_NOW);
    int *num_live = dlsym(library, "nitro_fake_cusparse_num_live");
    assert_non_null(num_live); /* it is the fake one */
    for (size_t i = 0; i < sizeof(cusparse_functions) / sizeof(cusparse_functions[0]); i++) {
        setenv("NITRO_FAKE_CUSPARSE_FAIL", cusparse_functions[i], 1);
        assert_int_not_equal(variant->prepare(spmv, variant->user), 0);
        assert_non_null(strstr(spmv->cuda.problem, cusparse_functions[i]));
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
    nitro_module_spmv_cuda.unload(spmv);
    assert_int_equal(*num_live, 0);
    dlclose(library);
}

/* Where cuSPARSE is of another version its variants are declared, say why, and allow nothing. */
static void another_cusparse_is_not_used(void **state)
{
    spmv_cases *cases = *state;
    nitro_computation *computation = NULL;
    double features[NITRO_SPMV_NUM_FEATURES] = {0};
    assert_null(nitro_spmv_cusparse_problem());
    setenv("NITRO_FAKE_CUSPARSE_MAJOR", "13", 1);
    assert_non_null(strstr(nitro_spmv_cusparse_problem(), "another major version"));
    assert_ok(cases->context, nitro_module_spmv_cuda.create(cases->context, &computation));
    assert_int_equal(nitro_computation_num_variants(computation),
                     nitro_computation_num_variants(cases->computation));
    size_t num_refusing = 0;
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++)
        num_refusing += !computation->variants[v].allows(features, NULL, NULL);
    assert_int_equal(num_refusing, 2);
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    const nitro_variant *variant = &nitro_spmv_cuda_variant_cusparse_csr1;
    assert_int_not_equal(variant->prepare(spmv, variant->user), 0);
    assert_string_equal(spmv->cuda.problem, nitro_spmv_cusparse_problem());
    unsetenv("NITRO_FAKE_CUSPARSE_MAJOR");
    nitro_module_spmv_cuda.unload(spmv);
    nitro_computation_free(computation);
}

/* The caller's own x and y on the device, others at every run. */
static void x_and_y_may_change(void **state)
{
    spmv_cases *cases = *state;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    size_t x_bytes = (size_t)spmv->host.num_cols * sizeof(double);
    size_t y_bytes = (size_t)spmv->host.num_rows * sizeof(double);
    void *x, *y;
    assert_int_equal(cudaMalloc(&x, x_bytes), cudaSuccess);
    assert_int_equal(cudaMalloc(&y, y_bytes), cudaSuccess);
    assert_int_equal(cudaMemset(x, 0, x_bytes), cudaSuccess);
    assert_int_equal(nitro_spmv_cuda_upload(spmv), 0);
    double *result = malloc(y_bytes);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = &cases->computation->variants[v];
        if (variant->allows == nitro_spmv_allows_nothing)
            continue;
        assert_int_equal(variant->prepare(spmv, variant->user), 0);
        spmv->x = x;
        spmv->y = y;
        assert_int_equal(cudaMemset(y, 0xFF, y_bytes), cudaSuccess);
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

static void wrong_results_and_lost_devices_are_found(void **state)
{
    spmv_cases *cases = *state;
    const nitro_hooks *hooks = &cases->computation->hooks;
    nitro_spmv_cuda *spmv = spmv_cases_load(cases);
    char why[512] = "";
    assert_int_equal(hooks->prepare_input(spmv, NULL), 0);
    assert_int_not_equal(hooks->keep_reference(spmv, NULL), 0); /* nothing has run */
    assert_int_equal(nitro_spmv_cuda_variant_csr.run(spmv, NULL), 0);
    assert_int_equal(hooks->keep_reference(spmv, NULL), 0);
    assert_int_not_equal(hooks->check_result(spmv, why, sizeof(why), NULL), 0); /* spoilt */
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    assert_int_equal(nitro_spmv_cuda_variant_csr.run(spmv, NULL), 0);
    assert_int_not_equal(hooks->check_result(spmv, why, sizeof(why), NULL), 0);
    assert_non_null(strstr(why, "illegal memory access"));
    nitro_module_spmv_cuda.unload(spmv); /* a lost device cannot free; nor can this one */
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings);
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
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
        TEST(wrong_results_and_lost_devices_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
