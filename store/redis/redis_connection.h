/* redis_connection.h - what the files of one connection to a Redis server share: errors, and
 * SIGPIPE blocked during writes. */
#ifndef NITRO_STORE_REDIS_REDIS_CONNECTION_H
#define NITRO_STORE_REDIS_REDIS_CONNECTION_H

#include <signal.h>

#include "store/redis/redis_internal.h"

/* ---- redis_connection.c ---------------------------------------------------------------------- */

/** Message for a server that does not answer; %g: the timeout in seconds. */
#define NITRO_REDIS_SILENCE                                                                        \
    "no answer within %g s; is the server stopped, or too busy? ?timeout=SECONDS in the URL "      \
    "waits longer"

/** Close the connection and report server, command (NULL: while connecting) and cause. Never
 * NITRO_OK. */
nitro_status nitro_redis_fail_with(redis_store *store, redis_node *node, nitro_status status,
                                   const char *command, const char *problem);
/** The same with NITRO_ERR_IO. */
nitro_status nitro_redis_fail_io(redis_store *store, redis_node *node, const char *command,
                                 const char *problem);
/** With hiredis's own message, except for timeouts, which it leaves to errno. */
nitro_status nitro_redis_fail_hiredis(redis_store *store, redis_node *node, const char *command,
                                      const redisContext *connection);
/** Did the server close a network connection before it sent anything, and no store was found? */
bool nitro_redis_is_hung_up(const redis_store *store, const redis_node *node);

/* ---- redis_pipe_signal.c --------------------------------------------------------------------- */

typedef struct redis_held_signals {
    sigset_t before;
    bool was_pending;
} redis_held_signals;

/** Block SIGPIPE in this thread. */
redis_held_signals nitro_redis_hold_pipe_signal(void);
/** Restore the signal mask; if the write `failed`, discard its SIGPIPE. Keeps errno. */
void nitro_redis_release_pipe_signal(const redis_held_signals *held, bool failed);

#endif
