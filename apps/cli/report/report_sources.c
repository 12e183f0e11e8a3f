/* report_sources.c - the quality of methods with one source removed, and so the contribution of
 * each source. */
#include <math.h>

#include "apps/cli/report/report_learnt.h"

/** The mean quality without a source, or NaN. */
static double quality_without(const report_learnt *self, size_t less, const char *target,
                              const char *method)
{
    const report_outcome *without = &self->less[less];
    const nitro_evaluate_result *found =
        nitro_study_find(without->results, without->count, target, method);
    return found ? found->mean : NAN;
}

/** What the target's quality loses without that source; NaN where it is not known. */
static double drop_of(const report_learnt *self, size_t less, const char *target,
                      const char *method)
{
    const nitro_evaluate_result *with =
        nitro_study_find(self->all.results, self->all.count, target, method);
    return with ? with->mean - quality_without(self, less, target, method) : NAN;
}

static void fill_less(const report_learnt *self, report_part *part)
{
    report_table *table = &part->table;
    report_table_columns(table, "target,removed source,method");
    report_add_quality_columns(table);
    report_table_columns(table, "with all sources|%|2,lost|points|2");
    for (size_t i = 0; i < self->num_less; i++)
        for (size_t r = 0; r < self->less[i].count; r++) {
            const nitro_evaluate_result *result = &self->less[i].results[r];
            double drop = drop_of(self, i, result->target, result->method);
            report_table_cells(table, "%s %s %s", result->target, self->less[i].removed,
                               result->method);
            report_add_qualities(table, result);
            report_table_cells(table, "%f %f", result->mean + drop, drop);
        }
}

/** The mean and the least over all sources that were removed for a target. */
static bool over_sources(const report_learnt *self, const char *target, const char *method,
                         double *mean, double *least)
{
    double sum = 0.0, worst = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < self->num_less; i++) {
        double quality = quality_without(self, i, target, method);
        if (isnan(quality))
            continue;
        sum += quality;
        worst = fmin(worst, quality);
        count++;
    }
    *mean = count ? sum / (double)count : NAN;
    *least = count ? worst : NAN;
    return count > 0;
}

/** A row a method, a column a target; the mean and the worst case last. */
static void digest_less(const report_learnt *self, const nitro_string_list *methods,
                        report_part *part)
{
    report_table *table = &part->digest;
    double worst_of_all = INFINITY;
    size_t steadiest = NITRO_NONE;
    double steadiest_least = -INFINITY;
    report_table_columns(table, "method");
    for (size_t t = 0; t < self->targets.count; t++) {
        char name[128];
        report_device_name(self->report, self->targets.items[t], name, sizeof name);
        report_table_column(table, name, "%", 1);
    }
    report_table_columns(table, "mean|%|2,worst case|%|1");
    for (size_t m = 0; m < methods->count; m++) {
        double sum = 0.0, least = INFINITY;
        size_t count = 0;
        report_table_text(table, methods->items[m]);
        for (size_t t = 0; t < self->targets.count; t++) {
            double mean, worst;
            if (over_sources(self, self->targets.items[t], methods->items[m], &mean, &worst)) {
                sum += mean;
                least = fmin(least, worst);
                count++;
            }
            report_table_number(table, mean);
            report_chart_set(&part->chart, m, t, mean);
        }
        report_table_cells(table, "%f %f", count ? sum / (double)count : NAN, count ? least : NAN);
        report_chart_set(&part->chart, m, self->targets.count, count ? sum / (double)count : NAN);
        if (report_is_reference(methods->items[m]))
            continue;
        worst_of_all = fmin(worst_of_all, least);
        if (count && least > steadiest_least) {
            steadiest = m;
            steadiest_least = least;
        }
    }
    if (steadiest == NITRO_NONE)
        return;
    report_say(self->report, part,
               "With any one source removed, '%s' stays at %.1f %% or above on every target%s",
               methods->items[steadiest], steadiest_least,
               worst_of_all < steadiest_least ? "" : ".");
    if (worst_of_all < steadiest_least)
        report_say(self->report, part, "; the worst method falls to %.1f %%.", worst_of_all);
}

/** The sub-studies' methods that have results, in order. */
static void list_sub_methods(const report_learnt *self, nitro_string_list *methods)
{
    for (size_t i = 0; i < self->num_less; i++)
        for (size_t r = 0; r < self->less[i].count; r++)
            report_add_new_name(self->report, methods, self->less[i].results[r].method);
}

static const char *why_omitted(const report_learnt *self)
{
    return self->report->skip_source_less ? "Skipped by the options of this report."
                                          : "Not evaluated: this takes three sources with samples.";
}

