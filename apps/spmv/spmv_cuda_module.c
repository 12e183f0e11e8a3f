/* The computation "spmv" on CUDA devices as a module: the host module's inputs, and variants that
 * copy them to the device when they are prepared - in the process that measures, so that loading an
 * input for its features alone needs no device. */
#include <stdlib.h>

#include "apps/builtin_module.h"
#include "apps/spmv/matrix.h"
#include "apps/spmv/spmv_modules.h"
#include "variants/spmv/spmv_cuda.h"

/* The argument, and whose arrays it borrows. */
typedef struct input {
    nitro_spmv_cuda spmv; /* comes first: it is what variants take this for */
    nitro_spmv *matrix;
} input;

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    return nitro_module_create_computation(context, "spmv", nitro_spmv_cuda_add_variants,
                                           nitro_spmv_add_features, computation);
}

/* Takes the matrix in any case. */
static nitro_status wrap(nitro_context *context, nitro_spmv *matrix, void **argument)
{
    input *made = nitro_calloc(context, 1, sizeof(*made));
    if (!made) {
        nitro_spmv_matrix_free(matrix);
        return NITRO_ERR_NO_MEMORY;
    }
    made->spmv.host = *matrix;
    made->matrix = matrix;
    *argument = made;
    return NITRO_OK;
}

static nitro_status load(nitro_context *context, const char *path, void **argument)
{
    void *matrix;
    nitro_status status = nitro_module_spmv.load(context, path, &matrix);
    return status == NITRO_OK ? wrap(context, matrix, argument) : status;
}

static nitro_status generate(nitro_context *context, uint64_t seed, size_t index, char *name,
                             size_t name_size, void **argument)
{
    void *matrix;
    nitro_status status = nitro_module_spmv.generate(context, seed, index, name, name_size,
                                                     argument ? &matrix : NULL);
    return status == NITRO_OK && argument ? wrap(context, matrix, argument) : status;
}

static void unload(void *argument)
{
    input *loaded = argument;
    nitro_spmv_cuda_release(&loaded->spmv);
    nitro_spmv_matrix_free(loaded->matrix);
    free(loaded);
}

static void describe(const void *argument, char *text, size_t size)
{
    nitro_module_spmv.describe(argument, text, size); /* of the host's part, which comes first */
}

const nitro_module nitro_module_spmv_cuda = {
    .version = NITRO_MODULE_VERSION,
    .name = "spmv",
    .description = "sparse matrix times vector, y = A x (Matrix Market files), on CUDA devices",
    .device_kind = "cuda",
    .create = create,
    .load = load,
    .generate = generate,
    .unload = unload,
    .describe = describe,
};
