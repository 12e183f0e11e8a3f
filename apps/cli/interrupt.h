/* interrupt.h - Ctrl-C or SIGTERM during a long command whose work is kept. */
#ifndef NITRO_APPS_CLI_INTERRUPT_H
#define NITRO_APPS_CLI_INTERRUPT_H

#include <stdbool.h>

/** The first Ctrl-C or SIGTERM is noted from now on. A second one ends the program at once, and so
 * does SIGTERM after 0.7 s: job schedulers do not wait. */
void interrupts_catch(void);
bool interrupts_seen(void);

#endif
