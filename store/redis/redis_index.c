/* Indexes: sets of names. A name is added before its record, and stays when the record is removed;
 * readers check that the record exists. So no transaction has to span the slots of a cluster. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

nitro_status nitro_redis_index_add(redis_store *store, const char *tag, const char *index,
                                   const char *name)
{
    char *key = nitro_redis_key(store, tag, index, NULL);
    nitro_status status =
        key ? nitro_redis_query(store, NULL, "SADD", key, name, (char *)NULL) : NITRO_ERR_NO_MEMORY;
    free(key);
    return status;
}

/* The reply to SSCAN: the next cursor and members. */
static nitro_status check_scan(redis_store *store, const char *key, const redisReply *reply)
{
    bool sound = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
                 reply->element[0]->type == REDIS_REPLY_STRING &&
                 reply->element[1]->type == REDIS_REPLY_ARRAY;
    for (size_t i = 0; sound && i < reply->element[1]->elements; i++)
        sound = reply->element[1]->element[i]->type == REDIS_REPLY_STRING;
    return sound ? NITRO_OK : nitro_redis_fail_reply(store, "SSCAN", key);
}

static nitro_status fail_scan(redis_store *store, const char *key, const char *what)
{
    return nitro_fail(store->context, NITRO_ERR_FORMAT,
                      "%s: %s in %s than in any Nitro store; 'nitro store gc' removes names that "
                      "nothing uses",
                      store->url->shown, what, key);
}

nitro_status nitro_redis_index_each(redis_store *store, const char *key,
                                    redis_member_function function, void *user)
{
    char cursor[32] = "0";
    nitro_status status = NITRO_OK;
    for (size_t page = 0; status == NITRO_OK; page++) {
        redisReply *reply = NULL;
        if (page == NITRO_REDIS_MAX_PAGES)
            return fail_scan(store, key, "there are more names");
        status =
            nitro_redis_query(store, &reply, "SSCAN", key, cursor, "COUNT", "1000", (char *)NULL);
        if (status != NITRO_OK && store->too_large)
            return fail_scan(store, key, "there is a larger name");
        if (status == NITRO_OK)
            status = check_scan(store, key, reply);
        if (status == NITRO_OK) {
            const redisReply *members = reply->element[1];
            status = function(user, (const redisReply *const *)(uintptr_t)members->element,
                              members->elements);
            snprintf(cursor, sizeof(cursor), "%s", reply->element[0]->str);
        }
        nitro_redis_free_replies(&reply, 1);
        if (status == NITRO_OK && strcmp(cursor, "0") == 0)
            break;
    }
    return status;
}

typedef struct name_list {
    redis_store *store;
    bool (*is_valid)(const char *);
    nitro_string_list *names;
    size_t num_damaged;
} name_list;

static nitro_status add_members(void *user, const redisReply *const *members, size_t count)
{
    name_list *list = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        if (strlen(members[i]->str) != members[i]->len || !list->is_valid(members[i]->str))
            list->num_damaged++;
        else
            status = nitro_string_list_add(list->store->context, list->names, members[i]->str);
    }
    return status;
}

nitro_status nitro_redis_index_read(redis_store *store, const char *tag, const char *index,
                                    bool (*is_valid)(const char *), nitro_string_list *names)
{
    char *key = nitro_redis_key(store, tag, index, NULL);
    name_list list = {store, is_valid, names, 0};
    nitro_status status =
        key ? nitro_redis_index_each(store, key, add_members, &list) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && list.num_damaged > 0)
        nitro_log(store->context, NITRO_LOG_WARNING,
                  "%s: invalid names in %s, which are skipped: %zu; 'nitro store verify' "
                  "lists all problems",
                  store->url->shown, key, list.num_damaged);
    free(key);
    nitro_string_list_unique(names); /* SSCAN may return a name twice */
    return status;
}

