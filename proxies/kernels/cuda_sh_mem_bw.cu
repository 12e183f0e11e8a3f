/* SH-MEM-BW on CUDA: each thread exchanges a word with successive words of its ring in shared
 * memory, a load and a store each, without bank conflicts. Volatile, so that stored words are
 * loaded again. */
#include "proxies/kernels/cuda_body.cuh"

namespace
{

struct turns {
    volatile uint32_t *ring;
    uint32_t carried, taken;

    __device__ __forceinline__ turns(volatile uint32_t *shared)
        : ring(shared + threadIdx.x), carried(threadIdx.x), taken(0)
    {
        NITRO_PROXY_UNROLL
        for (uint32_t i = 0; i < NITRO_PROXY_CUDA_RING; i++)
            ring[i * NITRO_PROXY_CUDA_BLOCK] = i;
    }
    __device__ __forceinline__ void step(unsigned n)
    {
        volatile uint32_t *word = ring + n / 2 % NITRO_PROXY_CUDA_RING * NITRO_PROXY_CUDA_BLOCK;
        if (n % 2 == 0) {
            taken = *word;
        } else {
            *word = carried;
            carried = taken;
        }
    }
    __device__ __forceinline__ void end_pass()
    {
    }
    __device__ __forceinline__ uint32_t result() const
    {
        uint32_t total = carried;
        NITRO_PROXY_UNROLL
        for (uint32_t i = 0; i < NITRO_PROXY_CUDA_RING; i++)
            total = total * 31 + ring[i * NITRO_PROXY_CUDA_BLOCK];
        return total;
    }
};

} // namespace

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_sh_mem_bw(const nitro_proxy_cuda_arguments arguments)
{
    __shared__ uint32_t shared[NITRO_PROXY_CUDA_RING * NITRO_PROXY_CUDA_BLOCK];
    turns kind(shared);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

NITRO_PROXY_CUDA_LAUNCH(sh_mem_bw)
