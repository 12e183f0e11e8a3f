/* Records as bytes: heads, keys and checksums, the same for all sorts. A checksum covers the key
 * and the payload; that of a record written as JSON, its plain binary payload. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

#define MAGIC 'N' /* tells other bytes from another version */

/* A record begins with MAGIC, its version and its checksum. */
#define PLAIN_CHECKSUM_BYTES    8
#define PLAIN_HEAD_BYTES        (2 + PLAIN_CHECKSUM_BYTES)
#define VERSION_WITH_ONE_STREAM 6 /* of samples */

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

/* The lowest bytes first. */
static void put_checksum(uint64_t checksum, char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(checksum >> (8 * i));
}

static bool has_checksum(const void *bytes, size_t size, uint64_t checksum)
{
    char expected[8];
    put_checksum(checksum, expected, size);
    return memcmp(bytes, expected, size) == 0;
}

/* Append head and plain payload; the checksum is filled in last. */
static nitro_status append_compact(const record_reading *key, const void *record,
                                   nitro_record_bytes *bytes, uint64_t *checksum)
{
    static const char no_head[PLAIN_HEAD_BYTES] = {MAGIC, NITRO_RECORD_VERSION};
    size_t begin = bytes->size;
    nitro_status status = nitro_record_bytes_append(key->context, bytes, no_head, sizeof(no_head));
    if (status == NITRO_OK)
        status = nitro_record_append_payload(key->context, key->sort->fields, record, bytes);
    if (status != NITRO_OK)
        return status;
    size_t payload = begin + PLAIN_HEAD_BYTES;
    *checksum = hash_record(key, bytes->bytes + payload, bytes->size - payload);
    put_checksum(*checksum, bytes->bytes + begin + 2, PLAIN_CHECKSUM_BYTES);
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

static uint64_t hash_sample(const record_reading *key, const void *own, size_t own_size,
                            const void *shared, size_t shared_size)
{
    return nitro_hash(own, own_size, hash_record(key, shared, shared_size));
}

nitro_status nitro_record_encode_sample_parts(nitro_context *context, const char *computation,
                                              const char *device, const nitro_sample *sample,
                                              nitro_record_bytes *own, nitro_record_bytes *shared)
{
    static const char no_checksum[NITRO_SAMPLE_CHECKSUM_BYTES];
    const record_reading key = {context, &nitro_record_samples, NULL, computation,
                                device,  sample->input};
    size_t begin = own->size, payload = begin + sizeof(no_checksum), begin_shared = shared->size;
    nitro_number_scope scope = nitro_numbers_begin();
    nitro_status status = nitro_record_bytes_append(context, own, no_checksum, sizeof(no_checksum));
    if (status == NITRO_OK)
        status = nitro_record_append_sample(context, sample, own, shared);
    nitro_numbers_end(scope);
    if (status == NITRO_OK)
        put_checksum(hash_sample(&key, own->bytes + payload, own->size - payload,
                                 shared->bytes + begin_shared, shared->size - begin_shared),
                     own->bytes + begin, NITRO_SAMPLE_CHECKSUM_BYTES);
    return status;
}

/* The whole record: MAGIC, the version, the size of the shared part, that part, and the other. */
static nitro_status encode_whole(nitro_context *context, const char *computation,
                                 const char *device, const nitro_sample *sample,
                                 nitro_record_bytes *record)
{
    static const char head[] = {MAGIC, NITRO_STORE_VERSION};
    nitro_record_bytes own = {0}, shared = {0};
    nitro_status status =
        nitro_record_encode_sample_parts(context, computation, device, sample, &own, &shared);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, record, head, sizeof(head));
    if (status == NITRO_OK)
        status = nitro_record_append_size(context, shared.size, record);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, record, shared.bytes, shared.size);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(context, record, own.bytes, own.size);
    nitro_record_bytes_free(&own);
    nitro_record_bytes_free(&shared);
    return status;
}

