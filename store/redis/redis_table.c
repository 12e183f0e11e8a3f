/* Tables: records in a hash, and their names in a sorted set of equal scores, which Redis keeps in
 * byte order. A script writes both at once; reading in pages bounds memory on both sides. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
#define PAGE          500 /* names; a page's records are at most NITRO_REDIS_MAX_REPLY_BYTES */

/* ARGV: "add", "again", "replace" or "runs"; then name and record in turn. "again" is for a command
 * whose first reply was lost: identical records are no conflict. "runs" first removes the rows that
 * agree with a name up to its last '\x1f'. Returns how many names exist and the first eight; 0: all
 * was written. */
static const char put_script[] =
    "local mode, there = ARGV[1], {0}\n"
    "for first = 2, #ARGV, 2000 do\n"
    "  local last = math.min(first + 1999, #ARGV)\n"
    "  if mode == 'runs' then\n"
    "    for i = first, last, 2 do\n"
    "      local run = string.match(ARGV[i], '^(.*)\\31')\n"
    "      local old = redis.call('ZRANGEBYLEX', KEYS[2], '[' .. run .. '\\31', '(' .. run .. ' "
    "')\n"
    "      for k = 1, #old do\n"
    "        redis.call('HDEL', KEYS[1], old[k])\n"
    "        redis.call('ZREM', KEYS[2], old[k])\n"
    "      end\n"
    "    end\n"
    "  elseif mode ~= 'replace' then\n"
    "    local names = {}\n"
    "    for i = first, last, 2 do names[#names + 1] = ARGV[i] end\n"
    "    local old = redis.call('HMGET', KEYS[1], unpack(names))\n"
    "    for i = 1, #names do\n"
    "      if old[i] and not (mode == 'again' and old[i] == ARGV[first + 2 * i - 1]) then\n"
    "        there[1] = there[1] + 1\n"
    "        if #there < 9 then there[#there + 1] = names[i] end\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "if there[1] > 0 then return there end\n"
    "for first = 2, #ARGV, 2000 do\n"
    "  local last = math.min(first + 1999, #ARGV)\n"
    "  local names = {}\n"
    "  for i = first, last, 2 do names[#names + 1] = 0; names[#names + 1] = ARGV[i] end\n"
    "  redis.call('HSET', KEYS[1], unpack(ARGV, first, last))\n"
    "  redis.call('ZADD', KEYS[2], unpack(names))\n"
    "end\n"
    "return there\n";

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

/* ---- Writing --------------------------------------------------------------------------------- */

static nitro_status make_put(const redis_table *table, const char *mode, const redis_row *rows,
                             size_t count, redis_words *words)
{
    nitro_context *context = table->store->context;
    nitro_status status = nitro_redis_words_add_texts(
        context, words, "EVAL", put_script, "2", table->records, table->names, mode, (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_redis_words_add(context, words, rows[i].name, rows[i].name_size);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, words, rows[i].record, rows[i].record_size);
    }
    return status;
}

/* The script's reply: a number, then names. */
static nitro_status read_there(const redis_table *table, const redisReply *reply,
                               nitro_string_list *there, size_t *num_there)
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 1 ||
        reply->element[0]->type != REDIS_REPLY_INTEGER || reply->element[0]->integer < 0)
        return nitro_redis_fail_reply(table->store, "EVAL", table->records);
    nitro_status status = NITRO_OK;
    for (size_t i = 1; i < reply->elements && status == NITRO_OK; i++)
        status = reply->element[i]->type == REDIS_REPLY_STRING
                     ? nitro_string_list_add(table->store->context, there, reply->element[i]->str)
                     : nitro_redis_fail_reply(table->store, "EVAL", table->records);
    *num_there = (size_t)reply->element[0]->integer;
    return status;
}

static nitro_status run_put(const redis_table *table, const redis_words *extra, const char *mode,
                            const redis_row *rows, size_t count, nitro_string_list *there,
                            size_t *num_there, bool *resent)
{
    redis_words words[2] = {0};
    redisReply *replies[2] = {0};
    size_t num_extra = extra ? 1 : 0;
    nitro_status status = make_put(table, mode, rows, count, &words[1]);
    if (extra)
        words[0] = *extra;
    if (status == NITRO_OK)
        status = nitro_redis_run(table->store, table->records, &words[1 - num_extra], 1 + num_extra,
                                 replies, resent);
    if (status == NITRO_OK)
        status = read_there(table, replies[num_extra], there, num_there);
    nitro_redis_free_replies(replies, 2);
    nitro_redis_words_free(&words[1]);
    return status;
}

nitro_status nitro_redis_table_put(const redis_table *table, const redis_words *extra,
                                   const redis_row *rows, size_t count, const char *mode,
                                   nitro_string_list *there, size_t *num_there)
{
    bool resent = false;
    *num_there = 0;
    if (count == 0)
        return NITRO_OK;
    nitro_status status = run_put(table, extra, mode, rows, count, there, num_there, &resent);
    if (status != NITRO_OK || *num_there == 0 || !resent)
        return status;
    while (there->count > 0)
        free(there->items[--there->count]);
    return run_put(table, NULL, "again", rows, count, there, num_there, &resent);
}

