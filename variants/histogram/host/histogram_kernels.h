/* kernels.h - what the histogram variants share on the host: a team of threads that counts, each in
 * tables of its own or all in one. */
#ifndef NITRO_VARIANTS_HISTOGRAM_HOST_HISTOGRAM_KERNELS_H
#define NITRO_VARIANTS_HISTOGRAM_HOST_HISTOGRAM_KERNELS_H

#include "variants/histogram/histogram.h"
#include "variants/host_variant.h"

/** How threads come by their samples. */
typedef enum nitro_histogram_schedule {
    NITRO_HISTOGRAM_EVEN_SHARE, /* each has one stretch, all as long */
    NITRO_HISTOGRAM_DYNAMIC     /* each takes the next tile when it is done with one */
} nitro_histogram_schedule;

/** Most private tables of one thread. */
#define NITRO_HISTOGRAM_COPIES 4

/** Where a thread counts: in any of its tables, whose sum matters. */
typedef struct nitro_histogram_place {
    uint32_t *tables[NITRO_HISTOGRAM_COPIES]; /* some are the same where copies are fewer */
    bool is_contended;                        /* other threads count in the same table */
} nitro_histogram_place;

typedef struct nitro_histogram_method {
    /** Add so many samples to the tables of `place`. */
    void (*count)(const uint32_t *samples, int64_t num_samples, int64_t num_bins,
                  const nitro_histogram_place *place);
    int max_copies; /* private tables of one thread; 0: all threads count in the result */
} nitro_histogram_method;

/** A variant's `prepare`: memory for the method's private tables. */
int nitro_histogram_prepare(nitro_histogram *histogram, const nitro_histogram_method *method);

/** A variant's `run`. With fewer threads where less was prepared. */
int nitro_histogram_count(nitro_histogram *histogram, const nitro_histogram_method *method,
                          nitro_histogram_schedule schedule);

/*
 * Samples looked at together: neighbours are often equal (flat areas of images, sorted data), and
 * additions to one bin wait for each other. Four probes first: they rule out most other blocks.
 */
#define NITRO_HISTOGRAM_BLOCK 16

static inline bool nitro_histogram_block_is_constant(const uint32_t *block)
{
    if (((block[0] ^ block[5]) | (block[0] ^ block[10]) | (block[0] ^ block[15])) != 0)
        return false;
    uint32_t different = 0;
    for (int i = 1; i < NITRO_HISTOGRAM_BLOCK; i++)
        different |= block[i] ^ block[0];
    return different == 0;
}

#endif
