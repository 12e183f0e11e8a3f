/* A mutex that works in a forked child, too. */
#include <unistd.h>

#include "nitro/base/lock.h"

void nitro_lock_acquire(nitro_lock *lock)
{
    pid_t self = getpid(), process = atomic_load(&lock->process);
    while (process != self) {
        if (process != -self && atomic_compare_exchange_strong(&lock->process, &process, -self)) {
            pthread_mutex_init(&lock->mutex, NULL);
            atomic_store(&lock->process, self);
            break;
        }
        process = atomic_load(&lock->process);
    }
    pthread_mutex_lock(&lock->mutex);
}

void nitro_lock_release(nitro_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}
