/* profiling.h - one input's variants looked at by a profiler, in a worker process: what the worker
 * does instead of timing, and what the process that waits for it makes of its words. */
#ifndef NITRO_MEASURE_PROFILE_TRANSFER_H
#define NITRO_MEASURE_PROFILE_TRANSFER_H

#include "nitro/measure/worker.h"

/** Name the profile of one kernel of a variant's run. */
typedef nitro_status (*nitro_profile_namer)(void *user, size_t variant, const char *kernel,
                                            nitro_profile **profile);

typedef struct nitro_profile_transfer {
    nitro_context *context;
    const nitro_profiler *profiler;
    const nitro_proxies *proxies; /* whose counters are wanted */
    const char *device;
    nitro_profile_namer name;
    void *name_user;

    /* The worker's. */
    void *state;
    nitro_string_list counters; /* those of the proxies' that can be counted here */

    /* The other side's. */
    nitro_profile **profiles; /* shape [count]: of variants whose run came to its end */
    size_t count, capacity;
    size_t num_finished;      /* of these; the others are of the run at hand */
    size_t variant;           /* that they are of */
    nitro_status unavailable; /* of the profiler: nothing can be profiled, whatever the input */
    nitro_status failure;     /* while a profile was made */
    char message[1024];       /* why it is unavailable */
} nitro_profile_transfer;

/* ---- In the worker --------------------------------------------------------------------------- */

/** Open the profiler; before anything of the input's runs. */
nitro_status nitro_profile_transfer_open(nitro_profile_transfer *profiling);
/** Profile one variant's work, and send its kernels: nitro_profile_transfer_receive understands
 * them. */
nitro_status nitro_profile_transfer_collect(nitro_profile_transfer *profiling,
                                            const nitro_profiled_work *work, size_t variant,
                                            nitro_record_function send, void *sender);
void nitro_profile_transfer_close(nitro_profile_transfer *profiling);

/* ---- In the process that waits --------------------------------------------------------------- */

/** Take a record of kind KERNEL, COUNTERS, PROFILED or UNAVAILABLE. The worker ran code that may
 *  have damaged it: nothing is taken on trust. */
void nitro_profile_transfer_receive(nitro_profile_transfer *profiling,
                                    const nitro_worker_record *record);
/** A worker ended: what it left unfinished goes. */
void nitro_profile_transfer_drop_unfinished(nitro_profile_transfer *profiling);
/** Free all profiles. */
void nitro_profile_transfer_clear(nitro_profile_transfer *profiling);

#endif
