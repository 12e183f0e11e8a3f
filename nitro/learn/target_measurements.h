/* target_measurements.h - choose a few inputs, have them measured on the target, adapt the model.
 * Internal to nitro/learn. */
#ifndef NITRO_LEARN_TARGET_MEASUREMENTS_H
#define NITRO_LEARN_TARGET_MEASUREMENTS_H

#include "nitro/runtime/model/model.h"

/**
 * Choose `options->num_measured` inputs, or all with a warning where there are fewer, have them
 * measured, and adapt the model to them.
 * @param[in]     sources  the model's training samples.
 * @param[in,out] model    of the target.
 * @param[out]    inputs   names of the inputs used, best first; appended.
 */
nitro_status nitro_measured_adapt(nitro_context *context, nitro_store *store,
                                  const nitro_dataset *sources, const nitro_learn_options *options,
                                  nitro_model *model, nitro_string_list *inputs);

#endif
