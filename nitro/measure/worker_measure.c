/* How a worker measures variants: constraints, preparing, a first run whose result is checked,
 * then repetitions, several of a variant in a row. A variant whose format does not fit into memory
 * beside the others' is prepared alone, if necessary in a worker of its own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/measure/bind_threads.h"
#include "nitro/measure/worker_internal.h"

/* Preparing is repeated until two calls after the first one agree: a single one may take twice as
 * long as the next. */
#define PREPARE_CALLS  5
#define PREPARE_MS     1000 /* no further call after so much time */
#define PREPARE_SPREAD 0.1

/* A variant's turn. Programs call one variant repeatedly: caches and branch predictors adapt to it
 * over tens of calls. Where variants alternate call by call, each finds what the others left there;
 * formats that fill the last cache together then take up to 3 times as long, in one process and not
 * in the next. */
#define TURN_MS          20
#define TURN_REPETITIONS 40

static bool is_allowed(nitro_worker *self, size_t v, const double *features)
{
    const nitro_variant *variant = &self->computation->variants[v];
    if (!variant->allows)
        return true;
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_ALLOWS);
    bool allowed = variant->allows(features, self->argument, variant->user);
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_BETWEEN);
    if (!allowed)
        nitro_worker_send_entry(self, v, NITRO_OUTCOME_NOT_ALLOWED, "");
    return allowed;
}

static void release_variant(nitro_worker *self, size_t v)
{
    const nitro_variant *variant = &self->computation->variants[v];
    uint64_t bit = UINT64_C(1) << v;
    if (!variant->release || !(self->prepared & bit))
        return;
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_RELEASE);
    variant->release(self->argument, variant->user);
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_BETWEEN);
    self->prepared &= ~bit;
}

static int prepare_once(nitro_worker *self, size_t v, double *elapsed_ms)
{
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_PREPARE);
    double start_ms = nitro_clock_wall_ms(self->context);
    int failure = nitro_computation_prepare(self->computation, v, self->argument);
    *elapsed_ms = nitro_clock_wall_ms(self->context) - start_ms;
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_BETWEEN);
    return failure;
}

/* The fastest of some calls after a release: the first one may pay for new pages, which later ones
 * reuse, or find the format that another variant made and both use. */
static int try_prepare(nitro_worker *self, size_t v)
{
    bool has_release = self->computation->variants[v].release;
    double *fastest_ms = &self->prepare_ms[v], spent_ms = 0;
    bool agree = false;
    for (unsigned call = 0; call < (has_release ? PREPARE_CALLS : 1) && !agree; call++) {
        double elapsed_ms;
        if (call > 0)
            release_variant(self, v);
        int failure = prepare_once(self, v, &elapsed_ms);
        if (failure)
            return failure;
        self->prepared |= UINT64_C(1) << v;
        if (!(elapsed_ms >= 0) || isinf(elapsed_ms))
            break;
        if (call == 0 && has_release)
            continue;
        spent_ms += elapsed_ms;
        agree = fabs(elapsed_ms - *fastest_ms) <= PREPARE_SPREAD * fmin(elapsed_ms, *fastest_ms) ||
                spent_ms >= PREPARE_MS;
        *fastest_ms = fmin(*fastest_ms, elapsed_ms);
    }
    return 0;
}

/* Frees the formats of variants that are done, which may fill the memory. */
static int prepare_alone(nitro_worker *self, size_t v, uint64_t ready)
{
    uint64_t spare = self->prepared & ~ready;
    for (size_t other = 0; other < self->computation->schema->num_variants; other++)
        if (spare >> other & 1)
            release_variant(self, other);
    return spare ? try_prepare(self, v) : NITRO_ERR_NO_MEMORY;
}

static void send_failed_prepare(nitro_worker *self, size_t v, int failure, double free_bytes)
{
    char why[512];
    const char *problem = nitro_computation_problem(self->computation, self->argument);
    const char *colon = problem[0] ? ": " : "";
    snprintf(why, sizeof(why), "prepare returned %d%s%.400s", failure, colon, problem);
    if (failure == NITRO_ERR_NO_MEMORY && isfinite(free_bytes))
        snprintf(why, sizeof(why), "prepare found too little memory, %.1f MB were free%s%.400s",
                 free_bytes / 1e6, colon, problem);
    else if (failure == NITRO_ERR_NO_MEMORY)
        snprintf(why, sizeof(why), "prepare found too little memory%s%.400s", colon, problem);
    nitro_worker_send_problem(
        self, v,
        failure == NITRO_ERR_NO_MEMORY ? NITRO_OUTCOME_OUT_OF_MEMORY : NITRO_OUTCOME_FAILED, why);
}

