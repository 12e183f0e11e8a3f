/* q = A p and s = A' r, which the biconjugate gradient method takes together: 5,122 configurations.
 */
#include "kernel_computation.h"

typedef struct bicg_call {
    int64_t rows, cols;    /* multiples of 1024 and 64 */
    int64_t strips, tiles; /* rows / 128 and cols / 16: as many groups as there can be */
    const float *a;        /* shape [rows, cols] */
    const float *p, *r;    /* shapes [cols], [rows] */
    float *q, *s;          /* shapes [rows], [cols] */
    nitro_kept *kept;
} bicg_call;

#define CALL bicg_call
static const nitro_field fields[] = {
    NUMBER(rows),
    NUMBER(cols),
    NUMBER(strips),
    NUMBER(tiles),
    INPUT(a, "rows * cols"),
    INPUT(p, "cols"),
    INPUT(r, "rows"),
    OUTPUT(q, "rows", WITHIN(TOLERANCE, 1e-2)),
    OUTPUT(s, "cols", WITHIN(TOLERANCE, 1e-2)),
    ON_DEVICE_ALONE("q_groups", "rows * tiles"),
    ON_DEVICE_ALONE("s_groups", "cols * strips"),
};

enum { CLEAR_Q, CLEAR_S, MULTIPLY, MULTIPLY_TRANSPOSED, FUSE_SIMPLY, FUSE, ADD_Q, ADD_S };

static int launch_all(nitro_kernel_call *call, const int *steps, size_t count)
{
    int failure = 0;
    for (size_t i = 0; i < count && !failure; i++)
        failure = nitro_kernel_launch_step(call, (size_t)steps[i]);
    return failure;
}

static int launch(nitro_kernel_call *call)
{
    static const int apart[] = {MULTIPLY, MULTIPLY_TRANSPOSED}, simply[] = {CLEAR_S, FUSE_SIMPLY},
                     atomics[] = {CLEAR_Q, CLEAR_S, FUSE};
    double fused = nitro_kernel_value(call, "FUSED");
    if (fused == 0)
        return launch_all(call, apart, 2);
    if (fused == 1)
        return launch_all(call, simply, 2);
    if (nitro_kernel_value(call, "ATOMICS") != 0)
        return launch_all(call, atomics, 3);
    nitro_kernel_swap(call, "q", "q_groups");
    nitro_kernel_swap(call, "s", "s_groups");
    int failure = nitro_kernel_launch_step(call, FUSE);
    nitro_kernel_swap(call, "q", "q_groups");
    nitro_kernel_swap(call, "s", "s_groups");
    return failure ? failure : launch_all(call, (const int[]){ADD_Q, ADD_S}, 2);
}

#define ITEMS(count) .local = {"64"}, .global = {"ceil_div(" count ", 64) * 64"}

KERNEL(bicg, "",
       .parameters = {{"FUSED", "[0, 1, 2]", "2"},
                      {"BATCH", "[1, 2, 4, 8]", "4"},
                      {"MATRIX", YES_OR_NO, "0"},
                      {"VEC1", YES_OR_NO, "0"},
                      {"VEC2", YES_OR_NO, "0"},
                      {"RED1", YES_OR_NO, "1"},
                      {"RED2", YES_OR_NO, "1"},
                      {"ATOMICS", YES_OR_NO, "1"},
                      {"UNROLL", YES_OR_NO, "0"},
                      {"ROWS", "[128, 256, 512, 1024]", "256"},
                      {"TILE", "[16, 32, 64]", "32"}},
       .where = {"BATCH <= TILE", "TILE * TILE // BATCH <= 1024",
                 "FUSED == 2 or BATCH + MATRIX + VEC1 + VEC2 + RED1 + RED2 + ATOMICS + UNROLL == 1",
                 "FUSED == 2 or ROWS == 128 and TILE == 16",
                 "TILE * TILE // BATCH <= device.max_local"},
       .steps = {[CLEAR_Q] = {.entry = "clear", .arguments = {"rows", "q"}, ITEMS("rows")},
                 [CLEAR_S] = {.entry = "clear", .arguments = {"cols", "s"}, ITEMS("cols")},
                 [MULTIPLY] = {.entry = "multiply",
                               .arguments = {"rows", "cols", "a", "p", "q"},
                               ITEMS("rows")},
                 [MULTIPLY_TRANSPOSED] = {.entry = "multiply_transposed",
                                          .arguments = {"rows", "cols", "a", "r", "s"},
                                          ITEMS("cols")},
                 [FUSE_SIMPLY] = {.entry = "fuse_simply",
                                  .arguments = {"cols", "a", "p", "r", "q", "s"},
                                  .local = {"64"},
                                  .global = {"rows / 16 * 64"}},
                 [FUSE] = {.entry = "fuse",
                           .arguments = {"rows / ROWS", "cols / TILE", "a", "p", "r", "q", "s"},
                           .local = {"TILE", "TILE // BATCH"},
                           .global = {"cols", "rows / ROWS * (TILE // BATCH)"}},
                 [ADD_Q] = {.entry = "add_groups",
                            .arguments = {"rows", "cols / TILE", "q_groups", "q"},
                            ITEMS("rows")},
                 [ADD_S] = {.entry = "add_groups",
                            .arguments = {"cols", "rows / ROWS", "s_groups", "s"},
                            ITEMS("cols")}},
       .launcher = launch);

static int reference(void *argument, double *magnitudes)
{
    bicg_call *call = argument;
    double *s = nitro_host_allocate(call->cols, sizeof(*s));
    (void)magnitudes;
    if (!s)
        return NITRO_ERR_NO_MEMORY;
    for (int64_t i = 0; i < call->rows; i++) {
        double q = 0;
        for (int64_t j = 0; j < call->cols; j++) {
            double element = call->a[i * call->cols + j];
            q += element * call->p[j];
            s[j] += element * call->r[i];
        }
        call->q[i] = (float)q;
    }
    for (int64_t j = 0; j < call->cols; j++)
        call->s[j] = (float)s[j];
    nitro_host_free(s);
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    bicg_call sizes = {.rows = kernels_multiple(sqrt(size), 1024)};
    sizes.cols = kernels_multiple(size / (double)sizes.rows, 64);
    sizes.strips = sizes.rows / 128;
    sizes.tiles = sizes.cols / 16;
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx%lld", (long long)sizes.rows, (long long)sizes.cols);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(bicg_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        const bicg_call *made = *data;
        kernels_fill(random, made->a, sizes.rows * sizes.cols);
        kernels_fill(random, made->p, sizes.cols);
        kernels_fill(random, made->r, sizes.rows);
    }
    return status;
}

COMPUTATION(bicg, "q = A p and s = A' r", .least_size = 65536, .usual_size = 4e6, .base_size = 4e6,
            .unit_bytes = sizeof(float))
