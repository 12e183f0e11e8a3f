/* report_predicted.c - what models promise and what more data brings: predicted against reached
 * quality, and quality against inputs measured on the target and against the number of sources. */
#include <math.h>
#include <string.h>

#include "apps/cli/report/report_learnt.h"

/* ---- Predicted and reached ------------------------------------------------------------------- */

/** Methods with predictions, and one series more for equality. */
static void begin_predicted(const report_learnt *self, report_chart *chart)
{
    report *owner = self->report;
    report_add_name(owner, &chart->series, "predicted = reached");
    report_add_name(owner, &chart->greys, "predicted = reached");
    for (size_t i = 0; i < self->all.count; i++)
        if (isfinite(self->all.results[i].predicted))
            report_add_new_name(owner, &chart->series, self->all.results[i].method);
    for (size_t t = 0; t < self->targets.count; t++)
        report_add_name(owner, &chart->categories, self->targets.items[t]);
    if (self->targets.count == 1) /* a line takes two places */
        report_add_name(owner, &chart->categories, "");
    chart->kind = REPORT_CURVES;
    chart->num_points = chart->series.count - 1;
    chart->unit = chart->x_unit = "%";
    chart->x_label = "predicted quality (%)";
    chart->y_label = "reached quality (%)";
    report_chart_allocate(owner, chart);
}

void report_add_predicted(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "predicted", "Predicted and reached quality", NULL);
    report_chart *chart = &part->chart;
    double sum = 0.0, too_high = 0.0, least = 100.0;
    size_t count = 0;
    begin_predicted(self, chart);
    if (chart->series.count == 1) {
        report_omit(owner, part,
                    "None of the methods predicts its quality: auto does, of two sources or more.");
        return;
    }
    report_table_columns(&part->table, "target,method,predicted|%|1,reached|%|1,error|points|1");
    for (size_t i = 0; i < self->all.count; i++) {
        const nitro_evaluate_result *one = &self->all.results[i];
        if (!isfinite(one->predicted))
            continue;
        size_t series = nitro_string_list_find(&chart->series, one->method);
        size_t target = nitro_string_list_find(&self->targets, one->target);
        report_chart_set_point(chart, series, target, one->predicted, one->mean, NAN, NAN);
        report_table_cells(&part->table, "%s %s %f %f %f", one->target, one->method, one->predicted,
                           one->mean, one->predicted - one->mean);
        sum += fabs(one->predicted - one->mean);
        too_high = fmax(too_high, one->predicted - one->mean);
        least = fmin(least, fmin(one->mean, one->predicted));
        count++;
    }
    least = fmax(0.0, 5.0 * floor(least / 5.0));
    report_chart_set_point(chart, 0, 0, least, least, NAN, NAN);
    report_chart_set_point(chart, 0, 1, 100.0, 100.0, NAN, NAN);
    part->method = "A model predicts the mean quality that it will have on the target, from its "
                   "sources alone. Means over the seeds.";
    report_say(owner, part,
               "Predictions are off by %.1f points on average, and at most %.1f points too high.",
               sum / (double)count, too_high);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/** The points of one curve: means over targets by one seed, and then over seeds. */
typedef struct curve {
    const report_learnt *self;
    size_t study;
    const char *order; /* of sources; NULL: of measured inputs */
    double means[1000];
    size_t num_means;
} curve;

/** The mean over targets at a place, by one seed, and their mean number of measured inputs; NaN: no
 *  target's curve is as long. A target with fewer inputs counts with all of them. */
static double mean_at(const curve *of, uint64_t seed, size_t place, double *measured)
{
    const report_journal *journal = of->self->journal;
    double sum = 0.0, sum_measured = 0.0;
    size_t count = 0;
    bool is_reached = false;
    for (size_t i = 0; i < journal->num_entries; i++) {
        const report_entry *entry = &journal->entries[i];
        if (entry->study != of->study || entry->seed != seed)
            continue;
        const nitro_evaluate_result *at = NULL;
        size_t own = 0;
        for (size_t r = 0; r < entry->num_results && own <= place; r++)
            if (!of->order || strcmp(entry->results[r].order, of->order) == 0) {
                at = &entry->results[r];
                own++;
            }
        is_reached = is_reached || own > place;
        if (!at || (of->order && own <= place))
            continue;
        sum += at->mean;
        sum_measured += (double)at->measured;
        count++;
    }
    *measured = sum_measured / (double)count;
    return is_reached ? sum / (double)count : (double)NAN;
}

