/* report_quality.c - the quality of methods on devices that they were not trained on: over all
 * targets, and target by target. */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"

#define NUMBERS                                                                                    \
    " Quality is 100 x (time of the best variant / time of the chosen one). Numbers are over all " \
    "cases (test inputs, targets, seeds); where a method had nothing to learn from, the declared " \
    "default variant counts. \xc2\xb1 is the standard deviation of the mean over the seeds, "      \
    "which "                                                                                       \
    "draw the training inputs. In the picture whiskers are the 5th to 95th percentile of the "     \
    "cases and small marks the means of the targets. Grey methods are references: they use no "    \
    "model, or times of the target. Confident decisions have a confidence of at least 0.9; their " \
    "precision is the share within 5 % of the best."

/* Of devices, and of a single one. */
static const char *const quality_methods[] = {
    "Each device in turn is the target and the others are its sources. Methods are trained on the "
    "training inputs of the sources and evaluated on the test inputs of the target." NUMBERS,
    "There is only one device: each fifth of its inputs is tested with models of the rest." NUMBERS,
};

static void fill_quality(const report_learnt *self, report_part *part)
{
    report_table *table = &part->table;
    report_table_columns(table, "target,method");
    report_add_quality_columns(table);
    report_table_columns(table, "spread over seeds|points|2,test inputs||0,modelled");
    for (size_t i = 0; i < self->all.count; i++) {
        const nitro_evaluate_result *result = &self->all.results[i];
        const report_summary summary = report_summarize(self, result->target, result->method);
        report_table_cells(table, "%s %s", result->target, result->method);
        report_add_qualities(table, result);
        report_table_cells(table, "%f %f %s", summary.spread, (double)result->inputs,
                           result->modelled ? "yes" : "no");
    }
}

/** Is the method's mean that of the leader, but for what seeds make of it? */
static bool is_level(const report_summary *leader, const report_summary *other)
{
    return leader->mean - other->mean <= fmax(leader->spread, other->spread);
}

/** A row a method, the best mean first. Those that cannot be told from the leader are stressed. */
static void digest_quality(const report_learnt *self, report_part *part,
                           const report_summary *leader)
{
    report_table *table = &part->digest;
    report_table_columns(table, "method,mean|%|2,geometric mean|%|2,5th percentile|%|1,within 5 % "
                                "of the best|%|1,the best|%|1,no model|%|1");
    for (size_t r = 0; r < self->methods.count; r++) {
        const char *method = self->methods.items[self->ranks[r]];
        const report_summary all = report_summarize(self, NULL, method);
        char text[64];
        report_table_text(table, method);
        report_table_spread(table, all.mean, all.spread);
        report_table_cells(table, "%f %f %f %f %f", all.geomean, all.p5, all.close, all.best,
                           all.without_choice);
        if (!report_is_reference(method) && is_level(leader, &all))
            report_table_stress(table);
        snprintf(text, sizeof text, isfinite(all.spread) ? "%.1f \xc2\xb1 %.1f" : "%.1f", all.mean,
                 all.spread);
        report_add_name(self->report, &part->chart.notes, text);
        report_chart_set_range(&part->chart, 0, r, all.mean, all.p5, all.p95);
    }
}

/** The mean on each target, as small marks; the axis starts below the least of them. */
static void draw_targets(const report_learnt *self, report_part *part)
{
    for (size_t t = 0; t < self->targets.count; t++)
        for (size_t r = 0; r < self->methods.count; r++)
            report_chart_set(
                &part->chart, 1 + t, r,
                report_summarize(self, self->targets.items[t], self->methods.items[self->ranks[r]])
                    .mean);
}

static void begin_chart(const report_learnt *self, report_part *part)
{
    report_chart *chart = &part->chart;
    report_add_name(self->report, &chart->series, "all cases");
    for (size_t t = 0; t < self->targets.count; t++)
        report_add_name(self->report, &chart->series, self->targets.items[t]);
    for (size_t r = 0; r < self->methods.count; r++)
        report_add_name(self->report, &chart->categories, self->methods.items[self->ranks[r]]);
    report_chart_percent(chart, REPORT_DOTS, "quality (%): mean, and 5th to 95th percentile");
    chart->by_row = true;
    chart->num_small = self->targets.count;
    report_chart_allocate(self->report, chart);
}

