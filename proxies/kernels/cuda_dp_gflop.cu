/* DP-GFLOP on CUDA: fused multiply-adds in double precision. From sm_103 on (but not on sm_100,
 * which has the units) the assembler puts four NOPs behind each. */
#include "proxies/kernels/cuda_flops.cuh"

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_dp_gflop(const nitro_proxy_cuda_arguments arguments)
{
    nitro_proxy_flops<double> kind(arguments);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

NITRO_PROXY_CUDA_LAUNCH(dp_gflop)
