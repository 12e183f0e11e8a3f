/* report_part.c - tables, charts and parts of a report: growing them, and giving them back. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/device_set.h"
#include "apps/cli/report/report.h"

void report_keep(report *self, nitro_status status)
{
    if (self->status == NITRO_OK)
        self->status = status;
}

bool report_grow(report *self, void **items, size_t item_size, size_t count, size_t *capacity)
{
    if (self->status != NITRO_OK)
        return false;
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 32;
    void *grown = realloc(*items, wanted * item_size);
    if (!grown) {
        self->status = nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory: a report");
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

/** A copy; NULL, with the failure kept, where there is no memory for it. */
static char *copy_text(report *self, const char *text)
{
    char *copy = self->status == NITRO_OK ? nitro_strdup(self->context, text) : NULL;
    report_keep(self, copy ? NITRO_OK : NITRO_ERR_NO_MEMORY);
    return copy;
}

void report_table_column(report_table *table, const char *title, const char *unit, int decimals)
{
    if (!report_grow(table->report, (void **)&table->columns, sizeof *table->columns,
                     table->num_columns, &table->columns_capacity))
        return;
    char *copy = copy_text(table->report, title);
    if (copy)
        table->columns[table->num_columns++] = (report_column){copy, unit, decimals};
}

void report_table_columns(report_table *table, const char *columns)
{
    static const char *const units[] = {"%", "points", "ms"};
    nitro_string_list list = {0};
    report_keep(table->report, nitro_string_list_split(table->report->context, &list, columns));
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
    if (report_grow(table->report, (void **)&table->cells, sizeof *table->cells, table->num_cells,
                    &table->cells_capacity))
        table->cells[table->num_cells++] = cell;
    else
        free(cell.text);
}

void report_table_text(report_table *table, const char *text)
{
    char *copy = copy_text(table->report, text);
    if (copy)
        add_cell(table, (report_cell){.text = copy, .number = NAN, .spread = NAN});
}

void report_table_device(report_table *table, const char *id)
{
    char name[128];
    report_device_name(table->report, id, name, sizeof name);
    report_table_text(table, name);
}

void report_table_number(report_table *table, double number)
{
    report_table_spread(table, number, NAN);
}

void report_table_spread(report_table *table, double number, double spread)
{
    add_cell(table, (report_cell){.number = number, .spread = spread});
}

void report_table_cells(report_table *table, const char *kinds, ...)
{
    va_list cells;
    va_start(cells, kinds);
    for (const char *at = strchr(kinds, '%'); at; at = strchr(at + 1, '%'))
        if (at[1] == 'f')
            report_table_number(table, va_arg(cells, double));
        else if (at > kinds && at[-1] == '@')
            report_table_device(table, va_arg(cells, const char *));
        else
            report_table_text(table, va_arg(cells, const char *));
    va_end(cells);
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

void report_chart_allocate(report *self, report_chart *chart)
{
    if (chart->categories.count > 0)
        chart->width = chart->categories.count;
    size_t count = chart->series.count * chart->width;
    if (self->status == NITRO_OK)
        chart->values = nitro_calloc(self->context, 4 * count + 1, sizeof *chart->values);
    if (!chart->values) {
        report_keep(self, NITRO_ERR_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < 4 * count; i++)
        chart->values[i] = NAN;
    chart->lows = chart->values + count;
    chart->highs = chart->lows + count;
    chart->places = chart->highs + count;
}

void report_chart_percent(report_chart *chart, report_chart_kind kind, const char *y_label)
{
    chart->kind = kind;
    chart->y_label = y_label;
    chart->unit = "%";
    chart->low = 0.0;
    chart->high = 100.0;
}

void report_chart_set(report_chart *chart, size_t series, size_t category, double value)
{
    if (chart->values) /* not after a failure */
        chart->values[series * chart->width + category] = value;
}

void report_chart_set_range(report_chart *chart, size_t series, size_t category, double value,
                            double low, double high)
{
    if (!chart->values)
        return;
    report_chart_set(chart, series, category, value);
    chart->lows[series * chart->width + category] = low;
    chart->highs[series * chart->width + category] = high;
}

void report_chart_set_point(report_chart *chart, size_t series, size_t place, double x,
                            double value, double low, double high)
{
    report_chart_set_range(chart, series, place, value, low, high);
    if (chart->values)
        chart->places[series * chart->width + place] = x;
}

report_part *report_add(report *self, const char *name, const char *title, const char *reference)
{
    report_part *part = &self->parts[self->num_parts++];
    *part = (report_part){
        .name = name,
        .title = title,
        .reference = reference,
        .table = {.report = self},
        .digest = {.report = self},
        .chart = {.schema = self->dataset ? self->dataset->schema : NULL, .low = NAN, .high = NAN}};
    return part;
}

static void append(report *self, report_part *part, const char *format, va_list arguments)
{
    char *more = NULL, *both = NULL;
    if (vasprintf(&more, format, arguments) >= 0)
        both = nitro_asprintf(self->context, "%s%s%s", part->finding ? part->finding : "",
                              part->finding ? " " : "", more);
    free(more);
    if (!both) {
        report_keep(
            self, nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory: a report's text"));
        return;
    }
    free(part->finding);
    part->finding = both;
}

void report_say(report *self, report_part *part, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(self, part, format, arguments);
    va_end(arguments);
}

void report_omit(report *self, report_part *part, const char *format, ...)
{
    va_list arguments;
    part->omitted = true;
    va_start(arguments, format);
    append(self, part, format, arguments);
    va_end(arguments);
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
        json_decref(part->raw);
    }
    nitro_dataset_free(self->dataset);
    self->dataset = NULL;
    self->num_parts = 0;
}

static bool is_modelled(const report *self, const char *id)
{
    for (size_t d = 0; d < self->dataset->num_devices; d++)
        if (strcmp(self->dataset->devices[d]->id, id) == 0)
            return device_is_modelled(self->dataset->devices[d]);
    return false;
}

void report_device_name(const report *self, const char *id, char *name, size_t size)
{
    snprintf(name, size, "%s%s", id, is_modelled(self, id) ? " (modelled)" : "");
}

void report_chart_device(report *self, report_chart *chart, const char *id)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", id, is_modelled(self, id) ? "\n(modelled)" : "");
    report_add_name(self, &chart->categories, name);
}

double report_percent(size_t count, size_t of)
{
    return of ? 100.0 * (double)count / (double)of : NAN;
}

bool report_is_named(const nitro_string_list *list, const char *name)
{
    return !list || nitro_string_list_find(list, name) != NITRO_NONE;
}

void report_add_name(report *self, nitro_string_list *list, const char *name)
{
    if (self->status == NITRO_OK)
        self->status = nitro_string_list_add(self->context, list, name);
}

void report_add_new_name(report *self, nitro_string_list *list, const char *name)
{
    if (nitro_string_list_find(list, name) == NITRO_NONE)
        report_add_name(self, list, name);
}
