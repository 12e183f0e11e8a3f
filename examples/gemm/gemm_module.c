/*
 * gemm_module.c - products of matrices as a module for the command line: fields, features,
 * reference and inputs. ../README.md has measured times.
 *
 *     cc -O3 -march=native -fopenmp-simd -shared -fPIC gemm_module.c gemm_variants.c \
 *         $(pkg-config --cflags --libs nitro) -lm -o libgemm.so
 *     nitro tune ./libgemm.so --generate 100
 */
#include <math.h>
#include <nitro/nitro_backend.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gemm_variants.h"

NITRO_API const nitro_module *nitro_module_get(void); /* what the command line looks for */
extern const nitro_kit gemm_kit;

static const nitro_field fields[] = {
    NITRO_NUMBER(gemm_call, num_rows),
    NITRO_NUMBER(gemm_call, num_columns),
    NITRO_NUMBER(gemm_call, depth),
    NITRO_ARRAY(gemm_call, a, NITRO_IN, NITRO_FLOAT64, "num_rows * depth"),
    NITRO_ARRAY(gemm_call, b, NITRO_IN, NITRO_FLOAT64, "depth * num_columns"),
    NITRO_ARRAY(gemm_call, c, NITRO_OUT, NITRO_FLOAT64, "num_rows * num_columns",
                .agreement = NITRO_RELATIVE, .tolerance = 1e-12),
};

/* ---- Features, reference ---- */

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    const gemm_call *call = argument;
    values[0] = (double)call->num_rows;
    values[1] = (double)call->num_columns;
    values[2] = (double)call->depth;
    values[3] = values[0] * values[1] * values[2];
    return 0;
}

static nitro_status add_features(nitro_computation *computation)
{
    static const nitro_feature features[] = {{"num_rows", "rows", NITRO_SCALE_SIGNED_LOG, 0},
                                             {"num_columns", "columns", NITRO_SCALE_SIGNED_LOG, 0},
                                             {"depth", "columns", NITRO_SCALE_SIGNED_LOG, 0},
                                             {"products", "1", NITRO_SCALE_SIGNED_LOG, 0}};
    return nitro_computation_add_features(computation, features, 4, evaluate, NULL);
}

/* Tolerances are relative to the sums of absolute products. */
static int multiply_plainly(void *argument, double *magnitudes)
{
    const gemm_call *call = argument;
    int64_t columns = call->num_columns;
    for (int64_t i = 0; i < call->num_rows; i++)
        for (int64_t p = -1; p < call->depth; p++)
            for (int64_t j = 0; j < columns; j++) {
                double product =
                    p < 0 ? 0 : call->a[i * call->depth + p] * call->b[p * columns + j];
                call->c[i * columns + j] = product + (p < 0 ? 0 : call->c[i * columns + j]);
                magnitudes[i * columns + j] =
                    fabs(product) + (p < 0 ? 0 : magnitudes[i * columns + j]);
            }
    return 0;
}

/* ---- Inputs ---- */

static double draw(nitro_random *random, double low, double high)
{
    return low * pow(high / low, nitro_random_uniform(random));
}

static void fill(nitro_random *random, const double *array, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ((double *)array)[i] = nitro_random_uniform(random) - 0.5;
}

static const char *const families[] = {"square", "few_rows", "few_columns", "shallow", "deep"};

/* Of about `size` products. */
static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    double few = draw(random, 1, 24), ratio = draw(random, 0.5, 2);
    double many = fmin(sqrt(size / few), 2000), side = cbrt(size), deep = 30 * side;
    int64_t large = (int64_t)ceil(many * ratio), other = (int64_t)ceil(many / ratio);
    int64_t small = (int64_t)few;
    gemm_call sizes = {.num_rows = family == 1 ? small : large,
                       .num_columns = family == 2 ? small : other,
                       .depth = family == 3   ? small
                                : family == 1 ? large
                                              : other};
    if (family == 0 || family == 4) {
        side = family == 0 ? side : sqrt(size / deep);
        sizes.num_rows = (int64_t)ceil(side * ratio);
        sizes.num_columns = (int64_t)ceil(side / ratio);
        sizes.depth = (int64_t)ceil(size / (double)(sizes.num_rows * sizes.num_columns));
    }
    snprintf(label, NITRO_KIT_LABEL, "%s-%lldx%lldx%lld", families[family],
             (long long)sizes.num_rows, (long long)sizes.depth, (long long)sizes.num_columns);
    nitro_status status = data ? nitro_kit_allocate(context, &gemm_kit, &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        const gemm_call *made = *data;
        fill(random, made->a, made->num_rows * made->depth);
        fill(random, made->b, made->depth * made->num_columns);
    }
    return status;
}

/* A text file of three numbers, rows, depth and columns: the matrices are random. */
static nitro_status load(nitro_context *context, const char *path, void **data)
{
    char *text;
    size_t size;
    long long rows, depth, columns;
    nitro_random random;
    nitro_status status = nitro_file_read(context, path, 4096, &text, &size);
    if (status != NITRO_OK)
        return status;
    if (sscanf(text, "%lld%lld%lld", &rows, &depth, &columns) != 3 || rows < 0 || depth < 0 ||
        columns < 0) {
        status = nitro_fail(context, NITRO_ERR_FORMAT,
                            "%s: not the three sizes of a product: ROWS DEPTH COLUMNS", path);
    } else {
        gemm_call sizes = {.num_rows = rows, .num_columns = columns, .depth = depth};
        status = nitro_kit_allocate(context, &gemm_kit, &sizes, data);
        if (status == NITRO_OK) {
            const gemm_call *made = *data;
            nitro_random_seed(&random, 1);
            fill(&random, made->a, rows * depth);
            fill(&random, made->b, depth * columns);
        }
    }
    free(text);
    return status;
}

static const nitro_kit_inputs inputs = {.load = load,
                                        .make = make,
                                        .num_families = sizeof(families) / sizeof(families[0]),
                                        .least_size = 1e3,
                                        .usual_size = 1e7,
                                        .base_size = 1e10,
                                        .unit_bytes = 128};

const nitro_kit gemm_kit = {
    .name = "gemm",
    .description = "C = A B",
    .argument_bytes = sizeof(gemm_call),
    .kept = offsetof(gemm_call, kept),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = gemm_variants,
    .num_variants = GEMM_NUM_VARIANTS,
    .usual = "rows",
    .add_features = add_features,
    .release = gemm_release,
    .reference = multiply_plainly,
    .inputs = &inputs,
};

NITRO_KIT_FUNCTIONS(gemm, gemm_kit, false)

const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {NITRO_KIT_ENTRY(gemm, "gemm", "C = A B", NULL), {0}};
    return modules;
}
