/* The sum of a vector: 175 configurations, 105 on CUDA, and a launcher for those that take several
 * launches. */
#include "kernel_computation.h"

typedef struct reduction_call {
    int64_t count;
    const float *from; /* shape [count] */
    float *sum;        /* shape [1] */
    nitro_kept *kept;
} reduction_call;

#define CALL reduction_call
static const nitro_field fields[] = {
    NUMBER(count),
    INPUT(from, "count"),
    OUTPUT(sum, "1", WITHIN(RELATIVE, 1e-3)),
    ON_DEVICE_ALONE("to", "count + 1"),
    ON_DEVICE_ALONE("other", "count + 1"),
};

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

KERNEL(reduction, "",
       .parameters = {{"GROUP", "[32, 64, 128, 256, 512]", "64"},
                      {"UNBOUNDED", YES_OR_NO, "0"},
                      {"GROUPS_A_UNIT", "[0, 1, 2, 4, 8, 16]", "4"},
                      {"VECTOR", VECTORS, "4"},
                      {"ATOMICS", YES_OR_NO, "1"}},
       .where = {"UNBOUNDED == (GROUPS_A_UNIT == 0)", "UNBOUNDED or ATOMICS",
                 "GROUP <= device.max_local"},
       .steps = {[CLEAR] = {.entry = "clear", .arguments = {"to"}},
                 [REDUCE] = {.entry = "reduce",
                             .arguments = {"count", "from", "to"},
                             .local = {"GROUP"},
                             .global = {"GROUP * max(1, UNBOUNDED * ceil_div(count, GROUP * "
                                        "VECTOR), GROUPS_A_UNIT * device.units)"}}},
       .launcher = launch);

static int reference(void *argument, double *magnitudes)
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
    const reduction_call sizes = {.count = (int64_t)size};
    (void)family;
    snprintf(label, NITRO_KIT_LABEL, "uniform-%lld", (long long)sizes.count);
    nitro_status status =
        data ? nitro_kit_allocate(context, &SYMBOL(reduction_kit), &sizes, data) : NITRO_OK;
    if (data && status == NITRO_OK)
        kernels_fill(random, ((reduction_call *)*data)->from, sizes.count);
    return status;
}

COMPUTATION(reduction, "the sum of a vector", .least_size = 1e3, .usual_size = 1e6,
            .base_size = 1e7, .unit_bytes = 3 * sizeof(float))
