/* Random matrices. Draws the family (in turn), the size, the shape and the entries in this order,
 * so that a matrix's name is known before it is built. */
#include "apps/spmv/generate_matrix.h"

#include <stdio.h>

#include "apps/builtin_module.h"
#include "apps/spmv/matrix_family.h"

#define MIN_NONZEROS   1e3
#define USUAL_NONZEROS 1e6

size_t nitro_spmv_num_families(void)
{
    size_t count = 0;
    while (nitro_spmv_families[count].name)
        count++;
    return count;
}

static nitro_status build(nitro_context *context, const nitro_spmv_family *family,
                          const nitro_spmv_shape *shape, nitro_random *random, const char *name,
                          nitro_spmv **spmv)
{
    nitro_spmv_entries entries = {.num_rows = shape->num_rows, .num_cols = shape->num_cols};
    nitro_spmv_builder builder = {
        .context = context, .entries = &entries, .random = random, .status = NITRO_OK};
    family->build(shape, &builder);
    if (builder.status != NITRO_OK) {
        nitro_spmv_entries_free(&entries);
        return builder.status;
    }
    return nitro_spmv_matrix_create(context, name, &entries, spmv);
}

nitro_status nitro_spmv_generate(nitro_context *context, uint64_t seed, size_t index,
                                 double most_nonzeros, char *name, size_t name_size,
                                 nitro_spmv **spmv)
{
    const nitro_spmv_family *family = &nitro_spmv_families[index % nitro_spmv_num_families()];
    nitro_random random;
    nitro_spmv_shape shape = {0};
    nitro_random_seed(&random, seed ^ ((uint64_t)index + 1) * UINT64_C(0x9E3779B97F4A7C15));
    family->plan(&random,
                 nitro_module_draw_size(&random, index, MIN_NONZEROS, USUAL_NONZEROS,
                                        NITRO_SPMV_BASE_NONZEROS, most_nonzeros),
                 &shape);
    char text[128];
    int length = snprintf(text, sizeof(text), "%s-%s#%zu-seed%llu", family->name, shape.label,
                          index, (unsigned long long)seed);
    if ((size_t)length >= name_size)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "the name '%s' needs %d bytes, there is room for %zu", text, length + 1,
                          name_size);
    if (spmv) {
        nitro_status status = build(context, family, &shape, &random, text, spmv);
        if (status != NITRO_OK)
            return status;
    }
    snprintf(name, name_size, "%s", text);
    return NITRO_OK;
}

nitro_status nitro_spmv_generate_stencil(nitro_context *context, int64_t side, nitro_spmv **spmv)
{
    static const nitro_spmv_family stencil = {.name = "stencil", .build = nitro_spmv_build_star};
    int64_t points = side * side * side;
    nitro_spmv_shape shape = {
        .num_rows = points, .num_cols = points, .a = side, .b = side, .c = side};
    nitro_random random;
    nitro_random_seed(&random, 1);
    return build(context, &stencil, &shape, &random, stencil.name, spmv);
}
