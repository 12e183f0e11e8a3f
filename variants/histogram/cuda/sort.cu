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

static int sort(nitro_histogram_cuda *histogram, size_t *room_bytes)
{
    return nitro_histogram_cuda_sort(
        &histogram->cuda, histogram->sort_room, room_bytes, histogram->samples, histogram->sorted,
        (int)histogram->host.num_samples, nitro_histogram_cuda_num_bits(histogram));
}

static int make_room(nitro_histogram_cuda *histogram)
{
    nitro_cuda *cuda = &histogram->cuda;
    int64_t num_samples = histogram->host.num_samples;
    size_t room_bytes = 0;
    if (sort(histogram, &room_bytes) != 0 || /* without a work buffer: queries its size */
        nitro_cuda_need(cuda, room_bytes + (uint64_t)num_samples * sizeof(uint32_t), "sorting") !=
            0)
        return cuda->failure;
    void *sorted, *room;
    if (nitro_cuda_allocate(cuda, num_samples, sizeof(uint32_t), &sorted) != 0)
        return cuda->failure;
    if (nitro_cuda_allocate(cuda, (int64_t)room_bytes, 1, &room) != 0) {
        nitro_cuda_free(sorted);
        return cuda->failure;
    }
    histogram->sorted = (uint32_t *)sorted;
    histogram->sort_room = room;
    histogram->sort_room_bytes = room_bytes;
    return 0;
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    if (nitro_histogram_cuda_upload(histogram) != 0)
        return histogram->cuda.failure;
    if (histogram->sort_room || histogram->host.num_samples == 0)
        return 0;
    if (nitro_cuda_may_prepare(&histogram->cuda, "the room for sorting") != 0)
        return histogram->cuda.failure;
    return make_room(histogram);
}

static int launch(nitro_histogram_cuda *histogram,
                  void (*kernel)(nitro_histogram_units, uint32_t *), uint32_t *queue)
{
    if (nitro_histogram_cuda_clear(histogram) != 0)
        return histogram->cuda.failure;
    if (histogram->host.num_samples == 0)
        return 0;
    if (!histogram->sort_room)
        return nitro_cuda_fail(&histogram->cuda, "sort was not prepared");
    if (sort(histogram, &histogram->sort_room_bytes) != 0)
        return histogram->cuda.failure;
    return nitro_histogram_launch(histogram, kernel, histogram->sorted, queue,
                                  "launching sort's count of runs");
}

static int run_even_share(void *argument, void *user)
{
    (void)user;
    return launch((nitro_histogram_cuda *)argument, count_runs<false>, NULL);
}

static int run_dynamic(void *argument, void *user)
{
    (void)user;
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    return launch(histogram, count_runs<true>, histogram->queues);
}

const nitro_variant nitro_histogram_cuda_variant_sort_even_share = {
    .name = "sort_even_share",
    .version = "1",
    .run = run_even_share,
    .prepare = prepare,
};

const nitro_variant nitro_histogram_cuda_variant_sort_dynamic = {
    .name = "sort_dynamic",
    .version = "1",
    .run = run_dynamic,
    .prepare = prepare,
};
