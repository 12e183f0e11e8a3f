/* context.h - the definition of a context. Internal to nitro/. */
#ifndef NITRO_BASE_CONTEXT_H
#define NITRO_BASE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "nitro/base/setting_entries.h"

struct nitro_context {
    pthread_mutex_t error_lock;
    _Atomic(pid_t) lock_process; /* whose threads use the lock; 0: it is being made anew */
    char error[4096];
    nitro_clock clock;
    nitro_log_level log_level;
    nitro_log_function log;
    void *log_user;
    nitro_setting_entries settings; /* set by the program */
    const nitro_device_kind
        *test_device_kind; /* looked up before the built-in kinds; may be NULL */
};

/** Lock the error: in a forked child too, whose copy a thread of the parent may have locked. */
void nitro_context_lock_error(nitro_context *context);

#endif
