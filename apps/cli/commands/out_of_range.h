/* out_of_range.h - names the features of an input that lie outside a model's training range. */
#ifndef NITRO_APPS_CLI_COMMANDS_OUT_OF_RANGE_H
#define NITRO_APPS_CLI_COMMANDS_OUT_OF_RANGE_H

#include "apps/cli/output.h"

/**
 * A JSON array of the features that lie so far outside the range they were trained on that the
 * choice is extrapolated or a fallback, or are undefined; empty if there are none.
 * @param[in] features  shape [nitro_model_num_features].
 */
json_t *outside_names(const nitro_model *model, const double *features);

/** "a reason", or where names are there "a reason: a, b, c and 2 others". */
void outside_print(nitro_reason reason, const json_t *names);

#endif
