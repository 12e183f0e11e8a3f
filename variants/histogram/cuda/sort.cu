/* sort: CUB sorts all samples by the bits of a bin number, then run lengths are counted. Where a
 * run begins, at i, its bin is decreased by i and the previous bin increased by i, so that each
 * ends up with its run's length: two atomic additions per occupied bin, independent of contention
 * and of the number of bins. Even shares and the queue apply to the sorted samples. */
#include "variants/histogram/cuda/histogram_kernels.cuh"

#define BLOCK NITRO_HISTOGRAM_CUDA_BLOCK

/* Accounts for a run that begins at `index`, after sample `before`. Counts may wrap below zero
 * meanwhile. */
NITRO_HISTOGRAM_DEVICE void add(uint32_t before, uint32_t sample, int index, uint32_t *counts)
{
    if (sample == before)
        return;
    atomicAdd(counts + before, (uint32_t)index);
    atomicSub(counts + sample, (uint32_t)index);
}

/* Four consecutive samples, and the one before them: from the lane below, or from memory. */
NITRO_HISTOGRAM_DEVICE void add_four(const nitro_histogram_units &units, uint4 four, int index,
                                     uint32_t *counts)
{
    uint32_t before = __shfl_up_sync(NITRO_CUDA_FULL_MASK, four.w, 1);
    if (threadIdx.x % NITRO_HISTOGRAM_WARP == 0)
        before = index > 0 ? __ldg(units.samples + index - 1) : four.x;
    if (before == four.w) /* sorted: all are equal */
        return;
    add(before, four.x, index, counts);
    add(four.x, four.y, index + 1, counts);
    add(four.y, four.z, index + 2, counts);
    add(four.z, four.w, index + 3, counts);
}

template <bool IS_DYNAMIC>
static __global__ void __launch_bounds__(BLOCK)
    count_runs(nitro_histogram_units units, uint32_t *counts)
{
    nitro_histogram_cursor cursor = nitro_histogram_start<IS_DYNAMIC>(units);
    for (; cursor.unit < cursor.end; cursor = nitro_histogram_next<IS_DYNAMIC>(units, cursor)) {
        uint4 vectors[NITRO_HISTOGRAM_UNIT_VECTORS];
        nitro_histogram_load(units, cursor.unit, vectors);
#pragma unroll
        for (int i = 0; i < NITRO_HISTOGRAM_UNIT_VECTORS; i++)
            add_four(units, vectors[i], nitro_histogram_index(units, cursor.unit, i), counts);
    }
    if (blockIdx.x > 0)
        return;
    for (int odd = (int)threadIdx.x; odd < nitro_histogram_num_odd(units); odd += BLOCK) {
        int index = nitro_histogram_odd_index(units, odd);
        if (index > 0)
            add(units.samples[index - 1], units.samples[index], index, counts);
    }
    if (threadIdx.x == 0) /* the last run ends */
        atomicAdd(counts + units.samples[units.num_samples - 1], (uint32_t)units.num_samples);
}

/* The sorted samples, and CUB's work buffer after them. */
static int64_t sorted_bytes(const nitro_histogram_cuda *histogram)
{
    const int64_t alignment = 256; /* as cudaMalloc's */
    int64_t bytes = histogram->host.num_samples * (int64_t)sizeof(uint32_t);
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Without a work buffer: queries its size. */
static int sort(nitro_histogram_cuda *histogram, uint32_t *sorted, size_t *work_bytes)
{
    char *work = sorted ? (char *)sorted + sorted_bytes(histogram) : NULL;
    return nitro_histogram_cuda_sort(&histogram->cuda, work, work_bytes, histogram->samples, sorted,
                                     (int)histogram->host.num_samples,
                                     nitro_histogram_cuda_num_bits(histogram));
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    size_t work_bytes = 0;
    if (nitro_histogram_cuda_upload(histogram) != 0)
        return histogram->cuda.failure;
    if (histogram->host.num_samples == 0)
        return 0;
    if (sort(histogram, NULL, &work_bytes) != 0)
        return histogram->cuda.failure;
    return nitro_kit_make_room(&nitro_histogram_kit, argument,
                               sorted_bytes(histogram) + (int64_t)work_bytes);
}

static int launch(nitro_histogram_cuda *histogram, uint32_t *queue)
{
    uint32_t *sorted = (uint32_t *)histogram->cuda.room.memory;
    size_t work_bytes = (size_t)(histogram->cuda.room.bytes - sorted_bytes(histogram));
    if (!sorted)
        return nitro_cuda_fail(&histogram->cuda, "sort was not prepared");
    if (sort(histogram, sorted, &work_bytes) != 0)
        return histogram->cuda.failure;
    return nitro_histogram_launch(histogram, queue ? count_runs<true> : count_runs<false>, sorted,
                                  queue, "launching sort's count of runs");
}

NITRO_HISTOGRAM_VARIANTS(sort, "1", launch, prepare)
