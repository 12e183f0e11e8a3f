/* Module of "spmv" on CUDA devices. Inputs are the host module's; `prepare_input` copies them to
 * the device, so that loading an input only for its features needs no device. */
#include <stdlib.h>

#include "apps/builtin_module.h"
#include "apps/spmv/matrix.h"
#include "apps/spmv/spmv_modules.h"
#include "variants/spmv/spmv_cuda.h"

/* The CUDA argument, and the host argument whose arrays it borrows. */
typedef struct input {
    nitro_spmv_cuda spmv; /* must be first: variants use a pointer to this struct as one to it */
    nitro_spmv *matrix;
} input;

static nitro_status create(nitro_context *context, nitro_computation **computation)
{
    return nitro_module_create_computation(context, "spmv", nitro_spmv_cuda_add_variants,
                                           nitro_spmv_add_features, computation);
}

/* Takes ownership of the matrix, also on error. */
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
    nitro_module_spmv.describe(argument, text, size); /* of the host's part, the first member */
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
