/* tune_settings.h - the options of nitro tune. */
#ifndef NITRO_APPS_CLI_COMMANDS_TUNE_SETTINGS_H
#define NITRO_APPS_CLI_COMMANDS_TUNE_SETTINGS_H

#include "apps/cli/options.h"

typedef struct tune_settings {
    common_settings common;
    nitro_string_list inputs, devices;
    const char *store, *output, *shard;
    uint64_t generate, seed, name_parts;
    uint64_t warmups, min_repetitions, repetitions, blocks, memory_limit_mb;
    double budget_ms, timeout_s;
    bool no_model, profile, again, cold;
} tune_settings;

extern const option tune_options[];
extern const argument tune_arguments[];

void tune_set_defaults(void *settings);
/** How to measure, as given; the rest of the options is as nitro_tune_options_init leaves it. */
nitro_tune_options tune_options_given(const tune_settings *given);

/** What --repetitions and --timeout say; fewer repetitions than the least number lower that. */
void measure_at_most(nitro_measure_options *measure, uint64_t repetitions, double timeout_s);

#endif
