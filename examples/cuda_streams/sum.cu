/*
 * sum.cu - a sum in two variants. `atomic` adds with atomics and needs no memory. `partial` writes
 * one sum for each block and adds these in a second kernel: its result is reproducible. Which one
 * is faster depends on the GPU and on the count.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#include "nitro/cuda.hpp"
#include "sum.h"

#define BLOCK      256
#define MAX_BLOCKS 1024 /* as many partial sums */
#define FULL_MASK  0xFFFFFFFFu

/* ---- Kernels -------------------------------------------------------------------------------- */

/** The sum over a warp, in its first lane. */
static __device__ double add_warp(double sum)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(FULL_MASK, sum, delta);
    return sum;
}

/** One thread's share of the sum, in grid-stride order. */
static __device__ double add_strided(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count;
         i += (size_t)gridDim.x * BLOCK)
        sum += numbers[i];
    return sum;
}

static __global__ void add_atomically(const double *numbers, size_t count, double *sum)
{
    double of_warp = add_warp(add_strided(numbers, count));
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, of_warp);
}

static __global__ void add_blocks(const double *numbers, size_t count, double *sums)
{
    __shared__ double of_warps[BLOCK / 32];
    double of_warp = add_warp(add_strided(numbers, count));
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    if (threadIdx.x < 32) {
        double sum = add_warp(threadIdx.x < BLOCK / 32 ? of_warps[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}

/* ---- Variants ------------------------------------------------------------------------------- */

static int check(sum_call *call, cudaError_t error)
{
    if (error == cudaSuccess)
        return 0;
    cudaGetLastError();
    call->problem = cudaGetErrorString(error);
    return error == cudaErrorMemoryAllocation ? NITRO_ERR_NO_MEMORY : -1;
}

static unsigned blocks_for(size_t count)
{
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    return blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : (unsigned)blocks;
}

static cudaLaunchConfig_t grid(const sum_call *call, unsigned blocks)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(BLOCK);
    config.stream = call->stream;
    return config;
}

static int run_atomic(void *argument, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    cudaLaunchConfig_t config = grid(call, blocks_for(call->count));
    int failure = check(call, cudaMemsetAsync(call->sum, 0, sizeof(double), call->stream));
    if (failure)
        return failure;
    return check(
        call, cudaLaunchKernelEx(&config, add_atomically, call->numbers, call->count, call->sum));
}

/* Allocates here because memory cannot be allocated during a capture of this stream;
 * nitro_cuda_malloc can, unlike cudaMalloc, while another stream captures. */
static int prepare_partial(void *argument, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    if (call->partial_sums)
        return 0;
    void *made = nullptr;
    int failure = check(call, nitro_cuda_malloc(&made, MAX_BLOCKS * sizeof(double)));
    call->partial_sums = static_cast<double *>(made);
    return failure;
}

static int run_partial(void *argument, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    unsigned blocks = blocks_for(call->count);
    cudaLaunchConfig_t first = grid(call, blocks), second = grid(call, 1);
    int failure = check(call, cudaLaunchKernelEx(&first, add_blocks, call->numbers, call->count,
                                                 call->partial_sums));
    if (failure)
        return failure;
    return check(call, cudaLaunchKernelEx(&second, add_blocks,
                                          static_cast<const double *>(call->partial_sums),
                                          static_cast<size_t>(blocks), call->sum));
}

static void release_partial(void *argument, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    nitro_cuda_free(call->partial_sums);
    call->partial_sums = nullptr;
}

void sum_release(sum_call *call)
{
    release_partial(call, nullptr);
    nitro_cuda_free(call->reference_sum);
    call->reference_sum = nullptr;
}

/* ---- Hooks for measuring -------------------------------------------------------------------- */

static void *stream_of(const void *argument, void *)
{
    return static_cast<const sum_call *>(argument)->stream;
}

static const char *problem_of(const void *argument, void *)
{
    return static_cast<const sum_call *>(argument)->problem;
}

static int keep_reference(void *argument, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    void *made = call->reference_sum;
    int failure = made ? 0 : check(call, nitro_cuda_malloc(&made, sizeof(double)));
    call->reference_sum = static_cast<double *>(made);
    return failure ? failure
                   : check(call, cudaMemcpyAsync(made, call->sum, sizeof(double),
                                                 cudaMemcpyDeviceToDevice, call->stream));
}

/* Sums in different order differ in rounding. */
static int check_result(void *argument, char *why, size_t size, void *)
{
    sum_call *call = static_cast<sum_call *>(argument);
    double sums[2] = {0, 0};
    const double *from[2] = {call->sum, call->reference_sum};
    for (int i = 0; i < 2; i++)
        if (check(call, cudaMemcpyAsync(&sums[i], from[i], sizeof(double), cudaMemcpyDeviceToHost,
                                        call->stream)) ||
            check(call, cudaStreamSynchronize(call->stream))) {
            snprintf(why, size, "%s", call->problem);
            return -1;
        }
    double bound = 1e-12 * static_cast<double>(call->count);
    if (fabs(sums[0] - sums[1]) <= bound)
        return 0;
    snprintf(why, size, "the sum is %.17g instead of %.17g", sums[0], sums[1]);
    return -1;
}

/* ---- The computation ------------------------------------------------------------------------ */

static int evaluate(const void *argument, double *values, void *)
{
    values[0] = static_cast<double>(static_cast<const sum_call *>(argument)->count);
    return 0;
}

static nitro_status declare_parts(nitro_computation *made)
{
    nitro_variant atomic = {}, partial = {};
    atomic.name = "atomic";
    atomic.run = run_atomic;
    partial.name = "partial";
    partial.run = run_partial;
    partial.prepare = prepare_partial;
    partial.release = release_partial;
    nitro_feature count = {};
    count.name = "count";
    count.unit = "numbers";
    count.scale = NITRO_SCALE_LOG;
    nitro_hooks hooks = {};
    hooks.stream = stream_of;
    hooks.keep_reference = keep_reference;
    hooks.check_result = check_result;
    nitro_status status = nitro_computation_add_variant(made, &partial);
    if (status == NITRO_OK)
        status = nitro_computation_add_variant(made, &atomic);
    if (status == NITRO_OK)
        status = nitro_computation_add_features(made, &count, 1, evaluate, nullptr);
    if (status == NITRO_OK)
        status = nitro_computation_set_hooks(made, &hooks);
    if (status == NITRO_OK)
        status = nitro_computation_set_problem(made, problem_of, nullptr);
    return status == NITRO_OK ? nitro_computation_set_device_kind(made, "cuda") : status;
}

nitro_status sum_declare(nitro_context *context, nitro_computation **computation)
{
    nitro_computation *made = nullptr;
    nitro_status status = nitro_computation_create(context, "cuda-sum", &made);
    if (status == NITRO_OK)
        status = declare_parts(made);
    if (status == NITRO_OK)
        *computation = made;
    else
        nitro_computation_free(made);
    return status;
}
