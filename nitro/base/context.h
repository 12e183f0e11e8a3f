/* context.h - the definition of a context. Internal to nitro/. */
#ifndef NITRO_BASE_CONTEXT_H
#define NITRO_BASE_CONTEXT_H

#include "nitro/base/lock.h"
#include "nitro/base/setting_entries.h"

/** Threads whose last error is kept: those that failed most recently. */
#define NITRO_NUM_THREAD_ERRORS 64
#define NITRO_ERROR_BYTES       4096

typedef struct nitro_thread_error {
    uint64_t thread; /* its number; 0: free */
    uint64_t order;  /* of failures */
    char message[NITRO_ERROR_BYTES];
} nitro_thread_error;

struct nitro_context {
    nitro_lock error_lock;
    nitro_thread_error errors[NITRO_NUM_THREAD_ERRORS];
    uint64_t num_errors; /* so far */
    nitro_clock clock;
    nitro_log_level log_level;
    nitro_log_function log;
    void *log_user;
    nitro_setting_entries settings; /* set by the program */
    const nitro_device_kind
        *test_device_kind; /* looked up before the built-in kinds; may be NULL */
};

/** Number of the calling thread, from 1; unlike its id, no later thread of the process has it. */
uint64_t nitro_thread_number(void);
/** From now on, errors of the calling thread are those of another one, for which it works. */
void nitro_thread_work_for(uint64_t number);

/** While the calling thread runs `prepare` of a variant, which gets no context: its computation's,
 *  for what there is to log. NULL: none. */
nitro_context *nitro_calling_context(void);
void nitro_calling_context_set(nitro_context *context);

#endif
