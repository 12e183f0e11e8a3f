/* SP-GFLOP on CUDA: fused multiply-adds in single precision. */
#include "proxies/kernels/cuda_flops.cuh"

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_sp_gflop(const nitro_proxy_cuda_arguments arguments)
{
    nitro_proxy_flops<float> kind(arguments);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

NITRO_PROXY_CUDA_LAUNCH(sp_gflop)
