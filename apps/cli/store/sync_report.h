/* sync_report.h - what went from one store into another, said. */
#ifndef NITRO_APPS_CLI_STORE_SYNC_REPORT_H
#define NITRO_APPS_CLI_STORE_SYNC_REPORT_H

#include "apps/cli/output.h"

/** Open FROM and TO (the invocation's first two arguments), bring over what FROM has, and say what
 *  went. Records that stay behind are warned of, and make the exit code 1. */
int sync_stores(const invocation *call, nitro_sync_options options, bool json);

#endif
