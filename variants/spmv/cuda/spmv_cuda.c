/* Spmv on CUDA devices: formats, which the host's variants convert and whose tables of fields are
 * copied, so that there is one conversion of each; and the variants in the host's order. */
#include "variants/spmv/spmv_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

/* ---- Formats ---- */

struct nitro_spmv_cuda_format {
    const nitro_kit_part *part;
    size_t on_device; /* offset of the pointer to the format in nitro_spmv_cuda */
    size_t bytes;
};

#define FORMAT(format)                                                                             \
    {                                                                                              \
        &nitro_spmv_part_##format, offsetof(nitro_spmv_cuda, format),                              \
            sizeof(nitro_spmv_cuda_##format)                                                       \
    }

const nitro_spmv_cuda_format nitro_spmv_cuda_format_dia = FORMAT(dia);
const nitro_spmv_cuda_format nitro_spmv_cuda_format_ell = FORMAT(ell);
const nitro_spmv_cuda_format nitro_spmv_cuda_format_coo = FORMAT(coo);
const nitro_spmv_cuda_format nitro_spmv_cuda_format_hybrid = FORMAT(hybrid);
const nitro_spmv_cuda_format nitro_spmv_cuda_format_sellp = FORMAT(sellp);

int nitro_spmv_cuda_prepare_format(void *argument, void *user)
{
    const nitro_spmv_cuda_format *format = user;
    nitro_spmv_cuda *spmv = argument;
    void **made = (void **)((char *)argument + format->on_device);
    char what[64];
    if (*made)
        return 0;
    snprintf(what, sizeof(what), "the format %s", format->part->host->name);
    if (nitro_spmv_cuda_upload(spmv) != 0 || nitro_cuda_may_prepare(&spmv->cuda, what) != 0)
        return spmv->cuda.failure;
    if (format->part->host->prepare(&spmv->host, format->part->host->user) != 0)
        return nitro_cuda_fail(&spmv->cuda, "%s does not fit into the host's memory", what);
    *made = calloc(1, format->bytes);
    int failure = *made ? nitro_fields_upload(format->part->fields, format->part->num_fields,
                                              &nitro_cuda_memory, &spmv->cuda,
                                              *(void **)((char *)argument + format->part->offset),
                                              *made, what)
                        : nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    if (failure) {
        free(*made);
        *made = NULL;
    }
    format->part->host->release(&spmv->host, format->part->host->user);
    return failure;
}

void nitro_spmv_cuda_release_format(void *argument, void *user)
{
    const nitro_spmv_cuda_format *format = user;
    void **made = (void **)((char *)argument + format->on_device);
    if (*made)
        nitro_fields_release(format->part->fields, format->part->num_fields, &nitro_cuda_memory,
                             *made);
    free(*made);
    *made = NULL;
}

/* ---- The computation ---- */

int nitro_spmv_cuda_upload(nitro_spmv_cuda *spmv)
{
    return nitro_kit_upload(&nitro_spmv_kit, spmv);
}

static int prepare(void *argument, void *user)
{
    (void)user;
    return nitro_spmv_cuda_upload(argument);
}

static void release(void *argument)
{
    const nitro_spmv_cuda_format *const formats[] = {
        &nitro_spmv_cuda_format_dia, &nitro_spmv_cuda_format_ell, &nitro_spmv_cuda_format_coo,
        &nitro_spmv_cuda_format_hybrid, &nitro_spmv_cuda_format_sellp};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        nitro_spmv_cuda_release_format(argument, (void *)formats[i]);
    nitro_spmv_cuda_release_cusparse(argument, NULL);
}

/* Without cuSPARSE, its variants are declared but allowed for no input. */
static bool is_here(const nitro_variant *variant)
{
    return strncmp(variant->name, "cusparse", strlen("cusparse")) != 0 ||
           nitro_spmv_cusparse_problem() == NULL;
}

static const nitro_variant *const variants[] = {
    &nitro_spmv_cuda_variant_csr,           &nitro_spmv_cuda_variant_csr_vector,
    &nitro_spmv_cuda_variant_dia,           &nitro_spmv_cuda_variant_ell,
    &nitro_spmv_cuda_variant_coo,           &nitro_spmv_cuda_variant_hybrid,
    &nitro_spmv_cuda_variant_sellp,         &nitro_spmv_cuda_variant_cusparse_csr1,
    &nitro_spmv_cuda_variant_cusparse_csr2,
};

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
    .release = release,
};
