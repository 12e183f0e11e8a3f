/* Reads a whole table, or its names, into memory and sorts it: Redis keeps hashes in no order. What
 * a contributor may write is not trusted: tables without end, and names and records that are too
 * large, are damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

/* Most bytes of one table in memory: some five million samples. */
#define MAX_TABLE_BYTES ((size_t)1 << 30)
#define CHUNK_BYTES     ((size_t)1 << 16)
#define ROWS_AHEAD      8 /* are prefetched */

typedef struct loading {
    redis_store *store;
    redis_transaction *t; /* NULL: none */
    const char *key, *match;
    bool with_records;
    redis_rows *rows;
} loading;

void nitro_redis_rows_free(redis_rows *rows)
{
    while (rows->chunks) {
        redis_chunk *next = rows->chunks->next;
        free(rows->chunks);
        rows->chunks = next;
    }
    free(rows->items);
    *rows = (redis_rows){0};
}

static int compare_names(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_with_row(const void *name, const void *row)
{
    const redis_row *first = name, *second = row;
    return compare_names(first->name, first->name_size, second->name, second->name_size);
}

/* `order` spares most reads of names, which are all over the memory. */
static int compare_rows(const void *a, const void *b)
{
    const redis_row *first = a, *second = b;
    if (first->order != second->order)
        return first->order < second->order ? -1 : 1;
    return compare_with_row(a, b);
}

const redis_row *nitro_redis_rows_find(const redis_rows *rows, const char *name, size_t size)
{
    const redis_row key = {.name = name, .name_size = size};
    return rows->count == 0
               ? NULL
               : bsearch(&key, rows->items, rows->count, sizeof(*rows->items), compare_with_row);
}

static nitro_status fail_size(const loading *l, const char *what)
{
    return nitro_fail(l->store->context, NITRO_ERR_FORMAT, "%s: %s in %s than any of a Nitro store",
                      l->store->url->shown, what, l->key);
}

/* Room for a row; NULL: out of memory. */
static char *take_room(const loading *l, size_t size)
{
    redis_rows *rows = l->rows;
    if (size > rows->size - rows->used) {
        size_t chunk_size = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        redis_chunk *chunk = nitro_calloc(l->store->context, sizeof(*chunk) + chunk_size, 1);
        if (!chunk)
            return NULL;
        chunk->next = rows->chunks;
        rows->chunks = chunk;
        rows->size = chunk_size;
        rows->used = 0;
    }
    rows->used += size;
    return rows->chunks->bytes + rows->used - size;
}

/* Copy a row: its name and record, each terminated. An empty record stands for one that is too
 * large: no reader takes it for a sound one. */
static nitro_status keep(const loading *l, const redisReply *name, const redisReply *record)
{
    redis_rows *rows = l->rows;
    bool fits = record && record->len <= (size_t)NITRO_REDIS_MAX_RECORD_BYTES;
    size_t record_size = fits && l->with_records ? record->len : 0;
    rows->bytes += sizeof(redis_row) + name->len + record_size;
    if (rows->bytes > MAX_TABLE_BYTES)
        return fail_size(l, "there are more bytes");
    redis_row *grown = nitro_grow(l->store->context, rows->items, rows->count, &rows->capacity,
                                  sizeof(*grown), "rows");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    rows->items = grown;
    char *block = take_room(l, name->len + record_size + 2);
    if (!block)
        return NITRO_ERR_NO_MEMORY;
    memcpy(block, name->str, name->len);
    block[name->len] = '\0';
    char *copy = block + name->len + 1;
    if (record_size > 0)
        memcpy(copy, record->str, record_size);
    copy[record_size] = '\0';
    rows->items[rows->count++] = (redis_row){.name = block,
                                             .record = l->with_records ? copy : NULL,
                                             .name_size = name->len,
                                             .record_size = record_size};
    return NITRO_OK;
}

static nitro_status run(const loading *l, const redis_words *words, redisReply **reply)
{
    return l->t ? nitro_redis_transaction_read(l->t, words, 1, reply)
                : nitro_redis_run(l->store, l->key, words, 1, reply);
}

/* A page of HSCAN: names and values in turn, and the next cursor. */
static nitro_status read_page(const loading *l, char cursor[32])
{
    redis_words words = {0};
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_words_add_texts(l->store->context, &words, "HSCAN", l->key,
                                                      cursor, "COUNT", "500", (char *)NULL);
    if (status == NITRO_OK && l->match)
        status =
            nitro_redis_words_add_texts(l->store->context, &words, "MATCH", l->match, (char *)NULL);
    if (status == NITRO_OK)
        status = run(l, &words, &reply);
    bool sound = status == NITRO_OK && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 &&
                 reply->element[0]->type == REDIS_REPLY_STRING && reply->element[0]->len < 32 &&
                 reply->element[1]->type == REDIS_REPLY_ARRAY &&
                 reply->element[1]->elements % 2 == 0;
    for (size_t i = 0; sound && i < reply->element[1]->elements; i++)
        sound = reply->element[1]->element[i]->type == REDIS_REPLY_STRING;
    if (status == NITRO_OK && !sound)
        status = nitro_redis_fail_reply(l->store, "HSCAN", l->key);
    for (size_t i = 0; status == NITRO_OK && i < reply->element[1]->elements; i += 2)
        status = keep(l, reply->element[1]->element[i], reply->element[1]->element[i + 1]);
    if (status == NITRO_OK)
        snprintf(cursor, 32, "%s", reply->element[0]->str);
    nitro_redis_free_replies(&reply, 1);
    nitro_redis_words_free(&words);
    return status;
}

/* A command about one row of the table. */
static nitro_status query_row(const loading *l, const char *command, const redisReply *name,
                              redisReply **reply)
{
    redis_words words = {0};
    nitro_status status =
        nitro_redis_words_add_texts(l->store->context, &words, command, l->key, (char *)NULL);
    if (status == NITRO_OK)
        status = nitro_redis_words_add(l->store->context, &words, name->str, name->len);
    if (status == NITRO_OK)
        status = run(l, &words, reply);
    nitro_redis_words_free(&words);
    return status;
}

static nitro_status keep_alone(const loading *l, const redisReply *name)
{
    redisReply *size = NULL, *record = NULL;
    nitro_status status = query_row(l, "HSTRLEN", name, &size);
    if (status == NITRO_OK && size->type == REDIS_REPLY_INTEGER &&
        size->integer <= NITRO_REDIS_MAX_RECORD_BYTES)
        status = query_row(l, "HGET", name, &record);
    if (status == NITRO_OK && !(record && record->type == REDIS_REPLY_NIL)) /* removed meanwhile */
        status = keep(l, name, record && record->type == REDIS_REPLY_STRING ? record : NULL);
    nitro_redis_free_replies(&size, 1);
    nitro_redis_free_replies(&record, 1);
    return status;
}

/* A table with a page that is too large: its names first, then one record after another. */
static nitro_status read_singly(const loading *l)
{
    const redis_words words = {.items = (const char *[]){"HKEYS", l->key},
                               .sizes = (size_t[]){5, strlen(l->key)},
                               .count = 2};
    redisReply *names = NULL;
    nitro_redis_rows_free(l->rows);
    nitro_status status = run(l, &words, &names);
    if (status != NITRO_OK && l->store->too_large)
        status = fail_size(l, "there is a larger name");
    if (status == NITRO_OK && names->type != REDIS_REPLY_ARRAY)
        status = nitro_redis_fail_reply(l->store, "HKEYS", l->key);
    for (size_t i = 0; status == NITRO_OK && i < names->elements; i++)
        status = names->element[i]->type == REDIS_REPLY_STRING
                     ? keep_alone(l, names->element[i])
                     : nitro_redis_fail_reply(l->store, "HKEYS", l->key);
    nitro_redis_free_replies(&names, 1);
    return status;
}

/* Set each row's `order`: the eight bytes after the beginning that all names have in common. */
static void set_order(redis_rows *rows)
{
    const redis_row *items = rows->items;
    size_t same = rows->count > 0 ? items[0].name_size : 0;
    for (size_t i = 1; i < rows->count; i++) {
        size_t limit = items[i].name_size < same ? items[i].name_size : same;
        if (limit == same && memcmp(items[i].name, items[0].name, same) == 0)
            continue;
        for (same = 0; same < limit && items[i].name[same] == items[0].name[same];)
            same++;
    }
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t order = 0;
        for (size_t k = same; k < same + 8; k++)
            order = order << 8 | (k < items[i].name_size ? (unsigned char)items[i].name[k] : 0);
        rows->items[i].order = order;
    }
}