/* False also if it has to wait for the next worker. */
static bool prepare(nitro_worker *self, size_t v, uint64_t ready)
{
    double free_bytes;
    if (!self->computation->variants[v].prepare)
        return true;
    if (!nitro_worker_device_is_well(&self->device, &free_bytes)) {
        nitro_worker_send_problem(self, v, NITRO_OUTCOME_FAILED, "before prepare");
        return false;
    }
    int failure = try_prepare(self, v);
    if (failure == NITRO_ERR_NO_MEMORY)
        failure = prepare_alone(self, v, ready);
    if (failure == NITRO_ERR_NO_MEMORY && self->prepared & ready)
        return false;
    if (failure)
        send_failed_prepare(self, v, failure, free_bytes);
    return !failure;
}

static void send_failed_run(nitro_worker *self, size_t v)
{
    const nitro_timing *timing = &self->timings[v];
    nitro_worker_send_problem(self, v, nitro_outcome_of_failure(timing->failure), timing->why);
}

/* The next worker loads the input again. */
static void leave_if_changed(const nitro_worker *self, size_t v, int code)
{
    if (code != NITRO_INPUT_CHANGED)
        return;
    nitro_worker_send_text(self, NITRO_RECORD_BROKEN, (uint32_t)v, "");
    _exit(EXIT_SUCCESS);
}

static bool keep_reference(nitro_worker *self, size_t v)
{
    const nitro_hooks *hooks = &self->computation->hooks;
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_KEEP);
    int failure = hooks->keep_reference ? hooks->keep_reference(self->argument, hooks->user) : 0;
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_BETWEEN);
    if (failure) {
        char why[512];
        const char *problem = nitro_computation_problem(self->computation, self->argument);
        snprintf(why, sizeof(why), "keep_reference returned %d%s%.400s", failure,
                 problem[0] ? ": " : "", problem);
        nitro_worker_send_problem(self, v, NITRO_OUTCOME_FAILED, why);
        leave_if_changed(self, v, failure);
        return false;
    }
    self->kept_reference = v;
    return true;
}

static bool check_result(nitro_worker *self, size_t v)
{
    const nitro_hooks *hooks = &self->computation->hooks;
    if (!hooks->check_result)
        return true;
    char why[512] = "";
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_CHECK);
    int differs = hooks->check_result(self->argument, why, sizeof(why), hooks->user);
    nitro_timing_enter(&self->timings[v], NITRO_PHASE_BETWEEN);
    if (!differs)
        return true;
    char detail[640];
    why[sizeof(why) - 1] = '\0';
    snprintf(detail, sizeof(detail), "%s%s(after call %llu of run)", why, why[0] ? " " : "",
             (unsigned long long)self->timings[v].calls);
    nitro_worker_send_problem(self, v, NITRO_OUTCOME_WRONG_RESULT, detail);
    leave_if_changed(self, v, differs);
    return false;
}

/* First run of a variant. Its result becomes the reference if there is none yet. */
static bool try_variant(nitro_worker *self, size_t v, uint64_t ready)
{
    if (!prepare(self, v, ready))
        return false;
    if (!nitro_timing_run(&self->timings[v])) {
        send_failed_run(self, v);
        return false;
    }
    if (self->kept_reference == NITRO_NONE)
        return keep_reference(self, v);
    return check_result(self, v);
}

static uint64_t try_if_wanted(nitro_worker *self, size_t v, uint64_t todo, uint64_t ready)
{
    uint64_t bit = UINT64_C(1) << v;
    bool as_reference = self->kept_reference == NITRO_NONE && self->job->usable & bit;
    if (!(todo & bit) && !as_reference)
        return 0;
    return try_variant(self, v, ready) ? todo & bit : 0;
}

/* Those of earlier blocks whose formats are still there. */
static uint64_t ready_variants(const nitro_worker *self)
{
    uint64_t ready = self->checked;
    for (size_t v = 0; v < self->computation->schema->num_variants; v++)
        if (self->computation->variants[v].prepare && !(self->prepared >> v & 1))
            ready &= ~(UINT64_C(1) << v);
    return ready;
}

/* Checks constraints, then runs the reference, then the others in declared order.
 * @return the variants to be timed. */
static uint64_t try_variants(nitro_worker *self, const double *features)
{
    size_t count = self->computation->schema->num_variants;
    uint64_t ready = self->todo & ready_variants(self);
    uint64_t todo = self->todo & ~ready;
    for (size_t v = 0; v < count; v++)
        if (todo >> v & 1 && !is_allowed(self, v, features))
            todo &= ~(UINT64_C(1) << v);
    ready |= try_if_wanted(self, self->reference, todo, ready);
    for (size_t v = 0; v < count; v++)
        if (v != self->reference)
            ready |= try_if_wanted(self, v, todo, ready);
    self->checked |= ready;
    return ready;
}

/* Warm-up runs, then calibration of the batch size. */
static uint64_t warm_up(nitro_worker *self, uint64_t ready)
{
    size_t count = self->computation->schema->num_variants;
    for (unsigned round = 0; round <= self->job->options->warmups; round++) {
        bool last = round == self->job->options->warmups;
        for (size_t v = 0; v < count; v++) {
            nitro_timing *timing = &self->timings[v];
            if (!(ready >> v & 1) || nitro_timing_is_slow(timing))
                continue;
            if (last ? nitro_timing_calibrate(timing) : nitro_timing_run(timing))
                continue;
            send_failed_run(self, v);
            ready &= ~(UINT64_C(1) << v);
        }
    }
    return ready;
}

