/* sort_kernels_cuda.h - shared by the CUDA variants of sort: methods that need a work buffer. */
#ifndef NITRO_VARIANTS_SORT_CUDA_SORT_KERNELS_CUDA_H
#define NITRO_VARIANTS_SORT_CUDA_SORT_KERNELS_CUDA_H

#include "variants/sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sorts on the stream, stably, without allocations.
 * @param[in]     room   work buffer in device memory; NULL: only asks for its size.
 * @param[in,out] bytes  size of `room`.
 * @return 0; otherwise cuda.problem is set.
 */
typedef int (*nitro_sort_cuda_method)(nitro_sort_cuda *sort, void *room, size_t *bytes);

/** Ours (locality.cu). */
int nitro_sort_cuda_locality(nitro_sort_cuda *sort, void *room, size_t *bytes);

/** CUB's (cub_sorts.cu). Tests without a GPU replace these. */
int nitro_sort_cuda_merge(nitro_sort_cuda *sort, void *room, size_t *bytes);
int nitro_sort_cuda_radix(nitro_sort_cuda *sort, void *room, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
