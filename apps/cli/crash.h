/* crash.h - a message when a computation's code crashes or calls exit(), with the input at hand.
 * Where a command needs the input itself, loaders and feature functions run in this process. */
#ifndef NITRO_APPS_CLI_CRASH_H
#define NITRO_APPS_CLI_CRASH_H

#include "apps/cli/inputs.h"

/** From now on a crash or a call of exit() prints the input and `place`, such as "its loader". The
 * program still ends by that signal, or with that status. */
void crash_watch(const invocation *call, const input_source *source, const char *place);
void crash_unwatch(void);

#endif
