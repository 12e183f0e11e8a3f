/* Zeroes the counts and the queues in one launch: launches dominate small inputs. */
#include "nitro/cuda.hpp"
#include "variants/histogram/cuda/histogram_kernels_cuda.h"

#define BLOCK      256
#define PER_THREAD 8 /* few blocks do: 65536 bins are 256 KB */

static __global__ void __launch_bounds__(BLOCK)
    clear(uint32_t *counts, int num_bins, uint32_t *queues, int num_queues)
{
    int first = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (first < num_queues)
        queues[first] = 0;
    for (int bin = first; bin < num_bins; bin += (int)gridDim.x * BLOCK)
        counts[bin] = 0;
}

int nitro_histogram_cuda_clear(nitro_histogram_cuda *histogram)
{
    int num_bins = (int)histogram->host.num_bins;
    return nitro_cuda_launch(&histogram->cuda, "clearing the counts", num_bins / PER_THREAD + 1,
                             BLOCK, clear, histogram->counts, num_bins, histogram->queues,
                             NITRO_HISTOGRAM_CUDA_MAX_RANGES);
}
