/* store_import.c - refuses options of nitro store import that do not apply to what is imported. */
#include "apps/cli/store/store_import.h"

int refuse_sample_options(invocation *call, const char *what)
{
    const import_settings *given = call->settings;
    const struct {
        bool given;
        const char *name;
    } others[] = {
        {given->samples != NULL, "--samples"},     {given->describe != NULL, "--describe"},
        {given->campaign != NULL, "--campaign"},   {given->features.count > 0, "--features"},
        {given->variants.count > 0, "--variants"}, {given->log.count > 0, "--log"},
        {call->arguments.count > 0, "a folder"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].given)
            return fail_usage(call, "%s does not go with %s", others[i].name, what);
    return EXIT_DONE;
}
