/* table.c - aligned columns of text; widths are in characters, not bytes. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"

static void keep(text_table *table, nitro_status status)
{
    if (table->status == NITRO_OK)
        table->status = status;
}

void table_begin(text_table *table, nitro_context *context, const char *headers)
{
    memset(table, 0, sizeof *table);
    table->context = context;
    keep(table, nitro_string_list_split(context, &table->headers, headers));
}

void table_begin_list(text_table *table, nitro_context *context, nitro_string_list *headers)
{
    *table = (text_table){.context = context, .headers = *headers};
    *headers = (nitro_string_list){0};
}

void table_cell(text_table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        keep(table, nitro_fail(table->context, NITRO_ERR_NO_MEMORY, "out of memory for a table"));
        return;
    }
    nitro_text_clean(text, "");
    keep(table, nitro_string_list_add(table->context, &table->cells, text));
    free(text);
}

void table_number(text_table *table, double value, int decimals)
{
    if (isfinite(value))
        table_cell(table, "%.*f", decimals, value);
    else
        table_cell(table, "-");
}

/** Characters of UTF-8 text: every byte but continuations. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static bool is_right(const char *header)
{
    return header[0] == '>';
}

static const char *title_of(const char *header)
{
    return is_right(header) ? header + 1 : header;
}

static size_t column_width(const text_table *table, size_t column)
{
    size_t widest = width_of(title_of(table->headers.items[column]));
    for (size_t i = column; i < table->cells.count; i += table->headers.count) {
        size_t width = width_of(table->cells.items[i]);
        if (width > widest)
            widest = width;
    }
    return widest;
}

/** Print one row; trailing blanks are left away. */
static void print_row(const text_table *table, const size_t *widths, char *const *row, bool titles,
                      FILE *stream)
{
    size_t owed = 0;
    for (size_t c = 0; c < table->headers.count; c++) {
        const char *header = table->headers.items[c];
        const char *text = titles ? title_of(row[c]) : row[c];
        size_t padding = widths[c] - width_of(text);
        if (is_right(header))
            owed += padding;
        if (*text) {
            fprintf(stream, "%*s%s", (int)owed, "", text);
            owed = 0;
        }
        owed += 2 + (is_right(header) ? 0 : padding);
    }
    fputc('\n', stream);
}

nitro_status table_end(text_table *table, FILE *stream)
{
    size_t columns = table->headers.count;
    size_t *widths = columns ? nitro_calloc(table->context, columns, sizeof *widths) : NULL;
    if (columns && !widths)
        keep(table, NITRO_ERR_NO_MEMORY);
    if (table->status == NITRO_OK) {
        for (size_t c = 0; c < columns; c++)
            widths[c] = column_width(table, c);
        print_row(table, widths, table->headers.items, true, stream);
        for (size_t i = 0; i + columns <= table->cells.count; i += columns)
            print_row(table, widths, table->cells.items + i, false, stream);
    }
    free(widths);
    nitro_string_list_free(&table->headers);
    nitro_string_list_free(&table->cells);
    return table->status;
}

/** Three significant figures of a value in [1, 1000). */
static int decimals_for(double value)
{
    return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

void format_time(double time_ms, char *text, size_t size)
{
    static const struct {
        double ms;
        const char *name;
    } units[] = {{1e3, "s"}, {1.0, "ms"}, {1e-3, "us"}, {1e-6, "ns"}};
    size_t u = 0;
    if (!isfinite(time_ms)) {
        snprintf(text, size, "-");
        return;
    }
    while (u < 3 && time_ms < units[u].ms)
        u++;
    double value = time_ms / units[u].ms;
    snprintf(text, size, "%.*f %s", decimals_for(value), value, units[u].name);
}

void format_size(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t u = 0;
    for (; u < 4 && value >= 1000.0; u++)
        value /= 1000.0;
    snprintf(text, size, "%.*f %s", u ? decimals_for(value) : 0, value, units[u]);
}
