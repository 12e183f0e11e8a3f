/* gpu_profile.cu - a kernel that increments every counter of the proxies' metrics: arithmetic of
 * both precisions, atomics with and without a result, and all kinds of memory, each more than once
 * to hit caches. */
#include <cuda_runtime.h>

#include "cuda/gpu_profile.h"

#define THREADS 256
#define BLOCKS  256
#define WORDS   (1 << 22)
#define LOCALS  64

/* What no compiler can know beforehand stays as it is written. */
__global__ void move_everything(float *words, double *sums, unsigned *counts, unsigned mask)
{
    __shared__ float shared[THREADS];
    __shared__ unsigned shared_counts[THREADS];
    float locals[LOCALS]; /* in local memory: it is indexed by what is only known at run time */
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float single = words[thread], loaded = 0;
    double twice = single;
    for (unsigned i = 0; i < LOCALS; i++)
        locals[(i * 7 + thread) & mask] = single + (float)i;
    shared[threadIdx.x] = single;
    shared_counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 0; i < LOCALS; i++) {
        unsigned place = (thread * 33 + i) % WORDS;
        loaded += words[place] + words[place] * single; /* L1 */
        loaded += __ldcg(&words[(place + 1) % WORDS]);  /* L2 */
        loaded += __ldcg(&words[place % 1024]);
        single = __fadd_rn(__fmul_rn(single, 1.0001f), locals[(i + thread) & mask]);
        single = __fmaf_rn(single, 0.5f, shared[(threadIdx.x + i) % THREADS]);
        twice = __fma_rn(__dadd_rn(__dmul_rn(twice, 1.0001), loaded), 0.5, 1.0);
    }
    unsigned before = atomicAdd(&shared_counts[threadIdx.x * 7 % THREADS], thread);
    before += atomicAdd(&counts[thread & 1023], 1u);         /* its result is used */
    atomicAdd(&counts[1024 + (thread & 1023)], before & 1u); /* its result is not */
    words[(thread * 33) % WORDS] = single + loaded;
    sums[thread] = twice;
}

int move_every_counter(void *unused)
{
    float *words = NULL;
    double *sums = NULL;
    unsigned *counts = NULL;
    (void)unused;
    cudaError_t result = cudaMalloc((void **)&words, WORDS * sizeof *words);
    if (result == cudaSuccess)
        result = cudaMalloc((void **)&sums, BLOCKS * THREADS * sizeof *sums);
    if (result == cudaSuccess)
        result = cudaMalloc((void **)&counts, 2048 * sizeof *counts);
    if (result == cudaSuccess)
        result = cudaMemset(words, 0, WORDS * sizeof *words);
    if (result == cudaSuccess)
        result = cudaMemset(counts, 0, 2048 * sizeof *counts);
    if (result == cudaSuccess) {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(BLOCKS);
        config.blockDim = dim3(THREADS);
        result = cudaLaunchKernelEx(&config, move_everything, words, sums, counts, LOCALS - 1u);
    }
    if (result == cudaSuccess)
        result = cudaDeviceSynchronize();
    cudaFree(words);
    cudaFree(sums);
    cudaFree(counts);
    return (int)result;
}
