/* histogram_kernels_cuda.h - host side of the CUDA variants of histogram: launches, and CUB's
 * sort. The device side is in histogram_kernels.cuh. */
#ifndef NITRO_VARIANTS_HISTOGRAM_CUDA_HISTOGRAM_KERNELS_CUDA_H
#define NITRO_VARIANTS_HISTOGRAM_CUDA_HISTOGRAM_KERNELS_CUDA_H

#include "variants/histogram/histogram_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of a block: divides the threads of a multiprocessor on all chips. */
#define NITRO_HISTOGRAM_CUDA_BLOCK 512

/** Most passes over the samples of shared_atomic: 65536 bins in tables of 16 KB. */
#define NITRO_HISTOGRAM_CUDA_MAX_RANGES 16

extern const nitro_variant nitro_histogram_cuda_variant_sort_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_sort_dynamic;
extern const nitro_variant nitro_histogram_cuda_variant_global_atomic_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_global_atomic_dynamic;
extern const nitro_variant nitro_histogram_cuda_variant_shared_atomic_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_shared_atomic_dynamic;
extern const nitro_variant nitro_histogram_cuda_variant_block_sort_even_share;
extern const nitro_variant nitro_histogram_cuda_variant_block_sort_dynamic;

/** Bits of a bin's number, at least 1. */
int nitro_histogram_cuda_num_bits(const nitro_histogram_cuda *histogram);

/** Put zeros into the counts and the queues, on the stream. */
int nitro_histogram_cuda_clear(nitro_histogram_cuda *histogram);

/**
 * Sort `count` keys of `num_bits` bits by CUB's radix sort (sort_cub.cu). Tests without a GPU
 * replace this function.
 * @param[in]     room        work buffer; NULL: only query its size.
 * @param[in,out] room_bytes  size of `room`, in device memory.
 * @return 0; otherwise cuda->problem is set.
 */
int nitro_histogram_cuda_sort(nitro_cuda *cuda, void *room, size_t *room_bytes,
                              const uint32_t *from, uint32_t *to, int count, int num_bits);

#ifdef __cplusplus
}
#endif

#endif
