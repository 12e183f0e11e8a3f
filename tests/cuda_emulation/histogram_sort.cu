/* Replaces CUB's radix sort in histogram's sort: the emulation has no CUB. */
#include "nitro/cuda.hpp"
#include "variants/histogram/cuda/histogram_kernels_cuda.h"

/* A counting sort; `starts` has room for all keys of num_bits bits. */
static __global__ void sort(const uint32_t *from, uint32_t *to, int count, uint32_t *starts,
                            int num_bits)
{
    for (int key = 0; key < 1 << num_bits; key++)
        starts[key] = 0;
    for (int i = 0; i < count; i++)
        starts[from[i]]++;
    uint32_t next = 0;
    for (int key = 0; key < 1 << num_bits; key++)
        for (uint32_t i = 0; i < starts[key]; i++)
            to[next++] = (uint32_t)key;
}

int nitro_histogram_cuda_sort(nitro_cuda *cuda, void *room, size_t *room_bytes,
                              const uint32_t *from, uint32_t *to, int count, int num_bits)
{
    if (!room) {
        *room_bytes = sizeof(uint32_t) << num_bits;
        return 0;
    }
    cudaLaunchConfig_t config = nitro_cuda_grid(cuda, 1, 1);
    return nitro_cuda_check(
        cuda, cudaLaunchKernelEx(&config, sort, from, to, count, (uint32_t *)room, num_bits),
        "sorting");
}
