/* gpu_histogram_cases.h - the CUDA variants of histogram against the host's reference, on the
 * cases of unit/histogram_cases.h, on the emulation and on a GPU. */
#ifndef NITRO_TESTS_CUDA_GPU_HISTOGRAM_CASES_H
#define NITRO_TESTS_CUDA_GPU_HISTOGRAM_CASES_H

#include "apps/histogram/samples.h"
#include "cuda/cuda_cases.h"
#include "unit/histogram_cases.h"
#include "variants/histogram/histogram_cuda.h"

/* Run every variant; the samples are freed. `max_shared_bytes` is what a block may have at most, 0:
 * as the device says. */
static void histogram_cases_check(cuda_cases *cases, nitro_histogram *samples, int max_shared_bytes,
                                  const char *name)
{
    nitro_histogram_cuda histogram = {.host = *samples, .cuda.stream = cases->stream};
    if (nitro_histogram_cuda_upload(&histogram) != 0)
        fail_msg("%s: cannot be uploaded: %s", name, histogram.cuda.problem);
    if (max_shared_bytes > 0)
        histogram.max_shared_bytes = histogram.usual_shared_bytes = max_shared_bytes;
    cuda_cases_keep_reference(cases, &histogram, name);
    for (size_t v = 0; v < nitro_computation_num_variants(cases->computation); v++)
        cuda_cases_check_variant(cases, &histogram, v, name);
    nitro_kit_release_device(&nitro_histogram_kit, &histogram);
    nitro_histogram_samples_free(samples);
}

static void histogram_cases_check_all(cuda_cases *cases)
{
    for (size_t index = 0; index < HISTOGRAM_NUM_CASES; index++) {
        char name[128];
        nitro_histogram *samples = histogram_case(cases->context, index, name);
        histogram_cases_check(cases, samples, 0, name);
    }
}

/* Tables that do not fit into shared memory, or only once: bins in several ranges, of which the
 * last is shorter; one range for each bin is as many as there may be. */
static void histogram_cases_check_ranges(cuda_cases *cases)
{
    static const struct {
        int64_t num_bins;
        int max_shared_bytes;
    } ranges[] = {{65536, 96 << 10}, {1000, 1200}, {1001, 400}, {16, 4}, {256, 1024}, {256, 2048}};
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        nitro_histogram *samples = NULL;
        char name[128];
        snprintf(name, sizeof(name), "%lld bins with %d bytes of shared memory",
                 (long long)ranges[i].num_bins, ranges[i].max_shared_bytes);
        assert_ok(cases->context, histogram_inputs_make(cases->context, "uniform", i, 30000,
                                                        ranges[i].num_bins, &samples));
        histogram_cases_check(cases, samples, ranges[i].max_shared_bytes, name);
    }
}

/* Many bins, then fewer: the second must not lower the limit on shared memory of the first. */
static void histogram_cases_check_two(cuda_cases *cases)
{
    static const int64_t num_bins[] = {25000, 15000};
    nitro_histogram_cuda both[2];
    nitro_histogram *samples[2];
    void *streams[] = {cases->stream, NULL};
    assert_int_equal(cudaStreamCreateWithFlags((cudaStream_t *)&streams[1], cudaStreamNonBlocking),
                     cudaSuccess);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(cases->context, histogram_inputs_make(cases->context, "uniform", i, 200000,
                                                        num_bins[i], &samples[i]));
        cases->stream = streams[i];
        both[i] = (nitro_histogram_cuda){.host = *samples[i], .cuda.stream = streams[i]};
        cuda_cases_keep_reference(cases, &both[i], "one of two");
    }
    cuda_cases_check_two(cases, &both[0], &both[1]);
    for (size_t i = 0; i < 2; i++) {
        nitro_kit_release_device(&nitro_histogram_kit, &both[i]);
        nitro_histogram_samples_free(samples[i]);
    }
    assert_int_equal(cudaStreamDestroy(streams[1]), cudaSuccess);
    cases->stream = streams[0];
}

#endif
