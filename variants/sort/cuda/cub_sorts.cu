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

/* Keys are copied first: CUB has no stable sort of pairs from one place to another. */
template <typename Key, typename Value>
static cudaError_t merge_pairs(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    cudaStream_t stream = (cudaStream_t)sort->cuda.stream;
    int64_t count = sort->host.num_keys;
    cudaError_t error = cudaSuccess;
    if (room)
        error = cudaMemcpyAsync(sort->sorted_keys, sort->keys, (size_t)count * sizeof(Key),
                                cudaMemcpyDeviceToDevice, stream);
    if (room && error == cudaSuccess)
        error = cudaMemcpyAsync(sort->sorted_values, sort->values, (size_t)count * sizeof(Value),
                                cudaMemcpyDeviceToDevice, stream);
    return error != cudaSuccess
               ? error
               : cub::DeviceMergeSort::StableSortPairs(room, *bytes, (Key *)sort->sorted_keys,
                                                       (Value *)sort->sorted_values, count,
                                                       is_less(), stream);
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

int nitro_sort_cuda_merge(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    static const typed_sort sorts[NITRO_SORT_NUM_TYPES] = {merge<uint32_t>, merge<int32_t>,
                                                           merge<float>,    merge<uint64_t>,
                                                           merge<int64_t>,  merge<double>};
    return nitro_cuda_check(&sort->cuda, sorts[sort->host.type](sort, room, bytes), "merge");
}

int nitro_sort_cuda_radix(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    static const typed_sort sorts[NITRO_SORT_NUM_TYPES] = {radix<uint32_t>, radix<int32_t>,
                                                           radix<float>,    radix<uint64_t>,
                                                           radix<int64_t>,  radix<double>};
    return nitro_cuda_check(&sort->cuda, sorts[sort->host.type](sort, room, bytes), "radix");
}
