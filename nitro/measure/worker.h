/* worker.h - interface between the measuring process and its worker processes.
 *
 * A worker runs untrusted code (loaders, features, variants). Results come over a socket as whole
 * records; what the worker is doing is in one word of shared memory, so that the supervisor can
 * sleep while variants are timed. */
#ifndef NITRO_MEASURE_WORKER_H
#define NITRO_MEASURE_WORKER_H

#include <limits.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "nitro/measure/measure_input.h"

/** What a worker is doing. */
typedef enum nitro_phase {
    NITRO_PHASE_START,
    NITRO_PHASE_OPEN, /* of the device */
    NITRO_PHASE_LOAD,
    NITRO_PHASE_FEATURES,
    NITRO_PHASE_PREPARE_INPUT,
    NITRO_PHASE_ALLOWS, /* from here on to NITRO_PHASE_RELEASE a variant's code */
    NITRO_PHASE_PREPARE,
    NITRO_PHASE_RESTORE,
    NITRO_PHASE_RUN,
    NITRO_PHASE_KEEP,
    NITRO_PHASE_CHECK,
    NITRO_PHASE_RELEASE,
    NITRO_PHASE_BETWEEN, /* Nitro's own code, after a variant's */
    NITRO_PHASE_PAUSED,  /* waits for the next block */
    NITRO_PHASE_UNLOAD,
    NITRO_PHASE_UNKNOWN /* the word was overwritten */
} nitro_phase;

/** A worker's current place. */
typedef struct nitro_place {
    nitro_phase phase;
    size_t variant; /* NITRO_NONE: none so far */
    uint64_t call;  /* of the variant's run, from 1; 0: none so far */
} nitro_place;

/** The shared word: phase in bits 56 to 63, variant in 48 to 55 (255: none), call below. */
typedef _Atomic uint64_t nitro_place_word;

static inline uint64_t nitro_place_encode(nitro_place place)
{
    uint64_t variant = place.variant == NITRO_NONE ? 255 : place.variant;
    return (uint64_t)place.phase << 56 | variant << 48 | (place.call & 0xffffffffffff);
}

static inline nitro_place nitro_place_decode(uint64_t word)
{
    size_t variant = word >> 48 & 255;
    uint64_t phase = word >> 56;
    return (nitro_place){.phase =
                             phase < NITRO_PHASE_UNKNOWN ? (nitro_phase)phase : NITRO_PHASE_UNKNOWN,
                         .variant = variant >= NITRO_MAX_VARIANTS ? NITRO_NONE : variant,
                         .call = word & 0xffffffffffff};
}

typedef enum nitro_record_kind {
    NITRO_RECORD_FEATURES, /* `features`, and their costs */
    NITRO_RECORD_ENTRY,    /* `index` is the variant; `entry`, `text` its detail */
    NITRO_RECORD_ERROR,    /* the input failed: `index` is the status, `text` the message */
    NITRO_RECORD_LOG,      /* `index` is the level */
    NITRO_RECORD_STATE,    /* of the device: `index` 0 before timing, 1 after */
    NITRO_RECORD_BROKEN,   /* the device, for this process: another worker continues */
    NITRO_RECORD_PAUSED,   /* the block is complete: the worker waits for the next one */
    NITRO_RECORD_DONE,     /* the worker finished */
    /* While profiling; see receive_profiles.h. */
    NITRO_RECORD_KERNEL,     /* `index` is the variant; `text` the kernel's name */
    NITRO_RECORD_COUNTERS,   /* of that kernel, `values` from counter `index` on */
    NITRO_RECORD_PROFILED,   /* `index` is the variant: all of its kernels were sent */
    NITRO_RECORD_UNAVAILABLE /* the profiler: `index` is the status, `text` the message */
} nitro_record_kind;

/** Values of counters in one record. */
#define NITRO_RECORD_VALUES 256

/** Fixed size, so that no framing is necessary; writes of up to PIPE_BUF bytes are atomic.
 */
