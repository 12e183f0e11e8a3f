/* crash.h - a computation's code that ends this program, told with the input at hand. Loaders and
 * feature functions run in this process, where a command needs the input itself. */
#ifndef NITRO_APPS_CLI_CRASH_H
#define NITRO_APPS_CLI_CRASH_H

#include "apps/cli/inputs.h"

/** From now on a crash or a call of exit() prints the input and `place`, "its loader" for one. The
 * program still ends by that signal, or with that status. */
void crash_watch(const invocation *call, const input_source *source, const char *place);
void crash_unwatch(void);

#endif
