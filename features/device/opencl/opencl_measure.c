/* Microbenchmarks of an OpenCL device, timed by its own events. Each value is the median of
 * REPETITIONS runs after one that does not count, with half the interquartile range over the median
 * as its spread. Work is doubled until one run takes TARGET_MS, so that a launch does not count.
 * They mean what CUDA's do (cuda_measure.c):
 *
 *   copy_gbps      from one array to another, COPY_BYTES each; bytes read and written both count
 *   l2_gbps        reads of a quarter of the device's cache, repeatedly
 *   shared_atomic  ms for 2^15 additions of 1, one counter a work-group in its local memory
 *   global_atomic  the same with one counter in global memory for all work-items
 *   shared_atomic_spread, global_atomic_spread  the same with 256 counters, taken at random
 *   launch_us      host time from launching an empty kernel until it has finished
 *   sp_gflops,     fused multiply-adds (two operations each) in eight chains a work-item
 *   dp_gflops */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/opencl/opencl_kind.h"
#include "features/device/opencl/opencl_library.h"
#include "nitro/backend/statistics.h"
#include "nitro/kernels.h"

#define REPETITIONS   11
#define LAUNCHES      100
#define TARGET_MS     4.0
#define MAX_AMOUNT    (1u << 24)
#define BLOCK         256
#define BLOCKS_A_UNIT 4
#define COPY_BYTES    ((size_t)128 << 20)
#define CACHE_SHARE   4
#define NUM_COUNTERS  256
#define FLOPS_A_ROUND (2.0 * 8 * 32) /* two, chains, steps: as the kernels have them */
#define RATIO         1000

extern const char nitro_opencl_measure_cl[];
extern const nitro_kernel_backend nitro_kernel_backend_opencl;

typedef enum bench_kernel {
    NOTHING,
    COPY,
    READ_CACHE,
    ADD_LOCAL,
    ADD_GLOBAL,
    MULTIPLY_SP,
    MULTIPLY_DP,
    NUM_KERNELS
} bench_kernel;

static const char *const entries[NUM_KERNELS] = {
    [NOTHING] = "nothing",        [COPY] = "copy",
    [READ_CACHE] = "read_cache",  [ADD_LOCAL] = "add_local",
    [ADD_GLOBAL] = "add_global",  [MULTIPLY_SP] = "multiply_sp",
    [MULTIPLY_DP] = "multiply_dp"};

typedef struct bench {
    nitro_context *context;
    nitro_device_session *session;
    nitro_kernel_target target;
    void *program, *functions[NUM_KERNELS];
    size_t num_kernels; /* without double precision one less */
    nitro_on_device on_device;
    void *from, *to; /* of COPY_BYTES */
    size_t num_blocks;
} bench;

/* @param[in] argument  the kernel's second: a mask, a ratio, or words. */
static nitro_status launch(bench *self, bench_kernel kernel, cl_uint argument, cl_uint amount)
{
    nitro_kernel_launch launched = {.local = {BLOCK, 1, 1},
                                    .global = {self->num_blocks * BLOCK, 1, 1},
                                    .arguments = {{&self->to, sizeof(self->to)},
                                                  {&argument, sizeof(argument)},
                                                  {&amount, sizeof(amount)},
                                                  {&self->from, sizeof(self->from)}},
                                    .num_arguments = kernel == READ_CACHE ? 4 : 3};
    char problem[256];
    if (kernel == COPY) {
        launched.arguments[0].value = &self->from;
        launched.arguments[1] = (nitro_kernel_value_bytes){&self->to, sizeof(self->to)};
        launched.num_arguments = 2;
        launched.global[0] = COPY_BYTES / 16;
    } else if (kernel == NOTHING) {
        launched.num_arguments = 1;
        launched.global[0] = BLOCK;
    }
    if (nitro_kernel_backend_opencl.launch(self->functions[kernel], &launched, problem,
                                           sizeof(problem)) != 0)
        return nitro_fail(self->context, NITRO_ERR_IO, "measuring %s: %s", entries[kernel],
                          problem);
    return NITRO_OK;
}

static nitro_status time_once(bench *self, bench_kernel kernel, cl_uint argument, cl_uint amount,
                              double *elapsed_ms)
{
    nitro_status status = nitro_opencl_access.start(self->session, NULL);
    if (status == NITRO_OK)
        status = launch(self, kernel, argument, amount);
    return status == NITRO_OK ? nitro_opencl_access.stop(self->session, NULL, elapsed_ms) : status;
}

