/* Decodes the rows of tables: samples and profiles, for callers of the store and for `verify`. */
#include <string.h>

#include "store/redis/redis_internal.h"

/* No valid name has a '\0' inside. */
static const char *name_of(const redis_row *row)
{
    return strlen(row->name) == row->name_size ? row->name : "?";
}

static uint64_t get_id(const unsigned char *bytes)
{
    uint64_t id = 0;
    for (size_t i = 0; i < NITRO_REDIS_ID_BYTES; i++)
        id |= (uint64_t)bytes[i] << (8 * i);
    return id;
}

static nitro_status fail_other_schema(redis_store *store, const nitro_schema *schema,
                                      const char *device, const redis_row *row)
{
    return nitro_fail(store->context, NITRO_ERR_FORMAT,
                      "%s on %s: sample '%.200s' was written for other features or variants "
                      "than the computation now has",
                      schema->computation, device, name_of(row));
}

/* The whole record: its head, what follows the id, and the shared part. */
static nitro_status join(redis_store *store, const redis_row *row, nitro_record_bytes *whole)
{
    static const char head[NITRO_REDIS_HEAD_BYTES] = {'N', NITRO_STORE_VERSION};
    nitro_status status = nitro_record_bytes_append(store->context, whole, head, sizeof(head));
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(store->context, whole,
                                           (const char *)row->record + NITRO_REDIS_ID_BYTES,
                                           row->record_size - NITRO_REDIS_ID_BYTES);
    return status == NITRO_OK
               ? nitro_record_bytes_append(store->context, whole, row->shared, row->shared_size)
               : status;
}

static nitro_status decode_joined(redis_store *store, const char *where, const nitro_schema *schema,
                                  uint64_t schema_hash, const char *device, const redis_row *row,
                                  nitro_record_bytes *whole, nitro_sample **sample)
{
    if (row->record_size <= NITRO_REDIS_ID_BYTES || !row->shared)
        return nitro_fail(
            store->context, NITRO_ERR_FORMAT,
            "%s%ssample '%.64s on %.64s: %.200s' is damaged or was altered: %s", where ? where : "",
            where ? ": " : "", schema->computation, device, name_of(row),
            row->record_size <= NITRO_REDIS_ID_BYTES ? "it does not start as a record does"
                                                     : "its shared part is not there");
    if (nitro_hash(row->shared, row->shared_size, schema_hash) != get_id(row->record))
        return fail_other_schema(store, schema, device, row);
    nitro_status status = join(store, row, whole);
    return status == NITRO_OK
               ? nitro_record_decode_sample(store->context, where, schema, device, name_of(row),
                                            whole->bytes, whole->size, sample)
               : status;
}

/* A record of layout 5 is whole. */
static nitro_status decode_whole(redis_store *store, const char *where, const nitro_schema *schema,
                                 uint64_t schema_hash, const char *device, const redis_row *row,
                                 nitro_sample **sample)
{
    size_t size = row->record_size < NITRO_REDIS_ID_BYTES ? 0 : NITRO_REDIS_ID_BYTES;
    nitro_sample *read = NULL;
    nitro_status status = nitro_record_decode_sample(store->context, where, schema, device,
                                                     name_of(row), (const char *)row->record + size,
                                                     row->record_size - size, &read);
    if (status == NITRO_OK && get_id(row->record) != schema_hash) {
        nitro_sample_free(read);
        return fail_other_schema(store, schema, device, row);
    }
    if (status == NITRO_OK)
        *sample = read;
    return status;
}

static nitro_status decode_sample(redis_store *store, const char *where, const nitro_schema *schema,
                                  uint64_t schema_hash, const char *device, const redis_row *row,
                                  nitro_sample **sample)
{
    nitro_record_bytes whole = {0};
    if (store->layout == NITRO_REDIS_OLDEST_LAYOUT)
        return decode_whole(store, where, schema, schema_hash, device, row, sample);
    nitro_status status =
        decode_joined(store, where, schema, schema_hash, device, row, &whole, sample);
    nitro_record_bytes_free(&whole);
    return status;
}

nitro_status nitro_redis_decode_sample(redis_store *store, const char *where,
                                       const nitro_schema *schema, const char *device,
                                       const redis_row *row, nitro_sample **sample)
{
    return decode_sample(store, where, schema, nitro_redis_schema_hash(schema), device, row,
                         sample);
}

typedef struct reading {
    redis_store *store;
    const redis_reader *reader;
    bool of_profiles;
    uint64_t schema_hash;
    nitro_status handed_on; /* what the caller's function returned */
} reading;

static nitro_status skip(const reading *r, const redis_row *row, nitro_status status)
{
    const redis_reader *reader = r->reader;
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_NEWER)
        return status;
    if (reader->unreadable)
        return reader->unreadable(reader->damaged_user, row, status);
    nitro_store_report_damage(r->store->context, reader->damaged, reader->damaged_user);
    return NITRO_OK;
}

static nitro_status read_sample(reading *r, const redis_row *row)
{
    const redis_reader *reader = r->reader;
    nitro_sample *sample = NULL;
    nitro_status status =
        decode_sample(r->store, NULL, reader->schema, r->schema_hash, reader->device, row, &sample);
    if (status != NITRO_OK)
        return skip(r, row, status);
    if (reader->sample)
        status = r->handed_on = reader->sample(reader->user, sample);
    nitro_sample_free(sample);
    return status;
}

static nitro_status read_profile(reading *r, const redis_row *row)
{
    const redis_reader *reader = r->reader;
    nitro_profile *profile = NULL;
    nitro_status status =
        nitro_record_decode_profile(r->store->context, NULL, reader->schema, reader->device,
                                    name_of(row), row->record, row->record_size, &profile);
    if (status != NITRO_OK)
        return skip(r, row, status);
    if (reader->profile)
        status = r->handed_on = reader->profile(reader->user, reader->device, profile);
    nitro_profile_free(profile);
    return status;
}

static nitro_status read_row(void *user, const redis_row *row)
{
    reading *r = user;
    return r->of_profiles ? read_profile(r, row) : read_sample(r, row);
}

nitro_status nitro_redis_read(const redis_reader *reader, const redis_table *table)
{
    reading r = {table->store, reader, !table->shared,
                 reader->schema ? nitro_redis_schema_hash(reader->schema) : 0, NITRO_OK};
    nitro_status status = nitro_redis_table_each(table, true, read_row, &r);
    if (status != NITRO_ERR_FORMAT || r.handed_on != NITRO_OK || reader->unreadable)
        return status;
    nitro_store_report_damage(table->store->context, reader->damaged, reader->damaged_user);
    return NITRO_OK;
}
