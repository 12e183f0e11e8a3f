/* c_export_ranges.h - the C source that checks an input against the training range. Internal to
 * nitro/models. */
#ifndef NITRO_MODELS_C_EXPORT_RANGES_H
#define NITRO_MODELS_C_EXPORT_RANGES_H

#include <stdio.h>

#include "nitro/nitro_backend.h"

/** A scale's name in C files. */
const char *nitro_source_scale(nitro_scale scale);
/** Print a function `is_within_reach`, which needs `excess` and the scales' names. */
void nitro_source_ranges(FILE *out, const nitro_model *model);

#endif
