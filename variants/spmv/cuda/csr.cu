/* csr: one thread a row (the paper's scalar CSR). Neighbouring threads read entries a row's length
 * apart, so that loads are coalesced only for rows of one or two entries; the L1 cache keeps the
 * rest of each line for short rows. Long rows of different lengths cause divergence. Runs every
 * matrix: the default. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK NITRO_SPMV_CUDA_BLOCK

static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, const int *__restrict__ row_offsets, const int *__restrict__ columns,
             const double *__restrict__ values, const double *__restrict__ x,
             double *__restrict__ y)
{
    int row = (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (row >= num_rows)
        return;
    int k = row_offsets[row], end = row_offsets[row + 1];
    double sum = 0;
    for (; k < end; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

cudaError_t nitro_spmv_cuda_launch_csr(const nitro_spmv_cuda *spmv, const void *format,
                                       cudaLaunchConfig_t config)
{
    (void)format;
    return cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows, spmv->row_offsets,
                              spmv->columns, spmv->values, spmv->x, spmv->y);
}
