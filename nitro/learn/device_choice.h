/* device_choice.h - the device features that a model may use. Internal to nitro/. */
#ifndef NITRO_LEARN_DEVICE_CHOICE_H
#define NITRO_LEARN_DEVICE_CHOICE_H

#include "nitro/nitro_backend.h"

/** May models use the device feature of this name? Not if it is descriptive. */
bool nitro_device_feature_is_usable(const char *name);

/**
 * List, by name, the device features that all sources and the target have and that are not
 * descriptive. Those that only some of them have are logged.
 */
nitro_status nitro_device_candidates(nitro_context *context, const nitro_device *const *sources,
                                     size_t num_sources, const nitro_device *target,
                                     nitro_string_list *candidates);

#endif
