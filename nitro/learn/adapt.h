/* adapt.h - from a few measured inputs of the target to a better model. Internal to nitro/. */
#ifndef NITRO_LEARN_ADAPT_H
#define NITRO_LEARN_ADAPT_H

#include "nitro/runtime/model/model.h"

/**
 * Which inputs are worth measuring on the model's target: those that tell most about the others,
 * where the model's best variants are close.
 * @param[in]  features  shape [num_inputs x num_features], raw.
 * @param[in]  count     how many, at most num_inputs.
 * @param[out] chosen    shape [count]: indices, best first.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (the model's strategy cannot be adapted).
 */
nitro_status nitro_model_plan_measuring(const nitro_model *model, const double *features,
                                        size_t num_inputs, size_t count, size_t *chosen);

/**
 * Correct the model by what was measured on its target, in place of any earlier correction. Rows
 * with fewer than two times do not teach.
 * @param[in] features  shape [num_inputs x num_features], raw.
 * @param[in] times_ms  shape [num_inputs x num_variants]; NaN: no time.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (as above); NITRO_ERR_NO_DATA (no row teaches).
 */
nitro_status nitro_model_adapt(nitro_model *model, const double *features, const double *times_ms,
                               size_t num_inputs, unsigned num_threads);

#endif
