/* Repairs for the administrator: tables that cannot be read, shared parts that no sample refers to,
 * and indexes full of names that nothing uses. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

nitro_status nitro_redis_table_drop(const redis_table *table)
{
    return nitro_redis_query(table->store, NULL, "UNLINK", table->records, table->shared,
                             (char *)NULL);
}

typedef struct tidying {
    const redis_table *table;
    bool apply;
    redis_rows unused;
} tidying;

static nitro_status find_unused_parts(void *user, redis_transaction *t, bool *write)
{
    tidying *job = user;
    const redis_table *table = job->table;
    redis_rows samples = {0};
    size_t kept = 0;
    nitro_redis_rows_free(&job->unused);
    nitro_status status =
        nitro_redis_rows_read(table->store, t, table->shared, NULL, false, &job->unused);
    bool *used = nitro_calloc(table->store->context, job->unused.count + 1, sizeof(*used));
    if (status == NITRO_OK && !used)
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && job->unused.count > 0)
        status = nitro_redis_rows_read(table->store, t, table->records, NULL, true, &samples);
    for (size_t i = 0; i < samples.count && status == NITRO_OK; i++) {
        const redis_row *row = &samples.items[i];
        const redis_row *part =
            row->record_size < NITRO_REDIS_ID_BYTES
                ? NULL
                : nitro_redis_rows_find(&job->unused, row->record, NITRO_REDIS_ID_BYTES);
        if (part)
            used[part - job->unused.items] = true;
    }
    for (size_t i = 0; i < job->unused.count && status == NITRO_OK; i++)
        if (!used[i])
            job->unused.items[kept++] = job->unused.items[i];
    if (status == NITRO_OK)
        job->unused.count = kept;
    *write = job->apply && kept > 0;
    nitro_redis_rows_free(&samples);
    free(used);
    return status;
}

static nitro_status remove_unused_parts(void *user, redis_transaction *t)
{
    const tidying *job = user;
    return nitro_redis_table_write(job->table, t, "HDEL", job->table->shared, job->unused.items,
                                   job->unused.count);
}

nitro_status nitro_redis_table_tidy(const redis_table *table, bool apply, size_t *num_unused)
{
    tidying job = {.table = table, .apply = apply};
    nitro_status status =
        nitro_redis_transact(table->store, (const char *[]){table->records, table->shared, NULL},
                             find_unused_parts, remove_unused_parts, &job, NULL);
    if (status == NITRO_OK)
        *num_unused = job.unused.count;
    nitro_redis_rows_free(&job.unused);
    return status;
}

/* ---- Indexes --------------------------------------------------------------------------------- */

typedef struct pruning {
    redis_store *store;
    const char *tag, *index, *key;
    bool of_computations, apply;
    nitro_string_list devices; /* that exist */
    size_t num_invalid, num_unused;
} pruning;

/* Keep the names that have a record or rows. */
static nitro_status keep_used(const pruning *p, nitro_string_list *names)
{
    static const char *const records[] = {"record", NULL};
    bool of_devices = strcmp(p->tag, NITRO_REDIS_TAG_DEVICES) == 0;
    return nitro_redis_index_filter(p->store, p->tag, of_devices ? records : NITRO_REDIS_TABLE_KEYS,
                                    names);
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
            !nitro_store_sorted_list_has(&p->devices, name)) {
            status = nitro_string_list_add(p->store->context, unused, name);
            if (status == NITRO_OK)
                status = nitro_string_list_add(p->store->context, &used, name);
        }
    }
    if (status == NITRO_OK)
        status = keep_used(p, &used);
    nitro_string_list_sort(&used);
    size_t kept = 0;
    for (size_t i = 0; i < unused->count; i++) {
        if (nitro_store_sorted_list_has(&used, unused->items[i]))
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

/* Puts back the names of what others wrote before these were removed; later writers add theirs. */
static nitro_status restore_used(const pruning *p, nitro_string_list *removed)
{
    nitro_status status = keep_used(p, removed);
    for (size_t i = 0; i < removed->count && status == NITRO_OK; i++)
        status = nitro_redis_index_add(p->store, p->tag, p->index, removed->items[i]);
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
    if (status == NITRO_OK && p->apply)
        status = restore_used(p, &unused);
    nitro_string_list_free(&unused);
    free(invalid);
    return status;
}

nitro_status nitro_redis_index_prune(redis_store *store, const char *tag, const char *index,
                                     bool apply, size_t *num_invalid, size_t *num_unused)
{
    pruning p = {.store = store, .tag = tag, .index = index, .apply = apply};
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
