/* Parses CSV tables (RFC 4180) in place, as a whole or piece by piece. Strict, because a misread
 * table gives wrong times silently: every row has the header's number of fields, and lines end in
 * LF or CRLF. Empty lines are skipped. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/nitro_backend.h"

#define MAX_CSV_BYTES   ((size_t)256 << 20)
#define MAX_CSV_COLUMNS 4096
#define PIECE_BYTES     ((size_t)1 << 20) /* more only for a longer row */

typedef struct parser parser;

struct nitro_csv {
    nitro_context *context;
    char *origin;
    char *text; /* fields point into it */
    size_t num_columns;
    char **columns; /* shape [num_columns] */
    size_t num_rows, row_capacity;
    char **fields;  /* shape [num_rows x num_columns] */
    size_t *lines;  /* shape [num_rows] */
    bool handed_on; /* of a whole table: nitro_csv_next has been called */

    FILE *file; /* read in pieces; NULL: all of it is here */
    parser *pieces;
    size_t text_size, text_capacity;
};

struct parser {
    nitro_csv *csv;
    char *at, *end;
    size_t line; /* line of `at`, from 1 */
    char *row[MAX_CSV_COLUMNS];
    size_t row_fields;
    size_t row_line;
};

typedef enum field_end { FIELD_END_COMMA, FIELD_END_LINE, FIELD_END_BAD } field_end;

/* Error at the current field, with its column's name once the header is known. */
static nitro_status fail_here(const parser *p, const char *problem)
{
    const nitro_csv *csv = p->csv;
    const char *name = p->row_fields < csv->num_columns ? csv->columns[p->row_fields] : NULL;
    if (name)
        return nitro_fail(csv->context, NITRO_ERR_FORMAT, "%s:%zu: column %zu ('%.100s'): %s",
                          csv->origin, p->line, p->row_fields + 1, name, problem);
    return nitro_fail(csv->context, NITRO_ERR_FORMAT, "%s:%zu: column %zu: %s", csv->origin,
                      p->line, p->row_fields + 1, problem);
}

/* Skip a comma, a line end, or the end of the text. */
static field_end skip_separator(parser *p)
{
    if (p->at == p->end)
        return FIELD_END_LINE;
    if (*p->at == ',') {
        p->at++;
        return FIELD_END_COMMA;
    }
    if (*p->at == '\r' && p->at + 1 < p->end && p->at[1] == '\n')
        p->at++;
    if (*p->at != '\n')
        return FIELD_END_BAD;
    p->at++;
    p->line++;
    return FIELD_END_LINE;
}

/* Parse a quoted field; `at` is the opening quote. */
static nitro_status read_quoted(parser *p, field_end *ending)
{
    char *from = p->at + 1, *to = from;
    p->row[p->row_fields] = from;
    size_t lines = 0;
    while (from < p->end && !(from[0] == '"' && from[1] != '"')) {
        lines += *from == '\n';
        from += *from == '"' ? 2 : 1;
        *to++ = from[-1];
    }
    if (from == p->end)
        return fail_here(p, "a quote is opened here and never closed");
    p->line += lines;
    p->at = from + 1;
    *ending = skip_separator(p);
    if (*ending == FIELD_END_BAD)
        return fail_here(p, "text after a closing quote; write a quote inside a field as \"\"");
    *to = '\0';
    return NITRO_OK;
}

static nitro_status read_plain(parser *p, field_end *ending)
{
    p->row[p->row_fields] = p->at;
    while (p->at < p->end && *p->at != ',' && *p->at != '\n' && *p->at != '"' && *p->at != '\r')
        p->at++;
    char *after = p->at;
    *ending = skip_separator(p);
    if (*ending == FIELD_END_BAD && *after == '"')
        return fail_here(p, "a quote in the middle of a field; quote the whole field");
    if (*ending == FIELD_END_BAD)
        return fail_here(p, "a carriage return in the middle of a line; lines end in LF or CRLF");
    *after = '\0';
    return NITRO_OK;
}

bool nitro_csv_is_formula(const char *field)
{
    double number;
    field += strspn(field, "'");
    return *field && strchr("=+-@\t\r", *field) && !nitro_parse_number(field, &number);
}

/* Fill p->row; stops with an error at more than `limit` fields. */
static nitro_status read_row(parser *p, size_t limit)
{
    p->row_fields = 0;
    p->row_line = p->line;
    field_end ending = FIELD_END_COMMA;
    while (ending == FIELD_END_COMMA) {
        if (p->row_fields == limit)
            return nitro_fail(p->csv->context, NITRO_ERR_FORMAT, "%s:%zu: more than %zu fields%s",
                              p->csv->origin, p->row_line, limit,
                              p->csv->columns ? ", the number of columns in the header" : "");
        nitro_status status =
            p->at < p->end && *p->at == '"' ? read_quoted(p, &ending) : read_plain(p, &ending);
        if (status != NITRO_OK)
            return status;
        char **field = &p->row[p->row_fields++];
        *field += (*field)[0] == '\'' && nitro_csv_is_formula(*field);
    }
    return NITRO_OK;
}

