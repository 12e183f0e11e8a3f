/* Transactions by optimistic locking: WATCH and reads, then MULTI, writes and EXEC, all over one
 * connection. No script runs on the server: a user needs no permission for EVAL, with which one
 * could stop the server for all others. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/redis_internal.h"

#define MAX_QUEUED 16
#define MAX_BYTES  ((size_t)1 << 20) /* of the queued commands, before they are sent */

struct redis_transaction {
    redis_attempt *attempt;
    const char *const *watched;
    size_t node;                    /* of the store, that `began` */
    bool began;                     /* WATCH was sent */
    bool writing;                   /* MULTI was sent */
    redis_words queued[MAX_QUEUED]; /* owned */
    size_t num_queued, num_bytes;
    redisReply *results;
};

bool nitro_redis_transaction_is_resent(const redis_transaction *t)
{
    return t->attempt->sent;
}

/* Act on the first error among the replies. */
static nitro_status check_replies(redis_transaction *t, const redis_words *commands, size_t count,
                                  redisReply *const *replies)
{
    redis_attempt *a = t->attempt;
    redis_node *node = &a->store->nodes[a->node];
    for (size_t i = 0; i < count; i++) {
        if (replies[i]->type != REDIS_REPLY_ERROR)
            continue;
        if (!nitro_redis_is_redirection(replies[i]->str) || a->hops >= NITRO_REDIS_MAX_HOPS)
            return nitro_redis_fail(
                a->store, node, &commands[i + 1 < count && commands[i].count == 1 ? i + 1 : i],
                replies[i]->str); /* a command with a key tells more than UNWATCH or MULTI */
        a->hops++;
        nitro_status status = nitro_redis_follow(a, replies[i]->str);
        a->again = status == NITRO_OK;
        return status == NITRO_OK ? NITRO_ERR_IO : status;
    }
    return NITRO_OK;
}

/* Keys stay watched, and commands queued, only as long as the connection lasts. */
static nitro_status exchange(redis_transaction *t, const redis_words *commands, size_t count,
                             bool asking, redisReply **replies)
{
    redis_attempt *a = t->attempt;
    redis_node *node = &a->store->nodes[a->node];
    nitro_status status = NITRO_OK;
    a->answered = false;
    if (!t->began) {
        t->began = true;
        t->node = a->node;
        status = nitro_redis_connect(a->store, node);
    }
    if (status == NITRO_OK)
        status = nitro_redis_exchange(a->store, node, commands, count, asking, replies);
    if (status != NITRO_OK)
        return status;
    a->answered = true;
    return check_replies(t, commands, count, replies);
}

static nitro_status watch(redis_transaction *t, redis_words *words)
{
    nitro_context *context = t->attempt->store->context;
    nitro_status status = nitro_redis_words_add_text(context, words, "WATCH");
    for (const char *const *key = t->watched; *key && status == NITRO_OK; key++)
        status = nitro_redis_words_add_text(context, words, *key);
    return status;
}

nitro_status nitro_redis_transaction_read(redis_transaction *t, const redis_words *commands,
                                          size_t count, redisReply **replies)
{
    nitro_context *context = t->attempt->store->context;
    size_t extra = t->began ? 0 : 2;
    const redis_words unwatch = {
        .items = (const char *[]){"UNWATCH"}, .sizes = (size_t[]){7}, .count = 1};
    redis_words own = {0}, *all = nitro_calloc(context, count + extra, sizeof(*all));
    redisReply **got = nitro_calloc(context, count + extra, sizeof(redisReply *));
    nitro_status status = all && got ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && extra > 0) {
        all[0] = unwatch;
        status = watch(t, &own);
        all[1] = own;
    }
    if (status == NITRO_OK && count > 0)
        memcpy(all + extra, commands, count * sizeof(*commands));
    if (status == NITRO_OK)
        status = exchange(t, all, count + extra, t->attempt->asking, got);
    if (got)
        nitro_redis_free_replies(got, extra);
    if (status == NITRO_OK && count > 0)
        memcpy(replies, got + extra, count * sizeof(redisReply *));
    else if (got)
        nitro_redis_free_replies(got + extra, count);
    nitro_redis_words_free(&own);
    free(all);
    free(got);
    return status;
}

nitro_status nitro_redis_transaction_query(redis_transaction *t, const char *command,
                                           const char *key, redisReply **reply)
{
    const redis_words words = {.items = (const char *[]){command, key},
                               .sizes = (size_t[]){strlen(command), strlen(key)},
                               .count = 2};
    return nitro_redis_transaction_read(t, &words, 1, reply);
}

nitro_status nitro_redis_transaction_get(redis_transaction *t, const char *key, redisReply **value)
{
    nitro_status status = nitro_redis_transaction_query(t, "GET", key, value);
    if (status == NITRO_OK && (*value)->type != REDIS_REPLY_STRING &&
        (*value)->type != REDIS_REPLY_NIL)
        status = nitro_redis_fail_reply(t->attempt->store, "GET", key);
    return status;
}

