/* Devices in Redis: a record each, and an index. An unchanged record is not written again, so that
 * a user without permission to change devices can still tune on a known one. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/redis/redis_internal.h"

static nitro_status get_record(redis_store *store, const char *id, redisReply **record)
{
    char *key = nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "record", id);
    nitro_status status = key ? nitro_redis_get(store, key, NULL, record) : NITRO_ERR_NO_MEMORY;
    free(key);
    return status;
}

typedef struct put {
    redis_store *store;
    const char *index, *key, *id;
    const nitro_record_bytes *record;
} put;

static nitro_status write_put(void *user, redis_transaction *t)
{
    const put *p = user;
    redis_words index = {0}, record = {0};
    nitro_status status = nitro_redis_words_add_texts(p->store->context, &index, "SADD", p->index,
                                                      p->id, (char *)NULL);
    status = nitro_redis_transaction_write(t, &index, status);
    if (status == NITRO_OK)
        status =
            nitro_redis_words_add_texts(p->store->context, &record, "SET", p->key, (char *)NULL);
    if (status == NITRO_OK)
        status =
            nitro_redis_words_add(p->store->context, &record, p->record->bytes, p->record->size);
    return nitro_redis_transaction_write(t, &record, status);
}

static nitro_status write_record(redis_store *store, const char *id,
                                 const nitro_record_bytes *record)
{
    char *key = nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "record", id);
    char *index = nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "index", NULL);
    put p = {store, index, key, id, record};
    nitro_status status = key && index ? nitro_redis_transact(store, (const char *[]){key, NULL},
                                                              NULL, write_put, &p, NULL)
                                       : NITRO_ERR_NO_MEMORY;
    free(index);
    free(key);
    return status;
}

nitro_status nitro_redis_put_device(void *state, const nitro_device *device)
{
    redis_store *store = state;
    nitro_record_bytes record = {0};
    redisReply *old = NULL;
    nitro_status status =
        nitro_record_encode_device(store->context, NITRO_RECORD_COMPACT, device, &record);
    if (status == NITRO_OK)
        status = get_record(store, device->id, &old);
    if (status == NITRO_ERR_FORMAT) /* not a string: SET replaces it */
        status = NITRO_OK;
    if (status == NITRO_OK && old && old->type == REDIS_REPLY_NIL)
        status = nitro_redis_require_layout(store);
    bool same = status == NITRO_OK && old && old->type == REDIS_REPLY_STRING &&
                old->len == record.size && memcmp(old->str, record.bytes, record.size) == 0;
    if (status == NITRO_OK && !same)
        status = write_record(store, device->id, &record);
    nitro_redis_free_replies(&old, 1);
    nitro_record_bytes_free(&record);
    return status;
}

nitro_status nitro_redis_get_device(void *state, const char *id, nitro_device **device)
{
    redis_store *store = state;
    redisReply *record = NULL;
    nitro_status status = get_record(store, id, &record);
    if (status == NITRO_OK && record->type == REDIS_REPLY_NIL)
        status = NITRO_ERR_NOT_FOUND;
    else if (status == NITRO_OK)
        status = nitro_record_decode_device(store->context, store->url->shown, id, record->str,
                                            record->len, device);
    nitro_redis_free_replies(&record, 1);
    return status;
}

nitro_status nitro_redis_list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    redis_store *store = state;
    nitro_string_list known = {0};
    const char *tag = computation ? computation : NITRO_REDIS_TAG_DEVICES;
    nitro_status status = nitro_redis_index_read(store, tag, computation ? "devices" : "index",
                                                 nitro_device_id_is_valid, &known);
    static const char *const samples[] = {"samples", NULL}, *const records[] = {"record", NULL};
    if (status == NITRO_OK && computation)
        status = nitro_redis_index_filter(store, tag, samples, &known);
    size_t count = known.count;
    if (status == NITRO_OK)
        status = nitro_redis_index_filter(store, NITRO_REDIS_TAG_DEVICES, records, &known);
    if (status == NITRO_OK && computation && known.count < count)
        nitro_log(store->context, NITRO_LOG_WARNING,
                  "%s: devices that have samples of %s and no description, which are skipped: %zu; "
                  "'nitro store verify' lists all problems",
                  store->url->shown, computation, count - known.count);
    for (size_t i = 0; i < known.count && status == NITRO_OK; i++)
        status = nitro_string_list_add(store->context, ids, known.items[i]);
    nitro_string_list_free(&known);
    return status;
}

nitro_status nitro_redis_require_device(redis_store *store, const char *id)
{
    bool exists = false;
    nitro_status status = nitro_redis_exists(store, NITRO_REDIS_TAG_DEVICES, "record", id, &exists);
    if (status == NITRO_OK && !exists)
        status = nitro_fail(store->context, NITRO_ERR_NOT_FOUND,
                            "%s: no device '%s'; put the device first", store->url->shown, id);
    return status;
}

nitro_status nitro_redis_keep_device(redis_store *store, const char *tag, const char *id)
{
    nitro_status status = nitro_redis_index_add(store, tag, "devices", id);
    return status == NITRO_OK ? nitro_redis_require_device(store, id) : status;
}

static nitro_status require_unused(redis_store *store, const char *tag, const char *id)
{
    static const char *const sorts[] = {"samples", "profiles"};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < 2 && status == NITRO_OK; i++) {
        bool exists = false;
        status = nitro_redis_exists(store, tag, sorts[i], id, &exists);
        if (status == NITRO_OK && exists)
            status = nitro_fail(store->context, NITRO_ERR_EXISTS,
                                "%s: there are samples or profiles of device %s; remove those "
                                "first",
                                store->url->shown, id);
    }
    return status;
}

nitro_status nitro_redis_delete_device(redis_store *store, const char *id)
{
    char *key = nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "record", id);
    nitro_status status =
        key ? nitro_redis_query(store, NULL, "DEL", key, (char *)NULL) : NITRO_ERR_NO_MEMORY;
    free(key);
    return status;
}

static nitro_status require_no_records(redis_store *store, const char *id)
{
    nitro_string_list tags = {0};
    nitro_status status = nitro_redis_index_read(store, NITRO_REDIS_TAG_COMPUTATIONS, "index",
                                                 nitro_name_is_valid, &tags);
    if (status == NITRO_OK)
        status = nitro_string_list_add(store->context, &tags, NITRO_REDIS_TAG_PROXIES);
    for (size_t i = 0; i < tags.count && status == NITRO_OK; i++)
        status = require_unused(store, tags.items[i], id);
    nitro_string_list_free(&tags);
    return status;
}

/* No transaction spans the slots of a device and of its samples. A writer looks for the device once
 * its samples are written, and this looks for samples once the device is deleted: at least one of
 * the two sees what the other did. */
nitro_status nitro_redis_remove_device(void *state, const char *id)
{
    redis_store *store = state;
    nitro_device *device = NULL;
    nitro_status known = nitro_redis_get_device(store, id, &device);
    nitro_status status = known == NITRO_ERR_NOT_FOUND ? known : require_no_records(store, id);
    if (status == NITRO_OK)
        status = nitro_redis_delete_device(store, id);
    if (status == NITRO_OK && known == NITRO_OK) {
        status = require_no_records(store, id);
        nitro_status restored =
            status == NITRO_OK ? NITRO_OK : nitro_redis_put_device(store, device);
        if (restored != NITRO_OK)
            status = restored;
    }
    nitro_device_free(device);
    return status;
}
