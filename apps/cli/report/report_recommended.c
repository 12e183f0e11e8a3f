/* report_recommended.c - which variant to run on each device where one must do for all inputs, and
 * what that costs against choosing by input. */
#include <math.h>

#include "apps/cli/report/report.h"

/** Always the same variant on one device: its qualities over the device's inputs. */
typedef struct fixed_choice {
    double mean;  /* percent; NaN: the device has no time of it */
    double twice; /* percent of inputs on which it is more than twice as slow */
} fixed_choice;

static fixed_choice judge(const nitro_dataset *dataset, size_t device, size_t variant)
{
    size_t num_variants = dataset->schema->num_variants, count = 0, timed = 0, twice = 0;
    double sum = 0.0;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const double *times = dataset->times_ms + row * num_variants;
        double best = INFINITY;
        size_t known = 0;
        for (size_t v = 0; v < num_variants; v++) {
            best = fmin(best, times[v]); /* ignores NaN */
            known += isfinite(times[v]);
        }
        if (dataset->row_device[row] != device || known < 2)
            continue;
        double quality = isfinite(times[variant]) ? best / times[variant] : 0.0;
        sum += quality;
        twice += quality < 0.5;
        timed += isfinite(times[variant]);
        count++;
    }
    return (fixed_choice){timed ? 100.0 * sum / (double)count : (double)NAN,
                          report_percent(twice, count)};
}

static void begin_chart(report *self, report_part *part)
{
    const nitro_dataset *dataset = self->dataset;
    report_chart *chart = &part->chart;
    for (size_t v = 0; v < dataset->schema->num_variants; v++)
        if (report_has_run(dataset, v))
            report_add_name(self, &chart->series, dataset->schema->variants[v]);
    for (size_t d = 0; d < dataset->num_devices; d++)
        report_add_name(self, &chart->categories, dataset->devices[d]->id);
    report_chart_percent(chart, REPORT_MATRIX, NULL);
    report_chart_allocate(self, chart);
}

/** A device's row: the best variant for all inputs, and the next best. @return the best, or
 *  NITRO_NONE where no input has times of two variants. */
static size_t add_device(report *self, report_part *part, size_t device, double *quality)
{
    const nitro_dataset *dataset = self->dataset;
    size_t best = NITRO_NONE, next = NITRO_NONE, drawn = 0;
    fixed_choice of[NITRO_MAX_VARIANTS] = {{0}};
    for (size_t v = 0; v < dataset->schema->num_variants; v++) {
        of[v] = judge(dataset, device, v);
        if (report_has_run(dataset, v))
            report_chart_set(&part->chart, drawn++, device, of[v].mean);
        if (isnan(of[v].mean))
            continue;
        if (best == NITRO_NONE || of[v].mean > of[best].mean) {
            next = best;
            best = v;
        } else if (next == NITRO_NONE || of[v].mean > of[next].mean) {
            next = v;
        }
    }
    report_table_device(&part->table, dataset->devices[device]->id);
    static const fixed_choice unknown = {(double)NAN, (double)NAN};
    const fixed_choice first = best == NITRO_NONE ? unknown : of[best];
    report_table_cells(&part->table, "%s %f %f %s %f %f",
                       best == NITRO_NONE ? "-" : dataset->schema->variants[best], first.mean,
                       first.twice, next == NITRO_NONE ? "-" : dataset->schema->variants[next],
                       next == NITRO_NONE ? unknown.mean : of[next].mean, 100.0 - first.mean);
    *quality = first.mean;
    return best;
}

void report_add_recommended(report *self)
{
    report_part *part = report_add(self, "recommended", "Recommended variant on each device", NULL);
    size_t counts[NITRO_MAX_VARIANTS] = {0}, most = 0, num_judged = 0;
    double least = 100.0, highest = 0.0;
    begin_chart(self, part);
    report_table_columns(&part->table,
                         "device,one variant for all inputs,its quality|%|1,inputs more than twice "
                         "as slow|%|1,next best,next quality|%|1,to gain by choosing|points|1");
    for (size_t d = 0; d < self->dataset->num_devices; d++) {
        double quality;
        size_t best = add_device(self, part, d, &quality);
        if (isnan(quality))
            continue;
        counts[best]++;
        num_judged++;
        least = fmin(least, quality);
        highest = fmax(highest, quality);
    }
    for (size_t v = 1; v < self->dataset->schema->num_variants; v++)
        most = counts[v] > counts[most] ? v : most;
    if (num_judged == 0) {
        report_omit(self, part, "No input has times of two variants.");
        return;
    }
    char range[32];
    report_format_range(least, highest, range, sizeof range);
    part->method =
        "The variant with the highest mean quality where the same one runs on all of a "
        "device's inputs; a variant that cannot run on an input has quality 0 there, and one "
        "without any time on a device is left out there.";
    const char *name = self->dataset->schema->variants[most];
    if (report_is_alone(self))
        report_say(self, part,
                   "With one variant for all inputs, %s is the one to take. It reaches %s "
                   "%% of the best choice for each input.",
                   name, range);
    else
        report_say(self, part,
                   "With one variant for all inputs, %s is the one to take on %zu of %zu "
                   "devices. The best one reaches %s %% of the best choice for each "
                   "input.",
                   name, counts[most], num_judged, range);
}
