/* Tables: records in a hash, by name. One transaction writes a batch, and with it the shared parts
 * to which its samples refer. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

#define WINDOW 4 /* pages read in one round trip */

nitro_status nitro_redis_table_of(redis_store *store, const char *tag, bool of_profiles,
                                  const char *device, redis_table *table)
{
    *table = (redis_table){
        .store = store,
        .records = nitro_redis_key(store, tag, of_profiles ? "profiles" : "samples", device),
        .shared = of_profiles ? NULL : nitro_redis_key(store, tag, "shared", device)};
    if (table->records && (of_profiles || table->shared))
        return NITRO_OK;
    nitro_redis_table_free(table);
    return NITRO_ERR_NO_MEMORY;
}

void nitro_redis_table_free(redis_table *table)
{
    free(table->records);
    free(table->shared);
    *table = (redis_table){0};
}

/* ---- Finding --------------------------------------------------------------------------------- */

static nitro_status run(const redis_table *table, redis_transaction *t, const redis_words *words,
                        size_t count, redisReply **replies)
{
    return t ? nitro_redis_transaction_read(t, words, count, replies)
             : nitro_redis_run(table->store, table->records, words, count, replies);
}

/* Read the records of up to WINDOW pages, an HMGET each. `replies`: shape [WINDOW]. */
static nitro_status read_window(const redis_table *table, redis_transaction *t,
                                const redis_row *rows, size_t count, redisReply **replies)
{
    nitro_context *context = table->store->context;
    redis_words words[WINDOW] = {0};
    size_t num_pages = (count + NITRO_REDIS_PAGE - 1) / NITRO_REDIS_PAGE;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        redis_words *page = &words[i / NITRO_REDIS_PAGE];
        if (page->count == 0)
            status =
                nitro_redis_words_add_texts(context, page, "HMGET", table->records, (char *)NULL);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, page, rows[i].name, rows[i].name_size);
    }
    if (status == NITRO_OK)
        status = run(table, t, words, num_pages, replies);
    for (size_t p = 0; p < num_pages && status == NITRO_OK; p++)
        if (replies[p]->type != REDIS_REPLY_ARRAY || replies[p]->elements != words[p].count - 2)
            status = nitro_redis_fail_reply(table->store, "HMGET", table->records);
    for (size_t p = 0; p < WINDOW; p++)
        nitro_redis_words_free(&words[p]);
    return status;
}

typedef nitro_status (*found_function)(void *user, size_t row, const redisReply *record);

/* Call the function with the record of every row: a string or nil. */
static nitro_status each_record(const redis_table *table, redis_transaction *t,
                                const redis_row *rows, size_t count, found_function function,
                                void *user)
{
    const size_t window = (size_t)WINDOW * NITRO_REDIS_PAGE;
    nitro_status status = NITRO_OK;
    for (size_t first = 0; first < count && status == NITRO_OK; first += window) {
        redisReply *replies[WINDOW] = {0};
        size_t size = count - first < window ? count - first : window;
        status = read_window(table, t, rows + first, size, replies);
        for (size_t i = 0; i < size && status == NITRO_OK; i++)
            status = function(user, first + i,
                              replies[i / NITRO_REDIS_PAGE]->element[i % NITRO_REDIS_PAGE]);
        nitro_redis_free_replies(replies, WINDOW);
    }
    return status;
}

static nitro_status note_found(void *user, size_t row, const redisReply *record)
{
    bool *found = user;
    found[row] = record->type != REDIS_REPLY_NIL;
    return NITRO_OK;
}

nitro_status nitro_redis_table_find(const redis_table *table, const redis_row *rows, size_t count,
                                    bool *found)
{
    return each_record(table, NULL, rows, count, note_found, found);
}

