/* observed_device.h - the device that a running program's calls are stored under. Internal to
 * nitro/. */
#ifndef NITRO_MEASURE_OBSERVED_DEVICE_H
#define NITRO_MEASURE_OBSERVED_DEVICE_H

#include "nitro/nitro_backend.h"

/**
 * The attached model's target; where that is not on this machine, as of a model that ships, this
 * machine's device of the computation's kind. The store's description is preferred, which may have
 * more measured features. A target that cannot be described here is the one in the store.
 * @param[out] is_stored  the store knows it.
 */
nitro_status nitro_observed_device(const nitro_computation *computation, nitro_store *store,
                                   nitro_device **device, bool *is_stored);

/** nitro_computation_flush_observations with a bound.
 *  @param[in,out] room  how many sets of features that the store does not have may be added; calls
 *                       with others are discarded. After an error it may be too small. */
nitro_status nitro_flush_observations_into(nitro_computation *computation, nitro_store *store,
                                           size_t *room, size_t *num_samples);

#endif
