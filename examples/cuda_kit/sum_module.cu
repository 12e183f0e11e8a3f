/*
 * sum_module.cu - a computation on CUDA devices in one file: argument, two variants, a feature,
 * inputs, and the module that `nitro tune` loads. One variant is CUB's, the other adds with
 * atomics.
 *
 *     nvcc -shared -Xcompiler -fPIC sum_module.cu $(pkg-config --cflags --libs nitro) -o libsum.so
 *     nitro tune ./libsum.so --generate 20 --device cuda
 */
#include <cub/device/device_reduce.cuh>

#include "nitro/computation_kit.h"
#include "nitro/cuda.hpp"
#include "nitro/nitro_backend.h"

/* ---- The argument ---- */

typedef struct sum_call {
    int64_t count;
    const double *numbers; /* shape [count] */
    double *sum;
    nitro_kept *kept;
} sum_call;

typedef struct sum_cuda {
    sum_call host; /* must be first */
    nitro_cuda cuda;
    const double *numbers;
    double *sum;
} sum_cuda;

static const nitro_field fields[] = {
    NITRO_NUMBER(sum_call, count),
    NITRO_ARRAY(sum_call, numbers, NITRO_IN, NITRO_FLOAT64, "count",
                NITRO_ON_DEVICE(sum_cuda, numbers)),
    NITRO_ARRAY(sum_call, sum, NITRO_OUT, NITRO_FLOAT64, "1", NITRO_ON_DEVICE(sum_cuda, sum),
                .agreement = NITRO_RELATIVE, .tolerance = 1e-12),
};

extern const nitro_kit sum_kit;

/* ---- Variants ---- */

static int upload(void *argument, void *)
{
    return nitro_kit_upload(&sum_kit, argument);
}

/* Without room, it only says how much it needs. */
static int add_by_cub(sum_cuda *call, void *room, size_t *bytes)
{
    return nitro_cuda_check(&call->cuda,
                            cub::DeviceReduce::Sum(room, *bytes, call->numbers, call->sum,
                                                   call->host.count,
                                                   (cudaStream_t)call->cuda.stream),
                            "CUB's sum");
}

static int run_cub(void *argument, void *)
{
    sum_cuda *call = (sum_cuda *)argument;
    size_t bytes = (size_t)call->cuda.room.bytes;
    return add_by_cub(call, call->cuda.room.memory, &bytes);
}

static int prepare_cub(void *argument, void *user)
{
    sum_cuda *call = (sum_cuda *)argument;
    size_t bytes = 0;
    if (upload(argument, user) != 0 || add_by_cub(call, nullptr, &bytes) != 0)
        return call->cuda.failure;
    return nitro_kit_make_room(&sum_kit, argument, (int64_t)bytes);
}

static __global__ void add_all(const double *numbers, int64_t count, double *sum)
{
    double own = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        own += numbers[i];
    for (int delta = 16; delta > 0; delta /= 2)
        own += __shfl_down_sync(NITRO_CUDA_FULL_MASK, own, delta);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, own);
}

static int run_atomic(void *argument, void *)
{
    sum_cuda *call = (sum_cuda *)argument;
    int64_t num_threads = call->host.count < 65536 ? call->host.count + 1 : 65536;
    if (nitro_cuda_fill(&call->cuda, call->sum, 1, sizeof(double), 0) != 0)
        return call->cuda.failure;
    return nitro_cuda_launch(&call->cuda, "adding", num_threads, 256, add_all, call->numbers,
                             call->host.count, call->sum);
}

static const nitro_variant cub_sum = {.name = "cub", .run = run_cub, .prepare = prepare_cub};
static const nitro_variant atomic_sum = {.name = "atomic", .run = run_atomic};
static const nitro_variant *const variants[] = {&cub_sum, &atomic_sum};

static const nitro_kit_device device = NITRO_CUDA_DEVICE(sum_cuda, variants, .prepare = upload);

/* ---- Features, reference, inputs ---- */

static int evaluate(const void *argument, double *values, void *)
{
    values[0] = (double)((const sum_call *)argument)->count;
    return 0;
}

static nitro_status add_features(nitro_computation *computation)
{
    static const nitro_feature count = {"count", "numbers", NITRO_SCALE_SIGNED_LOG, 0};
    return nitro_computation_add_features(computation, &count, 1, evaluate, nullptr);
}

static int add_plainly(void *argument, double *magnitudes)
{
    sum_call *call = (sum_call *)argument;
    long double sum = 0;
    for (int64_t i = 0; i < call->count; i++)
        sum += call->numbers[i];
    *call->sum = magnitudes[0] = (double)sum; /* no number is negative */
    return 0;
}

static nitro_status make(nitro_context *context, size_t, nitro_random *random, double size,
                         char *label, void **data)
{
    sum_call sizes = {};
    sizes.count = (int64_t)size;
    snprintf(label, NITRO_KIT_LABEL, "uniform-%lld", (long long)sizes.count);
    nitro_status status = data ? nitro_kit_allocate(context, &sum_kit, &sizes, data) : NITRO_OK;
    for (int64_t i = 0; data && status == NITRO_OK && i < sizes.count; i++)
        ((double *)((sum_call *)*data)->numbers)[i] = nitro_random_uniform(random);
    return status;
}

static nitro_status load(nitro_context *context, const char *path, void **)
{
    return nitro_fail(context, NITRO_ERR_UNSUPPORTED, "%s: sums have generated inputs only", path);
}

static const nitro_kit_inputs inputs = {.load = load,
                                        .make = make,
                                        .num_families = 1,
                                        .least_size = 1e3,
                                        .usual_size = 1e7,
                                        .base_size = 1e8,
                                        .unit_bytes = sizeof(double)};

/* ---- The computation ---- */

const nitro_kit sum_kit = {
    .name = "sum",
    .description = "the sum of numbers, on CUDA devices",
    .argument_bytes = sizeof(sum_call),
    .kept = offsetof(sum_call, kept),
    .fields = fields,
    .num_fields = 3,
    .usual = "cub",
    .add_features = add_features,
    .reference = add_plainly,
    .inputs = &inputs,
    .device = &device,
};

NITRO_KIT_FUNCTIONS(sum, sum_kit, true)

extern "C" const nitro_module *nitro_module_get(void)
{
    static const nitro_module modules[] = {
        NITRO_KIT_ENTRY(sum, "sum", "the sum of numbers", "cuda"), {}};
    return modules;
}
