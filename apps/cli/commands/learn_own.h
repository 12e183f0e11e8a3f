/* learn_own.h - a device's model from its own samples, and where it goes. */
#ifndef NITRO_APPS_CLI_COMMANDS_LEARN_OWN_H
#define NITRO_APPS_CLI_COMMANDS_LEARN_OWN_H

#include "apps/cli/options.h"

/**
 * Learn and save. `output` NULL: the default place, and too few samples are no failure; the
 * context's last error says what is missing.
 * @param[out] model, path  what was learnt and where it is; untouched where nothing was.
 */
int learn_own(invocation *call, nitro_store *store, const char *computation, const char *device,
              uint64_t seed, const char *output, nitro_model **model, char **path);

#endif
