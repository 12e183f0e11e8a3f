/* The compact form of a payload: fields in the order of their list, numbers little-endian, counts
 * and lengths as varints (7 bits a byte, the last one below 128). Where a list has optional fields,
 * a varint comes first whose bits say which of them are present; an unknown bit means a newer
 * Nitro.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

typedef struct writer {
    nitro_context *context;
    nitro_record_bytes *bytes;
    nitro_status status;
} writer;

static void put_bytes(writer *w, const void *bytes, size_t size)
{
    if (w->status == NITRO_OK)
        w->status = nitro_record_bytes_append(w->context, w->bytes, bytes, size);
}

static void put_varint(writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    put_bytes(w, bytes, size);
}

/* One pattern for every NaN. */
static void put_number(writer *w, double number)
{
    unsigned char bytes[8];
    uint64_t word = UINT64_MAX;
    if (!isnan(number))
        memcpy(&word, &number, sizeof(word));
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
    put_bytes(w, bytes, sizeof(bytes));
}

static void put_fields(writer *w, const record_field *fields, const void *record);

static void put_rows(writer *w, const record_field *field, const void *record)
{
    size_t count = *(const size_t *)nitro_record_at(record, field->count_offset);
    put_varint(w, count);
    for (size_t i = 0; i < count; i++)
        put_fields(w, field->row, nitro_record_row(field, record, i));
}

static void put_field(writer *w, const record_field *field, const void *record)
{
    const void *value = nitro_record_at(record, field->offset);
    switch (field->type) {
    case RECORD_TEXT:
        put_varint(w, strlen(*(char *const *)value));
        put_bytes(w, *(char *const *)value, strlen(*(char *const *)value));
        break;
    case RECORD_NUMBER:
        put_number(w, *(const double *)value);
        break;
    case RECORD_COUNT:
        put_varint(w, *(const uint32_t *)value);
        break;
    case RECORD_TIME:
        put_varint(w, (uint64_t) * (const int64_t *)value);
        break;
    case RECORD_NAMED:
        put_varint(w, *(const unsigned *)value);
        break;
    case RECORD_VARIANT:
        put_varint(w, *(const size_t *)value);
        break;
    case RECORD_ROWS:
        put_rows(w, field, record);
        break;
    }
}

static bool has_optional(const record_field *fields)
{
    while (fields->name && !fields->optional)
        fields++;
    return fields->name;
}

static void put_fields(writer *w, const record_field *fields, const void *record)
{
    uint64_t there = 0, bit = 1;
    for (const record_field *field = fields; field->name; field++) {
        if (!field->optional)
            continue;
        if (!nitro_record_is_absent(field, nitro_record_at(record, field->offset)))
            there |= bit;
        bit <<= 1;
    }
    if (has_optional(fields))
        put_varint(w, there);
    for (; fields->name; fields++) {
        bool absent = fields->optional && !(there & 1);
        if (fields->optional)
            there >>= 1;
        if (!absent && !fields->in_key)
            put_field(w, fields, record);
    }
}

nitro_status nitro_record_append_payload(nitro_context *context, const record_field *fields,
                                         const void *record, nitro_record_bytes *bytes)
{
    writer w = {context, bytes, NITRO_OK};
    put_fields(&w, fields, record);
    return w.status;
}

typedef struct cursor {
    nitro_context *context;
    const unsigned char *at, *end;
    const char *problem; /* NULL: none so far */
    bool newer, no_memory;
} cursor;

static void fail(cursor *c, const char *problem)
{
    if (!c->problem)
        c->problem = problem;
}

static uint64_t take_varint(cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 64; shift += 7) {
        unsigned char byte = *c->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    fail(c, "it ends early");
    return 0;
}

static double take_number(cursor *c)
{
    uint64_t word = 0;
    double number;
    if (c->end - c->at < 8) {
        fail(c, "it ends early");
        return NAN;
    }
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)*c->at++ << (8 * i);
    memcpy(&number, &word, sizeof(number));
    return number;
}

static char *take_text(cursor *c)
{
    uint64_t size = take_varint(c);
    if (c->problem || size > (uint64_t)(c->end - c->at) || memchr(c->at, 0, size)) {
        fail(c, "a text is truncated");
        return NULL;
    }
    char *text = nitro_calloc(c->context, size + 1, 1);
    if (text)
        memcpy(text, c->at, size);
    c->no_memory = c->no_memory || !text;
    c->at += size;
    return text;
}

static void take_fields(cursor *c, const record_field *fields, void *record);

static void take_rows(cursor *c, const record_field *field, void *record)
{
    uint64_t count = take_varint(c);
    if (count > field->most || count > (uint64_t)(c->end - c->at)) {
        fail(c, "it has too many rows");
        return;
    }
    c->no_memory = nitro_record_make_rows(c->context, field, count, record) != NITRO_OK;
    if (c->no_memory)
        return;
    for (size_t i = 0; i < count && !c->problem && !c->no_memory; i++)
        take_fields(c, field->row, nitro_record_row(field, record, i));
}

static void take_field(cursor *c, const record_field *field, void *record)
{
    void *value = nitro_record_at(record, field->offset);
    uint64_t word = 0;
    if (field->type != RECORD_TEXT && field->type != RECORD_NUMBER && field->type != RECORD_ROWS)
        word = take_varint(c);
    switch (field->type) {
    case RECORD_TEXT:
        *(char **)value = take_text(c);
        break;
    case RECORD_NUMBER:
        *(double *)value = take_number(c);
        break;
    case RECORD_COUNT:
        if (word > UINT32_MAX)
            fail(c, "a count is too large");
        *(uint32_t *)value = (uint32_t)word;
        break;
    case RECORD_TIME:
        *(int64_t *)value = (int64_t)word;
        break;
    case RECORD_NAMED:
        if (word > 127)
            fail(c, "an enumeration has an unknown value");
        *(unsigned *)value = (unsigned)word;
        break;
    case RECORD_VARIANT:
        *(size_t *)value = word;
        break;
    case RECORD_ROWS:
        take_rows(c, field, record);
        break;
    }
}

static void take_fields(cursor *c, const record_field *fields, void *record)
{
    uint64_t there = has_optional(fields) ? take_varint(c) : 0;
    for (; fields->name && !c->problem && !c->no_memory; fields++) {
        bool absent = fields->optional && !(there & 1);
        if (fields->optional)
            there >>= 1;
        if (!absent && !fields->in_key)
            take_field(c, fields, record);
    }
    if (there != 0 && !c->problem && !c->no_memory)
        c->newer = true;
    if (c->newer)
        fail(c, "it has unknown fields");
}

nitro_status nitro_record_read_payload(const record_reading *reading, const void *bytes,
                                       size_t size, void *record)
{
    cursor c = {
        .context = reading->context, .at = bytes, .end = (const unsigned char *)bytes + size};
    nitro_record_clear(reading->sort->fields, record);
    take_fields(&c, reading->sort->fields, record);
    if (c.no_memory)
        return NITRO_ERR_NO_MEMORY;
    if (c.newer)
        return nitro_record_refuse_newer(reading, c.problem);
    if (!c.problem && c.at != c.end)
        fail(&c, "it has bytes after its last field");
    return c.problem ? nitro_record_refuse(reading, c.problem) : NITRO_OK;
}