nitro_status nitro_record_encode_sample(nitro_context *context, nitro_record_form form,
                                        const char *computation, const char *device,
                                        const nitro_sample *sample, nitro_record_bytes *record)
{
    const record_reading key = {context, &nitro_record_samples, NULL, computation,
                                device,  sample->input};
    return form == NITRO_RECORD_COMPACT ? encode_whole(context, computation, device, sample, record)
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

static nitro_status refuse_start(const record_reading *reading)
{
    return nitro_record_refuse(reading, "it does not start as a record does");
}

static nitro_status refuse_content(const record_reading *reading)
{
    return nitro_record_refuse(reading, "its content does not match its checksum");
}

static nitro_status read_parts(const record_reading *reading, const char *own, size_t own_size,
                               const void *shared, size_t shared_size, nitro_sample *sample)
{
    if (own_size < NITRO_SAMPLE_CHECKSUM_BYTES)
        return refuse_start(reading);
    const char *payload = own + NITRO_SAMPLE_CHECKSUM_BYTES;
    size_t size = own_size - NITRO_SAMPLE_CHECKSUM_BYTES;
    if (!has_checksum(own, NITRO_SAMPLE_CHECKSUM_BYTES,
                      hash_sample(reading, payload, size, shared, shared_size)))
        return refuse_content(reading);
    nitro_number_scope scope = nitro_numbers_begin();
    nitro_status status =
        nitro_record_read_sample(reading, payload, size, shared, shared_size, sample);
    nitro_numbers_end(scope);
    return status;
}

/* The part after MAGIC and the version. */
static nitro_status read_whole(const record_reading *reading, const char *bytes, size_t size,
                               nitro_sample *sample)
{
    size_t shared_size = 0, at = nitro_record_take_size(bytes, size, &shared_size);
    if (at == 0 || shared_size > size - at)
        return refuse_start(reading);
    return read_parts(reading, bytes + at + shared_size, size - at - shared_size, bytes + at,
                      shared_size, sample);
}

static nitro_status read_sample_6(const record_reading *reading, const void *payload, size_t size,
                                  nitro_sample *sample)
{
    nitro_number_scope scope = nitro_numbers_begin();
    nitro_status status = nitro_record_read_sample_6(reading, payload, size, sample);
    nitro_numbers_end(scope);
    return status;
}

static nitro_status read_compact(const record_reading *reading, const char *bytes, size_t size,
                                 bool name_in_key, void *record)
{
    bool is_sample = reading->sort == &nitro_record_samples;
    record_reading key = *reading;
    if (!name_in_key)
        key.name = NULL;
    unsigned char version = size < 2 ? 0 : (unsigned char)bytes[1];
    if (version < NITRO_RECORD_VERSION || bytes[0] != MAGIC)
        return refuse_start(reading);
    if (version > (is_sample ? NITRO_STORE_VERSION : NITRO_RECORD_VERSION))
        return nitro_record_refuse_newer(reading, "its version is newer");
    if (version == NITRO_STORE_VERSION)
        return read_whole(reading, bytes + 2, size - 2, record);
    if (size < PLAIN_HEAD_BYTES)
        return refuse_start(reading);
    const char *payload = bytes + PLAIN_HEAD_BYTES;
    size -= PLAIN_HEAD_BYTES;
    if (!has_checksum(bytes + 2, PLAIN_CHECKSUM_BYTES, hash_record(&key, payload, size)))
        return refuse_content(reading);
    return version == VERSION_WITH_ONE_STREAM
               ? read_sample_6(reading, payload, size, record)
               : nitro_record_read_payload(reading, payload, size, record);
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

/* Takes `read` over. */
static nitro_status end_sample(const record_reading *reading, const nitro_schema *schema,
                               nitro_status status, nitro_sample *read, nitro_sample **sample)
{
    if (status == NITRO_OK)
        status = nitro_store_check_sample(reading->context,
                                          reading->where ? reading->where : reading->sort->name,
                                          schema, reading->device, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        *sample = read;
    else
        nitro_sample_free(read);
    return status;
}

static nitro_status begin_sample(const record_reading *reading, nitro_sample **read)
{
    *read = nitro_calloc(reading->context, 1, sizeof(**read));
    if (*read && reading->name)
        (*read)->input = nitro_strdup(reading->context, reading->name);
    return *read && (!reading->name || (*read)->input) ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

nitro_status nitro_record_decode_sample(nitro_context *context, const char *where,
                                        const nitro_schema *schema, const char *device,
                                        const char *input, const void *record, size_t size,
                                        nitro_sample **sample)
{
    const record_reading reading = {
        context, &nitro_record_samples, where, schema->computation, device, input};
    nitro_sample *read = NULL;
    nitro_status status = begin_sample(&reading, &read);
    if (status == NITRO_OK)
        status = decode(&reading, record, size, &read->input, read);
    return end_sample(&reading, schema, status, read, sample);
}

nitro_status nitro_record_decode_sample_parts(nitro_context *context, const char *where,
                                              const nitro_schema *schema, const char *device,
                                              const char *input, const void *own, size_t own_size,
                                              const void *shared, size_t shared_size,
                                              nitro_sample **sample)
{
    const record_reading reading = {
        context, &nitro_record_samples, where, schema->computation, device, input};
    nitro_sample *read = NULL;
    nitro_status status = begin_sample(&reading, &read);
    if (status == NITRO_OK)
        status = read_parts(&reading, own, own_size, shared, shared_size, read);
    return end_sample(&reading, schema, status, read, sample);
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
