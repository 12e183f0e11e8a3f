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
    int at = row;
#pragma unroll 4
    for (int k = 0; k < width; k++, at += stride)
        sum += __ldcs(values + at) * x[__ldcs(columns + at)];
    y[row] = sum;
}

static bool allows(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_ell.allows(features, nullptr, nullptr);
}

int nitro_spmv_cuda_ell_multiply(nitro_spmv_cuda *spmv, const nitro_spmv_cuda_ell *ell)
{
    if (spmv->host.num_rows == 0)
        return 0;
    cudaLaunchConfig_t config = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows, BLOCK);
    return nitro_cuda_check(&spmv->cuda,
                            cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows,
                                               ell->width, ell->stride, ell->columns, ell->values,
                                               spmv->x, spmv->y),
                            "launching ell");
}

static int run(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    return nitro_spmv_cuda_ell_multiply(spmv, spmv->ell);
}

const nitro_variant nitro_spmv_cuda_variant_ell = {
    .name = "ell",
    .version = "1",
    .run = run,
    .prepare = nitro_spmv_cuda_prepare_format,
    .release = nitro_spmv_cuda_release_format,
    .allows = allows,
    .allows_reads = "ell_fillin,nnz,rows,cols",
    .user = (void *)&nitro_spmv_cuda_format_ell,
};
