/* Times one variant's repetitions, and decides when there are enough. Calls too short for the
 * clock are timed in batches. */
#include "nitro/measure/time_variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/backend/statistics.h"

/* Reading a clock costs up to half a microsecond: 1 % of a timing of this length. */
#define SHORTEST_TIMING_MS 0.05
/* Limit, if the clock does not advance. */
#define LARGEST_BATCH 10000

void nitro_timing_enter(const nitro_timing *timing, nitro_phase phase)
{
    nitro_place place = {.phase = phase, .variant = timing->variant, .call = timing->calls};
    atomic_store_explicit(timing->place, nitro_place_encode(place), memory_order_release);
}

static bool restore_input(nitro_timing *timing)
{
    const nitro_hooks *hooks = &timing->computation->hooks;
    if (!hooks->restore_input)
        return true;
    nitro_timing_enter(timing, NITRO_PHASE_RESTORE);
    int failure = hooks->restore_input(timing->argument, hooks->user);
    nitro_timing_enter(timing, NITRO_PHASE_BETWEEN);
    if (failure) {
        const char *problem = nitro_computation_problem(timing->computation, timing->argument);
        snprintf(timing->why, sizeof(timing->why),
                 "restore_input returned %d before call %llu of run%s%.300s", failure,
                 (unsigned long long)timing->calls + 1, problem[0] ? ": " : "", problem);
    }
    return failure == 0;
}

static nitro_time_source time_source(const nitro_timing *timing)
{
    return nitro_variant_time_source(&timing->computation->variants[timing->variant],
                                     timing->computation->device_kind);
}

static double read_clock_ms(const nitro_timing *timing)
{
    const nitro_context *context = timing->computation->context;
    return time_source(timing) == NITRO_TIME_THREAD_CPU ? nitro_clock_thread_cpu_ms(context)
                                                        : nitro_clock_wall_ms(context);
}

typedef struct stopwatch {
    bool by_device;
    void *stream;
    double wall_start_ms, start_ms;
} stopwatch;

static bool is_cold(const nitro_timing *timing)
{
    return timing->options->cache == NITRO_CACHE_COLD;
}

static bool start_timing(nitro_timing *timing, stopwatch *timer)
{
    const nitro_computation *computation = timing->computation;
    const nitro_hooks *hooks = &computation->hooks;
    timer->by_device = time_source(timing) == NITRO_TIME_DEVICE;
    timer->stream = hooks->stream ? hooks->stream(timing->argument, hooks->user) : NULL;
    if ((is_cold(timing) && !nitro_worker_device_flush(timing->device, timer->stream)) ||
        (timer->by_device && !nitro_worker_device_start(timing->device, timer->stream))) {
        snprintf(timing->why, sizeof(timing->why), "before call %llu of run: %s",
                 (unsigned long long)timing->calls, timing->device->words);
        return false;
    }
    timer->wall_start_ms = nitro_clock_wall_ms(computation->context);
    timer->start_ms = timer->by_device ? 0 : read_clock_ms(timing);
    return true;
}

/* Also after a failure: waits for the stream, whose error may explain it. */
static bool stop_timing(nitro_timing *timing, const stopwatch *timer)
{
    bool stopped = true;
    if (timer->by_device)
        stopped = nitro_worker_device_stop(timing->device, timer->stream, &timing->last_ms);
    else
        timing->last_ms = read_clock_ms(timing) - timer->start_ms;
    timing->last_wall_ms = nitro_clock_wall_ms(timing->computation->context) - timer->wall_start_ms;
    return stopped;
}

/* The return value of `run`, and the messages of the application and the device. */
static void describe_failure(nitro_timing *timing, unsigned long long call, int failure,
                             bool stopped)
{
    const char *soon = timing->batch > 1 ? " or soon after" : "";
    const char *problem =
        failure ? nitro_computation_problem(timing->computation, timing->argument) : "";
    const char *words = stopped ? "" : timing->device->words;
    char returned[48] = "";
    timing->failure = failure;
    if (failure)
        snprintf(returned, sizeof(returned), "run returned %d ", failure);
    snprintf(timing->why, sizeof(timing->why), "%sin call %llu%s%s%s%.200s%s%s", returned, call,
             failure ? "" : " of run", soon, problem[0] ? ": " : "", problem, words[0] ? ": " : "",
             words);
}

bool nitro_timing_run(nitro_timing *timing)
{
    const nitro_variant *variant = &timing->computation->variants[timing->variant];
    stopwatch timer;
    if (!restore_input(timing))
        return false;
    timing->calls++;
    nitro_timing_enter(timing, NITRO_PHASE_RUN);
    if (!start_timing(timing, &timer)) {
        nitro_timing_enter(timing, NITRO_PHASE_BETWEEN);
        return false;
    }
    int failure = 0;
    for (uint64_t i = 0; i < timing->batch && failure == 0; i++)
        failure = variant->run(timing->argument, variant->user);
    bool stopped = stop_timing(timing, &timer);
    nitro_timing_enter(timing, NITRO_PHASE_BETWEEN);
    unsigned long long call = timing->calls;
    timing->calls += timing->batch - 1;
    if (failure || !stopped) {
        describe_failure(timing, call, failure, stopped);
        return false;
    }
    if (!(timing->last_ms >= 0) || isinf(timing->last_ms)) {
        snprintf(timing->why, sizeof(timing->why),
                 "the clock returned %g ms for call %llu, which is not a valid time",
                 timing->last_ms, call);
        return false;
    }
    return true;
}

bool nitro_timing_calibrate(nitro_timing *timing)
{
    if (timing->computation->hooks.restore_input || is_cold(timing))
        return true;
    while (timing->last_ms < SHORTEST_TIMING_MS && timing->batch < LARGEST_BATCH) {
        double factor = timing->last_ms > 0 ? ceil(SHORTEST_TIMING_MS / timing->last_ms) : 10;
        timing->batch *= (uint64_t)fmax(2, fmin(factor, 10));
        if (timing->batch > LARGEST_BATCH)
            timing->batch = LARGEST_BATCH;
        if (!nitro_timing_run(timing))
            return false;
    }
    return true;
}

bool nitro_timing_add(nitro_timing *timing)
{
    if (!nitro_timing_run(timing))
        return false;
    double time_ms = timing->last_ms / (double)timing->batch;
    if (!(time_ms > 0)) {
        snprintf(timing->why, sizeof(timing->why),
                 "the clock did not advance during %llu calls from call %llu on",
                 (unsigned long long)timing->batch,
                 (unsigned long long)(timing->calls - timing->batch + 1));
        return false;
    }
    size_t place = timing->count++;
    while (place > 0 && timing->times_ms[place - 1] > time_ms)
        place--;
    memmove(timing->times_ms + place + 1, timing->times_ms + place,
            (timing->count - 1 - place) * sizeof(time_ms));
    timing->times_ms[place] = time_ms;
    timing->spent_ms += timing->last_wall_ms;
    return true;
}

size_t nitro_timing_faster_half(const nitro_timing *timing)
{
    return (timing->count + 1) / 2;
}

bool nitro_timing_is_slow(const nitro_timing *timing)
{
    return timing->last_wall_ms >= timing->options->budget_ms;
}

bool nitro_timing_finished(const nitro_timing *timing)
{
    const nitro_measure_options *options = timing->options;
    if (timing->count >= options->max_repetitions || nitro_timing_is_slow(timing))
        return true;
    if (timing->count < options->min_repetitions)
        return false;
    return timing->spent_ms >= options->budget_ms ||
           nitro_median_uncertainty(timing->times_ms, nitro_timing_faster_half(timing)) <
               options->steady_spread;
}
