/* observations.h - the newest timed runs in a bounded ring: lock-free for any number of writers,
 * one reader at a time. Internal to nitro/.
 */
#ifndef NITRO_RUNTIME_ONLINE_OBSERVATIONS_H
#define NITRO_RUNTIME_ONLINE_OBSERVATIONS_H

#include "nitro/nitro_backend.h"

typedef struct nitro_observations nitro_observations;

typedef struct nitro_observation {
    uint64_t number; /* serial number, from 0 */
    size_t variant;
    double run_ms, prepare_ms;
    double features[NITRO_MAX_FEATURES];
} nitro_observation;

/** @param[in] num_kept  at least 1. */
nitro_status nitro_observations_create(nitro_context *context, size_t num_kept, size_t num_features,
                                       nitro_observations **observations);
void nitro_observations_free(nitro_observations *observations);

/** Replace the oldest; dropped if another thread is writing that entry. */
void nitro_observations_add(nitro_observations *observations, const double *features,
                            size_t variant, double run_ms, double prepare_ms);

/** Capacity, and number of observations written so far. */
size_t nitro_observations_capacity(const nitro_observations *observations);
uint64_t nitro_observations_count(const nitro_observations *observations);

/** Read the entry at an index below the capacity; false: incomplete or discarded. */
bool nitro_observations_read(const nitro_observations *observations, size_t place,
                             nitro_observation *observation);
/** Discard the observation with this serial number; others, also older ones that a thread is still
 *  writing, are kept. */
void nitro_observations_forget(nitro_observations *observations, uint64_t number);

#endif
