/* sync_report.h - copies between stores and prints what was copied. */
#ifndef NITRO_APPS_CLI_STORE_SYNC_REPORT_H
#define NITRO_APPS_CLI_STORE_SYNC_REPORT_H

#include "apps/cli/output.h"

/** Open FROM and TO (the invocation's first two arguments), copy the records of FROM, and print the
 * counts. Records that are not copied are warned of and make the exit code 1. */
int sync_stores(invocation *call, nitro_sync_options options, bool json);

#endif
