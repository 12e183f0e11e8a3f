/* CUB's radix sort behind one function, which the CUDA emulation of the tests replaces. */
#define CCCL_DISABLE_NVTX /* no ranges for profilers in a library */
#include <cub/device/device_radix_sort.cuh>

#include "nitro/cuda.hpp"
#include "variants/histogram/cuda/histogram_kernels_cuda.h"

int nitro_histogram_cuda_sort(nitro_cuda *cuda, void *room, size_t *room_bytes,
                              const uint32_t *from, uint32_t *to, int count, int num_bits)
{
    cudaError_t error = cub::DeviceRadixSort::SortKeys(room, *room_bytes, from, to, count, 0,
                                                       num_bits, (cudaStream_t)cuda->stream);
    return nitro_cuda_check(cuda, error, "sorting");
}