/** The leader, and who cannot be told from it by these seeds. */
static void say_leader(const report_learnt *self, report_part *part, const report_summary *leader)
{
    char names[256] = "";
    size_t count = 0;
    for (size_t r = 0; r < self->methods.count; r++) {
        const char *method = self->methods.items[self->ranks[r]];
        const report_summary one = report_summarize(self, NULL, method);
        if (report_is_reference(method) || !is_level(leader, &one))
            continue;
        nitro_message_list_add(names, sizeof names, "'%s'", method);
        count++;
    }
    if (isnan(leader->spread))
        report_say(self->report, part,
                   "'%s' has the highest mean quality%s: %.1f %%, by one seed, so that small "
                   "differences mean nothing.",
                   report_leader(self),
                   report_is_alone(self->report) ? "" : " without measurements on the target",
                   leader->mean);
    else if (count > 1)
        report_say(
            self->report, part,
            "The highest mean quality is %.1f \xc2\xb1 %.1f %%; %s do not differ by more than "
            "the seeds do.",
            leader->mean, leader->spread, names);
    else
        report_say(
            self->report, part,
            "'%s' has the highest mean quality, %.1f \xc2\xb1 %.1f %%, and the 5th percentile "
            "is %.1f %%.",
            report_leader(self), leader->mean, leader->spread, leader->p5);
}

static void say_quality(const report_learnt *self, report_part *part, const report_summary *leader)
{
    const double fixed = report_summarize(self, NULL, "fixed").mean;
    const double ceiling = report_summarize(self, NULL, REPORT_CEILING).mean;
    bool is_alone = report_is_alone(self->report);
    say_leader(self, part, leader);
    if (isfinite(fixed) && strcmp(report_leader(self), "fixed") != 0)
        report_say(
            self->report, part,
            "The single variant that is best on the %s (method 'fixed', SBS) reaches %.1f %%.",
            is_alone ? "other inputs" : "sources", fixed);
    if (isfinite(ceiling) && !is_alone)
        report_say(self->report, part,
                   "A model trained on the target's own measurements ('%s') reaches %.1f %%.",
                   REPORT_CEILING, ceiling);
}

void report_add_quality(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part =
        report_add(owner, "quality",
                   report_is_alone(owner) ? "Quality of the methods on unseen inputs"
                                          : "Quality of the methods on an unseen device",
                   "Figure 6");
    if (!report_has_results(owner, part))
        return;
    part->method = quality_methods[report_is_alone(owner)];
    const report_summary leader = report_summarize(self, NULL, report_leader(self));
    begin_chart(self, part);
    fill_quality(self, part);
    digest_quality(self, part, &leader);
    draw_targets(self, part);
    say_quality(self, part, &leader);
}

/* ---- Target by target ------------------------------------------------------------------------ */

void report_add_targets(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "targets", "Quality on each target", "Figure 6");
    if (!report_has_results(owner, part))
        return;
    if (report_is_alone(owner)) {
        report_omit(owner, part, "There is only one device.");
        return;
    }
    report_table *table = &part->table;
    part->method = "The means above, target by target; \xc2\xb1 is over the seeds.";
    report_begin_bars(owner, &part->chart, &self->targets, NULL, &self->methods);
    report_table_columns(table, "target");
    for (size_t r = 0; r < self->methods.count; r++)
        report_table_column(table, self->methods.items[self->ranks[r]], "%", 1);
    for (size_t t = 0; t < self->targets.count; t++) {
        const char *target = self->targets.items[t];
        report_table_device(table, target);
        for (size_t r = 0; r < self->methods.count; r++) {
            size_t method = self->ranks[r];
            const report_summary one = report_summarize(self, target, self->methods.items[method]);
            report_table_spread(table, one.mean, one.spread);
            report_chart_set(&part->chart, method, t, one.mean);
        }
    }
    report_fit_axis(owner, part);
}