static void drop_queued(redis_transaction *t)
{
    while (t->num_queued > 0)
        nitro_redis_words_free(&t->queued[--t->num_queued]);
    t->num_bytes = 0;
}

/* EXEC's reply: nil if a watched key changed; else an array of the commands' replies. */
static nitro_status take_results(redis_transaction *t, redisReply **exec)
{
    redis_attempt *a = t->attempt;
    const redis_words words = {
        .items = (const char *[]){"EXEC"}, .sizes = (size_t[]){4}, .count = 1};
    redisReply *reply = *exec;
    if (reply->type == REDIS_REPLY_NIL) { /* one of two writers always succeeds */
        a->again = true;
        return nitro_fail(a->store->context, NITRO_ERR_IO,
                          "%s: other processes keep changing %s; try again", a->store->url->shown,
                          t->watched[0]);
    }
    if (reply->type != REDIS_REPLY_ARRAY)
        return nitro_redis_fail_reply(a->store, "EXEC", t->watched[0]);
    for (size_t i = 0; i < reply->elements; i++)
        if (reply->element[i]->type == REDIS_REPLY_ERROR)
            return nitro_redis_fail(a->store, &a->store->nodes[a->node], &words,
                                    reply->element[i]->str);
    t->results = reply;
    *exec = NULL;
    return NITRO_OK;
}

/* Send what is queued; MULTI before the first commands (after an ASK, ASKING before MULTI lasts
 * until EXEC), EXEC after the last ones. */
static nitro_status send_queued(redis_transaction *t, bool last)
{
    static const char *const texts[] = {"ASKING", "MULTI", "EXEC"};
    static const size_t sizes[] = {6, 5, 4};
    redis_words all[MAX_QUEUED + 3];
    redisReply *replies[MAX_QUEUED + 3] = {0};
    size_t count = 0;
    nitro_status status = t->began ? NITRO_OK : nitro_redis_transaction_read(t, NULL, 0, NULL);
    for (size_t i = 0; i < 2 && !t->writing; i++)
        if (i == 1 || t->attempt->asking)
            all[count++] = (redis_words){(const char **)(uintptr_t)&texts[i],
                                         (size_t *)(uintptr_t)&sizes[i], 1, 0};
    for (size_t i = 0; i < t->num_queued; i++)
        all[count++] = t->queued[i];
    if (last)
        all[count++] = (redis_words){(const char **)(uintptr_t)&texts[2],
                                     (size_t *)(uintptr_t)&sizes[2], 1, 0};
    t->writing = true;
    if (status == NITRO_OK)
        status = exchange(t, all, count, false, replies);
    if (last && status != NITRO_OK && !t->attempt->answered)
        t->attempt->sent = true;
    if (last && status == NITRO_OK)
        status = take_results(t, &replies[count - 1]);
    nitro_redis_free_replies(replies, count);
    drop_queued(t);
    return status;
}

nitro_status nitro_redis_transaction_write(redis_transaction *t, redis_words *words,
                                           nitro_status status)
{
    if (status != NITRO_OK) {
        nitro_redis_words_free(words);
        return status;
    }
    t->queued[t->num_queued++] = *words;
    for (size_t i = 0; i < words->count; i++)
        t->num_bytes += words->sizes[i];
    *words = (redis_words){0};
    return t->num_queued == MAX_QUEUED || t->num_bytes > MAX_BYTES ? send_queued(t, false)
                                                                   : NITRO_OK;
}

typedef struct steps {
    const char *const *watched;
    redis_read_step read;
    redis_write_step write;
    void *user;
    redisReply **results;
    bool sent; /* the reply to an EXEC was lost */
} steps;

static nitro_status try_transaction(redis_attempt *a, void *user)
{
    steps *self = user;
    redis_transaction t = {.attempt = a, .watched = self->watched};
    bool write = true;
    nitro_status status = self->read ? self->read(self->user, &t, &write) : NITRO_OK;
    if (status == NITRO_OK && write)
        status = self->write(self->user, &t);
    if (status == NITRO_OK && write)
        status = send_queued(&t, true);
    drop_queued(&t);
    self->sent = a->sent;
    if (status != NITRO_OK && t.began) /* no key stays watched, and no command queued */
        nitro_redis_disconnect(&a->store->nodes[t.node]);
    if (status == NITRO_OK && self->results)
        *self->results = t.results;
    else if (t.results)
        freeReplyObject(t.results);
    return status;
}

nitro_status nitro_redis_transact(redis_store *store, const char *const *watched,
                                  redis_read_step read, redis_write_step write, void *user,
                                  redisReply **results)
{
    steps s = {watched, read, write, user, results, false};
    char message[1024];
    if (results)
        *results = NULL;
    nitro_status status = nitro_redis_keep_trying(store, watched[0], try_transaction, &s);
    if (status != NITRO_ERR_IO || !s.sent)
        return status;
    nitro_context_last_error(store->context, message, sizeof(message));
    return nitro_fail(store->context, status,
                      "%s; the server may have carried out this command all the same: look what is "
                      "there ('nitro store list') before you repeat it",
                      message);
}