/* ARGV: name and prefix of its record, in turn. */
static const char remove_script[] = "local removed = 0\n"
                                    "for i = 1, #ARGV, 2 do\n"
                                    "  local record = redis.call('HGET', KEYS[1], ARGV[i]) or ''\n"
                                    "  if string.sub(record, 1, #ARGV[i + 1]) == ARGV[i + 1] then\n"
                                    "    redis.call('HDEL', KEYS[1], ARGV[i])\n"
                                    "    removed = removed + redis.call('ZREM', KEYS[2], ARGV[i])\n"
                                    "  end\n"
                                    "end\n"
                                    "return removed\n";

nitro_status nitro_redis_table_remove(const redis_table *table, const redis_row *rows, size_t count,
                                      size_t *removed)
{
    nitro_context *context = table->store->context;
    redis_words words = {0};
    nitro_status status = nitro_redis_words_add_texts(context, &words, "EVAL", remove_script, "2",
                                                      table->records, table->names, (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        status = nitro_redis_words_add(context, &words, rows[i].name, rows[i].name_size);
        if (status == NITRO_OK)
            status = nitro_redis_words_add(context, &words, rows[i].record ? rows[i].record : "",
                                           rows[i].record_size);
    }
    return nitro_redis_run_number(table->store, table->records, &words, status, removed);
}

/* One HMGET of a part of the names. */
static nitro_status find_part(const redis_table *table, const redis_row *rows, size_t count,
                              bool *found)
{
    redis_words words = {0};
    redisReply *reply = NULL;
    nitro_context *context = table->store->context;
    nitro_status status =
        nitro_redis_words_add_texts(context, &words, "HMGET", table->records, (char *)NULL);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_redis_words_add(context, &words, rows[i].name, rows[i].name_size);
    if (status == NITRO_OK)
        status = nitro_redis_run(table->store, table->records, &words, 1, &reply, NULL);
    if (status == NITRO_OK && (reply->type != REDIS_REPLY_ARRAY || reply->elements != count))
        status = nitro_redis_fail_reply(table->store, "HMGET", table->records);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        found[i] = reply->element[i]->type != REDIS_REPLY_NIL;
    nitro_redis_free_replies(&reply, 1);
    nitro_redis_words_free(&words);
    return status;
}

nitro_status nitro_redis_table_find(const redis_table *table, const redis_row *rows, size_t count,
                                    bool *found)
{
    nitro_status status = NITRO_OK;
    for (size_t first = 0; first < count && status == NITRO_OK; first += PAGE)
        status = find_part(table, rows + first, count - first < PAGE ? count - first : PAGE,
                           found + first);
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Check the reply to ZRANGEBYLEX: the names of a page. */
static nitro_status check_page(const redis_table *table, const redisReply *names)
{
    if (names->type != REDIS_REPLY_ARRAY || names->elements > PAGE)
        return nitro_redis_fail_reply(table->store, "ZRANGEBYLEX", table->names);
    for (size_t i = 0; i < names->elements; i++)
        if (names->element[i]->type != REDIS_REPLY_STRING)
            return nitro_redis_fail_reply(table->store, "ZRANGEBYLEX", table->names);
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
                                                            TEXT(PAGE), (char *)NULL)
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

/* Call `function` for the rows of a page. */
static nitro_status hand_on(const redis_table *table, const redisReply *names,
                            const redisReply *records, redis_row_function function, void *user)
{
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
        status = function(user, &row);
    }
    return status;
}

/* Read a page's records (if wanted) and the next page's names in one round trip. */
static nitro_status turn_page(const redis_table *table, const redisReply *names, bool with_records,
                              redisReply **records, redisReply **next)
{
    redis_words words[2] = {0};
    redisReply *replies[2] = {0};
    char *after = NULL;
    size_t count = 0;
    nitro_status status = NITRO_OK;
    if (names && with_records)
        status = query_records(table, names, &words[count++]);
    bool is_last = names && names->elements < PAGE;
    if (status == NITRO_OK && !is_last)
        status = query_names(table, names, &words[count++], &after);
    if (status == NITRO_OK && count > 0)
        status = nitro_redis_run(table->store, table->records, words, count, replies, NULL);
    if (status == NITRO_OK && !is_last)
        status = check_page(table, replies[count - 1]);
    nitro_redis_words_free(&words[0]);
    nitro_redis_words_free(&words[1]);
    free(after);
    if (status != NITRO_OK) {
        nitro_redis_free_replies(replies, 2);
        return status;
    }
    *next = is_last ? NULL : replies[count - 1];
    *records = names && with_records ? replies[0] : NULL;
    return NITRO_OK;
}

nitro_status nitro_redis_table_each(const redis_table *table, bool with_records,
                                    redis_row_function function, void *user)
{
    redisReply *names = NULL, *records = NULL, *next = NULL;
    nitro_status status = turn_page(table, NULL, with_records, &records, &names);
    while (status == NITRO_OK && names && names->elements > 0) {
        status = turn_page(table, names, with_records, &records, &next);
        if (status == NITRO_OK)
            status = hand_on(table, names, records, function, user);
        nitro_redis_free_replies(&records, 1);
        nitro_redis_free_replies(&names, 1);
        names = next;
        next = NULL;
    }
    nitro_redis_free_replies(&names, 1);
    return status;
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
    nitro_status status = nitro_redis_run(table->store, table->records, words, 2, replies, NULL);
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
