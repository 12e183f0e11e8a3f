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

int nitro_spmv_cuda_prepare_format(nitro_spmv_cuda *spmv, const nitro_spmv_format *format,
                                   nitro_spmv_cuda_step *fill)
{
    const nitro_kit_part *part = &format->part;
    if (nitro_kit_part_on_device(&nitro_spmv_kit, part, spmv))
        return 0;
    if (nitro_kit_prepare_part(&nitro_spmv_kit, part, spmv) != 0)
        return spmv->cuda.failure;
    if (!fill || spmv->host.num_rows == 0)
        return 0;
    const void *made = nitro_kit_part_on_device(&nitro_spmv_kit, part, spmv);
    if (nitro_cuda_check(&spmv->cuda, fill(spmv, made, usual_grid(spmv)), "filling the format") ==
            0 &&
        nitro_cuda_wait(&spmv->cuda) == 0)
        return 0;
    nitro_kit_release_part(&nitro_spmv_kit, part, spmv);
    return spmv->cuda.failure;
}

/* What a variant consists of. */
typedef struct method {
    nitro_spmv_cuda_step *launch;
    const nitro_spmv_format *format; /* NULL: the matrix as it is */
    nitro_spmv_cuda_step *fill;
} method;

static int prepare(void *argument, void *user)
{
    const method *how = user; /* NULL: the matrix alone */
    int failure = nitro_spmv_cuda_upload(argument);
    return failure || !how || !how->format
               ? failure
               : nitro_spmv_cuda_prepare_format(argument, how->format, how->fill);
}

static void release(void *argument, void *user)
{
    const method *how = user;
    if (how->format)
        nitro_kit_release_part(&nitro_spmv_kit, &how->format->part, argument);
}

static bool allows(const double *features, const void *argument, void *user)
{
    const method *how = user;
    return nitro_spmv_fits_device(features, argument, user) &&
           how->format->part.host->allows(features, NULL, NULL);
}

static int run(void *argument, void *user)
{
    const method *how = user;
    nitro_spmv_cuda *spmv = argument;
    const void *format =
        how->format ? nitro_kit_part_on_device(&nitro_spmv_kit, &how->format->part, argument)
                    : NULL;
    if (spmv->host.num_rows == 0)
        return 0;
    if (how->format && !format)
        return nitro_cuda_fail(&spmv->cuda, "the format %s was not prepared",
                               how->format->part.host->name);
    return nitro_cuda_check(&spmv->cuda, how->launch(spmv, format, usual_grid(spmv)),
                            "launching a product");
}

#define VARIANT(its_name, step, its_format, its_fill, ...)                                         \
    &(const nitro_variant)                                                                         \
    {                                                                                              \
        .name = #its_name, .version = "1", .run = run, .prepare = prepare, .release = release,     \
        .user = (void *)&(const method){nitro_spmv_cuda_launch_##step, its_format, its_fill},      \
        __VA_ARGS__                                                                                \
    }
#define ALLOWED(reads)  .allows = allows, .allows_reads = reads ",nnz,rows,cols"
#define CUSPARSE(index) &nitro_spmv_cuda_cusparse_variants[index]

static const nitro_variant *const variants[] = {
    VARIANT(csr, csr, NULL, NULL, ),
    VARIANT(csr_vector, csr_vector, NULL, NULL, ),
    VARIANT(dia, dia, &nitro_spmv_cuda_part_dia, nitro_spmv_cuda_fill_dia, ALLOWED("dia_fillin")),
    VARIANT(ell, ell, &nitro_spmv_plan_ell, nitro_spmv_cuda_fill_ell, ALLOWED("ell_fillin")),
    VARIANT(coo, coo, &nitro_spmv_plan_coo, nitro_spmv_cuda_fill_coo, ),
    VARIANT(hybrid, hybrid, &nitro_spmv_plan_hybrid, nitro_spmv_cuda_fill_hybrid, ),
    VARIANT(sellp, sellp, &nitro_spmv_plan_sellp, nitro_spmv_cuda_fill_sellp,
            ALLOWED("rlsd,ell_fillin")),
    VARIANT(csr_merge, csr_merge, &nitro_spmv_cuda_part_tiles, NULL, ),
    VARIANT(csr_adaptive, csr_adaptive, &nitro_spmv_cuda_part_blocks, NULL, ),
    VARIANT(sell_c_sigma, sellp, &nitro_spmv_plan_sell_c_sigma, nitro_spmv_cuda_fill_sellp,
            ALLOWED("rlsd,ell_fillin,row_max")),
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
