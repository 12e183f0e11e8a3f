/* The CUDA argument of histogram: the samples' device copy, launch parameters, the table of
 * variants in the host's order, and the hooks. */
#include "variants/histogram/histogram_cuda.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "variants/histogram/cuda/histogram_kernels_cuda.h"

static void drop_samples(nitro_histogram_cuda *histogram)
{
    if (histogram->samples == histogram->own_samples)
        histogram->samples = NULL;
    if (histogram->counts == histogram->own_counts)
        histogram->counts = NULL;
    nitro_cuda_free(histogram->own_samples);
    nitro_cuda_free(histogram->own_counts);
    nitro_cuda_free(histogram->queues);
    histogram->own_samples = histogram->own_counts = histogram->queues = NULL;
    histogram->is_uploaded = false;
}

static int upload_samples(nitro_histogram_cuda *histogram)
{
    const nitro_histogram *host = &histogram->host;
    nitro_cuda *cuda = &histogram->cuda;
    if (!histogram->samples &&
        nitro_cuda_upload(cuda, host->samples, host->num_samples, sizeof(*host->samples),
                          (void **)&histogram->own_samples) != 0)
        return cuda->failure;
    if (!histogram->counts && nitro_cuda_allocate(cuda, host->num_bins, sizeof(*host->counts),
                                                  (void **)&histogram->own_counts) != 0)
        return cuda->failure;
    if (nitro_cuda_allocate(cuda, NITRO_HISTOGRAM_CUDA_MAX_RANGES, sizeof(*histogram->queues),
                            (void **)&histogram->queues) != 0)
        return cuda->failure;
    return nitro_cuda_wait(cuda);
}

static int query_device(nitro_histogram_cuda *histogram)
{
    int device, threads, shared_bytes, reserved_bytes;
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } queries[] = {
        {cudaDevAttrMultiProcessorCount, &histogram->num_multiprocessors},
        {cudaDevAttrMaxThreadsPerMultiProcessor, &threads},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, &histogram->max_shared_bytes},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared_bytes},
        {cudaDevAttrReservedSharedMemoryPerBlock, &reserved_bytes},
    };
    int failure = nitro_cuda_check(&histogram->cuda, cudaGetDevice(&device), "querying the device");
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]) && !failure; i++)
        failure =
            nitro_cuda_check(&histogram->cuda,
                             cudaDeviceGetAttribute(queries[i].value, queries[i].attribute, device),
                             "querying the device");
    if (failure)
        return failure;
    histogram->blocks_per_multiprocessor = threads / NITRO_HISTOGRAM_CUDA_BLOCK;
    histogram->usual_shared_bytes =
        shared_bytes / histogram->blocks_per_multiprocessor - reserved_bytes;
    return 0;
}

int nitro_histogram_cuda_upload(nitro_histogram_cuda *histogram)
{
    const nitro_histogram *host = &histogram->host;
    nitro_cuda *cuda = &histogram->cuda;
    if (histogram->is_uploaded)
        return 0;
    if (host->num_samples > NITRO_CUDA_MAX_COUNT)
        return nitro_cuda_fail(
            cuda, "there are %lld samples, and the CUDA variants' 32-bit indices reach %d",
            (long long)host->num_samples, NITRO_CUDA_MAX_COUNT);
    uint64_t bytes = 4 * ((uint64_t)host->num_samples + (uint64_t)host->num_bins);
    if (nitro_cuda_may_prepare(cuda, "the samples' copy") != 0 || query_device(histogram) != 0 ||
        nitro_cuda_need(cuda, bytes, "the samples' copy") != 0)
        return cuda->failure;
    if (upload_samples(histogram) != 0) {
        drop_samples(histogram);
        return cuda->failure;
    }
    if (!histogram->samples)
        histogram->samples = histogram->own_samples;
    if (!histogram->counts)
        histogram->counts = histogram->own_counts;
    histogram->is_uploaded = true;
    return 0;
}

void nitro_histogram_cuda_release(nitro_histogram_cuda *histogram)
{
    nitro_cuda_free(histogram->sorted);
    nitro_cuda_free(histogram->sort_room);
    histogram->sorted = NULL;
    histogram->sort_room = NULL;
    histogram->sort_room_bytes = 0;
    histogram->tables = (nitro_histogram_cuda_tables){0};
    drop_samples(histogram);
    nitro_histogram_release(&histogram->host);
}

bool nitro_histogram_cuda_allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_HISTOGRAM_NUM_ELEMENTS] <= NITRO_CUDA_MAX_COUNT;
}

int nitro_histogram_cuda_prepare(void *argument, void *user)
{
    (void)user;
    return nitro_histogram_cuda_upload(argument);
}

static int take_result(nitro_histogram_cuda *histogram)
{
    const nitro_histogram *host = &histogram->host;
    return nitro_cuda_take_result(&histogram->cuda, histogram->counts, host->num_bins,
                                  sizeof(*host->counts), 0xEE, host->counts);
}

static int keep_reference(void *argument, void *user)
{
    nitro_histogram_cuda *histogram = argument;
    return take_result(histogram) != 0 ? histogram->cuda.failure
                                       : nitro_histogram_keep_reference(&histogram->host, user);
}

static int check_result(void *argument, char *why, size_t size, void *user)
{
    nitro_histogram_cuda *histogram = argument;
    if (take_result(histogram) != 0) {
        snprintf(why, size, "%s", histogram->cuda.problem);
        return histogram->cuda.failure;
    }
    return nitro_histogram_check_result(&histogram->host, why, size, user);
}

static void *stream(const void *argument, void *user)
{
    (void)user;
    return ((const nitro_histogram_cuda *)argument)->cuda.stream;
}

static const char *problem(const void *argument, void *user)
{
    (void)user;
    return ((const nitro_histogram_cuda *)argument)->cuda.problem;
}

nitro_status nitro_histogram_cuda_add_variants(nitro_computation *computation)
{
    static const nitro_variant *const variants[] = {
        &nitro_histogram_cuda_variant_sort_even_share,
        &nitro_histogram_cuda_variant_sort_dynamic,
        &nitro_histogram_cuda_variant_global_atomic_even_share,
        &nitro_histogram_cuda_variant_global_atomic_dynamic,
        &nitro_histogram_cuda_variant_shared_atomic_even_share,
        &nitro_histogram_cuda_variant_shared_atomic_dynamic,
    };
    static const nitro_hooks hooks = {
        .prepare_input = nitro_histogram_cuda_prepare,
        .keep_reference = keep_reference,
        .check_result = check_result,
        .stream = stream,
    };
    const char *usual = nitro_histogram_cuda_variant_shared_atomic_even_share.name;
    nitro_status status = nitro_computation_set_device_kind(computation, "cuda");
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]) && status == NITRO_OK; i++)
        status = nitro_computation_add_variant(computation, variants[i]);
    if (status == NITRO_OK)
        status = nitro_computation_set_default(computation, usual);
    if (status == NITRO_OK)
        status = nitro_computation_set_reference(computation, usual);
    if (status == NITRO_OK)
        status = nitro_computation_set_problem(computation, problem, NULL);
    return status == NITRO_OK ? nitro_computation_set_hooks(computation, &hooks) : status;
}
