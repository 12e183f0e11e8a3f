/* kernels_cuda.h - what the CUDA variants of histogram share on the host's side: launches, and the
 * sort that CUB does. histogram_kernels.cuh has the device's side. */
#ifndef NITRO_VARIANTS_HISTOGRAM_CUDA_HISTOGRAM_KERNELS_CUDA_H
#define NITRO_VARIANTS_HISTOGRAM_CUDA_HISTOGRAM_KERNELS_CUDA_H

#include "variants/histogram/histogram_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block: on all chips, whole numbers of blocks fill a multiprocessor. */
#define NITRO_HISTOGRAM_CUDA_BLOCK 512

/** Readings of the samples that shared_atomic may take: 65536 bins in tables of 16 KB. */
#define NITRO_HISTOGRAM_CUDA_MAX_RANGES 16

/** `allows` of all variants: 32-bit indices must reach all samples. */
bool nitro_histogram_cuda_allows(const double *features, const void *argument, void *user);

/** `prepare` of the variants that need the samples alone. */
int nitro_histogram_cuda_prepare(void *argument, void *user);

/** Put zeros into the counts and the queues, on the stream. */
int nitro_histogram_cuda_clear(nitro_histogram_cuda *histogram);

/**
 * Sort `count` keys of `num_bits` bits, by CUB's radix sort (sort_cub.cu). Tests without a GPU
 * replace this one function.
 * @param[in]     room        NULL: only the size of the room it needs is wanted.
 * @param[in,out] room_bytes  the size of `room`, in device memory.
 * @return 0; else cuda->problem says why.
 */
int nitro_histogram_cuda_sort(nitro_cuda *cuda, void *room, size_t *room_bytes,
                              const uint32_t *from, uint32_t *to, int count, int num_bits);

#ifdef __cplusplus
}
#endif

#endif
