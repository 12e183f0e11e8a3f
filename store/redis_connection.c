/* One connection to a Redis server, through hiredis. Hides that hiredis trusts its server: here
 * every wait ends, a reply has a largest size, and a server that goes away raises no SIGPIPE. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "store/redis_internal.h"
#include "store/redis_tls.h"

/* A command may take longer than the timeout when it is long or its reply is: by this much. */
#define SLOWEST_BYTES_PER_MS 1000.0

#define SILENCE                                                                                    \
    "no answer within %g s; is the server stopped, or too busy? ?timeout=SECONDS in the URL "      \
    "waits "                                                                                       \
    "longer"

#if HIREDIS_MAJOR >= 1
typedef size_t reply_count;
#else
typedef int reply_count;
#endif

/* `command` is NULL while connecting. */
static nitro_status fail_with(redis_store *store, redis_node *node, nitro_status status,
                              const char *command, const char *problem)
{
    nitro_redis_disconnect(node);
    return nitro_fail(store->context, status, "%s: %s%s%s: %s%s", store->url->shown,
                      command ? command : "cannot connect to ", command ? " at " : "",
                      nitro_redis_node_name(store, node), problem,
                      command ? "" : "; is a server running there?");
}

static nitro_status fail_io(redis_store *store, redis_node *node, const char *command,
                            const char *problem)
{
    return fail_with(store, node, NITRO_ERR_IO, command, problem);
}

/* Did the server end a connection over a network before it said anything? */
static bool is_hung_up(const redis_store *store, const redis_node *node)
{
    return store->url->transport != REDIS_OVER_UNIX && !node->answered;
}

/* hiredis's own words, but for timeouts, which it leaves to errno. */
static nitro_status fail_hiredis(redis_store *store, redis_node *node, const char *command,
                                 const redisContext *connection)
{
    char problem[256];
    int error = errno;
    store->may_pass = connection->err == REDIS_ERR_IO || connection->err == REDIS_ERR_EOF ||
                      connection->err == REDIS_ERR_OTHER;
    if (connection->err == REDIS_ERR_IO && (error == EAGAIN || error == EWOULDBLOCK))
        snprintf(problem, sizeof(problem), SILENCE, store->url->timeout_ms / 1000);
    else if (connection->err == REDIS_ERR_PROTOCOL)
        snprintf(problem, sizeof(problem), "what answers is no Redis server: %s%s",
                 connection->errstr,
                 strstr(connection->errstr, "\\x15") ? "; it may want TLS: rediss://" : "");
    else
        snprintf(problem, sizeof(problem), "%s%s", connection->errstr,
                 command && is_hung_up(store, node) ? "; it may want TLS: rediss://" : "");
    bool is_stranger = connection->err == REDIS_ERR_PROTOCOL;
    return fail_with(store, node, is_stranger ? NITRO_ERR_FORMAT : NITRO_ERR_IO, command, problem);
}

const char *nitro_redis_node_name(const redis_store *store, redis_node *node)
{
    if (store->url->transport == REDIS_OVER_UNIX)
        snprintf(node->name, sizeof(node->name), "%.200s", node->host);
    else
        snprintf(node->name, sizeof(node->name), "%.200s:%d", node->host, node->port);
    return node->name;
}

/* ---- A reply's budget ---------------------------------------------------------------------- */

static bool charge(redis_budget *budget, size_t bytes)
{
    budget->exceeded = budget->exceeded || bytes > budget->bytes;
    budget->bytes -= budget->exceeded ? 0 : bytes;
    return !budget->exceeded;
}

static void *create_string(const redisReadTask *task, char *text, size_t size)
{
    redis_budget *budget = task->privdata;
    return charge(budget, size + sizeof(redisReply))
               ? budget->hiredis.createString(task, text, size)
               : NULL;
}

static void *create_array(const redisReadTask *task, reply_count count)
{
    redis_budget *budget = task->privdata;
    size_t elements = count > 0 ? (size_t)count : 0;
    bool affordable = elements <= NITRO_REDIS_MAX_ELEMENTS &&
                      charge(budget, (elements + 1) * (sizeof(redisReply) + sizeof(void *)));
    budget->exceeded = !affordable;
    return affordable ? budget->hiredis.createArray(task, count) : NULL;
}

void nitro_redis_bound_replies(redis_node *node)
{
    redisReader *reader = node->connection->reader;
    node->budget.hiredis = *reader->fn;
    node->functions = *reader->fn;
    node->functions.createString = create_string;
    node->functions.createArray = create_array;
    reader->fn = &node->functions;
    reader->privdata = &node->budget;
}

/* ---- Sending and receiving ----------------------------------------------------------------- */

/* A library must not let its program be killed for writing to a closed connection, nor change what
 * the program does about signals: SIGPIPE is held back for this thread, and taken if it came. */
typedef struct held_signals {
    sigset_t before;
    bool was_pending;
} held_signals;

