/* report_variants.c - how often each variant is the best on each device. The chart merges the
 * rarest winners. */
#include <math.h>
#include <stdlib.h>

#include "apps/cli/report/report.h"

/** Variants with a colour of their own; the others are drawn as one. */
enum { MAX_DRAWN_VARIANTS = 7 };

bool report_has_run(const nitro_dataset *dataset, size_t variant)
{
    return dataset->tried >> variant & 1;
}

/** Variants in order of their wins over all devices, the first declared on ties.
 *  @return how many win anything; at least 1. */
static size_t order_variants(const nitro_study_wins *wins, size_t num_devices, size_t num_variants,
                             size_t *order)
{
    size_t sums[NITRO_MAX_VARIANTS] = {0}, num_winners = 0;
    for (size_t d = 0; d < num_devices; d++)
        for (size_t v = 0; v < num_variants; v++)
            sums[v] += wins[d].wins[v];
    for (size_t v = 0; v < num_variants; v++) {
        size_t place = v;
        for (; place > 0 && sums[v] > sums[order[place - 1]]; place--)
            order[place] = order[place - 1];
        order[place] = v;
        num_winners += sums[v] > 0;
    }
    return num_winners ? num_winners : 1;
}

static void draw_variants(report *self, report_part *part, const nitro_study_wins *wins)
{
    const nitro_dataset *dataset = self->dataset;
    size_t order[NITRO_MAX_VARIANTS];
    size_t num_winners =
        order_variants(wins, dataset->num_devices, dataset->schema->num_variants, order);
    size_t drawn = num_winners > MAX_DRAWN_VARIANTS + 1 ? MAX_DRAWN_VARIANTS : num_winners;
    for (size_t d = 0; d < dataset->num_devices; d++)
        report_chart_device(self, &part->chart, dataset->devices[d]->id);
    for (size_t v = 0; v < drawn; v++)
        report_add_name(self, &part->chart.series, dataset->schema->variants[order[v]]);
    if (drawn < num_winners)
        report_add_name(self, &part->chart.series, "others");
    report_add_name(self, &part->chart.greys, "others");
    report_chart_allocate(self, &part->chart);
    for (size_t d = 0; d < dataset->num_devices; d++) {
        size_t others = wins[d].inputs;
        for (size_t v = 0; v < drawn; v++) {
            report_chart_set(&part->chart, v, d,
                             report_percent(wins[d].wins[order[v]], wins[d].inputs));
            others -= wins[d].wins[order[v]];
        }
        if (drawn < num_winners)
            report_chart_set(&part->chart, drawn, d, report_percent(others, wins[d].inputs));
    }
}

/** Which variant wins most often where. */
static void say_variants(report *self, report_part *part, const nitro_study_wins *wins)
{
    const nitro_schema *schema = self->dataset->schema;
    size_t winners[NITRO_MAX_VARIANTS] = {0};
    double most = 0.0, least = 100.0;
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        size_t best = 0;
        for (size_t v = 1; v < schema->num_variants; v++)
            if (wins[d].wins[v] > wins[d].wins[best])
                best = v;
        if (wins[d].inputs == 0)
            continue;
        winners[best]++;
        most = fmax(most, report_percent(wins[d].wins[best], wins[d].inputs));
        least = fmin(least, report_percent(wins[d].wins[best], wins[d].inputs));
    }
    char range[32];
    report_format_range(least, most, range, sizeof range);
    for (size_t v = 0; v < schema->num_variants; v++)
        if (winners[v] > 0 && report_is_alone(self))
            report_say(self, part, "%s is the fastest variant most often: for %s %% of the inputs.",
                       schema->variants[v], range);
        else if (winners[v] > 0)
            report_say(self, part, "%s is the most frequent best variant on %zu of %zu devices.",
                       schema->variants[v], winners[v], self->dataset->num_devices);
    if (most > 0.0 && !report_is_alone(self))
        report_say(self, part, "The most frequent one is the best for %s %% of a device's inputs.",
                   range);
}

void report_add_variants(report *self)
{
    const nitro_dataset *dataset = self->dataset;
    report_part *part = report_add(self, "variants", "Best variants by device", "Table 4");
    nitro_study_wins *wins = nitro_calloc(self->context, dataset->num_devices, sizeof *wins);
    if (!wins) {
        report_keep(self, NITRO_ERR_NO_MEMORY);
        return;
    }
    report_table *table = &part->table;
    report_table_columns(table, "device,inputs||0");
    for (size_t v = 0; v < dataset->schema->num_variants; v++)
        if (report_has_run(dataset, v))
            report_table_column(table, dataset->schema->variants[v], "%", 1);
    for (size_t d = 0; d < dataset->num_devices; d++) {
        nitro_study_count_wins(dataset, d, &wins[d]);
        report_table_cells(table, "@%s %f", dataset->devices[d]->id, (double)wins[d].inputs);
        for (size_t v = 0; v < dataset->schema->num_variants; v++)
            if (report_has_run(dataset, v))
                report_table_number(table, report_percent(wins[d].wins[v], wins[d].inputs));
    }
    part->method =
        "Share of the inputs on which a variant is the fastest, in percent of the inputs with "
        "times of at least two variants. Ties go to the first declared variant.";
    report_chart_percent(&part->chart, REPORT_STACK, "share of inputs (%)");
    draw_variants(self, part, wins);
    say_variants(self, part, wins);
    free(wins);
}
