/* csv_writer.h - builds a CSV text (RFC 4180) field by field.
 * Running out of memory is reported once, at the end, so that rows are written without checks. */
#ifndef NITRO_STORE_EXCHANGE_CSV_WRITER_H
#define NITRO_STORE_EXCHANGE_CSV_WRITER_H

#include <stdio.h>

#include "nitro/nitro_backend.h"

typedef struct csv_writer {
    FILE *stream; /* NULL: out of memory */
    char *bytes;
    size_t size;
    bool in_row;
} csv_writer;

void nitro_csv_writer_open(csv_writer *writer);
void nitro_csv_writer_add(csv_writer *writer, const char *field);
/** A number that reads back as the same double; NaN is an empty field. */
void nitro_csv_writer_add_number(csv_writer *writer, double value);
void nitro_csv_writer_end_row(csv_writer *writer);
/** End the text: `bytes` and `size` are complete. @return NITRO_OK; NITRO_ERR_NO_MEMORY. */
nitro_status nitro_csv_writer_close(nitro_context *context, csv_writer *writer);
void nitro_csv_writer_free(csv_writer *writer);

#endif
