/* worker_internal.h - what the files of a worker process share: worker.c is its life, and
 * worker_variants.c what it does with variants, worker_profile.c what it does where they are not
 * timed, worker_send.c what it says. Internal to these. */
#ifndef NITRO_MEASURE_WORKER_INTERNAL_H
#define NITRO_MEASURE_WORKER_INTERNAL_H

#include "nitro/measure/series.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_worker {
    const nitro_job *job;
    nitro_computation *computation;
    nitro_context *context;
    pid_t process;
    int pipe;
    nitro_place_word *place;
    nitro_worker_device device;
    void *argument;
    nitro_series series[NITRO_MAX_VARIANTS];
    double prepare_ms[NITRO_MAX_VARIANTS];
    uint64_t prepared;     /* a bit for each variant that has something to release */
    size_t reference;      /* the declared one */
    size_t kept_reference; /* the one whose result was kept; NITRO_NONE: none so far */
} nitro_worker;

/** Check and time the job's variants, and say what came of it. */
void nitro_worker_measure(nitro_worker *worker, const double *features);
/** Run each of the job's variants once, checked. @return a bit for each that may be timed. */
uint64_t nitro_worker_try(nitro_worker *worker, const double *features);
/** Open the job's profiler; a worker that cannot says so and ends. */
void nitro_worker_open_profiler(nitro_worker *worker);
/** Check and profile the job's variants. */
void nitro_worker_profile(nitro_worker *worker, const double *features);
/** Say of all of them that the input itself does not fit into memory. */
void nitro_worker_refuse(nitro_worker *worker);
/** Drop what variants have prepared. */
void nitro_worker_release(nitro_worker *worker);

/* A worker that cannot say what it has to ends. */
void nitro_worker_send_record(const nitro_worker *worker, const nitro_worker_record *record);
void nitro_worker_send_text(const nitro_worker *worker, nitro_record_kind kind, uint32_t index,
                            const char *text);
/** For nitro_context_set_log; `user` is the worker. */
void nitro_worker_send_log(void *user, nitro_log_level level, const char *message);
void nitro_worker_send_features(const nitro_worker *worker, const double *features);
void nitro_worker_send_error(const nitro_worker *worker, nitro_status status);
/** An entry without a time. */
void nitro_worker_send_entry(const nitro_worker *worker, size_t variant, nitro_outcome outcome,
                             const char *detail);
/** The same of a failure, which may be the sign of a device that is of no more use to this process:
 *  the worker then ends here. */
void nitro_worker_send_problem(nitro_worker *worker, size_t variant, nitro_outcome outcome,
                               const char *detail);
void nitro_worker_send_series(const nitro_worker *worker, const nitro_series *series);
/** The device's; `when` as NITRO_RECORD_STATE has it. */
void nitro_worker_send_state(nitro_worker *worker, uint32_t when);

#endif
