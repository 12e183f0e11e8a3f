/* The binary forms of a payload: fields in the order of their list, counts and lengths as varints
 * (7 bits a byte, the last one below 128). Where a list has optional fields, a varint comes first
 * whose bits say which of them are present; an unknown bit means a newer Nitro. Numbers are
 * little-endian in the plain form, and short decimals where possible in that of samples, in which
 * every record has exactly one encoding.
 *
 * A sample is written to two streams: its numbers to its own, and to a second one what says which
 * there are (bits of presence, lengths of rows), with the fields that are marked as shared. Many
 * samples have the same second part.
 */
#include <math.h>
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
    nitro_record_bytes *own, *shared; /* the same in the plain form */
    nitro_status status;
} writer;

static bool is_split(const writer *w)
{
    return w->own != w->shared;
}

static void put_bytes(writer *w, nitro_record_bytes *to, const void *bytes, size_t size)
{
    if (w->status == NITRO_OK)
        w->status = nitro_record_bytes_append(w->context, to, bytes, size);
}

static size_t format_varint(uint64_t value, unsigned char bytes[10])
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    return size;
}

static void put_varint(writer *w, nitro_record_bytes *to, uint64_t value)
{
    unsigned char bytes[10];
    put_bytes(w, to, bytes, format_varint(value, bytes));
}

nitro_status nitro_record_append_size(nitro_context *context, size_t size,
                                      nitro_record_bytes *bytes)
{
    unsigned char varint[10];
    return nitro_record_bytes_append(context, bytes, varint, format_varint(size, varint));
}

/* One pattern for every NaN. */
static void put_double(writer *w, nitro_record_bytes *to, double number)
{
    unsigned char bytes[8];
    uint64_t word = UINT64_MAX;
    if (!isnan(number))
        memcpy(&word, &number, sizeof(word));
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
    put_bytes(w, to, bytes, sizeof(bytes));
}

static void put_number(writer *w, nitro_record_bytes *to, double number)
{
    uint64_t digits;
    unsigned decimals;
    bool negative = number < 0;
    if (!is_split(w)) {
        put_double(w, to, number);
    } else if (isnan(number)) {
        put_varint(w, to, CODE_DOUBLE + 16);
    } else if (find_decimal(negative ? -number : number, &digits, &decimals)) {
        if (negative)
            put_varint(w, to, CODE_NEGATIVE);
        put_varint(w, to, 16 * digits + decimals);
    } else {
        put_varint(w, to, CODE_DOUBLE);
        put_double(w, to, number);
    }
}

#define MOST_FIELDS 16 /* of rows with counts */

/* Counts of rows that are the same in all rows that have one; they are written once. */
typedef struct repeats {
    uint64_t same;                    /* a bit for each field */
    const void *earlier[MOST_FIELDS]; /* the first row that has it; NULL: none so far */
} repeats;

/* `repeated`: NULL where the fields are not those of rows. */
static void put_fields(writer *w, const record_field *fields, repeats *repeated,
                       const void *record);

static uint64_t find_counts(const record_field *fields)
{
    uint64_t counts = 0, bit = 1;
    for (; fields->name; fields++, bit <<= 1)
        counts |= fields->type == RECORD_COUNT ? bit : 0;
    return counts;
}

/* Do at least two rows have a count, and all that have one the same? 0 is none. */
static bool is_same(const record_field *rows, const record_field *field, const void *record)
{
    size_t num_rows = *(const size_t *)nitro_record_at(record, rows->count_offset), num_values = 0;
    uint32_t first = 0;
    for (size_t i = 0; i < num_rows; i++) {
        uint32_t value =
            *(const uint32_t *)nitro_record_at(nitro_record_row(rows, record, i), field->offset);
        if (value == 0)
            continue;
        if (num_values++ > 0 && value != first)
            return false;
        first = value;
    }
    return num_values > 1;
}

static uint64_t find_same(const record_field *rows, const void *record)
{
    uint64_t same = 0, bit = 1;
    for (const record_field *field = rows->row; field->name; field++, bit <<= 1)
        if (field->type == RECORD_COUNT && is_same(rows, field, record))
            same |= bit;
    return same;
}

static void put_rows(writer *w, const record_field *field, const void *record)
{
    size_t count = *(const size_t *)nitro_record_at(record, field->count_offset);
    repeats repeated = {0};
    put_varint(w, w->shared, count);
    if (is_split(w) && find_counts(field->row)) {
        repeated.same = find_same(field, record);
        put_varint(w, w->shared, repeated.same);
    }
    for (size_t i = 0; i < count; i++)
        put_fields(w, field->row, &repeated, nitro_record_row(field, record, i));
}

/* Was this row's count written with an earlier row? If not, this one is the earlier row of those to
 * come. */
static const void *find_earlier(repeats *repeated, size_t field, const void *record)
{
    if (!repeated || !(repeated->same >> field & 1))
        return NULL;
    const void *earlier = repeated->earlier[field];
    if (!earlier)
        repeated->earlier[field] = record;
    return earlier;
}

