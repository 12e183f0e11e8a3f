/* Removing from Redis: one transaction removes all keys of a computation, or of one of its devices.
 */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

typedef struct removal {
    redis_store *store;
    nitro_string_list keys;
    size_t num_counted; /* leading keys whose rows are counted */
    size_t *counts;     /* shape [num_counted]; 0 for what is no hash */
    bool written;
    const char *missing; /* key of a device or a schema: if it exists by now, nothing is removed.
                            NULL: none */
} removal;

static nitro_status add_key(redis_store *store, const char *tag, const char *what, const char *of,
                            nitro_string_list *keys)
{
    char *key = nitro_redis_key(store, tag, what, of);
    nitro_status status =
        key ? nitro_string_list_add(store->context, keys, key) : NITRO_ERR_NO_MEMORY;
    free(key);
    return status;
}

static nitro_status list_keys(redis_store *store, const char *tag, const nitro_string_list *devices,
                              const char *const *sorts, const char *also, nitro_string_list *keys)
{
    nitro_status status = NITRO_OK;
    for (; *sorts && status == NITRO_OK; sorts++)
        for (size_t i = 0; i < devices->count && status == NITRO_OK; i++)
            status = add_key(store, tag, *sorts, devices->items[i], keys);
    return also && status == NITRO_OK ? add_key(store, tag, also, NULL, keys) : status;
}

/* After a lost reply the rows may be gone: what was counted before counts. */
static nitro_status count_rows(redis_transaction *t, const char *key, size_t *count)
{
    redisReply *type = NULL, *size = NULL;
    nitro_status status = nitro_redis_transaction_query(t, "TYPE", key, &type);
    bool is_hash =
        status == NITRO_OK && type->type == REDIS_REPLY_STATUS && strcmp(type->str, "hash") == 0;
    if (is_hash)
        status = nitro_redis_transaction_query(t, "HLEN", key, &size);
    if (status == NITRO_OK && (is_hash || !nitro_redis_transaction_is_resent(t)))
        *count = is_hash && size->type == REDIS_REPLY_INTEGER ? (size_t)size->integer : 0;
    nitro_redis_free_replies(&type, 1);
    nitro_redis_free_replies(&size, 1);
    return status;
}

static nitro_status read_counts(void *user, redis_transaction *t, bool *write)
{
    removal *r = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < r->num_counted && status == NITRO_OK; i++)
        status = count_rows(t, r->keys.items[i], &r->counts[i]);
    bool is_there = false;
    if (status == NITRO_OK && r->missing)
        status = nitro_redis_key_exists(r->store, r->missing, &is_there);
    *write = r->written = !is_there;
    return status;
}

static nitro_status write_removal(void *user, redis_transaction *t)
{
    const removal *r = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < r->keys.count && status == NITRO_OK; i++) {
        redis_words unlink = {0};
        status = nitro_redis_words_add_texts(r->store->context, &unlink, "UNLINK", r->keys.items[i],
                                             (char *)NULL);
        status = nitro_redis_transaction_write(t, &unlink, status);
    }
    return status;
}

static nitro_status run_removal(removal *r, size_t *removed)
{
    size_t total = 0;
    const char *watched[] = {r->keys.items[0], r->missing ? r->keys.items[1] : NULL, NULL};
    nitro_status status =
        nitro_redis_transact(r->store, watched, read_counts, write_removal, r, NULL);
    for (size_t i = 0; i < r->num_counted && r->written; i++)
        total += r->counts[i];
    if (status == NITRO_OK)
        *removed = total;
    return status;
}

static nitro_status unlink_keys(redis_store *store, const char *tag,
                                const nitro_string_list *devices, const char *const *sorts,
                                const char *also, const char *missing, size_t *removed)
{
    removal r = {.store = store, .num_counted = devices->count, .missing = missing};
    size_t count = 0;
    r.counts = nitro_calloc(store->context, devices->count, sizeof(*r.counts));
    nitro_status status =
        r.counts ? list_keys(store, tag, devices, sorts, also, &r.keys) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && r.keys.count > 0)
        status = run_removal(&r, &count);
    nitro_string_list_free(&r.keys);
    free(r.counts);
    if (status == NITRO_OK)
        *removed = count;
    return status;
}

nitro_status nitro_redis_unlink(redis_store *store, const char *tag,
                                const nitro_string_list *devices, const char *const *sorts,
                                const char *also, size_t *removed)
{
    return unlink_keys(store, tag, devices, sorts, also, NULL, removed);
}

nitro_status nitro_redis_unlink_orphans(redis_store *store, const char *tag, const char *device,
                                        bool has_schema)
{
    size_t removed = 0;
    const nitro_string_list one = {.items = (char *[]){(char *)(uintptr_t)device}, .count = 1};
    char *missing = has_schema ? nitro_redis_key(store, NITRO_REDIS_TAG_DEVICES, "record", device)
                               : nitro_redis_key(store, tag, "schema", NULL);
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (missing)
        status = unlink_keys(store, tag, &one, NITRO_REDIS_TABLE_KEYS, NULL, missing, &removed);
    free(missing);
    return status;
}

nitro_status nitro_redis_remove(void *state, const char *computation, const char *device,
                                size_t *removed)
{
    redis_store *store = state;
    nitro_schema *schema = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_redis_get_schema(store, computation, &schema);
    nitro_schema_free(schema);
    if (status == NITRO_ERR_FORMAT) /* a damaged schema can be removed as well */
        status = NITRO_OK;
    if (status == NITRO_OK)
        status = device ? nitro_string_list_add(store->context, &devices, device)
                        : nitro_redis_list_announced(store, computation, &devices);
    if (status == NITRO_OK)
        status = nitro_redis_unlink(store, computation, &devices, NITRO_REDIS_TABLE_KEYS,
                                    device ? NULL : "schema", removed);
    nitro_string_list_free(&devices);
    return status;
}
