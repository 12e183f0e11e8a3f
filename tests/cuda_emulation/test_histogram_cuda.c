/* The CUDA variants of histogram, emulated: right on all cases and in any order of blocks and
 * threads; the caller's own samples at any address; prepared before a capture and never within;
 * small devices and failures leave nothing behind. */
#include <cuda_runtime_api.h>

#include "apps/histogram/module.h"
#include "cuda/histogram_cases.h"
#include "cuda_emulation/cuda_emulation.h"

static int setup(void **state)
{
    histogram_cases *cases = calloc(1, sizeof(*cases));
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.seed = 1;
    cuda_emulation_reset(&settings);
    cases->context = unit_context();
    assert_ok(cases->context,
              nitro_module_histogram_cuda.create(cases->context, &cases->computation));
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
    *state = cases;
    return 0;
}

/* Whatever a test did, nothing of it is left on the device. */
static int teardown(void **state)
{
    histogram_cases *cases = *state;
    cuda_emulation_settings settings = cuda_emulation_defaults();
    cudaStreamDestroy(cases->stream);
    nitro_computation_free(cases->computation);
    nitro_context_free(cases->context);
    free(cases);
    size_t handles = cuda_emulation_num_handles();
    return handles != 0 || cuda_emulation_reset(&settings) != 0;
}

static void variants_agree_on_all_cases(void **state)
{
    histogram_cases_check_all(*state);
}

static void variants_agree_where_bins_do_not_fit(void **state)
{
    histogram_cases_check_ranges(*state);
}

/* A loaded input of the module, as measuring asks for it: gaussian, some 70,000 samples. */
static nitro_histogram_cuda *load(const histogram_cases *cases)
{
    char name[256];
    void *argument = NULL;
    assert_ok(cases->context, nitro_module_histogram_cuda.generate(cases->context, 1, 1, name,
                                                                   sizeof(name), &argument));
    nitro_histogram_cuda *histogram = argument;
    histogram->cuda.stream = cases->stream;
    return histogram;
}

static const nitro_variant *variant_at(const histogram_cases *cases, size_t index)
{
    return &cases->computation->variants[index];
}

static void inputs_are_loaded_without_a_device(void **state)
{
    histogram_cases *cases = *state;
    double features[NITRO_HISTOGRAM_NUM_FEATURES];
    char text[128];
    nitro_histogram_cuda *histogram = load(cases);
    assert_ok(cases->context, nitro_computation_evaluate(cases->computation, histogram, features));
    assert_true(features[NITRO_HISTOGRAM_NUM_ELEMENTS] == (double)histogram->host.num_samples);
    nitro_module_histogram_cuda.describe(histogram, text, sizeof(text));
    assert_non_null(strstr(text, "samples in 256 bins"));
    assert_int_equal(cuda_emulation_num_mallocs(), 0);
    nitro_module_histogram_cuda.unload(histogram);
}

static void running_neither_allocates_nor_waits(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = variant_at(cases, v);
        assert_int_equal(variant->prepare(histogram, variant->user), 0);
        unsigned mallocs = cuda_emulation_num_mallocs(), waits = cuda_emulation_num_waits();
        assert_int_equal(variant->run(histogram, variant->user), 0);
        assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
        assert_int_equal(cuda_emulation_num_waits(), waits);
        assert_true(cuda_emulation_num_pending() > 0);
        assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    }
    nitro_module_histogram_cuda.unload(histogram);
}

static void what_is_not_prepared_does_not_run(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = variant_at(cases, v);
        bool needs_samples_alone = strncmp(variant->name, "global", 6) == 0;
        assert_int_equal(variant->run(histogram, variant->user) == 0, needs_samples_alone);
        if (!needs_samples_alone)
            assert_non_null(strstr(histogram->cuda.problem, "was not prepared"));
    }
    nitro_module_histogram_cuda.unload(histogram);
}

