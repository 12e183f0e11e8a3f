/* given_features.h - an input's features, as a command line gives them. */
#ifndef NITRO_APPS_CLI_GIVEN_FEATURES_H
#define NITRO_APPS_CLI_GIVEN_FEATURES_H

#include "apps/cli/options.h"

/**
 * Read "NAME=VALUE" items (--features): one for every input feature of the model. What is wrong is
 * printed. @param[out] values shape [NITRO_MAX_FEATURES], in the model's order.
 */
int features_read(const invocation *call, const nitro_model *model, const nitro_string_list *items,
                  double *values);

#endif
