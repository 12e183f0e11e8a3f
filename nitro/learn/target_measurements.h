/* target_measurements.h - a few inputs measured on the target: which, by whom, and what the model
 * learns from them. Internal to nitro/. */
#ifndef NITRO_LEARN_TARGET_MEASUREMENTS_H
#define NITRO_LEARN_TARGET_MEASUREMENTS_H

#include "nitro/runtime/model/model.h"

/**
 * Choose `options->num_measured` inputs, have them measured, and adapt the model to them. Fewer
 * where there are not so many, said in the log.
 * @param[in]     sources  what the model learnt from.
 * @param[in,out] model    of the target.
 * @param[out]    inputs   the names of those that taught, best first; appended.
 */
nitro_status nitro_measured_adapt(nitro_context *context, nitro_store *store,
                                  const nitro_dataset *sources, const nitro_learn_options *options,
                                  nitro_model *model, nitro_string_list *inputs);

#endif
