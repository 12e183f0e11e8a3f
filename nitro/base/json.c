/* Reads fields of an untrusted JSON file. Errors name file and field. */
#include "nitro/base/json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"

/* A value takes some 40 bytes of memory, an object 300, a key 100: a file of 60 MB could take 3 GB.
 * Marks inside strings count too, which does no harm. */
#define MAX_VALUES  ((size_t)8 << 20)
#define MAX_OBJECTS ((size_t)1 << 19)
#define MAX_KEYS    ((size_t)1 << 21)

static bool is_too_large(const char *text, size_t size)
{
    size_t counts[UCHAR_MAX + 1] = {0};
    if (size < MAX_OBJECTS)
        return false;
    for (size_t i = 0; i < size; i++)
        counts[(unsigned char)text[i]]++;
    return counts['{'] > MAX_OBJECTS || counts[':'] > MAX_KEYS ||
           counts[','] + counts['['] > MAX_VALUES;
}

/* Where memory runs out, jansson sets no error, or it takes a string for an invalid token. It shows
 * short tokens; its position is wrong behind a null byte. */
static bool has_no_memory(const json_error_t *error, const char *text, size_t size)
{
    const char *token = strstr(error->text, " near '");
    size_t end = (size_t)error->position;
    if (error->text[0] == '\0')
        return true;
    if (strncmp(error->text, "invalid token", 13) != 0 &&
        strncmp(error->text, "string or '}' expected", 22) != 0)
        return false;
    return token ? token[strlen(" near '")] == '"'
                 : end > 0 && end <= size && text[end - 1] == '"' && !memchr(text, '\0', size);
}

json_t *nitro_json_parse(const char *text, size_t size, size_t flags, json_error_t *error)
{
    if (is_too_large(text, size)) {
        *error = (json_error_t){.line = 1, .column = 1};
        snprintf(error->text, sizeof error->text,
                 "more than %zu values, %zu keys or %zu objects, which would take gigabytes of "
                 "memory",
                 MAX_VALUES, MAX_KEYS, MAX_OBJECTS);
        return NULL;
    }
    nitro_number_scope before = nitro_numbers_begin();
    json_t *value = json_loadb(text, size, flags | JSON_REJECT_DUPLICATES, error);
    nitro_numbers_end(before);
    if (!value && has_no_memory(error, text, size))
        *error = (json_error_t){.line = error->line,
                                .column = error->column,
                                .text = {[JSON_ERROR_TEXT_LENGTH - 1] = json_error_out_of_memory}};
    return value;
}

nitro_status nitro_json_read(nitro_context *context, const char *origin, const char *text,
                             size_t size, json_t **value)
{
    json_error_t error;
    json_t *read = nitro_json_parse(text, size, 0, &error);
    if (!read && json_error_code(&error) == json_error_out_of_memory)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", origin);
    if (!read)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s: line %d, column %d: not JSON: %s", origin,
                          error.line, error.column, error.text);
    *value = read;
    return NITRO_OK;
}

char *nitro_json_print(const json_t *value, size_t flags)
{
    char *text = NULL;
    size_t size;
    FILE *out = nitro_memory_stream(&text, &size); /* json_dumps() may lose keys without an error */
    if (!out)
        return NULL;
    nitro_number_scope before = nitro_numbers_begin();
    bool is_complete = json_dumpf(value, out, flags) == 0;
    nitro_numbers_end(before);
    text = nitro_memory_stream_end(out, &text);
    if (is_complete)
        return text;
    free(text);
    return NULL;
}

static const char *type_name(json_type type)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",        [JSON_NULL] = "null"};
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "unknown";
}

static nitro_status refuse(const nitro_json_place *place, const char *key, const char *problem)
{
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s%s%s %s", place->path,
                      place->field, place->field[0] ? "." : "", key, problem);
}

nitro_status nitro_json_blame(const nitro_json_place *place, nitro_status status)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    char message[1536];
    nitro_context_last_error(place->context, message, sizeof message);
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s: %s", place->path,
                      place->field, message);
}

nitro_status nitro_json_member(const nitro_json_place *place, const json_t *object, const char *key,
                               json_type type, json_t **member)
{
    json_t *found = json_object_get(object, key);
    if (!found)
        return refuse(place, key, "is missing");
    if (json_typeof(found) != type)
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s%s%s must be %s, not %s",
                          place->path, place->field, place->field[0] ? "." : "", key,
                          type_name(type), type_name(json_typeof(found)));
    *member = found;
    return NITRO_OK;
}

nitro_status nitro_json_number(const nitro_json_place *place, const json_t *object, const char *key,
                               double *value)
{
    json_t *found = json_object_get(object, key);
    if (!found)
        return refuse(place, key, "is missing");
    if (!json_is_number(found) || !isfinite(json_number_value(found)))
        return refuse(place, key, "must be a finite number");
    *value = json_number_value(found);
    return NITRO_OK;
}

nitro_status nitro_json_count(const nitro_json_place *place, const json_t *object, const char *key,
                              size_t high, size_t *value)
{
    json_t *found = NULL;
    nitro_status status = nitro_json_member(place, object, key, JSON_INTEGER, &found);
    if (status != NITRO_OK)
        return status;
    json_int_t number = json_integer_value(found);
    if (number < 0 || (uint64_t)number > high)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s%s%s is %lld, but must be from 0 to %zu", place->path,
                          place->field, place->field[0] ? "." : "", key, (long long)number, high);
    *value = (size_t)number;
    return NITRO_OK;
}

