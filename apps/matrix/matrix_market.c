/* Reads Matrix Market files line by line. Errors name file, line and field. */
#include "apps/matrix/matrix_market.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/matrix.h"
#include "apps/matrix/token.h"

#define MAX_FILE_BYTES      ((size_t)8 << 30)
#define FREE_DIMENSIONS     (1 << 20) /* rows plus columns that any file may declare... */
#define DIMENSIONS_PER_BYTE 16        /* ...and for each byte it has */
#define MAX_FIELDS          6

typedef enum matrix_field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN } matrix_field;

typedef enum matrix_symmetry {
    SYMMETRY_GENERAL,
    SYMMETRY_SYMMETRIC,
    SYMMETRY_SKEW
} matrix_symmetry;

typedef struct reader {
    nitro_context *context;
    const char *origin;
    const char *at, *end; /* the unread rest */
    size_t size;          /* of the whole text */
    size_t line;          /* of the fields below, from 1 */
    nitro_token fields[MAX_FIELDS];
    size_t num_fields; /* of the line; up to MAX_FIELDS are kept */
    matrix_field field;
    matrix_symmetry symmetry;
    int64_t declared;              /* entries declared by the size line... */
    size_t size_line;              /* ...and its line */
    size_t below_line, above_line; /* first entries below and above the diagonal; 0: none yet */
} reader;

static nitro_status malformed(reader *r, const char *format, ...) NITRO_PRINTF(2, 3);

static nitro_status malformed(reader *r, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return nitro_fail(r->context, NITRO_ERR_FORMAT, "%s:%zu: %s", r->origin, r->line, what);
}

static void split_line(reader *r, const char *line_end)
{
    r->num_fields = 0;
    nitro_token token;
    while (nitro_token_next(&r->at, line_end, &token)) {
        if (r->num_fields < MAX_FIELDS)
            r->fields[r->num_fields] = token;
        r->num_fields++;
    }
}

/* Read the next line; false at the end of the text. */
static bool next_line(reader *r)
{
    if (r->at == r->end)
        return false;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->line++;
    split_line(r, newline ? newline : r->end);
    r->at = newline ? newline + 1 : r->end;
    return true;
}

/* The next line that is neither empty nor a comment. */
static bool next_content(reader *r)
{
    while (next_line(r))
        if (r->num_fields > 0 && r->fields[0].text[0] != '%')
            return true;
    return false;
}

/* ---- Header ---- */

static nitro_status read_field_kind(reader *r, const nitro_token *token)
{
    char shown[NITRO_TOKEN_SHOWN];
    if (nitro_token_is(token, "real"))
        r->field = FIELD_REAL;
    else if (nitro_token_is(token, "integer"))
        r->field = FIELD_INTEGER;
    else if (nitro_token_is(token, "pattern"))
        r->field = FIELD_PATTERN;
    else if (nitro_token_is(token, "complex"))
        return malformed(r, "field 4 (number type): complex matrices are not supported; this "
                            "computation works in real numbers");
    else
        return malformed(r, "field 4 (number type): '%s' is none of real, integer, pattern",
                         nitro_token_show(token, shown));
    return NITRO_OK;
}

static nitro_status read_symmetry(reader *r, const nitro_token *token)
{
    char shown[NITRO_TOKEN_SHOWN];
    if (nitro_token_is(token, "general"))
        r->symmetry = SYMMETRY_GENERAL;
    else if (nitro_token_is(token, "symmetric"))
        r->symmetry = SYMMETRY_SYMMETRIC;
    else if (nitro_token_is(token, "skew-symmetric"))
        r->symmetry = SYMMETRY_SKEW;
    else if (nitro_token_is(token, "hermitian"))
        return malformed(r, "field 5 (symmetry): hermitian matrices are not supported; this "
                            "computation works in real numbers");
    else
        return malformed(r,
                         "field 5 (symmetry): '%s' is none of general, symmetric, skew-symmetric",
                         nitro_token_show(token, shown));
    if (r->symmetry == SYMMETRY_SKEW && r->field == FIELD_PATTERN)
        return malformed(r, "field 5 (symmetry): a pattern cannot be skew-symmetric, since its "
                            "entries have no sign");
    return NITRO_OK;
}

