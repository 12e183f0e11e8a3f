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
    int at = row;
#pragma unroll 4
    for (int d = 0; d < num_diagonals; d++, at += stride) {
        int column = min(max(row + offsets[d], 0), num_cols - 1);
        sum += __ldcs(values + at) * x[column];
    }
    y[row] = sum;
}

static bool allows(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_dia.allows(features, nullptr, nullptr);
}

static int run(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    const nitro_spmv_cuda_dia *dia = spmv->dia;
    if (spmv->host.num_rows == 0)
        return 0;
    cudaLaunchConfig_t config = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows, BLOCK);
    return nitro_cuda_check(&spmv->cuda,
                            cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows,
                                               (int)spmv->host.num_cols, dia->num_diagonals,
                                               dia->stride, dia->offsets, dia->values, spmv->x,
                                               spmv->y),
                            "launching dia");
}

const nitro_variant nitro_spmv_cuda_variant_dia = {
    .name = "dia",
    .version = "1",
    .run = run,
    .prepare = nitro_spmv_cuda_prepare_format,
    .release = nitro_spmv_cuda_release_format,
    .allows = allows,
    .allows_reads = "dia_fillin,nnz,rows,cols",
    .user = (void *)&nitro_spmv_cuda_format_dia,
};
