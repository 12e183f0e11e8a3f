/* profile_perf.h - the source of counters of the profiler "perf", which tests replace. */
#ifndef NITRO_PROXIES_PROFILERS_PROFILE_PERF_H
#define NITRO_PROXIES_PROFILERS_PROFILE_PERF_H

#include "nitro/nitro_backend.h"

/** An event's count since it was opened. */
typedef struct perf_reading {
    uint64_t count;
    uint64_t enabled_ns, running_ns; /* the event may have been multiplexed */
} perf_reading;

/** Source of events. Functions return a negated error number on failure. */
typedef struct perf_source {
    /** Open a disabled event for this process and all threads that it starts later.
     *  @return a handle. */
    int (*open)(void *user, uint32_t type, uint64_t config);
    int (*start)(void *user, int handle);
    int (*stop)(void *user, int handle);
    int (*read)(void *user, int handle, perf_reading *reading);
    void (*close)(void *user, int handle);
    /** "GenuineIntel": some events are specific to a vendor. */
    const char *vendor;
    int paranoid; /* kernel.perf_event_paranoid, for the error */
    void *user;
} perf_source;

/** The kernel's perf_event_open. */
void perf_source_init(perf_source *source);

/** The profiler "perf" with a given source, which is copied. */
nitro_status perf_session_open(nitro_context *context, const perf_source *source, void **state);
bool perf_session_has(void *state, const char *counter);
nitro_status perf_session_collect(void *state, const nitro_string_list *counters,
                                  const nitro_profiled_work *work, nitro_kernel_function function,
                                  void *user);
void perf_session_close(void *state);

#endif
