/* versions.h - the current versions of a computation's variants, from its code. */
#ifndef NITRO_APPS_CLI_VERSIONS_H
#define NITRO_APPS_CLI_VERSIONS_H

#include "apps/cli/options.h"

typedef int (*version_function)(const invocation *call, const char *computation,
                                const char *const *versions, void *user);

/**
 * Call `visit` for each computation of `call->store`, or the one that `text` names (a name, or the
 * path of a shared object; NULL: all), with its variants' versions in the schema's order: those of
 * the shared object or of built-in code of this name, NULL without code. Failures are printed.
 */
int versions_each(const invocation *call, const char *text, version_function visit, void *user);

#endif
