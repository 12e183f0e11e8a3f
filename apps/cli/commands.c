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
    /* Words to compare, and the command of each. "import" is close to "store import" too. */
    const char *names[2 * MAX_COMMANDS] = {0}, *whole[2 * MAX_COMMANDS] = {0};
    size_t count = 0, length = group ? strlen(group) : 0;
    for (const command *const *each = commands_all(); *each && count < 2 * MAX_COMMANDS - 2;
         each++) {
        const char *name = (*each)->name, *space = strchr(name, ' ');
        bool in_group = group && strncmp(name, group, length) == 0 && name[length] == ' ';
        if (in_group || !group) {
            whole[count] = name;
            names[count++] = space ? space + 1 : name;
        }
    }
    if (!group) {
        whole[count] = "store";
        names[count++] = "store";
    }
    const char *closest = nitro_closest_name(names, count, word);
    for (size_t i = 0; i < count; i++)
        if (names[i] == closest)
            return group ? names[i] : whole[i];
    return NULL;
}
