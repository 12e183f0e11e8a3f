/* Repairs for the administrator: tables whose names have unequal scores, whose records have no
 * names, or whose keys are of another type; and indexes full of names that nothing uses. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

typedef nitro_status (*part_function)(const redis_table *table, const redisReply *const *members,
                                      size_t count);

/* All pairs of a hash or a sorted set: `members` are in turn a name and its value. */
static nitro_status scan(const redis_table *table, const char *command, const char *key,
                         part_function function)
{
    char cursor[32] = "0";
    nitro_status status = NITRO_OK;
    do {
        redisReply *reply = NULL;
        status = nitro_redis_query(table->store, &reply, command, key, cursor, "COUNT", "500",
                                   (char *)NULL);
        if (status != NITRO_OK && table->store->too_large)
            return NITRO_ERR_FORMAT; /* with an error */
        if (status == NITRO_OK &&
            (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
             reply->element[0]->type != REDIS_REPLY_STRING ||
             reply->element[1]->type != REDIS_REPLY_ARRAY || reply->element[1]->elements % 2))
            status = nitro_redis_fail_reply(table->store, command, key);
        if (status == NITRO_OK && reply->element[1]->elements > 0)
            status =
                function(table, (const redisReply *const *)(uintptr_t)reply->element[1]->element,
                         reply->element[1]->elements / 2);
        if (status == NITRO_OK)
            snprintf(cursor, sizeof(cursor), "%s", reply->element[0]->str);
        nitro_redis_free_replies(&reply, 1);
    } while (status == NITRO_OK && strcmp(cursor, "0") != 0);
    return status;
}

/* Run a command whose reply does not matter, and free its words. */
static nitro_status run(const redis_table *table, redis_words *words, nitro_status status)
{
    redisReply *reply = NULL;
    if (status == NITRO_OK)
        status = nitro_redis_run(table->store, table->records, words, 1, &reply);
    nitro_redis_free_replies(&reply, 1);
    nitro_redis_words_free(words);
    return status;
}

static nitro_status make_scores_equal(const redis_table *table, const redisReply *const *members,
                                      size_t count)
{
    nitro_context *context = table->store->context;
    redis_words words = {0};
    nitro_status status =
        nitro_redis_words_add_texts(context, &words, "ZADD", table->names, "XX", (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_redis_words_add_text(context, &words, "0");
        if (status == NITRO_OK)
            status =
                nitro_redis_words_add(context, &words, members[2 * i]->str, members[2 * i]->len);
    }
    return run(table, &words, status);
}

static nitro_status has_type(const redis_table *table, const char *key, const char *type, bool *has)
{
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_query(table->store, &reply, "TYPE", key, (char *)NULL);
    *has = status == NITRO_OK && reply->type == REDIS_REPLY_STATUS &&
           (strcmp(reply->str, type) == 0 || strcmp(reply->str, "none") == 0);
    nitro_redis_free_replies(&reply, 1);
    return status;
}

nitro_status nitro_redis_table_drop(const redis_table *table)
{
    redis_words words = {0};
    nitro_status status = nitro_redis_words_add_texts(table->store->context, &words, "UNLINK",
                                                      table->records, table->names, (char *)NULL);
    return run(table, &words, status);
}

nitro_status nitro_redis_table_repair(const redis_table *table)
{
    bool names = false, records = false;
    nitro_status status = has_type(table, table->names, "zset", &names);
    if (status == NITRO_OK)
        status = has_type(table, table->records, "hash", &records);
    if (status == NITRO_OK && !(names && records))
        return nitro_redis_table_drop(table);
    return status == NITRO_OK ? scan(table, "ZSCAN", table->names, make_scores_equal) : status;
}

typedef struct page {
    const redis_table *table;
    const redisReply *const *members; /* name, record, ... */
    size_t count;
    bool *nameless; /* shape [count] */
} page;

static nitro_status read_scores(void *user, redis_transaction *t, bool *write)
{
    page *p = user;
    const char *names = p->table->names;
    nitro_status status = NITRO_OK;
    *write = false;
    for (size_t i = 0; i < p->count && status == NITRO_OK; i++) {
        const redisReply *name = p->members[2 * i];
        const redis_words words = {.items = (const char *[]){"ZSCORE", names, name->str},
                                   .sizes = (size_t[]){6, strlen(names), name->len},
                                   .count = 3};
        redisReply *reply = NULL;
        status = nitro_redis_transaction_read(t, &words, 1, &reply);
        p->nameless[i] = status == NITRO_OK && reply->type == REDIS_REPLY_NIL;
        *write = *write || p->nameless[i];
        nitro_redis_free_replies(&reply, 1);
    }
    return status;
}

static nitro_status remove_nameless(void *user, redis_transaction *t)
{
    const page *p = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < p->count && status == NITRO_OK; i++) {
        redis_words words = {0};
        if (!p->nameless[i])
            continue;
        status = nitro_redis_words_add_texts(p->table->store->context, &words, "HDEL",
                                             p->table->records, (char *)NULL);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(p->table->store->context, &words, p->members[2 * i]->str,
                                           p->members[2 * i]->len);
        status = nitro_redis_transaction_write(t, &words, status);
    }
    return status;
}

