/* Records as bytes: heads, keys and checksums, the same for all sorts. A checksum covers the key
 * and the payload; that of a record written as JSON, its plain binary payload. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

#define MAGIC 'N' /* tells other bytes from another version */

nitro_status nitro_record_bytes_append(nitro_context *context, nitro_record_bytes *record,
                                       const void *part, size_t size)
{
    if (record->size + size + 1 > record->capacity) {
        size_t capacity = 2 * (record->size + size + 1);
        char *grown = realloc(record->bytes, capacity);
        if (!grown)
            return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: cannot get %zu bytes",
                              capacity);
        record->bytes = grown;
        record->capacity = capacity;
    }
    memcpy(record->bytes + record->size, part, size);
    record->size += size;
    record->bytes[record->size] = '\0';
    return NITRO_OK;
}

void nitro_record_bytes_free(nitro_record_bytes *record)
{
    free(record->bytes);
    *record = (nitro_record_bytes){0};
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return nitro_hash(text ? text : "", text ? strlen(text) + 1 : 0, hash);
}

static uint64_t hash_record(const record_reading *key, const char *payload, size_t size)
{
    uint64_t hash = hash_text(hash_text(hash_text(0, key->computation), key->device), key->name);
    return nitro_hash(payload, size, hash);
}

/* "sample 'spmv on K20: input'", with blanks for the separators inside a key. */
static void print_title(const record_reading *of, char *title, size_t size)
{
    bool both = of->sort->has_computation && of->sort->has_device;
    const char *computation = of->computation || !both ? of->computation : "proxies";
    snprintf(title, size, "%s '%.64s%s%.64s%s%.500s'", of->sort->name,
             computation ? computation : "", both ? " on " : "", of->device ? of->device : "",
             of->name ? ": " : "", of->name ? of->name : "");
    for (char *at = title; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

nitro_status nitro_record_refuse(const record_reading *reading, const char *problem)
{
    char title[768];
    print_title(reading, title, sizeof(title));
    return nitro_fail(reading->context, NITRO_ERR_FORMAT, "%s%s%s is damaged or was altered: %s",
                      reading->where ? reading->where : "", reading->where ? ": " : "", title,
                      problem);
}

nitro_status nitro_record_refuse_newer(const record_reading *reading, const char *what)
{
    char title[768];
    print_title(reading, title, sizeof(title));
    return nitro_fail(reading->context, NITRO_ERR_NEWER,
                      "%s%s%s was written by a newer Nitro than this one (%s): %s; use that one",
                      reading->where ? reading->where : "", reading->where ? ": " : "", title,
                      NITRO_VERSION_STRING, what);
}

static void put_checksum(uint64_t checksum, char *record)
{
    for (int i = 0; i < 8; i++)
        record[2 + i] = (char)(checksum >> (8 * i));
}

/* Append head and plain payload; the checksum is filled in last. */
static nitro_status append_compact(const record_reading *key, const void *record,
                                   nitro_record_bytes *bytes, uint64_t *checksum)
{
    static const char no_head[NITRO_RECORD_HEAD_BYTES] = {MAGIC, NITRO_RECORD_VERSION};
    size_t begin = bytes->size;
    nitro_status status = nitro_record_bytes_append(key->context, bytes, no_head, sizeof(no_head));
    if (status == NITRO_OK)
        status = nitro_record_append_payload(key->context, key->sort->fields, false, record, bytes);
    if (status != NITRO_OK)
        return status;
    size_t payload = begin + NITRO_RECORD_HEAD_BYTES;
    *checksum = hash_record(key, bytes->bytes + payload, bytes->size - payload);
    put_checksum(*checksum, bytes->bytes + begin);
    return NITRO_OK;
}

static nitro_status find_checksum(const record_reading *key, const void *record, uint64_t *checksum)
{
    nitro_record_bytes bytes = {0};
    nitro_status status = append_compact(key, record, &bytes, checksum);
    nitro_record_bytes_free(&bytes);
    return status;
}

static nitro_status encode(const record_reading *key, nitro_record_form form, const void *record,
                           nitro_record_bytes *text)
{
    uint64_t checksum = 0;
    if (form == NITRO_RECORD_COMPACT)
        return append_compact(key, record, text, &checksum);
    nitro_status status = find_checksum(key, record, &checksum);
    return status == NITRO_OK ? nitro_record_append_json(key, record, checksum, text) : status;
}

nitro_status nitro_record_encode_schema(nitro_context *context, nitro_record_form form,
                                        const nitro_schema *schema, nitro_record_bytes *record)
{
    const record_reading key = {context, &nitro_record_schemas, NULL, schema->computation, NULL,
                                NULL};
    return encode(&key, form, schema, record);
}

nitro_status nitro_record_encode_device(nitro_context *context, nitro_record_form form,
                                        const nitro_device *device, nitro_record_bytes *record)
{
    const record_reading key = {context, &nitro_record_devices, NULL, NULL, device->id, NULL};
    return encode(&key, form, device, record);
}

/* The checksum covers both parts, one after the other. */
nitro_status nitro_record_encode_sample_parts(nitro_context *context, const char *computation,
                                              const char *device, const nitro_sample *sample,
                                              nitro_record_bytes *record,
                                              nitro_record_bytes *shared)
{
    static const char head[NITRO_RECORD_HEAD_BYTES] = {MAGIC, NITRO_STORE_VERSION};
    const record_reading key = {context, &nitro_record_samples, NULL, computation,
                                device,  sample->input};
    size_t begin = record->size, payload = begin + NITRO_RECORD_HEAD_BYTES;
    nitro_number_scope scope = nitro_numbers_begin();
    nitro_status status = nitro_record_bytes_append(context, record, head, sizeof(head));
    if (status == NITRO_OK)
        status =
            nitro_record_append_payload(context, nitro_record_packed_sample, true, sample, record);
    size_t end = record->size;
    if (status == NITRO_OK)
        status =
            nitro_record_append_payload(context, nitro_record_shared_sample, true, sample, record);
    nitro_numbers_end(scope);
    if (status != NITRO_OK)
        return status;
    put_checksum(hash_record(&key, record->bytes + payload, record->size - payload),
                 record->bytes + begin);
    if (shared == record)
        return NITRO_OK;
    status = nitro_record_bytes_append(context, shared, record->bytes + end, record->size - end);
    record->size = end;
    return status;
}

nitro_status nitro_record_encode_sample(nitro_context *context, nitro_record_form form,
                                        const char *computation, const char *device,
                                        const nitro_sample *sample, nitro_record_bytes *record)
{
    const record_reading key = {context, &nitro_record_samples, NULL, computation,
                                device,  sample->input};
    return form == NITRO_RECORD_COMPACT ? nitro_record_encode_sample_parts(
                                              context, computation, device, sample, record, record)
                                        : encode(&key, form, sample, record);
}

/* A profile's payload holds all that its name is made of. */
nitro_status nitro_record_encode_profile(nitro_context *context, nitro_record_form form,
                                         const char *device, const nitro_profile *profile,
                                         nitro_record_bytes *record)
{
    const record_reading key = {context, &nitro_record_profiles, NULL, profile->computation, device,
                                NULL};
    return encode(&key, form, profile, record);
}

nitro_status nitro_record_sample_checksum(nitro_context *context, const char *computation,
                                          const char *device, const nitro_sample *sample,
                                          uint64_t *checksum)
{
    const record_reading key = {context, &nitro_record_samples, NULL, computation,
                                device,  sample->input};
    return find_checksum(&key, sample, checksum);
}

static nitro_status read_packed(const record_reading *reading, const unsigned char *payload,
                                size_t size, void *record)
{
    nitro_number_scope scope = nitro_numbers_begin();
    nitro_status status = nitro_record_read_packed(reading, payload, size, record);
    nitro_numbers_end(scope);
    return status;
}

static nitro_status read_compact(const record_reading *reading, const unsigned char *bytes,
                                 size_t size, bool name_in_key, void *record)
{
    uint64_t checksum = 0;
    record_reading key = *reading;
    if (!name_in_key)
        key.name = NULL;
    if (size < NITRO_RECORD_HEAD_BYTES || bytes[0] != MAGIC || bytes[1] < NITRO_RECORD_VERSION)
        return nitro_record_refuse(reading, "it does not start as a record does");
    bool packed = bytes[1] == NITRO_STORE_VERSION && reading->sort == &nitro_record_samples;
    if (bytes[1] > NITRO_RECORD_VERSION && !packed)
        return nitro_record_refuse_newer(reading, "its version is newer");
    for (int i = 0; i < 8; i++)
        checksum |= (uint64_t)bytes[2 + i] << (8 * i);
    const unsigned char *payload = bytes + NITRO_RECORD_HEAD_BYTES;
    size_t payload_size = size - NITRO_RECORD_HEAD_BYTES;
    if (hash_record(&key, (const char *)payload, payload_size) != checksum)
        return nitro_record_refuse(reading, "its content does not match its checksum");
    return packed ? read_packed(reading, payload, payload_size, record)
                  : nitro_record_read_payload(reading, payload, payload_size, record);
}

/* Read either form into a struct of zeros. `name` points to the name in `record` if it is part of
 * the key (it is then set from `reading`), else it is NULL; a JSON record holds its own name. */
static nitro_status decode(const record_reading *reading, const void *bytes, size_t size,
                           char **name, void *record)
{
    uint64_t checksum = 0, of_content = 0;
    if (size == 0 || *(const char *)bytes != '{')
        return read_compact(reading, bytes, size, name != NULL, record);
    if (name) {
        free(*name);
        *name = NULL;
    }
    nitro_status status = nitro_record_read_json(reading, bytes, size, record, &checksum);
    record_reading key = *reading;
    key.name = name ? *name : NULL;
    if (status == NITRO_OK && name && reading->name && strcmp(*name, reading->name) != 0)
        return nitro_record_refuse(reading, "it is of another input");
    if (status == NITRO_OK)
        status = find_checksum(&key, record, &of_content);
    if (status == NITRO_OK && of_content != checksum)
        return nitro_record_refuse(reading, "its content does not match its checksum");
    return status;
}

nitro_status nitro_record_decode_schema(nitro_context *context, const char *where,
                                        const char *computation, const void *record, size_t size,
                                        nitro_schema **schema)
{
    const record_reading reading = {context, &nitro_record_schemas, where, computation, NULL, NULL};
    nitro_schema *read = nitro_calloc(context, 1, sizeof(*read));
    if (!read)
        return NITRO_ERR_NO_MEMORY;
    read->computation = nitro_strdup(context, computation);
    nitro_status status = read->computation ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = decode(&reading, record, size, NULL, read);
    if (status == NITRO_OK)
        status = nitro_store_check_schema(context, where ? where : reading.sort->name, read,
                                          NITRO_ERR_FORMAT);
    if (status == NITRO_OK) /* the copy has room for further features, which callers may add */
        status = nitro_schema_copy(context, read, schema);
    nitro_schema_free(read);
    return status;
}

nitro_status nitro_record_decode_device(nitro_context *context, const char *where, const char *id,
                                        const void *record, size_t size, nitro_device **device)
{
    const record_reading reading = {context, &nitro_record_devices, where, NULL, id, NULL};
    nitro_device *read = nitro_calloc(context, 1, sizeof(*read));
    if (!read)
        return NITRO_ERR_NO_MEMORY;
    read->id = nitro_strdup(context, id);
    nitro_status status = read->id ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = decode(&reading, record, size, NULL, read);
    if (status == NITRO_OK)
        status = nitro_store_check_device(context, where ? where : reading.sort->name, read,
                                          NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        *device = read;
    else
        nitro_device_free(read);
    return status;
}

nitro_status nitro_record_decode_sample(nitro_context *context, const char *where,
                                        const nitro_schema *schema, const char *device,
                                        const char *input, const void *record, size_t size,
                                        nitro_sample **sample)
{
    const record_reading reading = {
        context, &nitro_record_samples, where, schema->computation, device, input};
    nitro_sample *read = nitro_calloc(context, 1, sizeof(*read));
    if (!read)
        return NITRO_ERR_NO_MEMORY;
    read->input = nitro_strdup(context, input);
    nitro_status status = read->input || !input ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = decode(&reading, record, size, &read->input, read);
    if (status == NITRO_OK)
        status = nitro_store_check_sample(context, where ? where : reading.sort->name, schema,
                                          device, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        *sample = read;
    else
        nitro_sample_free(read);
    return status;
}

/* A profile must be found under the key that its content gives it. */
static nitro_status require_key(const record_reading *reading, const nitro_profile *profile)
{
    if (!reading->name)
        return NITRO_OK;
    char *key = nitro_store_profile_key(reading->context, profile);
    if (!key)
        return NITRO_ERR_NO_MEMORY;
    bool same = strcmp(key, reading->name) == 0;
    free(key);
    return same ? NITRO_OK : nitro_record_refuse(reading, "it is of another run or kernel");
}

nitro_status nitro_record_decode_profile(nitro_context *context, const char *where,
                                         const nitro_schema *schema, const char *device,
                                         const char *key, const void *record, size_t size,
                                         nitro_profile **profile)
{
    const char *computation = schema ? schema->computation : NULL;
    const record_reading reading = {context, &nitro_record_profiles, where, computation, device,
                                    key};
    nitro_profile *read = nitro_calloc(context, 1, sizeof(*read));
    if (!read)
        return NITRO_ERR_NO_MEMORY;
    read->computation = nitro_strdup(context, computation);
    nitro_status status = read->computation || !computation ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = decode(&reading, record, size, NULL, read);
    if (status == NITRO_OK)
        status = nitro_store_check_profile(context, where ? where : reading.sort->name, schema,
                                           device, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        status = require_key(&reading, read);
    if (status == NITRO_OK)
        *profile = read;
    else
        nitro_profile_free(read);
    return status;
}
