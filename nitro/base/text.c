/* Strings and memory with the context's error: duplicates, lists, numbers in C-locale text. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

char *nitro_strdup(nitro_context *context, const char *text)
{
    if (!text)
        return NULL;
    char *copy = strdup(text);
    if (!copy)
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot copy a string of %zu bytes",
                   strlen(text) + 1);
    return copy;
}

nitro_status nitro_text_replace(nitro_context *context, char **text, const char *other)
{
    char *copy = nitro_strdup(context, other);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    free(*text);
    *text = copy;
    return NITRO_OK;
}

void *nitro_calloc(nitro_context *context, size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot get %zu x %zu bytes", count,
                   size);
    return memory;
}

void *nitro_grow(nitro_context *context, void *items, size_t count, size_t *capacity, size_t size,
                 const char *what)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity ? 2 * *capacity : 16;
    void *grown = reallocarray(items, larger, size);
    if (grown)
        *capacity = larger;
    else
        nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: %zu %s", larger, what);
    return grown;
}

char *nitro_asprintf(nitro_context *context, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        return text;
    nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot format a message");
    return NULL;
}

static nitro_status append_owned(nitro_context *context, nitro_string_list *list, char *text)
{
    char **items =
        nitro_grow(context, list->items, list->count, &list->capacity, sizeof(*items), "strings");
    if (!items) {
        free(text);
        return NITRO_ERR_NO_MEMORY;
    }
    list->items = items;
    list->items[list->count++] = text;
    return NITRO_OK;
}

nitro_status nitro_string_list_add(nitro_context *context, nitro_string_list *list,
                                   const char *text)
{
    char *copy = nitro_strdup(context, text);
    return copy ? append_owned(context, list, copy) : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_string_list_split(nitro_context *context, nitro_string_list *list,
                                     const char *text)
{
    size_t count_before = list->count;
    nitro_status status = NITRO_OK;
    for (const char *item = text; item && status == NITRO_OK;) {
        size_t length = strcspn(item, ",");
        if (length == 0) {
            status =
                nitro_fail(context, NITRO_ERR_ARGUMENT, "the list '%s' has an empty item", text);
            break;
        }
        char *copy = strndup(item, length);
        status = copy ? append_owned(context, list, copy)
                      : nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory");
        item = item[length] ? item + length + 1 : NULL;
    }
    while (status != NITRO_OK && list->count > count_before)
        free(list->items[--list->count]);
    return status;
}

size_t nitro_string_list_find(const nitro_string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return i;
    return NITRO_NONE;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void nitro_string_list_sort(nitro_string_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), compare_strings);
}

void nitro_string_list_unique(nitro_string_list *list)
{
    size_t kept = 0;
    nitro_string_list_sort(list);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && strcmp(list->items[kept - 1], list->items[i]) == 0)
            free(list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

void nitro_string_list_free(nitro_string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (nitro_string_list){0};
}

nitro_number_scope nitro_numbers_begin(void)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* static: needs no freelocale */
    nitro_number_scope before = {.locale = uselocale(c_locale), .rounding = fegetround()};
    if (before.rounding != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return before;
}

void nitro_numbers_end(nitro_number_scope scope)
{
    uselocale(scope.locale);
    if (scope.rounding != FE_TONEAREST)
        fesetround(scope.rounding);
}

/* Digits with at most one point, 15 of them at most: digits and power of ten are exact as doubles,
 * so that one division rounds as strtod does. */
static bool parse_short_decimal(const char *text, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *at = text + (*text == '-'), *point = NULL;
    uint64_t digits = 0;
    unsigned count = 0;
    for (; count < 16; at++) {
        if (*at == '.' && !point) {
            point = at;
        } else if (*at >= '0' && *at <= '9') {
            digits = 10 * digits + (uint64_t)(*at - '0');
            count++;
        } else {
            break;
        }
    }
    if (*at != '\0' || count == 0 || count > 15)
        return false;
    double magnitude = (double)digits / powers[point ? at - point - 1 : 0];
    *value = *text == '-' ? -magnitude : magnitude;
    return true;
}

static bool parse_number(const char *text, double *value)
{
    if (parse_short_decimal(text, value))
        return true;
    if (text[0] == '\0' || strchr(" \t\n\v\f\r", text[0]) || strpbrk(text, "xX"))
        return false; /* hexadecimal, and blanks before a number, are strtod's alone */
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

bool nitro_parse_number(const char *text, double *value)
{
    nitro_number_scope before = nitro_numbers_begin();
    bool parsed = parse_number(text, value);
    nitro_numbers_end(before);
    return parsed;
}

void nitro_format_number(double value, char *text, size_t size)
{
    nitro_number_scope before = nitro_numbers_begin();
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(text, size, "%.*g", digits, value);
        if (parse_number(text, &back) && back == value)
            break;
    }
    nitro_numbers_end(before);
}
