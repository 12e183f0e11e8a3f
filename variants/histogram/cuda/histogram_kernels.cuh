/* histogram_kernels.cuh - how the CUDA variants of histogram traverse the samples: in units of
 * 512, four vectors of four samples a lane, all loads of a unit in flight before the first is
 * used. That is 128 KB in flight on a multiprocessor with 64 warps, several times what hides an
 * H200's memory latency. Each warp takes units from its block's even share or from a queue,
 * without barriers between units.
 *
 * Samples before the first aligned vector and after the last whole unit are `odd`: the first block
 * counts them one by one. */
#ifndef NITRO_VARIANTS_HISTOGRAM_KERNELS_CUH
#define NITRO_VARIANTS_HISTOGRAM_KERNELS_CUH

#include <limits.h>

#include "nitro/cuda.hpp"
#include "variants/histogram/cuda/histogram_kernels_cuda.h"

#define NITRO_HISTOGRAM_WARP         32
#define NITRO_HISTOGRAM_WARPS        (NITRO_HISTOGRAM_CUDA_BLOCK / NITRO_HISTOGRAM_WARP)
#define NITRO_HISTOGRAM_UNIT_VECTORS 4 /* a lane */
#define NITRO_HISTOGRAM_UNIT_SAMPLES (NITRO_HISTOGRAM_UNIT_VECTORS * 4 * NITRO_HISTOGRAM_WARP)
#define NITRO_HISTOGRAM_FETCH_UNITS  4 /* taken from the queue at a time */

typedef struct nitro_histogram_units {
    const uint32_t *samples;
    int num_samples;
    int num_head; /* samples before the first that is aligned to a vector, 0 to 3 */
    int num_units;
    uint32_t *queue; /* its head; NULL: even shares */
} nitro_histogram_units;

/* The units that a warp goes through: unit, unit + step... below end. */
typedef struct nitro_histogram_cursor {
    int unit, end, step;
} nitro_histogram_cursor;

static inline nitro_histogram_units nitro_histogram_make_units(const uint32_t *samples,
                                                               int64_t num_samples, uint32_t *queue)
{
    nitro_histogram_units units = {};
    int head = (int)((16 - (uintptr_t)samples % 16) % 16 / sizeof(*samples));
    units.samples = samples;
    units.num_samples = (int)num_samples;
    units.num_head = head < num_samples ? head : (int)num_samples;
    units.num_units = (units.num_samples - units.num_head) / NITRO_HISTOGRAM_UNIT_SAMPLES;
    units.queue = queue;
    return units;
}

/** Number of blocks with a unit for every warp, from 1 to `most`. */
static inline int nitro_histogram_num_blocks(const nitro_histogram_units *units, int most)
{
    int wanted = (units->num_units + NITRO_HISTOGRAM_WARPS - 1) / NITRO_HISTOGRAM_WARPS;
    wanted = wanted < most ? wanted : most;
    return wanted > 1 ? wanted : 1;
}

#define NITRO_HISTOGRAM_DEVICE static __device__ __forceinline__

NITRO_HISTOGRAM_DEVICE nitro_histogram_cursor
nitro_histogram_fetch(const nitro_histogram_units &units)
{
    uint32_t first = 0;
    if (threadIdx.x % NITRO_HISTOGRAM_WARP == 0)
        first = atomicAdd(units.queue, (uint32_t)NITRO_HISTOGRAM_FETCH_UNITS);
    int unit = (int)__shfl_sync(NITRO_CUDA_FULL_MASK, first, 0);
    return {unit, min(unit + NITRO_HISTOGRAM_FETCH_UNITS, units.num_units), 1};
}

template <bool IS_DYNAMIC>
NITRO_HISTOGRAM_DEVICE nitro_histogram_cursor
nitro_histogram_start(const nitro_histogram_units &units)
{
    if (IS_DYNAMIC)
        return nitro_histogram_fetch(units);
    int64_t num_units = units.num_units;
    int begin = (int)(num_units * blockIdx.x / gridDim.x);
    int end = (int)(num_units * (blockIdx.x + 1) / gridDim.x);
    return {begin + (int)threadIdx.x / NITRO_HISTOGRAM_WARP, end, NITRO_HISTOGRAM_WARPS};
}

