/* crash.c - the message is composed beforehand, since a signal handler may do little more than
 * write(). The signal is then raised again with its default action, so that a debugger and a core
 * file show the crash itself. */
#include "apps/cli/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "apps/cli/output.h"

enum { STACK_BYTES = 65536 };

static char input_text[1024], place_text[128];
static volatile sig_atomic_t watched;

static void tell(const char *what, const char *name)
{
    const char *parts[] = {input_text, what, name, place_text};
    struct iovec pieces[4];
    if (!watched)
        return;
    watched = 0;
    for (size_t i = 0; i < 4; i++)
        pieces[i] = (struct iovec){(char *)parts[i], strlen(parts[i])};
    ssize_t written = writev(STDERR_FILENO, pieces, 4);
    (void)written; /* nothing is left to be done */
}

static void tell_signal(int number)
{
    const char *name = sigabbrev_np(number);
    tell("SIG", name ? name : "NAL");
    raise(number); /* after return, and by its default: SA_RESETHAND */
}

static void tell_exit(int status, void *unused)
{
    (void)status;
    (void)unused;
    tell("the program was ended", "");
}

/** A stack overflow leaves no room for a handler but on a stack of its own. */
static void catch_signals(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[STACK_BYTES];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = tell_signal,
                                     .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};
    sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        sigaction(fatal[i], &action, NULL);
    on_exit(tell_exit, NULL);
}

void crash_watch(const invocation *call, const input_source *source, const char *place)
{
    static bool catches;
    char name[900];
    if (source->path)
        snprintf(name, sizeof name, "%s", source->path);
    else
        snprintf(name, sizeof name, "generated input %zu", source->index);
    nitro_text_clean(name, "");
    snprintf(input_text, sizeof input_text, "nitro %s: %s: ", call->command->name, name);
    snprintf(place_text, sizeof place_text, " in %s\n", place);
    if (!catches)
        catch_signals();
    catches = true;
    watched = 1;
}

void crash_unwatch(void)
{
    watched = 0;
}
