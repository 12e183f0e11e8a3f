/* report_learnt.h - the studies behind the parts of a report that take learning, and what the
 * tables and charts of these parts share. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_LEARNT_H
#define NITRO_APPS_CLI_REPORT_REPORT_LEARNT_H

#include "apps/cli/report/report_journal.h"

/** What cannot be reached without measuring on the target: a ceiling, not a competitor. */
#define REPORT_CEILING "native"

/** The results of a study: of all sources, or of all but one. */
typedef struct report_outcome {
    const char *removed; /* NULL: nothing */
    size_t device;       /* its index in the dataset */
    nitro_evaluate_result *results;
    size_t count;
} report_outcome;

/** Of whose quality there are curves. */
#define REPORT_CURVE_METHOD "auto"
enum { REPORT_NUM_MEASURED = 5 }; /* numbers of measured inputs in its curve, besides none */

/** All cases of a method: test inputs, seeds, and targets or one of them. */
typedef struct report_summary {
    size_t cases;
    double mean, geomean, p5, p95;
    double spread;         /* standard deviation of the mean over seeds; NaN: one seed */
    double best, close;    /* percent of cases: the best variant, within 5 % of it */
    double without_choice; /* percent of cases: the declared default for want of a model */
} report_summary;

typedef struct report_learnt {
    report *report;
    report_journal *journal;
    nitro_training_memo *memo; /* of the seed that runs now */
    nitro_string_list curved;  /* the method of curves */
    size_t *ranks; /* shape [methods.count]: methods by their mean over all cases, the best first */
    bool draws_curves;
    nitro_string_list targets; /* that have results */
    nitro_string_list methods; /* that have results */
    report_outcome all;
    report_outcome *less; /* shape [num_less]: without each source in turn */
    size_t num_less;
    char reason[512]; /* why there are no results at all */
} report_learnt;

void report_learnt_free(report_learnt *self);

/** Columns of a result's numbers, and a row of them. */
void report_add_quality_columns(report_table *table);
void report_add_qualities(report_table *table, const nitro_evaluate_result *result);

/** A chart of groups of bars: a category a name, and one more for `last`, if given. */
void report_begin_bars(report *self, report_chart *chart, const nitro_string_list *names,
                       const char *last, const nitro_string_list *series);
/** Qualities start at the ten below the lowest one: their differences are what matters. */
void report_fit_axis(report *self, report_part *part);

/** `target`: NULL: all. Without cases all numbers are NaN. */
report_summary report_summarize(const report_learnt *self, const char *target, const char *method);
/** Mean and standard deviation over seeds (NaN: one seed). */
double report_mean_of(const double *values, size_t count, double *spread);
void report_rank_methods(report_learnt *self);
/** Does any method have results? If not, the part is omitted, with the reason. */
bool report_has_results(report *self, report_part *part);
bool report_is_reference(const char *method);
/** The method that the report looks at closely: the best one that is no reference, or the best;
 *  NULL: none has results. */
const char *report_leader(const report_learnt *self);
/** Is this entry a result of the study with all sources, by this method, on this target (or NULL)?
 */
bool report_entry_is(const report_learnt *self, const report_entry *entry, const char *target,
                     const char *method);

#endif
