/*
 * reduction_module.c - the sum of a vector on OpenCL devices: a kernel with 175 configurations,
 * compiled at run time, and a launcher for those that take several launches. The space is that of
 * the KTT benchmarks. CMake makes reduction_cl of reduction.cl.
 *
 *     nitro search ./libreduction.so:reduce --device opencl --budget 50
 *     nitro tune ./libreduction.so --device opencl --generate 20
 */
#include <math.h>
#include <nitro/kernels.h>
#include <nitro/nitro_backend.h>
#include <stddef.h>
#include <stdio.h>

typedef struct reduction_call {
    int64_t count;
    const float *from; /* shape [count] */
    float *sum;        /* shape [1] */
    nitro_kept *kept;
} reduction_call;

/* Sums of groups are kept on the device alone. */
#define ON_DEVICE_ALONE(its_name)                                                                  \
    {                                                                                              \
        .name = its_name, .role = NITRO_SCRATCH, .element = NITRO_FLOAT32,                         \
        .offset = NITRO_NOWHERE, .count = "count + 1"                                              \
    }

static const nitro_field fields[] = {
    NITRO_NUMBER(reduction_call, count),
    NITRO_ARRAY(reduction_call, from, NITRO_IN, NITRO_FLOAT32, "count"),
    NITRO_ARRAY(reduction_call, sum, NITRO_OUT, NITRO_FLOAT32, "1", .agreement = NITRO_RELATIVE,
                .tolerance = 1e-3),
    ON_DEVICE_ALONE("to"),
    ON_DEVICE_ALONE("other"),
};

extern const nitro_kit reduction_kit;
extern const char reduction_cl[];
NITRO_API const nitro_module *nitro_module_get(void); /* what the command line looks for */

/* ---- The kernel ---- */

enum { CLEAR, REDUCE };

/* Without atomics each launch leaves a sum a group: until there is one. */
static int launch(nitro_kernel_call *call)
{
    double each = nitro_kernel_value(call, "GROUP") * nitro_kernel_value(call, "VECTOR");
    double count = nitro_kernel_value(call, "count");
    bool has_atomics = nitro_kernel_value(call, "ATOMICS") != 0;
    int failure = 0;
    for (int i = 0; !has_atomics && count > each && !failure; i++) {
        failure = nitro_kernel_launch_step(call, REDUCE);
        count = ceil(count / each);
        nitro_kernel_set(call, "count", count);
        nitro_kernel_swap(call, "from", "to");
        if (i == 0)
            nitro_kernel_swap(call, "to", "other"); /* the input stays as it is */
    }
    nitro_kernel_swap(call, "to", "sum");
    if (has_atomics)
        failure = nitro_kernel_launch_step(call, CLEAR);
    return failure ? failure : nitro_kernel_launch_step(call, REDUCE);
}

static const nitro_kernel reduce = {
    .kit = &reduction_kit,
    .backend = "opencl",
    .origin = "reduction.cl",
    .source = reduction_cl,
    .parameters = {{"GROUP", "[32, 64, 128, 256, 512]", "64"},
                   {"UNBOUNDED", "[0, 1]", "0"},
                   {"GROUPS_A_UNIT", "[0, 1, 2, 4, 8, 16]", "4"},
                   {"VECTOR", "[1, 2, 4, 8, 16]", "4"},
                   {"ATOMICS", "[0, 1]", "1"}},
    .where = {"UNBOUNDED == (GROUPS_A_UNIT == 0)", "UNBOUNDED or ATOMICS",
              "GROUP <= device.max_local"},
    .steps = {[CLEAR] = {.entry = "clear", .arguments = {"to"}},
              [REDUCE] = {.entry = "reduce",
                          .arguments = {"count", "from", "to"},
                          .local = {"GROUP"},
                          .global = {"GROUP * max(1, UNBOUNDED * ceil_div(count, GROUP * VECTOR), "
                                     "GROUPS_A_UNIT * device.units)"}}},
    .launcher = launch,
};

static const nitro_variant variant = NITRO_KERNEL_VARIANT("reduce", reduce);
static const nitro_variant *const variants[] = {&variant};

static const nitro_kit_device device = {
    .kind = "opencl", .memory = &nitro_opencl_memory, .variants = variants, .num_variants = 1};

/* ---- Features, reference, inputs ---- */

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const reduction_call *)argument)->count;
    return 0;
}

static nitro_status add_features(nitro_computation *computation)
{
    static const nitro_feature count = {"count", "numbers", NITRO_SCALE_SIGNED_LOG, 0};
    return nitro_computation_add_features(computation, &count, 1, evaluate, NULL);
}

static int sum_plainly(void *argument, double *magnitudes)
{
    reduction_call *call = argument;
    double sum = 0;
    magnitudes[0] = 0;
    for (int64_t i = 0; i < call->count; i++) {
        sum += call->from[i];
        magnitudes[0] += fabs((double)call->from[i]);
    }
    call->sum[0] = (float)sum;
    return 0;
}

static nitro_status make(nitro_context *context, size_t family, nitro_random *random, double size,
                         char *label, void **data)
{
    (void)family;
    const reduction_call sizes = {.count = (int64_t)size};
    snprintf(label, NITRO_KIT_LABEL, "uniform-%lld", (long long)sizes.count);
    nitro_status status =
        data ? nitro_kit_allocate(context, &reduction_kit, &sizes, data) : NITRO_OK;
    for (int64_t i = 0; data && status == NITRO_OK && i < sizes.count; i++)
        ((float *)((reduction_call *)*data)->from)[i] = (float)nitro_random_uniform(random);
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
                                        .usual_size = 1e6,
                                        .base_size = 1e7,
                                        .unit_bytes = sizeof(float)};

/* ---- The computation ---- */

const nitro_kit reduction_kit = {
    .name = "reduction",
    .description = "the sum of a vector",
    .argument_bytes = sizeof(reduction_call),
    .kept = offsetof(reduction_call, kept),
    .fields = fields,
    .num_fields = sizeof(fields) / sizeof(fields[0]),
    .usual = "reduce",
    .add_features = add_features,
    .reference = sum_plainly,
    .inputs = &inputs,
    .device = &device,
};

NITRO_KIT_FUNCTIONS(reduction, reduction_kit, true)

const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {
        NITRO_KIT_ENTRY(reduction, "reduction", "the sum of a vector", "opencl"), {0}};
    return modules;
}
