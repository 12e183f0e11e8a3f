/* ATOMIC on CUDA: additions without using the old value, to counters in global and in shared memory
 * by turns, since a profile has a metric for each. Lanes use different bins, some shared, as in a
 * histogram of 256 bins, so that no compiler can aggregate them within a warp. At the end a block
 * adds its own tables to those in global memory. */
#include "proxies/kernels/cuda_body.cuh"

#define GLOBAL_TABLES 2 /* the first ones of NITRO_PROXY_CUDA_TABLES */
#define SHARED_TABLES (NITRO_PROXY_CUDA_TABLES - GLOBAL_TABLES)

static_assert(NITRO_PROXY_CUDA_BLOCK == NITRO_PROXY_CUDA_BINS, "a thread a bin, at both ends");

namespace
{

struct additions {
    uint32_t *counters, *own; /* of all blocks, of this one */
    uint32_t bin, one;

    __device__ __forceinline__ additions(const nitro_proxy_cuda_arguments &arguments,
                                         uint32_t *shared)
        : counters(arguments.counters), own(shared), bin(nitro_proxy_cuda_bin(threadIdx.x)),
          one(arguments.operands.one)
    {
        NITRO_PROXY_UNROLL
        for (unsigned table = 0; table < SHARED_TABLES; table++)
            own[table * NITRO_PROXY_CUDA_BINS + threadIdx.x] = 0;
        __syncthreads();
    }
    __device__ __forceinline__ void step(unsigned n)
    {
        unsigned table = n % NITRO_PROXY_CUDA_TABLES;
        if (table < GLOBAL_TABLES)
            atomicAdd(counters + table * NITRO_PROXY_CUDA_BINS + bin, one);
        else
            atomicAdd(own + (table - GLOBAL_TABLES) * NITRO_PROXY_CUDA_BINS + bin, one);
    }
    __device__ __forceinline__ void end_pass()
    {
    }
    __device__ __forceinline__ uint32_t result() const
    {
        __syncthreads();
        NITRO_PROXY_UNROLL
        for (unsigned table = 0; table < SHARED_TABLES; table++)
            atomicAdd(counters + (GLOBAL_TABLES + table) * NITRO_PROXY_CUDA_BINS + threadIdx.x,
                      own[table * NITRO_PROXY_CUDA_BINS + threadIdx.x]);
        return 0;
    }
};

} // namespace

template <unsigned INTENSITY>
__global__ void __launch_bounds__(NITRO_PROXY_CUDA_BLOCK)
    nitro_proxy_atomic(const nitro_proxy_cuda_arguments arguments)
{
    __shared__ uint32_t shared[SHARED_TABLES * NITRO_PROXY_CUDA_BINS];
    additions kind(arguments, shared);
    nitro_proxy_body(arguments, kind, INTENSITY);
}

NITRO_PROXY_CUDA_LAUNCH(atomic)
