/* interrupt.c - sets a flag on SIGINT and SIGTERM. */
#include "apps/cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#define GRACE_US 700000

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    const struct itimerval grace = {.it_value = {.tv_usec = GRACE_US}};
    interrupted = 1;
    if (signal_number == SIGTERM)
        setitimer(ITIMER_REAL, &grace, NULL);
}

/* What is stored is durable, and a worker ends with us. */
static void end(int signal_number)
{
    (void)signal_number;
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

void interrupts_catch(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    const struct sigaction ending = {.sa_handler = end};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &ending, NULL);
}

bool interrupts_seen(void)
{
    return interrupted != 0;
}
