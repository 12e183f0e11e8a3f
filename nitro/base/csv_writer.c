/* csv_writer.c - builds a CSV text (RFC 4180) field by field. */
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/csv.h"
#include "nitro/backend/memory_stream.h"

void nitro_csv_writer_open(nitro_csv_writer *writer)
{
    *writer = (nitro_csv_writer){0};
    writer->stream = nitro_memory_stream(&writer->bytes, &writer->size);
}

static void add_field(nitro_csv_writer *writer, const char *guard, const char *field)
{
    if (!writer->stream)
        return;
    if (writer->in_row)
        putc(',', writer->stream);
    /* An empty first field is quoted: alone on its line it would read as no line at all. */
    if (!strpbrk(field, ",\"\r\n") && (writer->in_row || field[0])) {
        fputs(guard, writer->stream);
        fputs(field, writer->stream);
    } else {
        putc('"', writer->stream);
        fputs(guard, writer->stream);
        for (const char *at = field; *at; at++) {
            if (*at == '"')
                putc('"', writer->stream);
            putc(*at, writer->stream);
        }
        putc('"', writer->stream);
    }
    writer->in_row = true;
}

void nitro_csv_writer_add(nitro_csv_writer *writer, const char *field)
{
    add_field(writer, nitro_csv_is_formula(field) ? "'" : "", field);
}

void nitro_csv_writer_add_number(nitro_csv_writer *writer, double value)
{
    char number[32] = "";
    if (value == value)
        nitro_format_number(value, number, sizeof(number));
    add_field(writer, "", number);
}

void nitro_csv_writer_end_row(nitro_csv_writer *writer)
{
    if (writer->stream)
        putc('\n', writer->stream);
    writer->in_row = false;
}

nitro_status nitro_csv_writer_close(nitro_context *context, nitro_csv_writer *writer)
{
    bool complete = writer->stream && fclose(writer->stream) == 0;
    writer->stream = NULL;
    return complete ? NITRO_OK
                    : nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for a CSV table");
}

void nitro_csv_writer_free(nitro_csv_writer *writer)
{
    if (writer->stream)
        fclose(writer->stream);
    free(writer->bytes);
    *writer = (nitro_csv_writer){0};
}
