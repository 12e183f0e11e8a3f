/* Matrices as inputs. Draws the size, the shape and the entries in this order, so that a matrix's
 * name is known before it is built. */
#include "apps/matrix/matrix_inputs.h"

#include <stdio.h>

#include "apps/matrix/matrix_market.h"

#define BYTES_PER_NONZERO 16 /* of matrix and vectors */

nitro_status nitro_matrix_build(nitro_context *context, const nitro_matrix_family *family,
                                const nitro_matrix_shape *shape, nitro_random *random,
                                const char *name, nitro_matrix **matrix)
{
    nitro_matrix_entries entries = {.num_rows = shape->num_rows, .num_cols = shape->num_cols};
    nitro_matrix_builder builder = {
        .context = context, .entries = &entries, .random = random, .status = NITRO_OK};
    family->build(shape, &builder);
    if (builder.status != NITRO_OK) {
        nitro_matrix_entries_free(&entries);
        return builder.status;
    }
    return nitro_matrix_create(context, name, &entries, matrix);
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const nitro_matrix_family *chosen = &nitro_matrix_families[family];
    nitro_matrix_shape shape = {0};
    nitro_matrix *matrix;
    chosen->plan(random, size, &shape);
    snprintf(label, NITRO_KIT_LABEL, "%s-%s", chosen->name, shape.label);
    if (!data)
        return NITRO_OK;
    nitro_status status = nitro_matrix_build(context, chosen, &shape, random, label, &matrix);
    if (status == NITRO_OK)
        *data = matrix;
    return status;
}

nitro_status nitro_matrix_load(nitro_context *context, const char *path, void **data)
{
    nitro_matrix *matrix;
    nitro_status status = nitro_matrix_market_read(context, path, &matrix);
    if (status == NITRO_OK)
        *data = matrix;
    return status;
}

nitro_status nitro_matrix_check_square(nitro_context *context, const char *origin,
                                       const nitro_matrix *matrix, const char *what)
{
    return matrix->num_rows == matrix->num_cols
               ? NITRO_OK
               : nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: the matrix is %lld x %lld, and %s needs a square one", origin,
                            (long long)matrix->num_rows, (long long)matrix->num_cols, what);
}

const nitro_kit_inputs nitro_matrix_inputs = {
    .load = nitro_matrix_load,
    .make = make,
    .num_families = NITRO_MATRIX_NUM_FAMILIES,
    .least_size = 30,
    .usual_size = 1e6,
    .base_size = 3e6,
    .unit_bytes = BYTES_PER_NONZERO,
};