static void skip_empty_lines(parser *p)
{
    while (p->at < p->end && (*p->at == '\n' || (p->at[0] == '\r' && p->at[1] == '\n')))
        skip_separator(p);
}

/* By text, then by position. */
static int compare_places(const void *a, const void *b)
{
    char *const *one = *(char *const *const *)a, *const *other = *(char *const *const *)b;
    int order = strcmp(*one, *other);
    return order != 0 ? order : (one > other) - (one < other);
}

/* Find two equal strings among `count`, `stride` apart; *first is NITRO_NONE if all differ. */
static nitro_status find_twins(const nitro_csv *csv, char *const *strings, size_t count,
                               size_t stride, size_t *first, size_t *second)
{
    char *const **sorted = nitro_calloc(csv->context, count, sizeof(*sorted));
    if (!sorted)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &strings[i * stride];
    qsort(sorted, count, sizeof(*sorted), compare_places);
    *first = NITRO_NONE;
    for (size_t i = 1; i < count && *first == NITRO_NONE; i++) {
        if (strcmp(*sorted[i - 1], *sorted[i]) == 0) {
            *first = (size_t)(sorted[i - 1] - strings) / stride;
            *second = (size_t)(sorted[i] - strings) / stride;
        }
    }
    free(sorted);
    return NITRO_OK;
}

/* Check that column names are present and unique. */
static nitro_status check_header(const nitro_csv *csv, size_t line)
{
    for (size_t i = 0; i < csv->num_columns; i++)
        if (csv->columns[i][0] == '\0')
            return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                              "%s:%zu: column %zu has no name in the header", csv->origin, line,
                              i + 1);
    size_t first, second;
    nitro_status status = find_twins(csv, csv->columns, csv->num_columns, 1, &first, &second);
    if (status != NITRO_OK || first == NITRO_NONE)
        return status;
    return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                      "%s:%zu: columns %zu and %zu are both named '%.100s'", csv->origin, line,
                      first + 1, second + 1, csv->columns[first]);
}

static nitro_status read_header(parser *p)
{
    nitro_csv *csv = p->csv;
    skip_empty_lines(p);
    if (p->at == p->end)
        return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                          "%s:1: the file is empty; it needs a header line", csv->origin);
    nitro_status status = read_row(p, MAX_CSV_COLUMNS);
    if (status != NITRO_OK)
        return status;
    csv->columns = nitro_calloc(csv->context, p->row_fields, sizeof(*csv->columns));
    if (!csv->columns)
        return NITRO_ERR_NO_MEMORY;
    for (; csv->num_columns < p->row_fields; csv->num_columns++) {
        csv->columns[csv->num_columns] = nitro_strdup(csv->context, p->row[csv->num_columns]);
        if (!csv->columns[csv->num_columns])
            return NITRO_ERR_NO_MEMORY;
    }
    return check_header(csv, p->row_line);
}

static nitro_status grow_rows(nitro_csv *csv)
{
    if (csv->num_rows < csv->row_capacity)
        return NITRO_OK;
    size_t capacity = csv->row_capacity ? 2 * csv->row_capacity : 256;
    char **fields = reallocarray(csv->fields, capacity, csv->num_columns * sizeof(*fields));
    if (fields)
        csv->fields = fields;
    size_t *lines = reallocarray(csv->lines, capacity, sizeof(*lines));
    if (lines)
        csv->lines = lines;
    if (!fields || !lines)
        return nitro_fail(csv->context, NITRO_ERR_NO_MEMORY, "%s: out of memory at %zu rows",
                          csv->origin, csv->num_rows);
    csv->row_capacity = capacity;
    return NITRO_OK;
}

static nitro_status read_rows(parser *p)
{
    nitro_csv *csv = p->csv;
    for (skip_empty_lines(p); p->at < p->end; skip_empty_lines(p)) {
        nitro_status status = read_row(p, csv->num_columns);
        if (status == NITRO_OK && p->row_fields < csv->num_columns)
            status = nitro_fail(csv->context, NITRO_ERR_FORMAT,
                                "%s:%zu: %zu field%s, but the header has %zu columns", csv->origin,
                                p->row_line, p->row_fields, p->row_fields == 1 ? "" : "s",
                                csv->num_columns);
        if (status == NITRO_OK)
            status = grow_rows(csv);
        if (status != NITRO_OK)
            return status;
        memcpy(csv->fields + csv->num_rows * csv->num_columns, p->row,
               csv->num_columns * sizeof(*p->row));
        csv->lines[csv->num_rows++] = p->row_line;
    }
    return NITRO_OK;
}

