/* cuda_kernel.cuh - launch configuration of CUDA variants' kernels. The same source compiles with
 * nvcc and for the emulation (tests/cuda_emulation). */
#ifndef NITRO_VARIANTS_CUDA_KERNEL_CUH
#define NITRO_VARIANTS_CUDA_KERNEL_CUH

#include <cuda_runtime.h>

#include "variants/cuda_variant.h"

/* All lanes of a warp. */
#define NITRO_CUDA_FULL_MASK 0xFFFFFFFFu

/** Blocks of `block_size` threads, enough for `num_threads`, which must not be 0. */
static inline cudaLaunchConfig_t nitro_cuda_grid(const nitro_cuda *cuda, int64_t num_threads,
                                                 int block_size)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)((num_threads + block_size - 1) / block_size));
    config.blockDim = dim3((unsigned)block_size);
    config.stream = (cudaStream_t)cuda->stream;
    return config;
}

#endif