/* HSCAN may return a row twice. */
static void sort(redis_rows *rows)
{
    size_t kept = 0;
    set_order(rows);
    if (rows->count > 1)
        qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
    for (size_t i = 0; i < rows->count; i++) {
        if (kept == 0 || compare_rows(&rows->items[kept - 1], &rows->items[i]) != 0)
            rows->items[kept++] = rows->items[i];
    }
    rows->count = kept;
}

nitro_status nitro_redis_rows_read(redis_store *store, redis_transaction *t, const char *key,
                                   const char *match, bool with_records, redis_rows *rows)
{
    const loading l = {store, t, key, match, with_records, rows};
    char cursor[32] = "0";
    size_t num_pages = 0;
    *rows = (redis_rows){0};
    nitro_status status;
    do {
        status = read_page(&l, cursor);
        if (status == NITRO_OK && ++num_pages == NITRO_REDIS_MAX_PAGES)
            status = fail_size(&l, "there are more pages");
    } while (status == NITRO_OK && strcmp(cursor, "0") != 0);
    if (status != NITRO_OK && store->too_large && !t)
        status = read_singly(&l);
    if (status == NITRO_OK)
        sort(rows);
    else
        nitro_redis_rows_free(rows);
    return status;
}

/* Sorted rows are all over the memory. The first lines suffice, which most rows fit into. */
static void prefetch(const redis_row *row)
{
    for (size_t at = 0; at < 256 && at < row->name_size + row->record_size; at += 64)
        __builtin_prefetch(row->name + at);
}

nitro_status nitro_redis_table_each(const redis_table *table, bool with_records,
                                    redis_row_function function, void *user)
{
    redis_rows rows = {0}, shared = {0};
    size_t id_bytes = nitro_redis_id_bytes(table->store);
    nitro_status status =
        nitro_redis_rows_read(table->store, NULL, table->records, NULL, with_records, &rows);
    /* After the samples, of which every one was written with its shared part. */
    if (status == NITRO_OK && with_records && table->shared)
        status = nitro_redis_rows_read(table->store, NULL, table->shared, NULL, true, &shared);
    for (size_t i = 0; i < rows.count && status == NITRO_OK; i++) {
        redis_row row = rows.items[i];
        if (with_records && i + ROWS_AHEAD < rows.count)
            prefetch(&rows.items[i + ROWS_AHEAD]);
        if (table->shared && row.record_size > id_bytes) {
            const redis_row *part = nitro_redis_rows_find(&shared, row.record, id_bytes);
            row.shared = part ? part->record : NULL;
            row.shared_size = part ? part->record_size : 0;
        }
        status = function(user, &row);
    }
    nitro_redis_rows_free(&rows);
    nitro_redis_rows_free(&shared);
    return status;
}
