/* Error and log messages of a context. The last errors of the threads that failed most recently are
 * behind one lock, which only failures take. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nitro/base/context.h"
#include "nitro/base/require.h"

static _Thread_local uint64_t thread_number; /* 0: none yet */
static _Thread_local nitro_context *calling_context;

const char *nitro_version(void)
{
    return NITRO_VERSION_STRING;
}

const char *nitro_status_name(nitro_status status)
{
    static const char *const names[] = {
        [NITRO_OK] = "ok",
        [NITRO_ERR_ARGUMENT] = "bad argument",
        [NITRO_ERR_NO_MEMORY] = "out of memory",
        [NITRO_ERR_BAD_FEATURE] = "bad feature value",
        [NITRO_ERR_NO_VARIANT] = "no variant accepts the input",
        [NITRO_ERR_VARIANT_FAILED] = "variant failed",
        [NITRO_ERR_MISMATCH] = "another set of features or variants",
        [NITRO_ERR_FORMAT] = "malformed",
        [NITRO_ERR_IO] = "input or output failed",
        [NITRO_ERR_NOT_FOUND] = "not found",
        [NITRO_ERR_EXISTS] = "exists already",
        [NITRO_ERR_NEWER] = "written by a newer version",
        [NITRO_ERR_NOT_BUILT] = "not in this build",
        [NITRO_ERR_NO_DATA] = "too little data",
        [NITRO_ERR_INTERRUPTED] = "interrupted",
        [NITRO_ERR_DENIED] = "refused by the server",
        [NITRO_ERR_UNSUPPORTED] = "not supported here",
    };
    size_t count = sizeof(names) / sizeof(names[0]);
    return (size_t)status < count ? names[status] : "unknown status";
}

uint64_t nitro_thread_number(void)
{
    static _Atomic uint64_t last;
    if (thread_number == 0)
        thread_number = ++last;
    return thread_number;
}

void nitro_thread_work_for(uint64_t number)
{
    thread_number = number;
}

nitro_context *nitro_calling_context(void)
{
    return calling_context;
}

void nitro_calling_context_set(nitro_context *context)
{
    calling_context = context;
}

/** The calling thread's error, or NULL; the lock is held. */
static nitro_thread_error *find_error(nitro_context *context)
{
    uint64_t number = nitro_thread_number();
    for (size_t i = 0; i < NITRO_NUM_THREAD_ERRORS; i++)
        if (context->errors[i].thread == number)
            return &context->errors[i];
    return NULL;
}

/** The same, or a place for it: a free one, or that of the oldest failure. */
static nitro_thread_error *make_error(nitro_context *context)
{
    nitro_thread_error *found = find_error(context), *oldest = &context->errors[0];
    for (size_t i = 1; !found && i < NITRO_NUM_THREAD_ERRORS; i++)
        if (context->errors[i].order < oldest->order)
            oldest = &context->errors[i];
    return found ? found : oldest;
}

void nitro_context_last_error(nitro_context *context, char *buffer, size_t size)
{
    if (!buffer || size == 0)
        return;
    buffer[0] = '\0';
    if (!context)
        return;
    nitro_lock_acquire(&context->error_lock);
    const nitro_thread_error *error = find_error(context);
    if (error)
        snprintf(buffer, size, "%s", error->message);
    nitro_lock_release(&context->error_lock);
}

void nitro_context_clear_error(nitro_context *context)
{
    if (!context)
        return;
    nitro_lock_acquire(&context->error_lock);
    nitro_thread_error *error = find_error(context);
    if (error)
        error->message[0] = '\0';
    nitro_lock_release(&context->error_lock);
}

nitro_status nitro_fail(nitro_context *context, nitro_status status, const char *format, ...)
{
    char message[NITRO_ERROR_BYTES]; /* a copy: the arguments may contain the last error */
    if (!context || !format)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    nitro_lock_acquire(&context->error_lock);
    nitro_thread_error *error = make_error(context);
    error->thread = nitro_thread_number();
    error->order = ++context->num_errors;
    memcpy(error->message, message, strlen(message) + 1);
    nitro_lock_release(&context->error_lock);
    return status;
}

nitro_status nitro_fail_null(nitro_context *context, const char *function, const char *needed)
{
    return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: an argument is NULL; needed: %s", function,
                      needed);
}

void nitro_log(nitro_context *context, nitro_log_level level, const char *format, ...)
{
    if (!context->log || level > context->log_level)
        return;
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, message);
}
