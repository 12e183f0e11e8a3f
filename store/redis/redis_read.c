/* Decodes the rows of tables: samples and profiles, for callers of the store and for `verify`. */
#include <string.h>

#include "store/redis/redis_internal.h"

/* No valid name has a '\0' inside. */
static const char *name_of(const redis_row *row)
{
    return strlen(row->name) == row->name_size ? row->name : "?";
}

size_t nitro_redis_id_bytes(const redis_store *store)
{
    return store->layout == NITRO_REDIS_OLDEST_LAYOUT ? NITRO_REDIS_OLDEST_ID_BYTES
                                                      : NITRO_REDIS_ID_BYTES;
}

void nitro_redis_put_id(const redis_store *store, const void *part, size_t size,
                        uint64_t schema_hash, char *id)
{
    uint64_t hash = nitro_hash(part, size, schema_hash);
    for (size_t i = 0; i < nitro_redis_id_bytes(store); i++)
        id[i] = (char)(hash >> (8 * i));
}

static nitro_status fail_other_schema(redis_store *store, const nitro_schema *schema,
                                      const char *device, const redis_row *row)
{
    return nitro_fail(store->context, NITRO_ERR_FORMAT,
                      "%s on %s: sample '%.200s' was written for other features or variants "
                      "than the computation now has",
                      schema->computation, device, name_of(row));
}

/* In layout 6 a record without its first bytes is in two parts, one after the other. */
static nitro_status decode_6(redis_store *store, const char *where, const nitro_schema *schema,
                             const char *device, const redis_row *row, nitro_sample **sample)
{
    static const char head[] = {'N', NITRO_REDIS_OLDEST_LAYOUT};
    nitro_record_bytes whole = {0};
    nitro_status status = nitro_record_bytes_append(store->context, &whole, head, sizeof(head));
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(store->context, &whole,
                                           (const char *)row->record + NITRO_REDIS_OLDEST_ID_BYTES,
                                           row->record_size - NITRO_REDIS_OLDEST_ID_BYTES);
    if (status == NITRO_OK)
        status = nitro_record_bytes_append(store->context, &whole, row->shared, row->shared_size);
    if (status == NITRO_OK)
        status = nitro_record_decode_sample(store->context, where, schema, device, name_of(row),
                                            whole.bytes, whole.size, sample);
    nitro_record_bytes_free(&whole);
    return status;
}

nitro_status nitro_redis_decode_sample(redis_store *store, const char *where,
                                       const nitro_schema *schema, uint64_t schema_hash,
                                       const char *device, const redis_row *row,
                                       nitro_sample **sample)
{
    size_t id_bytes = nitro_redis_id_bytes(store);
    char id[NITRO_REDIS_OLDEST_ID_BYTES];
    if (row->record_size <= id_bytes || !row->shared)
        return nitro_fail(store->context, NITRO_ERR_FORMAT,
                          "%s%ssample '%.64s on %.64s: %.200s' is damaged or was altered: %s",
                          where ? where : "", where ? ": " : "", schema->computation, device,
                          name_of(row),
                          row->record_size <= id_bytes ? "it does not start as a record does"
                                                       : "its shared part is not there");
    nitro_redis_put_id(store, row->shared, row->shared_size, schema_hash, id);
    if (memcmp(id, row->record, id_bytes) != 0)
        return fail_other_schema(store, schema, device, row);
    if (store->layout == NITRO_REDIS_OLDEST_LAYOUT)
        return decode_6(store, where, schema, device, row, sample);
    return nitro_record_decode_sample_parts(
        store->context, where, schema, device, name_of(row), (const char *)row->record + id_bytes,
        row->record_size - id_bytes, row->shared, row->shared_size, sample);
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
    nitro_status status = nitro_redis_decode_sample(r->store, NULL, reader->schema, r->schema_hash,
                                                    reader->device, row, &sample);
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