nitro_status nitro_redis_table_count(const redis_table *table, size_t *count)
{
    redisReply *reply = NULL;
    nitro_status status =
        nitro_redis_query(table->store, &reply, "HLEN", table->records, (char *)NULL);
    if (status != NITRO_OK)
        return status;
    if (reply->type == REDIS_REPLY_INTEGER && reply->integer >= 0)
        *count = (size_t)reply->integer;
    else
        status = nitro_redis_fail_reply(table->store, "HLEN", table->records);
    nitro_redis_free_replies(&reply, 1);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct put {
    const redis_table *table;
    const redis_row *rows;
    size_t count;
    const redis_row *shared; /* shape [num_shared] */
    size_t num_shared;
    redis_put_mode mode;
    redis_rows old; /* of REDIS_PUT_RUNS: some rows, those to remove first */
    size_t num_old; /* rows to remove */
    nitro_string_list *there;
    size_t *num_there;
    bool resent;
} put;

static nitro_status note_there(void *user, size_t row, const redisReply *record)
{
    put *p = user;
    const redis_row *new = &p->rows[row];
    if (record->type == REDIS_REPLY_NIL ||
        (p->resent && record->type == REDIS_REPLY_STRING &&
         record->len == new->record_size &&memcmp(record->str, new->record, record->len) == 0))
        return NITRO_OK;
    return ++*p->num_there <= 8
               ? nitro_string_list_add(p->table->store->context, p->there, new->name)
               : NITRO_OK;
}

/* The size of a name up to its last '\x1f', which it includes. */
static size_t run_size(const redis_row *row)
{
    size_t size = row->name_size;
    while (size > 0 && row->name[size - 1] != '\x1f')
        size--;
    return size;
}

/* The pattern of what all runs of the batch begin with. */
static nitro_status make_pattern(const put *p, nitro_record_bytes *pattern)
{
    const redis_row *first = &p->rows[0];
    size_t size = run_size(first);
    for (size_t i = 1; i < p->count; i++) {
        size_t same = 0;
        while (same < size && same < p->rows[i].name_size &&
               p->rows[i].name[same] == first->name[same])
            same++;
        size = same;
    }
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < size && status == NITRO_OK; i++) {
        if (strchr("*?[]^-\\", first->name[i]))
            status = nitro_record_bytes_append(p->table->store->context, pattern, "\\", 1);
        if (status == NITRO_OK)
            status =
                nitro_record_bytes_append(p->table->store->context, pattern, &first->name[i], 1);
    }
    return status == NITRO_OK ? nitro_record_bytes_append(p->table->store->context, pattern, "*", 1)
                              : status;
}

static bool is_of_a_run(const put *p, const redis_row *old)
{
    size_t size = run_size(old);
    for (size_t i = 0; i < p->count; i++)
        if (run_size(&p->rows[i]) == size && memcmp(p->rows[i].name, old->name, size) == 0)
            return true;
    return false;
}

/* Find the rows of the batch's runs, and put them first. */
static nitro_status read_runs(put *p, redis_transaction *t)
{
    nitro_record_bytes pattern = {0};
    nitro_redis_rows_free(&p->old);
    p->num_old = 0;
    nitro_status status = make_pattern(p, &pattern);
    if (status == NITRO_OK)
        status = nitro_redis_rows_read(p->table->store, t, p->table->records, pattern.bytes, false,
                                       &p->old);
    for (size_t i = 0; i < p->old.count && status == NITRO_OK; i++) {
        redis_row row = p->old.items[i];
        if (!is_of_a_run(p, &row))
            continue;
        p->old.items[i] = p->old.items[p->num_old];
        p->old.items[p->num_old++] = row;
    }
    nitro_record_bytes_free(&pattern);
    return status;
}

/* Are the keys of the right type? In a transaction, errors would come after other writes. */
static nitro_status check_types(const redis_table *table, redis_transaction *t)
{
    const char *const keys[] = {table->records, table->shared};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < 2 && keys[i] && status == NITRO_OK; i++) {
        redisReply *reply = NULL;
        status = nitro_redis_transaction_query(t, "HLEN", keys[i], &reply);
        nitro_redis_free_replies(&reply, 1);
    }
    return status;
}

static nitro_status read_before_put(void *user, redis_transaction *t, bool *write)
{
    put *p = user;
    p->resent = nitro_redis_transaction_is_resent(t);
    *p->num_there = 0;
    nitro_string_list_free(p->there);
    nitro_status status = check_types(p->table, t);
    if (status == NITRO_OK && p->mode == REDIS_PUT_RUNS)
        status = read_runs(p, t);
    else if (status == NITRO_OK && p->mode == REDIS_PUT_ADD)
        status = each_record(p->table, t, p->rows, p->count, note_there, p);
    *write = *p->num_there == 0;
    return status;
}

