/* measuring.h - one input's sample while workers measure it. Internal to nitro/. */
#ifndef NITRO_MEASURE_PENDING_SAMPLE_H
#define NITRO_MEASURE_PENDING_SAMPLE_H

#include "nitro/measure/profile_transfer.h"
#include "nitro/measure/worker.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_pending_sample {
    nitro_computation *computation;
    nitro_context *context;
    nitro_sample *sample;
    uint64_t todo;                     /* a bit for each variant that has no entry yet */
    uint64_t usable;                   /* a bit for each variant that was measured */
    nitro_profile_transfer *profiling; /* NULL: variants are timed */
    bool done, broke;     /* the worker came to its end, or a variant broke the device for it */
    nitro_status failure; /* the worker's word that the input or the device is no good */
    char message[3840];
    char state[2][512]; /* of the device, before variants were timed and after */
    bool out_of_memory; /* while an entry was written down */
} nitro_pending_sample;

/**
 * Take down what a worker says: a nitro_record_function, with this struct as `user`. The worker
 * ran code that may have damaged it, so what a record cannot truly say is passed over.
 */
void nitro_pending_sample_receive(void *user, const nitro_worker_record *record);

/** Write a variant's entry, in place of any earlier one; what went wrong is also logged.
 *  @param[in] entry  without version and detail. @param[in] detail  "": none. */
void nitro_pending_sample_set_entry(nitro_pending_sample *self, size_t v, nitro_entry entry,
                                    const char *detail);

/** Say in the sample how it was measured: caches, and the device's state before and after. */
nitro_status nitro_pending_sample_set_conditions(nitro_pending_sample *self, nitro_cache cache);

#endif
