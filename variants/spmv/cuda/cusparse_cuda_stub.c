/* cuSPARSE's variants in a CUDA build without cusparse.h: declared, as on all devices, and allowed
 * for no input. */
#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

const char *nitro_spmv_cusparse_problem(void)
{
    return "this build is without cuSPARSE: install its headers (libcusparse-dev-*) and build "
           "again";
}

static int refuse(void *argument, void *user)
{
    (void)user;
    nitro_spmv_cuda *spmv = argument;
    return nitro_cuda_fail(&spmv->cuda, "%s", nitro_spmv_cusparse_problem());
}

void nitro_spmv_cuda_release_cusparse(void *argument, void *user)
{
    (void)argument;
    (void)user;
}

const nitro_variant nitro_spmv_cuda_variant_cusparse_csr1 = {
    .name = "cusparse_csr1",
    .version = "1",
    .run = refuse,
    .prepare = refuse,
};

const nitro_variant nitro_spmv_cuda_variant_cusparse_csr2 = {
    .name = "cusparse_csr2",
    .version = "1",
    .run = refuse,
    .prepare = refuse,
};