/* Twice each, since a kernel's first run may include translating it. */
static nitro_status choose_amount(bench *self, bench_kernel kernel, cl_uint argument,
                                  cl_uint *amount)
{
    double first_ms = 0, second_ms = 0;
    nitro_status status = NITRO_OK;
    for (*amount = 1; *amount < MAX_AMOUNT && kernel != COPY; *amount *= 2) {
        status = time_once(self, kernel, argument, *amount, &first_ms);
        if (status == NITRO_OK)
            status = time_once(self, kernel, argument, *amount, &second_ms);
        if (status != NITRO_OK || fmin(first_ms, second_ms) >= TARGET_MS)
            break;
    }
    return status;
}

/* @param[in] work  of one run with amount 1; the value is work by time, or time by work. */
static nitro_status measure(bench *self, bench_kernel kernel, cl_uint argument, double work,
                            bool is_rate, double *value, double *spread)
{
    double times_ms[REPETITIONS], unused_ms;
    cl_uint amount;
    nitro_status status = choose_amount(self, kernel, argument, &amount);
    if (status == NITRO_OK)
        status = time_once(self, kernel, argument, amount, &unused_ms);
    for (size_t i = 0; i < REPETITIONS && status == NITRO_OK; i++)
        status = time_once(self, kernel, argument, amount, &times_ms[i]);
    if (status != NITRO_OK)
        return status;
    nitro_sort(times_ms, REPETITIONS);
    double median_ms = times_ms[0] > 0 ? nitro_median(times_ms, REPETITIONS) : NAN;
    *value = is_rate ? work * amount / median_ms : median_ms / (work * amount);
    *spread = times_ms[0] > 0 ? nitro_relative_spread(times_ms, REPETITIONS) : 0;
    return NITRO_OK;
}

static nitro_status measure_launch(bench *self, double *value, double *spread)
{
    double times_us[REPETITIONS];
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < REPETITIONS && status == NITRO_OK; i++) {
        double begin_ms = nitro_clock_wall_ms(self->context);
        for (int k = 0; k < LAUNCHES && status == NITRO_OK; k++) {
            status = launch(self, NOTHING, 0, 0);
            if (status == NITRO_OK && nitro_opencl_memory.wait(&self->on_device) != 0)
                status = nitro_fail(self->context, NITRO_ERR_IO, "measuring launches: %s",
                                    self->on_device.problem);
        }
        times_us[i] = (nitro_clock_wall_ms(self->context) - begin_ms) * 1e3 / LAUNCHES;
    }
    if (status != NITRO_OK)
        return status;
    nitro_sort(times_us, REPETITIONS);
    *value = times_us[0] > 0 ? nitro_median(times_us, REPETITIONS) : NAN;
    *spread = times_us[0] > 0 ? nitro_relative_spread(times_us, REPETITIONS) : 0;
    return NITRO_OK;
}

/* Words of 16 bytes that each of the work-items reads; 0: the cache is too small for so many. */
static cl_uint count_cache_words(double cache_bytes, double items)
{
    double bytes = fmin(cache_bytes / CACHE_SHARE, (double)COPY_BYTES);
    return cache_bytes > 0 ? (cl_uint)(bytes / (16 * items)) : 0; /* NaN: not told */
}

