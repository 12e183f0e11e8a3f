/* time_variant.h - times one variant's repetitions on one input, inside a worker process. */
#ifndef NITRO_MEASURE_TIME_VARIANT_H
#define NITRO_MEASURE_TIME_VARIANT_H

#include "nitro/measure/worker.h"
#include "nitro/measure/worker_device.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_timing {
    const nitro_computation *computation;
    const nitro_measure_options *options;
    nitro_place_word *place;
    nitro_worker_device *device;
    size_t variant;
    void *argument;

    uint64_t calls;      /* of `run` so far */
    uint64_t batch;      /* calls a timing; more than one if a call is too short */
    double last_ms;      /* latest timing of a whole batch, by the variant's time source */
    double last_wall_ms; /* the same in wall time */
    double spent_ms;     /* wall time of the block's counted timings */
    double *times_ms;    /* shape [count], a call, ascending; room for max_repetitions */
    size_t count;        /* of the current block */
    char why[512];       /* after a failure: what went wrong */
    int failure;         /* then, what `run` returned */
} nitro_timing;

/** Publish the next phase to the supervisor. */
void nitro_timing_enter(const nitro_timing *timing, nitro_phase phase);

/** Restore the input and time one batch, without counting it. False: failed, see `why`. */
bool nitro_timing_run(nitro_timing *timing);

/** Grow the batch until a timing is long enough for the clock; does nothing if each call needs its
 * input restored or caches flushed. */
bool nitro_timing_calibrate(nitro_timing *timing);

/** Add one timing. False: failed, see `why`. */
bool nitro_timing_add(nitro_timing *timing);

/** The number of repetitions that count: the faster half. Other load on the machine only ever adds
 * time. */
size_t nitro_timing_faster_half(const nitro_timing *timing);

/** Is the median steady, or a limit reached? */
bool nitro_timing_finished(const nitro_timing *timing);

/** Does one run take the whole budget? Then there is no warm-up and one timing. */
bool nitro_timing_is_slow(const nitro_timing *timing);

#endif
