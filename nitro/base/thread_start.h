/* thread_start.h - threads of the library's own. Internal to nitro/. */
#ifndef NITRO_BASE_THREAD_START_H
#define NITRO_BASE_THREAD_START_H

#include <pthread.h>
#include <stdbool.h>

/** Start a thread that does not run the application's signal handlers, except for its own faults.
 *  @return whether it was started. */
bool nitro_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

#endif