static nitro_status tidy_part(const redis_table *table, const redisReply *const *members,
                              size_t count)
{
    page p = {table, members, count, nitro_calloc(table->store->context, count, sizeof(bool))};
    nitro_status status =
        p.nameless ? nitro_redis_transact(table->store,
                                          (const char *[]){table->records, table->names, NULL},
                                          read_scores, remove_nameless, &p, NULL)
                   : NITRO_ERR_NO_MEMORY;
    free(p.nameless);
    return status;
}

nitro_status nitro_redis_table_tidy(const redis_table *table)
{
    return scan(table, "HSCAN", table->records, tidy_part);
}

/* ---- Indexes --------------------------------------------------------------------------------- */

typedef struct pruning {
    redis_store *store;
    const char *tag, *key;
    bool of_computations, apply;
    nitro_string_list devices; /* that exist */
    size_t num_invalid, num_unused;
} pruning;

static bool has(const nitro_string_list *sorted, const char *name)
{
    for (size_t low = 0, high = sorted->count; low < high;) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, sorted->items[middle]);
        if (order == 0)
            return true;
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return false;
}

/* Find the valid names of a page that no device and no table has. */
static nitro_status find_unused(const pruning *p, const redisReply *const *members, size_t count,
                                nitro_string_list *unused)
{
    nitro_string_list used = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const char *name = members[i]->str;
        if (strlen(name) == members[i]->len && nitro_device_id_is_valid(name) &&
            !has(&p->devices, name)) {
            status = nitro_string_list_add(p->store->context, unused, name);
            if (status == NITRO_OK)
                status = nitro_string_list_add(p->store->context, &used, name);
        }
    }
    if (status == NITRO_OK)
        status = nitro_redis_index_filter(p->store, p->tag, NITRO_REDIS_TABLE_KEYS, &used);
    nitro_string_list_sort(&used);
    size_t kept = 0;
    for (size_t i = 0; i < unused->count; i++) {
        if (has(&used, unused->items[i]))
            free(unused->items[i]);
        else
            unused->items[kept++] = unused->items[i];
    }
    unused->count = kept;
    nitro_string_list_free(&used);
    return status;
}

static nitro_status remove_members(const pruning *p, const redisReply *const *members, size_t count,
                                   const nitro_string_list *unused)
{
    nitro_context *context = p->store->context;
    redis_words words = {0};
    redisReply *reply = NULL;
    nitro_status status =
        nitro_redis_words_add_texts(context, &words, "SREM", p->key, (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_redis_words_add(context, &words, members[i]->str, members[i]->len);
    for (size_t i = 0; i < unused->count && status == NITRO_OK; i++)
        status = nitro_redis_words_add_text(context, &words, unused->items[i]);
    if (status == NITRO_OK)
        status = nitro_redis_run(p->store, p->key, &words, 1, &reply);
    nitro_redis_free_replies(&reply, 1);
    nitro_redis_words_free(&words);
    return status;
}

static nitro_status prune_page(void *user, const redisReply *const *members, size_t count)
{
    pruning *p = user;
    nitro_string_list unused = {0};
    const redisReply **invalid = nitro_calloc(p->store->context, count + 1, sizeof(*invalid));
    size_t num_invalid = 0;
    nitro_status status = invalid ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const char *name = members[i]->str;
        bool valid = strlen(name) == members[i]->len &&
                     (p->of_computations ? nitro_name_is_valid : nitro_device_id_is_valid)(name);
        if (!valid)
            invalid[num_invalid++] = members[i];
    }
    if (status == NITRO_OK && !p->of_computations)
        status = find_unused(p, members, count, &unused);
    p->num_invalid += num_invalid;
    p->num_unused += unused.count;
    if (status == NITRO_OK && p->apply && num_invalid + unused.count > 0)
        status = remove_members(p, invalid, num_invalid, &unused);
    nitro_string_list_free(&unused);
    free(invalid);
    return status;
}

nitro_status nitro_redis_index_prune(redis_store *store, const char *tag, const char *index,
                                     bool apply, size_t *num_invalid, size_t *num_unused)
{
    pruning p = {.store = store, .tag = tag, .apply = apply};
    char *key = nitro_redis_key(store, tag, index, NULL);
    p.key = key;
    p.of_computations = strcmp(tag, NITRO_REDIS_TAG_COMPUTATIONS) == 0;
    nitro_status status = key ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && !p.of_computations)
        status = nitro_redis_list_devices(store, NULL, &p.devices);
    if (status == NITRO_OK)
        status = nitro_redis_index_each(store, key, prune_page, &p);
    if (status == NITRO_OK) {
        *num_invalid = p.num_invalid;
        *num_unused = p.num_unused;
    }
    nitro_string_list_free(&p.devices);
    free(key);
    return status;
}
