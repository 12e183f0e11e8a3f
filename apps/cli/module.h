/* module.h - the computation that a command line names: built in, in a shared object, or known
 * by name alone. */
#ifndef NITRO_APPS_CLI_MODULE_H
#define NITRO_APPS_CLI_MODULE_H

#include "apps/cli/options.h"

/** A module with its computation. */
typedef struct loaded_module {
    const nitro_module *module;
    nitro_computation *computation;
} loaded_module;

/**
 * Find a built-in module by name, or load the shared object at a path (it contains a '/'), and
 * create its computation. Failures are printed.
 */
int module_open(const invocation *call, const char *name, loaded_module *loaded);
void module_close(loaded_module *loaded);

/** The computation's name: the text itself, or for a path what the shared object says. */
int module_name(const invocation *call, const char *text, const char **name);

#endif
