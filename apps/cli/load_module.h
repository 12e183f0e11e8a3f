/* load_module.h - the computation that a command line names: built in, in a shared object, or known
 * by name only. */
#ifndef NITRO_APPS_CLI_LOAD_MODULE_H
#define NITRO_APPS_CLI_LOAD_MODULE_H

#include "apps/cli/options.h"

/** A module with its computation. */
typedef struct loaded_module {
    const nitro_module *module;
    nitro_computation *computation;
} loaded_module;

/**
 * Find a built-in module by name, or load the shared object at a path (it contains a '/'), and
 * create its computation. Failures are printed.
 * @param[in] kind  of the device that its variants shall run on: of several modules of one name the
 *                  one for it, and no other. NULL: they run on none, so any will do, the host's if
 *                  there is one.
 */
int module_open(const invocation *call, const char *name, const char *kind, loaded_module *loaded);
void module_close(loaded_module *loaded);

/** Kinds of devices that a built-in computation runs on: "host, cuda"; `text` has shape [size]. */
void module_kinds(const char *name, char *text, size_t size);

/** The first of the built-in modules of this name: the host's, if there is one. NULL: none. */
const nitro_module *module_built_in(const char *name);

/** The computation's name: the text itself, or for a path that of the shared object. */
int module_name(const invocation *call, const char *text, const char **name);

#endif
