/* commands.h - finding a subcommand by the words of a command line. */
#ifndef NITRO_APPS_CLI_COMMANDS_H
#define NITRO_APPS_CLI_COMMANDS_H

#include "apps/cli/options.h"

/** All commands, in the order of commands.list, ended by NULL. */
const command *const *commands_all(void);

/**
 * The command that words[0], or words[0] and words[1], name: the longer name wins.
 * @param[out] used  how many words the name took.
 * @return NULL when there is none.
 */
const command *commands_find(char **words, size_t num_words, size_t *used);

/** Is `word` the first word of commands of two words ("store")? */
bool commands_is_group(const char *word);

/** The closest command name for what the user wrote, or NULL. `group` NULL: any first word. */
const char *commands_closest(const char *group, const char *word);

#endif
