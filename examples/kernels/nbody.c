/* A step of bodies that attract each other: 9,408 configurations; 6,272 on CUDA, which has vectors
 * of at most 4. */
#include "kernel_computation.h"

#define STEP      0.01
#define SOFTENING 0.01

typedef struct nbody_call {
    int64_t count;                      /* a multiple of 512 */
    const float *bodies;                /* shape [count, 4]: x, y, z, mass */
    const float *xs, *ys, *zs, *masses; /* the same, each of shape [count] */
    const float *velocities;            /* shape [count, 4]: x, y, z, - */
    float *moved, *faster;              /* shape [count, 4]: bodies and velocities afterwards */
    nitro_kept *kept;
} nbody_call;

#define CALL nbody_call
static const nitro_field fields[] = {
    NUMBER(count),
    INPUT(bodies, "4 * count"),
    INPUT(xs, "count"),
    INPUT(ys, "count"),
    INPUT(zs, "count"),
    INPUT(masses, "count"),
    INPUT(velocities, "4 * count"),
    OUTPUT(moved, "4 * count", WITHIN(TOLERANCE, 1e-3)),
    OUTPUT(faster, "4 * count", WITHIN(TOLERANCE, 1e-2)),
};

KERNEL(nbody, "-DSTEP=" STRING(STEP) "f -DSOFTENING=" STRING(SOFTENING) "f",
       .parameters = {{"WG", "[64, 128, 256, 512]", "64"},
                      {"OUTER", "[1, 2, 4, 8]", "1"},
                      {"INNER1", UNROLLS, "0"},
                      {"INNER2", UNROLLS, "0"},
                      {"SOA", YES_OR_NO, "0"},
                      {"LOCAL", YES_OR_NO, "1"},
                      {"CONST", YES_OR_NO, "0"},
                      {"VECTOR", VECTORS, "1"}},
       .where = {"INNER2 <= OUTER", "INNER1 * INNER2 <= 256", "VECTOR == 1 or SOA",
                 "WG <= device.max_local"},
       .steps = {{.entry = "move",
                  .arguments = {"count / WG", "bodies", "xs", "ys", "zs", "masses", "velocities",
                                "moved", "faster"},
                  .local = {"WG"},
                  .global = {"ceil_div(count, WG * OUTER) * WG"}}});

static int reference(void *argument, double *magnitudes)
{
    nbody_call *call = argument;
    (void)magnitudes;
    for (int64_t i = 0; i < call->count; i++) {
        double sums[4] = {0, 0, 0, 0};
        for (int64_t j = 0; j < call->count; j++) {
            double away[3], square = SOFTENING;
            for (int d = 0; d < 3; d++) {
                away[d] = (double)call->bodies[4 * j + d] - call->bodies[4 * i + d];
                square += away[d] * away[d];
            }
            for (int d = 0; d < 3; d++)
                sums[d] += away[d] * call->masses[j] / (square * sqrt(square));
        }
        for (int64_t k = 4 * i; k < 4 * i + 4; k++) {
            bool is_mass = k % 4 == 3;
            call->faster[k] = (float)(call->velocities[k] + STEP * sums[k % 4]);
            call->moved[k] = call->bodies[k] + (is_mass ? 0 : (float)STEP * call->faster[k]);
        }
    }
    return 0;
}

static void place(nitro_random *random, nbody_call *call)
{
    float *const arrays[] = {(float *)call->xs, (float *)call->ys, (float *)call->zs,
                             (float *)call->masses};
    kernels_fill(random, call->bodies, 4 * call->count);
    kernels_fill(random, call->velocities, 4 * call->count);
    for (int64_t i = 0; i < 4 * call->count; i++) {
        if (i % 4 == 3) /* masses of 1 in all */
            ((float *)call->bodies)[i] = (1 + call->bodies[i]) / (float)call->count;
        arrays[i % 4][i / 4] = call->bodies[i];
    }
}

/* Of about `size` pairs of bodies. */
static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const nbody_call sizes = {.count = kernels_multiple(sqrt(size), 512)};
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "uniform-%lld", (long long)sizes.count);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(nbody_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK)
        place(random, *data);
    return status;
}

COMPUTATION(nbody, "a step of bodies that attract each other", .least_size = 2e5, .usual_size = 2e7,
            .base_size = 2e7, .unit_bytes = 1) /* time bounds it, not memory */
