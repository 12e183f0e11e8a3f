/* Sends commands to the server that has their key. Follows a cluster's MOVED and ASK, and remembers
 * which server has a slot; retries temporary errors at growing intervals within the timeout.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/redis/redis_internal.h"

#define MAX_TRIES      64
#define MAX_RECONNECTS 4 /* tries without any answer */
#define FIRST_WAIT_MS  20.0
#define LONGEST_WAIT   500.0

void nitro_redis_free_replies(redisReply **replies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (replies[i])
            freeReplyObject(replies[i]);
        replies[i] = NULL;
    }
}

/* @param[out] index  which node redirects; set to the one of this host and port. */
static nitro_status find_node(redis_store *store, const char *host, int port, size_t *index)
{
    size_t from = *index;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < store->num_nodes; i++) {
        *index = i;
        if (store->nodes[i].port == port && strcmp(store->nodes[i].host, host) == 0)
            return NITRO_OK;
    }
    if (store->num_nodes == NITRO_REDIS_MAX_NODES)
        return nitro_fail(store->context, NITRO_ERR_IO,
                          "%s: the cluster has more than %d servers, the most that Nitro supports",
                          store->url->shown, NITRO_REDIS_MAX_NODES);
    if (store->url->password)
        status = nitro_redis_require_listed(store, &store->nodes[from], host, port);
    char *copy = status == NITRO_OK ? nitro_strdup(store->context, host) : NULL;
    if (!copy)
        return status == NITRO_OK ? NITRO_ERR_NO_MEMORY : status;
    *index = store->num_nodes++;
    store->nodes[*index] = (redis_node){.host = copy, .port = port};
    return NITRO_OK;
}

bool nitro_redis_is_redirection(const char *error)
{
    return strncmp(error, "MOVED ", 6) == 0 || strncmp(error, "ASK ", 4) == 0;
}

/* "MOVED 3999 127.0.0.1:6381": the host may be an IPv6 address, or empty: the same host. */
nitro_status nitro_redis_follow(redis_attempt *a, const char *error)
{
    redis_store *store = a->store;
    char host[256];
    const char *place = strrchr(error, ' ') + 1, *colon = strrchr(place, ':');
    char *end = NULL;
    long port = colon ? strtol(colon + 1, &end, 10) : 0;
    size_t size = colon ? (size_t)(colon - place) : 0;
    if (port < 1 || port > 65535 || *end || size >= sizeof(host) ||
        store->url->transport == REDIS_OVER_UNIX) {
        const redis_words redirection = {.items = (const char *[]){"redirection"}, .count = 1};
        nitro_status status = nitro_redis_fail(store, &store->nodes[a->node], &redirection, error);
        store->may_pass = false;
        return status;
    }
    bool same_host = size == 0 || (size == 1 && place[0] == '?');
    snprintf(host, sizeof(host), "%.*s", (int)size, place);
    nitro_status status =
        find_node(store, same_host ? store->nodes[a->node].host : host, (int)port, &a->node);
    a->asking = error[0] == 'A';
    if (status == NITRO_OK && !a->asking)
        store->slots[a->slot] = (unsigned char)a->node;
    return status;
}

static nitro_status try_once(redis_attempt *a, const redis_words *commands, size_t count,
                             redisReply **replies);

/* Each redirected command is followed alone: while a slot moves, its keys are on two servers.
 */
static nitro_status follow_all(redis_attempt *a, const redis_words *commands, size_t count,
                               redisReply **replies)
{
    nitro_status status = NITRO_OK;
    size_t node = a->node;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        if (replies[i]->type != REDIS_REPLY_ERROR || !nitro_redis_is_redirection(replies[i]->str) ||
            a->hops >= NITRO_REDIS_MAX_HOPS)
            continue;
        a->hops++;
        status = nitro_redis_follow(a, replies[i]->str);
        nitro_redis_free_replies(&replies[i], 1);
        if (status == NITRO_OK)
            status = try_once(a, &commands[i], 1, &replies[i]);
        a->asking = false;
        a->node = status == NITRO_OK ? node : a->node;
        a->hops--;
    }
    return status;
}

