/* The worker process: load one input, evaluate its features, check and time its variants. It runs
 * code that may crash or hang, so everything it finds out is sent as soon as it is final, and it
 * says where it is before it calls anything. */
#include "nitro/worker.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/nitro_internal.h"
#include "nitro/profiling.h"
#include "nitro/series.h"
#include "nitro/statistics.h"

typedef struct worker {
    const nitro_job *job;
    nitro_computation *computation;
    nitro_context *context;
    pid_t process;
    int pipe;
    nitro_place_word *place;
    void *argument;
    nitro_series series[NITRO_MAX_VARIANTS];
    double prepare_ms[NITRO_MAX_VARIANTS];
    uint64_t prepared;     /* a bit for each variant that has something to release */
    size_t reference;      /* the declared one */
    size_t kept_reference; /* the one whose result was kept; NITRO_NONE: none so far */
} worker;

/* ---- What is sent ------------------------------------------------------------------------- */

static void send_record(const worker *self, const nitro_record *record)
{
    if (getpid() != self->process)
        _exit(EXIT_FAILURE); /* a variant forked and came back twice: one of them is enough */
    ssize_t written;
    do
        written = write(self->pipe, record, sizeof(*record));
    while (written < 0 && errno == EINTR);
    if (written != (ssize_t)sizeof(*record))
        _exit(EXIT_FAILURE); /* a variant closed the pipe: nothing can be said any more */
}

static void send_text(const worker *self, nitro_record_kind kind, uint32_t index, const char *text)
{
    nitro_record record = {.kind = (uint32_t)kind, .index = index};
    snprintf(record.text, sizeof(record.text), "%s", text);
    send_record(self, &record);
}

static void send_log(void *user, nitro_log_level level, const char *message)
{
    const worker *self = user;
    send_text(self, NITRO_RECORD_LOG, (uint32_t)level, message);
}

static void send_problem(const worker *self, size_t variant, nitro_outcome outcome,
                         const char *detail)
{
    nitro_record record = {
        .kind = NITRO_RECORD_ENTRY,
        .index = (uint32_t)variant,
        .entry = {.outcome = (uint32_t)outcome, .median_ms = NAN, .spread = NAN},
    };
    record.entry.prepare_ms = self->prepare_ms[variant];
    snprintf(record.text, sizeof(record.text), "%s", detail);
    send_record(self, &record);
}

/* The declared reference has no result here, so another variant's stood in for it. */
static void describe_stand_in(const worker *self, size_t variant, char *text, size_t size)
{
    const nitro_schema *schema = self->computation->schema;
    if (!self->computation->hooks.check_result || self->kept_reference == self->reference)
        text[0] = '\0';
    else if (variant == self->kept_reference)
        snprintf(text, size, "unchecked: it stands in for reference %s, which has no result here",
                 schema->variants[self->reference]);
    else
        snprintf(text, size, "checked against %s, for reference %s has no result here",
                 schema->variants[self->kept_reference], schema->variants[self->reference]);
}

static void send_series(const worker *self, const nitro_series *series)
{
    const double *times_ms = series->times_ms;
    nitro_record record = {
        .kind = NITRO_RECORD_ENTRY,
        .index = (uint32_t)series->variant,
        .entry = {.outcome = NITRO_OUTCOME_MEASURED,
                  .count = (uint32_t)series->count,
                  .median_ms = nitro_median(times_ms, series->count),
                  .spread = nitro_relative_spread(times_ms, series->count),
                  .prepare_ms = self->prepare_ms[series->variant]},
    };
    describe_stand_in(self, series->variant, record.text, sizeof(record.text));
    send_record(self, &record);
}

/* ---- The input ---------------------------------------------------------------------------- */

static void enter(const worker *self, nitro_phase phase)
{
    nitro_place place = {.phase = phase, .variant = NITRO_NONE};
    atomic_store_explicit(self->place, nitro_place_encode(place), memory_order_release);
}

