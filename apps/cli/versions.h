/* versions.h - the current versions of a computation's variants, from its code. */
#ifndef NITRO_APPS_CLI_VERSIONS_H
#define NITRO_APPS_CLI_VERSIONS_H

#include "apps/cli/options.h"

/**
 * Call `visit` for each computation of the store, or the one that `text` names (a name, or the path
 * of a shared object; NULL: all), with its variants' versions in the schema's order: those of the
 * shared object or of built-in code of this name, NULL without code. Failures are printed.
 */
int versions_each(const invocation *call, nitro_store *store, const char *text,
                  int (*visit)(const invocation *call, nitro_store *store, const char *computation,
                               const char *const *versions, void *user),
                  void *user);

#endif
