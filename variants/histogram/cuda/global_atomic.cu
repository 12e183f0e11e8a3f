/* global_atomic: every thread adds to the result in global memory. Only the result is cleared, for
 * any number of bins and blocks, but additions to one address serialise in the L2 cache. So the
 * lanes of a warp with the same sample send one addition (__match_any_sync); and four vectors of a
 * warp whose 128 samples are all equal, as in flat areas and constant inputs, are one, at the cost
 * of a shuffle and a vote for every four samples. */
#include "variants/histogram/cuda/histogram_kernels.cuh"

#define BLOCK NITRO_HISTOGRAM_CUDA_BLOCK

/* All lanes of the warp take part. */
NITRO_HISTOGRAM_DEVICE void add_matched(uint32_t sample, uint32_t *counts)
{
    unsigned same = __match_any_sync(NITRO_CUDA_FULL_MASK, sample);
    if (__ffs((int)same) - 1 == (int)threadIdx.x % NITRO_HISTOGRAM_WARP)
        atomicAdd(counts + sample, (uint32_t)__popc(same));
}

NITRO_HISTOGRAM_DEVICE void add(uint4 four, uint32_t *counts)
{
    uint32_t first = __shfl_sync(NITRO_CUDA_FULL_MASK, four.x, 0);
    bool is_same = ((four.x ^ first) | (four.y ^ first) | (four.z ^ first) | (four.w ^ first)) == 0;
    if (__all_sync(NITRO_CUDA_FULL_MASK, is_same)) {
        if (threadIdx.x % NITRO_HISTOGRAM_WARP == 0)
            atomicAdd(counts + first, 4 * NITRO_HISTOGRAM_WARP);
        return;
    }
    add_matched(four.x, counts);
    add_matched(four.y, counts);
    add_matched(four.z, counts);
    add_matched(four.w, counts);
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

static int launch(nitro_histogram_cuda *histogram, uint32_t *queue)
{
    return nitro_histogram_launch(histogram, queue ? count_globally<true> : count_globally<false>,
                                  histogram->samples, queue, "launching global_atomic");
}

NITRO_HISTOGRAM_VARIANTS(global_atomic, "2", launch, NULL)
