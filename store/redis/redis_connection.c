/* One connection to a Redis server, through hiredis: connecting, logging in, closing, and error
 * messages that tell a silent server from one that is not Redis. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "store/redis/redis_connection.h"
#include "store/redis/redis_tls.h"

nitro_status nitro_redis_fail_with(redis_store *store, redis_node *node, nitro_status status,
                                   const char *command, const char *problem)
{
    nitro_redis_disconnect(node);
    return nitro_fail(store->context, status, "%s: %s%s%s: %s%s", store->url->shown,
                      command ? command : "cannot connect to ", command ? " at " : "",
                      nitro_redis_node_name(store, node), problem,
                      command ? "" : "; is a server running there?");
}

nitro_status nitro_redis_fail_io(redis_store *store, redis_node *node, const char *command,
                                 const char *problem)
{
    return nitro_redis_fail_with(store, node, NITRO_ERR_IO, command, problem);
}

bool nitro_redis_is_hung_up(const redis_store *store, const redis_node *node)
{
    return store->url->transport != REDIS_OVER_UNIX && !node->answered && store->layout == 0;
}

nitro_status nitro_redis_fail_hiredis(redis_store *store, redis_node *node, const char *command,
                                      const redisContext *connection)
{
    char problem[256];
    int error = errno;
    /* Once a store was found there, what is no reply was garbled on its way. */
    bool is_stranger = connection->err == REDIS_ERR_PROTOCOL && store->layout == 0;
    store->may_pass = !is_stranger && connection->err != REDIS_ERR_OOM;
    if (connection->err == REDIS_ERR_IO && (error == EAGAIN || error == EWOULDBLOCK))
        snprintf(problem, sizeof(problem), NITRO_REDIS_SILENCE, store->url->timeout_ms / 1000);
    else if (is_stranger)
        snprintf(problem, sizeof(problem), "the server is no Redis server: %s%s",
                 connection->errstr,
                 strstr(connection->errstr, "\\x15") ? "; it may want TLS: rediss://" : "");
    else
        snprintf(problem, sizeof(problem), "%s%s", connection->errstr,
                 command && nitro_redis_is_hung_up(store, node) ? "; it may want TLS: rediss://"
                                                                : "");
    return nitro_redis_fail_with(store, node, is_stranger ? NITRO_ERR_FORMAT : NITRO_ERR_IO,
                                 command, problem);
}

const char *nitro_redis_node_name(const redis_store *store, redis_node *node)
{
    if (store->url->transport == REDIS_OVER_UNIX)
        snprintf(node->name, sizeof(node->name), "%.200s", node->host);
    else
        snprintf(node->name, sizeof(node->name), "%.200s:%d", node->host, node->port);
    return node->name;
}

static struct timeval timeout_of(const redis_store *store)
{
    double ms = store->url->timeout_ms;
    return (struct timeval){.tv_sec = (time_t)(ms / 1000),
                            .tv_usec = (suseconds_t)((long)(ms * 1000) % 1000000)};
}

/* AUTH and SELECT: an error there is final unless it is a temporary one. */
static nitro_status greet(redis_store *store, redis_node *node, redis_words *words)
{
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_exchange(store, node, words, 1, false, &reply);
    if (status == NITRO_OK && reply->type == REDIS_REPLY_ERROR) {
        status = nitro_redis_fail(store, node, words, reply->str);
        nitro_redis_disconnect(node);
    }
    if (reply)
        freeReplyObject(reply);
    return status;
}

static nitro_status log_in(redis_store *store, redis_node *node)
{
    const redis_url *url = store->url;
    redis_words words = {0};
    if (!url->password)
        return NITRO_OK;
    nitro_status status = nitro_redis_words_add_text(store->context, &words, "AUTH");
    if (status == NITRO_OK && url->user)
        status = nitro_redis_words_add_text(store->context, &words, url->user);
    if (status == NITRO_OK)
        status = nitro_redis_words_add_text(store->context, &words, url->password);
    if (status == NITRO_OK)
        status = greet(store, node, &words);
    nitro_redis_words_free(&words);
    return status;
}

static nitro_status choose_database(redis_store *store, redis_node *node)
{
    char number[16];
    redis_words words = {0};
    if (store->url->database == 0)
        return NITRO_OK;
    snprintf(number, sizeof(number), "%d", store->url->database);
    nitro_status status =
        nitro_redis_words_add_texts(store->context, &words, "SELECT", number, (char *)NULL);
    if (status == NITRO_OK)
        status = greet(store, node, &words);
    nitro_redis_words_free(&words);
    return status;
}

static nitro_status start_tls(redis_store *store, redis_node *node)
{
    redis_held_signals held = nitro_redis_hold_pipe_signal();
    nitro_status status = nitro_redis_tls_start(store, node);
    nitro_redis_release_pipe_signal(&held, status != NITRO_OK);
    if (status != NITRO_OK)
        nitro_redis_disconnect(node);
    return status;
}

nitro_status nitro_redis_connect(redis_store *store, redis_node *node)
{
    if (node->connection)
        return NITRO_OK;
    bool is_path = store->url->transport == REDIS_OVER_UNIX;
    struct timeval timeout = timeout_of(store);
    errno = 0;
    redisContext *connection = is_path ? redisConnectUnixWithTimeout(node->host, timeout)
                                       : redisConnectWithTimeout(node->host, node->port, timeout);
    if (!connection)
        return nitro_fail(store->context, NITRO_ERR_NO_MEMORY, "%s: out of memory: cannot connect",
                          store->url->shown);
    node->connection = connection;
    node->answered = false;
    if (connection->err)
        return nitro_redis_fail_hiredis(store, node, NULL, connection);
    fcntl(connection->fd, F_SETFD, FD_CLOEXEC);
    if (redisSetTimeout(connection, timeout) != REDIS_OK)
        return nitro_redis_fail_hiredis(store, node, NULL, connection);
    nitro_status status = NITRO_OK;
    if (store->url->transport == REDIS_OVER_TLS)
        status = start_tls(store, node);
    if (status == NITRO_OK)
        nitro_redis_bound_replies(node);
    if (status == NITRO_OK)
        status = log_in(store, node);
    return status == NITRO_OK ? choose_database(store, node) : status;
}

void nitro_redis_disconnect(redis_node *node)
{
    nitro_redis_tls_free(node->tls);
    node->tls = NULL;
    if (node->connection)
        redisFree(node->connection);
    node->connection = NULL;
}
