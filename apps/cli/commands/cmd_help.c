/* cmd_help.c - nitro help: help of one command, and man pages. */
#include "apps/cli/commands.h"
#include "apps/cli/help.h"
#include "apps/cli/load_module.h"
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
           "write the man pages of all commands and computations, and nitro.conf.5, into this "
           "existing directory"),
    OPTION(TEXT, "completion", completion, "bash|zsh|fish",
           "print a script that completes commands and options in this shell"),
    {0}};

static const argument arguments[] = {{.name = "COMMAND",
                                      .help = "one or two words: 'tune', 'store import'",
                                      .optional = true,
                                      .many = true},
                                     {0}};

/** Of a command, or nitro itself: neither of the others. */
typedef struct manual_page {
    const command *about;
    const nitro_module *module; /* the page of a computation */
    bool is_settings;           /* nitro.conf(5) */
} manual_page;

static int print_page(const invocation *call, FILE *file, const manual_page *page)
{
    nitro_computation *computation;
    if (page->is_settings) {
        man_settings_page(file);
    } else if (page->module) {
        if (page->module->create(call->context, &computation) != NITRO_OK)
            return fail(call);
        man_computation_page(file, page->module, computation);
        nitro_computation_free(computation);
    } else {
        man_page(file, page->about);
    }
    return EXIT_DONE;
}

static int write_page(const invocation *call, const char *directory, manual_page page)
{
    char name[64], path[4096];
    int section = page.is_settings ? 5 : page.module ? 7 : 1;
    if (page.is_settings || page.module)
        snprintf(name, sizeof name, "nitro%s%s", page.module ? "-" : ".conf",
                 page.module ? page.module->name : "");
    else
        man_name(page.about, name, sizeof name);
    if (snprintf(path, sizeof path, "%s/%s.%d", directory, name, section) >= (int)sizeof path)
        return fail_text(call, "the path %s is too long", directory);
    FILE *file = fopen(path, "w");
    if (!file)
        return fail_text(call, "cannot write %s: %m", path);
    int code = print_page(call, file, &page);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return fail_text(call, "cannot write %s: %m", path);
    return code;
}

static int write_pages(const invocation *call, const char *directory)
{
    int code = write_page(call, directory, (manual_page){.is_settings = true});
    if (code == EXIT_DONE)
        code = write_page(call, directory, (manual_page){0});
    for (const command *const *each = commands_all(); *each && code == EXIT_DONE; each++)
        code = write_page(call, directory, (manual_page){.about = *each});
    for (const nitro_module *const *each = nitro_builtin_modules(); *each && code == EXIT_DONE;
         each++)
        if (module_built_in((*each)->name) == *each)
            code = write_page(call, directory, (manual_page){.module = *each});
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
            help_command(about);
        return EXIT_DONE;
    }
    if (num_words == 1 && commands_is_group(words[0])) {
        printf("Usage: nitro %s COMMAND [ARGUMENT...]\n\n", words[0]);
        help_list(stdout, words[0]);
        return EXIT_DONE;
    }
    if (num_words == 1 && module_built_in(words[0]))
        return fail_usage(call, "'%s' is a computation: 'man nitro-%s' explains it", words[0],
                          words[0]);
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
        completion_script(given->completion);
        return EXIT_DONE;
    }
    if (call->arguments.count > 0)
        return help_about(call, call->arguments.items, call->arguments.count);
    if (given->man)
        man_page(stdout, NULL);
    else
        help_overview();
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
