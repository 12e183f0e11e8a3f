/* source_checks.h - sources that nothing can be learnt from. Internal to nitro/learn. */
#ifndef NITRO_LEARN_DATA_SOURCE_CHECKS_H
#define NITRO_LEARN_DATA_SOURCE_CHECKS_H

#include "nitro/nitro_backend.h"

/** Loss, in percent, of the device's best fixed variant on it; NaN: fewer than 20 samples, too few
 *  to learn from it by itself. */
double nitro_source_fixed_loss(const nitro_dataset *sources, size_t device);

/**
 * Mark sources whose times do not depend on their inputs: a model of the source by itself is hardly
 * better there than one variant for all inputs, where that loses much and the source has at least
 * 150 samples; or its shortest times are not correlated with those of the other sources on the same
 * inputs, at least 30, though these are with each other.
 * @param[in]  own_losses  shape [num_devices]: of each source's own model on it, percent, on inputs
 *                         it was not trained on; NaN: unknown.
 * @param[out] is_useless  shape [num_devices].
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_source_checks_run(nitro_context *context, const nitro_dataset *sources,
                                     const double *own_losses, bool *is_useless);

#endif
