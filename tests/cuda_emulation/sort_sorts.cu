/* Replaces CUB's sorts in sort: the emulation has no CUB. One thread sorts by binary insertion,
 * which is stable. */
#include "variants/sort/cuda/sort_kernels.cuh"

/* `indices` has room for all keys. */
static __global__ void sort_alone(nitro_sort sizes, const void *keys, const void *values,
                                  void *sorted_keys, void *sorted_values, uint32_t *indices)
{
    nitro_sort_order order = nitro_sort_order_of(sizes.type);
    for (int64_t i = 0; i < sizes.num_keys; i++) {
        uint64_t key = nitro_sort_ordered_value(order, nitro_sort_at(keys, sizes.key_bytes, i));
        int64_t low = 0, high = i;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            uint64_t other = nitro_sort_ordered_value(
                order, nitro_sort_at(keys, sizes.key_bytes, indices[middle]));
            if (other <= key)
                low = middle + 1;
            else
                high = middle;
        }
        for (int64_t k = i; k > low; k--)
            indices[k] = indices[k - 1];
        indices[low] = (uint32_t)i;
    }
    for (int64_t i = 0; i < sizes.num_keys; i++) {
        if (sizes.key_bytes == 4)
            ((uint32_t *)sorted_keys)[i] = ((const uint32_t *)keys)[indices[i]];
        else
            ((uint64_t *)sorted_keys)[i] = ((const uint64_t *)keys)[indices[i]];
        if (sizes.value_bytes == 4)
            ((uint32_t *)sorted_values)[i] = ((const uint32_t *)values)[indices[i]];
        else if (sizes.value_bytes == 8)
            ((uint64_t *)sorted_values)[i] = ((const uint64_t *)values)[indices[i]];
    }
}

static int sort(nitro_sort_cuda *sort, void *room, size_t *bytes)
{
    size_t needed = (size_t)sort->host.num_keys * sizeof(uint32_t);
    if (!room) {
        *bytes = needed;
        return 0;
    }
    if (*bytes < needed)
        return nitro_cuda_check(&sort->cuda, cudaErrorInvalidValue, "sorting");
    cudaLaunchConfig_t config = nitro_cuda_grid(&sort->cuda, 1, 1);
    return nitro_cuda_check(&sort->cuda,
                            cudaLaunchKernelEx(&config, sort_alone, sort->host, sort->keys,
                                               sort->values, sort->sorted_keys, sort->sorted_values,
                                               (uint32_t *)room),
                            "sorting");
}

int nitro_sort_cuda_merge(nitro_sort_cuda *argument, void *room, size_t *bytes)
{
    return sort(argument, room, bytes);
}

int nitro_sort_cuda_radix(nitro_sort_cuda *argument, void *room, size_t *bytes)
{
    return sort(argument, room, bytes);
}