static nitro_status load_input(worker *self, double *features)
{
    const nitro_input *input = self->job->input;
    const nitro_hooks *hooks = &self->computation->hooks;
    nitro_fail(self->context, NITRO_OK, "%s", ""); /* no older error shall pass for this one's */
    enter(self, NITRO_PHASE_LOAD);
    nitro_status status = input->load(self->context, input->state, &self->argument);
    if (status != NITRO_OK)
        return status;
    enter(self, NITRO_PHASE_FEATURES);
    status = nitro_computation_evaluate(self->computation, self->argument, features);
    if (status != NITRO_OK || self->job->extent == NITRO_MEASURE_FEATURES_ONLY)
        return status;
    enter(self, NITRO_PHASE_PREPARE_INPUT);
    int failure = hooks->prepare_input ? hooks->prepare_input(self->argument, hooks->user) : 0;
    if (failure)
        return nitro_fail(self->context, NITRO_ERR_VARIANT_FAILED, "prepare_input returned %d",
                          failure);
    return NITRO_OK;
}

static void send_features(const worker *self, const double *features)
{
    nitro_record record = {.kind = NITRO_RECORD_FEATURES};
    memcpy(record.features, features, self->computation->schema->num_features * sizeof(*features));
    send_record(self, &record);
}

static void send_error(const worker *self, nitro_status status)
{
    nitro_record record = {.kind = NITRO_RECORD_ERROR, .index = (uint32_t)status};
    nitro_context_last_error(self->context, record.text, sizeof(record.text));
    send_record(self, &record);
}

/* ---- Variants ----------------------------------------------------------------------------- */

static bool is_allowed(worker *self, size_t v, const double *features)
{
    const nitro_variant *variant = &self->computation->variants[v];
    if (!variant->allows)
        return true;
    nitro_series_enter(&self->series[v], NITRO_PHASE_ALLOWS);
    bool allowed = variant->allows(features, self->argument, variant->user);
    nitro_series_enter(&self->series[v], NITRO_PHASE_BETWEEN);
    if (!allowed)
        send_problem(self, v, NITRO_OUTCOME_NOT_ALLOWED, "");
    return allowed;
}

static bool prepare(worker *self, size_t v)
{
    const nitro_variant *variant = &self->computation->variants[v];
    if (!variant->prepare)
        return true;
    nitro_series_enter(&self->series[v], NITRO_PHASE_PREPARE);
    double start_ms = nitro_clock_wall_ms(self->context);
    int failure = variant->prepare(self->argument, variant->user);
    double elapsed_ms = nitro_clock_wall_ms(self->context) - start_ms;
    nitro_series_enter(&self->series[v], NITRO_PHASE_BETWEEN);
    if (failure) {
        char why[64];
        snprintf(why, sizeof(why), "prepare returned %d", failure);
        send_problem(self, v, NITRO_OUTCOME_FAILED, why);
        return false;
    }
    self->prepared |= UINT64_C(1) << v;
    if (elapsed_ms >= 0 && isfinite(elapsed_ms))
        self->prepare_ms[v] = elapsed_ms;
    return true;
}

static bool keep_reference(worker *self, size_t v)
{
    const nitro_hooks *hooks = &self->computation->hooks;
    nitro_series_enter(&self->series[v], NITRO_PHASE_KEEP);
    int failure = hooks->keep_reference ? hooks->keep_reference(self->argument, hooks->user) : 0;
    nitro_series_enter(&self->series[v], NITRO_PHASE_BETWEEN);
    if (failure) {
        char why[64];
        snprintf(why, sizeof(why), "keep_reference returned %d", failure);
        send_problem(self, v, NITRO_OUTCOME_FAILED, why);
        return false;
    }
    self->kept_reference = v;
    return true;
}

static bool check_result(worker *self, size_t v)
{
    const nitro_hooks *hooks = &self->computation->hooks;
    if (!hooks->check_result)
        return true;
    char why[512] = "";
    nitro_series_enter(&self->series[v], NITRO_PHASE_CHECK);
    int differs = hooks->check_result(self->argument, why, sizeof(why), hooks->user);
    nitro_series_enter(&self->series[v], NITRO_PHASE_BETWEEN);
    if (!differs)
        return true;
    char detail[640];
    why[sizeof(why) - 1] = '\0';
    snprintf(detail, sizeof(detail), "%s%s(after call %llu of run)", why, why[0] ? " " : "",
             (unsigned long long)self->series[v].calls);
    send_problem(self, v, NITRO_OUTCOME_WRONG_RESULT, detail);
    return false;
}