nitro_status nitro_json_string(const nitro_json_place *place, const json_t *object, const char *key,
                               const char **text)
{
    json_t *found = NULL;
    nitro_status status = nitro_json_member(place, object, key, JSON_STRING, &found);
    if (status == NITRO_OK)
        *text = json_string_value(found);
    return status;
}

nitro_status nitro_json_numbers(const nitro_json_place *place, const json_t *array, const char *key,
                                size_t count, double *values)
{
    if (!json_is_array(array) || json_array_size(array) != count)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s%s%s must be an array of %zu numbers", place->path,
                          place->field, place->field[0] ? "." : "", key, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_number(item) || !isfinite(json_number_value(item)))
            return refuse(place, key, "contains a value that is not a finite number");
    }
    for (size_t i = 0; i < count; i++)
        values[i] = json_number_value(json_array_get(array, i));
    return NITRO_OK;
}

nitro_status nitro_json_check_rows(const nitro_json_place *place, const json_t *rows,
                                   const char *key, size_t num_rows, size_t num_columns)
{
    bool valid = json_array_size(rows) == num_rows;
    for (size_t i = 0; valid && i < num_rows; i++) {
        const json_t *row = json_array_get(rows, i);
        valid = json_is_array(row) && json_array_size(row) == num_columns;
    }
    if (valid)
        return NITRO_OK;
    return nitro_fail(place->context, NITRO_ERR_FORMAT,
                      "%s: field %s.%s must be %zu arrays of %zu numbers", place->path,
                      place->field, key, num_rows, num_columns);
}

nitro_status nitro_json_rows(const nitro_json_place *place, const json_t *rows, const char *key,
                             size_t num_columns, double *values)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < json_array_size(rows) && status == NITRO_OK; i++)
        status = nitro_json_numbers(place, json_array_get(rows, i), key, num_columns,
                                    values + i * num_columns);
    return status;
}

void nitro_json_put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

void nitro_json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

json_t *nitro_json_from_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        nitro_json_append(&array, json_real(values[i]));
    return array;
}

json_t *nitro_json_from_counts(const size_t *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        nitro_json_append(&array, json_integer((json_int_t)values[i]));
    return array;
}

json_t *nitro_json_from_strings(const nitro_string_list *list, size_t first)
{
    json_t *array = json_array();
    for (size_t i = first; array && i < list->count; i++)
        nitro_json_append(&array, json_string(list->items[i]));
    return array;
}

json_t *nitro_json_from_rows(const double *values, size_t num_rows, size_t num_columns)
{
    json_t *rows = json_array();
    for (size_t i = 0; rows && i < num_rows; i++)
        nitro_json_append(&rows, nitro_json_from_numbers(values + i * num_columns, num_columns));
    return rows;
}

nitro_status nitro_json_each(const nitro_json_place *place, const json_t *object, const char *key,
                             nitro_status (*read)(const nitro_json_place *place,
                                                  const json_t *element, void *user),
                             void *user)
{
    json_t *array = NULL;
    nitro_status status = nitro_json_member(place, object, key, JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        const json_t *element = json_array_get(array, i);
        char field[64];
        snprintf(field, sizeof field, "%s[%zu]", key, i);
        const nitro_json_place at = {place->context, place->path, field};
        status = json_is_object(element)
                     ? read(&at, element, user)
                     : nitro_fail(place->context, NITRO_ERR_FORMAT,
                                  "%s: field %s must be an object", place->path, field);
    }
    return status;
}

nitro_status nitro_json_check_keys(const nitro_json_place *place, const json_t *object,
                                   const char *const *known, size_t count)
{
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        const char *key = json_object_iter_key(at);
        bool found = false;
        for (size_t i = 0; i < count && !found; i++)
            found = strcmp(known[i], key) == 0;
        if (found)
            continue;
        const char *closest = nitro_closest_name(known, count, key);
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s%s%.80s is unknown%s%s%s",
                          place->path, place->field, place->field[0] ? "." : "", key,
                          closest ? "; did you mean " : "", closest ? closest : "",
                          closest ? "?" : "");
    }
    return NITRO_OK;
}

nitro_status nitro_json_optional_string(const nitro_json_place *place, const json_t *object,
                                        const char *key, const char **text)
{
    return json_object_get(object, key) ? nitro_json_string(place, object, key, text) : NITRO_OK;
}

nitro_status nitro_json_check_format(const nitro_json_place *place, const json_t *top,
                                     const char *format, int version, const char *what)
{
    const char *found = NULL;
    json_t *member = NULL;
    nitro_status status = nitro_json_string(place, top, "format", &found);
    if (status == NITRO_OK && strcmp(found, format) != 0)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field format is '%.80s', but must be '%s': this is not a %s",
                          place->path, found, format, what);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "version", JSON_INTEGER, &member);
    if (status != NITRO_OK)
        return status;
    json_int_t number = json_integer_value(member);
    if (number == version)
        return NITRO_OK;
    return nitro_fail(place->context, number > version ? NITRO_ERR_NEWER : NITRO_ERR_FORMAT,
                      "%s: field version is %lld, but this Nitro (%s) supports %d", place->path,
                      (long long)number, NITRO_VERSION_STRING, version);
}
