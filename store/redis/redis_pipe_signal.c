/* Blocks SIGPIPE during writes: a closed connection must not kill the program that uses the
 * library, and its signal handlers must not change. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "store/redis/redis_connection.h"

redis_held_signals nitro_redis_hold_pipe_signal(void)
{
    redis_held_signals held;
    sigset_t pipe_only, pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    held.was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &held.before);
    return held;
}

void nitro_redis_release_pipe_signal(const redis_held_signals *held, bool failed)
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
