/* receive_profiles.h - builds the profiles of one input's variants from a worker's records. */
#ifndef NITRO_MEASURE_RECEIVE_PROFILES_H
#define NITRO_MEASURE_RECEIVE_PROFILES_H

#include "nitro/measure/worker.h"

/** Creates the profile of one kernel of a variant's run. */
typedef nitro_status (*nitro_profile_namer)(void *user, size_t variant, const char *kernel,
                                            nitro_profile **profile);

typedef struct nitro_received_profiles {
    nitro_context *context;
    const nitro_profiling *profiling;
    nitro_profile_namer name;
    void *name_user;

    nitro_profile **profiles; /* shape [count] */
    size_t count, capacity;
    size_t num_finished;      /* profiles of complete runs; the others are of the current run */
    size_t variant;           /* of the current run */
    nitro_status unavailable; /* status of the profiler: nothing can be profiled */
    nitro_status failure;     /* of creating a profile */
    char message[1024];       /* why the profiler is unavailable */
} nitro_received_profiles;

/** Add a record of kind KERNEL, COUNTERS, PROFILED or UNAVAILABLE. Invalid records are ignored. */
void nitro_received_profiles_add_record(nitro_received_profiles *profiling,
                                        const nitro_worker_record *record);
/** Drop the profiles of an incomplete run, after its worker ended. */
void nitro_received_profiles_drop_unfinished(nitro_received_profiles *profiling);
/** Free all profiles. */
void nitro_received_profiles_clear(nitro_received_profiles *profiling);

#endif