static void keep_reference(const histogram_cases *cases, nitro_histogram_cuda *histogram)
{
    const nitro_hooks *hooks = &cases->computation->hooks;
    assert_int_equal(hooks->prepare_input(histogram, NULL), 0);
    assert_int_equal(variant_at(cases, 2)->run(histogram, NULL), 0);
    assert_int_equal(hooks->keep_reference(histogram, NULL), 0);
}

static void prepared_variants_can_be_captured(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    char why[512] = "";
    keep_reference(cases, histogram);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = variant_at(cases, v);
        assert_int_equal(variant->prepare(histogram, variant->user), 0);
        assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
        assert_int_equal(variant->prepare(histogram, variant->user), 0);
        assert_int_equal(variant->run(histogram, variant->user), 0);
        assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
        assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(cudaGraphLaunch(executable, cases->stream), cudaSuccess);
            if (cases->computation->hooks.check_result(histogram, why, sizeof(why), NULL) != 0)
                fail_msg("%s: %s", variant->name, why);
        }
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
    }
    nitro_module_histogram_cuda.unload(histogram);
}

static void nothing_is_prepared_in_a_capture(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    cudaGraph_t graph;
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
        histogram->cuda.problem[0] = '\0';
        assert_int_not_equal(variant_at(cases, v)->prepare(histogram, NULL), 0);
        assert_non_null(strstr(histogram->cuda.problem, "before the capture begins"));
        assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess); /* not spoilt */
        cudaGraphDestroy(graph);
    }
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    assert_int_equal(cudaStreamBeginCapture(cases->stream, cudaStreamCaptureModeGlobal), 0);
    assert_int_not_equal(variant_at(cases, 0)->prepare(histogram, NULL), 0);
    assert_non_null(strstr(histogram->cuda.problem, "the room for sorting is not there yet"));
    assert_int_equal(cudaStreamEndCapture(cases->stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    nitro_module_histogram_cuda.unload(histogram);
}

static void small_devices_are_told_before_anything_is_copied(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 1000;
    cuda_emulation_configure(&settings);
    assert_int_not_equal(nitro_histogram_cuda_upload(histogram), 0);
    assert_non_null(strstr(histogram->cuda.problem, "the samples' copy takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), 0);
    settings.memory_bytes = 1 << 30;
    cuda_emulation_configure(&settings);
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    settings.memory_bytes = cuda_emulation_used_bytes() + 8;
    cuda_emulation_configure(&settings);
    unsigned mallocs = cuda_emulation_num_mallocs();
    assert_int_not_equal(variant_at(cases, 0)->prepare(histogram, NULL), 0);
    assert_non_null(strstr(histogram->cuda.problem, "sorting takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
    histogram->host.num_samples = (int64_t)NITRO_CUDA_MAX_COUNT + 1;
    histogram->is_uploaded = false;
    assert_int_not_equal(nitro_histogram_cuda_upload(histogram), 0);
    assert_non_null(strstr(histogram->cuda.problem, "32-bit indices"));
    const double too_many[NITRO_HISTOGRAM_NUM_FEATURES] = {(double)NITRO_CUDA_MAX_COUNT + 1};
    assert_false(variant_at(cases, 0)->allows(too_many, NULL, NULL));
    nitro_module_histogram_cuda.unload(histogram);
}

/* Every allocation fails once: nothing is left of it, and the next try succeeds. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    histogram_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    cuda_emulation_settings settings = cuda_emulation_defaults();
    unsigned num_failed = 0;
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        size_t used = cuda_emulation_used_bytes();
        for (unsigned nth = 1;; nth++) {
            settings.fail_malloc = nth;
            cuda_emulation_configure(&settings);
            if (v == 0 ? nitro_histogram_cuda_upload(histogram) == 0
                       : variant_at(cases, v - 1)->prepare(histogram, NULL) == 0)
                break;
            assert_non_null(strstr(histogram->cuda.problem, "out of memory"));
            assert_int_equal(cuda_emulation_used_bytes(), used);
            assert_true(++num_failed < 20);
        }
    }
    assert_int_equal(num_failed, 5); /* samples, counts, queues; sorted samples, room */
    cuda_emulation_configure(&(cuda_emulation_settings){.memory_bytes = 1 << 30, .num_devices = 1});
    nitro_module_histogram_cuda.unload(histogram);
}

/* The caller's own samples and counts on the device, at addresses that no vector has. */
static void samples_and_counts_may_be_anywhere(void **state)
{
    enum { COUNT = 5000, BINS = 300 };
    histogram_cases *cases = *state;
    uint32_t samples[COUNT + 4], counts[BINS], *there, *result;
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (int i = 0; i < COUNT + 4; i++)
        samples[i] = (uint32_t)nitro_random_below(&random, BINS);
    assert_int_equal(cudaMalloc((void **)&there, sizeof(samples)), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&result, sizeof(counts)), cudaSuccess);
    assert_int_equal(cudaMemcpy(there, samples, sizeof(samples), cudaMemcpyHostToDevice), 0);
    for (int offset = 0; offset < 4; offset++)
        for (int count = COUNT - 3; count > 0; count = count > 600 ? count - 511 : count / 3) {
            nitro_histogram_cuda histogram = {
                .host = {.num_samples = count, .num_bins = BINS, .samples = samples + offset},
                .cuda.stream = cases->stream,
                .samples = there + offset,
                .counts = result};
            uint32_t expected[BINS] = {0};
            for (int i = 0; i < count; i++)
                expected[samples[offset + i]]++;
            for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
                assert_int_equal(variant_at(cases, v)->prepare(&histogram, NULL), 0);
                assert_int_equal(variant_at(cases, v)->run(&histogram, NULL), 0);
                assert_int_equal(
                    nitro_cuda_download(&histogram.cuda, result, BINS, sizeof(*counts), counts), 0);
                if (memcmp(counts, expected, sizeof(counts)) != 0)
                    fail_msg("%s: %d samples from %d on", variant_at(cases, v)->name, count,
                             offset);
            }
            nitro_histogram_cuda_release(&histogram);
            assert_ptr_equal(histogram.samples, there + offset); /* the caller's */
            assert_ptr_equal(histogram.counts, result);
        }
    assert_int_equal(cudaFree(there), cudaSuccess);
    assert_int_equal(cudaFree(result), cudaSuccess);
}

static void wrong_results_and_lost_devices_are_found(void **state)
{
    histogram_cases *cases = *state;
    const nitro_hooks *hooks = &cases->computation->hooks;
    nitro_histogram_cuda *histogram = load(cases);
    char why[512] = "";
    assert_int_equal(hooks->prepare_input(histogram, NULL), 0);
    assert_int_not_equal(hooks->keep_reference(histogram, NULL), 0); /* nothing has run */
    keep_reference(cases, histogram);
    assert_int_not_equal(hooks->check_result(histogram, why, sizeof(why), NULL), 0); /* spoilt */
    assert_non_null(strstr(why, "256 of 256 bins are wrong"));
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.fail_launch = 1;
    cuda_emulation_configure(&settings);
    assert_int_equal(variant_at(cases, 2)->run(histogram, NULL), 0);
    assert_int_not_equal(hooks->check_result(histogram, why, sizeof(why), NULL), 0);
    assert_non_null(strstr(why, "illegal memory access"));
    nitro_module_histogram_cuda.unload(histogram); /* a lost device cannot free; nor can this one */
    settings.fail_launch = 0;
    cuda_emulation_reset(&settings);
    assert_int_equal(cudaStreamCreate((cudaStream_t *)&cases->stream), cudaSuccess);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(variants_agree_on_all_cases),
        TEST(variants_agree_where_bins_do_not_fit),
        TEST(inputs_are_loaded_without_a_device),
        TEST(running_neither_allocates_nor_waits),
        TEST(what_is_not_prepared_does_not_run),
        TEST(prepared_variants_can_be_captured),
        TEST(nothing_is_prepared_in_a_capture),
        TEST(small_devices_are_told_before_anything_is_copied),
        TEST(failed_allocations_leave_nothing_behind),
        TEST(samples_and_counts_may_be_anywhere),
        TEST(wrong_results_and_lost_devices_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
