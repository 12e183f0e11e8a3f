/* Starts threads with signals blocked. A fault stays with the thread that it is of: where it is
 * blocked, the process ends without a word from the application's handler. */
#include <signal.h>

#include "nitro/base/thread_start.h"

bool nitro_thread_start(pthread_t *thread, void *(*run)(void *), void *user)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    bool is_started = pthread_create(thread, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}
