/* report_roofline.c - the roofline: what variants reach of each device's bandwidth and flops, where
 * a description gives their work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report.h"

static const char method[] =
    "The least time that a device could take is that of the variant's bytes at peak bandwidth or "
    "of "
    "its flops at peak, whichever is longer: the roof. Shown are medians over inputs, and the "
    "share "
    "of the roof that is reached (least time over measured time). Bytes are those of a variant's "
    "data, each moved once, so that inputs in the caches can exceed 100 %.";

/** The only description, whatever the store calls the computation, or that of its name; NULL: none.
 */
static const char *find_description(report *self)
{
    const char *found = NULL;
    for (size_t i = 0; i < self->descriptions->count && !found; i++) {
        nitro_description *description = NULL;
        const char *path = self->descriptions->items[i];
        report_keep(self, nitro_description_read(self->context, path, &description));
        if (self->status != NITRO_OK)
            return NULL;
        if (self->descriptions->count == 1 ||
            strcmp(description->names->computation, self->computation) == 0)
            found = path;
        nitro_description_free(description);
    }
    return found;
}

static void add_rows(const report *self, report_part *part, const nitro_study_roof *roofs)
{
    const nitro_schema *schema = self->dataset->schema;
    report_table_columns(&part->table,
                         "device,variant,inputs||0,flops a byte||3,GFLOP/s||1,GB/s||1,"
                         "share of the roof|%|1,10 % quantile|%|1,90 % quantile|%|1");
    for (size_t d = 0; d < self->dataset->num_devices; d++)
        for (size_t v = 0; v < schema->num_variants; v++) {
            const nitro_study_roof *roof = &roofs[d * schema->num_variants + v];
            if (roof->inputs == 0)
                continue;
            report_table_cells(&part->table, "@%s %s", self->dataset->devices[d]->id,
                               schema->variants[v]);
            const double numbers[] = {(double)roof->inputs, roof->intensity, roof->gflops,
                                      roof->gbps,           roof->share[1],  roof->share[0],
                                      roof->share[2]};
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
                report_table_number(&part->table, numbers[i]);
        }
}

/** The best variant of each device, from the worst of them to the best. */
static void say_best(report *self, report_part *part, const nitro_study_roof *roofs)
{
    const nitro_schema *schema = self->dataset->schema;
    size_t low = NITRO_NONE, high = NITRO_NONE;
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        size_t best = NITRO_NONE;
        for (size_t v = 0; v < schema->num_variants; v++) {
            size_t i = d * schema->num_variants + v;
            if (roofs[i].inputs > 0 && isfinite(roofs[i].share[1]) &&
                (best == NITRO_NONE || roofs[i].share[1] > roofs[best].share[1]))
                best = i;
        }
        if (best == NITRO_NONE)
            continue;
        low = low == NITRO_NONE || roofs[best].share[1] < roofs[low].share[1] ? best : low;
        high = high == NITRO_NONE || roofs[best].share[1] > roofs[high].share[1] ? best : high;
    }
    if (low == NITRO_NONE) {
        report_omit(self, part,
                    "The description has no work of these variants, or no device has the features "
                    "peak_gbps and peak_gflops_dp.");
        return;
    }
    report_say(self, part, "On %s the variant nearest to the roof is %s, with %.0f %% of it.",
               self->dataset->devices[high / schema->num_variants]->id,
               schema->variants[high % schema->num_variants], roofs[high].share[1]);
    if (low != high)
        report_say(self, part, "On %s it is %s, with %.0f %%.",
                   self->dataset->devices[low / schema->num_variants]->id,
                   schema->variants[low % schema->num_variants], roofs[low].share[1]);
}

