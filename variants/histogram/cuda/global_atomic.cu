/* global_atomic: every thread adds to the result in global memory. Only the result is cleared, for
 * any number of bins and blocks, but additions to one address serialise in the L2 cache. So four
 * vectors of a warp whose 128 samples are all equal, as in flat areas and constant inputs, become
 * one addition, at the cost of a shuffle and a vote for every four samples. */
#include "variants/histogram/cuda/histogram_kernels.cuh"

#define BLOCK NITRO_HISTOGRAM_CUDA_BLOCK

NITRO_HISTOGRAM_DEVICE void add(uint4 four, uint32_t *counts)
{
    uint32_t first = __shfl_sync(NITRO_CUDA_FULL_MASK, four.x, 0);
    bool is_same = ((four.x ^ first) | (four.y ^ first) | (four.z ^ first) | (four.w ^ first)) == 0;
    if (__all_sync(NITRO_CUDA_FULL_MASK, is_same)) {
        if (threadIdx.x % NITRO_HISTOGRAM_WARP == 0)
            atomicAdd(counts + first, 4 * NITRO_HISTOGRAM_WARP);
        return;
    }
    atomicAdd(counts + four.x, 1);
    atomicAdd(counts + four.y, 1);
    atomicAdd(counts + four.z, 1);
    atomicAdd(counts + four.w, 1);
}

template <bool IS_DYNAMIC>
static __global__ void __launch_bounds__(BLOCK)
    count_globally(nitro_histogram_units units, uint32_t *counts)
{
    nitro_histogram_cursor cursor = nitro_histogram_start<IS_DYNAMIC>(units);
    for (; cursor.unit < cursor.end; cursor = nitro_histogram_next<IS_DYNAMIC>(units, cursor)) {
        uint4 vectors[NITRO_HISTOGRAM_UNIT_VECTORS];
        nitro_histogram_load(units, cursor.unit, vectors);
#pragma unroll
        for (int i = 0; i < NITRO_HISTOGRAM_UNIT_VECTORS; i++)
            add(vectors[i], counts);
    }
    if (blockIdx.x > 0)
        return;
    for (int odd = (int)threadIdx.x; odd < nitro_histogram_num_odd(units); odd += BLOCK)
        atomicAdd(counts + units.samples[nitro_histogram_odd_index(units, odd)], 1);
}

static int launch(nitro_histogram_cuda *histogram,
                  void (*kernel)(nitro_histogram_units, uint32_t *), uint32_t *queue)
{
    if (nitro_histogram_cuda_clear(histogram) != 0)
        return histogram->cuda.failure;
    if (histogram->host.num_samples == 0)
        return 0;
    return nitro_histogram_launch(histogram, kernel, histogram->samples, queue,
                                  "launching global_atomic");
}

static int run_even_share(void *argument, void *user)
{
    (void)user;
    return launch((nitro_histogram_cuda *)argument, count_globally<false>, NULL);
}

static int run_dynamic(void *argument, void *user)
{
    (void)user;
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    return launch(histogram, count_globally<true>, histogram->queues);
}

const nitro_variant nitro_histogram_cuda_variant_global_atomic_even_share = {
    .name = "global_atomic_even_share",
    .version = "1",
    .run = run_even_share,
};

const nitro_variant nitro_histogram_cuda_variant_global_atomic_dynamic = {
    .name = "global_atomic_dynamic",
    .version = "1",
    .run = run_dynamic,
};