static nitro_status read_header(reader *r)
{
    char shown[NITRO_TOKEN_SHOWN];
    if (r->size == 0)
        return nitro_fail(r->context, NITRO_ERR_FORMAT, "%s: the file is empty", r->origin);
    next_line(r);
    if (r->num_fields == 0 || !nitro_token_is(&r->fields[0], "%%MatrixMarket"))
        return malformed(r, "no header: the first line must be '%%%%MatrixMarket matrix coordinate "
                            "...'; is this a Matrix Market file?");
    if (r->num_fields != 5)
        return malformed(r,
                         "the header has %zu field%s instead of 5: %%%%MatrixMarket matrix "
                         "coordinate TYPE SYMMETRY",
                         r->num_fields, r->num_fields == 1 ? "" : "s");
    if (!nitro_token_is(&r->fields[1], "matrix"))
        return malformed(r, "field 2 (object): '%s' is not 'matrix'",
                         nitro_token_show(&r->fields[1], shown));
    if (nitro_token_is(&r->fields[2], "array"))
        return malformed(r, "field 3 (format): array files hold dense matrices, which this "
                            "computation does not take; only coordinate files are read");
    if (!nitro_token_is(&r->fields[2], "coordinate"))
        return malformed(r, "field 3 (format): '%s' is not 'coordinate'",
                         nitro_token_show(&r->fields[2], shown));
    nitro_status status = read_field_kind(r, &r->fields[3]);
    return status == NITRO_OK ? read_symmetry(r, &r->fields[4]) : status;
}

/* ---- Size line ---- */

static nitro_status read_size(reader *r, size_t field, const char *name, int64_t *value)
{
    char shown[NITRO_TOKEN_SHOWN];
    if (!nitro_token_integer(&r->fields[field], value) || *value < 0)
        return malformed(r, "field %zu (%s): '%s' is not a count of up to 18 digits", field + 1,
                         name, nitro_token_show(&r->fields[field], shown));
    return NITRO_OK;
}

static nitro_status check_sizes(reader *r, int64_t rows, int64_t cols)
{
    int64_t largest = rows > cols ? rows : cols;
    if (largest > NITRO_MATRIX_MAX_DIMENSION)
        return malformed(r, "field %d (%s): %lld is more than the %d that this computation takes",
                         rows > cols ? 1 : 2, rows > cols ? "rows" : "columns", (long long)largest,
                         NITRO_MATRIX_MAX_DIMENSION);
    if (r->symmetry != SYMMETRY_GENERAL && rows != cols)
        return malformed(r, "a symmetric matrix must be square, not %lld x %lld", (long long)rows,
                         (long long)cols);
    size_t most = FREE_DIMENSIONS + DIMENSIONS_PER_BYTE * r->size;
    if ((size_t)(rows + cols) > most)
        return malformed(r,
                         "%lld rows and %lld columns are too many for a file of %zu bytes (the "
                         "limit is %zu in all): the sizes are wrong, or the file is cut short",
                         (long long)rows, (long long)cols, r->size, most);
    size_t entry_bytes = r->field == FIELD_PATTERN ? sizeof("1 1") : sizeof("1 1 1");
    size_t most_entries = ((size_t)(r->end - r->at) + 1) / entry_bytes;
    if ((uint64_t)r->declared > most_entries)
        return malformed(r,
                         "field 3 (entries): %lld are declared, but the rest of the file holds %zu "
                         "at most: the count is wrong, or the file is cut short",
                         (long long)r->declared, most_entries);
    return NITRO_OK;
}

static nitro_status read_sizes(reader *r, nitro_matrix_entries *entries)
{
    if (!next_content(r))
        return malformed(r, "the file ends before the size line (rows columns entries)");
    if (r->num_fields != 3)
        return malformed(r, "the size line has %zu field%s instead of 3 (rows columns entries)",
                         r->num_fields, r->num_fields == 1 ? "" : "s");
    int64_t rows, cols;
    nitro_status status = read_size(r, 0, "rows", &rows);
    if (status == NITRO_OK)
        status = read_size(r, 1, "columns", &cols);
    if (status == NITRO_OK)
        status = read_size(r, 2, "entries", &r->declared);
    if (status == NITRO_OK)
        status = check_sizes(r, rows, cols);
    if (status != NITRO_OK)
        return status;
    r->size_line = r->line;
    entries->num_rows = rows;
    entries->num_cols = cols;
    return nitro_matrix_entries_reserve(
        r->context, entries, r->symmetry == SYMMETRY_GENERAL ? r->declared : 2 * r->declared);
}

/* ---- Entries ---- */

static nitro_status read_index(reader *r, size_t field, const char *name, int64_t limit,
                               int64_t *index)
{
    char shown[NITRO_TOKEN_SHOWN];
    if (!nitro_token_integer(&r->fields[field], index))
        return malformed(r, "field %zu (%s): '%s' is not an integer", field + 1, name,
                         nitro_token_show(&r->fields[field], shown));
    if (*index < 1 || *index > limit)
        return malformed(r, "field %zu (%s): %lld is outside 1 to %lld", field + 1, name,
                         (long long)*index, (long long)limit);
    --*index;
    return NITRO_OK;
}

