/* csv.h - tables as CSV. Part of nitro_backend.h. */
#ifndef NITRO_BACKEND_CSV_H
#define NITRO_BACKEND_CSV_H

#include <stdio.h>

#include "nitro/backend/basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A table with a header line (RFC 4180: quotes, CRLF). Errors name origin, line and column. */
typedef struct nitro_csv nitro_csv;

/** @return as nitro_file_read; NITRO_ERR_FORMAT (also for a row of the wrong length or duplicate
 *         column names); NITRO_ERR_NO_MEMORY. Free with nitro_csv_free. */
NITRO_API nitro_status nitro_csv_read(nitro_context *context, const char *path, nitro_csv **csv);
/** `origin` names the text in errors. */
NITRO_API nitro_status nitro_csv_parse(nitro_context *context, const char *origin, const char *text,
                                       size_t size, nitro_csv **csv);
/**
 * The same for a file that need not fit into memory: its rows come in pieces of about a megabyte.
 * (What is not a regular file is read as a whole.) The header has been read, but no row.
 */
NITRO_API nitro_status nitro_csv_open(nitro_context *context, const char *path, nitro_csv **csv);
/** The table's rows become the next piece; lines count on. A table that was read or parsed as a
 * whole is one piece. @param[out] more  false after the last piece. */
NITRO_API nitro_status nitro_csv_next(nitro_csv *csv, bool *more);
/** Back to before the first piece. */
NITRO_API nitro_status nitro_csv_rewind(nitro_csv *csv);
NITRO_API void nitro_csv_free(nitro_csv *csv);
/** The path or other name given for the text: errors start with it. */
NITRO_API const char *nitro_csv_origin(const nitro_csv *csv);
/* Rows (without the header) and columns are numbered from 0; indices are not checked. Texts are
 * owned by the table. */
NITRO_API size_t nitro_csv_num_rows(const nitro_csv *csv);
NITRO_API size_t nitro_csv_num_columns(const nitro_csv *csv);
NITRO_API const char *nitro_csv_column_name(const nitro_csv *csv, size_t column);
/** Index of the column of this name, or NITRO_NONE. */
NITRO_API size_t nitro_csv_column(const nitro_csv *csv, const char *name);
/** Would a spreadsheet take the text for a formula? Writers put ' before such a text, and readers
 *  drop it. */
NITRO_API bool nitro_csv_is_formula(const char *field);
/** The field without quotes; "" if empty. */
NITRO_API const char *nitro_csv_field(const nitro_csv *csv, size_t row, size_t column);
/** Line of the file on which the row starts, from 1. */
NITRO_API size_t nitro_csv_line(const nitro_csv *csv, size_t row);
/** NITRO_ERR_FORMAT, naming both lines, if two rows have the same field in this column. */
NITRO_API nitro_status nitro_csv_require_unique(const nitro_csv *csv, size_t column);
/** The field as a finite number; an empty field gives NaN; else NITRO_ERR_FORMAT. */
NITRO_API nitro_status nitro_csv_number(const nitro_csv *csv, size_t row, size_t column,
                                        double *value);

/** A CSV text that is written field by field. Running out of memory is reported once, by
 *  nitro_csv_writer_close, so that rows are written without checks. */
typedef struct nitro_csv_writer {
    FILE *stream; /* NULL: out of memory */
    char *bytes;  /* complete after closing */
    size_t size;
    bool in_row;
} nitro_csv_writer;

NITRO_API void nitro_csv_writer_open(nitro_csv_writer *writer);
NITRO_API void nitro_csv_writer_add(nitro_csv_writer *writer, const char *field);
/** A number that reads back as the same double; NaN is an empty field. */
NITRO_API void nitro_csv_writer_add_number(nitro_csv_writer *writer, double value);
NITRO_API void nitro_csv_writer_end_row(nitro_csv_writer *writer);
/** End the text: `bytes` and `size` are complete. @return NITRO_OK; NITRO_ERR_NO_MEMORY. */
NITRO_API nitro_status nitro_csv_writer_close(nitro_context *context, nitro_csv_writer *writer);
NITRO_API void nitro_csv_writer_free(nitro_csv_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