/* First run of a variant. Its result becomes the reference where there is none yet. */
static bool try_variant(worker *self, size_t v)
{
    if (!prepare(self, v))
        return false;
    if (!nitro_series_run(&self->series[v])) {
        send_problem(self, v, NITRO_OUTCOME_FAILED, self->series[v].why);
        return false;
    }
    if (self->kept_reference == NITRO_NONE)
        return keep_reference(self, v);
    return check_result(self, v);
}

static uint64_t try_if_wanted(worker *self, size_t v, uint64_t todo)
{
    uint64_t bit = UINT64_C(1) << v;
    bool as_reference = self->kept_reference == NITRO_NONE && self->job->usable & bit;
    if (!(todo & bit) && !as_reference)
        return 0;
    return try_variant(self, v) ? todo & bit : 0;
}

/* Constraints, then the reference, then the others in declared order; returns what may be timed. */
static uint64_t try_variants(worker *self, const double *features)
{
    size_t count = self->computation->schema->num_variants;
    uint64_t todo = self->job->todo;
    for (size_t v = 0; v < count; v++)
        if (todo >> v & 1 && !is_allowed(self, v, features))
            todo &= ~(UINT64_C(1) << v);
    uint64_t ready = try_if_wanted(self, self->reference, todo);
    for (size_t v = 0; v < count; v++)
        if (v != self->reference)
            ready |= try_if_wanted(self, v, todo);
    return ready;
}

/* Warm-ups, and a batch size where single calls are too short to be timed. */
static uint64_t warm_up(worker *self, uint64_t ready)
{
    size_t count = self->computation->schema->num_variants;
    for (unsigned round = 0; round <= self->job->options->warmups; round++) {
        bool last = round == self->job->options->warmups;
        for (size_t v = 0; v < count; v++) {
            nitro_series *series = &self->series[v];
            if (!(ready >> v & 1) || nitro_series_is_slow(series))
                continue;
            if (last ? nitro_series_calibrate(series) : nitro_series_run(series))
                continue;
            send_problem(self, v, NITRO_OUTCOME_FAILED, series->why);
            ready &= ~(UINT64_C(1) << v);
        }
    }
    return ready;
}

/* One counted timing; false when the variant is through with its repetitions, one way or other. */
static bool repeat(worker *self, size_t v)
{
    nitro_series *series = &self->series[v];
    if (!nitro_series_count(series)) {
        send_problem(self, v, NITRO_OUTCOME_FAILED, series->why);
        return false;
    }
    if (!nitro_series_finished(series))
        return true;
    /* Once more: some variants are right only the first time. */
    if (v == self->kept_reference || check_result(self, v))
        send_series(self, series);
    return false;
}

static void time_variants(worker *self, uint64_t ready)
{
    size_t count = self->computation->schema->num_variants;
    while (ready)
        for (size_t v = 0; v < count; v++)
            if (ready >> v & 1 && !repeat(self, v))
                ready &= ~(UINT64_C(1) << v);
}

/* ---- Profiling instead of timing ---------------------------------------------------------- */

static int restore_profiled(void *user)
{
    const nitro_series *series = user;
    const nitro_hooks *hooks = &series->computation->hooks;
    nitro_series_enter(series, NITRO_PHASE_RESTORE);
    int failure = hooks->restore_input ? hooks->restore_input(series->argument, hooks->user) : 0;
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
    return failure;
}

/* What it left to the device is waited for by the profiler: that too is the variant's phase. */
static int run_profiled(void *user)
{
    nitro_series *series = user;
    const nitro_variant *variant = &series->computation->variants[series->variant];
    series->calls++;
    nitro_series_enter(series, NITRO_PHASE_RUN);
    return variant->run(series->argument, variant->user);
}

static void send_profile_record(void *user, const nitro_record *record)
{
    send_record(user, record);
}

