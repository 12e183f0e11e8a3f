/* sellp: one thread a row, one warp a slice of 32 rows: coalesced as in ell, with each slice as
 * wide as its own longest row, so that warps do not wait for each other's padding. Slots are read
 * once, with streaming loads (__ldcs). sell_c_sigma is the same on rows that are sorted by length
 * within windows, so that y is written in the order of `rows`. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK      NITRO_SPMV_CUDA_BLOCK
#define SLICE_ROWS NITRO_SPMV_SLICE_ROWS

static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, const int *__restrict__ slice_offsets, const int *__restrict__ rows,
             const int *__restrict__ columns, const double *__restrict__ values,
             const double *__restrict__ x, double *__restrict__ y)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= num_rows)
        return;
    int slice = row / SLICE_ROWS;
    int at = slice_offsets[slice] + row % SLICE_ROWS;
    int end = slice_offsets[slice + 1];
    double sum = 0;
#pragma unroll 4
    for (; at < end; at += SLICE_ROWS)
        sum += __ldcs(values + at) * x[__ldcs(columns + at)];
    y[rows ? rows[row] : row] = sum;
}

cudaError_t nitro_spmv_cuda_launch_sellp(const nitro_spmv_cuda *spmv, const void *format,
                                         cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_sellp *sellp = (const nitro_spmv_cuda_sellp *)format;
    return cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows, sellp->slice_offsets,
                              sellp->rows, sellp->columns, sellp->values, spmv->x, spmv->y);
}
