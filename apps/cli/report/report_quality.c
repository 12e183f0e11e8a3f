/* report_quality.c - the quality of methods on devices that they were not trained on. */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"

static const char quality_method[] =
    "Each device in turn is the target and the others are its sources. Methods are trained on the "
    "training inputs of the sources and evaluated on the test inputs of the target. Quality is 100 "
    "x (time of "
    "the best variant / time of the chosen one); accuracy is how often the choice is the best "
    "variant. Confident decisions have a confidence of at least 0.9; their precision is the share "
    "within 5 % of the best. Every number is the mean over the seeds, which draw the training "
    "inputs.";

static void fill_quality(const report_learnt *self, report_part *part)
{
    report_table *table = &part->table;
    report_table_columns(table, "target,method");
    report_add_quality_columns(table);
    report_table_columns(table, "test inputs||0,modelled");
    for (size_t i = 0; i < self->all.count; i++) {
        const nitro_evaluate_result *result = &self->all.results[i];
        report_table_text(table, "%s", result->target);
        report_table_text(table, "%s", result->method);
        report_add_qualities(table, result);
        report_table_number(table, (double)result->inputs);
        report_table_text(table, "%s", result->modelled ? "yes" : "no");
    }
}

/** A row a method, a column a target; the means over targets last. */
static void digest_quality(const report_learnt *self, report_part *part)
{
    report_table *table = &part->digest;
    nitro_evaluate_result best;
    size_t stressed = report_best_method(self, &best);
    report_table_column(table, "method", NULL, REPORT_TEXT);
    for (size_t t = 0; t < self->targets.count; t++) {
        char name[128];
        report_target_name(self->report, self->targets.items[t], name, sizeof name);
        report_table_column(table, name, "%", 1);
    }
    report_table_columns(table, "all: mean|%|2,geometric mean|%|2,5th percentile|%|1,accuracy|%|1");
    for (size_t m = 0; m < self->methods.count; m++) {
        const char *method = self->methods.items[m];
        nitro_evaluate_result mean;
        report_table_text(table, "%s", method);
        for (size_t t = 0; t < self->targets.count; t++) {
            const nitro_evaluate_result *result = nitro_study_find(
                self->all.results, self->all.count, self->targets.items[t], method);
            report_table_number(table, result ? result->mean : NAN);
            if (result)
                report_chart_set(&part->chart, m, t, result->mean);
        }
        nitro_study_mean(self->all.results, self->all.count, method, &mean);
        report_chart_set(&part->chart, m, self->targets.count, mean.mean);
        report_table_number(table, mean.mean);
        report_table_number(table, mean.geomean);
        report_table_number(table, mean.p5);
        report_table_number(table, mean.accuracy);
        if (m == stressed)
            report_table_stress(table);
    }
}

static nitro_status say_quality(const report_learnt *self, report_part *part)
{
    nitro_evaluate_result best, other;
    size_t index = report_best_method(self, &best);
    if (index == NITRO_NONE)
        return NITRO_OK;
    const char *name = self->methods.items[index];
    nitro_status status = report_say(self->report, part,
                                     "Over %zu targets '%s' is the best method, with a mean "
                                     "quality of %.1f %% and a 5th percentile of %.1f %%.",
                                     self->targets.count, name, best.mean, best.p5);
    if (status == NITRO_OK && strcmp(name, "fixed") != 0 &&
        nitro_study_mean(self->all.results, self->all.count, "fixed", &other))
        status = report_say(self->report, part,
                            "That is %.1f points above the single best variant on the sources "
                            "(SBS, method 'fixed').",
                            best.mean - other.mean);
    if (status == NITRO_OK &&
        nitro_study_mean(self->all.results, self->all.count, REPORT_CEILING, &other))
        status = report_say(
            self->report, part,
            "A target-trained model (method '%s', which needs measurements there) reaches %.1f %%.",
            REPORT_CEILING, other.mean);
    return status;
}

nitro_status report_add_quality(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(self->report, "quality",
                                   "Quality of the methods on an unseen device", "Figure 6");
    if (self->all.count == 0)
        return report_omit(self->report, part, "Not evaluated: %s.", self->reason);
    part->method = quality_method;
    nitro_status status = report_begin_bars(self->report, &part->chart, &self->targets,
                                            "mean of targets", &self->methods);
    if (status != NITRO_OK)
        return status;
    fill_quality(self, part);
    digest_quality(self, part);
    status = say_quality(self, part);
    if (status == NITRO_OK)
        status = report_fit_axis(self->report, part);
    return status == NITRO_OK ? report_part_status(part) : status;
}
