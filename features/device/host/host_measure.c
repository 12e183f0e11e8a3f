/* Microbenchmarks of the host, on one thread a core; each value is the median of REPETITIONS runs
 * after one that does not count, with half the interquartile range over the median as its spread.
 *
 *   copy_gbps      every thread copies its share of an array with memcpy; bytes read and bytes
 *                  written both count. The array is four times all L2 and L3 caches, but
 *                  64 MiB at least and an eighth of the memory or 1 GiB at most; each thread has
 *                  touched its share first.
 *   l2_gbps        every thread reads half of its own L2 cache's size repeatedly, with
 *                  vectors as wide as the processor has; bytes read count.
 *   shared_atomic  ms for 2^15 atomic additions, shared out over the threads, each to a counter of
 *                  its own thread's: what stays within a core, as shared memory within a GPU's
 *                  multiprocessor. Thirty-two times as many are made, and their time is divided.
 *   global_atomic  the same, all to one counter that all cores contend for.
 *   sp_gflops,     multiplications and additions, fused where the processor can, in independent
 *   dp_gflops      chains of vectors.
 *   launch_us      an empty parallel region of OpenMP's with its usual number of threads, once they
 *                  are there: what every variant with threads pays (host_launch.c).
 *
 * Additions are 32 bits wide, relaxed, and their result is not used. Their time shrinks with the
 * number of cores where nothing is shared, as on a GPU; their number is that of cuda_measure.c, and
 * of the paper's Table 1. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/host/host_kernels.h"
#include "features/device/host/host_kind.h"
#include "nitro/backend/statistics.h"

#define REPETITIONS     9
#define NUM_ADDITIONS   ((size_t)1 << 20)
#define NUM_ROUNDS      ((size_t)1 << 21) /* of chains: a few ms */
#define NUM_BYTES_READ  ((size_t)1 << 29) /* by each thread: a few ms */
#define MAX_READ_BYTES  ((size_t)8 << 20)
#define MIN_COPY_BYTES  ((size_t)64 << 20)
#define MAX_COPY_BYTES  ((size_t)1 << 30)
#define COUNTER_SPACING 128 /* a cache line, and the adjacent one that some processors prefetch */

typedef struct benchmark {
    nitro_context *context;
    nitro_host_team *team;
    nitro_device *device; /* that gets the values */
    size_t num_threads;
    char *from, *to; /* shape [num_bytes] */
    size_t num_bytes;
    char *counters;         /* shape [num_threads x COUNTER_SPACING] */
    size_t counter_spacing; /* 0: all threads add to the first */
    const nitro_host_kernels *kernels;
    size_t read_bytes, amount; /* of a thread: bytes of its part; passes or rounds */
    double *results;           /* shape [num_threads]: prevents dead-code elimination */
} benchmark;

/* Bounds of one thread's part of `count` items. */
static void share_of(size_t count, size_t num_threads, size_t index, size_t *begin, size_t *end)
{
    size_t each = count / num_threads, longer = count % num_threads;
    *begin = index * each + (index < longer ? index : longer);
    *end = *begin + each + (index < longer);
}

static void touch(void *state, size_t index)
{
    benchmark *self = state;
    size_t begin, end;
    share_of(self->num_bytes, self->num_threads, index, &begin, &end);
    memset(self->from + begin, 1, end - begin);
    memset(self->to + begin, 2, end - begin);
}

static void copy(void *state, size_t index)
{
    benchmark *self = state;
    size_t begin, end;
    share_of(self->num_bytes, self->num_threads, index, &begin, &end);
    memcpy(self->to + begin, self->from + begin, end - begin);
}

