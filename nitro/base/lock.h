/* lock.h - a mutex that works in a forked child, too: there it is made anew, for a thread that only
 * the parent has may hold it. Internal to nitro/. */
#ifndef NITRO_BASE_LOCK_H
#define NITRO_BASE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/** Ready for use when it is zero. */
typedef struct nitro_lock {
    pthread_mutex_t mutex;
    _Atomic(pid_t) process; /* whose threads use it; 0: none did; -p: p is making it anew */
} nitro_lock;

void nitro_lock_acquire(nitro_lock *lock);
void nitro_lock_release(nitro_lock *lock);

#endif