static void send_unavailable(const worker *self, nitro_status status)
{
    nitro_record record = {.kind = NITRO_RECORD_UNAVAILABLE, .index = (uint32_t)status};
    nitro_context_last_error(self->context, record.text, sizeof(record.text));
    send_record(self, &record);
}

/* A variant that fails on a device may leave it so that nothing runs there any more. */
static bool profile_variant(worker *self, size_t v)
{
    char why[512];
    nitro_series *series = &self->series[v];
    const nitro_profiled_work work = {
        .restore = restore_profiled, .run = run_profiled, .user = series};
    nitro_status status =
        nitro_profiling_collect(self->job->profiling, &work, v, send_profile_record, self);
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
    if (status == NITRO_OK)
        return true;
    nitro_context_last_error(self->context, why, sizeof(why));
    if (status == NITRO_ERR_VARIANT_FAILED) {
        send_problem(self, v, NITRO_OUTCOME_FAILED, why);
        send_text(self, NITRO_RECORD_GIVEN_UP, 0, "");
    } else {
        send_unavailable(self, status);
    }
    return false;
}

static bool profile_variants(worker *self, uint64_t ready)
{
    for (size_t v = 0; v < self->computation->schema->num_variants; v++)
        if (ready >> v & 1 && !profile_variant(self, v))
            return false;
    return true;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static void start_series(worker *self)
{
    const nitro_measure_options *options = self->job->options;
    size_t count = self->computation->schema->num_variants;
    double *times_ms =
        nitro_calloc(self->context, count * options->max_repetitions, sizeof(*times_ms));
    if (!times_ms) {
        send_error(self, NITRO_ERR_NO_MEMORY);
        _exit(EXIT_FAILURE);
    }
    for (size_t v = 0; v < count; v++) {
        self->prepare_ms[v] = NAN;
        self->series[v] = (nitro_series){.computation = self->computation,
                                         .options = options,
                                         .place = self->place,
                                         .variant = v,
                                         .argument = self->argument,
                                         .batch = 1,
                                         .times_ms = times_ms + v * options->max_repetitions};
    }
}

static void release(worker *self)
{
    for (size_t v = 0; v < self->computation->schema->num_variants; v++) {
        const nitro_variant *variant = &self->computation->variants[v];
        if (!variant->release || !(self->prepared >> v & 1))
            continue;
        nitro_series_enter(&self->series[v], NITRO_PHASE_RELEASE);
        variant->release(self->argument, variant->user);
    }
    enter(self, NITRO_PHASE_UNLOAD);
    if (self->job->input->unload)
        self->job->input->unload(self->argument);
}

void nitro_worker_main(const nitro_job *job, pid_t parent, int pipe, nitro_place_word *place)
{
    nitro_worker_become(parent);
    nitro_computation *computation = job->computation;
    size_t reference = computation->reference;
    worker self = {
        .job = job,
        .computation = computation,
        .context = computation->context,
        .process = getpid(),
        .pipe = pipe,
        .place = place,
        .reference = reference == NITRO_NONE ? computation->schema->default_variant : reference,
        .kept_reference = NITRO_NONE,
    };
    if (self.context->log)
        nitro_context_set_log(self.context, self.context->log_level, send_log, &self);
    double features[NITRO_MAX_FEATURES] = {0};
    nitro_status status = job->profiling ? nitro_profiling_open(job->profiling) : NITRO_OK;
    if (status != NITRO_OK) {
        send_unavailable(&self, status);
        _exit(EXIT_SUCCESS);
    }
    status = load_input(&self, features);
    if (status != NITRO_OK) {
        send_error(&self, status);
        _exit(EXIT_SUCCESS);
    }
    send_features(&self, features);
    if (job->extent == NITRO_MEASURE_ALL) {
        start_series(&self);
        time_variants(&self, warm_up(&self, try_variants(&self, features)));
    }
    if (job->extent == NITRO_MEASURE_PROFILES) {
        start_series(&self);
        if (!profile_variants(&self, try_variants(&self, features)))
            _exit(EXIT_SUCCESS);
        nitro_profiling_close(job->profiling);
    }
    send_text(&self, NITRO_RECORD_DONE, 0, "");
    release(&self);
    _exit(EXIT_SUCCESS);
}
