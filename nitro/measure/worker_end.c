/* The time limits of a worker's phases, and how it ended, for entries and errors: "took longer than
 * 5 ms in run, call 3". */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "nitro/measure/worker.h"

/* Loading an input, its features and the device's opening may take this many times as long as a
 * variant's call: a large file is no hang. */
#define SETUP_TIMEOUTS 20

double nitro_worker_limit_ms(const nitro_measure_options *options, nitro_phase phase)
{
    bool is_call = phase >= NITRO_PHASE_ALLOWS && phase <= NITRO_PHASE_RELEASE;
    return options->timeout_ms * (is_call ? 1 : SETUP_TIMEOUTS);
}

static void describe_ending(const nitro_measure_options *options, const nitro_worker_end *end,
                            char *text, size_t size)
{
    const char *signal_name;
    switch (end->ending) {
    case NITRO_ENDING_TIMED_OUT:
        snprintf(text, size, "took longer than %g ms",
                 nitro_worker_limit_ms(options, end->place.phase));
        break;
    case NITRO_ENDING_OUT_OF_MEMORY:
        snprintf(text, size, "took %.1f MB, over the limit of %.1f MB",
                 (double)end->memory_bytes / 1e6, (double)options->memory_limit_bytes / 1e6);
        break;
    case NITRO_ENDING_SIGNALLED:
        signal_name = sigabbrev_np(end->code);
        snprintf(text, size, "%s%s%s", signal_name ? "SIG" : "an unnamed signal",
                 signal_name ? signal_name : "",
                 end->code == SIGKILL ? " (not sent by Nitro: is the system out of memory?)" : "");
        break;
    case NITRO_ENDING_EXITED:
        if (end->code >= 0)
            snprintf(text, size, "the process ended with exit status %d", end->code);
        else
            snprintf(text, size,
                     "the process ended (status unknown: this program waits for or ignores all its "
                     "children)");
        break;
    }
}

static void describe_place(const nitro_place *place, char *text, size_t size)
{
    static const char *const names[] = {
        [NITRO_PHASE_START] = "starting",
        [NITRO_PHASE_OPEN] = "opening the device",
        [NITRO_PHASE_LOAD] = "its loader",
        [NITRO_PHASE_FEATURES] = "its feature functions",
        [NITRO_PHASE_PREPARE_INPUT] = "prepare_input",
        [NITRO_PHASE_ALLOWS] = "allows",
        [NITRO_PHASE_PREPARE] = "prepare",
        [NITRO_PHASE_RESTORE] = "restore_input",
        [NITRO_PHASE_RUN] = "run",
        [NITRO_PHASE_KEEP] = "keep_reference",
        [NITRO_PHASE_CHECK] = "check_result",
        [NITRO_PHASE_RELEASE] = "release",
        [NITRO_PHASE_PAUSED] = "a pause",
        [NITRO_PHASE_UNLOAD] = "unload",
        [NITRO_PHASE_UNKNOWN] = "an unknown place (it overwrote Nitro's memory)",
    };
    unsigned long long call = place->call;
    if (place->phase == NITRO_PHASE_BETWEEN)
        snprintf(text, size, "after call %llu of run (is memory corrupted?)", call);
    else if (place->phase == NITRO_PHASE_RUN)
        snprintf(text, size, "in run, call %llu", call);
    else if (call > 0)
        snprintf(text, size, "in %s, after call %llu of run", names[place->phase], call);
    else
        snprintf(text, size, "in %s", names[place->phase]);
}

void nitro_worker_end_describe(const nitro_worker_end *end, const nitro_measure_options *options,
                               char *text, size_t size)
{
    char ending[160];
    char place[96];
    describe_ending(options, end, ending, sizeof(ending));
    describe_place(&end->place, place, sizeof(place));
    snprintf(text, size, "%s %s", ending, place);
}
