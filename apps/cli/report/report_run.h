/* report_run.h - making a report of a store's computations, part by part. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_RUN_H
#define NITRO_APPS_CLI_REPORT_REPORT_RUN_H

#include "apps/cli/report/report.h"

/** A request; all borrowed. */
typedef struct report_request {
    nitro_store *store;
    const char *output; /* an existing folder */
    const nitro_string_list *computations;
    const nitro_string_list *sub_methods;  /* for the studies with one source less */
    const nitro_string_list *descriptions; /* files, for rooflines; NULL: none */
    nitro_study_options study;             /* with its methods; without progress */
    bool skip_source_less, skip_features, skip_curves;
    bool json; /* print what was written */
} report_request;

/** Compute, write and draw everything. */
int report_run(invocation *call, const report_request *request);

#endif
