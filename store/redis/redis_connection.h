/* redis_connection.h - what the files of one connection to a Redis server share: how it fails, and
 * SIGPIPE held back. */
#ifndef NITRO_STORE_REDIS_REDIS_CONNECTION_H
#define NITRO_STORE_REDIS_REDIS_CONNECTION_H

#include <signal.h>

#include "store/redis/redis_internal.h"

/* ---- redis_connection.c ---- */

/** What is said of a server that does not answer; %g: how long, in seconds. */
#define NITRO_REDIS_SILENCE                                                                        \
    "no answer within %g s; is the server stopped, or too busy? ?timeout=SECONDS in the URL "      \
    "waits longer"

/** End the connection, and say which server, command (NULL: while connecting) and why. Never
 *  NITRO_OK. */
nitro_status nitro_redis_fail_with(redis_store *store, redis_node *node, nitro_status status,
                                   const char *command, const char *problem);
/** The same with NITRO_ERR_IO. */
nitro_status nitro_redis_fail_io(redis_store *store, redis_node *node, const char *command,
                                 const char *problem);
/** In hiredis's own words, but for timeouts, which it leaves to errno. */
nitro_status nitro_redis_fail_hiredis(redis_store *store, redis_node *node, const char *command,
                                      const redisContext *connection);
/** Did the server end a connection over a network before it said anything? */
bool nitro_redis_is_hung_up(const redis_store *store, const redis_node *node);

/* ---- redis_pipe_signal.c ---- */

typedef struct redis_held_signals {
    sigset_t before;
    bool was_pending;
} redis_held_signals;

/** Hold SIGPIPE back for this thread. */
redis_held_signals nitro_redis_hold_pipe_signal(void);
/** As it was before; where the write `failed`, the SIGPIPE of it is taken. Keeps errno. */
void nitro_redis_release_pipe_signal(const redis_held_signals *held, bool failed);

#endif
