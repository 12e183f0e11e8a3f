/* Products of many small matrices of one size, which the kernel is compiled for: 424 configurations
 * at 16 x 16. dynamic.c makes kernels of other sizes. */
#include "batched.h"

#define SIZE  16
#define ITEMS "(SIZE_C + PADD_C) * Y * Z"
#define LOCAL_BYTES                                                                                \
    "4 * Z * ((CACHING == 2) * (SIZE_A + PADD_AA) * (SIZE_B + PADD_AB + SIZE_C) + "                \
    "(1 - DIRECT) * SIZE_B * SIZE_C)"

#define CALL batched_call
static const nitro_field fields[] = {
    NUMBER(count),
    NUMBER(a_cells),
    NUMBER(b_cells),
    NUMBER(c_cells),
    INPUT(a, "count * a_cells"),
    INPUT(b, "count * b_cells"),
    OUTPUT(c, "count * c_cells", WITHIN(TOLERANCE, 1e-4)),
};

KERNEL(batched, "",
       .parameters = {{"SIZE_A", "[16]", "16"},
                      {"SIZE_B", "[16]", "16"},
                      {"SIZE_C", "[16]", "16"},
                      {"PADD_C", "[0]", "0"}, /* and SIZE_C % 4 */
                      {"Y", "[1, 2, 4, 8, 16, 32]", "2"},
                      {"Z", "[1, 2, 4, 8, 16, 32, 64]", "8"},
                      {"CACHING", "[1, 2]", "1"},
                      {"PADD_AA", YES_OR_NO, "0"},
                      {"PADD_AB", YES_OR_NO, "0"},
                      {"DIRECT", YES_OR_NO, "1"},
                      {"UNROLL_K", YES_OR_NO, "0"}},
       .where = {"Y <= SIZE_B", "not UNROLL_K or CACHING == 2", LOCAL_BYTES " < 49152",
                 LOCAL_BYTES " <= device.local_bytes", ITEMS " >= 32", ITEMS " < 1024",
                 ITEMS " <= device.max_local"},
       .steps = {{.entry = "multiply",
                  .arguments = {"count", "a", "b", "c"},
                  .local = {"SIZE_C + PADD_C", "Y", "Z"},
                  .global = {"SIZE_C + PADD_C", "Y", "ceil_div(count, Z) * Z"}}});

#ifndef ON_CUDA
const nitro_kernel *const batched_kernel_opencl = &kernel;
#endif

static int reference(void *argument, double *magnitudes)
{
    batched_call *call = argument;
    (void)magnitudes;
    for (int64_t i = 0; i < call->count * SIZE * SIZE; i++) {
        const float *a = call->a + i / SIZE * SIZE;
        const float *b = call->b + i / (SIZE * SIZE) * (SIZE * SIZE) + i % SIZE;
        double sum = 0;
        for (int k = 0; k < SIZE; k++)
            sum += (double)a[k] * b[k * SIZE];
        call->c[i] = (float)sum;
    }
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    const batched_call sizes = {.count = (int64_t)size,
                                .a_cells = SIZE * SIZE,
                                .b_cells = SIZE * SIZE,
                                .c_cells = SIZE * SIZE};
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx16x16", (long long)sizes.count);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(batched_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        kernels_fill(random, ((batched_call *)*data)->a, sizes.count * sizes.a_cells);
        kernels_fill(random, ((batched_call *)*data)->b, sizes.count * sizes.b_cells);
    }
    return status;
}

COMPUTATION(batched, "products of small matrices", .least_size = 100, .usual_size = 1e4,
            .base_size = 1e4, .unit_bytes = 3 * SIZE * SIZE * sizeof(float))
