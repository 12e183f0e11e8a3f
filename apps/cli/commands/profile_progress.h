/* profile_progress.h - profiles collected on a real device, with progress. */
#ifndef NITRO_APPS_CLI_COMMANDS_PROFILE_PROGRESS_H
#define NITRO_APPS_CLI_COMMANDS_PROFILE_PROGRESS_H

#include "apps/cli/inputs.h"

/**
 * Profile a computation's variants on inputs, or the proxies (`loaded` NULL); Ctrl-C stops it after
 * the one at hand, where interrupts_catch() was called. Of `how` the progress is set here.
 * @return as nitro_profile_variants.
 */
nitro_status collect_profiles(invocation *call, nitro_store *store, const char *device,
                              const loaded_module *loaded, const input_set *inputs,
                              const nitro_profile_options *how, nitro_profile_report *report);

/**
 * Profile the proxies, then the variants, on behalf of a command that can do without: what goes
 * wrong is a warning.
 * @param[out] broken  it failed after a first success (the store became unavailable): profiles are
 *                     missing, other than on a device that cannot be profiled.
 * @return NITRO_OK or NITRO_ERR_INTERRUPTED.
 */
nitro_status collect_or_warn(invocation *call, nitro_store *store, const char *device,
                             const loaded_module *loaded, const input_set *inputs, bool *broken);

#endif