typedef struct nitro_worker_record {
    uint32_t kind;
    uint32_t index;
    struct {
        uint32_t outcome;
        uint32_t count;
        double median_ms, spread, prepare_ms;
    } entry;
    union {
        struct {
            double features[NITRO_MAX_FEATURES];
            double costs_ms[NITRO_MAX_FEATURES];
        };
        double values[NITRO_RECORD_VALUES];
        char text[3840];
    };
} nitro_worker_record;

_Static_assert(sizeof(nitro_worker_record) <= PIPE_BUF, "a record must reach its reader whole");

/** What to do with an input. */
typedef enum nitro_measure_extent {
    NITRO_MEASURE_ALL,           /* features, and a time for every variant */
    NITRO_MEASURE_FEATURES_ONLY, /* only evaluate its features; entries stay missing
                                  */
    NITRO_MEASURE_PROFILES       /* check the variants, and profile instead of timing */
} nitro_measure_extent;

/** What to profile with. */
typedef struct nitro_profiling {
    const nitro_profiler *profiler;
    const nitro_proxies *proxies; /* their counters are collected */
    const char *device;           /* its id */
} nitro_profiling;

/** A worker's task. */
typedef struct nitro_job {
    nitro_computation *computation;
    const nitro_input *input;
    const nitro_measure_options *options;
    const nitro_device_access *access; /* NULL: there is no device to open */
    const char *device;                /* its id */
    nitro_measure_extent extent;
    uint64_t todo;                    /* a bit for each variant to be measured */
    uint64_t usable;                  /* earlier successful variants: one may be the reference */
    const nitro_profiling *profiling; /* with NITRO_MEASURE_PROFILES; else NULL */
    bool pauses; /* keep the input, and measure further blocks of it on command */
} nitro_job;

/** Run a worker in the forked process. Records are written to the channel, a socket; between blocks
 * the `todo` of the next one is read from it, or 0: end. */
_Noreturn void nitro_worker_main(const nitro_job *job, pid_t parent, int channel,
                                 nitro_place_word *place);

typedef enum nitro_ending {
    NITRO_ENDING_EXITED,       /* `code` is the exit status; -1: unknown */
    NITRO_ENDING_SIGNALLED,    /* `code` is the signal */
    NITRO_ENDING_TIMED_OUT,    /* killed: one call or phase took longer than the limit */
    NITRO_ENDING_OUT_OF_MEMORY /* killed: `memory_bytes` exceed the limit */
} nitro_ending;

typedef struct nitro_worker_end {
    nitro_ending ending;
    int code;
    size_t memory_bytes;
    nitro_place place; /* where it was then */
} nitro_worker_end;

/** How long a phase may take. */
double nitro_worker_limit_ms(const nitro_measure_options *options, nitro_phase phase);

/** Room for nitro_worker_end_describe. */
#define NITRO_WORKER_END_BYTES 272

/** Describe how and where it ended: "SIGSEGV in run, call 3". The limits are those of `options`. */
void nitro_worker_end_describe(const nitro_worker_end *end, const nitro_measure_options *options,
                               char *text, size_t size);

typedef void (*nitro_record_function)(void *user, const nitro_worker_record *record);

/** A running or paused worker. */
typedef struct nitro_worker_process nitro_worker_process;

/**
 * Fork a worker.
 * @param[in] job      borrowed until the worker has stopped.
 * @param[in] receive  gets the records.
 * @param[out] worker  for nitro_worker_wait, then nitro_worker_stop.
 */
nitro_status nitro_worker_start(const nitro_job *job, nitro_record_function receive, void *user,
                                nitro_worker_process **worker);

/**
 * Pass on records as they arrive and enforce limits, until the worker pauses or has ended.
 * @param[out] end  set if it has ended; then neither it nor a process of its group is left.
 * @return has it paused?
 */
bool nitro_worker_wait(nitro_worker_process *worker, nitro_worker_end *end);

/** Let a paused worker measure another block. @return false: it is gone. */
bool nitro_worker_continue(nitro_worker_process *worker, uint64_t todo);

/** Its resident memory; 0: unknown. */
size_t nitro_worker_memory(const nitro_worker_process *worker);

/** Let a paused worker unload its input and end, and free. NULL is allowed. */
void nitro_worker_stop(nitro_worker_process *worker);

#endif
