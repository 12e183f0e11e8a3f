/* MEM-BW on CUDA: each thread exchanges a word with successive words of its block's region, a load
 * and a store each, coalesced. All regions together exceed the caches. */
#include "proxies/kernels/cuda_body.cuh"

namespace
{

struct exchanges {
    uint32_t *first, *words;
    uint32_t offset, end, words_per_pass;
    uint32_t carried, taken;

    __device__ __forceinline__ exchanges(const nitro_proxy_cuda_arguments &arguments,
                                         unsigned intensity)
        : first(arguments.words + (size_t)blockIdx.x * arguments.region_words + threadIdx.x),
          words(first), offset(0), end(arguments.region_words),
          words_per_pass(NITRO_PROXY_EXCHANGES(intensity) * NITRO_PROXY_CUDA_BLOCK),
          carried(threadIdx.x), taken(0)
    {
    }
    __device__ __forceinline__ void step(unsigned n)
    {
        uint32_t *word = words + n / 2 * NITRO_PROXY_CUDA_BLOCK;
        if (n % 2 == 0) {
            taken = *word;
        } else {
            *word = carried;
            carried = taken;
        }
    }
    __device__ __forceinline__ void end_pass()
    {
        offset += words_per_pass;
        offset = offset == end ? 0 : offset;
        words = first + offset;
    }
    __device__ __forceinline__ uint32_t result() const
    {
        return carried;
    }
};

} // namespace

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_mem_bw(const nitro_proxy_cuda_arguments arguments)
{
    exchanges kind(arguments, INTENSITY);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

NITRO_PROXY_CUDA_LAUNCH(mem_bw)
