/* Reads tables page by page, which bounds memory on both sides. What a contributor may write is not
 * trusted: names out of order, endless pages and records that are too large are damage. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
/* A page's names may grow by this many pages' while they are read, if others write. */
#define MORE_PAGES 1000

static nitro_status fail_order(const redis_table *table)
{
    return nitro_fail(table->store->context, NITRO_ERR_FORMAT,
                      "%s: the names in %s have unequal scores, so they cannot be read in order; "
                      "`nitro store gc` repairs them",
                      table->store->url->shown, table->names);
}

static nitro_status fail_large_name(const redis_table *table)
{
    return nitro_fail(table->store->context, NITRO_ERR_FORMAT,
                      "%s: a name in %s is larger than any of a Nitro store; `nitro store gc` "
                      "removes it",
                      table->store->url->shown, table->names);
}

static int compare(const redisReply *a, const redisReply *b)
{
    size_t size = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->str, b->str, size);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Check the reply to ZRANGEBYLEX: the names of the page after `before` (NULL: the first). */
static nitro_status check_page(const redis_table *table, const redisReply *before,
                               const redisReply *names)
{
    if (names->type != REDIS_REPLY_ARRAY || names->elements > NITRO_REDIS_PAGE)
        return nitro_redis_fail_reply(table->store, "ZRANGEBYLEX", table->names);
    const redisReply *last = before ? before->element[before->elements - 1] : NULL;
    for (size_t i = 0; i < names->elements; i++) {
        if (names->element[i]->type != REDIS_REPLY_STRING)
            return nitro_redis_fail_reply(table->store, "ZRANGEBYLEX", table->names);
        if (last && compare(last, names->element[i]) >= 0)
            return fail_order(table);
        last = names->element[i];
    }
    return NITRO_OK;
}

/* ZRANGEBYLEX of the names after the last one of `before` (NULL: from the first); `after` is its
 * argument, which the caller frees after the command. */
static nitro_status query_names(const redis_table *table, const redisReply *before,
                                redis_words *words, char **after)
{
    nitro_context *context = table->store->context;
    const redisReply *last = before ? before->element[before->elements - 1] : NULL;
    size_t size = last ? last->len + 1 : 1;
    char *begin = nitro_calloc(context, size + 1, 1);
    if (!begin)
        return NITRO_ERR_NO_MEMORY;
    begin[0] = last ? '(' : '-';
    if (last)
        memcpy(begin + 1, last->str, last->len);
    *after = begin;
    nitro_status status =
        nitro_redis_words_add_texts(context, words, "ZRANGEBYLEX", table->names, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(context, words, begin, size);
    return status == NITRO_OK ? nitro_redis_words_add_texts(context, words, "+", "LIMIT", "0",
                                                            TEXT(NITRO_REDIS_PAGE), (char *)NULL)
                              : status;
}

static nitro_status query_records(const redis_table *table, const redisReply *names,
                                  redis_words *words)
{
    nitro_status status = nitro_redis_words_add_texts(table->store->context, words, "HMGET",
                                                      table->records, (char *)NULL);
    for (size_t i = 0; i < names->elements && status == NITRO_OK; i++)
        status = nitro_redis_words_add(table->store->context, words, names->element[i]->str,
                                       names->element[i]->len);
    return status;
}

typedef struct page_loop {
    const redis_table *table;
    bool with_records;
    redis_row_function function;
    void *user;
    size_t num_pages; /* that may still come */
} page_loop;

/* Names, and the records at the same places (NULL: not wanted). */
static nitro_status hand_on(const page_loop *loop, const redisReply *names,
                            const redisReply *records)
{
    const redis_table *table = loop->table;
    if (records && (records->type != REDIS_REPLY_ARRAY || records->elements != names->elements))
        return nitro_redis_fail_reply(table->store, "HMGET", table->records);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < names->elements && status == NITRO_OK; i++) {
        const redisReply *name = names->element[i], *record = records ? records->element[i] : NULL;
        if (record && record->type != REDIS_REPLY_STRING && record->type != REDIS_REPLY_NIL)
            return nitro_redis_fail_reply(table->store, "HMGET", table->records);
        bool has_record = record && record->type == REDIS_REPLY_STRING;
        const redis_row row = {.name = name->str,
                               .name_size = name->len,
                               .record = has_record ? record->str : NULL,
                               .record_size = has_record ? record->len : 0};
        status = loop->function(loop->user, &row);
    }
    return status;
}

