/* The JSON form of a record: one object on a line, {"nitro": SORT, "version", "checksum",
 * "computation", "device", FIELD: VALUE...}. Rows are arrays. Unknown values are omitted from the
 * object, and are null in a row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/base/json.h"
#include "nitro/repository/record_internal.h"

static json_t *rows_json(const record_field *field, const void *record);

static json_t *field_json(const record_field *field, const void *record)
{
    const void *value = nitro_record_at(record, field->offset);
    if (nitro_record_is_absent(field, value))
        return json_null();
    switch (field->type) {
    case RECORD_TEXT:
        return json_string(*(char *const *)value);
    case RECORD_NUMBER:
        return json_real(*(const double *)value);
    case RECORD_COUNT:
        return json_integer(*(const uint32_t *)value);
    case RECORD_TIME:
        return json_integer(*(const int64_t *)value);
    case RECORD_NAMED:
        return json_string(field->name_of(*(const unsigned *)value));
    case RECORD_VARIANT:
        return json_string(((const nitro_schema *)record)->variants[*(const size_t *)value]);
    case RECORD_ROWS:
        return rows_json(field, record);
    }
    return NULL;
}

/* A row of one field is that field alone. */
static json_t *row_json(const record_field *fields, const void *row)
{
    if (!fields[1].name)
        return field_json(fields, row);
    json_t *array = json_array();
    for (; fields->name; fields++)
        nitro_json_append(&array, field_json(fields, row));
    return array;
}

static json_t *rows_json(const record_field *field, const void *record)
{
    size_t count = *(const size_t *)nitro_record_at(record, field->count_offset);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        nitro_json_append(&array, row_json(field->row, nitro_record_row(field, record, i)));
    return array;
}

