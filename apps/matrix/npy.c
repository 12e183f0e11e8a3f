/* Finds the array in a file of numpy. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/matrix/npy.h"

#define MAGIC      "\x93NUMPY"
#define MAX_HEADER 65536

typedef struct reader {
    nitro_context *context;
    const char *name;
    char *header; /* the dictionary, as text */
} reader;

static nitro_status malformed(const reader *r, const char *format, ...) NITRO_PRINTF(2, 3);

static nitro_status malformed(const reader *r, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return nitro_fail(r->context, NITRO_ERR_FORMAT, "%s: %s", r->name, what);
}

/* What follows 'key': in the dictionary; NULL: there is none. */
static const char *find_value(const reader *r, const char *key)
{
    const char *at = strstr(r->header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
}

/* '<f8': little-endian, the kind, the bytes of an element. */
static nitro_status read_type(const reader *r, nitro_npy *array)
{
    const char *value = find_value(r, "'descr'");
    char shown[24], *end;
    if (!value)
        return malformed(r, "the header has no 'descr', the type of the elements");
    if (value[0] == '\'' && strchr("<|", value[1]) && value[1] && strchr("iufc", value[2]) &&
        value[2] && isdigit((unsigned char)value[3])) {
        long bytes = strtol(value + 3, &end, 10);
        array->kind = value[2];
        array->element_bytes = (int32_t)bytes;
        if (*end == '\'' && bytes >= 1 && bytes <= 16)
            return NITRO_OK;
    }
    snprintf(shown, sizeof(shown), "%s", value);
    nitro_text_clean(shown, "");
    return malformed(r,
                     "'descr' is %s...: elements are little-endian numbers, as '<f8' (convert them "
                     "with astype)",
                     shown);
}

static nitro_status read_order(const reader *r, bool *is_column_major)
{
    const char *order = find_value(r, "'fortran_order'");
    *is_column_major = order && strncmp(order, "True", strlen("True")) == 0;
    if (!*is_column_major && (!order || strncmp(order, "False", strlen("False")) != 0))
        return malformed(r, "'fortran_order' is neither True nor False");
    return NITRO_OK;
}

static nitro_status read_sides(const reader *r, nitro_npy *array)
{
    const char *at = find_value(r, "'shape'");
    if (!at || *at != '(')
        return malformed(r, "the header has no 'shape' that is a tuple, as (300, 200)");
    array->count = 1;
    for (at++, at += strspn(at, " ,"); *at != ')'; at += strspn(at, " ,")) {
        char *end;
        if (!isdigit((unsigned char)*at))
            return malformed(r, "'shape' is not a list of numbers");
        errno = 0;
        int64_t side = strtoll(at, &end, 10);
        if (errno == ERANGE || array->num_sides == NITRO_NPY_MAX_SIDES ||
            __builtin_mul_overflow(array->count, side, &array->count))
            return malformed(r, "'shape' has more numbers, or elements, than can be counted");
        array->sides[array->num_sides++] = side;
        at = end;
    }
    return NITRO_OK;
}

/* The dictionary, and where the elements begin. */
static nitro_status read_header(reader *r, const char *bytes, size_t size, size_t *begin)
{
    size_t prefix = strlen(MAGIC) + 2, length = 0;
    if (size < prefix + 2 || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0)
        return malformed(r, "not a file of numpy: it would begin with \\x93NUMPY");
    int major = bytes[strlen(MAGIC)];
    if (major < 1 || major > 3)
        return malformed(r, "version %d of the format; 1 to 3 are read", major);
    int length_bytes = major == 1 ? 2 : 4;
    if (size < prefix + (size_t)length_bytes)
        return malformed(r, "the file ends in the header");
    for (int i = 0; i < length_bytes; i++)
        length |= (size_t)(unsigned char)bytes[prefix + (size_t)i] << 8 * i;
    *begin = prefix + (size_t)length_bytes + length;
    if (length > MAX_HEADER || *begin > size)
        return malformed(r, "the header's length is %zu: more than %d, or than the file's size %zu",
                         length, MAX_HEADER, size);
    r->header = nitro_calloc(r->context, length + 1, 1);
    if (!r->header)
        return NITRO_ERR_NO_MEMORY;
    memcpy(r->header, bytes + *begin - length, length);
    return NITRO_OK;
}

nitro_status nitro_npy_parse(nitro_context *context, const char *name, const char *bytes,
                             size_t size, nitro_npy *array)
{
    reader r = {.context = context, .name = name};
    nitro_npy made = {0};
    size_t begin = 0;
    int64_t declared;
    nitro_status status = read_header(&r, bytes, size, &begin);
    if (status == NITRO_OK)
        status = read_type(&r, &made);
    if (status == NITRO_OK)
        status = read_order(&r, &made.is_column_major);
    if (status == NITRO_OK)
        status = read_sides(&r, &made);
    if (status == NITRO_OK && (__builtin_mul_overflow(made.count, made.element_bytes, &declared) ||
                               (size_t)declared != size - begin))
        status = malformed(&r, "'shape' declares %lld x %d bytes, but %zu follow",
                           (long long)made.count, made.element_bytes, size - begin);
    made.elements = bytes + begin;
    if (status == NITRO_OK)
        *array = made;
    free(r.header);
    return status;
}
