/* The system's clock: monotonic wall time, and the calling thread's processor time. */
#include "nitro/base/clock.h"

#include <time.h>

static double read_clock_ms(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static double wall_ms(void *state)
{
    (void)state;
    return read_clock_ms(CLOCK_MONOTONIC);
}

static double thread_cpu_ms(void *state)
{
    (void)state;
    return read_clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

const nitro_clock nitro_system_clock = {.wall_ms = wall_ms, .thread_cpu_ms = thread_cpu_ms};
