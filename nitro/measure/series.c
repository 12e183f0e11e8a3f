/* One variant's repetitions: what is timed, and when there are enough of them. Hides batching: a
 * call too short for the clock is timed together with others like it. */
#include "nitro/measure/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/base/statistics.h"

/* Reading a clock costs up to half a microsecond: 1 % of a timing of this length. */
#define SHORTEST_TIMING_MS 0.05
/* Ends the search where the clock stands still. */
#define LARGEST_BATCH 10000

void nitro_series_enter(const nitro_series *series, nitro_phase phase)
{
    nitro_place place = {.phase = phase, .variant = series->variant, .call = series->calls};
    atomic_store_explicit(series->place, nitro_place_encode(place), memory_order_release);
}

static bool restore_input(nitro_series *series)
{
    const nitro_hooks *hooks = &series->computation->hooks;
    if (!hooks->restore_input)
        return true;
    nitro_series_enter(series, NITRO_PHASE_RESTORE);
    int failure = hooks->restore_input(series->argument, hooks->user);
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
    if (failure)
        snprintf(series->why, sizeof(series->why),
                 "restore_input returned %d before call %llu of run", failure,
                 (unsigned long long)series->calls + 1);
    return failure == 0;
}

static double read_clock_ms(const nitro_series *series)
{
    const nitro_context *context = series->computation->context;
    bool cpu = series->computation->variants[series->variant].time_source == NITRO_TIME_THREAD_CPU;
    return cpu ? nitro_clock_thread_cpu_ms(context) : nitro_clock_wall_ms(context);
}

/* ---- One timing ---------------------------------------------------------------------------- */

typedef struct timing {
    bool by_device;
    void *stream;
    double wall_start_ms, start_ms;
} timing;

static bool is_cold(const nitro_series *series)
{
    return series->options->cache == NITRO_CACHE_COLD;
}

static bool start_timing(nitro_series *series, timing *timed)
{
    const nitro_computation *computation = series->computation;
    const nitro_hooks *hooks = &computation->hooks;
    timed->by_device = computation->variants[series->variant].time_source == NITRO_TIME_DEVICE;
    timed->stream = hooks->stream ? hooks->stream(series->argument, hooks->user) : NULL;
    if ((is_cold(series) && !nitro_worker_device_flush(series->device, timed->stream)) ||
        (timed->by_device && !nitro_worker_device_start(series->device, timed->stream))) {
        snprintf(series->why, sizeof(series->why), "before call %llu of run: %s",
                 (unsigned long long)series->calls, series->device->words);
        return false;
    }
    timed->wall_start_ms = nitro_clock_wall_ms(computation->context);
    timed->start_ms = timed->by_device ? 0 : read_clock_ms(series);
    return true;
}

/* Also after a failure: what the stream was given has to come to its end, and says more. */
static bool stop_timing(nitro_series *series, const timing *timed)
{
    bool stopped = true;
    if (timed->by_device)
        stopped = nitro_worker_device_stop(series->device, timed->stream, &series->last_ms);
    else
        series->last_ms = read_clock_ms(series) - timed->start_ms;
    series->last_wall_ms = nitro_clock_wall_ms(series->computation->context) - timed->wall_start_ms;
    return stopped;
}

/* What run returned, and what the application and its device say. */
static void describe_failure(nitro_series *series, unsigned long long call, int failure,
                             bool stopped)
{
    const char *soon = series->batch > 1 ? " or soon after" : "";
    const char *problem =
        failure ? nitro_computation_problem(series->computation, series->argument) : "";
    const char *words = stopped ? "" : series->device->words;
    char returned[48] = "";
    if (failure)
        snprintf(returned, sizeof(returned), "run returned %d ", failure);
    snprintf(series->why, sizeof(series->why), "%sin call %llu%s%s%s%.200s%s%s", returned, call,
             failure ? "" : " of run", soon, problem[0] ? ": " : "", problem, words[0] ? ": " : "",
             words);
}

bool nitro_series_run(nitro_series *series)
{
    const nitro_variant *variant = &series->computation->variants[series->variant];
    timing timed;
    if (!restore_input(series))
        return false;
    series->calls++;
    nitro_series_enter(series, NITRO_PHASE_RUN);
    if (!start_timing(series, &timed)) {
        nitro_series_enter(series, NITRO_PHASE_BETWEEN);
        return false;
    }
    int failure = 0;
    for (uint64_t i = 0; i < series->batch && failure == 0; i++)
        failure = variant->run(series->argument, variant->user);
    bool stopped = stop_timing(series, &timed);
    nitro_series_enter(series, NITRO_PHASE_BETWEEN);
    unsigned long long call = series->calls;
    series->calls += series->batch - 1;
    if (failure || !stopped) {
        describe_failure(series, call, failure, stopped);
        return false;
    }
    if (!(series->last_ms >= 0) || isinf(series->last_ms)) {
        snprintf(series->why, sizeof(series->why),
                 "the clock gave %g ms for call %llu: it is broken, and no time of it is used",
                 series->last_ms, call);
        return false;
    }
    return true;
}

bool nitro_series_calibrate(nitro_series *series)
{
    if (series->computation->hooks.restore_input || is_cold(series))
        return true;
    while (series->last_ms < SHORTEST_TIMING_MS && series->batch < LARGEST_BATCH) {
        double factor = series->last_ms > 0 ? ceil(SHORTEST_TIMING_MS / series->last_ms) : 10;
        series->batch *= (uint64_t)fmax(2, fmin(factor, 10));
        if (series->batch > LARGEST_BATCH)
            series->batch = LARGEST_BATCH;
        if (!nitro_series_run(series))
            return false;
    }
    return true;
}

bool nitro_series_count(nitro_series *series)
{
    if (!nitro_series_run(series))
        return false;
    double time_ms = series->last_ms / (double)series->batch;
    if (!(time_ms > 0)) {
        snprintf(series->why, sizeof(series->why),
                 "the clock stood still during %llu calls from call %llu on: a time of 0 ms is not "
                 "used",
                 (unsigned long long)series->batch,
                 (unsigned long long)(series->calls - series->batch + 1));
        return false;
    }
    size_t place = series->count++;
    while (place > 0 && series->times_ms[place - 1] > time_ms)
        place--;
    memmove(series->times_ms + place + 1, series->times_ms + place,
            (series->count - 1 - place) * sizeof(time_ms));
    series->times_ms[place] = time_ms;
    series->spent_ms += series->last_wall_ms;
    return true;
}

bool nitro_series_is_slow(const nitro_series *series)
{
    return series->last_wall_ms >= series->options->budget_ms;
}

bool nitro_series_finished(const nitro_series *series)
{
    const nitro_measure_options *options = series->options;
    if (series->count >= options->max_repetitions || nitro_series_is_slow(series))
        return true;
    if (series->count < options->min_repetitions)
        return false;
    return series->spent_ms >= options->budget_ms ||
           nitro_median_uncertainty(series->times_ms, series->count) < options->steady_spread;
}
