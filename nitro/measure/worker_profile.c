/* What a worker process does with variants that are to be profiled: each is checked as it is where
 * variants are timed, and then handed to the profiler, which runs it as often as it likes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/measure/profile_transfer.h"
#include "nitro/measure/worker_internal.h"

static int restore(void *user)
{
    const nitro_series *series = user;
    const nitro_hooks *hooks = &series->computation->hooks;
    nitro_series_enter(series, NITRO_PHASE_RESTORE);
    int failure = hooks->restore_input ? hooks->restore_input(series->argument, hooks->user) : 0;
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
    return failure;
}

/* What it left to the device is waited for by the profiler: that too is the variant's phase. */
static int run(void *user)
{
    nitro_series *series = user;
    const nitro_variant *variant = &series->computation->variants[series->variant];
    series->calls++;
    nitro_series_enter(series, NITRO_PHASE_RUN);
    return variant->run(series->argument, variant->user);
}

static void send(void *user, const nitro_worker_record *record)
{
    nitro_worker_send_record(user, record);
}

_Noreturn static void give_up(const nitro_worker *self, nitro_record_kind kind, nitro_status status)
{
    nitro_worker_record record = {.kind = (uint32_t)kind, .index = (uint32_t)status};
    nitro_context_last_error(self->context, record.text, sizeof(record.text));
    nitro_worker_send_record(self, &record);
    _exit(EXIT_SUCCESS);
}

void nitro_worker_open_profiler(nitro_worker *self)
{
    nitro_status status = nitro_profile_transfer_open(self->job->profiling);
    if (status != NITRO_OK)
        give_up(self, NITRO_RECORD_UNAVAILABLE, status);
}

/* A variant that fails under a profiler may leave the device, or the profiler, of no more use. */
static void profile(nitro_worker *self, size_t v)
{
    char why[512];
    nitro_series *series = &self->series[v];
    const nitro_profiled_work work = {.restore = restore, .run = run, .user = series};
    nitro_status status =
        nitro_profile_transfer_collect(self->job->profiling, &work, v, send, self);
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
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
    nitro_profile_transfer_close(self->job->profiling);
}
