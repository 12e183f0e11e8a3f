/* global_atomic: all threads count in the result with atomic additions. Only one table is cleared
 * and none merged, for any number of threads: for many bins and few samples. */
#include "variants/histogram/host/histogram_kernels.h"

static void count_atomically(const uint32_t *samples, int64_t num_samples, uint32_t *counts)
{
    int64_t i = 0;
    for (; i + NITRO_HISTOGRAM_BLOCK <= num_samples; i += NITRO_HISTOGRAM_BLOCK)
        if (nitro_histogram_block_is_constant(samples + i))
            __atomic_fetch_add(&counts[samples[i]], NITRO_HISTOGRAM_BLOCK, __ATOMIC_RELAXED);
        else
            for (int64_t k = i; k < i + NITRO_HISTOGRAM_BLOCK; k++)
                __atomic_fetch_add(&counts[samples[k]], 1, __ATOMIC_RELAXED);
    for (; i < num_samples; i++)
        __atomic_fetch_add(&counts[samples[i]], 1, __ATOMIC_RELAXED);
}

static void count_alone(const uint32_t *samples, int64_t num_samples, uint32_t *counts)
{
    int64_t i = 0;
    for (; i + NITRO_HISTOGRAM_BLOCK <= num_samples; i += NITRO_HISTOGRAM_BLOCK)
        if (nitro_histogram_block_is_constant(samples + i))
            counts[samples[i]] += NITRO_HISTOGRAM_BLOCK;
        else
            for (int64_t k = i; k < i + NITRO_HISTOGRAM_BLOCK; k++)
                counts[samples[k]]++;
    for (; i < num_samples; i++)
        counts[samples[i]]++;
}

static void count(const uint32_t *samples, int64_t num_samples, int64_t num_bins,
                  const nitro_histogram_place *place)
{
    (void)num_bins;
    if (place->is_contended)
        count_atomically(samples, num_samples, place->tables[0]);
    else
        count_alone(samples, num_samples, place->tables[0]);
}

static const nitro_histogram_method method = {.count = count};

NITRO_HISTOGRAM_VARIANT(global_atomic_even_share, method, NITRO_HISTOGRAM_EVEN_SHARE, NULL);
NITRO_HISTOGRAM_VARIANT(global_atomic_dynamic, method, NITRO_HISTOGRAM_DYNAMIC, NULL);
