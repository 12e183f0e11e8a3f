/* device_range.h - a target whose device features lie outside the sources' range. Internal to
 * nitro/. */
#ifndef NITRO_LEARN_DATA_DEVICE_RANGE_H
#define NITRO_LEARN_DATA_DEVICE_RANGE_H

#include "nitro/runtime/model/model.h"

/** Move the target's device values into the sources' range, since an RBF kernel carries no
 *  information beyond it. The model file then holds the moved values.
 *  @param[in,out] model  its device columns are scaled. */
void nitro_device_range_clamp(nitro_model *model);

/** Warn of the target's device features that the model was given other values for. */
void nitro_device_range_log_clamped(const nitro_model *model, const nitro_device *target);

/** Log the device features, if any, in which the target lies outside the sources' range, so that
 *  the model extrapolates. */
void nitro_device_range_log_extrapolation(const nitro_model *model, nitro_log_level level);

#endif
