/* histogram_cuda.h - the computation "histogram" on CUDA devices: the argument of its variants,
 * and their declarations. Names and order are the host's (histogram.h); each .cu file describes
 * how its variant distributes the work over threads.
 *
 * Samples are given in host memory and stay there for the features; the device gets a copy. `run`
 * launches kernels on the argument's stream asynchronously and allocates nothing, so that a
 * prepared variant can be captured in a graph. `prepare` allocates, copies and waits; it fails
 * during a capture, and if the device's free memory is too small. */
#ifndef NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_CUDA_H
#define NITRO_VARIANTS_HISTOGRAM_HISTOGRAM_CUDA_H

#include "variants/histogram/histogram.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Tables and blocks of shared_atomic, chosen by `prepare` for the device. */
typedef struct nitro_histogram_cuda_tables {
    int num_blocks;    /* a range; 0: not chosen yet */
    int num_ranges;    /* passes over the samples, each for one range of bins */
    int range_bins;    /* of each range but the last */
    int copies_shift;  /* a block has 1 << copies_shift tables */
    size_t size_bytes; /* of a block's tables */
} nitro_histogram_cuda_tables;

/**
 * The argument. Fill in the first part of `host`, `cuda.stream`, and zero the rest. The device is
 * the one that is current when the first variant is prepared.
 *
 * `samples` and `counts` may be the caller's device memory, and may change at every run; if NULL,
 * nitro_histogram_cuda_upload allocates them, samples as a copy of host.samples. host.counts is
 * only used for checking results.
 */
typedef struct nitro_histogram_cuda {
    nitro_histogram
        host; /* must be first: input features use a pointer to this struct as one to it */
    nitro_cuda cuda;

    /* In device memory, made by nitro_histogram_cuda_upload, NULL until then. */
    const uint32_t *samples; /* shape [num_samples] */
    uint32_t *counts;        /* shape [num_bins]: the result */
    uint32_t *queues;        /* heads of the queues that dynamic variants take samples from */

    /* Of the device, set by the upload. */
    int num_multiprocessors;
    int max_shared_bytes;   /* most of one block */
    int usual_shared_bytes; /* of a block at full occupancy */

    /* Made by `prepare`, zero until then. */
    nitro_histogram_cuda_tables tables; /* of shared_atomic */
} nitro_histogram_cuda;

/** The variants on CUDA devices, or a stub. */
extern const nitro_kit_device nitro_histogram_cuda_device;

/**
 * Copy the samples to the device unless the caller has them there or it was done before, and ask
 * for its limits. Every variant's `prepare` calls it.
 * @return 0; otherwise cuda.problem is set (nitro_kit_upload).
 */
int nitro_histogram_cuda_upload(nitro_histogram_cuda *histogram);

#ifdef __cplusplus
}
#endif

#endif
