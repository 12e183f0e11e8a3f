/*
 * observations.h - the newest runs that were timed, in a bounded ring: any number of threads write
 * and none waits; one at a time reads. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_OBSERVATIONS_H
#define NITRO_RUNTIME_ONLINE_OBSERVATIONS_H

#include "nitro/nitro_backend.h"

typedef struct nitro_observations nitro_observations;

typedef struct nitro_observation {
    uint64_t number; /* counts all that were ever written, from 0 */
    size_t variant;
    double run_ms, prepare_ms;
    double features[NITRO_MAX_FEATURES];
} nitro_observation;

/** @param[in] num_kept  at least 1. */
nitro_status nitro_observations_create(nitro_context *context, size_t num_kept, size_t num_features,
                                       nitro_observations **observations);
void nitro_observations_free(nitro_observations *observations);

/** Write one over the oldest; it is lost where another thread is writing in its place. */
void nitro_observations_add(nitro_observations *observations, const double *features,
                            size_t variant, double run_ms, double prepare_ms);

/** Room, and how many were written since it was made. */
size_t nitro_observations_capacity(const nitro_observations *observations);
uint64_t nitro_observations_count(const nitro_observations *observations);

/** What stands at a place (below the capacity), if it is whole and not forgotten yet. */
bool nitro_observations_read(const nitro_observations *observations, size_t place,
                             nitro_observation *observation);
/** Forget what was written before that number. */
void nitro_observations_forget(nitro_observations *observations, uint64_t number);

#endif
