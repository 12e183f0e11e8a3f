/* builtin_module.h - shared by the built-in modules: declares a computation. */
#ifndef NITRO_APPS_BUILTIN_MODULE_H
#define NITRO_APPS_BUILTIN_MODULE_H

#include "nitro/nitro_backend.h"

typedef nitro_status (*nitro_declare_function)(nitro_computation *computation);

/** Create a computation with these variants and features. */
nitro_status nitro_module_create_computation(nitro_context *context, const char *name,
                                             nitro_declare_function add_variants,
                                             nitro_declare_function add_features,
                                             nitro_computation **computation);

/** An input is generated in up to so many bytes: by the setting generate_mb, else 40 times the
 *  last-level cache, at most a sixteenth of the memory.
 *  @return NITRO_OK or NITRO_ERR_FORMAT (a malformed setting). */
NITRO_API nitro_status nitro_module_generate_limit(nitro_context *context, const char *computation,
                                                   double *bytes);

/**
 * Draw the size of generated input number `index`: log-uniform from `least` to `usual`, one in
 * eight from `usual` to `most`. Where `most` is beyond `base`, three of the first inputs have the
 * sizes most, most / 3 and most / 9, so that a tune that is stopped early has seen the range.
 */
double nitro_module_draw_size(nitro_random *random, size_t index, double least, double usual,
                              double base, double most);

#endif
