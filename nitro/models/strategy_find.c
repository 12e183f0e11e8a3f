/* Strategies by name; without a name the one of the highest priority, the first of equals. */
#include <string.h>

#include "nitro/models/strategy_find.h"

static nitro_status refuse_strategy(nitro_context *context, const char *name)
{
    char known[256] = "";
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++)
        nitro_message_list_add(known, sizeof known, "%s", (*s)->name);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND, "unknown strategy '%.80s'; this build has %s",
                      name ? name : "(any)", known);
}

nitro_status nitro_strategy_find(nitro_context *context, const char *name,
                                 const nitro_strategy **strategy)
{
    const nitro_strategy *found = NULL;
    for (const nitro_strategy *const *s = nitro_builtin_strategies(); *s; s++)
        if (name ? strcmp((*s)->name, name) == 0 : !found || (*s)->priority > found->priority)
            found = *s;
    if (!found)
        return refuse_strategy(context, name);
    *strategy = found;
    return NITRO_OK;
}
