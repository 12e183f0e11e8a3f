/* The computations transpose and transpose_inplace: argument, variants, reference and inputs, and
 * the modules of all kinds of devices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/npy.h"
#include "apps/transpose/transpose_inputs.h"

#define BYTES "num_rows * num_cols * element_bytes"

static const nitro_field fields[] = {
    NITRO_NUMBER(nitro_transpose, num_rows),
    NITRO_NUMBER(nitro_transpose, num_cols),
    NITRO_NUMBER32(nitro_transpose, element_bytes),
    NITRO_ARRAY(nitro_transpose, in, NITRO_IN, NITRO_BYTE, BYTES,
                NITRO_ON_DEVICE(nitro_transpose_cuda, in)),
    NITRO_ARRAY(nitro_transpose, out, NITRO_OUT, NITRO_BYTE, BYTES,
                NITRO_ON_DEVICE(nitro_transpose_cuda, out)),
};

static const nitro_field inplace_fields[] = {
    NITRO_NUMBER(nitro_transpose, num_rows),
    NITRO_NUMBER(nitro_transpose, num_cols),
    NITRO_NUMBER32(nitro_transpose, element_bytes),
    NITRO_NUMBER32(nitro_transpose, is_row_major),
    NITRO_ARRAY(nitro_transpose, data, NITRO_INOUT, NITRO_BYTE, BYTES,
                NITRO_ON_DEVICE(nitro_transpose_cuda, data)),
};

/* ---- The references: element by element ---- */

static int reference(void *argument, double *magnitudes)
{
    const nitro_variant *naive = nitro_transpose_variants[0];
    (void)magnitudes;
    return naive->run(argument, naive->user);
}

static int reference_inplace(void *argument, double *magnitudes)
{
    const nitro_transpose *t = argument;
    nitro_transpose_view view = nitro_transpose_view_of(t);
    size_t bytes = (size_t)(t->num_rows * t->num_cols * t->element_bytes);
    char *copy = malloc(bytes + 1);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    memcpy(copy, t->data, bytes);
    nitro_transpose plain = {.num_rows = view.rows, .num_cols = view.cols, .in = copy};
    plain.element_bytes = t->element_bytes;
    plain.out = t->data;
    int failure = reference(&plain, magnitudes);
    free(copy);
    return failure;
}

/* ---- Inputs ---- */

nitro_status nitro_transpose_create(nitro_context *context, const nitro_kit *kit,
                                    const nitro_transpose *sizes, nitro_transpose **made)
{
    int32_t size = sizes->element_bytes;
    if (sizes->num_rows < 0 || sizes->num_cols < 0 || sizes->num_rows > NITRO_TRANSPOSE_MAX_SIDE ||
        sizes->num_cols > NITRO_TRANSPOSE_MAX_SIDE)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: %lld x %lld: sides are 0 to %d",
                          kit->name, (long long)sizes->num_rows, (long long)sizes->num_cols,
                          NITRO_TRANSPOSE_MAX_SIDE);
    if (size != 4 && size != 8 && size != 16)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: elements of %d bytes; they may have 4, 8 or 16", kit->name, size);
    void *argument;
    nitro_status status = nitro_kit_allocate(context, kit, sizes, &argument);
    if (status != NITRO_OK)
        return status;
    *made = argument;
    char *elements = (*made)->data ? (*made)->data : (char *)(*made)->in;
    for (uint64_t i = 0; i < (uint64_t)(sizes->num_rows * sizes->num_cols); i++) {
        const uint64_t words[2] = {i, ~i};
        memcpy(elements + i * (uint64_t)size, words, (size_t)size);
    }
    return NITRO_OK;
}

/* Sides of about `size` elements. */
typedef struct shape_family {
    const char *name;
    void (*draw)(nitro_random *random, double size, int64_t *rows, int64_t *cols);
} shape_family;

