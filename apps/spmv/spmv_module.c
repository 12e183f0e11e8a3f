/* The computation spmv: its argument, variants, check and inputs, and the modules of all kinds of
 * devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/matrix/matrix_inputs.h"
#include "apps/spmv/spmv_module.h"
#include "variants/spmv/spmv_cuda.h"
#include "variants/spmv/spmv_opencl.h"

#define X_SEED    1     /* of the fixed pattern in x */
#define TOLERANCE 1e-12 /* holds for any order of summation */

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_spmv, num_rows),
    NITRO_NUMBER(nitro_spmv, num_cols),
    NITRO_NUMBER(nitro_spmv, num_nonzeros),
    NITRO_ARRAY(nitro_spmv, row_offsets, NITRO_IN, NITRO_INDEX64, "num_rows + 1",
                NITRO_ON_DEVICE(nitro_spmv_cuda, row_offsets)),
    NITRO_ARRAY(nitro_spmv, columns, NITRO_IN, NITRO_INT32, "num_nonzeros",
                NITRO_ON_DEVICE(nitro_spmv_cuda, columns)),
    NITRO_ARRAY(nitro_spmv, values, NITRO_IN, NITRO_FLOAT64, "num_nonzeros",
                NITRO_ON_DEVICE(nitro_spmv_cuda, values)),
    NITRO_ARRAY(nitro_spmv, x, NITRO_IN, NITRO_FLOAT64, "num_cols",
                NITRO_ON_DEVICE(nitro_spmv_cuda, x)),
    NITRO_ARRAY(nitro_spmv, y, NITRO_OUT, NITRO_FLOAT64, "num_rows",
                NITRO_ON_DEVICE(nitro_spmv_cuda, y), .agreement = NITRO_RELATIVE,
                .tolerance = TOLERANCE),
};

/* On CUDA devices. */
static const nitro_variant csr1 = {.name = "cusparse_csr1"}, csr2 = {.name = "cusparse_csr2"},
                           merge = {.name = "csr_merge"}, adaptive = {.name = "csr_adaptive"},
                           sparse_coo = {.name = "cusparse_coo"},
                           sparse_sell = {.name = "cusparse_sell"},
                           sparse_bsr = {.name = "cusparse_bsr"};

static const nitro_variant *const variants[] = {
    &nitro_spmv_variant_csr,
    &nitro_spmv_variant_csr_vector,
    &nitro_spmv_variant_dia,
    &nitro_spmv_variant_ell,
    &nitro_spmv_variant_coo,
    &nitro_spmv_variant_hybrid,
    &nitro_spmv_variant_sellp,
    &csr1,
    &csr2,
    &merge,
    &adaptive,
    &nitro_spmv_variant_sell_c_sigma,
    &sparse_coo,
    &sparse_sell,
    &sparse_bsr,
    &nitro_spmv_variant_cache_blocked,
};

/* In long double; the magnitudes are the sums of the terms' absolute values. */
static int multiply(void *argument, double *magnitudes)
{
    nitro_spmv *spmv = argument;
    for (int64_t row = 0; row < spmv->num_rows; row++) {
        long double sum = 0, magnitude = 0;
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++) {
            long double product = (long double)spmv->values[k] * spmv->x[spmv->columns[k]];
            sum += product;
            magnitude += fabsl(product);
        }
        spmv->y[row] = (double)sum;
        magnitudes[row] = (double)magnitude;
    }
    return 0;
}

/* ---- Inputs ---- */

/* x is filled with a fixed pattern of numbers in [-1, 1). */
static nitro_status adopt(nitro_context *context, void *data, void **argument)
{
    nitro_matrix *matrix = data;
    const nitro_spmv taken = {.num_rows = matrix->num_rows,
                              .num_cols = matrix->num_cols,
                              .num_nonzeros = matrix->num_nonzeros,
                              .row_offsets = matrix->row_offsets,
                              .columns = matrix->columns,
                              .values = matrix->values};
    nitro_random random;
    nitro_status status = nitro_kit_allocate(context, &nitro_spmv_kit, &taken, argument);
    if (status != NITRO_OK) {
        nitro_matrix_free(matrix);
        return status;
    }
    free(matrix);
    const nitro_spmv *spmv = *argument;
    nitro_random_seed(&random, X_SEED);
    for (int64_t i = 0; i < spmv->num_cols; i++)
        ((double *)spmv->x)[i] = 2 * nitro_random_uniform(&random) - 1;
    return NITRO_OK;
}

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_spmv *spmv = argument;
    double rows = (double)spmv->num_rows;
    snprintf(text, size, "%lld x %lld, %lld non-zeros, %.1f a row", (long long)spmv->num_rows,
             (long long)spmv->num_cols, (long long)spmv->num_nonzeros,
             rows > 0 ? (double)spmv->num_nonzeros / rows : 0);
}

/* ---- The computation ---- */

#define ABOUT "sparse matrix times vector, y = A x (Matrix Market files)"

/* The recorded measurements of the Ginkgo project call it so. */
static const char *const feature_aliases[] = {"row_mean", "avg_nz_per_row", NULL};

/* On the host and on CUDA devices; on another kind of device. */
#define KIT(its_device)                                                                            \
    {                                                                                              \
        .name = "spmv", .description = ABOUT, .argument_bytes = sizeof(nitro_spmv),                \
        .kept = offsetof(nitro_spmv, kept), .fields = fields,                                      \
        .num_fields = sizeof(fields) / sizeof(fields[0]), .variants = variants,                    \
        .num_variants = sizeof(variants) / sizeof(variants[0]), .usual = "csr",                    \
        .add_features = nitro_spmv_add_features, .release = nitro_spmv_release_formats,            \
        .reference = multiply, .inputs = &nitro_matrix_inputs, .adopt = adopt,                     \
        .describe = describe, .feature_aliases = feature_aliases, .device = its_device             \
    }

const nitro_kit nitro_spmv_kit = KIT(&nitro_spmv_cuda_device);
const nitro_kit nitro_spmv_opencl_kit = KIT(&nitro_spmv_opencl_device);

NITRO_KIT_MODULES(nitro_module_spmv, nitro_spmv_kit, "spmv", ABOUT)
NITRO_KIT_KERNEL_MODULE(nitro_module_spmv_opencl, nitro_spmv_opencl_kit, "spmv",
                        ABOUT ", on OpenCL devices", "opencl")
