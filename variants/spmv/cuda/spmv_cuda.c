/* Spmv on CUDA devices: what variants have in common, and their declarations. */
#include "variants/spmv/spmv_cuda.h"

#include <stdio.h>
#include <string.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv)
{
    return nitro_kit_upload(&nitro_spmv_kit, spmv);
}

static int prepare(void *argument, void *user)
{
    const nitro_spmv_cuda_kernel *kernel = user; /* NULL: the matrix alone */
    int failure = nitro_spmv_cuda_upload(argument);
    return failure || !kernel || !kernel->format
               ? failure
               : nitro_kit_prepare_part(&nitro_spmv_kit, kernel->format, argument);
}

static void release(void *argument, void *user)
{
    const nitro_spmv_cuda_kernel *kernel = user;
    if (kernel->format)
        nitro_kit_release_part(&nitro_spmv_kit, kernel->format, argument);
}

static bool allows(const double *features, const void *argument, void *user)
{
    const nitro_spmv_cuda_kernel *kernel = user;
    const nitro_variant *host = kernel->format->host;
    return nitro_spmv_fits_device(features, argument, user) &&
           (!host->allows || host->allows(features, NULL, NULL));
}

static int run(void *argument, void *user)
{
    const nitro_spmv_cuda_kernel *kernel = user;
    nitro_spmv_cuda *spmv = argument;
    const void *format =
        kernel->format ? nitro_kit_part_on_device(&nitro_spmv_kit, kernel->format, argument) : NULL;
    if (spmv->host.num_rows == 0)
        return 0;
    if (kernel->format && !format)
        return nitro_cuda_fail(&spmv->cuda, "the format %s was not prepared",
                               kernel->format->host->name);
    cudaLaunchConfig_t config = {.stream = spmv->cuda.stream};
    config.gridDim = (struct dim3){
        (unsigned)((spmv->host.num_rows + NITRO_SPMV_CUDA_BLOCK - 1) / NITRO_SPMV_CUDA_BLOCK), 1,
        1};
    config.blockDim = (struct dim3){NITRO_SPMV_CUDA_BLOCK, 1, 1};
    return nitro_cuda_check(&spmv->cuda, kernel->launch(spmv, format, config),
                            "launching a product");
}

/* A variant of a nitro_spmv_cuda_kernel, and other members. */
#define VARIANT(its_name, its_version, kernel, ...)                                                \
    {                                                                                              \
        .name = its_name, .version = its_version, .run = run, .prepare = prepare,                  \
        .release = release, .user = (void *)&(kernel), __VA_ARGS__                                 \
    }

static const nitro_variant csr = VARIANT("csr", "1", nitro_spmv_cuda_kernel_csr),
                           csr_vector =
                               VARIANT("csr_vector", "1", nitro_spmv_cuda_kernel_csr_vector),
                           dia = VARIANT("dia", "1", nitro_spmv_cuda_kernel_dia, .allows = allows,
                                         .allows_reads = "dia_fillin,nnz,rows,cols"),
                           ell = VARIANT("ell", "1", nitro_spmv_cuda_kernel_ell, .allows = allows,
                                         .allows_reads = "ell_fillin,nnz,rows,cols"),
                           coo = VARIANT("coo", "1", nitro_spmv_cuda_kernel_coo),
                           hybrid = VARIANT("hybrid", "1", nitro_spmv_cuda_kernel_hybrid),
                           sellp =
                               VARIANT("sellp", "1", nitro_spmv_cuda_kernel_sellp, .allows = allows,
                                       .allows_reads = "rlsd,ell_fillin,nnz,rows,cols");

static const nitro_variant *const variants[] = {
    &csr,
    &csr_vector,
    &dia,
    &ell,
    &coo,
    &hybrid,
    &sellp,
    &nitro_spmv_cuda_variant_cusparse_csr1,
    &nitro_spmv_cuda_variant_cusparse_csr2,
};

static void release_cusparse(void *argument)
{
    nitro_spmv_cuda_release_cusparse(argument, NULL);
}

/* Without cuSPARSE, its variants are declared but allowed for no input. */
static bool is_here(const nitro_variant *variant)
{
    return strncmp(variant->name, "cusparse", strlen("cusparse")) != 0 ||
           nitro_spmv_cusparse_problem() == NULL;
}

const nitro_kit_device nitro_spmv_cuda_device = {
    .kind = "cuda",
    .memory = &nitro_cuda_memory,
    .argument_bytes = sizeof(nitro_spmv_cuda),
    .cuda = offsetof(nitro_spmv_cuda, cuda),
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .prepare = prepare,
    .allows = nitro_spmv_fits_device,
    .allows_reads = "nnz,rows,cols",
    .is_here = is_here,
    .release = release_cusparse,
};
