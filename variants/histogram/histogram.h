/* histogram.h - the computation "histogram": how often each value occurs. The argument of all
 * variants, and the declarations of variants and input features
 * (features/input/histogram_features.c).
 *
 * A sample is the number of its bin: the mapping from values to bins is the caller's, as with
 * evenly spaced levels in CUB. Samples have 32 bits for any number of bins, as in the CUB
 * benchmarks from which the paper took its six variants: three ways to count, each with an even
 * share of the samples per thread or with tiles from a queue. */
#ifndef NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_H
#define NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_H

#include "nitro/computation_kit.h"

/** Most bins: the values of a 16-bit image. */
#define NITRO_HISTOGRAM_MAX_BINS 65536

/** Most samples: a bin may get all of them, and counts have 32 bits. */
#define NITRO_HISTOGRAM_MAX_SAMPLES UINT32_MAX

/**
 * The argument. Fill in the first part, which is borrowed, and zero the rest. Samples and counts
 * and their addresses may change between runs; sizes may not until nitro_kit_release.
 */
typedef struct nitro_histogram {
    int64_t num_samples;     /* 0 to NITRO_HISTOGRAM_MAX_SAMPLES */
    int64_t num_bins;        /* 1 to NITRO_HISTOGRAM_MAX_BINS */
    const uint32_t *samples; /* shape [num_samples], each below num_bins (unchecked) */
    uint32_t *counts;        /* shape [num_bins]: the result */

    nitro_room room;  /* private tables that threads count in */
    nitro_kept *kept; /* by the hooks that check results; NULL until then */
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

/** Declare all input features (features/input/histogram_features.c says what each is). */
nitro_status nitro_histogram_add_features(nitro_computation *computation);

/** The computation (apps/histogram/histogram_module.c): shared_atomic_even_share is the default. */
extern const nitro_kit nitro_histogram_kit;

#endif
