/* ATOMIC on CUDA: additions to counters in global memory without using the old value. Lanes use
 * different bins, some shared, as in a histogram of 256 bins, so that no compiler can aggregate
 * them within a warp. */
#include "proxies/kernels/cuda_body.cuh"

namespace
{

struct additions {
    uint32_t *counters;
    uint32_t one;

    __device__ __forceinline__ additions(const nitro_proxy_cuda_arguments &arguments)
        : counters(arguments.counters + nitro_proxy_cuda_bin(threadIdx.x)),
          one(arguments.operands.one)
    {
    }
    __device__ __forceinline__ void step(unsigned n)
    {
        atomicAdd(counters + n % NITRO_PROXY_CUDA_TABLES * NITRO_PROXY_CUDA_BINS, one);
    }
    __device__ __forceinline__ void end_pass()
    {
    }
    __device__ __forceinline__ uint32_t result() const
    {
        return 0;
    }
};

} // namespace

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_atomic(const nitro_proxy_cuda_arguments arguments)
{
    additions kind(arguments);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

cudaError_t nitro_proxy_launch_atomic(unsigned intensity, unsigned num_blocks,
                                      const nitro_proxy_cuda_arguments *arguments,
                                      cudaStream_t stream)
{
    static const nitro_proxy_cuda_function functions[] = {
        nitro_proxy_atomic<0>, nitro_proxy_atomic<1>, nitro_proxy_atomic<2>,
        nitro_proxy_atomic<3>, nitro_proxy_atomic<4>, nitro_proxy_atomic<5>};
    return nitro_proxy_launch(functions[intensity], num_blocks, arguments, stream);
}
