/* Spmv on CUDA devices: what variants have in common, and their declarations. */
#include "variants/spmv/spmv_cuda.h"

#include <string.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv)
{
    return nitro_kit_upload(&nitro_spmv_kit, spmv);
}

/* A thread for every row. */
static cudaLaunchConfig_t usual_grid(const nitro_spmv_cuda *spmv)
{
    int64_t num_blocks = (spmv->host.num_rows + NITRO_SPMV_CUDA_BLOCK - 1) / NITRO_SPMV_CUDA_BLOCK;
    cudaLaunchConfig_t config = {.stream = spmv->cuda.stream};
    config.gridDim = (struct dim3){num_blocks > 0 ? (unsigned)num_blocks : 1, 1, 1};
    config.blockDim = (struct dim3){NITRO_SPMV_CUDA_BLOCK, 1, 1};
    return config;
}

int nitro_spmv_cuda_prepare_format(nitro_spmv_cuda *spmv, const nitro_kit_part *format,
                                   cudaError_t (*fill)(const nitro_spmv_cuda *, const void *,
                                                       cudaLaunchConfig_t))
{
    if (nitro_kit_part_on_device(&nitro_spmv_kit, format, spmv))
        return 0;
    if (nitro_kit_prepare_part(&nitro_spmv_kit, format, spmv) != 0)
        return spmv->cuda.failure;
    if (!fill || spmv->host.num_rows == 0)
        return 0;
    const void *made = nitro_kit_part_on_device(&nitro_spmv_kit, format, spmv);
    if (nitro_cuda_check(&spmv->cuda, fill(spmv, made, usual_grid(spmv)), "filling the format") ==
            0 &&
        nitro_cuda_wait(&spmv->cuda) == 0)
        return 0;
    nitro_kit_release_part(&nitro_spmv_kit, format, spmv);
    return spmv->cuda.failure;
}

static int prepare(void *argument, void *user)
{
    const nitro_spmv_cuda_kernel *kernel = user; /* NULL: the matrix alone */
    int failure = nitro_spmv_cuda_upload(argument);
    return failure || !kernel || !kernel->format
               ? failure
               : nitro_spmv_cuda_prepare_format(argument, kernel->format, kernel->fill);
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
    return nitro_cuda_check(&spmv->cuda, kernel->launch(spmv, format, usual_grid(spmv)),
                            "launching a product");
}

/* A variant of a nitro_spmv_cuda_kernel, and other members. */
#define VARIANT(its_name, ...)                                                                     \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .release = release,     \
        .user = (void *)&nitro_spmv_cuda_kernel_##its_name, __VA_ARGS__                            \
    }
#define CUSPARSE(index) &nitro_spmv_cuda_cusparse_variants[index]

static const nitro_variant *const variants[] = {
    VARIANT(csr),
    VARIANT(csr_vector),
    VARIANT(dia, .allows = allows, .allows_reads = "dia_fillin,nnz,rows,cols"),
    VARIANT(ell, .allows = allows, .allows_reads = "ell_fillin,nnz,rows,cols"),
    VARIANT(coo),
    VARIANT(hybrid),
    VARIANT(sellp, .allows = allows, .allows_reads = "rlsd,ell_fillin,nnz,rows,cols"),
    VARIANT(csr_merge),
    VARIANT(csr_adaptive),
    VARIANT(sell_c_sigma, .allows = allows,
            .allows_reads = "rlsd,ell_fillin,nnz,rows,cols,row_max"),
    CUSPARSE(0),
    CUSPARSE(1),
    CUSPARSE(2),
    CUSPARSE(3),
    CUSPARSE(4),
};

static const char *missing(const nitro_variant *variant)
{
    return strncmp(variant->name, "cusparse", strlen("cusparse")) == 0
               ? nitro_spmv_cusparse_problem(variant)
               : NULL;
}

const nitro_kit_device nitro_spmv_cuda_device =
    NITRO_CUDA_DEVICE(nitro_spmv_cuda, variants, .prepare = prepare,
                      .allows = nitro_spmv_fits_device, .allows_reads = "nnz,rows,cols",
                      .missing = missing, .release = nitro_spmv_cuda_release_cusparse);
