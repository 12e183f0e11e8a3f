/* series.h - one variant's repetitions on one input, inside a worker process. */
#ifndef NITRO_MEASURE_SERIES_H
#define NITRO_MEASURE_SERIES_H

#include "nitro/measure/worker.h"
#include "nitro/measure/worker_device.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_series {
    const nitro_computation *computation;
    const nitro_measure_options *options;
    nitro_place_word *place;
    nitro_worker_device *device;
    size_t variant;
    void *argument;

    uint64_t calls;      /* of `run` so far */
    uint64_t batch;      /* calls a timing: more than one where one is too short to be timed */
    double last_ms;      /* the latest timing, of all its calls, in the variant's time source */
    double last_wall_ms; /* the same in wall time */
    double spent_ms;     /* wall time of all counted timings */
    double *times_ms;    /* shape [count], a call, ascending; room for max_repetitions */
    size_t count;
    char why[512]; /* after a failure: what went wrong */
} nitro_series;

/** Tell the watching process what comes next. */
void nitro_series_enter(const nitro_series *series, nitro_phase phase);

/** Restore the input and time one batch, without counting it. False: failed, see `why`. */
bool nitro_series_run(nitro_series *series);

/** Grow the batch until a timing is long enough for the clock; nothing where each call needs its
 *  input restored or its caches cold. */
bool nitro_series_calibrate(nitro_series *series);

/** One counted timing. False: failed, see `why`. */
bool nitro_series_count(nitro_series *series);

/** Is the median steady, or a limit reached? */
bool nitro_series_finished(const nitro_series *series);

/** Does one run alone take the whole budget? Then it gets no warm-up and one counted run. */
bool nitro_series_is_slow(const nitro_series *series);

#endif
