/* The transpose of a matrix: 10,752 configurations. */
#include "kernel_computation.h"

typedef struct transpose_call {
    int64_t rows, cols;
    const float *from; /* shape [rows, cols] */
    float *to;         /* shape [cols, rows] */
    nitro_kept *kept;
} transpose_call;

#define CALL transpose_call
static const nitro_field fields[] = {
    NUMBER(rows),
    NUMBER(cols),
    INPUT(from, "rows * cols"),
    OUTPUT(to, "rows * cols", ),
};

#define SIZES   "[1, 2, 4, 8, 16, 32, 64]"
#define BY_ROWS "max(LOCAL, CR)"

KERNEL(transpose, "",
       .parameters = {{"VECTOR", VECTORS_8, "1"},
                      {"PREFETCH", "[0, 1, 2]", "0"},
                      {"CR", YES_OR_NO, "1"},
                      {"LOCAL", YES_OR_NO, "1"},
                      {"PAD", YES_OR_NO, "0"},
                      {"DIAGONAL", YES_OR_NO, "0"},
                      {"WGX", SIZES, "16"},
                      {"WGY", SIZES, "8"},
                      {"TY", SIZES, "16"}},
       .where = {"WGY <= TY", "not LOCAL or TY <= WGX * WGY and VECTOR == 1", "LOCAL or not PAD",
                 "WGX * VECTOR <= 64", "WGX * WGY <= device.max_local",
                 "4 * LOCAL * TY * (WGX + PAD) <= device.local_bytes"},
       .steps = {{.entry = "transpose",
                  .arguments = {"rows", "cols", "from", "to"},
                  .local = {"WGX", "WGY"},
                  .global = {
                      "WGX * ceil_div(" BY_ROWS " * cols + (1 - " BY_ROWS ") * rows, WGX * VECTOR)",
                      "WGY * ceil_div(" BY_ROWS " * rows + (1 - " BY_ROWS ") * cols, TY)"}}});

static int reference(void *argument, double *magnitudes)
{
    transpose_call *call = argument;
    (void)magnitudes;
    for (int64_t i = 0; i < call->rows; i++)
        for (int64_t j = 0; j < call->cols; j++)
            call->to[j * call->rows + i] = call->from[i * call->cols + j];
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    transpose_call sizes = {.rows = 1 + (int64_t)sqrt(size * (0.5 + nitro_random_uniform(random)))};
    sizes.cols = 1 + (int64_t)(size / (double)sizes.rows);
    if (nitro_random_uniform(random) < 0.5) { /* as vectors want it */
        sizes.rows = kernels_multiple((double)sizes.rows, 16);
        sizes.cols = kernels_multiple((double)sizes.cols, 16);
    }
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx%lld", (long long)sizes.rows, (long long)sizes.cols);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(transpose_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK)
        kernels_fill(random, ((transpose_call *)*data)->from, sizes.rows * sizes.cols);
    return status;
}

COMPUTATION(transpose, "the transpose of a matrix", .least_size = 1e3, .usual_size = 1e6,
            .base_size = 1e7, .unit_bytes = 2 * sizeof(float))
