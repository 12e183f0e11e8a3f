/* Counts of arrays: sums, differences and products of scalars and numbers. */
#include "nitro/kit/fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* By nitro_element: bytes on the host, and on devices. */
static const size_t sizes[][2] = {
    [NITRO_INT64] = {8, 8},   [NITRO_INT32] = {4, 4},   [NITRO_UINT64] = {8, 8},
    [NITRO_UINT32] = {4, 4},  [NITRO_FLOAT64] = {8, 8}, [NITRO_FLOAT32] = {4, 4},
    [NITRO_INDEX64] = {8, 4}, [NITRO_BYTE] = {1, 1},
};

size_t nitro_field_size(const nitro_field *field)
{
    return sizes[field->element][0];
}

size_t nitro_field_device_size(const nitro_field *field)
{
    return sizes[field->element][1];
}

int64_t nitro_field_scalar(const nitro_field *field, const void *argument)
{
    const char *at = (const char *)argument + field->offset;
    return field->element == NITRO_INT32 ? *(const int32_t *)at : *(const int64_t *)at;
}

typedef struct formula {
    const nitro_field *fields;
    size_t num_fields;
    const void *argument;
    const char *at;
    const char *problem; /* NULL: none yet */
} formula;

static int64_t read_name(formula *f)
{
    size_t length = strspn(f->at, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    const char *name = f->at;
    f->at += length;
    for (size_t i = 0; i < f->num_fields; i++)
        if (f->fields[i].role == NITRO_SCALAR && strlen(f->fields[i].name) == length &&
            memcmp(f->fields[i].name, name, length) == 0)
            return nitro_field_scalar(&f->fields[i], f->argument);
    f->problem = "names no scalar of the argument";
    return 0;
}

static int64_t read_factor(formula *f)
{
    f->at += strspn(f->at, " ");
    if (!isdigit((unsigned char)*f->at))
        return read_name(f);
    char *end;
    errno = 0;
    int64_t number = strtoll(f->at, &end, 10);
    f->at = end;
    if (errno == ERANGE)
        f->problem = "is more than 64 bits hold";
    return number;
}

static int64_t read_product(formula *f)
{
    int64_t product = read_factor(f);
    for (f->at += strspn(f->at, " "); *f->at == '*' && !f->problem; f->at += strspn(f->at, " ")) {
        f->at++;
        if (__builtin_mul_overflow(product, read_factor(f), &product) && !f->problem)
            f->problem = "is more than 64 bits hold";
    }
    return product;
}

const char *nitro_field_count(const nitro_field *fields, size_t num_fields,
                              const nitro_field *field, const void *argument, int64_t *count)
{
    formula f = {fields, num_fields, argument, field->count ? field->count : "", NULL};
    int64_t sum = read_product(&f);
    while ((*f.at == '+' || *f.at == '-') && !f.problem) {
        bool is_sum = *f.at++ == '+';
        int64_t next = read_product(&f);
        if (is_sum ? __builtin_add_overflow(sum, next, &sum)
                   : __builtin_sub_overflow(sum, next, &sum))
            f.problem = "is more than 64 bits hold";
    }
    if (!f.problem && *f.at)
        f.problem = "has something other than sums, differences and products";
    *count = f.problem || sum < 0 ? 0 : sum;
    return f.problem;
}

int64_t nitro_field_count_of(const nitro_kit *kit, const nitro_field *field, const void *argument)
{
    int64_t count = 0;
    if (nitro_field_is_array(field))
        nitro_field_count(kit->fields, kit->num_fields, field, argument, &count);
    return count;
}

bool nitro_kit_has_inout(const nitro_kit *kit)
{
    for (size_t i = 0; i < kit->num_fields; i++)
        if (kit->fields[i].role == NITRO_INOUT)
            return true;
    return false;
}
