/* Sends commands over one connection and reads the replies. Every wait is bounded; the bound grows
 * with the bytes that are sent and received. */
#include <string.h>

#include "store/redis/redis_connection.h"
#include "store/redis/redis_tls.h"

/* How much longer than the timeout a long command or reply may take. */
#define SLOWEST_BYTES_PER_MS 1000.0

typedef struct transfer {
    redis_store *store;
    redis_node *node;
    const char *command; /* the first one's name */
    double deadline_ms;  /* grows with the bytes sent and received */
} transfer;

static nitro_status fail_tls(const transfer *t, redis_tls_result result)
{
    char problem[512];
    const char *why = nitro_redis_tls_problem(t->node->tls);
    bool unaccepted = result == REDIS_TLS_REFUSED ||
                      (result == REDIS_TLS_CLOSED && nitro_redis_is_hung_up(t->store, t->node));
    t->store->may_pass = result != REDIS_TLS_REFUSED;
    if (result == REDIS_TLS_SILENT)
        snprintf(problem, sizeof(problem), NITRO_REDIS_SILENCE, t->store->url->timeout_ms / 1000);
    else
        snprintf(problem, sizeof(problem), "%s%s", why,
                 unaccepted ? "; the server may want a certificate: ?cert=FILE&key=FILE" : "");
    return nitro_redis_fail_with(t->store, t->node,
                                 result == REDIS_TLS_REFUSED ? NITRO_ERR_DENIED : NITRO_ERR_IO,
                                 t->command, problem);
}

static nitro_status write_some(transfer *t, bool *done)
{
    redis_node *node = t->node;
    redis_tls_result result = REDIS_TLS_DONE;
    int all = 0, written = REDIS_OK;
    redis_held_signals held = nitro_redis_hold_pipe_signal();
    if (node->tls)
        result = nitro_redis_tls_write(node->tls, done);
    else
        written = redisBufferWrite(node->connection, &all);
    nitro_redis_release_pipe_signal(&held, written != REDIS_OK || result != REDIS_TLS_DONE);
    if (written != REDIS_OK)
        return nitro_redis_fail_hiredis(t->store, node, t->command, node->connection);
    if (!node->tls)
        *done = all;
    return result == REDIS_TLS_DONE ? NITRO_OK : fail_tls(t, result);
}

/* TLS may have to write so that it can read. */
static nitro_status read_some(transfer *t)
{
    redis_node *node = t->node;
    if (!node->tls)
        return redisBufferRead(node->connection) == REDIS_OK
                   ? NITRO_OK
                   : nitro_redis_fail_hiredis(t->store, node, t->command, node->connection);
    redis_held_signals held = nitro_redis_hold_pipe_signal();
    redis_tls_result result = nitro_redis_tls_read(node->tls, node->connection->reader);
    nitro_redis_release_pipe_signal(&held, result != REDIS_TLS_DONE);
    return result == REDIS_TLS_DONE ? NITRO_OK : fail_tls(t, result);
}

static nitro_status send_all(transfer *t)
{
    for (bool done = false; !done;) {
        nitro_status status = write_some(t, &done);
        if (status != NITRO_OK)
            return status;
        if (!done && nitro_clock_wall_ms(t->store->context) > t->deadline_ms) {
            t->store->may_pass = true;
            return nitro_redis_fail_io(
                t->store, t->node, t->command,
                "the server accepts the command too slowly; raise ?timeout=SECONDS in the URL");
        }
    }
    return NITRO_OK;
}

static nitro_status fail_too_large(transfer *t)
{
    t->store->too_large = true;
    return nitro_redis_fail_io(
        t->store, t->node, t->command,
        "the reply is larger than any of a Nitro store, or nested deeper; is this a Nitro store?");
}

