/* The profiler "perf": a processor's counters during a variant's run, its threads included. A run
 * counts as one kernel, "run". Each event is counted in a run of its own, so that events are not
 * multiplexed on the processor's few counters. */
#include "proxies/profilers/profile_perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTEL "GenuineIntel"
#define CACHE(cache, operation, result)                                                            \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                       \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/** A term of a counter: a weighted sum of events. */
typedef struct event_row {
    const char *counter; /* rows of one counter are adjacent */
    const char *vendor;  /* NULL: a generic event of the kernel */
    uint32_t type;
    uint64_t config;
    double weight;
} event_row;

/* Intel: FP_ARITH_INST_RETIRED (Broadwell and later; a fused multiply-addition counts twice)
 * by width, and loads with a lock prefix (Skylake and later). */
static const event_row rows[] = {
    {"perf.instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1},
    {"perf.task_ns", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1},
    {"perf.loads", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS), 1},
    {"perf.stores", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS), 1},
    {"perf.l1_load_misses", NULL, PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS), 1},
    {"perf.llc_loads", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS), 1},
    {"perf.llc_load_misses", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS), 1},
    {"perf.llc_store_misses", NULL, PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS), 1},
    {"perf.cache_misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1},
    {"perf.fp32_instructions", INTEL, PERF_TYPE_RAW, 0xaac7, 1},
    {"perf.fp64_instructions", INTEL, PERF_TYPE_RAW, 0x55c7, 1},
    {"perf.flops_sp", INTEL, PERF_TYPE_RAW, 0x02c7, 1},
    {"perf.flops_sp", INTEL, PERF_TYPE_RAW, 0x08c7, 4},
    {"perf.flops_sp", INTEL, PERF_TYPE_RAW, 0x20c7, 8},
    {"perf.flops_sp", INTEL, PERF_TYPE_RAW, 0x80c7, 16},
    {"perf.flops_dp", INTEL, PERF_TYPE_RAW, 0x01c7, 1},
    {"perf.flops_dp", INTEL, PERF_TYPE_RAW, 0x04c7, 2},
    {"perf.flops_dp", INTEL, PERF_TYPE_RAW, 0x10c7, 4},
    {"perf.flops_dp", INTEL, PERF_TYPE_RAW, 0x40c7, 8},
    {"perf.atomics", INTEL, PERF_TYPE_RAW, 0x21d0, 1},
};
enum { NUM_ROWS = sizeof rows / sizeof rows[0] };

typedef struct session {
    nitro_context *context;
    perf_source source;
    int handles[NUM_ROWS]; /* negative: not available here */
} session;

static nitro_status explain(const session *self, int problem)
{
    if (problem == EACCES || problem == EPERM)
        return nitro_fail(self->context, NITRO_ERR_IO,
                          "the processor's counters may not be read here: kernel.perf_event_"
                          "paranoid is %d; be root, or 'sysctl kernel.perf_event_paranoid=2'",
                          self->source.paranoid);
    if (problem == ENOENT || problem == EOPNOTSUPP || problem == ENODEV)
        return nitro_fail(self->context, NITRO_ERR_IO,
                          "the processor's counters are not available: this is a virtual machine "
                          "without them; profile on the machine itself, or have its host "
                          "pass them through");
    if (problem == ENOSYS)
        return nitro_fail(self->context, NITRO_ERR_IO,
                          "this system has no perf_event_open, by which the processor's counters "
                          "are read: profile on a Linux with CONFIG_PERF_EVENTS that allows it");
    return nitro_fail(self->context, NITRO_ERR_IO, "the processor's counters cannot be read: %s",
                      strerror(problem));
}

void perf_session_close(void *state)
{
    session *self = state;
    for (size_t i = 0; i < NUM_ROWS; i++)
        if (self->handles[i] >= 0)
            self->source.close(self->source.user, self->handles[i]);
    free(self);
}

