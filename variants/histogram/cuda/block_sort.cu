/* block_sort: as CUB's block histogram of the paper's time. A block sorts tiles of 4096 samples in
 * registers and shared memory (cub::BlockRadixSort), and counts their runs in a table of its own,
 * which it adds to the result at the end: where a run begins, at i, its bin is decreased by i and
 * the bin before increased by i. Two additions for every occupied bin of a tile, however the
 * samples are distributed; sorting takes as long for all of them, and as many passes as bins have
 * digits. A table that does not fit beside the sort is the result itself. */
#define CCCL_DISABLE_NVTX /* no ranges for profilers in a library */
#include <cub/block/block_radix_sort.cuh>

#include "variants/histogram/cuda/histogram_kernels.cuh"

#define BLOCK        256
#define PER_THREAD   16
#define TILE         (BLOCK * PER_THREAD)
#define MAX_OWN_BINS 4096 /* 16 KB */

extern __shared__ uint32_t dynamic_shared[];

typedef cub::BlockRadixSort<uint32_t, BLOCK, PER_THREAD> block_sort;

typedef struct tiles {
    const uint32_t *samples;
    int num_samples, num_tiles;
    int num_bins, num_bits;
    uint32_t *queue; /* of tiles; NULL: even shares */
} tiles;

/* Keys of a sorted tile, `first` to `first` + PER_THREAD of `count`; `before` is the key before. */
static __device__ __forceinline__ void count_runs(const uint32_t keys[PER_THREAD], int first,
                                                  int count, uint32_t before, uint32_t *counts)
{
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) {
        int index = first + i;
        if (index < count && index > 0 && keys[i] != before) {
            atomicAdd(counts + before, (uint32_t)index);
            atomicSub(counts + keys[i], (uint32_t)index);
        }
        if (index == count - 1) /* the last run ends */
            atomicAdd(counts + keys[i], (uint32_t)count);
        before = keys[i];
    }
}

static __device__ __forceinline__ void count_tile(const tiles &t, int tile, uint32_t *counts)
{
    __shared__ typename block_sort::TempStorage room;
    __shared__ uint32_t last_keys[BLOCK];
    int begin = tile * TILE, count = min(TILE, t.num_samples - begin);
    uint32_t keys[PER_THREAD];
#pragma unroll
    for (int i = 0; i < PER_THREAD; i++) { /* in any order; the largest fill the last tile */
        int at = i * BLOCK + (int)threadIdx.x;
        keys[i] = at < count ? __ldg(t.samples + begin + at) : (1u << t.num_bits) - 1;
    }
    block_sort(room).Sort(keys, 0, t.num_bits);
    last_keys[threadIdx.x] = keys[PER_THREAD - 1];
    __syncthreads();
    count_runs(keys, (int)threadIdx.x * PER_THREAD, count,
               threadIdx.x > 0 ? last_keys[threadIdx.x - 1] : keys[0], counts);
    __syncthreads(); /* `room` and `last_keys` are the next tile's */
}

static __device__ __forceinline__ int fetch_tile(const tiles &t)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = (int)atomicAdd(t.queue, 1u);
    __syncthreads();
    int fetched = tile;
    __syncthreads();
    return fetched;
}

static __global__ void __launch_bounds__(BLOCK) count_tiles(tiles t, uint32_t *counts)
{
    bool has_own = t.num_bins <= MAX_OWN_BINS;
    uint32_t *table = has_own ? dynamic_shared : counts;
    for (int bin = (int)threadIdx.x; has_own && bin < t.num_bins; bin += BLOCK)
        table[bin] = 0;
    __syncthreads();
    if (t.queue) {
        for (int tile = fetch_tile(t); tile < t.num_tiles; tile = fetch_tile(t))
            count_tile(t, tile, table);
    } else {
        int end = (int)((int64_t)t.num_tiles * (blockIdx.x + 1) / gridDim.x);
        for (int tile = (int)((int64_t)t.num_tiles * blockIdx.x / gridDim.x); tile < end; tile++)
            count_tile(t, tile, table);
    }
    for (int bin = (int)threadIdx.x; has_own && bin < t.num_bins; bin += BLOCK)
        if (table[bin] > 0)
            atomicAdd(counts + bin, table[bin]);
}

static int launch(nitro_histogram_cuda *histogram, uint32_t *queue)
{
    tiles t = {histogram->samples,
               (int)histogram->host.num_samples,
               0,
               (int)histogram->host.num_bins,
               nitro_histogram_cuda_num_bits(histogram),
               queue};
    size_t table_bytes = t.num_bins <= MAX_OWN_BINS ? (size_t)t.num_bins * sizeof(uint32_t) : 0;
    int blocks_per_sm = 1;
    t.num_tiles = (int)(((int64_t)t.num_samples + TILE - 1) / TILE);
    if (nitro_cuda_check(&histogram->cuda,
                         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, count_tiles,
                                                                       BLOCK, table_bytes),
                         "asking the occupancy of block_sort") != 0)
        return histogram->cuda.failure;
    int most = histogram->num_multiprocessors * (blocks_per_sm > 0 ? blocks_per_sm : 1);
    int num_blocks = t.num_tiles < most ? t.num_tiles : most;
    cudaLaunchConfig_t config =
        nitro_cuda_grid(&histogram->cuda, (int64_t)num_blocks * BLOCK, BLOCK);
    config.dynamicSmemBytes = table_bytes;
    return nitro_cuda_check(&histogram->cuda,
                            cudaLaunchKernelEx(&config, count_tiles, t, histogram->counts),
                            "launching block_sort");
}

NITRO_HISTOGRAM_VARIANTS(block_sort, "1", launch, NULL)
