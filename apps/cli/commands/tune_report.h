/* tune_report.h - what nitro tune says of one device when it is done. */
#ifndef NITRO_APPS_CLI_COMMANDS_TUNE_REPORT_H
#define NITRO_APPS_CLI_COMMANDS_TUNE_REPORT_H

#include "apps/cli/commands/winners.h"
#include "apps/cli/output.h"

/** What was tuned, and how it ended; borrowed. */
typedef struct tuned {
    const char *computation;
    const nitro_device *device;
    nitro_store *store;
    size_t num_inputs;
    nitro_tune_progress last;
} tuned;

/** As text to stdout. @return exit code */
int tune_report_print(const invocation *call, const tuned *about, const winner_table *won);
/** The same facts. */
json_t *tune_report_json(const tuned *about, const winner_table *won);

#endif
