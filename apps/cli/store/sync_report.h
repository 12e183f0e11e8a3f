/* sync_report.h - copies between two stores and reports what was copied. */
#ifndef NITRO_APPS_CLI_STORE_SYNC_REPORT_H
#define NITRO_APPS_CLI_STORE_SYNC_REPORT_H

#include "apps/cli/output.h"

/** Open FROM and TO (the invocation's first two arguments), copy by the rule and report. Skipped
 * damaged records cause a warning and exit code 1. */
int sync_stores(const invocation *call, nitro_sync_options options, bool json);

#endif
