/* How a worker profiles variants: each is checked as for timing, then run by the profiler as often
 * as necessary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/measure/worker_internal.h"
#include "nitro/records/machine.h"

static int restore(void *user)
{
    const nitro_timing *timing = user;
    const nitro_hooks *hooks = &timing->computation->hooks;
    nitro_timing_enter(timing, NITRO_PHASE_RESTORE);
    int failure = hooks->restore_input ? hooks->restore_input(timing->argument, hooks->user) : 0;
    nitro_timing_enter(timing, NITRO_PHASE_BETWEEN);
    return failure;
}

/* The profiler waits for asynchronous work, which belongs to the variant's phase. */
static int run(void *user)
{
    nitro_timing *timing = user;
    const nitro_variant *variant = &timing->computation->variants[timing->variant];
    timing->calls++;
    nitro_timing_enter(timing, NITRO_PHASE_RUN);
    return variant->run(timing->argument, variant->user);
}

_Noreturn static void give_up(const nitro_worker *self, nitro_record_kind kind, nitro_status status)
{
    nitro_worker_record record = {.kind = (uint32_t)kind, .index = (uint32_t)status};
    nitro_context_last_error(self->context, record.text, sizeof(record.text));
    nitro_worker_send_record(self, &record);
    _exit(EXIT_SUCCESS);
}

static bool has(void *user, const char *counter)
{
    const nitro_worker *self = user;
    return self->job->profiling->profiler->has(self->profiler_state, counter);
}

static nitro_status open_profiler(nitro_worker *self)
{
    const nitro_profiling *profiling = self->job->profiling;
    char local[NITRO_DEVICE_ID_SIZE];
    nitro_machine_local_id(profiling->device, local);
    nitro_status status = profiling->profiler->open(self->context, local, &self->profiler_state);
    if (status == NITRO_OK)
        status = nitro_proxies_choose_counters(self->context, profiling->proxies, has, self,
                                               &self->counters);
    if (status == NITRO_OK && self->counters.count == 0)
        status = nitro_fail(self->context, NITRO_ERR_IO,
                            "profiler %s has none of the proxies' counters on %s",
                            profiling->profiler->name, profiling->device);
    return status;
}

void nitro_worker_open_profiler(nitro_worker *self)
{
    nitro_status status = open_profiler(self);
    if (status != NITRO_OK)
        give_up(self, NITRO_RECORD_UNAVAILABLE, status);
}

typedef struct profiled_variant {
    const nitro_worker *worker;
    size_t variant;
} profiled_variant;

/* The value of one of all proxies' counters; NaN: not collected. */
static double value_of(const nitro_worker *self, size_t counter, const double *values)
{
    const nitro_string_list *all = &self->job->profiling->proxies->counters;
    size_t place = nitro_string_list_find(&self->counters, all->items[counter]);
    return place == NITRO_NONE ? NAN : values[place];
}

/* The kernel's name, then the values of all proxies' counters in blocks. */
static nitro_status send_kernel(void *user, const char *kernel, const double *values)
{
    const profiled_variant *self = user;
    size_t count = self->worker->job->profiling->proxies->counters.count;
    nitro_worker_send_text(self->worker, NITRO_RECORD_KERNEL, (uint32_t)self->variant, kernel);
    for (size_t first = 0; first < count; first += NITRO_RECORD_VALUES) {
        nitro_worker_record record = {.kind = NITRO_RECORD_COUNTERS, .index = (uint32_t)first};
        for (size_t i = 0; i < NITRO_RECORD_VALUES; i++)
            record.values[i] = first + i < count ? value_of(self->worker, first + i, values) : NAN;
        nitro_worker_send_record(self->worker, &record);
    }
    return NITRO_OK;
}

/* After a variant fails under a profiler, the device or the profiler may be unusable: the worker
 * exits. */
static void profile(nitro_worker *self, size_t v)
{
    char why[512];
    nitro_timing *timing = &self->timings[v];
    const nitro_profiled_work work = {.restore = restore, .run = run, .user = timing};
    profiled_variant sender = {.worker = self, .variant = v};
    nitro_status status = self->job->profiling->profiler->collect(
        self->profiler_state, &self->counters, &work, send_kernel, &sender);
    if (status == NITRO_OK)
        nitro_worker_send_text(self, NITRO_RECORD_PROFILED, (uint32_t)v, "");
    nitro_timing_enter(timing, NITRO_PHASE_BETWEEN);
    if (status == NITRO_OK)
        return;
    if (status != NITRO_ERR_VARIANT_FAILED)
        give_up(self, NITRO_RECORD_UNAVAILABLE, status);
    nitro_context_last_error(self->context, why, sizeof(why));
    const char *problem = nitro_computation_problem(self->computation, self->argument);
    size_t length = strlen(why);
    if (problem[0])
        snprintf(why + length, sizeof(why) - length, ": %s", problem);
    nitro_worker_send_entry(self, v, NITRO_OUTCOME_FAILED, why);
    give_up(self, NITRO_RECORD_BROKEN, status);
}

void nitro_worker_profile(nitro_worker *self, const double *features)
{
    uint64_t ready = nitro_worker_try(self, features);
    for (size_t v = 0; v < self->computation->schema->num_variants; v++)
        if (ready >> v & 1)
            profile(self, v);
    self->job->profiling->profiler->close(self->profiler_state);
    nitro_string_list_free(&self->counters);
}
