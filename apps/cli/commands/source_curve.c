/* source_curve.c - what one more device in the repository is worth: quality against the number of
 * sources. Pictures are drawn as those of nitro report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/commands/evaluation.h"
#include "apps/cli/output.h"
#include "apps/cli/report/report.h"

/** Is it the first of its target, method and order? */
static bool is_first(const nitro_evaluate_result *results, size_t i)
{
    return i == 0 || strcmp(results[i].target, results[i - 1].target) != 0 ||
           strcmp(results[i].method, results[i - 1].method) != 0 ||
           strcmp(results[i].order, results[i - 1].order) != 0;
}

int source_curve_print_table(const invocation *call, const nitro_evaluate_result *results,
                             size_t count)
{
    text_table table;
    table_begin(&table, call->context,
                "target,method,order,>sources,added,>mean,>p5,>accuracy,>predicted");
    for (size_t i = 0; i < count; i++) {
        bool first = is_first(results, i);
        table_cell(&table, "%s", first ? results[i].target : "");
        table_cell(&table, "%s", first ? results[i].method : "");
        table_cell(&table, "%s", first ? results[i].order : "");
        table_cell(&table, "%zu", results[i].num_sources);
        table_cell(&table, "%s", results[i].added);
        table_number(&table, results[i].mean, 2);
        table_number(&table, results[i].p5, 2);
        table_number(&table, results[i].accuracy, 2);
        table_number(&table, results[i].predicted, 2);
    }
    return exit_code(call, table_end(&table));
}

int source_curve_print_csv(const nitro_evaluate_result *results, size_t count)
{
    printf("target,method,order,sources,added,mean,p5,accuracy,predicted\n");
    for (size_t i = 0; i < count; i++) {
        printf("%s,%s,%s,%zu,%s", results[i].target, results[i].method, results[i].order,
               results[i].num_sources, results[i].added);
        print_csv_number(results[i].mean);
        print_csv_number(results[i].p5);
        print_csv_number(results[i].accuracy);
        print_csv_number(results[i].predicted);
        printf("\n");
    }
    return EXIT_DONE;
}

/* ---- Picture ---------------------------------------------------------------------------------
 */

/** "auto, nearest first". */
static void name_series(const nitro_evaluate_result *result, char *name, size_t size)
{
    snprintf(name, size, "%s, %s", result->method,
             strcmp(result->order, "nearest") == 0 ? "nearest first" : "at random");
}

static void list_lines(report *drawn, const nitro_evaluate_result *results, size_t count,
                       report_chart *chart)
{
    for (size_t i = 0; i < count; i++) {
        char name[96];
        name_series(&results[i], name, sizeof name);
        report_add_new_name(drawn, &chart->series, name);
        chart->width =
            results[i].num_sources > chart->width ? results[i].num_sources : chart->width;
    }
    report_chart_allocate(drawn, chart);
}

/** Mean over the targets that have so many sources; NaN: none has. */
static double mean_at(const nitro_evaluate_result *results, size_t count, const char *series,
                      size_t num_sources)
{
    double sum = 0.0, targets = 0.0;
    for (size_t i = 0; i < count; i++) {
        char name[96];
        name_series(&results[i], name, sizeof name);
        if (results[i].num_sources != num_sources || strcmp(name, series) != 0)
            continue;
        sum += results[i].mean;
        targets += 1.0;
    }
    return targets > 0.0 ? sum / targets : (double)NAN;
}

/** A line of means for each order; the axis starts at the ten below the lowest one, as in nitro
 * report. */
static void fill_chart(report *drawn, const nitro_evaluate_result *results, size_t count,
                       report_chart *chart)
{
    double least = 100.0;
    list_lines(drawn, results, count, chart);
    for (size_t s = 0; s < chart->series.count; s++)
        for (size_t k = 1; k <= chart->width; k++) {
            double mean = mean_at(results, count, chart->series.items[s], k);
            report_chart_set_point(chart, s, k - 1, (double)k, mean, NAN, NAN);
            least = fmin(least, mean);
        }
    chart->kind = REPORT_CURVES;
    chart->x_label = "sources";
    chart->counted_x = true;
    chart->y_label = "quality (%)";
    chart->low = fmax(0.0, 10.0 * floor(least / 10.0));
    chart->high = 100.0;
}

int source_curve_draw(const invocation *call, const char *computation,
                      const nitro_evaluate_result *results, size_t count, const char *folder)
{
    report drawn = {.context = call->context, .computation = computation, .folder = folder};
    report_part *part = report_add(&drawn, "source-curve", "Quality and sources", NULL);
    fill_chart(&drawn, results, count, &part->chart);
    if (drawn.status == NITRO_OK)
        report_draw(&drawn, part);
    report_free_parts(&drawn);
    return exit_code(call, drawn.status);
}
