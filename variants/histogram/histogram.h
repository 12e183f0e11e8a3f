/*
 * histogram.h - the computation "histogram": how often does each value occur? The argument that all
 * variants share, and the declarations of variants and input features. The features are in
 * features/input/histogram_features.c.
 *
 * A sample is the number of its bin: which range of values a bin stands for is the caller's affair,
 * as it is where CUB is given levels one apart. Samples have 32 bits whatever the number of bins,
 * as in the benchmarks of CUB that the paper took its six variants from: three ways to count, each
 * with threads that own an even share of the samples or take tiles from a queue.
 */
#ifndef NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_H
#define NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_H

#include "nitro/nitro.h"

/** Most bins: the values of a 16-bit image. */
#define NITRO_HISTOGRAM_MAX_BINS 65536

/** Most samples: a bin may get all of them, and counts have 32 bits. */
#define NITRO_HISTOGRAM_MAX_SAMPLES UINT32_MAX

/** Private tables that threads count in: made by `prepare`. */
typedef struct nitro_histogram_tables {
    int64_t num_words;
    uint32_t *words; /* shape [num_words] */
} nitro_histogram_tables;

/**
 * The argument. Fill in the first part and zero the rest; what is filled in is borrowed. Samples
 * and counts may change between runs, also their addresses; sizes may not until
 * nitro_histogram_release.
 */
typedef struct nitro_histogram {
    int64_t num_samples;     /* 0 to NITRO_HISTOGRAM_MAX_SAMPLES */
    int64_t num_bins;        /* 1 to NITRO_HISTOGRAM_MAX_BINS */
    const uint32_t *samples; /* shape [num_samples], each below num_bins (nobody checks again) */
    uint32_t *counts;        /* shape [num_bins]: the result */

    /* Made by `prepare`, zero until then. */
    nitro_histogram_tables tables;

    /* Made by the hook that keeps the reference, NULL until then. */
    uint32_t *reference; /* shape [num_bins] */
} nitro_histogram;

/** Input features in declared order. */
enum {
    NITRO_HISTOGRAM_NUM_ELEMENTS,
    NITRO_HISTOGRAM_ELEMENTS_PER_BIN,
    NITRO_HISTOGRAM_SUB_SAMPLE_SD,
    NITRO_HISTOGRAM_NUM_FEATURES
};

/** The variants, in declared order; each runs any input. */
extern const nitro_variant nitro_histogram_variant_sort_even_share;
extern const nitro_variant nitro_histogram_variant_sort_dynamic;
extern const nitro_variant nitro_histogram_variant_global_atomic_even_share;
extern const nitro_variant nitro_histogram_variant_global_atomic_dynamic;
extern const nitro_variant nitro_histogram_variant_shared_atomic_even_share;
extern const nitro_variant nitro_histogram_variant_shared_atomic_dynamic;

/** Declare all variants, shared_atomic_even_share the default and the reference, and the hooks that
 *  check results. */
nitro_status nitro_histogram_add_variants(nitro_computation *computation);

/** Declare all input features (features/input/histogram_features.c says what each is). */
nitro_status nitro_histogram_add_features(nitro_computation *computation);

/** Zeroed memory for `count` elements as the variants like it. Free with free(); NULL when there is
 *  not so much. */
void *nitro_histogram_allocate(int64_t count, size_t size);

/** Free the tables and the kept reference, and zero them. What was borrowed stays. */
void nitro_histogram_release(nitro_histogram *histogram);

/**
 * The hook that checks a result, by itself: is every count that of the reference? Fills the counts
 * with nonsense when it is done, so that the next variant has to write all of them.
 * @return 0 if so; else `why` (shape [size]) says where it differs first, and how many do.
 */
int nitro_histogram_check_result(void *argument, char *why, size_t size, void *user);

/** The hook that keeps the reference: counted by a plain loop, and checks the result as above. */
int nitro_histogram_keep_reference(void *argument, void *user);

#endif
