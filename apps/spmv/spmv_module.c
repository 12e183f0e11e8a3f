/* Module of "spmv" on the host: loads, generates and names inputs for the command line. It uses
 * the same interface as a user's own module. */
#include <stdio.h>

#include "apps/builtin_module.h"
#include "apps/spmv/generate_matrix.h"
#include "apps/spmv/matrix.h"
#include "apps/spmv/matrix_market.h"
#include "apps/spmv/spmv_modules.h"
#include "variants/spmv/spmv.h"

#define BYTES_PER_NONZERO 16 /* of matrix and vectors */

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    return nitro_module_create_computation(context, "spmv", nitro_spmv_add_variants,
                                           nitro_spmv_add_features, computation);
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    nitro_spmv *spmv;
    nitro_status status = nitro_spmv_matrix_market_read(context, path, &spmv);
    if (status == NITRO_OK)
        *argument = spmv;
    return status;
}

static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    nitro_spmv *spmv = NULL;
    double bytes = 0.0;
    nitro_status status = nitro_module_generate_limit(context, "spmv", &bytes);
    if (status == NITRO_OK)
        status = nitro_spmv_generate(context, seed, index, bytes / BYTES_PER_NONZERO, name,
                                     name_size, argument ? &spmv : NULL);
    if (status == NITRO_OK && argument)
        *argument = spmv;
    return status;
}

static void unload(void *argument)
{
    nitro_spmv_matrix_free(argument);
}

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_spmv *spmv = argument;
    double rows = (double)spmv->num_rows;
    snprintf(text, size, "%lld x %lld, %lld non-zeros, %.1f a row", (long long)spmv->num_rows,
             (long long)spmv->num_cols, (long long)spmv->num_nonzeros,
             rows > 0 ? (double)spmv->num_nonzeros / rows : 0);
}

const nitro_module nitro_module_spmv = {
    .version = NITRO_MODULE_VERSION,
    .name = "spmv",
    .description = "sparse matrix times vector, y = A x (Matrix Market files)",
    .create = create,
    .load = load,
    .generate = generate,
    .unload = unload,
    .describe = describe,
};
