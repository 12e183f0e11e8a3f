/* select_hyper_parameters.h - hyper-parameters by LODO validation. Internal to nitro/learn. */
#ifndef NITRO_LEARN_SELECT_HYPER_PARAMETERS_H
#define NITRO_LEARN_SELECT_HYPER_PARAMETERS_H

#include "nitro/learn/predicted_quality.h"

/**
 * Set task->hyper_settings, of the strategy or of each of an ensemble's members, to the best
 * setting that is clearly better than the default one in LODO validation of the strategy by itself.
 * @param[in]  predicted  of a model with the default settings: it has the weights of the sources.
 * @param[out] is_changed  not all settings are the default.
 */
nitro_status nitro_hyper_settings_select(nitro_context *context, nitro_fit_task *task,
                                         const nitro_predicted_quality *predicted, bool logs,
                                         bool *is_changed);

#endif
