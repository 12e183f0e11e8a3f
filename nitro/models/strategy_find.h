/* strategy_find.h - strategies by name. Internal to nitro/. */
#ifndef NITRO_MODELS_STRATEGY_FIND_H
#define NITRO_MODELS_STRATEGY_FIND_H

#include "nitro/nitro_backend.h"

/** The strategy of this name (NULL: that of the highest priority), or NITRO_ERR_NOT_FOUND. */
nitro_status nitro_strategy_find(nitro_context *context, const char *name,
                                 const nitro_strategy **strategy);

#endif
