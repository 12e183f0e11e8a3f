/* builtin_module.h - shared by the built-in modules: declares a computation. */
#ifndef NITRO_APPS_BUILTIN_MODULE_H
#define NITRO_APPS_BUILTIN_MODULE_H

#include "nitro/nitro.h"

typedef nitro_status (*nitro_declare_function)(nitro_computation *computation);

/** Create a computation with these variants and features. */
nitro_status nitro_module_create_computation(nitro_context *context, const char *name,
                                             nitro_declare_function add_variants,
                                             nitro_declare_function add_features,
                                             nitro_computation **computation);

#endif
