/* The CUDA variants of histogram, emulated: correct on all cases in any order of blocks and
 * threads; with the caller's samples at any address; prepared before a capture, never within;
 * small devices and failures leak nothing. */
#include "cuda/gpu_histogram_cases.h"
#include "cuda_emulation/emulated_cases.h"

static int setup(void **state)
{
    emulated_cases_start_device();
    *state = cuda_cases_open(&nitro_module_histogram_cuda, NULL);
    return 0;
}

static int teardown(void **state)
{
    return emulated_cases_close(*state);
}

static void variants_agree_on_all_cases(void **state)
{
    histogram_cases_check_all(*state);
}

static void variants_agree_where_bins_do_not_fit(void **state)
{
    histogram_cases_check_ranges(*state);
}

static void two_arguments_do_not_disturb_each_other(void **state)
{
    histogram_cases_check_two(*state);
}

/* A loaded input of the module, as measuring asks for it: gaussian, some 70,000 samples. */
static nitro_histogram_cuda *load(const cuda_cases *cases)
{
    nitro_histogram_cuda *histogram = cuda_cases_generate(cases, 1, 1);
    histogram->cuda.stream = cases->stream;
    return histogram;
}

static void inputs_are_loaded_without_a_device(void **state)
{
    double features[NITRO_HISTOGRAM_NUM_FEATURES];
    emulated_cases_check_loading(*state, 1, 1, "samples in 256 bins", features);
    assert_true(features[NITRO_HISTOGRAM_NUM_ELEMENTS] > 10000);
}

static void running_neither_allocates_nor_waits(void **state)
{
    nitro_histogram_cuda *histogram = load(*state);
    emulated_cases_check_running(*state, histogram);
    nitro_module_histogram_cuda.unload(histogram);
}

/* A second wave of blocks would find half of the device idle. */
static void grids_are_as_large_as_occupancy_says(void **state)
{
    enum { COUNT = 80000, SMS = 4 };
    cuda_cases *cases = *state;
    uint32_t *samples = calloc(COUNT, sizeof(*samples)), counts[16];
    assert_non_null(samples);
    nitro_histogram_cuda histogram = {
        .host = {.num_samples = COUNT, .num_bins = 16, .samples = samples, .counts = counts},
        .cuda.stream = cases->stream};
    for (int each = 1; each <= 2; each++) {
        cuda_emulation_settings settings = cuda_emulation_defaults();
        settings.blocks_per_sm = each;
        cuda_emulation_configure(&settings);
        for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
            const nitro_variant *variant = cuda_cases_variant(cases, v);
            nitro_kit_release_device(&nitro_histogram_kit, &histogram);
            histogram.host.samples = samples;
            histogram.host.counts = counts;
            assert_int_equal(variant->prepare(&histogram, variant->user), 0);
            assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
            cuda_emulation_take_most_blocks();
            assert_int_equal(variant->run(&histogram, variant->user), 0);
            assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
            uint64_t most = cuda_emulation_take_most_blocks();
            if (most != (uint64_t)(SMS * each))
                fail_msg("%s: %llu blocks, not %d on each of %d", variant->name,
                         (unsigned long long)most, each, SMS);
        }
    }
    nitro_kit_release_device(&nitro_histogram_kit, &histogram);
    free(samples);
}

static void what_is_not_prepared_does_not_run(void **state)
{
    cuda_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        bool needs_samples_alone =
            strncmp(variant->name, "global", 6) == 0 || strncmp(variant->name, "block", 5) == 0;
        assert_int_equal(variant->run(histogram, variant->user) == 0, needs_samples_alone);
        if (!needs_samples_alone)
            assert_non_null(strstr(histogram->cuda.problem, "was not prepared"));
    }
    nitro_module_histogram_cuda.unload(histogram);
}

static void prepared_variants_can_be_captured(void **state)
{
    nitro_histogram_cuda *histogram = load(*state);
    cuda_cases_check_graphs(*state, histogram);
    nitro_module_histogram_cuda.unload(histogram);
}

static void nothing_is_prepared_in_a_capture(void **state)
{
    cuda_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
        emulated_cases_check_refusal(cases, histogram, &histogram->cuda, v);
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    emulated_cases_check_refusal(cases, histogram, &histogram->cuda, 0);
    assert_non_null(strstr(histogram->cuda.problem, "the room of histogram cannot be allocated"));
    nitro_module_histogram_cuda.unload(histogram);
}

