/* report_part.c - tables, charts and parts of a report: growing them, and giving them back. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/report/report.h"

/** Room for one more item; false, with the failure kept, where there is none. */
static bool grow(report_table *table, void **items, size_t item_size, size_t count,
                 size_t *capacity)
{
    if (table->status != NITRO_OK)
        return false;
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 32;
    void *grown = realloc(*items, wanted * item_size);
    if (!grown) {
        table->status =
            nitro_fail(table->context, NITRO_ERR_NO_MEMORY, "out of memory: a report's table");
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

void report_table_column(report_table *table, const char *title, const char *unit, int decimals)
{
    if (!grow(table, (void **)&table->columns, sizeof *table->columns, table->num_columns,
              &table->columns_capacity))
        return;
    char *copy = nitro_strdup(table->context, title);
    if (copy)
        table->columns[table->num_columns++] = (report_column){copy, unit, decimals};
    else
        table->status = NITRO_ERR_NO_MEMORY;
}

void report_table_columns(report_table *table, const char *columns)
{
    static const char *const units[] = {"%", "points", "ms"};
    nitro_string_list list = {0};
    if (table->status == NITRO_OK)
        table->status = nitro_string_list_split(table->context, &list, columns);
    for (size_t i = 0; i < list.count; i++) {
        char *unit = strchr(list.items[i], '|');
        char *decimals = unit ? strchr(unit + 1, '|') : NULL;
        const char *known = NULL;
        if (decimals)
            *unit = *decimals = '\0';
        for (size_t u = 0; decimals && u < sizeof units / sizeof units[0]; u++)
            known = strcmp(units[u], unit + 1) == 0 ? units[u] : known;
        report_table_column(table, list.items[i], known,
                            decimals ? decimals[1] - '0' : REPORT_TEXT);
    }
    nitro_string_list_free(&list);
}

static void add_cell(report_table *table, report_cell cell)
{
    if (grow(table, (void **)&table->cells, sizeof *table->cells, table->num_cells,
             &table->cells_capacity))
        table->cells[table->num_cells++] = cell;
    else
        free(cell.text);
}

void report_table_text(report_table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        add_cell(table, (report_cell){.text = text, .number = NAN, .spread = NAN});
    else if (table->status == NITRO_OK)
        table->status =
            nitro_fail(table->context, NITRO_ERR_NO_MEMORY, "out of memory: a report's table");
}

void report_table_number(report_table *table, double number)
{
    report_table_spread(table, number, NAN);
}

void report_table_spread(report_table *table, double number, double spread)
{
    add_cell(table, (report_cell){.number = number, .spread = spread});
}

size_t report_table_rows(const report_table *table)
{
    return table->num_columns ? table->num_cells / table->num_columns : 0;
}

void report_table_stress(report_table *table)
{
    if (table->num_cells == 0 || table->num_columns == 0)
        return;
    size_t first = (table->num_cells - 1) / table->num_columns * table->num_columns;
    for (size_t i = first; i < table->num_cells; i++)
        table->cells[i].strong = true;
}

static void free_table(report_table *table)
{
    for (size_t c = 0; c < table->num_columns; c++)
        free(table->columns[c].title);
    for (size_t i = 0; i < table->num_cells; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
}

static double *allocate_unknown(nitro_context *context, size_t count)
{
    double *values = nitro_calloc(context, count ? count : 1, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = NAN;
    return values;
}

nitro_status report_chart_allocate(nitro_context *context, report_chart *chart)
{
    if (chart->categories.count > 0)
        chart->width = chart->categories.count;
    size_t count = chart->series.count * chart->width;
    chart->values = allocate_unknown(context, count);
    chart->lows = allocate_unknown(context, count);
    chart->highs = allocate_unknown(context, count);
    chart->places = allocate_unknown(context, count);
    return chart->values && chart->lows && chart->highs && chart->places ? NITRO_OK
                                                                         : NITRO_ERR_NO_MEMORY;
}

void report_chart_set(report_chart *chart, size_t series, size_t category, double value)
{
    chart->values[series * chart->width + category] = value;
}

void report_chart_set_range(report_chart *chart, size_t series, size_t category, double value,
                            double low, double high)
{
    report_chart_set(chart, series, category, value);
    chart->lows[series * chart->width + category] = low;
    chart->highs[series * chart->width + category] = high;
}

void report_chart_set_point(report_chart *chart, size_t series, size_t place, double x,
                            double value, double low, double high)
{
    report_chart_set_range(chart, series, place, value, low, high);
    chart->places[series * chart->width + place] = x;
}

report_part *report_add(report *self, const char *name, const char *title, const char *reference)
{
    report_part *part = &self->parts[self->num_parts++];
    *part = (report_part){
        .name = name,
        .title = title,
        .reference = reference,
        .table = {.context = self->context},
        .digest = {.context = self->context},
        .chart = {.schema = self->dataset ? self->dataset->schema : NULL, .low = NAN, .high = NAN}};
    return part;
}

nitro_status report_part_status(const report_part *part)
{
    return part->table.status != NITRO_OK ? part->table.status : part->digest.status;
}

static nitro_status append(report *self, char **text, const char *format, va_list arguments)
{
    char *more = NULL, *both = NULL;
    if (vasprintf(&more, format, arguments) < 0)
        return nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory: a report's text");
    both = nitro_asprintf(self->context, "%s%s%s", *text ? *text : "", *text ? " " : "", more);
    free(more);
    if (!both)
        return NITRO_ERR_NO_MEMORY;
    free(*text);
    *text = both;
    return NITRO_OK;
}

nitro_status report_say(report *self, report_part *part, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nitro_status status = append(self, &part->finding, format, arguments);
    va_end(arguments);
    return status;
}

nitro_status report_omit(report *self, report_part *part, const char *format, ...)
{
    va_list arguments;
    part->omitted = true;
    va_start(arguments, format);
    nitro_status status = append(self, &part->finding, format, arguments);
    va_end(arguments);
    return status;
}

void report_format_range(double least, double most, char *text, size_t size)
{
    if (nearbyint(least) == nearbyint(most))
        snprintf(text, size, "%.0f", most);
    else
        snprintf(text, size, "%.0f to %.0f", least, most);
}

void report_free_parts(report *self)
{
    for (size_t p = 0; p < self->num_parts; p++) {
        report_part *part = &self->parts[p];
        free(part->finding);
        free(part->chart_note);
        free(part->svg);
        free_table(&part->table);
        free_table(&part->digest);
        nitro_string_list_free(&part->chart.categories);
        nitro_string_list_free(&part->chart.series);
        nitro_string_list_free(&part->chart.notes);
        nitro_string_list_free(&part->chart.greys);
        free(part->chart.values);
        free(part->chart.lows);
        free(part->chart.highs);
        free(part->chart.places);
        json_decref(part->raw);
    }
    nitro_dataset_free(self->dataset);
    self->dataset = NULL;
    self->num_parts = 0;
}

void report_device_name(const nitro_device *device, char *text, size_t size)
{
    snprintf(text, size, "%s%s", device->id,
             strcmp(device->kind, "model") == 0 ? " (modelled)" : "");
}

void report_device_category(const nitro_device *device, char *text, size_t size)
{
    snprintf(text, size, "%s%s", device->id,
             strcmp(device->kind, "model") == 0 ? "\n(modelled)" : "");
}

const nitro_device *report_device(const report *self, const char *id)
{
    for (size_t d = 0; d < self->dataset->num_devices; d++)
        if (strcmp(self->dataset->devices[d]->id, id) == 0)
            return self->dataset->devices[d];
    return NULL;
}

double report_percent(size_t count, size_t of)
{
    return of ? 100.0 * (double)count / (double)of : NAN;
}

bool report_is_named(const nitro_string_list *list, const char *name)
{
    return !list || nitro_string_list_find(list, name) != NITRO_NONE;
}

nitro_status report_add_name(nitro_context *context, nitro_string_list *list, const char *name)
{
    if (nitro_string_list_find(list, name) != NITRO_NONE)
        return NITRO_OK;
    return nitro_string_list_add(context, list, name);
}

void report_target_name(const report *self, const char *id, char *name, size_t size)
{
    const nitro_device *device = report_device(self, id);
    if (device)
        report_device_name(device, name, size);
    else
        snprintf(name, size, "%s", id);
}