static void add(void *state, size_t index)
{
    benchmark *self = state;
    size_t begin, end;
    share_of(NUM_ADDITIONS, self->num_threads, index, &begin, &end);
    atomic_uint *counter = (atomic_uint *)(void *)(self->counters + index * self->counter_spacing);
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void read_again(void *state, size_t index)
{
    benchmark *self = state;
    const char *begin = self->from + index * self->read_bytes;
    self->results[index] = (double)self->kernels->read(begin, self->read_bytes, self->amount);
}

static void multiply_sp(void *state, size_t index)
{
    benchmark *self = state;
    self->results[index] = self->kernels->chains_sp(self->amount, 0.999F, 0.001F);
}

static void multiply_dp(void *state, size_t index)
{
    benchmark *self = state;
    self->results[index] = self->kernels->chains_dp(self->amount, 0.999, 0.001);
}

/* Median time and its spread; missing if the clock does not advance. */
static nitro_status repeat(benchmark *self, nitro_host_work work, double *median_ms, double *spread)
{
    double times_ms[REPETITIONS], unused_ms;
    nitro_status status = nitro_host_team_run(self->team, work, self, &unused_ms);
    for (size_t i = 0; i < REPETITIONS && status == NITRO_OK; i++)
        status = nitro_host_team_run(self->team, work, self, &times_ms[i]);
    if (status != NITRO_OK)
        return status;
    nitro_sort(times_ms, REPETITIONS);
    *median_ms = times_ms[0] > 0 ? nitro_median(times_ms, REPETITIONS) : NAN;
    *spread = times_ms[0] > 0 ? nitro_relative_spread(times_ms, REPETITIONS) : 0;
    return NITRO_OK;
}

/* Sets a feature to 1e9 of what one run does, by its time. */
static nitro_status measure_rate(benchmark *self, nitro_host_work work, double count,
                                 const char *feature)
{
    double median_ms, spread;
    nitro_status status = repeat(self, work, &median_ms, &spread);
    if (status != NITRO_OK)
        return status;
    return nitro_device_set(self->context, self->device, feature, count / (median_ms * 1e6),
                            NITRO_VALUE_MEASURED, spread);
}

double nitro_host_cache_bytes(const nitro_device *device)
{
    double l2_kb = nitro_device_value(device, "l2_cache_size");
    double l3_kb = nitro_device_value(device, "l3_cache_size");
    return 1024 * ((isfinite(l2_kb) ? l2_kb : 0) + (isfinite(l3_kb) ? l3_kb : 0));
}

static size_t choose_copy_bytes(const nitro_device *device)
{
    double memory_gb = nitro_device_value(device, "global_mem");
    double bytes = fmax(4 * nitro_host_cache_bytes(device), (double)MIN_COPY_BYTES);
    bytes = fmin(bytes, isfinite(memory_gb) ? memory_gb / 8 * 0x1p30 : (double)MIN_COPY_BYTES);
    return (size_t)fmin(bytes, (double)MAX_COPY_BYTES);
}

/** Moves `moved_bytes` between two arrays of num_bytes, which are freed. `from` is allocated. */
static nitro_status measure_arrays(benchmark *self, nitro_host_work work, double moved_bytes,
                                   const char *feature)
{
    double unused_ms;
    self->to = malloc(self->num_bytes);
    nitro_status status =
        self->from && self->to
            ? nitro_host_team_run(self->team, touch, self, &unused_ms)
            : nitro_fail(self->context, NITRO_ERR_NO_MEMORY,
                         "%s: cannot get two arrays of %zu bytes", feature, self->num_bytes);
    if (status == NITRO_OK)
        status = measure_rate(self, work, moved_bytes, feature);
    free(self->from);
    free(self->to);
    return status;
}

static nitro_status measure_copy(benchmark *self)
{
    self->num_bytes = choose_copy_bytes(self->device);
    self->from = malloc(self->num_bytes);
    return measure_arrays(self, copy, 2 * (double)self->num_bytes, "copy_gbps");
}

/* Missing if the size of the cache is unknown. The second array is touched, not read. */
static nitro_status measure_l2(benchmark *self)
{
    double l2_bytes = nitro_device_value(self->device, "l2_cache_size") * 1024;
    size_t bytes = l2_bytes > 0 ? (size_t)(l2_bytes / (double)self->num_threads / 2) : 0;
    if (bytes > MAX_READ_BYTES)
        bytes = MAX_READ_BYTES;
    self->read_bytes = bytes - bytes % NITRO_HOST_READ_BYTES;
    if (self->read_bytes == 0)
        return NITRO_OK;
    self->num_bytes = self->num_threads * self->read_bytes;
    self->from = aligned_alloc(NITRO_HOST_READ_BYTES, self->num_bytes);
    self->amount = NUM_BYTES_READ / self->read_bytes;
    return measure_arrays(self, read_again, (double)self->num_bytes * (double)self->amount,
                          "l2_gbps");
}

static nitro_status measure_flops(benchmark *self, nitro_host_work work, double flops,
                                  const char *feature)
{
    self->amount = NUM_ROUNDS;
    return measure_rate(self, work, flops * (double)self->amount * (double)self->num_threads,
                        feature);
}

static nitro_status measure_atomics(benchmark *self, size_t counter_spacing, const char *feature)
{
    double median_ms, spread;
    self->counter_spacing = counter_spacing;
    nitro_status status = repeat(self, add, &median_ms, &spread);
    if (status != NITRO_OK)
        return status;
    return nitro_device_set(self->context, self->device, feature,
                            median_ms * (NITRO_COUNTED_ADDITIONS / (double)NUM_ADDITIONS),
                            NITRO_VALUE_MEASURED, spread);
}

static nitro_status measure_all(benchmark *self)
{
    nitro_status status = measure_copy(self);
    if (status == NITRO_OK)
        status = measure_l2(self);
    if (status == NITRO_OK)
        status = measure_atomics(self, COUNTER_SPACING, "shared_atomic");
    if (status == NITRO_OK)
        status = measure_atomics(self, 0, "global_atomic");
    if (status == NITRO_OK)
        status = nitro_host_measure_launch(self->context, self->device);
    if (status == NITRO_OK)
        status = measure_flops(self, multiply_sp, self->kernels->flops_sp, "sp_gflops");
    if (status == NITRO_OK)
        status = measure_flops(self, multiply_dp, self->kernels->flops_dp, "dp_gflops");
    return status;
}

nitro_status nitro_host_measure(nitro_context *context, nitro_device *device)
{
    double cores = nitro_device_value(device, "sm_count");
    benchmark self = {.context = context,
                      .device = device,
                      .num_threads = cores >= 1 ? (size_t)cores : 1,
                      .kernels = nitro_host_kernels_find()};
    nitro_status status = nitro_host_team_create(context, self.num_threads, &self.team);
    if (status != NITRO_OK)
        return status;
    self.counters = aligned_alloc(COUNTER_SPACING, self.num_threads * COUNTER_SPACING);
    self.results = nitro_calloc(context, self.num_threads, sizeof(*self.results));
    if (self.counters && self.results) {
        memset(self.counters, 0, self.num_threads * COUNTER_SPACING);
        status = measure_all(&self);
    } else {
        status = nitro_fail(context, NITRO_ERR_NO_MEMORY, "atomics: cannot get %zu counters",
                            self.num_threads);
    }
    free(self.results);
    free(self.counters);
    nitro_host_team_free(self.team);
    return status;
}
