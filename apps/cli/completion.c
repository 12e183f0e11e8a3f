/* completion.c - completion scripts for shells, from the commands' tables of options. */
#include <string.h>

#include "apps/cli/commands.h"
#include "apps/cli/help.h"

/** The first sentence of a help text, in single quotes. */
static void print_quoted(const char *text)
{
    const char *end = strstr(text, ". ");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    putchar('\'');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            fputs("'\\''", stdout);
        else
            putchar(text[i]);
    }
    putchar('\'');
}

/** Is this the first command of its first word? */
static bool begins_group(const command *const *each)
{
    size_t length = strcspn((*each)->name, " ");
    return each == commands_all() || strcspn(each[-1]->name, " ") != length ||
           strncmp(each[-1]->name, (*each)->name, length) != 0;
}

static void print_words_of_options(const command *about)
{
    const option *tables[] = {about->options, options_common()};
    for (size_t t = 0; t < 2; t++)
        for (const option *each = tables[t]; each->name; each++)
            printf(" --%s", each->name);
}

static void print_choices(const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++)
        printf("%s%s", i ? " " : "", choices[i]);
}

/** Second words of the commands that begin with this one's first word. */
static void print_second_words(const command *first)
{
    size_t length = strcspn(first->name, " ");
    for (const command *const *each = commands_all(); *each; each++)
        if (strncmp((*each)->name, first->name, length) == 0 && (*each)->name[length] == ' ')
            printf(" %s", (*each)->name + length + 1);
}

static void print_bash(void)
{
    fputs("# bash completion for nitro; made by 'nitro help --completion bash'\n"
          "_nitro()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
          "    local first=${COMP_WORDS[1]-} second=${COMP_WORDS[2]-}\n"
          "    case $COMP_CWORD:$first in\n    1:*) words=\"",
          stdout);
    for (const command *const *each = commands_all(); *each; each++)
        if (begins_group(each))
            printf(" %.*s", (int)strcspn((*each)->name, " "), (*each)->name);
    fputs("\" ;;\n", stdout);
    for (const command *const *each = commands_all(); *each; each++)
        if (begins_group(each)) {
            printf("    2:%.*s) words=\"", (int)strcspn((*each)->name, " "), (*each)->name);
            print_second_words(*each);
            fputs("\" ;;\n", stdout);
        }
    fputs("    esac\n    case \"$first $second\" in\n", stdout);
    for (size_t two = 1; two + 1 > 0; two--) /* names of two words first */
        for (const command *const *each = commands_all(); *each; each++)
            if ((strchr((*each)->name, ' ') != NULL) == (two == 1)) {
                printf("    \"%s\"%s) words+=\"", (*each)->name, two ? "" : "\\ *");
                print_words_of_options(*each);
                fputs("\" ;;\n", stdout);
            }
    fputs("    esac\n    case \"$first $second $before\" in\n", stdout);
    for (const command *const *each = commands_all(); *each; each++)
        for (const option *what = (*each)->options; what->name; what++)
            if (what->choices) {
                printf("    \"%s \"*--%s) words=\"", (*each)->name, what->name);
                print_choices(what->choices);
                fputs("\" ;;\n", stdout);
            }
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -o default -F _nitro nitro\n",
          stdout);
}

static void print_zsh_entry(const char *name, const char *text)
{
    printf("        '%s:'", name);
    print_quoted(text);
    putchar('\n');
}

static void print_zsh_options(const command *about, const char *pattern)
{
    const option *tables[] = {about->options, options_common()};
    printf("    (%s) found+=(\n", pattern);
    for (size_t t = 0; t < 2; t++)
        for (const option *each = tables[t]; each->name; each++) {
            char name[64];
            snprintf(name, sizeof name, "--%s", each->name);
            print_zsh_entry(name, each->help);
        }
    fputs("    ) ;;\n", stdout);
}

static void print_zsh(void)
{
    char pattern[80];
    fputs("#compdef nitro\n# zsh completion for nitro; made by 'nitro help --completion zsh'\n"
          "_nitro() {\n    local -a found=()\n    case \"$((CURRENT - 1)):${words[2]}\" in\n"
          "    (1:*) found+=(\n",
          stdout);
    for (const command *const *each = commands_all(); *each; each++)
        if (begins_group(each)) {
            snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn((*each)->name, " "),
                     (*each)->name);
            bool is_command = strcmp(pattern, (*each)->name) == 0;
            print_zsh_entry(pattern, is_command ? (*each)->summary : "a group of commands");
        }
    fputs("    ) ;;\n", stdout);
    for (const command *const *each = commands_all(); *each; each++) {
        const char *space = strchr((*each)->name, ' ');
        if (!space)
            continue;
        printf("    (2:%.*s) found+=(\n", (int)(space - (*each)->name), (*each)->name);
        print_zsh_entry(space + 1, (*each)->summary);
        fputs("    ) ;|\n", stdout);
    }
    fputs("    esac\n    case \"${words[2]} ${words[3]}\" in\n", stdout);
    for (size_t two = 1; two + 1 > 0; two--)
        for (const command *const *each = commands_all(); *each; each++)
            if ((strchr((*each)->name, ' ') != NULL) == (two == 1)) {
                snprintf(pattern, sizeof pattern, "\"%s\"%s", (*each)->name, two ? "" : "\\ *");
                print_zsh_options(*each, pattern);
            }
    fputs("    esac\n"
          "    [[ ${words[CURRENT]} == -* || $CURRENT -le 3 ]] && _describe nitro found || _files\n"
          "}\n_nitro \"$@\"\n",
          stdout);
}

static void print_fish(void)
{
    fputs("# fish completion for nitro; made by 'nitro help --completion fish'\n"
          "function __nitro_is\n"
          "    set -l typed (string join ' ' -- (commandline -opc)[2..3])\n"
          "    test \"$typed\" = \"$argv[1]\"; or string match -q -- \"$argv[1] *\" \"$typed\"\n"
          "end\n",
          stdout);
    for (const command *const *each = commands_all(); *each; each++) {
        const char *space = strchr((*each)->name, ' ');
        printf("complete -c nitro -f -n '%s%.*s' -a %s -d ",
               space ? "__nitro_is " : "__fish_use_subcommand",
               space ? (int)(space - (*each)->name) : 0, (*each)->name,
               space ? space + 1 : (*each)->name);
        print_quoted((*each)->summary);
        putchar('\n');
        if (space && begins_group(each))
            printf("complete -c nitro -f -n __fish_use_subcommand -a %.*s\n",
                   (int)(space - (*each)->name), (*each)->name);
        const option *tables[] = {(*each)->options, options_common()};
        for (size_t t = 0; t < 2; t++)
            for (const option *what = tables[t]; what->name; what++) {
                printf("complete -c nitro -n '__nitro_is \"%s\"' -l %s%s -d ", (*each)->name,
                       what->name, what->value ? " -r" : "");
                print_quoted(what->help);
                if (what->choices) {
                    fputs(" -f -a '", stdout);
                    print_choices(what->choices);
                    putchar('\'');
                }
                putchar('\n');
            }
    }
}

static const struct shell {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

void completion_script(const char *name)
{
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, name) == 0)
            shells[i].print();
}
