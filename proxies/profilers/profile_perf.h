/* profile_perf.h - a processor's counters as the profiler "perf" reads them; a test puts a source
 * of its own in the kernel's place. */
#ifndef NITRO_PROXIES_PROFILERS_PROFILE_PERF_H
#define NITRO_PROXIES_PROFILERS_PROFILE_PERF_H

#include "nitro/nitro_backend.h"

/** What an event came to since it was opened. */
typedef struct perf_reading {
    uint64_t count;
    uint64_t enabled_ns, running_ns; /* others may have had the counter for a part of the time */
} perf_reading;

/** Where events are counted. Functions return less than 0, an error number negated, on failure. */
typedef struct perf_source {
    /** An event of this process and of all threads that it starts later, not counting yet.
     *  @return a handle. */
    int (*open)(void *user, uint32_t type, uint64_t config);
    int (*start)(void *user, int handle);
    int (*stop)(void *user, int handle);
    int (*read)(void *user, int handle, perf_reading *reading);
    void (*close)(void *user, int handle);
    /** "GenuineIntel": some events mean what they mean on one vendor's processors alone. */
    const char *vendor;
    int paranoid; /* kernel.perf_event_paranoid, for the error */
    void *user;
} perf_source;

/** The kernel's perf_event_open. */
void perf_source_init(perf_source *source);

/** How the profiler "perf" of nitro_backend.h works on any source; `source` is copied. */
nitro_status perf_session_open(nitro_context *context, const perf_source *source, void **state);
bool perf_session_has(void *state, const char *counter);
nitro_status perf_session_collect(void *state, const nitro_string_list *counters,
                                  const nitro_profiled_work *work, nitro_kernel_function function,
                                  void *user);
void perf_session_close(void *state);

#endif
