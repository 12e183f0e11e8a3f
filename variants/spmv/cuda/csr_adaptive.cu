/* csr_adaptive (Greathouse and Daga, SC14): consecutive rows are gathered to blocks of at most 1024
 * entries. A block of several rows loads their products into shared memory, coalesced, and then has
 * as many threads sum a row as there are for each; a longer row has a block of its own, whose
 * threads all sum it. `prepare` finds the blocks; it converts nothing. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK NITRO_SPMV_CUDA_BLOCK
#define WARP  32
#define WARPS (BLOCK / WARP)

/* The sum over groups of `lanes` neighbouring threads, a power of two, in each group's first. */
static __device__ __forceinline__ double sum_lanes(double sum, int lanes)
{
    for (int delta = lanes / 2; delta > 0; delta /= 2)
        sum += __shfl_down_sync(NITRO_CUDA_FULL_MASK, sum, delta, lanes);
    return sum;
}

/* All threads on one row; the sum is the first thread's. */
static __device__ double sum_row(int begin, int end, const int *__restrict__ columns,
                                 const double *__restrict__ values, const double *__restrict__ x,
                                 double *of_warps)
{
    double sum = 0;
#pragma unroll 4
    for (int k = begin + (int)threadIdx.x; k < end; k += BLOCK)
        sum += __ldcs(values + k) * x[__ldcs(columns + k)];
    sum = sum_lanes(sum, WARP);
    if (threadIdx.x % WARP == 0)
        of_warps[threadIdx.x / WARP] = sum;
    __syncthreads();
    return threadIdx.x < WARP ? sum_lanes(threadIdx.x < WARPS ? of_warps[threadIdx.x] : 0, WARP)
                              : 0;
}

static __global__ void __launch_bounds__(BLOCK)
    multiply(const int *__restrict__ block_rows, const int *__restrict__ row_offsets,
             const int *__restrict__ columns, const double *__restrict__ values,
             const double *__restrict__ x, double *__restrict__ y)
{
    __shared__ double products[NITRO_SPMV_CUDA_STREAM];
    int row = block_rows[blockIdx.x], num_rows = block_rows[blockIdx.x + 1] - row;
    int begin = row_offsets[row], end = row_offsets[row + num_rows];
    if (num_rows == 1) {
        double sum = sum_row(begin, end, columns, values, x, products);
        if (threadIdx.x == 0)
            y[row] = sum;
        return;
    }
    for (int k = begin + (int)threadIdx.x; k < end; k += BLOCK)
        products[k - begin] = __ldcs(values + k) * x[__ldcs(columns + k)];
    __syncthreads();
    int lanes = WARP;
    while (lanes * num_rows > BLOCK)
        lanes /= 2;
    int mine = (int)threadIdx.x / lanes;
    double sum = 0;
    if (mine < num_rows) {
        int last = row_offsets[row + mine + 1] - begin;
        for (int k = row_offsets[row + mine] - begin + (int)threadIdx.x % lanes; k < last;
             k += lanes)
            sum += products[k];
    }
    sum = sum_lanes(sum, lanes);
    if (mine < num_rows && threadIdx.x % lanes == 0)
        y[row + mine] = sum;
}

cudaError_t nitro_spmv_cuda_launch_csr_adaptive(const nitro_spmv_cuda *spmv, const void *format,
                                                cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_blocks *blocks = (const nitro_spmv_cuda_blocks *)format;
    config.gridDim = dim3((unsigned)blocks->num_blocks);
    return cudaLaunchKernelEx(&config, multiply, blocks->rows, spmv->row_offsets, spmv->columns,
                              spmv->values, spmv->x, spmv->y);
}
