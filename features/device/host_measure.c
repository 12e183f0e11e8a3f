/* Microbenchmarks of the host, on one thread a core; each value is the median of REPETITIONS runs
 * after one that does not count, with half the interquartile range over the median as its spread.
 *
 *   copy_gbps      every thread copies its share of an array with memcpy; bytes read and bytes
 *                  written both count. The array is four times all level-2 and level-3 caches, but
 *                  64 MiB at least and an eighth of the memory or 1 GiB at most; each thread has
 *                  touched its share first.
 *   shared_atomic  time of 2^20 atomic additions, shared out over the threads, each to a counter of
 *                  its own thread's: what stays within a core, as shared memory within a GPU's
 *                  multiprocessor.
 *   global_atomic  time of 2^20 atomic additions, shared out over the threads, all to one counter
 *                  that all cores contend for.
 *
 * Additions are 32 bits wide, relaxed, and their result is not used. Their time shrinks with the
 * number of cores where nothing is shared, as on a GPU. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "features/device/host.h"
#include "nitro/statistics.h"

#define REPETITIONS     9
#define NUM_ADDITIONS   ((size_t)1 << 20)
#define MIN_COPY_BYTES  ((size_t)64 << 20)
#define MAX_COPY_BYTES  ((size_t)1 << 30)
#define COUNTER_SPACING 128 /* a line, and the neighbour that some processors fetch with it */

typedef struct benchmark {
    size_t num_threads;
    char *from, *to; /* shape [num_bytes] */
    size_t num_bytes;
    char *counters;         /* shape [num_threads x COUNTER_SPACING] */
    size_t counter_spacing; /* 0: all threads add to the first */
} benchmark;

/* Bounds of one thread's share of `count` things. */
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

/* Median time and its spread. A clock that stands still gives nothing: then the value is a hole. */
static nitro_status repeat(nitro_host_team *team, nitro_host_work work, benchmark *self,
                           double *median_ms, double *spread)
{
    double times_ms[REPETITIONS], unused_ms;
    nitro_status status = nitro_host_team_run(team, work, self, &unused_ms);
    for (size_t i = 0; i < REPETITIONS && status == NITRO_OK; i++)
        status = nitro_host_team_run(team, work, self, &times_ms[i]);
    if (status != NITRO_OK)
        return status;
    nitro_sort(times_ms, REPETITIONS);
    *median_ms = times_ms[0] > 0 ? nitro_median(times_ms, REPETITIONS) : NAN;
    *spread = times_ms[0] > 0 ? nitro_relative_spread(times_ms, REPETITIONS) : 0;
    return NITRO_OK;
}

static size_t choose_copy_bytes(const nitro_device *device)
{
    double caches_kb = 0;
    static const char *const caches[] = {"l2_cache_size", "l3_cache_size"};
    for (size_t i = 0; i < 2; i++)
        if (isfinite(nitro_device_value(device, caches[i])))
            caches_kb += nitro_device_value(device, caches[i]);
    double memory_gb = nitro_device_value(device, "global_mem");
    double bytes = fmax(4 * caches_kb * 1024, (double)MIN_COPY_BYTES);
    bytes = fmin(bytes, isfinite(memory_gb) ? memory_gb / 8 * 0x1p30 : (double)MIN_COPY_BYTES);
    return (size_t)fmin(bytes, (double)MAX_COPY_BYTES);
}

static nitro_status measure_copy(nitro_context *context, nitro_host_team *team, benchmark *self,
                                 nitro_device *device)
{
    double median_ms, spread, unused_ms;
    self->num_bytes = choose_copy_bytes(device);
    self->from = malloc(self->num_bytes);
    self->to = malloc(self->num_bytes);
    nitro_status status =
        self->from && self->to
            ? nitro_host_team_run(team, touch, self, &unused_ms)
            : nitro_fail(context, NITRO_ERR_NO_MEMORY,
                         "copy bandwidth: cannot get two arrays of %zu bytes", self->num_bytes);
    if (status == NITRO_OK)
        status = repeat(team, copy, self, &median_ms, &spread);
    if (status == NITRO_OK)
        status = nitro_device_set(context, device, "copy_gbps",
                                  2 * (double)self->num_bytes / (median_ms * 1e6),
                                  NITRO_VALUE_MEASURED, spread);
    free(self->from);
    free(self->to);
    return status;
}

static nitro_status measure_atomics(nitro_context *context, nitro_host_team *team, benchmark *self,
                                    size_t counter_spacing, const char *feature,
                                    nitro_device *device)
{
    double median_ms, spread;
    self->counter_spacing = counter_spacing;
    nitro_status status = repeat(team, add, self, &median_ms, &spread);
    if (status != NITRO_OK)
        return status;
    return nitro_device_set(context, device, feature, median_ms, NITRO_VALUE_MEASURED, spread);
}

nitro_status nitro_host_measure(nitro_context *context, nitro_device *device)
{
    double cores = nitro_device_value(device, "sm_count");
    benchmark self = {.num_threads = cores >= 1 ? (size_t)cores : 1};
    nitro_host_team *team;
    nitro_status status = nitro_host_team_create(context, self.num_threads, &team);
    if (status != NITRO_OK)
        return status;
    self.counters = aligned_alloc(COUNTER_SPACING, self.num_threads * COUNTER_SPACING);
    if (!self.counters) {
        status = nitro_fail(context, NITRO_ERR_NO_MEMORY, "atomics: cannot get %zu counters",
                            self.num_threads);
        goto free_team;
    }
    memset(self.counters, 0, self.num_threads * COUNTER_SPACING);
    status = measure_copy(context, team, &self, device);
    if (status == NITRO_OK)
        status = measure_atomics(context, team, &self, COUNTER_SPACING, "shared_atomic", device);
    if (status == NITRO_OK)
        status = measure_atomics(context, team, &self, 0, "global_atomic", device);
    free(self.counters);
free_team:
    nitro_host_team_free(team);
    return status;
}
