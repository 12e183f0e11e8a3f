/* SP-GFLOP on CUDA: fused multiply-adds in single precision. */
#include "proxies/kernels/cuda_flops.cuh"

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_sp_gflop(const nitro_proxy_cuda_arguments arguments)
{
    nitro_proxy_flops<float> kind(arguments);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

cudaError_t nitro_proxy_launch_sp_gflop(unsigned intensity, unsigned num_blocks,
                                        const nitro_proxy_cuda_arguments *arguments,
                                        cudaStream_t stream)
{
    static const nitro_proxy_cuda_function functions[] = {
        nitro_proxy_sp_gflop<0>, nitro_proxy_sp_gflop<1>, nitro_proxy_sp_gflop<2>,
        nitro_proxy_sp_gflop<3>, nitro_proxy_sp_gflop<4>, nitro_proxy_sp_gflop<5>};
    return nitro_proxy_launch(functions[intensity], num_blocks, arguments, stream);
}