/* All are opened at once: an event does not count threads that were started before. */
nitro_status perf_session_open(nitro_context *context, const perf_source *source, void **state)
{
    session *self = nitro_calloc(context, 1, sizeof *self);
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->context = context;
    self->source = *source;
    for (size_t i = 0; i < NUM_ROWS; i++) {
        bool known = !rows[i].vendor || strcmp(rows[i].vendor, source->vendor) == 0;
        self->handles[i] =
            known ? source->open(source->user, rows[i].type, rows[i].config) : -ENOENT;
    }
    if (self->handles[0] < 0) { /* instructions, the divisor of all other counters */
        nitro_status status = explain(self, -self->handles[0]);
        perf_session_close(self);
        return status;
    }
    *state = self;
    return NITRO_OK;
}

bool perf_session_has(void *state, const char *counter)
{
    const session *self = state;
    bool found = false;
    for (size_t i = 0; i < NUM_ROWS; i++) {
        if (strcmp(rows[i].counter, counter) != 0)
            continue;
        if (self->handles[i] < 0)
            return false;
        found = true;
    }
    return found;
}

static nitro_status fail_event(const session *self, size_t row, const char *doing, int problem)
{
    return nitro_fail(self->context, NITRO_ERR_IO, "%s counter %s: %s", doing, rows[row].counter,
                      strerror(-problem));
}

/* Counts of ended threads cannot be reset, so the difference is used. */
static double difference(const perf_reading *before, const perf_reading *after)
{
    double running_ns = (double)(after->running_ns - before->running_ns);
    double enabled_ns = (double)(after->enabled_ns - before->enabled_ns);
    double count = (double)(after->count - before->count);
    return running_ns > 0 ? count * enabled_ns / running_ns : NAN;
}

static nitro_status run_counted(const session *self, size_t row, const nitro_profiled_work *work,
                                perf_reading *before, perf_reading *after)
{
    const perf_source *source = &self->source;
    int handle = self->handles[row];
    int problem = source->read(source->user, handle, before);
    if (problem == 0)
        problem = source->start(source->user, handle);
    if (problem < 0)
        return fail_event(self, row, "starting", problem);
    int failure = work->run(work->user);
    problem = source->stop(source->user, handle);
    if (failure)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "run returned %d", failure);
    if (problem == 0)
        problem = source->read(source->user, handle, after);
    return problem < 0 ? fail_event(self, row, "reading", problem) : NITRO_OK;
}

static nitro_status count_event(const session *self, size_t row, const nitro_profiled_work *work,
                                double *count)
{
    perf_reading before = {0}, after = {0};
    int failure = work->restore ? work->restore(work->user) : 0;
    if (failure)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "restore_input returned %d",
                          failure);
    nitro_status status = run_counted(self, row, work, &before, &after);
    if (status == NITRO_OK)
        *count = difference(&before, &after);
    return status;
}

static nitro_status count_all(const session *self, const nitro_string_list *counters,
                              const nitro_profiled_work *work, double *values)
{
    nitro_status status = NITRO_OK;
    for (size_t row = 0; row < NUM_ROWS && status == NITRO_OK; row++) {
        double count = 0;
        size_t place = nitro_string_list_find(counters, rows[row].counter);
        if (place == NITRO_NONE)
            continue;
        status = count_event(self, row, work, &count);
        values[place] += rows[row].weight * count;
    }
    return status;
}

nitro_status perf_session_collect(void *state, const nitro_string_list *counters,
                                  const nitro_profiled_work *work, nitro_kernel_function function,
                                  void *user)
{
    const session *self = state;
    double *values = nitro_calloc(self->context, counters->count + 1, sizeof *values);
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = count_all(self, counters, work, values);
    if (status == NITRO_OK)
        status = function(user, "run", values);
    free(values);
    return status;
}

static nitro_status open_perf(nitro_context *context, const char *device, void **state)
{
    perf_source source;
    (void)device;
    perf_source_init(&source);
    return perf_session_open(context, &source, state);
}

const nitro_profiler nitro_profiler_perf = {
    .name = "perf",
    .description = "the processor's counters (Linux perf events): every run of a variant, on hosts",
    .device_kind = "host",
    .open = open_perf,
    .has = perf_session_has,
    .collect = perf_session_collect,
    .close = perf_session_close,
};
