/* help.h - a command's table as help for the terminal and as a man page. */
#ifndef NITRO_APPS_CLI_HELP_H
#define NITRO_APPS_CLI_HELP_H

#include <stdio.h>

#include "apps/cli/options.h"

/** What `nitro` without arguments prints. */
void help_overview(void);
/** Every command with its summary; `group` NULL: all, else those that begin with this word. */
void help_list(FILE *stream, const char *group);
void help_command(const command *about);

/** Print words of `text` from `column` on, wrapped at the terminal's width, or at 80
 *  columns, and indented; ends the line. */
void print_wrapped(FILE *stream, const char *text, size_t column, size_t indent);

/** roff for man(1); NULL: the page about nitro itself. */
void man_page(FILE *stream, const command *about);
/** roff for nitro.conf(5), from the table of settings. */
void man_settings_page(FILE *stream);
/** roff for nitro-COMPUTATION(7). */
void man_computation_page(FILE *stream, const nitro_module *module,
                          const nitro_computation *computation);
/** Print a completion script for one of `completion_shells`, which NULL ends. */
void completion_script(const char *shell);
extern const char *const completion_shells[];
/** The page's file name without ".1": "nitro", "nitro-store-import"; `name` has shape [size]. */
void man_name(const command *about, char *name, size_t size);

#endif
