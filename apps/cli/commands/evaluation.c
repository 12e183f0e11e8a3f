/* evaluation.c - the results of an evaluation as a table, as CSV and as JSON: the same numbers. */
#include "apps/cli/commands/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/output.h"
#include "nitro/backend/study.h"

/** The numbers of a result, in their order everywhere. */
static const struct {
    const char *name;
    size_t offset;
    int decimals; /* in the table */
} numbers[] = {
    {"total", offsetof(nitro_evaluate_result, total), 3},
    {"mean", offsetof(nitro_evaluate_result, mean), 2},
    {"geomean", offsetof(nitro_evaluate_result, geomean), 2},
    {"p5", offsetof(nitro_evaluate_result, p5), 2},
    {"min", offsetof(nitro_evaluate_result, min), 2},
    {"accuracy", offsetof(nitro_evaluate_result, accuracy), 2},
    {"confident", offsetof(nitro_evaluate_result, confident), 1},
    {"confident_precision", offsetof(nitro_evaluate_result, confident_precision), 1},
};
enum { NUM_NUMBERS = sizeof numbers / sizeof numbers[0] };

static double number_of(const nitro_evaluate_result *result, size_t number)
{
    return *(const double *)((const char *)result + numbers[number].offset);
}

static void add_qualities(text_table *table, const nitro_evaluate_result *result)
{
    for (size_t n = 0; n < NUM_NUMBERS; n++)
        table_number(table, number_of(result, n), numbers[n].decimals);
    table_cell(table, "%zu", result->inputs);
}

static bool is_new_target(const nitro_evaluate_result *results, size_t i)
{
    return i == 0 || strcmp(results[i].target, results[i - 1].target) != 0;
}

/** "auto", "auto +10" after ten inputs were measured, or "auto +8 to 10" where not all targets had
 *  as many. */
static void add_method(text_table *table, const nitro_evaluate_result *result,
                       size_t least_measured)
{
    if (result->measured == 0)
        table_cell(table, "%s", result->method);
    else if (least_measured == result->measured)
        table_cell(table, "%s +%zu", result->method, result->measured);
    else
        table_cell(table, "%s +%zu to %zu", result->method, least_measured, result->measured);
}

static const char *modelled_remark(const nitro_evaluate_result *results, size_t count)
{
    size_t num_modelled = 0;
    for (size_t i = 0; i < count; i++)
        num_modelled += results[i].modelled;
    return num_modelled == 0 ? "" : num_modelled < count ? " (some modelled)" : " (modelled)";
}

/** How many targets a mean is of stands in its row, unless it is as in the row above. */
static void add_means(text_table *table, const nitro_evaluate_result *results, size_t count)
{
    size_t num_targets = 0;
    const char *modelled = modelled_remark(results, count);
    nitro_study_point point;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++)
        for (size_t place = 0; nitro_study_mean_at(results, count, each->name, place, &point);
             place++) {
            if (point.targets != num_targets)
                table_cell(table, "mean of %zu%s", point.targets, modelled);
            else
                table_cell(table, "%s", "");
            add_method(table, &point.mean, point.least_measured);
            add_qualities(table, &point.mean);
            num_targets = point.targets;
        }
}

int evaluation_print_table(const invocation *call, const nitro_evaluate_result *results,
                           size_t count)
{
    text_table table;
    size_t num_targets = 0;
    table_begin(
        &table, call->context,
        "target,method,>total,>mean,>geomean,>p5,>min,>accuracy,>confident,>precision,>inputs");
    table.has_groups = true;
    for (size_t i = 0; i < count; i++) {
        bool fresh = is_new_target(results, i);
        num_targets += fresh;
        table_cell(&table, "%s%s", fresh ? results[i].target : "",
                   fresh && results[i].modelled ? " (modelled)" : "");
        add_method(&table, &results[i], results[i].measured);
        add_qualities(&table, &results[i]);
    }
    if (num_targets > 1)
        add_means(&table, results, count);
    return exit_code(call, table_end(&table));
}

void print_csv_number(double value)
{
    char text[40] = "";
    if (isfinite(value))
        nitro_format_number(value, text, sizeof text);
    printf(",%s", text);
}

int check_methods(const invocation *call, const nitro_string_list *methods)
{
    const char *known[64];
    size_t count = 0;
    for (const nitro_method_info *each = nitro_method_table(); each->name && count < 63; each++)
        known[count++] = each->name;
    known[count] = NULL;
    int code = EXIT_DONE;
    for (size_t m = 0; m < methods->count && code == EXIT_DONE; m++)
        code = check_choice(call, "method", methods->items[m], known);
    return code;
}

/* Device ids and method names need no quotes: valid names have no comma or quote. */
int evaluation_print_csv(const nitro_evaluate_result *results, size_t count)
{
    printf("target,method");
    for (size_t n = 0; n < NUM_NUMBERS; n++)
        printf(",%s", numbers[n].name);
    printf(",measured,inputs,modelled,predicted\n");
    for (size_t i = 0; i < count; i++) {
        printf("%s,%s", results[i].target, results[i].method);
        for (size_t n = 0; n < NUM_NUMBERS; n++)
            print_csv_number(number_of(&results[i], n));
        printf(",%zu,%zu,%s", results[i].measured, results[i].inputs,
               results[i].modelled ? "yes" : "no");
        print_csv_number(results[i].predicted);
        printf("\n");
    }
    return EXIT_DONE;
}

int evaluation_print_json(const invocation *call, const nitro_evaluate_result *results,
                          size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++) {
        json_t *object = json_pack("{s:o, s:s}", "target", json_text(results[i].target), "method",
                                   results[i].method);
        for (size_t n = 0; n < NUM_NUMBERS; n++)
            json_object_set_new(object, numbers[n].name, json_value(number_of(&results[i], n)));
        json_object_set_new(object, "measured", json_integer((json_int_t)results[i].measured));
        json_object_set_new(object, "inputs", json_integer((json_int_t)results[i].inputs));
        json_object_set_new(object, "modelled", json_boolean(results[i].modelled));
        if (results[i].order) {
            json_object_set_new(object, "order", json_text(results[i].order));
            json_object_set_new(object, "sources",
                                json_integer((json_int_t)results[i].num_sources));
            json_object_set_new(object, "added", json_text(results[i].added));
        }
        if (!isnan(results[i].predicted))
            json_object_set_new(object, "predicted", json_value(results[i].predicted));
        json_array_append_new(array, object);
    }
    return print_json(call, array);
}
