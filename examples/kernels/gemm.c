/* The product of two matrices: 241,600 configurations, 205,216 on CUDA. */
#include "kernel_computation.h"

typedef struct gemm_call {
    int64_t m, n, k; /* multiples of 128, 128 and 32 */
    const float *a;  /* shape [k, m] */
    const float *b;  /* shape [k, n] */
    float *c;        /* shape [n, m] */
    nitro_kept *kept;
} gemm_call;

#define CALL gemm_call
static const nitro_field fields[] = {
    NUMBER(m),         NUMBER(n),         NUMBER(k),
    INPUT(a, "k * m"), INPUT(b, "k * n"), OUTPUT(c, "n * m", WITHIN(RELATIVE, 1e-4)),
};

#define TILES "[16, 32, 64, 128]"
#define ITEMS "[8, 16, 32]"

KERNEL(gemm, "",
       .parameters = {{"MWG", TILES, "64"},
                      {"NWG", TILES, "64"},
                      {"KWG", "[16, 32]", "32"},
                      {"MDIMC", ITEMS, "16"},
                      {"NDIMC", ITEMS, "16"},
                      {"MDIMA", ITEMS, "16"},
                      {"NDIMB", ITEMS, "16"},
                      {"KWI", "[2, 8]", "2"},
                      {"VWM", VECTORS_8, "2"},
                      {"VWN", VECTORS_8, "2"},
                      {"STRM", YES_OR_NO, "0"},
                      {"STRN", YES_OR_NO, "0"},
                      {"SA", YES_OR_NO, "1"},
                      {"SB", YES_OR_NO, "1"}},
       .where = {"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
                 "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
                 "KWG % (MDIMC * NDIMC // MDIMA) == 0", "KWG % (MDIMC * NDIMC // NDIMB) == 0",
                 "MDIMC * NDIMC <= device.max_local",
                 "4 * KWG * (SA * MWG + SB * NWG) <= device.local_bytes"},
       .steps = {{.entry = "gemm",
                  .arguments = {"m / MWG", "n / NWG", "k / KWG", "a", "b", "c"},
                  .local = {"MDIMC", "NDIMC"},
                  .global = {"m / MWG * MDIMC", "n / NWG * NDIMC"}}});

static int reference(void *argument, double *magnitudes)
{
    gemm_call *call = argument;
    for (int64_t j = 0; j < call->n; j++)
        for (int64_t i = 0; i < call->m; i++) {
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < call->k; k++) {
                double product = (double)call->a[k * call->m + i] * call->b[k * call->n + j];
                sum += product;
                magnitude += fabs(product);
            }
            call->c[j * call->m + i] = (float)sum;
            magnitudes[j * call->m + i] = magnitude;
        }
    return 0;
}

/* Of about `size` products. */
static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    double side = cbrt(size);
    gemm_call sizes = {.m = kernels_multiple(side, 128),
                       .n = kernels_multiple(side * (0.5 + nitro_random_uniform(random)), 128),
                       .k = kernels_multiple(side * (0.5 + nitro_random_uniform(random)), 32)};
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "%lldx%lldx%lld", (long long)sizes.m, (long long)sizes.n,
             (long long)sizes.k);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(gemm_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK) {
        kernels_fill(random, ((gemm_call *)*data)->a, sizes.k * sizes.m);
        kernels_fill(random, ((gemm_call *)*data)->b, sizes.k * sizes.n);
    }
    return status;
}

COMPUTATION(gemm, "the product of two matrices", .least_size = 2e6, .usual_size = 1e8,
            .base_size = 1e8, .unit_bytes = 1) /* time bounds it, not memory */