nitro_status nitro_record_append_json(const record_reading *written, const void *record,
                                      uint64_t checksum, nitro_record_bytes *line)
{
    char hex[17];
    snprintf(hex, sizeof(hex), "%016" PRIx64, checksum);
    json_t *object = json_pack("{ss si ss}", "nitro", written->sort->name, "version",
                               NITRO_RECORD_VERSION, "checksum", hex);
    if (written->computation)
        nitro_json_put(&object, "computation", json_string(written->computation));
    if (written->device)
        nitro_json_put(&object, "device", json_string(written->device));
    for (const record_field *field = written->sort->fields; field->name; field++)
        if (!nitro_record_is_absent(field, nitro_record_at(record, field->offset)))
            nitro_json_put(&object, field->name, field_json(field, record));
    char *text = object ? nitro_json_print(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text)
        return nitro_fail(written->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot write a %s as JSON", written->sort->name);
    nitro_status status = nitro_record_bytes_append(written->context, line, text, strlen(text));
    free(text);
    return status == NITRO_OK ? nitro_record_bytes_append(written->context, line, "\n", 1) : status;
}

static nitro_status refuse_field(const record_reading *reading, const record_field *field)
{
    char problem[128];
    snprintf(problem, sizeof(problem), "field '%s' is missing, or not of its type or range",
             field->name);
    return nitro_record_refuse(reading, problem);
}

static bool find_named(const record_field *field, const char *name, unsigned *value)
{
    for (*value = 0; name && *value < 32; ++*value)
        if (strcmp(field->name_of(*value), name) == 0 && strcmp(name, "unknown") != 0)
            return true;
    return false;
}

static nitro_status read_rows(const record_reading *reading, const record_field *field,
                              const json_t *json, void *record);

static nitro_status read_text(const record_reading *reading, const char *text, char **copy)
{
    *copy = nitro_strdup(reading->context, text);
    return *copy ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/* `json` NULL: not there. */
static nitro_status read_field(const record_reading *reading, const record_field *field,
                               const json_t *json, void *record)
{
    void *value = nitro_record_at(record, field->offset);
    json_int_t number = json_integer_value(json);
    bool valid = json_is_integer(json);
    if ((!json && field->optional) ||
        (json_is_null(json) && (field->optional || field->type == RECORD_NUMBER)))
        return NITRO_OK;
    switch (field->type) {
    case RECORD_TEXT:
        return json_is_string(json) ? read_text(reading, json_string_value(json), value)
                                    : refuse_field(reading, field);
    case RECORD_NUMBER:
        valid = json_is_number(json);
        *(double *)value = json_number_value(json);
        break;
    case RECORD_COUNT:
        valid = valid && number >= 0 && number <= UINT32_MAX;
        *(uint32_t *)value = (uint32_t)number;
        break;
    case RECORD_TIME:
        *(int64_t *)value = number;
        break;
    case RECORD_NAMED:
        valid = find_named(field, json_string_value(json), value);
        break;
    case RECORD_VARIANT:
        if (json_is_string(json))
            *(size_t *)value = nitro_schema_variant(record, json_string_value(json));
        valid = *(size_t *)value != NITRO_NONE;
        break;
    case RECORD_ROWS:
        return read_rows(reading, field, json, record);
    }
    return valid ? NITRO_OK : refuse_field(reading, field);
}

static nitro_status read_row(const record_reading *reading, const record_field *fields,
                             const json_t *json, void *row)
{
    nitro_status status = NITRO_OK;
    size_t count = 0;
    if (!fields[1].name)
        return read_field(reading, fields, json, row);
    while (fields[count].name)
        count++;
    if (json_array_size(json) > count)
        return nitro_record_refuse_newer(reading, "a row has unknown fields");
    if (!json_is_array(json))
        return nitro_record_refuse(reading, "a row is not an array");
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = read_field(reading, &fields[i], json_array_get(json, i), row);
    return status;
}

static nitro_status read_rows(const record_reading *reading, const record_field *field,
                              const json_t *json, void *record)
{
    size_t count = json_array_size(json);
    if (!json_is_array(json) || count > field->most)
        return refuse_field(reading, field);
    nitro_status status = nitro_record_make_rows(reading->context, field, count, record);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = read_row(reading, field->row, json_array_get(json, i),
                          nitro_record_row(field, record, i));
    return status;
}

/* Exactly 16 digits, as nitro_record_append_json writes them. */
static bool parse_checksum(const char *hex, uint64_t *checksum)
{
    if (!hex || strlen(hex) != 16 || strspn(hex, "0123456789abcdef") != 16)
        return false;
    *checksum = strtoull(hex, NULL, 16);
    return true;
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static nitro_status read_head(const record_reading *reading, const json_t *object,
                              uint64_t *checksum)
{
    const char *sort = text_of(object, "nitro");
    const json_t *version = json_object_get(object, "version");
    if (!sort || strcmp(sort, reading->sort->name) != 0)
        return nitro_record_refuse(reading, "it is a record of another sort");
    if (json_is_integer(version) && json_integer_value(version) > NITRO_RECORD_VERSION)
        return nitro_record_refuse_newer(reading, "its version is newer");
    if (!json_is_integer(version) || json_integer_value(version) < NITRO_RECORD_VERSION)
        return nitro_record_refuse(reading, "its version is older than any that can be read");
    if (!parse_checksum(text_of(object, "checksum"), checksum))
        return nitro_record_refuse(reading, "its checksum is not 16 hexadecimal digits");
    if (!nitro_same_text(text_of(object, "computation"), reading->computation) ||
        !nitro_same_text(text_of(object, "device"), reading->device))
        return nitro_record_refuse(reading, "it is of another computation or device");
    return NITRO_OK;
}

static nitro_status read_object(const record_reading *reading, const json_t *object, void *record,
                                uint64_t *checksum)
{
    const record_field *fields = reading->sort->fields;
    size_t known = 3;
    nitro_status status = read_head(reading, object, checksum);
    known += reading->computation != NULL;
    known += reading->device != NULL;
    for (; fields->name && status == NITRO_OK; fields++) {
        const json_t *json = json_object_get(object, fields->name);
        known += json != NULL;
        status = read_field(reading, fields, json, record);
    }
    if (status == NITRO_OK && json_object_size(object) != known)
        status = nitro_record_refuse_newer(reading, "it has unknown members");
    return status;
}

nitro_status nitro_record_read_json(const record_reading *reading, const char *line, size_t size,
                                    void *record, uint64_t *checksum)
{
    json_error_t error;
    json_t *object = nitro_json_parse(line, size, 0, &error);
    if (!object && json_error_code(&error) == json_error_out_of_memory)
        return nitro_fail(reading->context, NITRO_ERR_NO_MEMORY, "out of memory: cannot read a %s",
                          reading->sort->name);
    if (!object)
        return nitro_record_refuse(reading, error.text);
    nitro_record_clear(reading->sort->fields, record);
    nitro_status status = read_object(reading, object, record, checksum);
    json_decref(object);
    return status;
}