static nitro_status measure_all(bench *self, nitro_facts *facts)
{
    double items = (double)self->num_blocks * BLOCK;
    double additions = items / NITRO_COUNTED_ADDITIONS;
    cl_uint words = count_cache_words(facts->values[NITRO_OPENCL_GLOBAL_CACHE_BYTES], items);
    const struct {
        nitro_opencl_benchmark benchmark;
        bench_kernel kernel;
        cl_uint argument;
        double work; /* 0: the device cannot do it */
        bool is_rate;
    } benchmarks[] = {
        {NITRO_OPENCL_COPY_GBPS, COPY, 0, 2 * (double)COPY_BYTES / 1e6, true},
        {NITRO_OPENCL_L2_GBPS, READ_CACHE, words, 16 * items * words / 1e6, true},
        {NITRO_OPENCL_SHARED_ATOMIC, ADD_LOCAL, 0, additions, false},
        {NITRO_OPENCL_SHARED_ATOMIC_SPREAD, ADD_LOCAL, NUM_COUNTERS - 1, additions, false},
        {NITRO_OPENCL_GLOBAL_ATOMIC, ADD_GLOBAL, 0, additions, false},
        {NITRO_OPENCL_GLOBAL_ATOMIC_SPREAD, ADD_GLOBAL, NUM_COUNTERS - 1, additions, false},
        {NITRO_OPENCL_SP_GFLOPS, MULTIPLY_SP, RATIO, FLOPS_A_ROUND * items / 1e6, true},
        {NITRO_OPENCL_DP_GFLOPS, MULTIPLY_DP, RATIO, FLOPS_A_ROUND * items / 1e6, true},
    };
    nitro_status status = measure_launch(self, &facts->measured[NITRO_OPENCL_LAUNCH_US],
                                         &facts->spread[NITRO_OPENCL_LAUNCH_US]);
    for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]) && status == NITRO_OK; i++)
        if ((size_t)benchmarks[i].kernel < self->num_kernels && benchmarks[i].work > 0)
            status = measure(self, benchmarks[i].kernel, benchmarks[i].argument, benchmarks[i].work,
                             benchmarks[i].is_rate, &facts->measured[benchmarks[i].benchmark],
                             &facts->spread[benchmarks[i].benchmark]);
    return status;
}

static nitro_status compile(bench *self, const nitro_facts *facts)
{
    void *image = NULL;
    size_t bytes = 0;
    char options[64];
    bool has_double = facts->values[NITRO_OPENCL_DOUBLE] > 0;
    const nitro_kernel_backend *backend = &nitro_kernel_backend_opencl;
    self->num_kernels = has_double ? NUM_KERNELS : NUM_KERNELS - 1;
    snprintf(options, sizeof(options), "-DIS_PROCESSOR=%d%s",
             strcmp(facts->texts[NITRO_OPENCL_TYPE], "cpu") == 0,
             has_double ? " -DHAS_DOUBLE" : "");
    nitro_status status = backend->open(self->context, NULL, NULL, &self->target);
    if (status == NITRO_OK)
        status = backend->compile(self->context, &self->target, "opencl_measure.cl",
                                  nitro_opencl_measure_cl, options, &image, &bytes);
    if (status == NITRO_OK)
        status = backend->load(self->context, &self->target, image, bytes, entries,
                               self->num_kernels, &self->program, self->functions);
    free(image);
    return status;
}

static nitro_status allocate(bench *self)
{
    const nitro_device_memory *memory = &nitro_opencl_memory;
    nitro_on_device *on = &self->on_device;
    if (memory->allocate(on, COPY_BYTES, 1, &self->from) != 0 ||
        memory->allocate(on, COPY_BYTES, 1, &self->to) != 0 ||
        memory->fill(on, self->from, COPY_BYTES, 1, 1) != 0 ||
        memory->fill(on, self->to, COPY_BYTES, 1, 0) != 0 || memory->wait(on) != 0)
        return nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "measuring an OpenCL device: %s",
                          on->problem);
    return NITRO_OK;
}

nitro_status nitro_opencl_measure(nitro_context *context, nitro_facts *facts)
{
    bench self = {.context = context};
    nitro_facts measured = *facts;
    char id[80];
    double units = facts->values[NITRO_OPENCL_COMPUTE_UNITS];
    self.num_blocks = (size_t)(units > 0 ? units : 1) * BLOCKS_A_UNIT;
    snprintf(id, sizeof(id), "opencl:%.0f", facts->index);
    nitro_status status = nitro_opencl_access.open(context, id, &self.session);
    if (status == NITRO_OK)
        status = compile(&self, facts);
    if (status == NITRO_OK)
        status = allocate(&self);
    if (status == NITRO_OK)
        status = measure_all(&self, &measured);
    nitro_opencl_memory.free(self.from);
    nitro_opencl_memory.free(self.to);
    if (self.program)
        nitro_kernel_backend_opencl.unload(self.program, self.functions, self.num_kernels);
    if (self.target.state)
        nitro_kernel_backend_opencl.close(&self.target);
    nitro_opencl_access.close(self.session);
    if (status == NITRO_OK)
        *facts = measured;
    return status;
}
