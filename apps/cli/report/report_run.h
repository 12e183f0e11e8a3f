/* report_run.h - making a report of a store's computations, part by part. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_RUN_H
#define NITRO_APPS_CLI_REPORT_REPORT_RUN_H

#include "apps/cli/report/report.h"

/** Compute, write and draw everything. `request`: what the reports of all computations have in
 *  common; `json`: print what was written. */
int report_run(const report *request, const nitro_string_list *computations, bool json);

#endif
