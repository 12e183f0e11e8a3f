/* Zeros for the counts and for the queues, in one launch: small inputs live on few of them. */
#include "variants/cuda_kernel.cuh"
#include "variants/histogram/kernels_cuda.h"

#define BLOCK 256

static __global__ void __launch_bounds__(BLOCK)
    clear(uint32_t *counts, int num_bins, uint32_t *queues, int num_queues)
{
    int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (i < num_bins)
        counts[i] = 0;
    if (i < num_queues)
        queues[i] = 0;
}

int nitro_histogram_cuda_clear(nitro_histogram_cuda *histogram)
{
    int num_bins = (int)histogram->host.num_bins, num_queues = NITRO_HISTOGRAM_CUDA_MAX_RANGES;
    cudaLaunchConfig_t config =
        nitro_cuda_grid(&histogram->cuda, num_bins > num_queues ? num_bins : num_queues, BLOCK);
    return nitro_cuda_check(&histogram->cuda,
                            cudaLaunchKernelEx(&config, clear, histogram->counts, num_bins,
                                               histogram->queues, num_queues),
                            "clearing the counts");
}
