/* report_summary.c - what a report says of a method: its qualities over all test inputs, targets
 * and seeds, and how much its mean differs between seeds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"
#include "nitro/backend/statistics.h"

#define LEAST_PERCENT 0.1 /* a quality of 0 in a geometric mean */

bool report_entry_is(const report_learnt *self, const report_entry *entry, const char *target,
                     const char *method)
{
    return entry->study == REPORT_STUDY_ALL &&
           strcmp(nitro_method_table()[entry->method].name, method) == 0 &&
           (!target || strcmp(self->report->dataset->devices[entry->target]->id, target) == 0);
}

double report_mean_of(const double *values, size_t count, double *spread)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    for (size_t i = 0; i < count; i++)
        squares += pow(values[i] - sum / (double)count, 2.0);
    *spread = count > 1 ? sqrt(squares / (double)(count - 1)) : (double)NAN;
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void count_case(const report_case *one, report_summary *summary, double *qualities)
{
    qualities[summary->cases++] = one->quality;
    summary->mean += one->quality;
    summary->geomean += log(fmax(one->quality, LEAST_PERCENT));
    summary->best += one->quality >= 100.0;
    summary->close += one->quality >= 100.0 / 1.05;
    summary->without_choice += !one->has_choice;
}

/** @param sums  of each seed, shape [num_seeds] */
static void finish(report_summary *summary, double *qualities, const double *sums,
                   const double *counts, size_t num_seeds)
{
    double count = (double)summary->cases, means[1000];
    size_t num_means = 0;
    for (size_t s = 0; s < num_seeds; s++)
        if (counts[s] > 0.0)
            means[num_means++] = sums[s] / counts[s];
    report_mean_of(means, num_means, &summary->spread);
    nitro_sort(qualities, summary->cases);
    summary->mean /= count;
    summary->geomean = exp(summary->geomean / count);
    summary->best *= 100.0 / count;
    summary->close *= 100.0 / count;
    summary->without_choice *= 100.0 / count;
    summary->p5 = nitro_quantile(qualities, summary->cases, 0.05);
    summary->p95 = nitro_quantile(qualities, summary->cases, 0.95);
}

report_summary report_summarize(const report_learnt *self, const char *target, const char *method)
{
    static const report_summary nothing = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const report_journal *journal = self->journal;
    const nitro_study_options *how = &self->report->options;
    double sums[1000] = {0}, counts[1000] = {0};
    report_summary summary = {0};
    double *qualities =
        nitro_calloc(self->report->context, journal->num_cases + 1, sizeof *qualities);
    if (!qualities) {
        report_keep(self->report, NITRO_ERR_NO_MEMORY);
        return nothing;
    }
    for (size_t i = 0; i < journal->num_entries; i++) {
        const report_entry *entry = &journal->entries[i];
        uint64_t seed = entry->seed - how->seed;
        if (!report_entry_is(self, entry, target, method) || seed >= how->num_seeds)
            continue;
        for (size_t c = 0; c < entry->num_cases; c++) {
            const report_case *one = &journal->cases[entry->first_case + c];
            count_case(one, &summary, qualities);
            sums[seed] += one->quality;
        }
        counts[seed] += (double)entry->num_cases;
    }
    if (summary.cases > 0)
        finish(&summary, qualities, sums, counts, how->num_seeds);
    free(qualities);
    return summary.cases > 0 ? summary : nothing;
}

void report_rank_methods(report_learnt *self)
{
    double means[NITRO_MAX_VARIANTS];
    self->ranks = nitro_calloc(self->report->context, self->methods.count + 1, sizeof *self->ranks);
    if (!self->ranks) {
        report_keep(self->report, NITRO_ERR_NO_MEMORY);
        return;
    }
    for (size_t m = 0; m < self->methods.count; m++) {
        size_t place = m;
        means[m] = report_summarize(self, NULL, self->methods.items[m]).mean;
        for (; place > 0 && means[m] > means[self->ranks[place - 1]]; place--)
            self->ranks[place] = self->ranks[place - 1];
        self->ranks[place] = m;
    }
}

bool report_is_reference(const char *method)
{
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++)
        if (strcmp(each->name, method) == 0)
            return each->is_reference;
    return false;
}

const char *report_leader(const report_learnt *self)
{
    for (size_t r = 0; r < self->methods.count; r++)
        if (!report_is_reference(self->methods.items[self->ranks[r]]))
            return self->methods.items[self->ranks[r]];
    return self->methods.count > 0 ? self->methods.items[self->ranks[0]] : NULL;
}
