/* report_slowdowns.c - how much slower than the best variant the chosen ones are: the distribution
 * over all cases, and the inputs on which the leading method loses most. */
#include <math.h>

#include "apps/cli/report/report_learnt.h"

enum { NUM_STEPS = 61, NUM_WORST = 12 };
static const double limits[] = {1.05, 1.2, 1.5, 2.0, 5.0};
enum { NUM_LIMITS = sizeof limits / sizeof limits[0] };

/** Places of the curve: from 1 to 10, at equal ratios. */
static double step(size_t k)
{
    return pow(10.0, (double)k / (NUM_STEPS - 1));
}

/** Share of a method's cases that are slower than the best variant by more than `factor`. */
static double share_slower(const report_learnt *self, const char *method, double factor)
{
    const report_journal *journal = self->journal;
    size_t slower = 0, count = 0;
    for (size_t i = 0; i < journal->num_entries; i++) {
        const report_entry *entry = &journal->entries[i];
        if (!report_entry_is(self, entry, NULL, method))
            continue;
        count += entry->num_cases;
        for (size_t c = 0; c < entry->num_cases; c++)
            slower += journal->cases[entry->first_case + c].quality * factor < 100.0 * (1.0 - 1e-9);
    }
    return report_percent(slower, count);
}

void report_add_slowdowns(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "slowdowns", "How slow wrong choices are", NULL);
    if (!report_has_results(owner, part))
        return;
    report_chart *chart = &part->chart;
    report_table *table = &part->table;
    for (size_t r = 0; r < self->methods.count; r++)
        report_add_name(owner, &chart->series, self->methods.items[self->ranks[r]]);
    chart->width = NUM_STEPS;
    report_chart_allocate(owner, chart);
    chart->kind = REPORT_CURVES;
    chart->wide_x = true;
    chart->x_unit = "x";
    chart->unit = "%";
    chart->x_label = "slowdown against the best variant, more than";
    chart->y_label = "share of cases (%)";
    report_table_columns(table, "method");
    for (size_t k = 0; k < NUM_LIMITS; k++) {
        char title[48];
        snprintf(title, sizeof title, "more than %g x", limits[k]);
        report_table_column(table, title, "%", 2);
    }
    for (size_t r = 0; r < self->methods.count; r++) {
        const char *method = self->methods.items[self->ranks[r]];
        for (size_t k = 0; k < NUM_STEPS; k++)
            report_chart_set_point(chart, r, k, step(k), share_slower(self, method, step(k)), NAN,
                                   NAN);
        report_table_text(table, method);
        for (size_t k = 0; k < NUM_LIMITS; k++)
            report_table_number(table, share_slower(self, method, limits[k]));
    }
    part->method = "Share of all cases in which the chosen variant takes longer than that many "
                   "times the best one's time; a choice that cannot run is slower than any.";
    const char *leader = report_leader(self);
    report_say(owner, part,
               "Choices of '%s' take more than 1.05 times the best variant's time in %.1f %% "
               "of the cases, and more than twice its time in %.1f %%.",
               leader, share_slower(self, leader, 1.05), share_slower(self, leader, 2.0));
}

/* ---- Worst inputs ---------------------------------------------------------------------------- */

typedef struct worst_case {
    const report_entry *entry;
    const report_case *one;
} worst_case;

/** The row of a target's input, or NITRO_NONE. */
static size_t find_row(const nitro_dataset *dataset, size_t device, size_t input)
{
    for (size_t row = 0; row < dataset->num_rows; row++)
        if (dataset->row_device[row] == device && dataset->row_input[row] == input)
            return row;
    return NITRO_NONE;
}

/** Keep the worst ones that lose, an input of a target once. @return how many there are */
static size_t find_worst(const report_learnt *self, const char *method, worst_case *worst)
{
    const report_journal *journal = self->journal;
    size_t count = 0;
    for (size_t i = 0; i < journal->num_entries; i++) {
        const report_entry *entry = &journal->entries[i];
        if (!report_entry_is(self, entry, NULL, method))
            continue;
        for (size_t c = 0; c < entry->num_cases; c++) {
            const report_case *one = &journal->cases[entry->first_case + c];
            if (one->chosen < 0 || one->quality >= 100.0 ||
                (count == NUM_WORST && one->quality >= worst[count - 1].one->quality))
                continue;
            size_t place = 0; /* of the same input, by another seed, or behind all */
            while (place < count && (worst[place].entry->target != entry->target ||
                                     worst[place].one->input != one->input))
                place++;
            if (place < count && one->quality >= worst[place].one->quality)
                continue;
            if (place == count)
                place = count < NUM_WORST ? count++ : NUM_WORST - 1;
            for (; place > 0 && one->quality < worst[place - 1].one->quality; place--)
                worst[place] = worst[place - 1];
            worst[place] = (worst_case){entry, one};
        }
    }
    return count;
}

static void add_worst(const report_learnt *self, report_table *table, const worst_case *each)
{
    const nitro_dataset *dataset = self->report->dataset;
    size_t row = find_row(dataset, each->entry->target, each->one->input), best = 0;
    const double *times =
        row == NITRO_NONE ? NULL : dataset->times_ms + row * dataset->schema->num_variants;
    size_t chosen = (size_t)each->one->chosen;
    for (size_t v = 1; times && v < dataset->schema->num_variants; v++)
        if (times[v] < times[best] || isnan(times[best]))
            best = v;
    report_table_cells(table, "%s %s %s %f %s %f %f", dataset->inputs[each->one->input],
                       dataset->devices[each->entry->target]->id, dataset->schema->variants[chosen],
                       times ? times[chosen] : (double)NAN,
                       times ? dataset->schema->variants[best] : "-",
                       times ? times[best] : (double)NAN,
                       each->one->quality > 0.0 ? 100.0 / each->one->quality : (double)NAN);
}

void report_add_worst(report *owner)
{
    const report_learnt *self = owner->learnt;
    report_part *part = report_add(owner, "worst", "Worst inputs", NULL);
    worst_case worst[NUM_WORST];
    if (!report_has_results(owner, part))
        return;
    const char *leader = report_leader(self);
    size_t count = find_worst(self, leader, worst);
    if (count == 0)
        return report_omit(owner, part, "'%s' chooses the best variant for all of them.", leader);
    report_table_columns(&part->table, "input,target,chosen,its time|ms|3,best,best time|ms|3");
    report_table_column(&part->table, "slowdown", "x", 2);
    for (size_t i = 0; i < count; i++)
        add_worst(self, &part->table, &worst[i]);
    part->method = "An input of a target is listed once, with its worst seed. Without a slowdown: "
                   "the chosen variant did not run on this input.";
    report_say(owner, part, "The inputs on which '%s' loses most, of all targets and seeds.",
               leader);
}
