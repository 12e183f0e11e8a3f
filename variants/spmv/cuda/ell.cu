/* ell: one thread a row, slot by slot: columns and values are coalesced for any row length, and
 * four slots are in flight at once. Both are read once, with streaming loads (__ldcs), which
 * leaves the L1 cache to x. */
#include <stdlib.h>

#include "variants/cuda_kernel.cuh"
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
    return nitro_spmv_cuda_allows(features, argument, user) &&
           nitro_spmv_variant_ell.allows(features, nullptr, nullptr);
}

int nitro_spmv_cuda_ell_upload(nitro_cuda *cuda, const nitro_spmv_ell *from,
                               nitro_spmv_cuda_ell *to)
{
    int64_t num_slots = from->width * from->stride;
    nitro_spmv_cuda_ell made = {(int32_t)from->width, (int32_t)from->stride, nullptr, nullptr};
    if (nitro_spmv_cuda_need_slots(cuda, num_slots, sizeof(int32_t) + sizeof(double), "ell") != 0)
        return cuda->failure;
    if (nitro_cuda_upload(cuda, from->columns, num_slots, sizeof(int32_t),
                          (void **)&made.columns) != 0 ||
        nitro_cuda_upload(cuda, from->values, num_slots, sizeof(double), (void **)&made.values) !=
            0) {
        nitro_spmv_cuda_ell_clear(&made);
        return cuda->failure;
    }
    *to = made;
    return 0;
}

void nitro_spmv_cuda_ell_clear(nitro_spmv_cuda_ell *ell)
{
    nitro_cuda_free(ell->columns);
    nitro_cuda_free(ell->values);
    ell->columns = nullptr;
    ell->values = nullptr;
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

void nitro_spmv_cuda_release_ell(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    if (spmv->ell)
        nitro_spmv_cuda_ell_clear(spmv->ell);
    free(spmv->ell);
    spmv->ell = nullptr;
}

static int upload(nitro_spmv_cuda *spmv)
{
    spmv->ell = (nitro_spmv_cuda_ell *)calloc(1, sizeof(*spmv->ell));
    if (!spmv->ell)
        return nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    if (nitro_spmv_cuda_ell_upload(&spmv->cuda, spmv->host.ell, spmv->ell) == 0)
        return 0;
    nitro_spmv_cuda_release_ell(spmv, nullptr);
    return spmv->cuda.failure;
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    return spmv->ell ? 0
                     : nitro_spmv_cuda_convert(spmv, &nitro_spmv_variant_ell, upload,
                                               nitro_spmv_cuda_release_ell);
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
    .prepare = prepare,
    .release = nitro_spmv_cuda_release_ell,
    .allows = allows,
    .allows_reads = "ell_fillin,nnz,rows,cols",
    .time_source = NITRO_TIME_DEVICE,
};
