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
static void list_devices(const report_learnt *self, nitro_string_list *targets,
                         nitro_string_list *sources)
{
    for (size_t t = 0; t < self->targets.count; t++) {
        const nitro_evaluate_result *result = find_weighted(self, self->targets.items[t]);
        if (!result)
            continue;
        report_add_name(self->report, targets, result->target);
        for (size_t i = 0; i < result->num_source_shares; i++)
            report_add_new_name(self->report, sources, result->source_shares[i].device);
    }
    nitro_string_list_sort(sources);
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
    report_table_columns(table, "target,source,weight|%|1");
    report_table_columns(digest, "target");
    for (size_t s = 0; s < sources->count; s++) {
        char name[128];
        report_device_name(self->report, sources->items[s], name, sizeof name);
        report_table_column(digest, name, "%", 0);
    }
    for (size_t t = 0; t < targets->count; t++) {
        const nitro_evaluate_result *result = find_weighted(self, targets->items[t]);
        report_table_device(digest, targets->items[t]);
        for (size_t s = 0; s < sources->count; s++) {
            double weight = weight_of(result, sources->items[s]);
            report_chart_set(&part->chart, t, s, weight);
            report_table_number(digest, 100.0 * weight);
            if (isnan(weight))
                continue;
            report_table_cells(table, "%s %s %f", targets->items[t], sources->items[s],
                               100.0 * weight);
        }
    }
}

/** How many sources count, and the one that counts most over all targets. */
static void say(const report_learnt *self, const nitro_string_list *targets,
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
    report_say(
        self->report, part,
        "'%s' learns from %s source%s of a target. Over all targets, %s counts most: %.0f %% on "
        "average.",
        find_weighted(self, targets->items[0])->method, range, plural(most), sources->items[first],
        100.0 * largest / (double)targets->count);
}

static void fill_part(const report_learnt *self, const nitro_string_list *targets,
                      const nitro_string_list *sources, report_part *part)
{
    report_chart *chart = &part->chart;
    chart->kind = REPORT_MATRIX;
    chart->low = -1.0; /* the middle of the axis is pale: no weight */
    chart->high = 1.0;
    for (size_t t = 0; t < targets->count; t++)
        report_add_name(self->report, &chart->series, targets->items[t]);
    for (size_t s = 0; s < sources->count; s++)
        report_add_name(self->report, &chart->categories, sources->items[s]);
    report_chart_allocate(self->report, chart);
    fill(self, targets, sources, part);
    say(self, targets, sources, part);
}

void report_add_weights(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "weights", "Which sources count for which target", NULL);
    nitro_string_list targets = {0}, sources = {0};
    part->method = "What each source counts in the model for a target, by its similarity to the "
                   "target and its agreement with other sources; the mean over the seeds.";
    part->chart_note = nitro_strdup(owner->context,
                                    "Rows are targets, columns are sources; 1 is the whole model.");
    report_keep(owner, part->chart_note ? NITRO_OK : NITRO_ERR_NO_MEMORY);
    list_devices(self, &targets, &sources);
    if (targets.count == 0)
        report_omit(owner, part,
                    "No method weights its sources: they are all of one software stack, too few or "
                    "too small.");
    else
        fill_part(self, &targets, &sources, part);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&sources);
}
