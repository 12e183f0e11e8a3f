/* CUB's sorts for all types of keys and sizes of values, which the CUDA emulation of the tests
 * replaces. Values are moved as unsigned numbers. */
#define CCCL_DISABLE_NVTX /* no ranges for profilers in a library */
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "nitro/cuda.hpp"
#include "variants/sort/cuda/sort_kernels_cuda.h"

struct is_less {
    template <typename Key> __device__ bool operator()(const Key &a, const Key &b) const
    {
        return a < b;
    }
};

template <typename Key, typename Value>
static cudaError_t merge_pairs(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    return cub::DeviceMergeSort::StableSortPairs(room, *bytes, (Key *)sort->sorted_keys,
                                                 (Value *)sort->sorted_values, sort->host.num_keys,
                                                 is_less(), (cudaStream_t)sort->cuda.stream);
}

template <typename Key> static cudaError_t merge(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    if (sort->host.value_bytes == 4)
        return merge_pairs<Key, uint32_t>(sort, room, bytes);
    if (sort->host.value_bytes == 8)
        return merge_pairs<Key, uint64_t>(sort, room, bytes);
    return cub::DeviceMergeSort::SortKeysCopy(room, *bytes, (const Key *)sort->keys,
                                              (Key *)sort->sorted_keys, sort->host.num_keys,
                                              is_less(), (cudaStream_t)sort->cuda.stream);
}

template <typename Key, typename Value>
static cudaError_t radix_pairs(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    return cub::DeviceRadixSort::SortPairs(room, *bytes, (const Key *)sort->keys,
                                           (Key *)sort->sorted_keys, (const Value *)sort->values,
                                           (Value *)sort->sorted_values, sort->host.num_keys, 0,
                                           (int)sizeof(Key) * 8, (cudaStream_t)sort->cuda.stream);
}

template <typename Key> static cudaError_t radix(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    if (sort->host.value_bytes == 4)
        return radix_pairs<Key, uint32_t>(sort, room, bytes);
    if (sort->host.value_bytes == 8)
        return radix_pairs<Key, uint64_t>(sort, room, bytes);
    return cub::DeviceRadixSort::SortKeys(room, *bytes, (const Key *)sort->keys,
                                          (Key *)sort->sorted_keys, sort->host.num_keys, 0,
                                          (int)sizeof(Key) * 8, (cudaStream_t)sort->cuda.stream);
}

typedef cudaError_t (*typed_sort)(nitro_sort_cuda *, void *, size_t *);

/* CUB has no stable sort of pairs from one place to another: these are copied first. */
int nitro_sort_cuda_merge(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    const nitro_sort *host = &sort->host;
    static const typed_sort sorts[NITRO_SORT_NUM_TYPES] = {merge<uint32_t>, merge<int32_t>,
                                                           merge<float>,    merge<uint64_t>,
                                                           merge<int64_t>,  merge<double>};
    if (room && host->value_bytes > 0 &&
        (nitro_cuda_copy(&sort->cuda, sort->keys, host->num_keys, (size_t)host->key_bytes,
                         sort->sorted_keys) != 0 ||
         nitro_cuda_copy(&sort->cuda, sort->values, host->num_keys, (size_t)host->value_bytes,
                         sort->sorted_values) != 0))
        return sort->cuda.failure;
    return nitro_cuda_check(&sort->cuda, sorts[host->type](sort, room, bytes), "merge");
}

int nitro_sort_cuda_radix(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    static const typed_sort sorts[NITRO_SORT_NUM_TYPES] = {radix<uint32_t>, radix<int32_t>,
                                                           radix<float>,    radix<uint64_t>,
                                                           radix<int64_t>,  radix<double>};
    return nitro_cuda_check(&sort->cuda, sorts[sort->host.type](sort, room, bytes), "radix");
}