void report_add_source_less(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part =
        report_add(owner, "source-less", "Robustness: one source removed", "Figure 7");
    nitro_string_list methods = {0};
    if (self->num_less == 0) {
        report_omit(owner, part, "%s", why_omitted(self));
        return;
    }
    part->method = "As above, without each source in turn; a target's number is the mean over the "
                   "removed sources, the worst case their minimum.";
    list_sub_methods(self, &methods);
    report_begin_bars(owner, &part->chart, &self->targets, "mean of targets", &methods);
    fill_less(self, part);
    digest_less(self, &methods, part);
    report_fit_axis(owner, part);
    nitro_string_list_free(&methods);
}

/** What is lost without a source, as a mean over targets; NaN: nothing is known. */
static double mean_drop(const report_learnt *self, size_t less, const char *method)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t t = 0; t < self->targets.count; t++) {
        double drop = drop_of(self, less, self->targets.items[t], method);
        if (isnan(drop))
            continue;
        sum += drop;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/** A loss that is none: without a source some inputs go too, and all numbers move a little. */
#define LEAST_LOSS 0.05 /* points */

/** Methods whose choices depend on the sources at all. */
static void list_dependent(const report_learnt *self, nitro_string_list *methods)
{
    nitro_string_list all = {0};
    list_sub_methods(self, &all);
    for (size_t m = 0; m < all.count; m++) {
        bool depends = false;
        for (size_t i = 0; i < self->num_less; i++)
            for (size_t t = 0; t < self->targets.count; t++)
                depends |=
                    fabs(drop_of(self, i, self->targets.items[t], all.items[m])) >= LEAST_LOSS;
        if (depends)
            report_add_name(self->report, methods, all.items[m]);
    }
    nitro_string_list_free(&all);
}

static void fill_contribution(const report_learnt *self, const nitro_string_list *methods,
                              report_part *part)
{
    report_table *table = &part->table, *digest = &part->digest;
    report_table_columns(table, "source,target,method,lost without it|points|2");
    report_table_columns(digest, "source");
    for (size_t m = 0; m < methods->count; m++)
        report_table_column(digest, methods->items[m], "points", 2);
    for (size_t i = 0; i < self->num_less; i++) {
        report_table_device(digest, self->less[i].removed);
        for (size_t m = 0; m < methods->count; m++) {
            double drop = mean_drop(self, i, methods->items[m]);
            report_table_number(digest, drop);
            report_chart_set(&part->chart, m, i, drop);
        }
        for (size_t t = 0; t < self->targets.count; t++)
            for (size_t m = 0; m < methods->count; m++) {
                double drop = drop_of(self, i, self->targets.items[t], methods->items[m]);
                if (isnan(drop))
                    continue;
                report_table_cells(table, "%s %s %s %f", self->less[i].removed,
                                   self->targets.items[t], methods->items[m], drop);
            }
    }
}

static void say_contribution(const report_learnt *self, const nitro_string_list *methods,
                             report_part *part)
{
    const char *method = report_leader(self);
    size_t most = 0;
    if (!method || nitro_string_list_find(methods, method) == NITRO_NONE)
        return;
    for (size_t i = 1; i < self->num_less; i++)
        if (mean_drop(self, i, method) > mean_drop(self, most, method))
            most = i;
    double drop = mean_drop(self, most, method);
    if (!(drop > 0.0))
        report_say(self->report, part, "'%s' loses nothing on average without any one source.",
                   method);
    else
        report_say(self->report, part,
                   "'%s' depends most on %s: without it, the other targets lose %.2f points on "
                   "average. A negative number means better without that source.",
                   method, self->less[most].removed, drop);
}

void report_add_contribution(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "contribution", "What each source contributes", NULL);
    nitro_string_list methods = {0}, sources = {0};
    if (self->num_less == 0) {
        report_omit(owner, part, "%s", why_omitted(self));
        return;
    }
    part->method = "The mean quality with all sources minus that without this one, in points, "
                   "averaged over the targets. Methods that depend on no source (under 0.05 points "
                   "on every target) are omitted.";
    part->chart.y_label = "quality lost without it (points)";
    part->chart.unit = "points";
    list_dependent(self, &methods);
    for (size_t i = 0; i < self->num_less; i++)
        report_add_name(owner, &sources, self->less[i].removed);
    if (methods.count == 0) {
        report_omit(owner, part, "No method depends on the set of sources.");
    } else {
        report_begin_bars(owner, &part->chart, &sources, NULL, &methods);
        fill_contribution(self, &methods, part);
        say_contribution(self, &methods, part);
    }
    nitro_string_list_free(&methods);
    nitro_string_list_free(&sources);
}
