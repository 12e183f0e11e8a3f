/* sort_kernels.cuh - shared by the CUDA variants of sort: methods that need a work buffer. */
#ifndef NITRO_VARIANTS_SORT_CUDA_SORT_KERNELS_CUH
#define NITRO_VARIANTS_SORT_CUDA_SORT_KERNELS_CUH

#include <type_traits>

#include "nitro/cuda.hpp"
#include "variants/sort/sort.h"

/**
 * Sorts on the stream, stably, without allocations.
 * @param[in]     room   work buffer in device memory; NULL: only asks for its size.
 * @param[in,out] bytes  size of `room`.
 * @return 0; otherwise cuda.problem is set.
 */
typedef int nitro_sort_cuda_method(nitro_sort_cuda *sort, void *room, size_t *bytes);

/** CUB's (cub_sorts.cu). Tests without a GPU replace these. */
nitro_sort_cuda_method nitro_sort_cuda_merge, nitro_sort_cuda_radix;

/** Sort<Key, Value>::run for the size of values, 4 or 8 bytes; Value is void where there are none.
 */
template <template <typename, typename> class Sort, typename Key>
static int nitro_sort_cuda_by_value(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    return sort->host.value_bytes == 0   ? Sort<Key, void>::run(sort, room, bytes)
           : sort->host.value_bytes == 4 ? Sort<Key, uint32_t>::run(sort, room, bytes)
                                         : Sort<Key, uint64_t>::run(sort, room, bytes);
}

/** The same for the type of keys, too. */
template <template <typename, typename> class Sort>
static int nitro_sort_cuda_by_type(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    static nitro_sort_cuda_method *const methods[NITRO_SORT_NUM_TYPES] = {
        nitro_sort_cuda_by_value<Sort, uint32_t>, nitro_sort_cuda_by_value<Sort, int32_t>,
        nitro_sort_cuda_by_value<Sort, float>,    nitro_sort_cuda_by_value<Sort, uint64_t>,
        nitro_sort_cuda_by_value<Sort, int64_t>,  nitro_sort_cuda_by_value<Sort, double>};
    return methods[sort->host.type](sort, room, bytes);
}

#endif
