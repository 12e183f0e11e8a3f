/* dia: one thread a row, diagonal by diagonal: all loads are coalesced, without column indices.
 * Values are read once, with streaming loads (__ldcs); x is read once a diagonal by every row,
 * from the caches. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK NITRO_SPMV_CUDA_BLOCK

static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, int num_cols, int num_diagonals, int stride,
             const int *__restrict__ offsets, const double *__restrict__ values,
             const double *__restrict__ x, double *__restrict__ y)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= num_rows)
        return;
    double sum = 0;
    size_t at = (size_t)row;
#pragma unroll 4
    for (int d = 0; d < num_diagonals; d++, at += (size_t)stride) {
        int column = min(max(row + offsets[d], 0), num_cols - 1);
        sum += __ldcs(values + at) * x[column];
    }
    y[row] = sum;
}

cudaError_t nitro_spmv_cuda_launch_dia(const nitro_spmv_cuda *spmv, const void *format,
                                       cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_dia *dia = (const nitro_spmv_cuda_dia *)format;
    return cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows, (int)spmv->host.num_cols,
                              dia->num_diagonals, dia->stride, dia->offsets, dia->values, spmv->x,
                              spmv->y);
}
