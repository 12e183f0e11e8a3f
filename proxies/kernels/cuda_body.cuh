/* cuda_body.cuh - the body of all CUDA proxy kernels: runs the unrolled loop and stores one word a
 * thread. A kind is a struct with step(n) (n as in intensity.h), the end of a pass, and its part
 * of the result. The intensity is a template argument, so that the loop is straight-line code. */
#ifndef NITRO_PROXIES_CUDA_BODY_CUH
#define NITRO_PROXIES_CUDA_BODY_CUH

#include <cuda_runtime.h>

#include "proxies/kernels/proxy_cuda.h"

template <class KIND>
__device__ __forceinline__ void nitro_proxy_body(const nitro_proxy_cuda_arguments &arguments,
                                                 KIND &kind, const unsigned intensity)
{
    const nitro_proxy_operands operands = arguments.operands;
    uint32_t chains[NITRO_PROXY_CHAINS];
    nitro_proxy_neutral_begin(chains, threadIdx.x);
#pragma unroll 1
    for (uint32_t pass = arguments.num_passes; pass > 0; pass--) {
        NITRO_PROXY_PASS(intensity, chains, operands, kind.step)
        kind.end_pass();
    }
    arguments.results[blockIdx.x * NITRO_PROXY_CUDA_BLOCK + threadIdx.x] =
        kind.result() + nitro_proxy_neutral_end(chains);
}

/** nitro_proxy_launch_NAME: launches the template nitro_proxy_NAME. */
#define NITRO_PROXY_CUDA_LAUNCH(name)                                                              \
    cudaError_t nitro_proxy_launch_##name(unsigned intensity, unsigned num_blocks,                 \
                                          const nitro_proxy_cuda_arguments *arguments,             \
                                          cudaStream_t stream)                                     \
    {                                                                                              \
        static void (*const kernels[])(nitro_proxy_cuda_arguments) = {                             \
            nitro_proxy_##name<0>, nitro_proxy_##name<1>, nitro_proxy_##name<2>,                   \
            nitro_proxy_##name<3>, nitro_proxy_##name<4>, nitro_proxy_##name<5>};                  \
        cudaLaunchConfig_t config = {};                                                            \
        config.gridDim = dim3(num_blocks);                                                         \
        config.blockDim = dim3(NITRO_PROXY_CUDA_BLOCK);                                            \
        config.stream = stream;                                                                    \
        return cudaLaunchKernelEx(&config, kernels[intensity], *arguments);                        \
    }

#endif