static nitro_status receive(transfer *t, redisReply **reply)
{
    redisContext *connection = t->node->connection;
    void *got = NULL;
    t->node->budget.bytes = NITRO_REDIS_MAX_REPLY_BYTES;
    t->node->budget.exceeded = false;
    for (;;) {
        if (redisGetReplyFromReader(connection, &got) != REDIS_OK)
            return t->node->budget.exceeded
                       ? fail_too_large(t)
                       : nitro_redis_fail_hiredis(t->store, t->node, t->command, connection);
        if (got)
            break;
        size_t before = connection->reader->len;
        nitro_status status = read_some(t);
        if (status != NITRO_OK)
            return status;
        size_t after = connection->reader->len;
        if (after > NITRO_REDIS_MAX_REPLY_BYTES)
            return fail_too_large(t);
        t->deadline_ms += after > before ? (double)(after - before) / SLOWEST_BYTES_PER_MS : 0;
        if (nitro_clock_wall_ms(t->store->context) > t->deadline_ms) {
            t->store->may_pass = true;
            return nitro_redis_fail_io(
                t->store, t->node, t->command,
                "the server answers too slowly; raise ?timeout=SECONDS in the URL");
        }
    }
    t->node->answered = true;
    *reply = got;
    return NITRO_OK;
}

static nitro_status append_to_tls(transfer *t, const redis_words *words)
{
    char *command = NULL;
    long long size =
        redisFormatCommandArgv(&command, (int)words->count, words->items, words->sizes);
    if (size < 0)
        return nitro_fail(t->store->context, NITRO_ERR_NO_MEMORY, "%s: %s: out of memory",
                          t->store->url->shown, t->command);
    nitro_status status =
        nitro_redis_tls_append(t->store->context, t->node->tls, command, (size_t)size);
    explicit_bzero(command, (size_t)size); /* it may be AUTH */
    redisFreeCommand(command);
    return status;
}

static nitro_status append(transfer *t, const redis_words *words)
{
    redisContext *connection = t->node->connection;
    nitro_status status = NITRO_OK;
    if (t->node->tls)
        status = append_to_tls(t, words);
    else if (redisAppendCommandArgv(connection, (int)words->count, words->items, words->sizes) !=
             REDIS_OK)
        status = nitro_redis_fail_hiredis(t->store, t->node, t->command, connection);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < words->count; i++)
        t->deadline_ms += (double)words->sizes[i] / SLOWEST_BYTES_PER_MS;
    return NITRO_OK;
}

static nitro_status receive_all(transfer *t, size_t count, bool asking, redisReply **replies)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        redisReply *asked = NULL;
        if (asking)
            status = receive(t, &asked);
        if (asked)
            freeReplyObject(asked);
        if (status == NITRO_OK)
            status = receive(t, &replies[i]);
    }
    return status;
}

/* After more bytes than the replies, none of these can be trusted to be of its command. */
static nitro_status require_end(transfer *t)
{
    const redisReader *reader = t->node->connection->reader;
    if (reader->pos == reader->len)
        return NITRO_OK;
    t->store->may_pass = true;
    return nitro_redis_fail_io(t->store, t->node, t->command, "the server sent more than replies");
}

nitro_status nitro_redis_exchange(redis_store *store, redis_node *node, const redis_words *commands,
                                  size_t num_commands, bool asking, redisReply **replies)
{
    transfer t = {.store = store,
                  .node = node,
                  .command = commands[0].items[0],
                  .deadline_ms = nitro_clock_wall_ms(store->context) + store->url->timeout_ms};
    const char *query[] = {"ASKING"};
    const redis_words query_words = {.items = query, .sizes = (size_t[]){6}, .count = 1};
    nitro_status status = NITRO_OK;
    store->too_large = false;
    for (size_t i = 0; i < num_commands && status == NITRO_OK; i++) {
        if (asking)
            status = append(&t, &query_words);
        if (status == NITRO_OK)
            status = append(&t, &commands[i]);
    }
    if (status == NITRO_OK)
        status = send_all(&t);
    if (status == NITRO_OK)
        status = receive_all(&t, num_commands, asking, replies);
    return status == NITRO_OK ? require_end(&t) : status;
}
