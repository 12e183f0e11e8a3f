/* CUB's sorts for all types of keys and sizes of values, which the CUDA emulation of the tests
 * replaces. Values are moved as unsigned numbers. */
#define CCCL_DISABLE_NVTX /* no ranges for profilers in a library */
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "variants/sort/cuda/sort_kernels.cuh"

struct is_less {
    template <typename Key> __device__ bool operator()(const Key &a, const Key &b) const
    {
        return a < b;
    }
};

/* CUB has no stable sort of pairs from one place to another: these are copied first. */
template <typename Key, typename Value> struct merge {
    static int run(nitro_sort_cuda *sort, void *room, size_t *bytes)
    {
        cudaStream_t stream = (cudaStream_t)sort->cuda.stream;
        int64_t count = sort->host.num_keys;
        Key *sorted = (Key *)sort->sorted_keys;
        cudaError_t error;
        if constexpr (std::is_void_v<Value>) {
            error = cub::DeviceMergeSort::SortKeysCopy(room, *bytes, (const Key *)sort->keys,
                                                       sorted, count, is_less(), stream);
        } else {
            if (room && (nitro_cuda_copy(&sort->cuda, sort->keys, count, sizeof(Key), sorted) ||
                         nitro_cuda_copy(&sort->cuda, sort->values, count, sizeof(Value),
                                         sort->sorted_values)))
                return sort->cuda.failure;
            error = cub::DeviceMergeSort::StableSortPairs(
                room, *bytes, sorted, (Value *)sort->sorted_values, count, is_less(), stream);
        }
        return nitro_cuda_check(&sort->cuda, error, "merge");
    }
};

template <typename Key, typename Value> struct radix {
    static int run(nitro_sort_cuda *sort, void *room, size_t *bytes)
    {
        cudaStream_t stream = (cudaStream_t)sort->cuda.stream;
        int64_t count = sort->host.num_keys;
        const Key *keys = (const Key *)sort->keys;
        Key *sorted = (Key *)sort->sorted_keys;
        const int num_bits = (int)sizeof(Key) * 8;
        cudaError_t error;
        if constexpr (std::is_void_v<Value>)
            error = cub::DeviceRadixSort::SortKeys(room, *bytes, keys, sorted, count, 0, num_bits,
                                                   stream);
        else
            error = cub::DeviceRadixSort::SortPairs(
                room, *bytes, keys, sorted, (const Value *)sort->values,
                (Value *)sort->sorted_values, count, 0, num_bits, stream);
        return nitro_cuda_check(&sort->cuda, error, "radix");
    }
};

int nitro_sort_cuda_merge(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    return nitro_sort_cuda_by_type<merge>(sort, room, bytes);
}

int nitro_sort_cuda_radix(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    return nitro_sort_cuda_by_type<radix>(sort, room, bytes);
}
