/* record_internal.h - what the files of the record codec share: lists of fields, and the record
 * being read. */
#ifndef NITRO_REPOSITORY_RECORD_INTERNAL_H
#define NITRO_REPOSITORY_RECORD_INTERNAL_H

#include <string.h>

#include "nitro/repository/store_internal.h"

typedef enum record_type {
    RECORD_TEXT,    /* char * */
    RECORD_NUMBER,  /* double; NaN: unknown */
    RECORD_COUNT,   /* uint32_t */
    RECORD_TIME,    /* int64_t */
    RECORD_NAMED,   /* an enum, by its constants' names in JSON */
    RECORD_VARIANT, /* size_t: one of a schema's variants, by name in JSON */
    RECORD_ROWS     /* size_t and an array of so many rows */
} record_type;

/** One field of a record or row. A list of them ends with a NULL name. */
typedef struct record_field {
    const char *name; /* in JSON and in messages */
    record_type type;
    bool optional; /* omitted where it is without rows, NULL, NaN, NITRO_NONE or 0 */
    bool in_key;   /* not in the compact form: the reader knows it */
    bool shared;   /* in the part that many samples have in common */
    size_t offset; /* in its struct */

    const char *(*name_of)(unsigned value); /* NAMED */

    const struct record_field *row; /* ROWS */
    size_t row_size, count_offset, most;
} record_field;

/** A sort of record. */
typedef struct record_sort {
    const char *name;
    const record_field *fields;
    bool has_computation, has_device; /* in its key */
} record_sort;

extern const record_sort nitro_record_schemas, nitro_record_devices, nitro_record_samples,
    nitro_record_profiles;

/** All fields of nitro_record_samples, in the order of the compact form. */
extern const record_field nitro_record_compact_sample[];
/** The same of version 6, one list after the other. */
extern const record_field nitro_record_sample_6[], nitro_record_sample_6_rest[];

/** The first text in a record that is too long or not printable UTF-8; NULL: none. */
const char *nitro_record_find_bad_text(const record_field *fields, const void *record);

/** Set every field of a zeroed struct to "unknown". */
void nitro_record_clear(const record_field *fields, void *record);
/** Is an optional field omitted? `value` is where it is. */
bool nitro_record_is_absent(const record_field *field, const void *value);
static inline void *nitro_record_at(const void *record, size_t offset)
{
    return (char *)(uintptr_t)record + offset;
}

/** Row `index` of a field of rows. */
static inline void *nitro_record_row(const record_field *field, const void *record, size_t index)
{
    char *rows;
    memcpy(&rows, nitro_record_at(record, field->offset), sizeof(rows));
    return rows + index * field->row_size;
}

/** The record being read or written, and its key. */
typedef struct record_reading {
    nitro_context *context;
    const record_sort *sort;
    const char *where;
    const char *computation, *device, *name; /* NULL: none, or not known in advance */
} record_reading;

/** NITRO_ERR_FORMAT: the record is damaged or was altered. */
nitro_status nitro_record_refuse(const record_reading *reading, const char *problem);
/** NITRO_ERR_NEWER. */
nitro_status nitro_record_refuse_newer(const record_reading *reading, const char *what);
/** Room for `count` rows of a field in the record, cleared. */
nitro_status nitro_record_make_rows(nitro_context *context, const record_field *field, size_t count,
                                    void *record);

/* ---- record_compact.c: payloads -------------------------------------------------------------- */

nitro_status nitro_record_append_payload(nitro_context *context, const record_field *fields,
                                         const void *record, nitro_record_bytes *bytes);
nitro_status nitro_record_read_payload(const record_reading *reading, const void *bytes,
                                       size_t size, void *record);
nitro_status nitro_record_append_sample(nitro_context *context, const nitro_sample *sample,
                                        nitro_record_bytes *own, nitro_record_bytes *shared);
nitro_status nitro_record_read_sample(const record_reading *reading, const void *own,
                                      size_t own_size, const void *shared, size_t shared_size,
                                      nitro_sample *sample);
nitro_status nitro_record_read_sample_6(const record_reading *reading, const void *bytes,
                                        size_t size, nitro_sample *sample);
/** `*size`: the number that a varint at `bytes` says; @return its bytes, or 0: it is none. */
size_t nitro_record_take_size(const void *bytes, size_t available, size_t *size);
/** Append a varint. */
nitro_status nitro_record_append_size(nitro_context *context, size_t size,
                                      nitro_record_bytes *bytes);

/* ---- record_json.c: whole lines -------------------------------------------------------------- */

nitro_status nitro_record_append_json(const record_reading *written, const void *record,
                                      uint64_t checksum, nitro_record_bytes *line);
nitro_status nitro_record_read_json(const record_reading *reading, const char *line, size_t size,
                                    void *record, uint64_t *checksum);

#endif
