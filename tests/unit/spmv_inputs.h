/* spmv_inputs.h - inputs of spmv: of entries, of a stencil, and generated ones of the usual sizes,
 * whatever the settings say. Free them with spmv_inputs_free. */
#ifndef NITRO_TESTS_UNIT_SPMV_INPUTS_H
#define NITRO_TESTS_UNIT_SPMV_INPUTS_H

#include <string.h>

#include "apps/matrix/matrix_inputs.h"
#include "apps/spmv/spmv_module.h"

/* Of entries, which are taken. */
static inline nitro_status spmv_inputs_create(nitro_context *context, const char *origin,
                                              nitro_matrix_entries *entries, nitro_spmv **spmv)
{
    nitro_matrix *matrix;
    nitro_status status = nitro_matrix_create(context, origin, entries, &matrix);
    return status == NITRO_OK ? nitro_spmv_kit.adopt(context, matrix, (void **)spmv) : status;
}

/* A 7-point stencil on a grid of side x side x side: a large, regular matrix. */
static inline nitro_status spmv_inputs_stencil(nitro_context *context, int64_t side,
                                               nitro_spmv **spmv)
{
    const nitro_matrix_family *family = nitro_matrix_families;
    int64_t points = side * side * side;
    const nitro_matrix_shape shape = {
        .num_rows = points, .num_cols = points, .a = side, .b = side, .c = side};
    nitro_random random;
    nitro_matrix *matrix;
    while (strcmp(family->name, "stencil3d-7pt") != 0)
        family++;
    nitro_random_seed(&random, 1);
    nitro_status status =
        nitro_matrix_build(context, family, &shape, &random, family->name, &matrix);
    return status == NITRO_OK ? nitro_spmv_kit.adopt(context, matrix, (void **)spmv) : status;
}

/* Also frees what variants and hooks allocated. NULL is allowed. */
static inline void spmv_inputs_free(nitro_spmv *spmv)
{
    nitro_kit_free(&nitro_spmv_kit, false, spmv);
}

/* Arguments as of nitro_module.generate. */
static inline nitro_status spmv_inputs_generate(nitro_context *context, uint64_t seed, size_t index,
                                                char *name, size_t name_size, nitro_spmv **spmv)
{
    void *made;
    nitro_status status = nitro_context_set(context, "spmv", "generate_mb", "48");
    if (status == NITRO_OK)
        status = nitro_kit_generate(context, &nitro_spmv_kit, false, seed, index, name, name_size,
                                    spmv ? &made : NULL);
    if (status == NITRO_OK && spmv)
        *spmv = (nitro_spmv *)made;
    return status;
}

#endif
