/* The potential of charges on the points of a grid: 1,260 configurations, 210 on CUDA. */
#include "kernel_computation.h"

#define SPACING 0.5

typedef struct coulomb_call {
    int64_t size, count;                   /* of the grid's side; charges, a multiple of 16 */
    const float *charges;                  /* shape [count, 4]: x, y, z, strength */
    const float *xs, *ys, *zs, *strengths; /* the same, each of shape [count] */
    float *to;                             /* shape [size, size, size], by z, y, x */
    nitro_kept *kept;
} coulomb_call;

#define CALL coulomb_call
static const nitro_field fields[] = {
    NUMBER(size),
    NUMBER(count),
    INPUT(charges, "4 * count"),
    INPUT(xs, "count"),
    INPUT(ys, "count"),
    INPUT(zs, "count"),
    INPUT(strengths, "count"),
    OUTPUT(to, "size * size * size", WITHIN(RELATIVE, 1e-3)),
};

KERNEL(coulomb, "-DSPACING=" STRING(SPACING) "f",
       .parameters = {{"WGX", "[16, 32]", "16"},
                      {"WGY", "[1, 2, 4, 8]", "4"},
                      {"Z", "[1, 2, 4, 8, 16, 32]", "4"},
                      {"UNROLL", UNROLLS, "0"},
                      {"CONST", ON(YES_OR_NO, "[0]"), "0"},
                      {"SOA", YES_OR_NO, "0"},
                      {"VECTOR", ON(VECTORS, "[1]"), "1"}},
       .where = {"UNROLL < Z", "WGX * WGY >= 64", "VECTOR == 1 or SOA",
                 "WGX * WGY <= device.max_local"},
       .steps = {
           {.entry = "coulomb",
            .arguments = {"count / VECTOR", "size", "charges", "xs", "ys", "zs", "strengths", "to"},
            .local = {"WGX", "WGY"},
            .global = {"ceil_div(size, WGX) * WGX", "ceil_div(size, WGY) * WGY",
                       "ceil_div(size, Z)"}}});

static int reference(void *argument, double *magnitudes)
{
    coulomb_call *call = argument;
    int64_t size = call->size;
    for (int64_t i = 0; i < size * size * size; i++) {
        double x = SPACING * (double)(i % size), y = SPACING * (double)(i / size % size);
        double z = SPACING * (double)(i / size / size), sum = 0;
        magnitudes[i] = 0;
        for (int64_t c = 0; c < call->count; c++) {
            double dx = call->xs[c] - x, dy = call->ys[c] - y, dz = call->zs[c] - z;
            double part = call->strengths[c] / sqrt(dx * dx + dy * dy + dz * dz);
            sum += part;
            magnitudes[i] += fabs(part);
        }
        call->to[i] = (float)sum;
    }
    return 0;
}

static void place(nitro_random *random, coulomb_call *call)
{
    double side = SPACING * (double)call->size;
    float *const arrays[] = {(float *)call->xs, (float *)call->ys, (float *)call->zs,
                             (float *)call->strengths};
    for (int64_t i = 0; i < 4 * call->count; i++) {
        double number = nitro_random_uniform(random);
        arrays[i % 4][i / 4] = (float)(i % 4 == 3 ? 2 * number - 1 : side * number);
        ((float *)call->charges)[i] = arrays[i % 4][i / 4];
    }
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const coulomb_call sizes = {.size = 1 + (int64_t)cbrt(size), .count = 64};
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "64in%lld", (long long)sizes.size);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(coulomb_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK)
        place(random, *data);
    return status;
}

COMPUTATION(coulomb, "the potential of charges on a grid", .least_size = 1e3, .usual_size = 1e6,
            .base_size = 2e6, .unit_bytes = 64) /* charges: time bounds it, not memory */