static void put_field(writer *w, const record_field *field, const void *record)
{
    const void *value = nitro_record_at(record, field->offset);
    nitro_record_bytes *to = field->shared ? w->shared : w->own;
    switch (field->type) {
    case RECORD_TEXT:
        put_varint(w, to, strlen(*(char *const *)value));
        put_bytes(w, to, *(char *const *)value, strlen(*(char *const *)value));
        break;
    case RECORD_NUMBER:
        put_number(w, to, *(const double *)value);
        break;
    case RECORD_COUNT:
        put_varint(w, to, *(const uint32_t *)value);
        break;
    case RECORD_TIME:
        put_varint(w, to, (uint64_t) * (const int64_t *)value);
        break;
    case RECORD_NAMED:
        put_varint(w, to, *(const unsigned *)value);
        break;
    case RECORD_VARIANT:
        put_varint(w, to, *(const size_t *)value);
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

static void put_fields(writer *w, const record_field *fields, repeats *repeated, const void *record)
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
        put_varint(w, w->shared, there);
    for (size_t k = 0; fields->name; fields++, k++) {
        bool absent = fields->optional && !(there & 1);
        if (fields->optional)
            there >>= 1;
        if (!absent && !fields->in_key && !find_earlier(repeated, k, record))
            put_field(w, fields, record);
    }
}

nitro_status nitro_record_append_payload(nitro_context *context, const record_field *fields,
                                         const void *record, nitro_record_bytes *bytes)
{
    writer w = {context, bytes, bytes, NITRO_OK};
    put_fields(&w, fields, NULL, record);
    return w.status;
}

nitro_status nitro_record_append_sample(nitro_context *context, const nitro_sample *sample,
                                        nitro_record_bytes *own, nitro_record_bytes *shared)
{
    writer w = {context, own, shared, NITRO_OK};
    put_fields(&w, nitro_record_compact_sample, NULL, sample);
    return w.status;
}

/* Bytes to read. */
typedef struct stream {
    const unsigned char *at, *end;
} stream;

typedef struct cursor {
    nitro_context *context;
    stream *own, *shared; /* the same but in samples of today's version */
    bool packed;
    const char *problem; /* NULL: none so far */
    bool newer, no_memory;
} cursor;

static void fail(cursor *c, const char *problem)
{
    if (!c->problem)
        c->problem = problem;
}

static bool has_failed(const cursor *c)
{
    return c->problem || c->no_memory;
}

static uint64_t take_varint(cursor *c, stream *from)
{
    uint64_t value = 0;
    for (unsigned shift = 0; from->at < from->end && shift < 64; shift += 7) {
        unsigned char byte = *from->at++;
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

size_t nitro_record_take_size(const void *bytes, size_t available, size_t *size)
{
    stream from = {bytes, (const unsigned char *)bytes + available};
    cursor c = {0};
    uint64_t value = take_varint(&c, &from);
    *size = value;
    return c.problem ? 0 : (size_t)(from.at - (const unsigned char *)bytes);
}

static double take_double(cursor *c, stream *from)
{
    uint64_t word = 0;
    double number;
    if (from->end - from->at < 8) {
        fail(c, "it ends early");
        return NAN;
    }
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)*from->at++ << (8 * i);
    memcpy(&number, &word, sizeof(number));
    return number;
}

/* Refuses every encoding but the one that put_number writes. */
static double take_decimal(cursor *c, uint64_t word)
{
    uint64_t digits = word / 16;
    unsigned decimals = word % 16;
    if (decimals > MOST_DECIMALS || digits >= DIGITS_END || (decimals > 0 && digits % 10 == 0))
        fail(c, "a decimal number is too large or not in its shortest form");
    return c->problem ? NAN : (double)digits / powers[decimals];
}

static double take_number(cursor *c, stream *from)
{
    uint64_t digits;
    unsigned decimals;
    if (!c->packed)
        return take_double(c, from);
    uint64_t word = take_varint(c, from);
    if (word % 16 <= MOST_DECIMALS)
        return take_decimal(c, word);
    if (word == CODE_DOUBLE + 16)
        return NAN;
    if (word == CODE_NEGATIVE) {
        double number = take_decimal(c, take_varint(c, from));
        if (number == 0)
            fail(c, "a negative number is zero");
        return -number;
    }
    double number = take_double(c, from);
    if (word != CODE_DOUBLE || isnan(number) || find_decimal(fabs(number), &digits, &decimals))
        if (word != CODE_DOUBLE || number != 0 || !signbit(number))
            fail(c, "a number is not in its shortest form");
    return number;
}

static char *take_text(cursor *c, stream *from)
{
    uint64_t size = take_varint(c, from);
    if (c->problem || size > (uint64_t)(from->end - from->at) || memchr(from->at, 0, size)) {
        fail(c, "a text is truncated");
        return NULL;
    }
    char *text = nitro_calloc(c->context, size + 1, 1);
    if (text)
        memcpy(text, from->at, size);
    c->no_memory = c->no_memory || !text;
    from->at += size;
    return text;
}

static void take_fields(cursor *c, const record_field *fields, repeats *repeated, void *record);

/* The rows of a field, of which some counts are written once. */
static void take_each_row(cursor *c, const record_field *field, size_t count, void *record)
{
    const uint64_t counts = c->own == c->shared ? 0 : find_counts(field->row);
    repeats repeated = {.same = counts ? take_varint(c, c->shared) : 0};
    if (repeated.same & ~counts)
        fail(c, "its counts are not in their shortest form");
    for (size_t i = 0; i < count && !has_failed(c); i++)
        take_fields(c, field->row, &repeated, nitro_record_row(field, record, i));
    if (counts && !has_failed(c) && find_same(field, record) != repeated.same)
        fail(c, "its counts are not in their shortest form");
}

static void take_rows(cursor *c, const record_field *field, void *record)
{
    uint64_t count = take_varint(c, c->shared);
    if (count > field->most ||
        count > (uint64_t)(c->shared->end - c->shared->at) + (uint64_t)(c->own->end - c->own->at)) {
        fail(c, "it has too many rows");
        return;
    }
    if (*(const size_t *)nitro_record_at(record, field->count_offset) > 0) {
        if (count != *(const size_t *)nitro_record_at(record, field->count_offset))
            fail(c, "its two parts are of different variants"); /* made by the first one */
    } else {
        c->no_memory = nitro_record_make_rows(c->context, field, count, record) != NITRO_OK;
    }
    if (!has_failed(c))
        take_each_row(c, field, count, record);
}

static void take_field(cursor *c, const record_field *field, void *record)
{
    void *value = nitro_record_at(record, field->offset);
    stream *from = field->shared ? c->shared : c->own;
    uint64_t word = 0;
    if (field->type != RECORD_TEXT && field->type != RECORD_NUMBER && field->type != RECORD_ROWS)
        word = take_varint(c, from);
    switch (field->type) {
    case RECORD_TEXT:
        *(char **)value = take_text(c, from);
        break;
    case RECORD_NUMBER:
        *(double *)value = take_number(c, from);
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

static void take_fields(cursor *c, const record_field *fields, repeats *repeated, void *record)
{
    uint64_t there = has_optional(fields) ? take_varint(c, c->shared) : 0;
    for (size_t k = 0; fields->name && !has_failed(c); fields++, k++) {
        bool absent = fields->optional && !(there & 1);
        void *value = nitro_record_at(record, fields->offset);
        if (fields->optional)
            there >>= 1;
        if (absent || fields->in_key)
            continue;
        const void *earlier = find_earlier(repeated, k, record);
        if (earlier)
            *(uint32_t *)value = *(const uint32_t *)nitro_record_at(earlier, fields->offset);
        else
            take_field(c, fields, record);
        if (fields->optional && c->packed && !has_failed(c) &&
            nitro_record_is_absent(fields, value))
            fail(c, "a field is there without a value");
    }
    if (there != 0 && !has_failed(c))
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
    if (!c->problem && (c->own->at != c->own->end || c->shared->at != c->shared->end))
        fail(c, "it has bytes after its last field");
    return c->problem ? nitro_record_refuse(reading, c->problem) : NITRO_OK;
}

nitro_status nitro_record_read_payload(const record_reading *reading, const void *bytes,
                                       size_t size, void *record)
{
    stream all = {bytes, (const unsigned char *)bytes + size};
    cursor c = {.context = reading->context, .own = &all, .shared = &all};
    nitro_record_clear(reading->sort->fields, record);
    take_fields(&c, reading->sort->fields, NULL, record);
    return end_reading(reading, &c);
}

nitro_status nitro_record_read_sample(const record_reading *reading, const void *own,
                                      size_t own_size, const void *shared, size_t shared_size,
                                      nitro_sample *sample)
{
    stream its_own = {own, (const unsigned char *)own + own_size};
    stream in_common = {shared, (const unsigned char *)shared + shared_size};
    cursor c = {.context = reading->context, .own = &its_own, .shared = &in_common, .packed = true};
    nitro_record_clear(reading->sort->fields, sample);
    take_fields(&c, nitro_record_compact_sample, NULL, sample);
    return end_reading(reading, &c);
}

nitro_status nitro_record_read_sample_6(const record_reading *reading, const void *bytes,
                                        size_t size, nitro_sample *sample)
{
    stream all = {bytes, (const unsigned char *)bytes + size};
    cursor c = {.context = reading->context, .own = &all, .shared = &all, .packed = true};
    nitro_record_clear(reading->sort->fields, sample);
    take_fields(&c, nitro_record_sample_6, NULL, sample);
    if (!has_failed(&c))
        take_fields(&c, nitro_record_sample_6_rest, NULL, sample);
    return end_reading(reading, &c);
}
