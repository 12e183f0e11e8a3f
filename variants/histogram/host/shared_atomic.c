/* shared_atomic: each thread counts in private tables, merged at the end: the counterpart of a
 * block's table in shared memory. Private tables need no atomics. Neighbouring samples use
 * different copies, to avoid store-to-load dependencies on one counter. */
#include "variants/histogram/host/histogram_kernels.h"

static void count_block(const uint32_t *samples, const nitro_histogram_place *place)
{
    for (int i = 0; i < NITRO_HISTOGRAM_BLOCK; i += NITRO_HISTOGRAM_COPIES) {
        uint32_t first = samples[i], second = samples[i + 1];
        uint32_t third = samples[i + 2], fourth = samples[i + 3];
        place->tables[0][first]++;
        place->tables[1][second]++;
        place->tables[2][third]++;
        place->tables[3][fourth]++;
    }
}

static void count(const uint32_t *samples, int64_t num_samples, int64_t num_bins,
                  const nitro_histogram_place *shared_place)
{
    (void)num_bins;
    const nitro_histogram_place place = *shared_place; /* in registers */
    int64_t i = 0;
    for (; i + NITRO_HISTOGRAM_BLOCK <= num_samples; i += NITRO_HISTOGRAM_BLOCK)
        if (nitro_histogram_block_is_constant(samples + i))
            place.tables[0][samples[i]] += NITRO_HISTOGRAM_BLOCK;
        else
            count_block(samples + i, &place);
    for (; i < num_samples; i++)
        place.tables[0][samples[i]]++;
}

static const nitro_histogram_method method = {.count = count, .max_copies = NITRO_HISTOGRAM_COPIES};

NITRO_HISTOGRAM_VARIANT(shared_atomic_even_share, method, NITRO_HISTOGRAM_EVEN_SHARE,
                        nitro_histogram_prepare);
NITRO_HISTOGRAM_VARIANT(shared_atomic_dynamic, method, NITRO_HISTOGRAM_DYNAMIC,
                        nitro_histogram_prepare);