static nitro_status read_value(reader *r, double *value)
{
    char shown[NITRO_TOKEN_SHOWN];
    int64_t integer;
    *value = 1;
    if (r->field == FIELD_PATTERN)
        return NITRO_OK;
    if (r->field == FIELD_INTEGER) {
        if (!nitro_token_integer(&r->fields[2], &integer))
            return malformed(r, "field 3 (value): '%s' is not an integer of up to 18 digits",
                             nitro_token_show(&r->fields[2], shown));
        *value = (double)integer;
    } else if (!nitro_token_number(&r->fields[2], value)) {
        return malformed(r, "field 3 (value): '%s' is not a finite number",
                         nitro_token_show(&r->fields[2], shown));
    }
    return NITRO_OK;
}

/* Only one triangle: an entry in both would count twice. */
static nitro_status check_triangle(reader *r, int64_t row, int64_t column)
{
    if (row == column)
        return r->symmetry == SYMMETRY_SKEW
                   ? malformed(r,
                               "entry (%lld, %lld) is on the diagonal, which is zero in a "
                               "skew-symmetric matrix and must not be given",
                               (long long)row + 1, (long long)column + 1)
                   : NITRO_OK;
    size_t *seen = row > column ? &r->below_line : &r->above_line;
    size_t other = row > column ? r->above_line : r->below_line;
    if (*seen == 0)
        *seen = r->line;
    if (other != 0)
        return malformed(r,
                         "entry (%lld, %lld) is %s the diagonal, that of line %zu on the other "
                         "side: a symmetric file holds one triangle",
                         (long long)row + 1, (long long)column + 1,
                         row > column ? "below" : "above", other);
    return NITRO_OK;
}

static nitro_status read_entry(reader *r, nitro_matrix_entries *entries)
{
    size_t wanted = r->field == FIELD_PATTERN ? 2 : 3;
    if (r->num_fields != wanted)
        return malformed(r, "%zu field%s instead of %zu (%s)", r->num_fields,
                         r->num_fields == 1 ? "" : "s", wanted,
                         wanted == 2 ? "row column" : "row column value");
    int64_t row, column;
    double value;
    nitro_status status = read_index(r, 0, "row", entries->num_rows, &row);
    if (status == NITRO_OK)
        status = read_index(r, 1, "column", entries->num_cols, &column);
    if (status == NITRO_OK)
        status = read_value(r, &value);
    if (status == NITRO_OK)
        status = nitro_matrix_entries_add(r->context, entries, row, column, value);
    if (status != NITRO_OK || r->symmetry == SYMMETRY_GENERAL)
        return status;
    status = check_triangle(r, row, column);
    if (status != NITRO_OK || row == column)
        return status;
    return nitro_matrix_entries_add(r->context, entries, column, row,
                                    r->symmetry == SYMMETRY_SKEW ? -value : value);
}

static nitro_status read_entries(reader *r, nitro_matrix_entries *entries)
{
    for (int64_t i = 0; i < r->declared; i++) {
        if (!next_content(r))
            return malformed(r, "the file ends after %lld %s; line %zu declares %lld", (long long)i,
                             i == 1 ? "entry" : "entries", r->size_line, (long long)r->declared);
        nitro_status status = read_entry(r, entries);
        if (status != NITRO_OK)
            return status;
    }
    if (next_content(r))
        return malformed(r, "text follows the %lld %s declared in line %zu", (long long)r->declared,
                         r->declared == 1 ? "entry" : "entries", r->size_line);
    return NITRO_OK;
}

nitro_status nitro_matrix_market_parse(nitro_context *context, const char *origin, const char *text,
                                       size_t size, nitro_matrix **matrix)
{
    reader r = {.context = context, .origin = origin, .at = text, .end = text + size, .size = size};
    nitro_matrix_entries entries = {0};
    nitro_status status = read_header(&r);
    if (status == NITRO_OK)
        status = read_sizes(&r, &entries);
    if (status == NITRO_OK)
        status = read_entries(&r, &entries);
    if (status != NITRO_OK) {
        nitro_matrix_entries_free(&entries);
        return status;
    }
    return nitro_matrix_create(context, origin, &entries, matrix);
}

nitro_status nitro_matrix_market_read(nitro_context *context, const char *path,
                                      nitro_matrix **matrix)
{
    char *text;
    size_t size;
    nitro_status status = nitro_file_read_gzip(context, path, MAX_FILE_BYTES, &text, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_matrix_market_parse(context, path, text, size, matrix);
    free(text);
    return status;
}
