/* report_weights.c - which sources the weighted models learn from, target by target. */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"

/** The result of the first method on a target that weights its sources; NULL: none does. */
static const nitro_evaluate_result *find_weighted(const report_learnt *self, const char *target)
{
    for (size_t i = 0; i < self->all.count; i++)
        if (strcmp(self->all.results[i].target, target) == 0 &&
            self->all.results[i].num_source_shares > 0)
            return &self->all.results[i];
    return NULL;
}

/** Targets with weights, and all their sources by name. */
static nitro_status list_devices(const report_learnt *self, nitro_string_list *targets,
                                 nitro_string_list *sources)
{
    nitro_context *context = self->report->context;
    nitro_status status = NITRO_OK;
    for (size_t t = 0; t < self->targets.count && status == NITRO_OK; t++) {
        const nitro_evaluate_result *result = find_weighted(self, self->targets.items[t]);
        if (!result)
            continue;
        status = nitro_string_list_add(context, targets, result->target);
        for (size_t i = 0; i < result->num_source_shares && status == NITRO_OK; i++)
            status = report_add_name(context, sources, result->source_shares[i].device);
    }
    nitro_string_list_sort(sources);
    return status;
}

/** NaN: not among the target's sources. */
static double weight_of(const nitro_evaluate_result *result, const char *source)
{
    for (size_t i = 0; i < result->num_source_shares; i++)
        if (strcmp(result->source_shares[i].device, source) == 0)
            return result->source_shares[i].weight;
    return NAN;
}

/** A row a target, a column a source. */
static void fill(const report_learnt *self, const nitro_string_list *targets,
                 const nitro_string_list *sources, report_part *part)
{
    report_table *table = &part->table, *digest = &part->digest;
    char name[128];
    report_table_columns(table, "target,source,weight|%|1");
    report_table_column(digest, "target", NULL, REPORT_TEXT);
    for (size_t s = 0; s < sources->count; s++) {
        report_target_name(self->report, sources->items[s], name, sizeof name);
        report_table_column(digest, name, "%", 0);
    }
    for (size_t t = 0; t < targets->count; t++) {
        const nitro_evaluate_result *result = find_weighted(self, targets->items[t]);
        report_target_name(self->report, targets->items[t], name, sizeof name);
        report_table_text(digest, "%s", name);
        for (size_t s = 0; s < sources->count; s++) {
            double weight = weight_of(result, sources->items[s]);
            report_chart_set(&part->chart, t, s, weight);
            report_table_number(digest, 100.0 * weight);
            if (isnan(weight))
                continue;
            report_table_text(table, "%s", targets->items[t]);
            report_table_text(table, "%s", sources->items[s]);
            report_table_number(table, 100.0 * weight);
        }
    }
}

/** How many sources count, and the one that counts most over all targets. */
static nitro_status say(const report_learnt *self, const nitro_string_list *targets,
                        const nitro_string_list *sources, report_part *part)
{
    size_t least = SIZE_MAX, most = 0, first = 0;
    double largest = 0.0;
    for (size_t s = 0; s < sources->count; s++) {
        double sum = 0.0;
        for (size_t t = 0; t < targets->count; t++)
            sum += fmax(weight_of(find_weighted(self, targets->items[t]), sources->items[s]), 0.0);
        if (sum > largest) {
            largest = sum;
            first = s;
        }
    }
    for (size_t t = 0; t < targets->count; t++) {
        const nitro_evaluate_result *result = find_weighted(self, targets->items[t]);
        size_t count = 0;
        for (size_t i = 0; i < result->num_source_shares; i++)
            count += result->source_shares[i].weight > 0.0;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    char range[32];
    report_format_range((double)least, (double)most, range, sizeof range);
    return report_say(
        self->report, part,
        "'%s' learns from %s source%s of a target. Over all targets, %s counts most: %.0f %% on "
        "average.",
        find_weighted(self, targets->items[0])->method, range, most == 1 ? "" : "s",
        sources->items[first], 100.0 * largest / (double)targets->count);
}

static nitro_status fill_part(const report_learnt *self, const nitro_string_list *targets,
                              const nitro_string_list *sources, report_part *part)
{
    nitro_context *context = self->report->context;
    report_chart *chart = &part->chart;
    nitro_status status = NITRO_OK;
    /* The middle of the axis is pale: no weight. */
    *chart = (report_chart){.kind = REPORT_MATRIX, .low = -1.0, .high = 1.0};
    for (size_t t = 0; t < targets->count && status == NITRO_OK; t++)
        status = nitro_string_list_add(context, &chart->series, targets->items[t]);
    for (size_t s = 0; s < sources->count && status == NITRO_OK; s++)
        status = nitro_string_list_add(context, &chart->categories, sources->items[s]);
    if (status == NITRO_OK)
        status = report_chart_allocate(context, chart);
    if (status != NITRO_OK)
        return status;
    fill(self, targets, sources, part);
    return say(self, targets, sources, part);
}

nitro_status report_add_weights(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "weights", "Which sources count for which target", NULL);
    nitro_string_list targets = {0}, sources = {0};
    part->method = "What each source counts in the model for a target, by its similarity to the "
                   "target and its agreement with other sources; the mean over the seeds.";
    part->chart_note = nitro_strdup(owner->context,
                                    "Rows are targets, columns are sources; 1 is the whole model.");
    nitro_status status =
        part->chart_note ? list_devices(self, &targets, &sources) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && targets.count == 0)
        status = report_omit(owner, part,
                             "No method weights its sources: they are all of one software stack, "
                             "too few or too small.");
    else if (status == NITRO_OK)
        status = fill_part(self, &targets, &sources, part);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&sources);
    return status == NITRO_OK ? report_part_status(part) : status;
}
