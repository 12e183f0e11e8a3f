/* message.c - errors, warnings and notes: always on stderr, always with the command's name. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output.h"
#include "apps/cli/terminal.h"

typedef enum message_kind { NOTE, WARNING, ERROR } message_kind;

/** On a terminal lines are wrapped, and what a warning or an error begins with has a colour. */
static void print_text(const invocation *call, message_kind kind, const char *text)
{
    static const text_style styles[] = {STYLE_PLAIN, STYLE_WARNING, STYLE_ERROR};
    char origin[80];
    snprintf(origin, sizeof origin, "nitro%s%s: %s", call->command ? " " : "",
             call->command ? call->command->name : "", kind == WARNING ? "warning: " : "");
    if (call->progress)
        progress_clear(call->progress);
    const char *begin = kind == NOTE ? "" : terminal_style(stderr, styles[kind]);
    fprintf(stderr, "%s%s%s", begin, origin, begin[0] ? terminal_style(stderr, STYLE_PLAIN) : "");
    print_words(stderr, text, strlen(origin), 4, terminal_width(stderr));
    fputc('\n', stderr);
}

static void print_message(const invocation *call, message_kind kind, const char *format,
                          va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        print_text(call, kind, "out of memory for a message");
        return;
    }
    nitro_text_clean(text, "\n\t"); /* it may quote a file or a server */
    print_text(call, kind, text);
    if (kind == ERROR && call->failure && !call->failure->message)
        call->failure->message = text;
    else
        free(text);
}

int fail(const invocation *call)
{
    char error[4096];
    nitro_context_last_error(call->context, error, sizeof error);
    return fail_text(call, "%s", error[0] ? error : "unknown error");
}

int exit_code(const invocation *call, nitro_status status)
{
    return status == NITRO_OK ? EXIT_DONE : fail(call);
}

int fail_text(const invocation *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(call, ERROR, format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

int fail_usage(const invocation *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(call, ERROR, format, arguments);
    va_end(arguments);
    fprintf(stderr, "See 'nitro help%s%s'.\n", call->command ? " " : "",
            call->command ? call->command->name : "");
    return EXIT_USAGE;
}

static const common_settings *common(const invocation *call)
{
    return call->settings;
}

void note(const invocation *call, const char *format, ...)
{
    if (common(call)->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    print_message(call, NOTE, format, arguments);
    va_end(arguments);
}

void warn(const invocation *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(call, WARNING, format, arguments);
    va_end(arguments);
}

/** A warning about every model that a command trains is printed once. */
static bool is_repeated(invocation *call, const char *message)
{
    uint64_t hash = nitro_hash(message, strlen(message), 0);
    size_t count = call->num_warnings;
    for (size_t i = 0; i < count && i < MAX_WARNINGS; i++)
        if (call->warnings[i] == hash)
            return true;
    size_t place = call->num_warnings++;
    if (place < MAX_WARNINGS)
        call->warnings[place] = hash;
    return false;
}

void show_log(void *user, nitro_log_level level, const char *message)
{
    invocation *call = user;
    if (level == NITRO_LOG_WARNING && is_repeated(call, message))
        return;
    if (level == NITRO_LOG_WARNING)
        warn(call, "%s", message);
    else if (call->settings && common(call)->verbose)
        note(call, "%s", message);
}

static void join(const char *const *names, size_t count, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < count && names[i]; i++)
        nitro_message_list_add(text, size, "%s", names[i]);
}

void join_names(const char *const *names, char *text, size_t size)
{
    join(names, SIZE_MAX, text, size);
}

const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void join_list(const nitro_string_list *names, char *text, size_t size)
{
    join((const char *const *)names->items, names->count, text, size);
}