/* One command, EXISTS or HLEN, for each name and sort; `sums`, shape [count]: of each name's. */
static nitro_status ask_page(redis_store *store, const char *command, const char *tag,
                             const char *const *sorts, char *const *names, size_t count,
                             size_t *sums)
{
    size_t num_sorts = 0, num_words = 0;
    while (sorts[num_sorts])
        num_sorts++;
    redis_words *words = nitro_calloc(store->context, count * num_sorts, sizeof(*words));
    char **keys = nitro_calloc(store->context, count * num_sorts, sizeof(*keys));
    redisReply **replies = nitro_calloc(store->context, count * num_sorts, sizeof(redisReply *));
    nitro_status status = words && keys && replies ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (; num_words < count * num_sorts && status == NITRO_OK; num_words++) {
        keys[num_words] =
            nitro_redis_key(store, tag, sorts[num_words % num_sorts], names[num_words / num_sorts]);
        status = keys[num_words]
                     ? nitro_redis_words_add_texts(store->context, &words[num_words], command,
                                                   keys[num_words], (char *)NULL)
                     : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        status = nitro_redis_run(store, keys[0], words, num_words, replies);
    for (size_t i = 0; i < num_words && status == NITRO_OK; i++) {
        if (replies[i]->type != REDIS_REPLY_INTEGER || replies[i]->integer < 0)
            status = nitro_redis_fail_reply(store, command, keys[i]);
        else
            sums[i / num_sorts] += (size_t)replies[i]->integer;
    }
    if (replies)
        nitro_redis_free_replies(replies, num_words);
    for (size_t i = 0; i < num_words; i++) {
        nitro_redis_words_free(&words[i]);
        free(keys[i]);
    }
    free(words);
    free(keys);
    free(replies);
    return status;
}

nitro_status nitro_redis_index_filter(redis_store *store, const char *tag, const char *const *sorts,
                                      nitro_string_list *names)
{
    size_t exist[NITRO_REDIS_PAGE];
    size_t kept = 0;
    nitro_status status = NITRO_OK;
    for (size_t first = 0; first < names->count; first += NITRO_REDIS_PAGE) {
        size_t left = names->count - first,
               count = left < NITRO_REDIS_PAGE ? left : NITRO_REDIS_PAGE;
        memset(exist, 0, sizeof(exist));
        if (status == NITRO_OK)
            status = ask_page(store, "EXISTS", tag, sorts, names->items + first, count, exist);
        for (size_t i = 0; i < count; i++) {
            if (exist[i] > 0)
                names->items[kept++] = names->items[first + i];
            else
                free(names->items[first + i]);
        }
    }
    names->count = kept;
    return status;
}

nitro_status nitro_redis_index_count(redis_store *store, const char *tag, const char *sort,
                                     const nitro_string_list *names, size_t *count)
{
    const char *const sorts[] = {sort, NULL};
    size_t rows[NITRO_REDIS_PAGE], total = 0;
    nitro_status status = NITRO_OK;
    for (size_t first = 0; first < names->count && status == NITRO_OK; first += NITRO_REDIS_PAGE) {
        size_t left = names->count - first,
               size = left < NITRO_REDIS_PAGE ? left : NITRO_REDIS_PAGE;
        memset(rows, 0, sizeof(rows));
        status = ask_page(store, "HLEN", tag, sorts, names->items + first, size, rows);
        for (size_t i = 0; i < size; i++)
            total += rows[i];
    }
    if (status == NITRO_OK)
        *count = total;
    return status;
}

nitro_status nitro_redis_key_exists(redis_store *store, const char *key, bool *exists)
{
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_query(store, &reply, "EXISTS", key, (char *)NULL);
    if (status == NITRO_OK && reply->type != REDIS_REPLY_INTEGER)
        status = nitro_redis_fail_reply(store, "EXISTS", key);
    if (status == NITRO_OK)
        *exists = reply->integer > 0;
    nitro_redis_free_replies(&reply, 1);
    return status;
}

nitro_status nitro_redis_exists(redis_store *store, const char *tag, const char *what,
                                const char *of, bool *exists)
{
    char *key = nitro_redis_key(store, tag, what, of);
    nitro_status status = key ? nitro_redis_key_exists(store, key, exists) : NITRO_ERR_NO_MEMORY;
    free(key);
    return status;
}

nitro_status nitro_redis_list_announced(redis_store *store, const char *tag, nitro_string_list *ids)
{
    nitro_status status =
        nitro_redis_index_read(store, tag, "devices", nitro_device_id_is_valid, ids);
    return status == NITRO_OK ? nitro_redis_index_filter(store, tag, NITRO_REDIS_TABLE_KEYS, ids)
                              : status;
}
