/* Spmv on CUDA devices: formats, which the host's variants convert and whose tables of fields are
 * copied, so that there is one conversion of each; and the variants in the host's order. */
#include "variants/spmv/spmv_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/cuda.hpp"
#include "variants/spmv/cuda/spmv_kernels_cuda.h"

/* ---- Formats ---- */

#define NUMBER(format, member)                                                                     \
    {                                                                                              \
        .name = #member, .offset = offsetof(nitro_spmv_##format, member),                          \
        NITRO_ON_DEVICE(nitro_spmv_cuda_##format, member)                                          \
    }
#define ARRAY(format, member, element, count)                                                      \
    NITRO_ARRAY(nitro_spmv_##format, member, NITRO_IN, element, count,                             \
                NITRO_ON_DEVICE(nitro_spmv_cuda_##format, member))

static const nitro_field dia_fields[] = {
    NUMBER(dia, num_diagonals),
    NUMBER(dia, stride),
    ARRAY(dia, offsets, NITRO_INDEX64, "num_diagonals"),
    ARRAY(dia, values, NITRO_FLOAT64, "num_diagonals * stride"),
};

static const nitro_field ell_fields[] = {
    NUMBER(ell, width),
    NUMBER(ell, stride),
    ARRAY(ell, columns, NITRO_INT32, "width * stride"),
    ARRAY(ell, values, NITRO_FLOAT64, "width * stride"),
};

/* The columns and values are the matrix's. */
static const nitro_field coo_fields[] = {
    NUMBER(coo, num_entries),
    ARRAY(coo, rows, NITRO_INT32, "num_entries"),
};

static const nitro_field hybrid_fields[] = {
    NUMBER(hybrid, ell.width),
    NUMBER(hybrid, ell.stride),
    ARRAY(hybrid, ell.columns, NITRO_INT32, "ell.width * ell.stride"),
    ARRAY(hybrid, ell.values, NITRO_FLOAT64, "ell.width * ell.stride"),
    NUMBER(hybrid, coo.num_entries),
    ARRAY(hybrid, coo.rows, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.columns, NITRO_INT32, "coo.num_entries"),
    ARRAY(hybrid, coo.values, NITRO_FLOAT64, "coo.num_entries"),
};

static const nitro_field sellp_fields[] = {
    NUMBER(sellp, num_slices),
    NITRO_NUMBER(nitro_spmv_sellp, num_slots),
    ARRAY(sellp, slice_offsets, NITRO_INDEX64, "num_slices + 1"),
    ARRAY(sellp, columns, NITRO_INT32, "num_slots"),
    ARRAY(sellp, values, NITRO_FLOAT64, "num_slots"),
};

struct nitro_spmv_cuda_format {
    const nitro_variant *host; /* it converts */
    size_t on_host;            /* offset of the pointer to the format in nitro_spmv... */
    size_t on_device;          /* ...and in nitro_spmv_cuda */
    size_t bytes;
    const nitro_field *fields;
    size_t num_fields;
};

#define FORMAT(format)                                                                             \
    {                                                                                              \
        &nitro_spmv_variant_##format, offsetof(nitro_spmv, format),                                \
            offsetof(nitro_spmv_cuda, format), sizeof(nitro_spmv_cuda_##format), format##_fields,  \
            sizeof(format##_fields) / sizeof(format##_fields[0])                                   \
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
    snprintf(what, sizeof(what), "the format %s", format->host->name);
    if (nitro_spmv_cuda_upload(spmv) != 0 || nitro_cuda_may_prepare(&spmv->cuda, what) != 0)
        return spmv->cuda.failure;
    if (format->host->prepare(&spmv->host, format->host->user) != 0)
        return nitro_cuda_fail(&spmv->cuda, "%s does not fit into the host's memory", what);
    *made = calloc(1, format->bytes);
    int failure = *made ? nitro_fields_upload(
                              format->fields, format->num_fields, &nitro_cuda_memory, &spmv->cuda,
                              *(void **)((char *)argument + format->on_host), *made, what)
                        : nitro_cuda_fail(&spmv->cuda, "no memory on the host");
    if (failure) {
        free(*made);
        *made = NULL;
    }
    format->host->release(&spmv->host, format->host->user);
    return failure;
}

void nitro_spmv_cuda_release_format(void *argument, void *user)
{
    const nitro_spmv_cuda_format *format = user;
    void **made = (void **)((char *)argument + format->on_device);
    if (*made)
        nitro_fields_release(format->fields, format->num_fields, &nitro_cuda_memory, *made);
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

bool nitro_spmv_cuda_allows(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[NITRO_SPMV_NNZ] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_ROWS] <= NITRO_CUDA_MAX_COUNT &&
           features[NITRO_SPMV_COLS] <= NITRO_CUDA_MAX_COUNT;
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
    .allows = nitro_spmv_cuda_allows,
    .allows_reads = "nnz,rows,cols",
    .is_here = is_here,
    .release = release,
};