static nitro_status try_once(redis_attempt *a, const redis_words *commands, size_t count,
                             redisReply **replies)
{
    redis_store *store = a->store;
    redis_node *node = &store->nodes[a->node];
    a->answered = false;
    nitro_status status = nitro_redis_connect(store, node);
    if (status != NITRO_OK)
        return status;
    status = nitro_redis_exchange(store, node, commands, count, a->asking, replies);
    a->sent = a->sent || status != NITRO_OK;
    if (status != NITRO_OK)
        return status;
    a->answered = true;
    status = follow_all(a, commands, count, replies);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        if (replies[i]->type != REDIS_REPLY_ERROR)
            continue;
        status = nitro_redis_fail(store, node, &commands[i], replies[i]->str);
        if (strncmp(replies[i]->str, "READONLY", 8) == 0)
            nitro_redis_disconnect(node); /* another server may have taken its address */
    }
    return status;
}

static void wait_ms(double ms)
{
    struct timespec rest = {.tv_sec = (time_t)(ms / 1000),
                            .tv_nsec = (long)(ms * 1e6) % 1000000000L};
    nanosleep(&rest, NULL);
}

/* A cluster's server that does not answer may have been replaced: ask another one for the slot. */
static void forget_node(redis_attempt *a)
{
    redis_store *store = a->store;
    if (!a->answered)
        store->slots[a->slot] = (unsigned char)((a->node + 1) % store->num_nodes);
    a->node = store->slots[a->slot];
    a->asking = false;
    a->hops = 0;
}

nitro_status nitro_redis_keep_trying(redis_store *store, const char *key, redis_try_function try_it,
                                     void *user)
{
    redis_attempt a = {.store = store, .slot = nitro_redis_slot(key)};
    double begin_ms = nitro_clock_wall_ms(store->context), pause_ms = FIRST_WAIT_MS;
    a.node = store->slots[a.slot];
    for (;;) {
        store->may_pass = a.again = false;
        nitro_status status = try_it(&a, user);
        if (status == NITRO_OK)
            return NITRO_OK;
        double elapsed_ms = nitro_clock_wall_ms(store->context) - begin_ms;
        if (a.again && elapsed_ms <= store->url->timeout_ms)
            continue;
        if (!store->may_pass || ++a.tries == (a.answered ? MAX_TRIES : MAX_RECONNECTS) ||
            elapsed_ms + pause_ms > store->url->timeout_ms)
            return status;
        wait_ms(pause_ms);
        pause_ms = 2 * pause_ms < LONGEST_WAIT ? 2 * pause_ms : LONGEST_WAIT;
        forget_node(&a);
    }
}

typedef struct batch {
    const redis_words *commands;
    size_t count;
    redisReply **replies;
} batch;

static nitro_status try_batch(redis_attempt *a, void *user)
{
    batch *b = user;
    nitro_status status = try_once(a, b->commands, b->count, b->replies);
    if (status != NITRO_OK)
        nitro_redis_free_replies(b->replies, b->count);
    return status;
}

nitro_status nitro_redis_run(redis_store *store, const char *key, const redis_words *commands,
                             size_t num_commands, redisReply **replies)
{
    batch b = {commands, num_commands, replies};
    memset(replies, 0, num_commands * sizeof(*replies));
    return nitro_redis_keep_trying(store, key, try_batch, &b);
}

nitro_status nitro_redis_query(redis_store *store, redisReply **reply, ...)
{
    redis_words words = {0};
    nitro_status status = NITRO_OK;
    va_list texts;
    va_start(texts, reply);
    for (const char *text; status == NITRO_OK && (text = va_arg(texts, const char *));)
        status = nitro_redis_words_add_text(store->context, &words, text);
    va_end(texts);
    redisReply *unread = NULL;
    if (status == NITRO_OK)
        status = nitro_redis_run(store, words.items[1], &words, 1, reply ? reply : &unread);
    nitro_redis_free_replies(&unread, 1);
    nitro_redis_words_free(&words);
    return status;
}

nitro_status nitro_redis_get(redis_store *store, const char *key, const char *field,
                             redisReply **value)
{
    const char *command = field ? "HGET" : "GET";
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_query(store, &reply, command, key, field, (char *)NULL);
    if (status == NITRO_OK && reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_NIL) {
        nitro_redis_free_replies(&reply, 1);
        status = nitro_redis_fail_reply(store, command, key);
    }
    if (status == NITRO_OK)
        *value = reply;
    return status;
}
