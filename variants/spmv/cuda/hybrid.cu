/* hybrid: the first entries of every row as in ell, the rest as in coo, in two kernels. The host's
 * conversion chooses the split. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

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
    .prepare = nitro_spmv_cuda_prepare_format,
    .release = nitro_spmv_cuda_release_format,
    .user = (void *)&nitro_spmv_cuda_format_hybrid,
};