/* `line`: that of the text's first byte. */
static nitro_status check_text(const nitro_csv *csv, const char *text, size_t size, size_t line)
{
    const char *zero = size ? memchr(text, '\0', size) : NULL;
    if (!zero)
        return NITRO_OK;
    for (const char *at = text; at < zero; at++)
        line += *at == '\n';
    return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                      "%s:%zu: a zero byte; this is not a text file", csv->origin, line);
}

static void skip_byte_order_mark(parser *p)
{
    if (p->end - p->at >= 3 && memcmp(p->at, "\xEF\xBB\xBF", 3) == 0)
        p->at += 3; /* written by spreadsheets */
}

/* Takes ownership of `text`, which has a '\0' at [size]. */
static nitro_status parse_owned(nitro_context *context, const char *origin, char *text, size_t size,
                                nitro_csv **csv)
{
    nitro_status status = NITRO_ERR_NO_MEMORY;
    parser *p = nitro_calloc(context, 1, sizeof(*p)); /* too large for the stack of a thread */
    nitro_csv *created = nitro_calloc(context, 1, sizeof(*created));
    if (!p || !created) {
        free(created);
        free(text);
        goto free_parser;
    }
    created->context = context;
    created->text = text;
    created->origin = nitro_strdup(context, origin);
    *p = (parser){.csv = created, .at = text, .end = text + size, .line = 1};
    skip_byte_order_mark(p);
    if (created->origin && size > MAX_CSV_BYTES)
        status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: %zu bytes; at most %zu can be read",
                            origin, size, MAX_CSV_BYTES);
    else if (created->origin)
        status = check_text(created, text, size, 1);
    if (status == NITRO_OK)
        status = read_header(p);
    if (status == NITRO_OK)
        status = read_rows(p);
    if (status == NITRO_OK)
        *csv = created;
    else
        nitro_csv_free(created);
free_parser:
    free(p);
    return status;
}

nitro_status nitro_csv_read(nitro_context *context, const char *path, nitro_csv **csv)
{
    char *text;
    size_t size;
    nitro_status status = nitro_file_read(context, path, MAX_CSV_BYTES, &text, &size);
    return status == NITRO_OK ? parse_owned(context, path, text, size, csv) : status;
}

nitro_status nitro_csv_parse(nitro_context *context, const char *origin, const char *text,
                             size_t size, nitro_csv **csv)
{
    char *copy = nitro_calloc(context, size + 1, 1);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    if (size)
        memcpy(copy, text, size);
    return parse_owned(context, origin, copy, size, csv);
}

/* ---- Piece by piece ---------------------------------------------------------------------------
 */

/* Size of the rows that end within the text: up to its last line end outside quotes. */
static size_t complete_size(const char *text, size_t size)
{
    const char *last = NULL;
    if (!memchr(text, '"', size)) {
        last = memrchr(text, '\n', size);
    } else {
        bool quoted = false;
        for (const char *at = text; at < text + size; at++) {
            quoted = quoted != (*at == '"');
            if (*at == '\n' && !quoted)
                last = at;
        }
    }
    return last ? (size_t)(last - text) + 1 : 0;
}

static nitro_status make_room(nitro_csv *csv)
{
    if (csv->text_size + 1 < csv->text_capacity)
        return NITRO_OK;
    size_t capacity = csv->text_capacity ? 2 * csv->text_capacity : PIECE_BYTES;
    char *grown = realloc(csv->text, capacity);
    if (!grown)
        return nitro_fail(csv->context, NITRO_ERR_NO_MEMORY, "%s: out of memory at %zu bytes",
                          csv->origin, capacity);
    csv->text = grown;
    csv->text_capacity = capacity;
    return NITRO_OK;
}

/* The next rows that fit, at least one; none at the end of the file. */
static nitro_status read_piece(nitro_csv *csv)
{
    parser *p = csv->pieces;
    size_t left = csv->text ? (size_t)(csv->text + csv->text_size - p->end) : 0, complete = 0;
    bool ended = false;
    if (left > 0)
        memmove(csv->text, p->end, left);
    csv->text_size = left;
    while (complete == 0 && !ended) {
        nitro_status status = make_room(csv);
        if (status != NITRO_OK)
            return status;
        size_t room = csv->text_capacity - 1 - csv->text_size;
        size_t got = fread(csv->text + csv->text_size, 1, room, csv->file);
        if (ferror(csv->file))
            return nitro_fail(csv->context, NITRO_ERR_IO, "%s: cannot read: %s", csv->origin,
                              strerror(errno));
        csv->text_size += got;
        ended = got < room;
        complete = ended ? csv->text_size : complete_size(csv->text, csv->text_size);
    }
    csv->text[csv->text_size] = '\0';
    p->at = csv->text;
    p->end = csv->text + complete;
    return check_text(csv, p->at, complete, p->line);
}

