/* interrupt.h - Ctrl-C during a long command whose work is kept. */
#ifndef NITRO_APPS_CLI_INTERRUPT_H
#define NITRO_APPS_CLI_INTERRUPT_H

#include <stdbool.h>

/** The first Ctrl-C (or SIGTERM) is noted from now on; a second one ends the program at once. */
void interrupts_catch(void);
bool interrupts_seen(void);

#endif
