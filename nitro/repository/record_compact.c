/* The binary forms of a payload: fields in the order of their list, counts and lengths as varints
 * (7 bits a byte, the last one below 128). Where a list has optional fields, a varint comes first
 * whose bits say which of them are present; an unknown bit means a newer Nitro. Numbers are
 * little-endian in the plain form, and short decimals where possible in the packed one, in which
 * every record has exactly one encoding.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

/* A packed number is a varint: code + 16 * digits. */
enum {
    MOST_DECIMALS = 13, /* codes 0 to 13: digits / 10^code, digits < 10^15 */
    CODE_NEGATIVE = 14, /* digits 0: minus the number that follows */
    CODE_DOUBLE = 15    /* digits 0: the double that follows; digits 1: NaN */
};
#define DIGITS_END 1000000000000000 /* numbers of up to 15 digits are told apart by a double */

static const double powers[MOST_DECIMALS + 1] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5,  1e6,
                                                 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};

/* The decimal number of fewest digits that reads as `number` exactly; false: none that is short
 * enough. Trying the most decimals suffices, since zeros may end them. */
static bool find_decimal(double number, uint64_t *digits, unsigned *decimals)
{
    if (!(number >= 0 && number < DIGITS_END) || signbit(number))
        return false;
    *decimals = 0;
    *digits = (uint64_t)number;
    if ((double)*digits == number)
        return true;
    for (*decimals = MOST_DECIMALS; number * powers[*decimals] >= DIGITS_END;)
        --*decimals;
    *digits = (uint64_t)(number * powers[*decimals] + 0.5);
    if ((double)*digits / powers[*decimals] != number)
        return false;
    for (; *digits % 10 == 0; --*decimals)
        *digits /= 10;
    return true;
}

typedef struct writer {
    nitro_context *context;
    nitro_record_bytes *bytes;
    bool packed;
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

static void put_packed_number(writer *w, double number)
{
    uint64_t digits;
    unsigned decimals;
    bool negative = number < 0;
    if (isnan(number)) {
        put_varint(w, CODE_DOUBLE + 16);
    } else if (find_decimal(negative ? -number : number, &digits, &decimals)) {
        if (negative)
            put_varint(w, CODE_NEGATIVE);
        put_varint(w, 16 * digits + decimals);
    } else {
        put_varint(w, CODE_DOUBLE);
        put_number(w, number);
    }
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
        if (w->packed)
            put_packed_number(w, *(const double *)value);
        else
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
                                         bool packed, const void *record, nitro_record_bytes *bytes)
{
    writer w = {context, bytes, packed, NITRO_OK};
    put_fields(&w, fields, record);
    return w.status;
}

typedef struct cursor {
    nitro_context *context;
    const unsigned char *at, *end;
    bool packed;
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
        if (byte < 0x80 && shift > 0 && (byte == 0 || value >> shift != byte)) {
            fail(c, "an integer is too large or has leading zeros");
            return 0;
        }
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

/* Refuses every encoding but the one that put_packed_number writes. */
static double take_decimal(cursor *c, uint64_t word)
{
    uint64_t digits = word / 16;
    unsigned decimals = word % 16;
    if (decimals > MOST_DECIMALS || digits >= DIGITS_END || (decimals > 0 && digits % 10 == 0))
        fail(c, "a decimal number is too large or not in its shortest form");
    return c->problem ? NAN : (double)digits / powers[decimals];
}

static double take_packed_number(cursor *c)
{
    uint64_t digits, word = take_varint(c);
    unsigned decimals;
    if (word % 16 <= MOST_DECIMALS)
        return take_decimal(c, word);
    if (word == CODE_DOUBLE + 16)
        return NAN;
    if (word == CODE_NEGATIVE) {
        double number = take_decimal(c, take_varint(c));
        if (number == 0)
            fail(c, "a negative number is zero");
        return -number;
    }
    double number = take_number(c);
    if (word != CODE_DOUBLE || isnan(number) || find_decimal(fabs(number), &digits, &decimals))
        if (word != CODE_DOUBLE || number != 0 || !signbit(number))
            fail(c, "a number is not in its shortest form");
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
    if (*(const size_t *)nitro_record_at(record, field->count_offset) > 0) {
        if (count != *(const size_t *)nitro_record_at(record, field->count_offset))
            fail(c, "its two parts are of different variants"); /* made by the first one */
    } else {
        c->no_memory = nitro_record_make_rows(c->context, field, count, record) != NITRO_OK;
    }
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
        *(double *)value = c->packed ? take_packed_number(c) : take_number(c);
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
        if (!absent && fields->optional && c->packed && !c->problem && !c->no_memory &&
            nitro_record_is_absent(fields, nitro_record_at(record, fields->offset)))
            fail(c, "a field is there without a value");
    }
    if (there != 0 && !c->problem && !c->no_memory)
        c->newer = true;
    if (c->newer)
        fail(c, "it has unknown fields");
}

static nitro_status end_reading(const record_reading *reading, cursor *c)
{
    if (c->no_memory)
        return NITRO_ERR_NO_MEMORY;
    if (c->newer)
        return nitro_record_refuse_newer(reading, c->problem);
    if (!c->problem && c->at != c->end)
        fail(c, "it has bytes after its last field");
    return c->problem ? nitro_record_refuse(reading, c->problem) : NITRO_OK;
}

nitro_status nitro_record_read_payload(const record_reading *reading, const void *bytes,
                                       size_t size, void *record)
{
    cursor c = {
        .context = reading->context, .at = bytes, .end = (const unsigned char *)bytes + size};
    nitro_record_clear(reading->sort->fields, record);
    take_fields(&c, reading->sort->fields, record);
    return end_reading(reading, &c);
}

nitro_status nitro_record_read_packed(const record_reading *reading, const void *bytes, size_t size,
                                      void *record)
{
    cursor c = {.context = reading->context,
                .at = bytes,
                .end = (const unsigned char *)bytes + size,
                .packed = true};
    nitro_record_clear(reading->sort->fields, record);
    take_fields(&c, nitro_record_packed_sample, record);
    if (!c.problem && !c.no_memory)
        take_fields(&c, nitro_record_shared_sample, record);
    return end_reading(reading, &c);
}
