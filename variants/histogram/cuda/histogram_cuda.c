/* Histogram on CUDA devices: the limits of the device, and the variants. */
#include "nitro/cuda.hpp"
#include "variants/histogram/cuda/histogram_kernels_cuda.h"

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
    histogram->usual_shared_bytes =
        shared_bytes / (threads / NITRO_HISTOGRAM_CUDA_BLOCK) - reserved_bytes;
    return 0;
}

int nitro_histogram_cuda_upload(nitro_histogram_cuda *histogram)
{
    if (nitro_kit_upload(&nitro_histogram_kit, histogram) != 0)
        return histogram->cuda.failure;
    return histogram->num_multiprocessors > 0 ? 0 : query_device(histogram);
}

int nitro_histogram_cuda_num_bits(const nitro_histogram_cuda *histogram)
{
    int bits = 1;
    while (histogram->host.num_bins > (int64_t)1 << bits)
        bits++;
    return bits;
}

static int prepare(void *argument, void *user)
{
    (void)user;
    return nitro_histogram_cuda_upload(argument);
}

static void release(void *argument)
{
    nitro_histogram_cuda *histogram = argument;
    histogram->tables = (nitro_histogram_cuda_tables){0};
}

static bool allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_HISTOGRAM_NUM_ELEMENTS] <= NITRO_CUDA_MAX_COUNT;
}

static const nitro_variant *const variants[] = {
    &nitro_histogram_cuda_variant_sort_even_share,
    &nitro_histogram_cuda_variant_sort_dynamic,
    &nitro_histogram_cuda_variant_global_atomic_even_share,
    &nitro_histogram_cuda_variant_global_atomic_dynamic,
    &nitro_histogram_cuda_variant_shared_atomic_even_share,
    &nitro_histogram_cuda_variant_shared_atomic_dynamic,
    &nitro_histogram_cuda_variant_block_sort_even_share,
    &nitro_histogram_cuda_variant_block_sort_dynamic,
};

const nitro_kit_device nitro_histogram_cuda_device = NITRO_CUDA_DEVICE(
    nitro_histogram_cuda, variants, .prepare = prepare, .allows = allows, .release = release);
