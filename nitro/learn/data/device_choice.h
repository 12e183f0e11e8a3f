/* device_choice.h - the device features that a model may use. Internal to nitro/. */
#ifndef NITRO_LEARN_DATA_DEVICE_CHOICE_H
#define NITRO_LEARN_DATA_DEVICE_CHOICE_H

#include "nitro/nitro_backend.h"

/** May models use the device feature of this name? Not if it is descriptive. */
bool nitro_device_feature_is_usable(const char *name);
/** The scale that models see it on. */
nitro_scale nitro_device_feature_scale(const char *name);

/**
 * List, by name, the device features that all sources and the target have and that are not
 * descriptive. Those that only some of them have are logged.
 */
nitro_status nitro_device_candidates(nitro_context *context, const nitro_device *const *sources,
                                     size_t num_sources, const nitro_device *target,
                                     nitro_string_list *candidates);

/**
 * List the device features that hardware distances are made of: those in the schema's relative
 * features, or without any all usable ones of the device.
 */
nitro_status nitro_device_hardware_features(nitro_context *context, const nitro_schema *schema,
                                            const nitro_device *device, nitro_string_list *names);

#endif
