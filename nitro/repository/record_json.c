/* What all JSON records have in common: the head {"nitro": SORT, "version": 1, "checksum": HEX},
 * and how a record that is not as it was written is refused. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/record_json_internal.h"

static nitro_status no_memory(nitro_context *context, const char *sort)
{
    return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot write a %s as JSON",
                      sort);
}

nitro_status nitro_record_finish(nitro_context *context, const char *sort, uint64_t checksum,
                                 json_t *body, char **text, size_t *size)
{
    char hex[17];
    snprintf(hex, sizeof(hex), "%016" PRIx64, checksum);
    json_t *head = body ? json_pack("{ss si ss}", "nitro", sort, "version", NITRO_RECORD_VERSION,
                                    "checksum", hex)
                        : NULL;
    char *printed = NULL;
    if (head && json_object_update(head, body) == 0)
        printed = json_dumps(head, JSON_COMPACT);
    json_decref(head);
    json_decref(body);
    if (!printed)
        return no_memory(context, sort);
    *text = printed;
    *size = strlen(printed);
    return NITRO_OK;
}

nitro_status nitro_record_refuse(const nitro_record *record, const char *problem)
{
    return nitro_fail(record->context, NITRO_ERR_FORMAT, "%s: not a sound %s record: %s",
                      record->where, record->sort, problem);
}

nitro_status nitro_record_refused(const nitro_record *record, nitro_status status)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    char message[1024];
    nitro_context_last_error(record->context, message, sizeof(message));
    return nitro_record_refuse(record, message);
}

/* 16 digits as nitro_record_finish writes them, and nothing else. */
static bool parse_checksum(const char *hex, uint64_t *checksum)
{
    if (strlen(hex) != 16 || strspn(hex, "0123456789abcdef") != 16)
        return false;
    *checksum = strtoull(hex, NULL, 16);
    return true;
}

static nitro_status check_head(nitro_record *record)
{
    const char *sort, *checksum;
    int version;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:i s:s}", "nitro", &sort, "version",
                       &version, "checksum", &checksum) != 0)
        return nitro_record_refuse(record, error.text);
    if (strcmp(sort, record->sort) != 0)
        return nitro_record_refuse(record, "it is of another sort");
    if (version > NITRO_RECORD_VERSION)
        return nitro_fail(
            record->context, NITRO_ERR_NEWER,
            "%s: a %s record of version %d, and this Nitro (%s) knows up to %d; use a "
            "newer Nitro",
            record->where, sort, version, NITRO_VERSION_STRING, NITRO_RECORD_VERSION);
    if (version < 1)
        return nitro_record_refuse(record, "its version is below 1");
    if (!parse_checksum(checksum, &record->checksum))
        return nitro_record_refuse(record, "its checksum is not 16 hexadecimal digits");
    return NITRO_OK;
}

nitro_status nitro_record_start(nitro_record *record, const char *text, size_t size)
{
    json_error_t error;
    record->json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!record->json && json_error_code(&error) == json_error_out_of_memory)
        return nitro_fail(record->context, NITRO_ERR_NO_MEMORY, "out of memory: cannot read a %s",
                          record->sort);
    if (!record->json)
        return nitro_record_refuse(record, error.text);
    nitro_status status = check_head(record);
    if (status != NITRO_OK) {
        json_decref(record->json);
        record->json = NULL;
    }
    return status;
}

nitro_status nitro_record_require_checksum(const nitro_record *record, uint64_t checksum)
{
    if (checksum == record->checksum)
        return NITRO_OK;
    return nitro_record_refuse(record, "its content does not agree with its checksum: it is "
                                       "damaged or was altered");
}

nitro_status nitro_record_number(const nitro_record *record, const json_t *value, double *number)
{
    if (value && !json_is_number(value) && !json_is_null(value))
        return nitro_record_refuse(record, "something stands where a number belongs");
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    return NITRO_OK;
}

nitro_status nitro_record_text(const nitro_record *record, const json_t *value, const char **text)
{
    if (value && !json_is_string(value) && !json_is_null(value))
        return nitro_record_refuse(record, "something stands where a text belongs");
    *text = json_string_value(value);
    return NITRO_OK;
}

nitro_status nitro_record_copy_text(const nitro_record *record, const json_t *value, char **copy)
{
    const char *text = NULL;
    nitro_status status = nitro_record_text(record, value, &text);
    if (status != NITRO_OK)
        return status;
    *copy = nitro_strdup(record->context, text);
    return *copy || !text ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status
nitro_record_read_array(const nitro_record *record, json_t *array, size_t most, const char *problem,
                        nitro_status (*read)(const nitro_record *record, json_t *item, void *owner),
                        void *owner)
{
    if (!json_is_array(array) || json_array_size(array) > most)
        return nitro_record_refuse(record, problem);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < json_array_size(array) && status == NITRO_OK; i++)
        status = read(record, json_array_get(array, i), owner);
    return status;
}

nitro_status nitro_record_provenance(const nitro_record *record, nitro_provenance *provenance)
{
    json_int_t time_s;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:I}", "time_s", &time_s) != 0)
        return nitro_record_refuse(record, error.text);
    provenance->time_s = time_s;
    const struct {
        const char *key;
        char **text;
    } texts[] = {{"origin", &provenance->origin},
                 {"library", &provenance->library},
                 {"compiler", &provenance->compiler},
                 {"host", &provenance->host},
                 {"driver", &provenance->driver},
                 {"toolkit", &provenance->toolkit},
                 {"device_digest", &provenance->device_digest},
                 {"device_state", &provenance->device_state},
                 {"cache", &provenance->cache}};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && status == NITRO_OK; i++)
        status = nitro_record_copy_text(record, json_object_get(record->json, texts[i].key),
                                        texts[i].text);
    return status;
}

json_t *nitro_record_from_number(double number)
{
    return isnan(number) ? json_null() : json_real(number);
}

json_t *nitro_record_array(const void *owner, size_t count,
                           json_t *(*item)(const void *owner, size_t index))
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(array, item(owner, i)) != 0)
            goto free_array;
    return array;
free_array:
    json_decref(array);
    return NULL;
}

json_t *nitro_record_with_provenance(json_t *body, const nitro_provenance *provenance)
{
    json_t *members = json_pack(
        "{ss? ss? ss? ss? sI ss* ss* ss* ss* ss*}", "origin", provenance->origin, "library",
        provenance->library, "compiler", provenance->compiler, "host", provenance->host, "time_s",
        (json_int_t)provenance->time_s, "driver", provenance->driver, "toolkit",
        provenance->toolkit, "device_digest", provenance->device_digest, "device_state",
        provenance->device_state, "cache", provenance->cache);
    if (body && json_object_update(body, members) != 0) {
        json_decref(body);
        body = NULL;
    }
    json_decref(members);
    return body;
}