/* A command with a name of the table of records. */
static nitro_status query_record(const redis_table *table, const char *command,
                                 const redisReply *name, redisReply **reply)
{
    redis_words words = {0};
    nitro_status status = nitro_redis_words_add_texts(table->store->context, &words, command,
                                                      table->records, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(table->store->context, &words, name->str, name->len);
    if (status == NITRO_OK)
        status = nitro_redis_run(table->store, table->records, &words, 1, reply);
    nitro_redis_words_free(&words);
    return status;
}

/* An empty record stands for one that is too large: no reader takes it for a sound one. */
static nitro_status hand_on_one(const page_loop *loop, const redisReply *name)
{
    redisReply *size = NULL, *record = NULL;
    redis_row row = {.name = name->str, .name_size = name->len};
    nitro_status status = query_record(loop->table, "HSTRLEN", name, &size);
    bool too_large = status == NITRO_OK && (size->type != REDIS_REPLY_INTEGER ||
                                            size->integer > NITRO_REDIS_MAX_RECORD_BYTES);
    if (status == NITRO_OK && !too_large)
        status = query_record(loop->table, "HGET", name, &record);
    if (too_large) {
        row.record = "";
    } else if (status == NITRO_OK && record->type == REDIS_REPLY_STRING) {
        row.record = record->str;
        row.record_size = record->len;
    }
    if (status == NITRO_OK)
        status = loop->function(loop->user, &row);
    nitro_redis_free_replies(&size, 1);
    nitro_redis_free_replies(&record, 1);
    return status;
}

/* Read a page's records (if wanted) and the next page's names in one round trip. */
static nitro_status turn_page(const page_loop *loop, const redisReply *names, bool with_records,
                              redisReply **records, redisReply **next)
{
    const redis_table *table = loop->table;
    redis_words words[2] = {0};
    redisReply *replies[2] = {0};
    char *after = NULL;
    size_t count = 0;
    nitro_status status = NITRO_OK;
    if (with_records)
        status = query_records(table, names, &words[count++]);
    bool is_last = names->elements < NITRO_REDIS_PAGE;
    if (status == NITRO_OK && !is_last)
        status = query_names(table, names, &words[count++], &after);
    if (status == NITRO_OK && count > 0)
        status = nitro_redis_run(table->store, table->records, words, count, replies);
    if (status == NITRO_OK && !is_last)
        status = check_page(table, names, replies[count - 1]);
    nitro_redis_words_free(&words[0]);
    nitro_redis_words_free(&words[1]);
    free(after);
    if (status != NITRO_OK) {
        nitro_redis_free_replies(replies, 2);
        return status;
    }
    *next = is_last ? NULL : replies[count - 1];
    *records = with_records ? replies[0] : NULL;
    return NITRO_OK;
}

/* Hand on a page, one record after another if they are too large together; find the next page. */
static nitro_status read_page(page_loop *loop, const redisReply *names, redisReply **next)
{
    redisReply *records = NULL;
    redis_store *store = loop->table->store;
    nitro_status status = turn_page(loop, names, loop->with_records, &records, next);
    bool singly = status != NITRO_OK && store->too_large;
    if (singly) {
        status = turn_page(loop, names, false, &records, next);
        if (status != NITRO_OK && store->too_large)
            status = fail_large_name(loop->table);
    }
    if (status == NITRO_OK && (!singly || !loop->with_records))
        status = hand_on(loop, names, records);
    for (size_t i = 0; singly && loop->with_records && i < names->elements && status == NITRO_OK;
         i++)
        status = hand_on_one(loop, names->element[i]);
    nitro_redis_free_replies(&records, 1);
    return status;
}

/* How many names there are, how many have another score than 0, and the first page of them. */
static nitro_status begin(page_loop *loop, redisReply **names)
{
    const redis_table *table = loop->table;
    redis_store *store = table->store;
    redis_words words[4] = {0};
    redisReply *replies[4] = {0};
    char *after = NULL;
    nitro_status status =
        nitro_redis_words_add_texts(store->context, &words[0], "ZCARD", table->names, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add_texts(store->context, &words[1], "ZCOUNT", table->names,
                                             "-inf", "(0", (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add_texts(store->context, &words[2], "ZCOUNT", table->names,
                                             "(0", "+inf", (char *)NULL);
    if (status == NITRO_OK)
        status = query_names(table, NULL, &words[3], &after);
    if (status == NITRO_OK)
        status = nitro_redis_run(store, table->names, words, 4, replies);
    if (status != NITRO_OK && store->too_large)
        status = fail_large_name(table);
    for (size_t i = 0; i < 3 && status == NITRO_OK; i++)
        if (replies[i]->type != REDIS_REPLY_INTEGER || replies[i]->integer < 0)
            status = nitro_redis_fail_reply(store, words[i].items[0], table->names);
    if (status == NITRO_OK && (replies[1]->integer > 0 || replies[2]->integer > 0))
        status = fail_order(table);
    if (status == NITRO_OK)
        status = check_page(table, NULL, replies[3]);
    if (status == NITRO_OK) {
        loop->num_pages = 2 * (size_t)replies[0]->integer / NITRO_REDIS_PAGE + MORE_PAGES;
        *names = replies[3];
        replies[3] = NULL;
    }
    for (size_t i = 0; i < 4; i++)
        nitro_redis_words_free(&words[i]);
    nitro_redis_free_replies(replies, 4);
    free(after);
    return status;
}

nitro_status nitro_redis_table_each(const redis_table *table, bool with_records,
                                    redis_row_function function, void *user)
{
    page_loop loop = {table, with_records, function, user, 0};
    redisReply *names = NULL, *next = NULL;
    nitro_status status = begin(&loop, &names);
    while (status == NITRO_OK && names && names->elements > 0) {
        if (loop.num_pages-- == 0)
            status = nitro_fail(table->store->context, NITRO_ERR_FORMAT,
                                "%s: the names in %s do not end", table->store->url->shown,
                                table->names);
        else
            status = read_page(&loop, names, &next);
        nitro_redis_free_replies(&names, 1);
        names = next;
        next = NULL;
    }
    nitro_redis_free_replies(&names, 1);
    return status;
}