/** Mean over the seeds, its spread, and the number of inputs or sources. */
static double over_seeds(curve *of, size_t place, double *spread, double *x)
{
    const nitro_study_options *how = &of->self->report->options;
    double sum_measured = 0.0;
    of->num_means = 0;
    for (size_t s = 0; s < how->num_seeds; s++) {
        double measured, mean = mean_at(of, how->seed + s, place, &measured);
        if (isfinite(mean)) {
            of->means[of->num_means++] = mean;
            sum_measured += measured;
        }
    }
    *x = of->order ? (double)place + 1.0 : sum_measured / (double)of->num_means;
    return report_mean_of(of->means, of->num_means, spread);
}

static void fill_curve(report_part *part, curve *of, size_t series, size_t num_places)
{
    report_table *table = &part->table;
    for (size_t k = 0; k < num_places; k++) {
        double x, spread, mean = over_seeds(of, k, &spread, &x);
        if (isnan(mean))
            continue;
        bool known = isfinite(spread);
        report_chart_set_point(&part->chart, series, k, x, mean,
                               known ? mean - spread : (double)NAN,
                               known ? fmin(100.0, mean + spread) : (double)NAN);
        if (of->order)
            report_table_text(table, part->chart.series.items[series]);
        report_table_cells(table, "%f %f %f", x, mean, spread);
    }
}

static void add_curves(report *owner, report_part *part, size_t study, size_t num_places,
                       const char *const *orders, size_t num_orders)
{
    report_chart *chart = &part->chart;
    for (size_t o = 0; o < num_orders; o++) {
        char name[64];
        snprintf(name, sizeof name, orders[o] ? "%s, %s" : "%s", REPORT_CURVE_METHOD,
                 orders[o] && strcmp(orders[o], "nearest") == 0 ? "nearest first" : "at random");
        report_add_name(owner, &chart->series, name);
    }
    chart->kind = REPORT_CURVES;
    chart->width = num_places;
    chart->counted_x = true;
    chart->unit = "%";
    chart->y_label = "mean quality (%)";
    report_chart_allocate(owner, chart);
    for (size_t o = 0; o < num_orders && owner->status == NITRO_OK; o++) {
        curve of = {.self = owner->learnt, .study = study, .order = orders[o]};
        fill_curve(part, &of, o, num_places);
    }
}

/** Say what the first curve does between its ends. */
static void say_curve(report *owner, report_part *part, const char *what)
{
    const report_chart *chart = &part->chart;
    size_t last = 0;
    if (!chart->values)
        return;
    for (size_t k = 0; k < chart->width; k++)
        last = isfinite(chart->values[k]) ? k : last;
    report_say(owner, part, "'%s' has %.1f %% with %.0f, and %.1f %% with %.0f %s.",
               REPORT_CURVE_METHOD, chart->values[0], chart->places[0], chart->values[last],
               chart->places[last], what);
}

static const char *why_omitted(const report *owner)
{
    return owner->skip_curves ? "Skipped by the options of this report."
                              : "Not evaluated: this takes two sources with samples.";
}

void report_add_measured_curve(report *owner)
{
    static const char *const orders[] = {NULL};
    report_part *part =
        report_add(owner, "measured", "Quality against inputs measured on the target", NULL);
    if (!owner->learnt->draws_curves) {
        report_omit(owner, part, "%s", why_omitted(owner));
        return;
    }
    report_table_columns(&part->table,
                         "measured inputs||0,mean quality|%|2,spread over seeds|points|2");
    part->chart.x_label = "inputs measured on the target";
    part->method = "The model of the sources is adapted to so many training inputs of the target, "
                   "which it chooses itself. Means over the targets, of which one with fewer "
                   "training inputs counts with all of them; the band is one standard deviation "
                   "over the seeds.";
    add_curves(owner, part, REPORT_STUDY_MEASURED, 1 + REPORT_NUM_MEASURED, orders, 1);
    say_curve(owner, part, "inputs");
}

void report_add_source_curve(report *owner)
{
    static const char *const orders[] = {"nearest", "random"};
    report_part *part = report_add(owner, "sources", "Quality against the number of sources", NULL);
    if (!owner->learnt->draws_curves) {
        report_omit(owner, part, "%s", why_omitted(owner));
        return;
    }
    report_table_columns(&part->table,
                         "order,sources||0,mean quality|%|2,spread over seeds|points|2");
    part->chart.x_label = "sources";
    part->method = "The model of each target's nearest source, of its two nearest ones, and so on; "
                   "and the same in an order drawn by the seed. Means over the targets; the band "
                   "is one standard deviation over the seeds.";
    add_curves(owner, part, REPORT_STUDY_SOURCES, owner->dataset->num_devices, orders, 2);
    say_curve(owner, part, "sources");
}
