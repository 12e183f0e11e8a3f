/* Reads items of binary files. Sizes are checked before allocation; numbers must be finite. */
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/models/binary.h"

nitro_status nitro_binary_refuse(const nitro_binary_cursor *cursor, const char *what)
{
    return nitro_fail(cursor->context, NITRO_ERR_FORMAT,
                      "%s: byte %zu: %s is missing or out of range: compile the model again",
                      cursor->path, cursor->at, what);
}

/** The next 8 bytes as a little-endian number; false at the end. */
static bool next(nitro_binary_cursor *cursor, uint64_t *bits)
{
    if (cursor->size - cursor->at < sizeof *bits)
        return false;
    memcpy(bits, cursor->bytes + cursor->at, sizeof *bits);
    *bits = le64toh(*bits);
    cursor->at += sizeof *bits;
    return true;
}

nitro_status nitro_binary_count(nitro_binary_cursor *cursor, const char *what, size_t least,
                                size_t most, size_t *count)
{
    uint64_t bits;
    if (!next(cursor, &bits) || bits < least || bits > most)
        return nitro_binary_refuse(cursor, what);
    *count = (size_t)bits;
    return NITRO_OK;
}

nitro_status nitro_binary_number(nitro_binary_cursor *cursor, const char *what, double most,
                                 double *number)
{
    uint64_t bits;
    double value;
    if (!next(cursor, &bits))
        return nitro_binary_refuse(cursor, what);
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value) || fabs(value) > most)
        return nitro_binary_refuse(cursor, what);
    *number = value;
    return NITRO_OK;
}

nitro_status nitro_binary_numbers(nitro_binary_cursor *cursor, const char *what, double most,
                                  size_t count, double **numbers)
{
    if (count > (cursor->size - cursor->at) / sizeof(double))
        return nitro_binary_refuse(cursor, what);
    double *made = nitro_calloc(cursor->context, count + 1, sizeof *made);
    nitro_status status = made ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_binary_number(cursor, what, most, &made[i]);
    if (status == NITRO_OK)
        *numbers = made;
    else
        free(made);
    return status;
}

nitro_status nitro_binary_text(nitro_binary_cursor *cursor, const char *what, char **text)
{
    size_t length = 0, left;
    nitro_status status = nitro_binary_count(cursor, what, 0, cursor->size, &length);
    if (status != NITRO_OK)
        return status;
    left = cursor->size - cursor->at;
    const char *bytes = cursor->bytes + cursor->at;
    size_t padded = (length + 7) / 8 * 8;
    if (padded > left || memchr(bytes, '\0', length))
        return nitro_binary_refuse(cursor, what);
    char *made = nitro_calloc(cursor->context, length + 1, 1);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    memcpy(made, bytes, length);
    cursor->at += padded;
    *text = made;
    return NITRO_OK;
}
