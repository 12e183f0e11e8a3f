/* ell: one thread a row, slot by slot: columns and values are coalesced for any row length, and
 * four slots are in flight at once. Both are read once, with streaming loads (__ldcs), which
 * leaves the L1 cache to x. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK NITRO_SPMV_CUDA_BLOCK

static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, int width, int stride, const int *__restrict__ columns,
             const double *__restrict__ values, const double *__restrict__ x,
             double *__restrict__ y)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= num_rows)
        return;
    double sum = 0;
    size_t at = (size_t)row;
#pragma unroll 4
    for (int k = 0; k < width; k++, at += (size_t)stride)
        sum += __ldcs(values + at) * x[__ldcs(columns + at)];
    y[row] = sum;
}

cudaError_t nitro_spmv_cuda_launch_ell(const nitro_spmv_cuda *spmv, const void *format,
                                       cudaLaunchConfig_t config)
{
    const nitro_spmv_cuda_ell *ell = (const nitro_spmv_cuda_ell *)format;
    return cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows, ell->width, ell->stride,
                              ell->columns, ell->values, spmv->x, spmv->y);
}
