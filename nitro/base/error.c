/* Error and log messages of a context. One buffer behind a lock holds the last error, so that any
 * thread may fail while others decide. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nitro/base/context.h"

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

void nitro_context_lock_error(nitro_context *context)
{
    pid_t self = getpid(), process = atomic_load(&context->lock_process);
    while (process != self) {
        if (process != 0 && atomic_compare_exchange_weak(&context->lock_process, &process, 0)) {
            pthread_mutex_init(&context->error_lock, NULL);
            atomic_store(&context->lock_process, self);
            break;
        }
        process = atomic_load(&context->lock_process);
    }
    pthread_mutex_lock(&context->error_lock);
}

void nitro_context_last_error(nitro_context *context, char *buffer, size_t size)
{
    if (size == 0)
        return;
    nitro_context_lock_error(context);
    snprintf(buffer, size, "%s", context->error);
    pthread_mutex_unlock(&context->error_lock);
}

void nitro_context_clear_error(nitro_context *context)
{
    nitro_context_lock_error(context);
    context->error[0] = '\0';
    pthread_mutex_unlock(&context->error_lock);
}

nitro_status nitro_fail(nitro_context *context, nitro_status status, const char *format, ...)
{
    char message[sizeof(context->error)]; /* a copy: the arguments may contain the last error */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    nitro_context_lock_error(context);
    memcpy(context->error, message, strlen(message) + 1);
    pthread_mutex_unlock(&context->error_lock);
    return status;
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