static void small_devices_are_told_before_anything_is_copied(void **state)
{
    cuda_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    cuda_emulation_settings settings = cuda_emulation_defaults();
    settings.memory_bytes = 1000;
    cuda_emulation_configure(&settings);
    assert_int_not_equal(nitro_histogram_cuda_upload(histogram), 0);
    assert_non_null(strstr(histogram->cuda.problem, "the input of histogram takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), 0);
    settings.memory_bytes = 1 << 30;
    cuda_emulation_configure(&settings);
    assert_int_equal(nitro_histogram_cuda_upload(histogram), 0);
    settings.memory_bytes = cuda_emulation_used_bytes() + 8;
    cuda_emulation_configure(&settings);
    unsigned mallocs = cuda_emulation_num_mallocs();
    assert_int_not_equal(cuda_cases_variant(cases, 0)->prepare(histogram, NULL), 0);
    assert_non_null(strstr(histogram->cuda.problem, "the room of histogram takes"));
    assert_int_equal(cuda_emulation_num_mallocs(), mallocs);
    histogram->host.num_samples = (int64_t)NITRO_CUDA_MAX_COUNT + 1;
    histogram->cuda.is_uploaded = false;
    assert_int_not_equal(nitro_histogram_cuda_upload(histogram), 0);
    assert_non_null(strstr(histogram->cuda.problem, "32-bit indices"));
    const double too_many[NITRO_HISTOGRAM_NUM_FEATURES] = {(double)NITRO_CUDA_MAX_COUNT + 1};
    assert_false(cuda_cases_variant(cases, 0)->allows(too_many, NULL, NULL));
    nitro_module_histogram_cuda.unload(histogram);
}

/* Every allocation fails once: nothing is left of it, and the next try succeeds. */
static void failed_allocations_leave_nothing_behind(void **state)
{
    cuda_cases *cases = *state;
    nitro_histogram_cuda *histogram = load(cases);
    unsigned num_failed = emulated_cases_fail_mallocs(
        cases, histogram, cases->computation->hooks.prepare_input, cases->computation->hooks.user);
    assert_int_equal(num_failed, 3); /* samples, counts, queues */
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++) {
        const nitro_variant *variant = cuda_cases_variant(cases, v);
        num_failed = emulated_cases_fail_mallocs(cases, histogram, variant->prepare, variant->user);
        assert_int_equal(num_failed, v == 0 ? 1 : 0); /* the room of both sorts */
    }
    nitro_module_histogram_cuda.unload(histogram);
}

/* The caller's own samples and counts on the device, at addresses that no vector has. */
static void samples_and_counts_may_be_anywhere(void **state)
{
    enum { COUNT = 5000, BINS = 300 };
    cuda_cases *cases = *state;
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
                assert_int_equal(cuda_cases_variant(cases, v)->prepare(&histogram, NULL), 0);
                assert_int_equal(cuda_cases_variant(cases, v)->run(&histogram, NULL), 0);
                assert_int_equal(
                    nitro_cuda_download(&histogram.cuda, result, BINS, sizeof(*counts), counts), 0);
                if (memcmp(counts, expected, sizeof(counts)) != 0)
                    fail_msg("%s: %d samples from %d on", cuda_cases_variant(cases, v)->name, count,
                             offset);
            }
            nitro_kit_release_device(&nitro_histogram_kit, &histogram);
            assert_ptr_equal(histogram.samples, there + offset); /* the caller's */
            assert_ptr_equal(histogram.counts, result);
        }
    assert_int_equal(cudaFree(there), cudaSuccess);
    assert_int_equal(cudaFree(result), cudaSuccess);
}

static void wrong_results_and_lost_devices_are_found(void **state)
{
    cuda_cases *cases = *state;
    emulated_cases_check_results(cases, load(cases), cuda_cases_variant(cases, 2),
                                 "256 of 256 are wrong");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(variants_agree_on_all_cases),
        TEST(variants_agree_where_bins_do_not_fit),
        TEST(two_arguments_do_not_disturb_each_other),
        TEST(inputs_are_loaded_without_a_device),
        TEST(running_neither_allocates_nor_waits),
        TEST(grids_are_as_large_as_occupancy_says),
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