static void draw_uniform(nitro_random *random, double size, int64_t *rows, int64_t *cols)
{
    *rows = (int64_t)sqrt(size * nitro_kit_draw_log(random, 0.05, 20));
    *cols = *rows > 0 ? (int64_t)(size / (double)*rows) : 3;
}

static void draw_skinny(nitro_random *random, double size, int64_t *rows, int64_t *cols)
{
    int64_t least = 2 + (int64_t)nitro_random_below(random, 30);
    bool is_wide = nitro_random_below(random, 2);
    *(is_wide ? rows : cols) = least;
    *(is_wide ? cols : rows) = (int64_t)(size / (double)least);
}

static void draw_square(nitro_random *random, double size, int64_t *rows, int64_t *cols)
{
    (void)random;
    *rows = *cols = (int64_t)sqrt(size);
}

static void draw_powers(nitro_random *random, double size, int64_t *rows, int64_t *cols)
{
    int bits = (int)log2(size + 1), lower = bits / 3;
    int chosen = lower + (int)nitro_random_below(random, (uint64_t)(bits - 2 * lower + 1));
    *rows = (int64_t)1 << chosen;
    *cols = (int64_t)1 << (bits - chosen);
}

/* Sides with a large common divisor. */
static void draw_common(nitro_random *random, double size, int64_t *rows, int64_t *cols)
{
    int64_t a = 1 + (int64_t)nitro_random_below(random, 12);
    int64_t b = 1 + (int64_t)nitro_random_below(random, 12);
    int64_t divisor = (int64_t)sqrt(size / (double)(a * b));
    *rows = a * divisor;
    *cols = b * divisor;
}

static const shape_family families[] = {
    {"uniform", draw_uniform}, {"skinny", draw_skinny}, {"square", draw_square},
    {"powers", draw_powers},   {"common", draw_common},
};

static nitro_status make_of(nitro_context *context, const nitro_kit *kit, size_t family,
                            nitro_random *random, double size, char *label, void **data)
{
    static const int32_t element_bytes[] = {4, 8, 8, 16};
    nitro_transpose sizes = {.is_row_major = 1}, *made = NULL;
    sizes.element_bytes = element_bytes[nitro_random_below(random, 4)];
    families[family].draw(random, size, &sizes.num_rows, &sizes.num_cols);
    if (kit == &nitro_transpose_inplace_kit)
        sizes.is_row_major = (int32_t)nitro_random_below(random, 2);
    snprintf(label, NITRO_KIT_LABEL, "%s-%lldx%lldx%d%s", families[family].name,
             (long long)sizes.num_rows, (long long)sizes.num_cols, sizes.element_bytes,
             sizes.is_row_major ? "" : "-columns");
    if (!data)
        return NITRO_OK;
    nitro_status status = nitro_transpose_create(context, kit, &sizes, &made);
    if (status == NITRO_OK)
        *data = made;
    return status;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    return make_of(context, &nitro_transpose_kit, family, random, size, label, data);
}

static nitro_status make_inplace(nitro_context *context, size_t family, nitro_random *random,
                                 double size, char *label, void **data)
{
    return make_of(context, &nitro_transpose_inplace_kit, family, random, size, label, data);
}

nitro_status nitro_transpose_npy_parse(nitro_context *context, const nitro_kit *kit,
                                       const char *name, const char *bytes, size_t size,
                                       nitro_transpose **made)
{
    nitro_npy array;
    nitro_status status = nitro_npy_parse(context, name, bytes, size, &array);
    if (status != NITRO_OK)
        return status;
    if (array.num_sides != 2)
        return nitro_fail(context, NITRO_ERR_FORMAT,
                          "%s: the array is no matrix: it must have two dimensions, and has %d",
                          name, array.num_sides);
    /* out of place, all is row-major: an array in Fortran order is its transpose in C order */
    bool is_turned = array.is_column_major && kit == &nitro_transpose_kit;
    const nitro_transpose sizes = {.num_rows = array.sides[is_turned],
                                   .num_cols = array.sides[!is_turned],
                                   .element_bytes = array.element_bytes,
                                   .is_row_major = is_turned || !array.is_column_major};
    status = nitro_transpose_create(context, kit, &sizes, made);
    if (status == NITRO_OK)
        memcpy((*made)->data ? (*made)->data : (void *)(*made)->in, array.elements,
               (size_t)(array.count * array.element_bytes));
    return status;
}

