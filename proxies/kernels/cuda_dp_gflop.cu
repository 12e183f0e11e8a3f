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

cudaError_t nitro_proxy_launch_dp_gflop(unsigned intensity, unsigned num_blocks,
                                        const nitro_proxy_cuda_arguments *arguments,
                                        cudaStream_t stream)
{
    static const nitro_proxy_cuda_function functions[] = {
        nitro_proxy_dp_gflop<0>, nitro_proxy_dp_gflop<1>, nitro_proxy_dp_gflop<2>,
        nitro_proxy_dp_gflop<3>, nitro_proxy_dp_gflop<4>, nitro_proxy_dp_gflop<5>};
    return nitro_proxy_launch(functions[intensity], num_blocks, arguments, stream);
}