template <bool IS_DYNAMIC>
NITRO_HISTOGRAM_DEVICE nitro_histogram_cursor
nitro_histogram_next(const nitro_histogram_units &units, nitro_histogram_cursor cursor)
{
    cursor.unit += cursor.step;
    if (IS_DYNAMIC && cursor.unit >= cursor.end)
        return nitro_histogram_fetch(units);
    return cursor;
}

/* Index of the first of the four samples of vector `vector` of the calling lane. */
NITRO_HISTOGRAM_DEVICE int nitro_histogram_index(const nitro_histogram_units &units, int unit,
                                                 int vector)
{
    int lane = (int)threadIdx.x % NITRO_HISTOGRAM_WARP;
    return units.num_head + unit * NITRO_HISTOGRAM_UNIT_SAMPLES +
           (vector * NITRO_HISTOGRAM_WARP + lane) * 4;
}

NITRO_HISTOGRAM_DEVICE void nitro_histogram_load(const nitro_histogram_units &units, int unit,
                                                 uint4 vectors[NITRO_HISTOGRAM_UNIT_VECTORS])
{
#pragma unroll
    for (int i = 0; i < NITRO_HISTOGRAM_UNIT_VECTORS; i++)
        vectors[i] = __ldg((const uint4 *)(units.samples + nitro_histogram_index(units, unit, i)));
}

/* Number of odd samples, and their indices. */
NITRO_HISTOGRAM_DEVICE int nitro_histogram_num_odd(const nitro_histogram_units &units)
{
    return units.num_samples - units.num_units * NITRO_HISTOGRAM_UNIT_SAMPLES;
}

NITRO_HISTOGRAM_DEVICE int nitro_histogram_odd_index(const nitro_histogram_units &units, int odd)
{
    return odd < units.num_head ? odd : odd + units.num_units * NITRO_HISTOGRAM_UNIT_SAMPLES;
}

/* Launch a kernel that goes through `samples` and adds to the counts: as many blocks as are
 * resident at once with its registers, since a second wave would find half of the device idle. */
static inline int nitro_histogram_launch(nitro_histogram_cuda *histogram,
                                         void (*kernel)(nitro_histogram_units, uint32_t *),
                                         const uint32_t *samples, uint32_t *queue, const char *what)
{
    nitro_histogram_units units =
        nitro_histogram_make_units(samples, histogram->host.num_samples, queue);
    int most = histogram->num_multiprocessors, blocks_per_sm = 1;
    if (nitro_histogram_num_blocks(&units, INT_MAX) > most &&
        nitro_cuda_check(&histogram->cuda,
                         cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &blocks_per_sm, kernel, NITRO_HISTOGRAM_CUDA_BLOCK, 0),
                         what) != 0)
        return histogram->cuda.failure;
    int num_blocks = nitro_histogram_num_blocks(&units, most * blocks_per_sm);
    return nitro_cuda_launch(&histogram->cuda, what,
                             (int64_t)num_blocks * NITRO_HISTOGRAM_CUDA_BLOCK,
                             NITRO_HISTOGRAM_CUDA_BLOCK, kernel, units, histogram->counts);
}

/* `run` of a variant: zero counts, then LAUNCH with the queue, or with NULL for even shares. */
template <int (*LAUNCH)(nitro_histogram_cuda *histogram, uint32_t *queue)>
static int nitro_histogram_run(void *argument, void *user)
{
    nitro_histogram_cuda *histogram = (nitro_histogram_cuda *)argument;
    if (nitro_histogram_cuda_clear(histogram) != 0)
        return histogram->cuda.failure;
    if (histogram->host.num_samples == 0)
        return 0;
    return LAUNCH(histogram, user ? histogram->queues : NULL);
}

/* The two variants of a method: with even shares, and with the queue. */
#define NITRO_HISTOGRAM_VARIANTS(method, its_version, do_launch, do_prepare)                       \
    static const bool has_queue = true;                                                            \
    const nitro_variant nitro_histogram_cuda_variant_##method##_even_share = {                     \
        .name = #method "_even_share",                                                             \
        .version = its_version,                                                                    \
        .run = nitro_histogram_run<do_launch>,                                                     \
        .prepare = do_prepare,                                                                     \
    };                                                                                             \
    const nitro_variant nitro_histogram_cuda_variant_##method##_dynamic = {                        \
        .name = #method "_dynamic",                                                                \
        .version = its_version,                                                                    \
        .run = nitro_histogram_run<do_launch>,                                                     \
        .prepare = do_prepare,                                                                     \
        .user = (void *)&has_queue,                                                                \
    };

#endif
