/* histogram_kernels.h - shared by the host variants of histogram: a team of threads that count in
 * private tables or in one. */
#ifndef NITRO_VARIANTS_HISTOGRAM_HOST_HISTOGRAM_KERNELS_H
#define NITRO_VARIANTS_HISTOGRAM_HOST_HISTOGRAM_KERNELS_H

#include "nitro/computation_kit.h"
#include "variants/histogram/histogram.h"

/** How samples are divided among threads. */
typedef enum nitro_histogram_schedule {
    NITRO_HISTOGRAM_EVEN_SHARE, /* one contiguous range each, all of one length */
    NITRO_HISTOGRAM_DYNAMIC     /* each takes the next tile from a queue */
} nitro_histogram_schedule;

/** Most private tables of one thread. */
#define NITRO_HISTOGRAM_COPIES 4

/** A thread's tables; their sum counts. */
typedef struct nitro_histogram_place {
    uint32_t *tables[NITRO_HISTOGRAM_COPIES]; /* repeated if there are fewer copies */
    bool is_contended;                        /* other threads count in the same table */
} nitro_histogram_place;

typedef struct nitro_histogram_method {
    /** Count the samples in the tables of `place`. */
    void (*count)(const uint32_t *samples, int64_t num_samples, int64_t num_bins,
                  const nitro_histogram_place *place);
    int max_copies; /* private tables of one thread; 0: all threads count in the result */
} nitro_histogram_method;

/** `user` of a variant: how it counts, and how samples are divided among threads. */
typedef struct nitro_histogram_plan {
    const nitro_histogram_method *method;
    nitro_histogram_schedule schedule;
} nitro_histogram_plan;

/** A variant's `prepare` and `release`: memory for the method's private tables. `run` makes it
 * again where another variant released it. */
int nitro_histogram_prepare(void *argument, void *user);
void nitro_histogram_release(void *argument, void *user);
int nitro_histogram_run(void *argument, void *user);

#define NITRO_HISTOGRAM_VARIANT(symbol, its_method, its_schedule, do_prepare)                      \
    const nitro_variant nitro_histogram_variant_##symbol = {                                       \
        .name = #symbol,                                                                           \
        .version = "1",                                                                            \
        .run = nitro_histogram_run,                                                                \
        .prepare = do_prepare,                                                                     \
        .release = nitro_histogram_release,                                                        \
        .user = (void *)&(const nitro_histogram_plan){&its_method, its_schedule}}

/*
 * Samples of a block are often equal (flat areas of images, sorted data), and additions to one bin
 * depend on each other. Four probes rule out most other blocks.
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