static nitro_status load_of(nitro_context *context, const nitro_kit *kit, const char *path,
                            void **data)
{
    char *bytes;
    size_t size;
    nitro_transpose *made;
    nitro_status status = nitro_file_read(context, path, NITRO_NPY_MAX_BYTES, &bytes, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_transpose_npy_parse(context, kit, path, bytes, size, &made);
    free(bytes);
    if (status == NITRO_OK)
        *data = made;
    return status;
}

static nitro_status load(nitro_context *context, const char *path, void **data)
{
    return load_of(context, &nitro_transpose_kit, path, data);
}

static nitro_status load_inplace(nitro_context *context, const char *path, void **data)
{
    return load_of(context, &nitro_transpose_inplace_kit, path, data);
}

#define INPUTS(load_function, function)                                                            \
    {                                                                                              \
        .load = load_function, .make = function,                                                   \
        .num_families = sizeof(families) / sizeof(families[0]), .least_size = 8e3,                 \
        .usual_size = 4e6, .base_size = 16e6, .unit_bytes = 32,                                    \
    }
static const nitro_kit_inputs inputs = INPUTS(load, make);
static const nitro_kit_inputs inplace_inputs = INPUTS(load_inplace, make_inplace);

static void describe(const void *argument, char *text, size_t size)
{
    const nitro_transpose *t = argument;
    snprintf(text, size, "%lld x %lld elements of %d bytes%s", (long long)t->num_rows,
             (long long)t->num_cols, t->element_bytes, t->is_row_major ? "" : ", column-major");
}

/* ---- The computations ---- */

#define ABOUT         "a dense matrix transposed from one place to another (.npy files)"
#define ABOUT_INPLACE "a dense matrix transposed in place (.npy files)"

const nitro_kit nitro_transpose_kit = {
    .name = "transpose",
    .description = ABOUT,
    .argument_bytes = sizeof(nitro_transpose),
    .kept = offsetof(nitro_transpose, kept),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = nitro_transpose_variants,
    .num_variants = NITRO_TRANSPOSE_NUM_VARIANTS,
    .usual = "tiled",
    .add_features = nitro_transpose_add_features,
    .reference = reference,
    .inputs = &inputs,
    .describe = describe,
    .device = &nitro_transpose_cuda_device,
};

const nitro_kit nitro_transpose_inplace_kit = {
    .name = "transpose_inplace",
    .description = ABOUT_INPLACE,
    .argument_bytes = sizeof(nitro_transpose),
    .kept = offsetof(nitro_transpose, kept),
    .room = offsetof(nitro_transpose, room),
    .fields = inplace_fields,
    .num_fields = sizeof(inplace_fields) / sizeof(inplace_fields[0]),
    .variants = nitro_transpose_inplace_variants,
    .num_variants = NITRO_TRANSPOSE_INPLACE_NUM_VARIANTS,
    .usual = "buffered",
    .add_features = nitro_transpose_inplace_add_features,
    .reference = reference_inplace,
    .inputs = &inplace_inputs,
    .describe = describe,
    .device = &nitro_transpose_inplace_cuda_device,
};

NITRO_KIT_MODULES(nitro_module_transpose, nitro_transpose_kit, "transpose", ABOUT)
NITRO_KIT_MODULES(nitro_module_transpose_inplace, nitro_transpose_inplace_kit, "transpose_inplace",
                  ABOUT_INPLACE)