/** Devices have different roofs: relative to their peaks they have one. */
static void draw_roofline(const report *self, report_chart *chart, const nitro_study_roof *roofs)
{
    const nitro_dataset *dataset = self->dataset;
    size_t num_variants = dataset->schema->num_variants;
    double least = 0.1, most = 2.0;
    for (size_t d = 0; d < dataset->num_devices; d++) {
        double gflops = nitro_device_value(dataset->devices[d], "peak_gflops_dp");
        double balance = gflops / nitro_device_value(dataset->devices[d], "peak_gbps");
        for (size_t v = 0; v < num_variants; v++) {
            const nitro_study_roof *roof = &roofs[d * num_variants + v];
            double x = roof->intensity / balance;
            report_chart_set_point(chart, 1 + v, d, x, 100 * roof->gflops / gflops, NAN, NAN);
            least = isfinite(x) ? fmin(least, x / 2) : least;
            most = isfinite(x) ? fmax(most, 2 * x) : most;
        }
    }
    report_chart_set_point(chart, 0, 0, least, 100 * least, NAN, NAN);
    report_chart_set_point(chart, 0, 1, 1, 100, NAN, NAN);
    report_chart_set_point(chart, 0, 2, most, 100, NAN, NAN);
    chart->kind = REPORT_CURVES;
    chart->wide = chart->wide_x = true;
    chart->num_points = num_variants;
    chart->unit = "%";
    chart->x_label = "flops a byte / (peak flops / peak bandwidth)";
    chart->y_label = "share of peak FLOP/s (%)";
}

static void draw_shares(const report *self, report_chart *chart, const nitro_study_roof *roofs)
{
    size_t num_variants = self->dataset->schema->num_variants;
    for (size_t i = 0; i < self->dataset->num_devices * num_variants; i++)
        report_chart_set_range(chart, i % num_variants, i / num_variants, roofs[i].share[1],
                               roofs[i].share[0], roofs[i].share[2]);
    chart->kind = REPORT_DOTS;
    chart->unit = "%";
    chart->low = chart->high = NAN;
    chart->y_label = "share of peak bandwidth (%)";
}

static void draw(report *self, report_part *part, const nitro_study_roof *roofs)
{
    const nitro_dataset *dataset = self->dataset;
    const nitro_schema *schema = dataset->schema;
    report_chart *chart = &part->chart;
    bool has_flops = false;
    for (size_t i = 0; i < dataset->num_devices * schema->num_variants; i++)
        has_flops = has_flops || isfinite(roofs[i].gflops);
    if (has_flops) {
        report_add_name(self, &chart->series, "roof");
        report_add_name(self, &chart->greys, "roof");
    }
    for (size_t v = 0; v < schema->num_variants; v++)
        report_add_name(self, &chart->series, schema->variants[v]);
    for (size_t d = 0; d < dataset->num_devices || (has_flops && d < 3); d++)
        report_add_name(self, &chart->categories,
                        d < dataset->num_devices ? dataset->devices[d]->id : "");
    report_chart_allocate(self, chart);
    if (has_flops)
        draw_roofline(self, chart, roofs);
    else
        draw_shares(self, chart, roofs);
}

/** Those of an earlier report with a description: they may be of other measurements. */
static void remove_files(report *self)
{
    const report_part part = {.name = "roofline"};
    report_write_file(self, &part, "csv", NULL);
    report_write_file(self, &part, "json", NULL);
    report_write_file(self, &part, "svg", NULL);
}

void report_add_roofline(report *self)
{
    nitro_study_roof *roofs = NULL;
    if (!self->descriptions) {
        remove_files(self);
        return;
    }
    report_part *part = report_add(self, "roofline", "Roofline", NULL);
    const char *path = find_description(self);
    if (!path) {
        report_omit(self, part, "None of the descriptions is of this computation.");
        return;
    }
    report_keep(self, nitro_study_roofs(self->context, self->dataset, path, &roofs));
    if (self->status != NITRO_OK)
        return;
    part->method = method;
    add_rows(self, part, roofs);
    say_best(self, part, roofs);
    if (!part->omitted)
        draw(self, part, roofs);
    free(roofs);
}
