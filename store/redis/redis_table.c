/* Tables: records in a hash, and their names in a sorted set of equal scores, which Redis keeps in
 * byte order. One transaction writes both. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

#define WINDOW 4 /* pages read in one round trip */

nitro_status nitro_redis_table_of(redis_store *store, const char *tag, bool of_profiles,
                                  const char *device, redis_table *table)
{
    const char *records = of_profiles ? "profiles" : "samples";
    const char *names = of_profiles ? "runs" : "inputs";
    *table = (redis_table){.store = store,
                           .of_profiles = of_profiles,
                           .records = nitro_redis_key(store, tag, records, device),
                           .names = nitro_redis_key(store, tag, names, device)};
    if (table->records && table->names)
        return NITRO_OK;
    nitro_redis_table_free(table);
    return NITRO_ERR_NO_MEMORY;
}

void nitro_redis_table_free(redis_table *table)
{
    free(table->records);
    free(table->names);
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

nitro_status nitro_redis_table_count(const redis_table *table, size_t *num_names,
                                     size_t *num_records)
{
    const redis_words words[2] = {
        {.items = (const char *[]){"ZCARD", table->names},
         .sizes = (size_t[]){5, strlen(table->names)},
         .count = 2},
        {.items = (const char *[]){"HLEN", table->records},
         .sizes = (size_t[]){4, strlen(table->records)},
         .count = 2},
    };
    redisReply *replies[2] = {0};
    nitro_status status = nitro_redis_run(table->store, table->records, words, 2, replies);
    if (status != NITRO_OK)
        return status;
    if (replies[0]->type != REDIS_REPLY_INTEGER || replies[1]->type != REDIS_REPLY_INTEGER ||
        replies[0]->integer < 0 || replies[1]->integer < 0) {
        status = nitro_redis_fail_reply(table->store, "HLEN", table->records);
    } else {
        *num_names = (size_t)replies[0]->integer;
        *num_records = (size_t)replies[1]->integer;
    }
    nitro_redis_free_replies(replies, 2);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct put {
    const redis_table *table;
    const redis_row *rows;
    size_t count;
    redis_put_mode mode;
    redisReply **old; /* of REDIS_PUT_RUNS: names to remove */
    size_t num_old;
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

/* Names that agree with the row's up to the last '\x1f'. */
static nitro_status read_run(put *p, redis_transaction *t, const redis_row *row)
{
    nitro_context *context = p->table->store->context;
    redis_words words = {0};
    size_t size = run_size(row);
    char *from = nitro_calloc(context, size + 1, 1), *to = nitro_calloc(context, size + 1, 1);
    nitro_status status = from && to ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        from[0] = '[';
        memcpy(from + 1, row->name, size);
        to[0] = '(';
        memcpy(to + 1, row->name, size);
        to[size] = ' '; /* the byte after '\x1f' */
        status = nitro_redis_words_add_texts(context, &words, "ZRANGEBYLEX", p->table->names,
                                             (char *)NULL);
    }
    if (status == NITRO_OK)
        status = nitro_redis_words_add(context, &words, from, size + 1);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(context, &words, to, size + 1);
    if (status == NITRO_OK)
        status = nitro_redis_transaction_read(t, &words, 1, &p->old[p->num_old]);
    if (status == NITRO_OK && p->old[p->num_old++]->type != REDIS_REPLY_ARRAY)
        status = nitro_redis_fail_reply(p->table->store, "ZRANGEBYLEX", p->table->names);
    nitro_redis_words_free(&words);
    free(from);
    free(to);
    return status;
}

static nitro_status read_runs(put *p, redis_transaction *t)
{
    nitro_status status = NITRO_OK;
    nitro_redis_free_replies(p->old, p->num_old);
    p->num_old = 0;
    for (size_t i = 0; i < p->count && status == NITRO_OK; i++) {
        size_t size = run_size(&p->rows[i]);
        bool same = i > 0 && run_size(&p->rows[i - 1]) == size &&
                    memcmp(p->rows[i - 1].name, p->rows[i].name, size) == 0;
        if (!same)
            status = read_run(p, t, &p->rows[i]);
    }
    return status;
}

/* Are the keys of the right types? In a transaction, errors would come after other writes. */
static nitro_status check_types(const redis_table *table, redis_transaction *t)
{
    const redis_words words[2] = {
        {.items = (const char *[]){"ZCARD", table->names},
         .sizes = (size_t[]){5, strlen(table->names)},
         .count = 2},
        {.items = (const char *[]){"HLEN", table->records},
         .sizes = (size_t[]){4, strlen(table->records)},
         .count = 2},
    };
    redisReply *replies[2] = {0};
    nitro_status status = nitro_redis_transaction_read(t, words, 2, replies);
    nitro_redis_free_replies(replies, 2);
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

static nitro_status remove_old(const put *p, redis_transaction *t, const redisReply *old)
{
    nitro_context *context = p->table->store->context;
    const struct {
        const char *command, *key;
    } both[] = {{"HDEL", p->table->records}, {"ZREM", p->table->names}};
    nitro_status status = NITRO_OK;
    for (size_t k = 0; k < 2 && old->elements > 0 && status == NITRO_OK; k++) {
        redis_words words = {0};
        status = nitro_redis_words_add_texts(context, &words, both[k].command, both[k].key,
                                             (char *)NULL);
        for (size_t i = 0; i < old->elements && status == NITRO_OK; i++)
            status =
                nitro_redis_words_add(context, &words, old->element[i]->str, old->element[i]->len);
        status = nitro_redis_transaction_write(t, &words, status);
    }
    return status;
}

static nitro_status write_page(const put *p, redis_transaction *t, size_t first, size_t last)
{
    nitro_context *context = p->table->store->context;
    redis_words records = {0}, names = {0};
    nitro_status status =
        nitro_redis_words_add_texts(context, &records, "HSET", p->table->records, (char *)NULL);
    for (size_t i = first; i < last && status == NITRO_OK; i++) {
        status = nitro_redis_words_add(context, &records, p->rows[i].name, p->rows[i].name_size);
        if (status == NITRO_OK)
            status =
                nitro_redis_words_add(context, &records, p->rows[i].record, p->rows[i].record_size);
    }
    status = nitro_redis_transaction_write(t, &records, status);
    if (status != NITRO_OK)
        return status;
    status = nitro_redis_words_add_texts(context, &names, "ZADD", p->table->names, (char *)NULL);
    for (size_t i = first; i < last && status == NITRO_OK; i++) {
        status = nitro_redis_words_add_text(context, &names, "0");
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, &names, p->rows[i].name, p->rows[i].name_size);
    }
    return nitro_redis_transaction_write(t, &names, status);
}

static nitro_status write_put(void *user, redis_transaction *t)
{
    const put *p = user;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < p->num_old && status == NITRO_OK; i++)
        status = remove_old(p, t, p->old[i]);
    for (size_t first = 0; first < p->count && status == NITRO_OK; first += NITRO_REDIS_PAGE) {
        size_t last = first + NITRO_REDIS_PAGE;
        status = write_page(p, t, first, last < p->count ? last : p->count);
    }
    return status;
}

nitro_status nitro_redis_table_put(const redis_table *table, const redis_row *rows, size_t count,
                                   redis_put_mode mode, nitro_string_list *there, size_t *num_there)
{
    put p = {.table = table,
             .rows = rows,
             .count = count,
             .mode = mode,
             .there = there,
             .num_there = num_there};
    *num_there = 0;
    if (count == 0)
        return NITRO_OK;
    if (mode == REDIS_PUT_RUNS &&
        !(p.old = nitro_calloc(table->store->context, count, sizeof(*p.old))))
        return NITRO_ERR_NO_MEMORY;
    nitro_status status =
        nitro_redis_transact(table->store, (const char *[]){table->records, table->names, NULL},
                             read_before_put, write_put, &p, NULL);
    nitro_redis_free_replies(p.old, p.num_old);
    free(p.old);
    return status;
}

/* ---- Removing -------------------------------------------------------------------------------- */

typedef struct removal {
    const redis_table *table;
    const redis_row *rows;
    size_t count;
    bool *matches; /* shape [count] */
} removal;

typedef struct comparison {
    removal *removal;
    size_t first;
} comparison;

static nitro_status note_match(void *user, size_t row, const redisReply *record)
{
    const comparison *c = user;
    const redis_row *expected = &c->removal->rows[c->first + row];
    c->removal->matches[c->first + row] =
        record->type == REDIS_REPLY_STRING && record->len >= expected->record_size &&
        memcmp(record->str, expected->record, expected->record_size) == 0;
    return NITRO_OK;
}

/* Rows that need no comparison are not read: their records may be too large. */
static nitro_status read_before_removal(void *user, redis_transaction *t, bool *write)
{
    removal *r = user;
    nitro_status status = check_types(r->table, t);
    for (size_t first = 0, last; first < r->count && status == NITRO_OK; first = last + 1) {
        comparison c = {r, first};
        for (last = first; last < r->count && r->rows[last].record_size > 0; last++)
            ;
        if (last < r->count)
            r->matches[last] = true;
        status = each_record(r->table, t, r->rows + first, last - first, note_match, &c);
    }
    *write = false;
    for (size_t i = 0; i < r->count; i++)
        *write = *write || r->matches[i];
    return status;
}

static nitro_status write_removal(void *user, redis_transaction *t)
{
    const removal *r = user;
    nitro_context *context = r->table->store->context;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < r->count && status == NITRO_OK; i++) {
        const redis_row *row = &r->rows[i];
        redis_words record = {0}, name = {0};
        if (!r->matches[i])
            continue;
        status =
            nitro_redis_words_add_texts(context, &record, "HDEL", r->table->records, (char *)NULL);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, &record, row->name, row->name_size);
        status = nitro_redis_transaction_write(t, &record, status);
        if (status == NITRO_OK)
            status =
                nitro_redis_words_add_texts(context, &name, "ZREM", r->table->names, (char *)NULL);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, &name, row->name, row->name_size);
        status = nitro_redis_transaction_write(t, &name, status);
    }
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
    nitro_status status =
        nitro_redis_transact(table->store, (const char *[]){table->records, table->names, NULL},
                             read_before_removal, write_removal, &r, &results);
    if (status == NITRO_OK)
        *removed = 0;
    for (size_t i = 1; results && i < results->elements; i += 2) /* of ZREM */
        *removed +=
            results->element[i]->type == REDIS_REPLY_INTEGER && results->element[i]->integer > 0;
    nitro_redis_free_replies(&results, 1);
    free(r.matches);
    return status;
}