/* One command for up to a page of rows; without records, HDEL. */
static nitro_status write_page(const redis_table *table, redis_transaction *t, const char *command,
                               const char *key, const redis_row *rows, size_t count)
{
    nitro_context *context = table->store->context;
    redis_words words = {0};
    bool with_records = strcmp(command, "HSET") == 0;
    nitro_status status = nitro_redis_words_add_texts(context, &words, command, key, (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_redis_words_add(context, &words, rows[i].name, rows[i].name_size);
        if (status == NITRO_OK && with_records)
            status = nitro_redis_words_add(context, &words, rows[i].record, rows[i].record_size);
    }
    return nitro_redis_transaction_write(t, &words, status);
}

nitro_status nitro_redis_table_write(const redis_table *table, redis_transaction *t,
                                     const char *command, const char *key, const redis_row *rows,
                                     size_t count)
{
    nitro_status status = NITRO_OK;
    for (size_t first = 0; first < count && status == NITRO_OK; first += NITRO_REDIS_PAGE) {
        size_t left = count - first;
        status = write_page(table, t, command, key, rows + first,
                            left < NITRO_REDIS_PAGE ? left : NITRO_REDIS_PAGE);
    }
    return status;
}

static nitro_status write_put(void *user, redis_transaction *t)
{
    const put *p = user;
    const redis_table *table = p->table;
    nitro_status status =
        nitro_redis_table_write(table, t, "HDEL", table->records, p->old.items, p->num_old);
    if (status == NITRO_OK)
        status = nitro_redis_table_write(table, t, "HSET", table->shared, p->shared, p->num_shared);
    return status == NITRO_OK
               ? nitro_redis_table_write(table, t, "HSET", table->records, p->rows, p->count)
               : status;
}

nitro_status nitro_redis_table_put(const redis_table *table, const redis_row *rows, size_t count,
                                   const redis_row *shared, size_t num_shared, redis_put_mode mode,
                                   nitro_string_list *there, size_t *num_there)
{
    put p = {.table = table,
             .rows = rows,
             .count = count,
             .shared = shared,
             .num_shared = num_shared,
             .mode = mode,
             .there = there,
             .num_there = num_there};
    *num_there = 0;
    if (count == 0)
        return NITRO_OK;
    nitro_status status =
        nitro_redis_transact(table->store, (const char *[]){table->records, table->shared, NULL},
                             read_before_put, write_put, &p, NULL);
    nitro_redis_rows_free(&p.old);
    return status;
}

/* ---- Removing -------------------------------------------------------------------------------- */

typedef struct removal {
    const redis_table *table;
    const redis_row *rows;
    size_t count;
    bool *matches; /* shape [count] */
    size_t first;  /* of the rows being compared */
} removal;

static nitro_status note_match(void *user, size_t row, const redisReply *record)
{
    const removal *r = user;
    const redis_row *expected = &r->rows[r->first + row];
    r->matches[r->first + row] = record->type == REDIS_REPLY_STRING &&
                                 record->len >= expected->record_size &&
                                 memcmp(record->str, expected->record, expected->record_size) == 0;
    return NITRO_OK;
}

/* Rows that need no comparison are not read: their records may be too large. */
static nitro_status read_before_removal(void *user, redis_transaction *t, bool *write)
{
    removal *r = user;
    nitro_status status = check_types(r->table, t);
    r->first = 0;
    for (size_t last; r->first < r->count && status == NITRO_OK; r->first = last + 1) {
        for (last = r->first; last < r->count && r->rows[last].record_size > 0; last++)
            ;
        if (last < r->count)
            r->matches[last] = true;
        status = each_record(r->table, t, r->rows + r->first, last - r->first, note_match, r);
    }
    *write = false;
    for (size_t i = 0; i < r->count; i++)
        *write = *write || r->matches[i];
    return status;
}

static nitro_status write_removal(void *user, redis_transaction *t)
{
    const removal *r = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < r->count && status == NITRO_OK; i++)
        if (r->matches[i])
            status = write_page(r->table, t, "HDEL", r->table->records, &r->rows[i], 1);
    return status;
}

nitro_status nitro_redis_table_remove(const redis_table *table, const redis_row *rows, size_t count,
                                      size_t *removed)
{
    removal r = {.table = table, .rows = rows, .count = count};
    redisReply *results = NULL;
    r.matches = nitro_calloc(table->store->context, count, sizeof(*r.matches));
    if (!r.matches)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_redis_transact(table->store, (const char *[]){table->records, NULL},
                                               read_before_removal, write_removal, &r, &results);
    if (status == NITRO_OK)
        *removed = 0;
    for (size_t i = 0; results && i < results->elements; i++)
        *removed +=
            results->element[i]->type == REDIS_REPLY_INTEGER && results->element[i]->integer > 0;
    nitro_redis_free_replies(&results, 1);
    free(r.matches);
    return status;
}
