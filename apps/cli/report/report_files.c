/* report_files.c - a part of a report as CSV and as JSON: all its numbers, all their digits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/report/report.h"
#include "nitro/backend/memory_stream.h"

/** A column's title as a script reads it: words joined by '_', and the unit. */
static void column_key(const report_column *column, char *key, size_t size)
{
    static const struct {
        const char *unit, *suffix;
    } suffixes[] = {{"%", "_percent"}, {"points", "_points"}, {"ms", "_ms"}};
    const char *suffix = "";
    for (size_t i = 0; column->unit && i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strcmp(column->unit, suffixes[i].unit) == 0)
            suffix = suffixes[i].suffix;
    snprintf(key, size, "%s%s", column->title, suffix);
    for (char *each = key; *each; each++)
        if (*each == ' ')
            *each = '_';
}

static void write_field(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static void write_csv(FILE *file, const report_table *table)
{
    for (size_t c = 0; c < table->num_columns; c++) {
        char key[256];
        column_key(&table->columns[c], key, sizeof key);
        fputs(c ? "," : "", file);
        write_field(file, key);
    }
    fputc('\n', file);
    for (size_t i = 0; i < table->num_cells; i++) {
        const report_cell *cell = &table->cells[i];
        char number[40] = "";
        if (isfinite(cell->number))
            nitro_format_number(cell->number, number, sizeof number);
        write_field(file, cell->text ? cell->text : number);
        fputc((i + 1) % table->num_columns ? ',' : '\n', file);
    }
}

static json_t *rows_json(const report_table *table)
{
    json_t *rows = json_array(), *row = NULL;
    for (size_t i = 0; rows && i < table->num_cells; i++) {
        const report_cell *cell = &table->cells[i];
        size_t column = i % table->num_columns;
        char key[256];
        if (column == 0) {
            row = json_object();
            json_array_append_new(rows, row);
        }
        column_key(&table->columns[column], key, sizeof key);
        json_object_set_new(row, key,
                            cell->text ? json_text(cell->text) : json_value(cell->number));
    }
    return rows;
}

static json_t *part_json(const report *self, const report_part *part)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "computation",
                               self->computation, "part", part->name, "title", part->title, "paper",
                               json_text(part->reference), "finding", json_text(part->finding),
                               "method", json_text(part->method), "rows", rows_json(&part->table));
    if (part->raw)
        json_object_set(object, "details", part->raw);
    return object;
}

/** NULL: out of memory. */
static char *csv_text(const report_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = nitro_memory_stream(&text, &size);
    if (file)
        write_csv(file, table);
    return nitro_memory_stream_end(file, &text);
}

/** NULL: out of memory. */
static char *json_of(const report *self, const report_part *part)
{
    json_t *object = part_json(self, part);
    /* 15 digits, as in all of the program's JSON. */
    char *text = object && json_is_complete()
                     ? nitro_json_print(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15))
                     : NULL;
    json_decref(object);
    return text;
}

void report_write_file(report *self, const report_part *part, const char *extension,
                       const char *text)
{
    if (self->status != NITRO_OK)
        return;
    char *path = nitro_asprintf(self->context, "%s/%s-%s.%s", self->folder, self->computation,
                                part->name, extension);
    if (!path)
        report_keep(self, NITRO_ERR_NO_MEMORY);
    else if (text)
        report_keep(self, nitro_file_write(self->context, path, text, strlen(text)));
    else
        unlink(path);
    free(path);
}

static void write_part(report *self, report_part *part)
{
    char *csv = part->omitted ? NULL : csv_text(&part->table), *json = json_of(self, part);
    if (!json || (!csv && !part->omitted))
        report_keep(self, nitro_fail(self->context, NITRO_ERR_NO_MEMORY,
                                     "out of memory: the files of a report"));
    report_write_file(self, part, "csv", csv);
    report_write_file(self, part, "json", json);
    report_draw(self, part);
    free(csv);
    free(json);
}

void report_write_parts(report *self, size_t first)
{
    for (size_t p = first; p < self->num_parts && self->status == NITRO_OK; p++)
        write_part(self, &self->parts[p]);
}
