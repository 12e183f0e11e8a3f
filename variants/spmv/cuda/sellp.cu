/* sellp: one thread a row, one warp a slice of 32 rows: coalesced as in ell, with each slice as
 * wide as its own longest row, so that warps do not wait for each other's padding. Slots are read
 * once, with streaming loads (__ldcs). */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

#define BLOCK      NITRO_SPMV_CUDA_BLOCK
#define SLICE_ROWS NITRO_SPMV_SLICE_ROWS

static __global__ void __launch_bounds__(BLOCK)
    multiply(int num_rows, const int *__restrict__ slice_offsets, const int *__restrict__ columns,
             const double *__restrict__ values, const double *__restrict__ x,
             double *__restrict__ y)
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
    y[row] = sum;
}

static bool allows(const double *features, const void *argument, void *user)
{
    return nitro_spmv_fits_device(features, argument, user) &&
           nitro_spmv_variant_sellp.allows(features, nullptr, nullptr);
}

static int run(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    const nitro_spmv_cuda_sellp *sellp = spmv->sellp;
    if (spmv->host.num_rows == 0)
        return 0;
    cudaLaunchConfig_t config = nitro_cuda_grid(&spmv->cuda, spmv->host.num_rows, BLOCK);
    return nitro_cuda_check(&spmv->cuda,
                            cudaLaunchKernelEx(&config, multiply, (int)spmv->host.num_rows,
                                               sellp->slice_offsets, sellp->columns, sellp->values,
                                               spmv->x, spmv->y),
                            "launching sellp");
}

const nitro_variant nitro_spmv_cuda_variant_sellp = {
    .name = "sellp",
    .version = "1",
    .run = run,
    .prepare = nitro_spmv_cuda_prepare_format,
    .release = nitro_spmv_cuda_release_format,
    .allows = allows,
    .allows_reads = "rlsd,ell_fillin,nnz,rows,cols",
    .user = (void *)&nitro_spmv_cuda_format_sellp,
};
