/* Kernels of the CUDA microbenchmarks. Addresses, factors and counts are arguments, so that no
 * compiler can remove or merge work. */
#include <cuda_runtime.h>

#include "features/device/cuda/cuda_measure.h"

#define BLOCK NITRO_CUDA_BLOCK_SIZE
static_assert(BLOCK == NITRO_CUDA_MOST_COUNTERS, "each thread clears one counter");

__global__ void __launch_bounds__(BLOCK)
    copy_tiles(const uint4 *__restrict__ from, uint4 *__restrict__ to)
{
    size_t i = (size_t)blockIdx.x * BLOCK * 4 + threadIdx.x;
    uint4 a = from[i], b = from[i + BLOCK], c = from[i + 2 * BLOCK], d = from[i + 3 * BLOCK];
    to[i] = a;
    to[i + BLOCK] = b;
    to[i + 2 * BLOCK] = c;
    to[i + 3 * BLOCK] = d;
}

__global__ void __launch_bounds__(BLOCK)
    copy_steps(const uint4 *__restrict__ from, uint4 *__restrict__ to, size_t count)
{
    size_t step = (size_t)gridDim.x * BLOCK, i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    for (; i + 3 * step < count; i += 4 * step) {
        uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
        to[i] = a;
        to[i + step] = b;
        to[i + 2 * step] = c;
        to[i + 3 * step] = d;
    }
    for (; i < count; i += step)
        to[i] = from[i];
}

static __device__ __forceinline__ unsigned fold(uint4 word)
{
    return word.x ^ word.y ^ word.z ^ word.w;
}

/* All passes are one range, so that four loads are in flight also where a pass is less than four
 * words a thread. */
__global__ void __launch_bounds__(BLOCK)
    read_words(const uint4 *__restrict__ from, size_t count, unsigned passes, unsigned *sums)
{
    size_t step = (size_t)gridDim.x * BLOCK, thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    size_t mask = count - 1, total = count * passes, i = thread;
    unsigned sum = 0;
    for (; i + 3 * step < total; i += 4 * step) {
        uint4 a = __ldcg(from + (i & mask)), b = __ldcg(from + ((i + step) & mask));
        uint4 c = __ldcg(from + ((i + 2 * step) & mask)),
              d = __ldcg(from + ((i + 3 * step) & mask));
        sum ^= fold(a) ^ fold(b) ^ fold(c) ^ fold(d);
    }
    for (; i < total; i += step)
        sum ^= fold(__ldcg(from + (i & mask)));
    sums[thread] = sum;
}

/* A generator of its own for each thread; its upper bits are random. */
static __device__ __forceinline__ unsigned advance(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

/* Far from linear in the thread: the generator would keep a warp's states in equal distances. */
static __device__ __forceinline__ unsigned seed()
{
    unsigned mixed = blockIdx.x * BLOCK + threadIdx.x + 1;
    mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
    mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
    return mixed ^ mixed >> 16;
}

/* `mask` is 0 for one counter, unknown to the compiler, which therefore cannot aggregate a warp's
 * additions. */
__global__ void __launch_bounds__(BLOCK)
    add_global(unsigned *counters, unsigned mask, unsigned additions)
{
    unsigned state = seed();
    for (unsigned i = 0; i < additions; i++, state = advance(state))
        atomicAdd(counters + (state >> 24 & mask), 1u);
}

__global__ void __launch_bounds__(BLOCK)
    add_shared(unsigned *sums, unsigned mask, unsigned additions)
{
    __shared__ unsigned counters[NITRO_CUDA_MOST_COUNTERS];
    unsigned state = seed(), sum = 0;
    counters[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < additions; i++, state = advance(state))
        atomicAdd(counters + (state >> 24 & mask), 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned bin = 0; bin <= mask; bin++)
            sum += counters[bin];
        sums[blockIdx.x] = sum;
    }
}

template <typename T>
__global__ void __launch_bounds__(BLOCK)
    multiply_add(T *results, T factor, T addend, unsigned rounds)
{
    unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    T sums[NITRO_CUDA_NUM_SUMS], total = 0;
#pragma unroll
    for (int k = 0; k < NITRO_CUDA_NUM_SUMS; k++)
        sums[k] = (T)(thread + (unsigned)k);
    for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
        for (int step = 0; step < NITRO_CUDA_NUM_STEPS; step++) {
#pragma unroll
            for (int k = 0; k < NITRO_CUDA_NUM_SUMS; k++)
                sums[k] = fma(sums[k], factor, addend);
        }
    }
#pragma unroll
    for (int k = 0; k < NITRO_CUDA_NUM_SUMS; k++)
        total += sums[k];
    results[thread] = total;
}

__global__ void do_nothing()
{
}

__global__ void spin(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

static cudaLaunchConfig_t grid(unsigned num_blocks, unsigned block_size, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(num_blocks);
    config.blockDim = dim3(block_size);
    config.stream = stream;
    return config;
}

cudaError_t nitro_cuda_launch_nothing(cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(1, 32, stream);
    return cudaLaunchKernelEx(&config, do_nothing);
}

cudaError_t nitro_cuda_launch_spin(long long cycles, unsigned num_blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, 32, stream);
    return cudaLaunchKernelEx(&config, spin, cycles);
}

cudaError_t nitro_cuda_launch_copy_tiles(const void *from, void *to, size_t num_tiles,
                                         cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid((unsigned)num_tiles, BLOCK, stream);
    return cudaLaunchKernelEx(&config, copy_tiles, (const uint4 *)from, (uint4 *)to);
}

cudaError_t nitro_cuda_launch_copy_steps(const void *from, void *to, size_t num_bytes,
                                         unsigned num_blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, copy_steps, (const uint4 *)from, (uint4 *)to,
                              num_bytes / sizeof(uint4));
}

cudaError_t nitro_cuda_launch_read(const void *from, size_t num_bytes, unsigned passes,
                                   unsigned num_blocks, unsigned *sums, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, read_words, (const uint4 *)from, num_bytes / sizeof(uint4),
                              passes, sums);
}

cudaError_t nitro_cuda_launch_add_global(unsigned *counters, unsigned num_counters,
                                         unsigned additions, unsigned num_blocks,
                                         cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, add_global, counters, num_counters - 1, additions);
}

cudaError_t nitro_cuda_launch_add_shared(unsigned *sums, unsigned num_counters, unsigned additions,
                                         unsigned num_blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, add_shared, sums, num_counters - 1, additions);
}

cudaError_t nitro_cuda_launch_sp(float *results, float factor, float addend, unsigned rounds,
                                 unsigned num_blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, multiply_add<float>, results, factor, addend, rounds);
}

cudaError_t nitro_cuda_launch_dp(double *results, double factor, double addend, unsigned rounds,
                                 unsigned num_blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = grid(num_blocks, BLOCK, stream);
    return cudaLaunchKernelEx(&config, multiply_add<double>, results, factor, addend, rounds);
}
