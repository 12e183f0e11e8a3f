/* help.c - help for the terminal, from the commands' tables. */
#include "apps/cli/help.h"

#include <string.h>

#include "apps/cli/commands.h"
#include "apps/cli/terminal.h"

enum { USUAL_WIDTH = 80, MOST_WIDTH = 100, OPTION_COLUMN = 26, MAX_ITEMS = 64 };

void print_wrapped(FILE *stream, const char *text, size_t column, size_t indent)
{
    size_t width = terminal_width(stream);
    if (width == 0)
        width = USUAL_WIDTH;
    print_words(stream, text, column, indent, width < MOST_WIDTH ? width : MOST_WIDTH);
    fputc('\n', stream);
}

/** Paragraphs are parted by an empty line; lines that begin with a blank stay as they are. */
static void print_paragraphs(const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char paragraph[2048];
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
        if (text[0] == ' ')
            printf("%s\n", paragraph);
        else
            print_wrapped(stdout, paragraph, 0, 0);
        putchar('\n');
        text += length + (end ? 2 : 0);
    }
}

static void print_item(FILE *stream, const char *left, const char *text)
{
    size_t used = strlen(left) + 2;
    fprintf(stream, "  %s", left);
    if (used + 2 > OPTION_COLUMN)
        fprintf(stream, "\n%*s", OPTION_COLUMN, "");
    else
        fprintf(stream, "%*s", (int)(OPTION_COLUMN - used), "");
    print_wrapped(stream, text, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_option(const command *owner, const option *what)
{
    char left[80], text[1024], value[64] = "";
    snprintf(left, sizeof left, "--%s%s%s%s", what->name, what->value ? " " : "",
             what->value ? what->value : "", what->type == OPTION_FILES ? "..." : "");
    if (owner)
        option_default_text(owner, what, value, sizeof value);
    snprintf(text, sizeof text, "%s%s%s%s%s", what->help, value[0] ? " (default: " : "", value,
             value[0] ? ")" : "", what->required ? " (required)" : "");
    print_item(stdout, left, text);
}

static void print_items(const command *about)
{
    help_item items[MAX_ITEMS];
    size_t count = about->list_items ? about->list_items(items, MAX_ITEMS) : 0;
    if (count == 0)
        return;
    printf("%s:\n", about->items_title);
    for (size_t i = 0; i < count; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s", items[i].description, items[i].remark[0] ? "; " : "",
                 items[i].remark);
        print_item(stdout, items[i].name, text);
    }
    putchar('\n');
}

/** A line of the synopsis is a way to call the command. */
static void print_usage(const command *about)
{
    const char *form = about->synopsis;
    do {
        char usage[1024];
        int length = (int)strcspn(form, "\n");
        fputs(form == about->synopsis ? "Usage: " : "       ", stdout);
        snprintf(usage, sizeof usage, "nitro %s %.*s", about->name, length, form);
        print_wrapped(stdout, usage, 7, 11);
        form += length + (form[length] == '\n');
    } while (*form);
}

void help_command(const command *about)
{
    print_usage(about);
    printf("\n%s.\n\n", about->summary);
    print_paragraphs(about->description);
    if (about->arguments && about->arguments[0].name) {
        printf("Arguments:\n");
        for (const argument *each = about->arguments; each->name; each++)
            print_item(stdout, each->name, each->help);
        putchar('\n');
    }
    print_items(about);
    printf("Options:\n");
    for (const option *each = about->options; each->name; each++)
        print_option(about, each);
    for (const option *each = options_common(); each->name; each++)
        print_option(NULL, each);
    if (about->examples)
        printf("\nExamples:\n%s", about->examples);
}

void help_list(FILE *stream, const char *group)
{
    size_t length = group ? strlen(group) : 0;
    for (const command *const *each = commands_all(); *each; each++)
        if (!group || (strncmp((*each)->name, group, length) == 0 &&
                       ((*each)->name[length] == ' ' || (*each)->name[length] == '\0')))
            print_item(stream, (*each)->name, (*each)->summary);
}

void help_overview(void)
{
    printf("Nitro chooses the fastest variant of a computation for an input and a device.\n"
           "\n"
           "Start here:\n"
           "  nitro tune spmv --generate 100             measure here and train a model\n"
           "  nitro run spmv --generated 1000            choose a variant for a new input\n"
           "  nitro tune-from-source spmv --target gpu2 --output gpu2.json\n"
           "                                             a model for an unmeasured device\n"
           "\n"
           "Commands:\n");
    help_list(stdout, NULL);
    printf("\n"
           "'nitro help COMMAND' explains one; exit codes: 0 done, 1 failed, 2 wrong usage.\n");
}
