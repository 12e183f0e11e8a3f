/* relative_selection.h - which relative features a model can be trained with. Internal to
 * nitro/learn. */
#ifndef NITRO_LEARN_RELATIVE_SELECTION_H
#define NITRO_LEARN_RELATIVE_SELECTION_H

#include "nitro/nitro_backend.h"

/**
 * How many different values the sources must have of a relative feature that is constant on each
 * device: two only tell two sources apart, and the target would be taken for one of them.
 */
#define NITRO_MIN_DEVICE_VALUES 3

/**
 * Drop the relative features that cannot be used: the target or a source with rows lacks a device
 * feature of the formula, or the feature is constant on each device and has too few values.
 * @param[in]     source  the only one that must not lack any; NITRO_NONE: all must not.
 * @param[in]     logs    log each dropped feature and why.
 * @param[in,out] keep    shape [NITRO_MAX_FEATURES], by index in the sources' schema.
 */
nitro_status nitro_relative_select(nitro_context *context, const nitro_dataset *sources,
                                   size_t source, const nitro_device *target, bool logs,
                                   bool *keep);

/** Drop the relative features that are constant on each device.
 *  @param[out] num_dropped  how many there were. */
nitro_status nitro_relative_drop_constant(nitro_context *context, const nitro_schema *schema,
                                          bool *keep, size_t *num_dropped);

#endif