/* From the file's first byte: its first piece, without the header. */
static nitro_status begin_pieces(nitro_csv *csv)
{
    parser *p = csv->pieces;
    rewind(csv->file);
    csv->text_size = csv->num_rows = 0;
    *p = (parser){.csv = csv, .at = csv->text, .end = csv->text, .line = 1};
    nitro_status status = read_piece(csv);
    if (status != NITRO_OK)
        return status;
    skip_byte_order_mark(p);
    if (!csv->columns)
        return read_header(p);
    skip_empty_lines(p);
    return read_row(p, csv->num_columns);
}

nitro_status nitro_csv_open(nitro_context *context, const char *path, nitro_csv **csv)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return nitro_csv_read(context, path, csv); /* a pipe cannot be read twice */
    nitro_csv *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->context = context;
    created->origin = nitro_strdup(context, path);
    created->pieces = nitro_calloc(context, 1, sizeof(*created->pieces));
    created->file = fopen(path, "rbe");
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (!created->file)
        status = nitro_fail(context, NITRO_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    else if (created->origin && created->pieces)
        status = begin_pieces(created);
    if (status == NITRO_OK)
        *csv = created;
    else
        nitro_csv_free(created);
    return status;
}

nitro_status nitro_csv_rewind(nitro_csv *csv)
{
    csv->handed_on = false;
    return csv->file ? begin_pieces(csv) : NITRO_OK;
}

nitro_status nitro_csv_next(nitro_csv *csv, bool *more)
{
    nitro_status status = NITRO_OK;
    if (!csv->file) {
        *more = !csv->handed_on;
        csv->handed_on = true;
        return NITRO_OK;
    }
    parser *p = csv->pieces;
    for (csv->num_rows = 0; csv->num_rows == 0 && status == NITRO_OK;) {
        if (p->at == p->end)
            status = read_piece(csv);
        if (status == NITRO_OK && p->at == p->end)
            break;
        if (status == NITRO_OK)
            status = read_rows(p);
    }
    if (status == NITRO_OK)
        *more = csv->num_rows > 0;
    return status;
}

void nitro_csv_free(nitro_csv *csv)
{
    if (!csv)
        return;
    if (csv->file)
        fclose(csv->file);
    free(csv->pieces);
    for (size_t i = 0; i < csv->num_columns; i++)
        free(csv->columns[i]);
    free(csv->columns);
    free(csv->fields);
    free(csv->lines);
    free(csv->text);
    free(csv->origin);
    free(csv);
}

const char *nitro_csv_origin(const nitro_csv *csv)
{
    return csv->origin;
}

size_t nitro_csv_num_rows(const nitro_csv *csv)
{
    return csv->num_rows;
}

size_t nitro_csv_num_columns(const nitro_csv *csv)
{
    return csv->num_columns;
}

const char *nitro_csv_column_name(const nitro_csv *csv, size_t column)
{
    return csv->columns[column];
}

size_t nitro_csv_column(const nitro_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->num_columns; i++)
        if (strcmp(csv->columns[i], name) == 0)
            return i;
    return NITRO_NONE;
}

const char *nitro_csv_field(const nitro_csv *csv, size_t row, size_t column)
{
    return csv->fields[row * csv->num_columns + column];
}

size_t nitro_csv_line(const nitro_csv *csv, size_t row)
{
    return csv->lines[row];
}

nitro_status nitro_csv_require_unique(const nitro_csv *csv, size_t column)
{
    size_t first = NITRO_NONE, second = NITRO_NONE;
    if (csv->num_rows == 0)
        return NITRO_OK;
    nitro_status status =
        find_twins(csv, csv->fields + column, csv->num_rows, csv->num_columns, &first, &second);
    if (status != NITRO_OK || first == NITRO_NONE)
        return status;
    return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                      "%s:%zu: %s '%.100s' has a row on line %zu already", csv->origin,
                      csv->lines[second], csv->columns[column],
                      nitro_csv_field(csv, second, column), csv->lines[first]);
}

nitro_status nitro_csv_number(const nitro_csv *csv, size_t row, size_t column, double *value)
{
    const char *field = nitro_csv_field(csv, row, column);
    double parsed = NAN;
    if (field[0] != '\0' && !nitro_parse_number(field, &parsed))
        return nitro_fail(csv->context, NITRO_ERR_FORMAT,
                          "%s:%zu: column %zu ('%.100s'): '%.100s' is not a finite number",
                          csv->origin, csv->lines[row], column + 1, csv->columns[column], field);
    *value = parsed;
    return NITRO_OK;
}
