/* worker_internal.h - shared by the files of the worker process: worker_main.c (life cycle),
 * worker_measure.c (checks and times variants), worker_profile.c (profiles them), worker_send.c
 * (records). */
#ifndef NITRO_MEASURE_WORKER_INTERNAL_H
#define NITRO_MEASURE_WORKER_INTERNAL_H

#include "nitro/measure/time_variant.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_worker {
    const nitro_job *job;
    nitro_computation *computation;
    nitro_context *context;
    pid_t process;
    int channel;
    nitro_place_word *place;
    nitro_worker_device device;
    void *argument;
    void *profiler_state;       /* NULL: not open */
    nitro_string_list counters; /* of the proxies, those that the profiler has */
    nitro_timing timings[NITRO_MAX_VARIANTS];
    double prepare_ms[NITRO_MAX_VARIANTS];
    uint64_t prepared;     /* bit v: variant v was prepared */
    uint64_t checked;      /* bit v: variant v ran, and its result was right */
    uint64_t todo;         /* variants of the current block */
    size_t reference;      /* the declared one */
    size_t kept_reference; /* whose result was kept; NITRO_NONE: none yet */
} nitro_worker;

/** Publish the next phase to the supervisor; no variant runs in it. */
void nitro_worker_enter(const nitro_worker *worker, nitro_phase phase);
/** Check and time the job's variants, and send their entries; then further blocks on command. */
void nitro_worker_measure(nitro_worker *worker, const double *features);
/** Run each of the job's variants once, checked. @return a bit for each that may be timed. */
uint64_t nitro_worker_try(nitro_worker *worker, const double *features);
/** Open the job's profiler; on failure sends the error and exits. */
void nitro_worker_open_profiler(nitro_worker *worker);
/** Check and profile the job's variants. */
void nitro_worker_profile(nitro_worker *worker, const double *features);
/** Send for all variants that the input does not fit into memory. */
void nitro_worker_refuse(nitro_worker *worker);
/** Release all prepared variants. */
void nitro_worker_release(nitro_worker *worker);

/* If a record cannot be sent, the worker exits. */
void nitro_worker_send_record(const nitro_worker *worker, const nitro_worker_record *record);
void nitro_worker_send_text(const nitro_worker *worker, nitro_record_kind kind, uint32_t index,
                            const char *text);
/** For nitro_context_set_log; `user` is the worker. */
void nitro_worker_send_log(void *user, nitro_log_level level, const char *message);
void nitro_worker_send_features(const nitro_worker *worker, const double *features,
                                const double *costs_ms);
void nitro_worker_send_error(const nitro_worker *worker, nitro_status status);
/** An entry without a time. */
void nitro_worker_send_entry(const nitro_worker *worker, size_t variant, nitro_outcome outcome,
                             const char *detail);
/** The same for a failure. If the device is unusable after it, the worker exits. */
void nitro_worker_send_problem(nitro_worker *worker, size_t variant, nitro_outcome outcome,
                               const char *detail);
void nitro_worker_send_timing(const nitro_worker *worker, const nitro_timing *timing);
/** The device's state; `when` as for NITRO_RECORD_STATE. */
void nitro_worker_send_state(nitro_worker *worker, uint32_t when);

#endif
