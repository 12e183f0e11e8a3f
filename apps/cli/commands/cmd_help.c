/* cmd_help.c - nitro help: help of one command, and man pages of one or all. */
#include <string.h>

#include "apps/cli/commands.h"
#include "apps/cli/help.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    bool man;
    const char *man_directory;
    const char *completion;
} settings;

static const option options[] = {
    OPTION(FLAG, "man", man, NULL,
           "print the man page (roff) instead; without COMMAND, the page about nitro itself"),
    OPTION(TEXT, "man-directory", man_directory, "DIRECTORY",
           "write the man pages of all commands, and nitro.conf.5, into this existing directory"),
    OPTION(TEXT, "completion", completion, "bash|zsh|fish",
           "print a script that completes commands and options in this shell"),
    {0}};

static const argument arguments[] = {{.name = "COMMAND",
                                      .help = "one or two words: 'tune', 'store import'",
                                      .optional = true,
                                      .many = true},
                                     {0}};

/** `about` as in man_page(); `settings_page`: nitro.conf(5) instead. */
static int write_page(const invocation *call, const char *directory, const command *about,
                      bool settings_page)
{
    char name[64], path[4096];
    man_name(about, name, sizeof name);
    if (snprintf(path, sizeof path, "%s/%s.%d", directory, settings_page ? "nitro.conf" : name,
                 settings_page ? 5 : 1) >= (int)sizeof path)
        return fail_text(call, "the path %s is too long", directory);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail_text(call, "cannot write %s: %m", path);
    if (settings_page)
        man_settings_page(file);
    else
        man_page(file, about);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return fail_text(call, "cannot write %s: %m", path);
    return EXIT_DONE;
}

static int write_pages(const invocation *call, const char *directory)
{
    int code = write_page(call, directory, NULL, true);
    if (code == EXIT_DONE)
        code = write_page(call, directory, NULL, false);
    for (const command *const *each = commands_all(); *each && code == EXIT_DONE; each++)
        code = write_page(call, directory, *each, false);
    return code;
}

static int help_about(const invocation *call, char **words, size_t num_words)
{
    const settings *given = call->settings;
    size_t used = 0;
    const command *about = commands_find(words, num_words, &used);
    if (about && used == num_words) {
        if (given->man)
            man_page(stdout, about);
        else
            help_command(stdout, about);
        return EXIT_DONE;
    }
    if (num_words == 1 && commands_is_group(words[0])) {
        printf("Usage: nitro %s COMMAND [ARGUMENT...]\n\n", words[0]);
        help_list(stdout, words[0]);
        return EXIT_DONE;
    }
    const char *group = num_words > 1 && commands_is_group(words[0]) ? words[0] : NULL;
    const char *word = group ? words[1] : words[0];
    const char *close = commands_closest(group, word);
    return fail_usage(call, "there is no command '%s%s%s'%s%s%s%s%s", group ? group : "",
                      group ? " " : "", word, close ? "; did you mean '" : "",
                      close && group ? group : "", close && group ? " " : "", close ? close : "",
                      close ? "'?" : "");
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (given->man_directory)
        return write_pages(call, given->man_directory);
    if (given->completion) {
        if (check_choice(call, "completion", given->completion, completion_shells) != EXIT_DONE)
            return EXIT_USAGE;
        completion_script(stdout, given->completion);
        return EXIT_DONE;
    }
    if (call->arguments.count > 0)
        return help_about(call, call->arguments.items, call->arguments.count);
    if (given->man)
        man_page(stdout, NULL);
    else
        help_overview(stdout);
    return EXIT_DONE;
}

const command command_help = {
    .name = "help",
    .summary = "Explain a command",
    .synopsis = "[--man] [COMMAND]",
    .description = "Explains a command: its arguments, its options and their defaults. Without a "
                   "command, shows where to begin and all commands.",
    .examples = "  nitro help tune\n"
                "  nitro help store import\n"
                "  nitro help --man tune | man -l -\n"
                "  source <(nitro help --completion bash)\n",
    .arguments = arguments,
    COMMAND_USUAL};
