/* receive_sample.h - builds one input's sample from the records of its workers. */
#ifndef NITRO_MEASURE_RECEIVE_SAMPLE_H
#define NITRO_MEASURE_RECEIVE_SAMPLE_H

#include "nitro/measure/receive_profiles.h"
#include "nitro/measure/worker.h"
#include "nitro/runtime/computation.h"

typedef struct nitro_received_sample {
    nitro_computation *computation;
    nitro_context *context;
    nitro_sample *sample;
    uint64_t todo;                     /* bit v: variant v has no entry yet */
    uint64_t usable;                   /* bit v: variant v was measured */
    nitro_received_profiles *profiles; /* NULL: variants are timed */
    bool done, broke;                  /* the worker finished its block; a variant broke its
                                          device */
    nitro_status failure;              /* of the input or the device, sent by the worker */
    char message[3840];
    char state[2][512]; /* of the device, before and after timing */
    bool out_of_memory; /* while an entry was set */
} nitro_received_sample;

/**
 * Add a worker's record: a nitro_record_function with this struct as `user`. Invalid records are
 * ignored.
 */
void nitro_received_sample_add_record(void *user, const nitro_worker_record *record);

/** Set a variant's entry, replacing an earlier one; failures are logged.
 *  @param[in] entry  without version and detail. @param[in] detail  "": none. */
void nitro_received_sample_set_entry(nitro_received_sample *self, size_t v, nitro_entry entry,
                                     const char *detail);

/** Set the provenance: cache mode, and the device's state before and after. */
nitro_status nitro_received_sample_set_conditions(nitro_received_sample *self, nitro_cache cache);

#endif
