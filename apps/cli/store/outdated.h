/* outdated.h - outdated measurements of the store that a command has open. */
#ifndef NITRO_APPS_CLI_STORE_OUTDATED_H
#define NITRO_APPS_CLI_STORE_OUTDATED_H

#include "apps/cli/output.h"

/**
 * Find, and with `apply` remove, outdated measurements of each computation, or of the one that
 * `text` names (a name, or the path of a shared object; NULL: all). The current versions are those
 * of the shared object or of built-in code of this name, else the newest in the store. Failures are
 * printed.
 * @param[out] array  a row is added for each reason on each device.
 * @return exit code
 */
int outdated_find(const invocation *call, const char *text, bool apply, json_t *array);
nitro_status outdated_print(nitro_context *context, const json_t *array);

#endif
