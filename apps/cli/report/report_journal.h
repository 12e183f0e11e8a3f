/* report_journal.h - the evaluations of a report: every choice and every result, in memory and in a
 * file, by which an interrupted report resumes. */
#ifndef NITRO_APPS_CLI_REPORT_REPORT_JOURNAL_H
#define NITRO_APPS_CLI_REPORT_REPORT_JOURNAL_H

#include "apps/cli/report/report.h"

/** Studies other than those without a source, which are numbered by that device. */
enum { REPORT_STUDY_ALL = 10000, REPORT_STUDY_MEASURED, REPORT_STUDY_SOURCES };

/** One test input of a target. */
typedef struct report_case {
    unsigned input;
    int chosen; /* a variant; -1: all of them alike */
    bool has_choice;
    double quality; /* percent */
} report_case;

/** A method on a target, in one study, by one seed. */
typedef struct report_entry {
    uint64_t seed;
    size_t study, target, method;   /* a REPORT_STUDY or a device; a device; in the method table */
    nitro_evaluate_result *results; /* shape [num_results]; `target` is NULL */
    size_t num_results;             /* 0: it had nothing to learn from */
    size_t first_case, num_cases;   /* of the study with all sources only */
} report_entry;

/** Studies whose evaluations by a method take alike. */
typedef enum report_study_kind {
    REPORT_KIND_ALL,
    REPORT_KIND_MEASURED,
    REPORT_KIND_SOURCES,
    REPORT_KIND_LESS,
    REPORT_NUM_KINDS,
} report_study_kind;

/** Evaluations of a method in studies of a kind; points of curves count. */
typedef struct report_work {
    size_t planned, done;
    size_t timed; /* done and not recalled */
    double spent_ms;
} report_work;

typedef struct report_journal report_journal;

struct report_journal {
    report *report;
    FILE *file;
    char *path;
    report_entry *entries; /* shape [num_entries]; those of this run follow those of earlier ones */
    size_t num_entries, capacity, num_recalled;
    report_case *cases;
    size_t num_cases, cases_capacity;
    size_t study; /* that runs now */
    uint64_t seed;
    report_work *work; /* shape [methods x REPORT_NUM_KINDS] */
    double last_ms;
    bool is_complete; /* all studies ran; what is asked for now is recalled */
    nitro_evaluate_watch watch;
};

/** Read what an earlier run of the same report left in the folder, if anything. */
nitro_status report_journal_open(report *self, const char *folder, report_journal **journal);
/** Announce evaluations of a method, for the time left. */
void report_journal_plan(report_journal *journal, const char *method, size_t study, size_t count);
/** Show how far all evaluations are. */
void report_journal_show(const report_journal *journal, const char *target, const char *method);
/** The report is complete: nothing is to be resumed. */
void report_journal_remove(report_journal *journal);
void report_journal_free(report_journal *journal);

#endif
