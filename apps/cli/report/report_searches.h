/* report_searches.h - a report of recorded tuning spaces. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_SEARCHES_H
#define NITRO_APPS_CLI_REPORT_REPORT_SEARCHES_H

#include "apps/cli/options.h"

typedef struct search_report_request {
    const char *output;                 /* an existing folder */
    const nitro_string_list *recorded;  /* files */
    const nitro_string_list *searchers; /* "NAME:OPTION=VALUE..."; empty: some */
    uint64_t repeats, threads;
} search_report_request;

/** Simulate searches, write the page, its pictures and numbers. */
int report_searches(invocation *call, const search_report_request *request);

#endif
