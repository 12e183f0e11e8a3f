/* hybrid: the first entries of every row as in ell, the rest as in coo, in two kernels. The host's
 * conversion chooses the split. */
#include <stdlib.h>

#include "variants/cuda_kernel.cuh"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

void nitro_spmv_cuda_release_hybrid(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    if (spmv->hybrid) {
        nitro_spmv_cuda_ell_clear(&spmv->hybrid->ell);
        nitro_cuda_free(spmv->hybrid->coo.rows);
        nitro_cuda_free(spmv->hybrid->coo.columns);
        nitro_cuda_free(spmv->hybrid->coo.values);
    }
    free(spmv->hybrid);
    spmv->hybrid = nullptr;
}

static int upload_rest(nitro_cuda *cuda, const nitro_spmv_coo *from, nitro_spmv_cuda_coo *to)
{
    int64_t count = from->num_entries;
    to->num_entries = (int32_t)count;
    if (nitro_spmv_cuda_need_slots(cuda, count, 2 * sizeof(int32_t) + sizeof(double), "hybrid") !=
        0)
        return cuda->failure;
    return nitro_cuda_upload(cuda, from->rows, count, sizeof(int32_t), (void **)&to->rows) != 0 ||
           nitro_cuda_upload(cuda, from->columns, count, sizeof(int32_t), (void **)&to->columns) !=
               0 ||
           nitro_cuda_upload(cuda, from->values, count, sizeof(double), (void **)&to->values) != 0;
}

static int upload(nitro_spmv_cuda *spmv)
{
    const nitro_spmv_hybrid *from = spmv->host.hybrid;
    spmv->hybrid = (nitro_spmv_cuda_hybrid *)calloc(1, sizeof(*spmv->hybrid));
    if (!spmv->hybrid)
        return nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    if (nitro_spmv_cuda_ell_upload(&spmv->cuda, &from->ell, &spmv->hybrid->ell) == 0 &&
        upload_rest(&spmv->cuda, &from->coo, &spmv->hybrid->coo) == 0)
        return 0;
    nitro_spmv_cuda_release_hybrid(spmv, nullptr);
    return spmv->cuda.failure;
}

static int prepare(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    return spmv->hybrid ? 0
                        : nitro_spmv_cuda_convert(spmv, &nitro_spmv_variant_hybrid, upload,
                                                  nitro_spmv_cuda_release_hybrid);
}

static int run(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = (nitro_spmv_cuda *)argument;
    if (nitro_spmv_cuda_ell_multiply(spmv, &spmv->hybrid->ell) != 0)
        return spmv->cuda.failure;
    return nitro_spmv_cuda_coo_add(spmv, &spmv->hybrid->coo);
}

const nitro_variant nitro_spmv_cuda_variant_hybrid = {
    .name = "hybrid",
    .version = "1",
    .run = run,
    .prepare = prepare,
    .release = nitro_spmv_cuda_release_hybrid,
    .allows = nitro_spmv_cuda_allows,
    .allows_reads = "nnz,rows,cols",
    .time_source = NITRO_TIME_DEVICE,
};
