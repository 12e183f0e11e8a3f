/* table.c - aligned columns of text; widths are in characters, not bytes. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"
#include "apps/cli/terminal.h"

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

void table_header(text_table *table, const char *title)
{
    char *header = nitro_asprintf(table->context, ">%s", title);
    keep(table, header ? nitro_string_list_add(table->context, &table->headers, header)
                       : NITRO_ERR_NO_MEMORY);
    free(header);
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

static bool is_right(const char *header)
{
    return header[0] == '>';
}

static const char *title_of(const char *header)
{
    return is_right(header) ? header + 1 : header;
}

/** The widest cell of a column; with `words`, its widest word. */
static size_t column_width(const text_table *table, size_t column, bool words)
{
    size_t widest = text_width(title_of(table->headers.items[column]),
                               strlen(title_of(table->headers.items[column])));
    for (size_t i = column; i < table->cells.count; i += table->headers.count) {
        const char *cell = table->cells.items[i];
        while (*cell) {
            size_t blanks = strspn(cell, " ");
            size_t bytes = words ? blanks + strcspn(cell + blanks, " ") : strlen(cell);
            size_t width = text_width(cell, bytes);
            widest = width > widest ? width : widest;
            cell += bytes;
            cell += strspn(cell, " ");
        }
    }
    return widest;
}

static size_t total_width(const text_table *table, const size_t *widths)
{
    size_t total = 2 * (table->headers.count - 1);
    for (size_t c = 0; c < table->headers.count; c++)
        total += widths[c];
    return total;
}

/** On a terminal that is too narrow, the widest columns of words become narrower, but never a word.
 */
static void fit_widths(const text_table *table, size_t *widths, size_t limit)
{
    size_t columns = table->headers.count, total = total_width(table, widths);
    while (limit > 0 && total > limit) {
        size_t widest = columns, room = 0;
        for (size_t c = 0; c < columns; c++) {
            size_t least = column_width(table, c, true);
            if (widths[c] > least && (widest == columns || widths[c] > widths[widest])) {
                widest = c;
                room = widths[c] - least;
            }
        }
        if (widest == columns)
            return;
        size_t less = total - limit < room ? total - limit : room;
        less = less > 4 ? 4 : less; /* in small steps, so that wide columns shrink alike */
        widths[widest] -= less;
        total -= less;
    }
}

/** Take the words of `*text` that fit into `width` columns. @return their number of bytes. */
static size_t take_line(const char **text, size_t width)
{
    const char *begin = *text;
    size_t bytes = strlen(begin);
    if (text_width(begin, bytes) > width) {
        const char *end = begin, *next = begin;
        for (;;) {
            next += strspn(next, " ");
            next += strcspn(next, " ");
            if (end != begin && text_width(begin, (size_t)(next - begin)) > width)
                break;
            end = next;
            if (!*next)
                break;
        }
        bytes = (size_t)(end - begin);
    }
    *text = begin + bytes + strspn(begin + bytes, " ");
    return bytes;
}

/** Print a row's columns from `first` on, in several lines if cells are wrapped; trailing blanks
 *  are left away. */
static void print_row(const text_table *table, const size_t *widths, size_t first,
                      const char **cells)
{
    bool more = true;
    while (more) {
        size_t owed = 0;
        more = false;
        for (size_t c = first; c < table->headers.count; c++) {
            const char *text = cells[c];
            size_t bytes = take_line(&cells[c], widths[c]);
            size_t width = text_width(text, bytes);
            size_t padding = widths[c] > width ? widths[c] - width : 0;
            bool right = is_right(table->headers.items[c]);
            owed += right ? padding : 0;
            if (bytes > 0) {
                printf("%*s%.*s", (int)owed, "", (int)bytes, text);
                owed = 0;
            }
            owed += 2 + (right ? 0 : padding);
            more = more || *cells[c];
        }
        putchar('\n');
    }
}

/** A row of a table that is too wide however its cells are wrapped: the first cell, then the others
 *  behind their titles. */
static void print_record(const text_table *table, size_t first, const char **cells, size_t limit)
{
    size_t column = text_width(cells[first], strlen(cells[first]));
    const char *mark = ":";
    fputs(cells[first], stdout);
    for (size_t c = first + 1; c < table->headers.count; c++) {
        const char *title = title_of(table->headers.items[c]), *cell = cells[c];
        size_t title_width = text_width(title, strlen(title)) + 1;
        size_t width = title_width + text_width(cell, strlen(cell));
        if (!*cell)
            continue;
        bool wraps = column + 2 + width + 1 > limit; /* with the marks around it */
        printf("%s%s%s ", mark, wraps ? "\n  " : " ", title);
        column = wraps ? 2 : column + 2;
        print_words(stdout, cell, column + title_width, 4, limit);
        column += width; /* or more than the limit: the next one begins a line */
        mark = ",";
    }
    putchar('\n');
}

static void print_table(const text_table *table, size_t *widths, const char **row)
{
    size_t columns = table->headers.count, limit = terminal_width(stdout);
    for (size_t c = 0; c < columns; c++)
        widths[c] = column_width(table, c, false);
    fit_widths(table, widths, limit);
    /* Still too wide: the first column's cells become headings of the rows below them. */
    size_t first = table->has_groups && limit > 0 && total_width(table, widths) > limit;
    if (first) {
        for (size_t c = 0; c < columns; c++)
            widths[c] = c == 0 ? 0 : column_width(table, c, false);
        fit_widths(table, widths, limit + 2);
    }
    bool fits = limit == 0 || total_width(table, widths) <= limit + 2 * first;
    for (size_t c = 0; c < columns; c++)
        row[c] = title_of(table->headers.items[c]);
    if (fits) {
        fputs(terminal_style(stdout, STYLE_TITLE), stdout);
        print_row(table, widths, first, row);
        fputs(terminal_style(stdout, STYLE_PLAIN), stdout);
    }
    for (size_t i = 0; i + columns <= table->cells.count; i += columns) {
        for (size_t c = 0; c < columns; c++)
            row[c] = table->cells.items[i + c];
        if (first && *row[0])
            printf("%s:\n", row[0]);
        if (fits)
            print_row(table, widths, first, row);
        else
            print_record(table, first, row, limit);
    }
}

nitro_status table_end(text_table *table)
{
    size_t columns = table->headers.count;
    size_t *widths = columns ? nitro_calloc(table->context, columns, sizeof *widths) : NULL;
    const char **row = columns ? nitro_calloc(table->context, columns, sizeof *row) : NULL;
    if (columns && !(widths && row))
        keep(table, NITRO_ERR_NO_MEMORY);
    if (table->status == NITRO_OK && columns)
        print_table(table, widths, row);
    free(row);
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
    if (time_ms == 0.0) {
        snprintf(text, size, "0 ms");
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
