/* Indexes: sets of names. A name is added before its record, and stays when the record is removed;
 * readers check that the record exists. So no transaction has to span the slots of a cluster. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

nitro_status nitro_redis_index_add(redis_store *store, const char *tag, const char *index,
                                   const char *name)
{
    char *key = nitro_redis_key(store, tag, index, NULL);
    redisReply *reply = NULL;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (key)
        status = nitro_redis_query(store, &reply, "SADD", key, name, (char *)NULL);
    nitro_redis_free_replies(&reply, 1);
    free(key);
    return status;
}

static nitro_status read_members(redis_store *store, const char *key, const redisReply *reply,
                                 bool (*is_valid)(const char *), nitro_string_list *names,
                                 size_t *num_damaged)
{
    if (reply->type != REDIS_REPLY_ARRAY)
        return nitro_redis_fail_reply(store, "SMEMBERS", key);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < reply->elements && status == NITRO_OK; i++) {
        const redisReply *member = reply->element[i];
        if (member->type != REDIS_REPLY_STRING)
            status = nitro_redis_fail_reply(store, "SMEMBERS", key);
        else if (strlen(member->str) != member->len || !is_valid(member->str))
            ++*num_damaged;
        else
            status = nitro_string_list_add(store->context, names, member->str);
    }
    return status;
}

nitro_status nitro_redis_index_read(redis_store *store, const char *tag, const char *index,
                                    bool (*is_valid)(const char *), nitro_string_list *names,
                                    size_t *damaged)
{
    char *key = nitro_redis_key(store, tag, index, NULL);
    redisReply *reply = NULL;
    size_t num_damaged = 0;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    if (key)
        status = nitro_redis_query(store, &reply, "SMEMBERS", key, (char *)NULL);
    if (status == NITRO_OK)
        status = read_members(store, key, reply, is_valid, names, &num_damaged);
    if (status == NITRO_OK && num_damaged > 0)
        nitro_log(store->context, NITRO_LOG_WARNING,
                  "%s: %zu names in %s are not valid and are skipped; `nitro store verify` lists "
                  "all problems",
                  store->url->shown, num_damaged, key);
    nitro_redis_free_replies(&reply, 1);
    free(key);
    nitro_string_list_sort(names);
    if (status == NITRO_OK && damaged)
        *damaged = num_damaged;
    return status;
}

nitro_status nitro_redis_exists(redis_store *store, const char *key, bool *exists)
{
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_query(store, &reply, "EXISTS", key, (char *)NULL);
    if (status != NITRO_OK)
        return status;
    if (reply->type == REDIS_REPLY_INTEGER)
        *exists = reply->integer > 0;
    else
        status = nitro_redis_fail_reply(store, "EXISTS", key);
    nitro_redis_free_replies(&reply, 1);
    return status;
}

/* Adds the device to the index and waits for the reply, so that a user without permission leaves
 * nothing behind. Only done when it differs from the last one. */
nitro_status nitro_redis_announce(redis_store *store, const char *tag, const char *device)
{
    if (store->announced && strcmp(store->announced, tag) == 0 &&
        strcmp(store->announced + strlen(tag) + 1, device) == 0)
        return NITRO_OK;
    nitro_status status = nitro_redis_index_add(store, tag, "devices", device);
    if (status != NITRO_OK)
        return status;
    size_t first = strlen(tag) + 1, second = strlen(device) + 1;
    char *pair = nitro_calloc(store->context, first + second, 1);
    if (!pair)
        return NITRO_ERR_NO_MEMORY;
    memcpy(pair, tag, first);
    memcpy(pair + first, device, second);
    free(store->announced);
    store->announced = pair;
    return NITRO_OK;
}

nitro_status nitro_redis_list_announced(redis_store *store, const char *tag, nitro_string_list *ids)
{
    return nitro_redis_index_read(store, tag, "devices", nitro_device_id_is_valid, ids, NULL);
}
