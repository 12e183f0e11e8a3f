/* report_learnt.h - the studies behind the parts of a report that take learning, and what the
 * tables and charts of these parts share. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_LEARNT_H
#define NITRO_APPS_CLI_REPORT_REPORT_LEARNT_H

#include "apps/cli/report/report.h"

/** What cannot be reached without measuring on the target: a ceiling, not a competitor. */
#define REPORT_CEILING "native"

/** The results of a study: of all sources, or of all but one. */
typedef struct report_outcome {
    const char *removed; /* NULL: nothing */
    nitro_evaluate_result *results;
    size_t count;
} report_outcome;

typedef struct report_learnt {
    report *report;
    nitro_string_list targets; /* that have results */
    nitro_string_list methods; /* that have results */
    report_outcome all;
    report_outcome *less; /* shape [num_less]: without each source in turn */
    size_t num_less;
    char reason[512];   /* why there are no results at all */
    size_t done, total; /* of all evaluations: before the study that runs now */
} report_learnt;

void report_learnt_free(report_learnt *self);

/** Columns of a result's numbers, and a row of them. */
void report_add_quality_columns(report_table *table);
void report_add_qualities(report_table *table, const nitro_evaluate_result *result);

/** A chart of groups of bars: a category a name, and one more for `last`, if given. */
nitro_status report_begin_bars(report *self, report_chart *chart, const nitro_string_list *names,
                               const char *last, const nitro_string_list *series);
/** Qualities start at the ten below the lowest one: their differences are what matters. */
nitro_status report_fit_axis(report *self, report_part *part);

/** The method of the best mean over targets, but the ceiling; NITRO_NONE: there is none. */
size_t report_best_method(const report_learnt *self, nitro_evaluate_result *best);

#endif
