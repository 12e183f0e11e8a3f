/* commands.c - the subcommands' list and the search in it. */
#include "apps/cli/commands.h"

#include <string.h>

#define COMMAND(symbol) extern const command symbol;
#include "apps/cli/commands.list"
#undef COMMAND

enum { MAX_COMMANDS = 64 };

const command *const *commands_all(void)
{
    static const command *const all[] = {
#define COMMAND(symbol) &symbol,
#include "apps/cli/commands.list"
#undef COMMAND
        NULL};
    return all;
}

static bool is_named(const command *each, const char *first, const char *second)
{
    size_t length = strlen(first);
    if (strncmp(each->name, first, length) != 0)
        return false;
    if (!second)
        return each->name[length] == '\0';
    return each->name[length] == ' ' && strcmp(each->name + length + 1, second) == 0;
}

const command *commands_find(char **words, size_t num_words, size_t *used)
{
    for (size_t take = num_words < 2 ? num_words : 2; take > 0; take--)
        for (const command *const *each = commands_all(); *each; each++)
            if (is_named(*each, words[0], take == 2 ? words[1] : NULL)) {
                *used = take;
                return *each;
            }
    return NULL;
}

bool commands_is_group(const char *word)
{
    size_t length = strlen(word);
    for (const command *const *each = commands_all(); *each; each++)
        if (strncmp((*each)->name, word, length) == 0 && (*each)->name[length] == ' ')
            return true;
    return false;
}

const char *commands_closest(const char *group, const char *word)
{
    const char *names[MAX_COMMANDS];
    size_t count = 0, skip = group ? strlen(group) + 1 : 0;
    for (const command *const *each = commands_all(); *each && count < MAX_COMMANDS - 1; each++)
        if (!group ||
            (strncmp((*each)->name, group, skip - 1) == 0 && (*each)->name[skip - 1] == ' '))
            names[count++] = (*each)->name + skip;
    if (!group)
        names[count++] = "store";
    return nitro_closest_name(names, count, word);
}
