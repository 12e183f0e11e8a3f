/* In place of cusparse_cuda.c where the CUDA toolkit has no cusparse.h: the variants are declared,
 * allowed for nothing. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

const char *nitro_spmv_cusparse_problem(const nitro_variant *variant)
{
    (void)variant;
    return "this build is without cuSPARSE: install its header (cusparse.h) and build again";
}

static int refuse(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = argument;
    return nitro_cuda_fail(&spmv->cuda, "%s", nitro_spmv_cusparse_problem(NULL));
}

void nitro_spmv_cuda_release_cusparse(void *argument)
{
    (void)argument;
}

const nitro_variant nitro_spmv_cuda_cusparse_variants[NITRO_SPMV_NUM_CUSPARSE] = {
    {.name = "cusparse_csr1", .version = "1", .run = refuse, .prepare = refuse},
    {.name = "cusparse_csr2", .version = "1", .run = refuse, .prepare = refuse},
    {.name = "cusparse_coo", .version = "1", .run = refuse, .prepare = refuse},
    {.name = "cusparse_sell", .version = "1", .run = refuse, .prepare = refuse},
    {.name = "cusparse_bsr", .version = "1", .run = refuse, .prepare = refuse},
};