static held_signals hold_pipe_signal(void)
{
    held_signals held;
    sigset_t pipe_only, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    held.was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &held.before);
    return held;
}

static void release_pipe_signal(const held_signals *held, bool failed)
{
    const struct timespec at_once = {0};
    sigset_t pipe_only;
    int error = errno;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    if (failed && !held->was_pending)
        while (sigtimedwait(&pipe_only, NULL, &at_once) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = error;
}

typedef struct transfer {
    redis_store *store;
    redis_node *node;
    const char *command; /* the first one's name */
    double deadline_ms;  /* moves on with what is sent and received */
} transfer;

static nitro_status fail_tls(const transfer *t, redis_tls_result result)
{
    char problem[512];
    const char *why = nitro_redis_tls_problem(t->node->tls);
    bool unaccepted = result == REDIS_TLS_REFUSED ||
                      (result == REDIS_TLS_CLOSED && is_hung_up(t->store, t->node));
    t->store->may_pass = result != REDIS_TLS_REFUSED;
    if (result == REDIS_TLS_SILENT)
        snprintf(problem, sizeof(problem), SILENCE, t->store->url->timeout_ms / 1000);
    else
        snprintf(problem, sizeof(problem), "%s%s", why,
                 unaccepted ? "; the server may want a certificate: ?cert=FILE&key=FILE" : "");
    return fail_with(t->store, t->node,
                     result == REDIS_TLS_REFUSED ? NITRO_ERR_DENIED : NITRO_ERR_IO, t->command,
                     problem);
}

static nitro_status write_some(transfer *t, bool *done)
{
    redis_node *node = t->node;
    redis_tls_result result = REDIS_TLS_DONE;
    int all = 0, written = REDIS_OK;
    held_signals held = hold_pipe_signal();
    if (node->tls)
        result = nitro_redis_tls_write(node->tls, done);
    else
        written = redisBufferWrite(node->connection, &all);
    release_pipe_signal(&held, written != REDIS_OK || result != REDIS_TLS_DONE);
    if (written != REDIS_OK)
        return fail_hiredis(t->store, node, t->command, node->connection);
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
                   : fail_hiredis(t->store, node, t->command, node->connection);
    held_signals held = hold_pipe_signal();
    redis_tls_result result = nitro_redis_tls_read(node->tls, node->connection->reader);
    release_pipe_signal(&held, result != REDIS_TLS_DONE);
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
            return fail_io(t->store, t->node, t->command,
                           "the server takes the command too slowly");
        }
    }
    return NITRO_OK;
}

static nitro_status fail_too_large(transfer *t)
{
    return fail_io(t->store, t->node, t->command,
                   "the reply is larger than any that a Nitro store gives; is this one?");
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
                       : fail_hiredis(t->store, t->node, t->command, connection);
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
            return fail_io(t->store, t->node, t->command, "the server answers too slowly");
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
        status = fail_hiredis(t->store, t->node, t->command, connection);
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

nitro_status nitro_redis_exchange(redis_store *store, redis_node *node, const redis_words *commands,
                                  size_t num_commands, bool asking, redisReply **replies)
{
    transfer t = {.store = store,
                  .node = node,
                  .command = commands[0].items[0],
                  .deadline_ms = nitro_clock_wall_ms(store->context) + store->url->timeout_ms};
    const char *ask[] = {"ASKING"};
    const redis_words ask_words = {.items = ask, .sizes = (size_t[]){6}, .count = 1};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_commands && status == NITRO_OK; i++) {
        if (asking)
            status = append(&t, &ask_words);
        if (status == NITRO_OK)
            status = append(&t, &commands[i]);
    }
    if (status == NITRO_OK)
        status = send_all(&t);
    return status == NITRO_OK ? receive_all(&t, num_commands, asking, replies) : status;
}

/* ---- Connecting ---------------------------------------------------------------------------- */

static struct timeval timeout_of(const redis_store *store)
{
    double ms = store->url->timeout_ms;
    return (struct timeval){.tv_sec = (time_t)(ms / 1000),
                            .tv_usec = (suseconds_t)((long)(ms * 1000) % 1000000)};
}

/* AUTH and SELECT: a refusal there is final, unless it says that it will pass. */
static nitro_status greet(redis_store *store, redis_node *node, redis_words *words)
{
    redisReply *reply = NULL;
    nitro_status status = nitro_redis_exchange(store, node, words, 1, false, &reply);
    if (status == NITRO_OK && reply->type == REDIS_REPLY_ERROR) {
        status = nitro_redis_fail(store, node, words->items[0], reply->str);
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
    held_signals held = hold_pipe_signal();
    nitro_status status = nitro_redis_tls_start(store, node);
    release_pipe_signal(&held, status != NITRO_OK);
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
        return fail_hiredis(store, node, NULL, connection);
    fcntl(connection->fd, F_SETFD, FD_CLOEXEC);
    if (redisSetTimeout(connection, timeout) != REDIS_OK)
        return fail_hiredis(store, node, NULL, connection);
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
