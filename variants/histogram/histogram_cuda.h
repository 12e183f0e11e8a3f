/*
 * histogram_cuda.h - the computation "histogram" on CUDA devices: the argument that its variants
 * share, and their declarations. The variants have the host's names and order (histogram.h); each
 * says in its .cu file how it spreads the work over threads.
 *
 * Samples are given as on the host, and stay there for the features; the device gets a copy. `run`
 * puts kernels on the argument's stream and does not wait: it allocates nothing, so that graphs may
 * capture it once the variant is prepared. `prepare` allocates, copies and waits; it refuses while
 * the stream captures, and where the device's free memory is too small.
 */
#ifndef NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_CUDA_H
#define NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_CUDA_H

#include "variants/cuda_variant.h"
#include "variants/histogram/histogram.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How blocks share the work of shared_atomic: made by `prepare` for the device. */
typedef struct nitro_histogram_cuda_tables {
    int num_blocks;    /* a range; 0: not made yet */
    int num_ranges;    /* bins are counted in so many readings of the samples */
    int range_bins;    /* of each but the last */
    int copies_shift;  /* a block has 1 << copies_shift tables */
    size_t size_bytes; /* of a block's tables */
} nitro_histogram_cuda_tables;

/**
 * The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The device is
 * the one that is current when the first variant is prepared.
 *
 * `samples` and `counts` may be device memory of the caller's, also another at every run; where
 * they are NULL nitro_histogram_cuda_upload makes them, samples a copy of host.samples. host.counts
 * is only for checking results.
 */
typedef struct nitro_histogram_cuda {
    nitro_histogram host; /* comes first: input features take a pointer to this struct for it */
    nitro_cuda cuda;

    /* In device memory, made by nitro_histogram_cuda_upload, NULL until then. */
    const uint32_t *samples; /* shape [num_samples] */
    uint32_t *counts;        /* shape [num_bins]: the result */
    uint32_t *own_samples, *own_counts;
    uint32_t *queues; /* heads of the queues that dynamic variants take samples from */
    bool is_uploaded;

    /* Of the device, known once samples are uploaded. */
    int num_multiprocessors;
    int blocks_per_multiprocessor; /* by their threads alone */
    int max_shared_bytes;          /* that one block may have */
    int usual_shared_bytes;        /* a block's, where as many run at once as have threads */

    /* Made by `prepare`, zero until then. */
    nitro_histogram_cuda_tables tables; /* of shared_atomic */
    uint32_t *sorted;                   /* of sort: shape [num_samples] */
    void *sort_room;                    /* what the sort needs besides */
    size_t sort_room_bytes;
} nitro_histogram_cuda;

extern const nitro_variant nitro_histogram_cuda_variant_sort_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_sort_dynamic;
extern const nitro_variant nitro_histogram_cuda_variant_global_atomic_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_global_atomic_dynamic;
extern const nitro_variant nitro_histogram_cuda_variant_shared_atomic_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_shared_atomic_dynamic;

/** Declare all variants for the device kind cuda, shared_atomic_even_share the default and the
 *  reference, and the hooks: upload before anything runs, check results, and say which stream. */
nitro_status nitro_histogram_cuda_add_variants(nitro_computation *computation);

/**
 * Copy the samples to the device unless the caller has them there; at once successful when that is
 * done already. Every variant's `prepare` begins so.
 * @return 0; else cuda.problem says why: more samples than NITRO_CUDA_MAX_COUNT, too little memory,
 *         a stream that captures, or what CUDA said.
 */
int nitro_histogram_cuda_upload(nitro_histogram_cuda *histogram);

/** Free all device memory but what the caller brought, and what the host part holds beyond what was
 *  borrowed (nitro_histogram_release). */
void nitro_histogram_cuda_release(nitro_histogram_cuda *histogram);

#ifdef __cplusplus
}
#endif

#endif