/* Brings the variant's data back to the caches; where a call fills a turn, it is not worth one. */
static bool begin_turn(nitro_worker *self, size_t v)
{
    nitro_timing *timing = &self->timings[v];
    if (self->job->options->cache == NITRO_CACHE_COLD || timing->last_wall_ms >= TURN_MS)
        return true;
    bool ran = nitro_timing_run(timing);
    if (!ran)
        send_failed_run(self, v);
    return ran;
}

/* False: the variant is finished or failed. */
static bool take_turn(nitro_worker *self, size_t v)
{
    nitro_timing *timing = &self->timings[v];
    size_t last_count = timing->count + TURN_REPETITIONS;
    double end_ms = timing->spent_ms + TURN_MS;
    if (!begin_turn(self, v))
        return false;
    do {
        if (!nitro_timing_add(timing)) {
            send_failed_run(self, v);
            return false;
        }
        if (nitro_timing_finished(timing)) {
            /* Check again: some variants are right only the first time. */
            if (v == self->kept_reference || check_result(self, v))
                nitro_worker_send_timing(self, timing);
            return false;
        }
    } while (timing->count < last_count && timing->spent_ms < end_ms);
    return true;
}

static void time_variants(nitro_worker *self, uint64_t ready)
{
    size_t count = self->computation->schema->num_variants;
    if (!ready)
        return;
    nitro_worker_send_state(self, 0);
    while (ready)
        for (size_t v = 0; v < count; v++)
            if (ready >> v & 1 && !take_turn(self, v))
                ready &= ~(UINT64_C(1) << v);
    nitro_worker_send_state(self, 1);
}

static void start_series(nitro_worker *self)
{
    const nitro_measure_options *options = self->job->options;
    size_t count = self->computation->schema->num_variants;
    double *times_ms =
        nitro_calloc(self->context, count * options->max_repetitions, sizeof(*times_ms));
    if (!times_ms) {
        nitro_worker_send_error(self, NITRO_ERR_NO_MEMORY);
        _exit(EXIT_FAILURE);
    }
    for (size_t v = 0; v < count; v++) {
        self->prepare_ms[v] = NAN;
        self->timings[v] = (nitro_timing){.computation = self->computation,
                                          .options = options,
                                          .place = self->place,
                                          .device = &self->device,
                                          .variant = v,
                                          .argument = self->argument,
                                          .batch = 1,
                                          .times_ms = times_ms + v * options->max_repetitions};
    }
}

uint64_t nitro_worker_try(nitro_worker *self, const double *features)
{
    start_series(self);
    self->todo = self->job->todo;
    return try_variants(self, features);
}

static void measure_block(nitro_worker *self, const double *features)
{
    for (size_t v = 0; v < self->computation->schema->num_variants; v++) {
        self->timings[v].count = 0;
        self->timings[v].spent_ms = 0;
    }
    if (strcmp(self->computation->device_kind, "host") == 0)
        nitro_bind_threads();
    time_variants(self, warm_up(self, try_variants(self, features)));
}

/* Which variants to measure in the next block; 0: none. */
static uint64_t wait_for_command(nitro_worker *self)
{
    uint64_t todo = 0;
    ssize_t count;
    nitro_worker_enter(self, NITRO_PHASE_PAUSED);
    nitro_worker_send_text(self, NITRO_RECORD_PAUSED, 0, "");
    do
        count = read(self->channel, &todo, sizeof(todo));
    while (count < 0 && errno == EINTR);
    nitro_worker_enter(self, NITRO_PHASE_START);
    return count == (ssize_t)sizeof(todo) ? todo : 0;
}

void nitro_worker_measure(nitro_worker *self, const double *features)
{
    start_series(self);
    self->todo = self->job->todo;
    do {
        measure_block(self, features);
        self->todo = self->job->pauses ? wait_for_command(self) : 0;
    } while (self->todo);
}

void nitro_worker_refuse(nitro_worker *self)
{
    char why[512];
    const char *problem = nitro_computation_problem(self->computation, self->argument);
    snprintf(why, sizeof(why), "prepare_input found too little memory%s%.400s",
             problem[0] ? ": " : "", problem);
    for (size_t v = 0; v < self->computation->schema->num_variants; v++) {
        self->prepare_ms[v] = NAN;
        if (self->job->todo >> v & 1)
            nitro_worker_send_problem(self, v, NITRO_OUTCOME_OUT_OF_MEMORY, why);
    }
}

void nitro_worker_release(nitro_worker *self)
{
    for (size_t v = 0; v < self->computation->schema->num_variants; v++)
        release_variant(self, v);
}
