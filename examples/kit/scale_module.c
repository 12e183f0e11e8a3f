/*
 * scale_module.c - a computation from tables in one file: argument, two variants, a feature,
 * inputs, and the module that `nitro tune` loads.
 *
 *     cc -shared -fPIC -fopenmp scale_module.c $(pkg-config --cflags --libs nitro) -o libscale.so
 *     nitro tune ./libscale.so --generate 20
 */
#include <math.h>
#include <nitro/computation_kit.h>
#include <nitro/nitro_backend.h>
#include <stddef.h>
#include <stdio.h>

typedef struct scale_call { /* the argument: zeroed before its use */
    int64_t count;
    double factor;
    const double *from; /* shape [count] */
    double *to;         /* shape [count] */
    nitro_kept *kept;   /* for the kit */
} scale_call;

static const nitro_field fields[] = {
    NITRO_NUMBER(scale_call, count),
    NITRO_ARRAY(scale_call, from, NITRO_IN, NITRO_FLOAT64, "count"),
    NITRO_ARRAY(scale_call, to, NITRO_OUT, NITRO_FLOAT64, "count", .agreement = NITRO_RELATIVE,
                .tolerance = 1e-15),
};

extern const nitro_kit scale_kit;
NITRO_API const nitro_module *nitro_module_get(void); /* what the command line looks for */

/* ---- Variants ---- */

static int run_loop(void *argument, void *user)
{
    (void)user;
    scale_call *call = argument;
    for (int64_t i = 0; i < call->count; i++)
        call->to[i] = call->factor * call->from[i];
    return 0;
}

static int run_parallel(void *argument, void *user)
{
    (void)user;
    scale_call *call = argument;
#pragma omp parallel for
    for (int64_t i = 0; i < call->count; i++)
        call->to[i] = call->factor * call->from[i];
    return 0;
}

static const nitro_variant loop = {.name = "loop", .run = run_loop};
static const nitro_variant parallel = {.name = "parallel", .run = run_parallel};
static const nitro_variant *const variants[] = {&loop, &parallel};

/* ---- Features, reference, inputs ---- */

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const scale_call *)argument)->count;
    return 0;
}

static nitro_status add_features(nitro_computation *computation)
{
    static const nitro_feature count = {"count", "numbers", NITRO_SCALE_SIGNED_LOG, 0};
    return nitro_computation_add_features(computation, &count, 1, evaluate, NULL);
}

static int scale_plainly(void *argument, double *magnitudes)
{
    scale_call *call = argument;
    for (int64_t i = 0; i < call->count; i++) {
        call->to[i] = call->factor * call->from[i];
        magnitudes[i] = fabs(call->to[i]);
    }
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    (void)family;
    const scale_call sizes = {.count = (int64_t)size, .factor = 2.5};
    snprintf(label, NITRO_KIT_LABEL, "uniform-%lld", (long long)sizes.count);
    nitro_status status = data ? nitro_kit_allocate(context, &scale_kit, &sizes, data) : NITRO_OK;
    for (int64_t i = 0; data && status == NITRO_OK && i < sizes.count; i++)
        ((double *)((scale_call *)*data)->from)[i] = nitro_random_uniform(random);
    return status;
}

static nitro_status load(nitro_context *context, const char *path, void **data)
{
    (void)data;
    return nitro_fail(context, NITRO_ERR_UNSUPPORTED, "%s: this has generated inputs only", path);
}

static const nitro_kit_inputs inputs = {.load = load,
                                        .make = make,
                                        .num_families = 1,
                                        .least_size = 1e3,
                                        .usual_size = 1e5,
                                        .base_size = 1e6,
                                        .unit_bytes = 2 * sizeof(double)};

/* ---- The computation ---- */

const nitro_kit scale_kit = {
    .name = "scale",
    .description = "y = a x",
    .argument_bytes = sizeof(scale_call),
    .kept = offsetof(scale_call, kept),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .variants = variants,
    .num_variants = sizeof(variants) / sizeof(variants[0]),
    .usual = "loop",
    .add_features = add_features,
    .reference = scale_plainly,
    .inputs = &inputs,
};

NITRO_KIT_FUNCTIONS(scale, scale_kit, false)

const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {NITRO_KIT_ENTRY(scale, "scale", "y = a x", NULL), {0}};
    return modules;
}
