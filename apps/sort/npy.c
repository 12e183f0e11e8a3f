/* Reads numpy's files (numpy.org/doc/stable/reference/generated/numpy.lib.format.html). */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/sort/keys.h"

#define MAX_FILE_BYTES ((size_t)16 << 30)
#define MAGIC          "\x93NUMPY"
#define MAX_HEADER     65536

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

static nitro_status read_type(const reader *r, int32_t *type)
{
    static const char *const names[NITRO_SORT_NUM_TYPES] = {"'<u4'", "'<i4'", "'<f4'",
                                                            "'<u8'", "'<i8'", "'<f8'"};
    const char *value = find_value(r, "'descr'");
    if (!value)
        return malformed(r, "the header has no 'descr', the type of the elements");
    for (int32_t i = 0; i < NITRO_SORT_NUM_TYPES; i++)
        if (strncmp(value, names[i], strlen(names[i])) == 0) {
            *type = i;
            return NITRO_OK;
        }
    char shown[24];
    snprintf(shown, sizeof(shown), "%s", value);
    nitro_text_clean(shown, "");
    return malformed(r,
                     "'descr' is %s...: keys are '<u4', '<i4', '<f4', '<u8', '<i8' or '<f8' "
                     "(convert them with astype)",
                     shown);
}

/* The product of the shape's numbers; of none, 1. */
static nitro_status read_count(const reader *r, int64_t *count)
{
    const char *order = find_value(r, "'fortran_order'"), *at = find_value(r, "'shape'");
    if (!order || strncmp(order, "False", strlen("False")) != 0)
        return malformed(r, "'fortran_order' is not False: write the array in C order");
    if (!at || *at != '(')
        return malformed(r, "the header has no 'shape'");
    *count = 1;
    for (at++; *at != ')';) {
        at += strspn(at, " ,");
        if (*at == ')')
            break;
        char *end;
        if (!isdigit((unsigned char)*at))
            return malformed(r, "'shape' is not a list of numbers");
        int64_t length = strtoll(at, &end, 10);
        if (__builtin_mul_overflow(*count, length, count) || *count > NITRO_SORT_MAX_KEYS)
            return malformed(r, "'shape' has more than %d elements", NITRO_SORT_MAX_KEYS);
        at = end;
    }
    return NITRO_OK;
}

static nitro_status check_keys(const reader *r, const nitro_sort *sort)
{
    for (int64_t i = 0; i < sort->num_keys; i++)
        if ((sort->type == NITRO_SORT_F32 && isnan(((const float *)sort->keys)[i])) ||
            (sort->type == NITRO_SORT_F64 && isnan(((const double *)sort->keys)[i])))
            return malformed(r, "element %lld is not a number, and has no place in an order",
                             (long long)i);
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
        return malformed(r, "the header has %zu bytes, and the file %zu", length, size);
    r->header = nitro_calloc(r->context, length + 1, 1);
    if (!r->header)
        return NITRO_ERR_NO_MEMORY;
    memcpy(r->header, bytes + *begin - length, length);
    return NITRO_OK;
}

nitro_status nitro_sort_npy_parse(nitro_context *context, const char *name, const char *bytes,
                                  size_t size, nitro_sort **sort)
{
    reader r = {.context = context, .name = name};
    nitro_sort sizes = {0}, *made = NULL;
    size_t begin = 0;
    nitro_status status = read_header(&r, bytes, size, &begin);
    if (status == NITRO_OK)
        status = read_type(&r, &sizes.type);
    if (status == NITRO_OK)
        status = read_count(&r, &sizes.num_keys);
    if (status == NITRO_OK) {
        size_t key_bytes = sizes.type >= NITRO_SORT_U64 ? 8 : 4;
        size_t bytes_of_keys = (size_t)sizes.num_keys * key_bytes;
        if (bytes_of_keys != size - begin)
            status = malformed(&r, "'shape' declares %zu bytes, and %zu follow the header",
                               bytes_of_keys, size - begin);
        else
            status = nitro_sort_keys_create(context, &sizes, &made);
        if (status == NITRO_OK)
            memcpy((void *)made->keys, bytes + begin, bytes_of_keys);
    }
    if (status == NITRO_OK)
        status = check_keys(&r, made);
    if (status == NITRO_OK)
        *sort = made;
    else
        nitro_kit_free(&nitro_sort_kit, false, made);
    free(r.header);
    return status;
}

nitro_status nitro_sort_npy_load(nitro_context *context, const char *path, void **data)
{
    char *bytes;
    size_t size;
    nitro_sort *sort;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &bytes, &size);
    if (status != NITRO_OK)
        return status;
    status = nitro_sort_npy_parse(context, path, bytes, size, &sort);
    free(bytes);
    if (status == NITRO_OK)
        *data = sort;
    return status;
}
