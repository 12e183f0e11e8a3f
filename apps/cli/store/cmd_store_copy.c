/* cmd_store_copy.c - nitro store copy: copies one store into another. */
#include "apps/cli/store/sync_report.h"

typedef struct settings {
    common_settings common;
    bool take_declaration, json;
} settings;

static const option options[] = {
    OPTION(FLAG, "take-declaration", take_declaration, NULL,
           "take FROM's default variants and relative features in place of TO's"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {{.name = "FROM", .help = "the URL of the store to read"},
                                     {.name = "TO", .help = "the URL of the store to add to"},
                                     {0}};

static int run(invocation *call)
{
    const settings *given = call->settings;
    return sync_stores(call,
                       (nitro_sync_options){.conflict = NITRO_CONFLICT_KEEP,
                                            .take_declaration = given->take_declaration},
                       given->json);
}

const command command_store_copy = {
    .name = "store copy",
    .summary = "Copy a store into another",
    .synopsis = "FROM TO [--take-declaration] [--json]",
    .description =
        "Adds all computations, devices, samples and profiles of FROM to TO, which is created if "
        "missing. Samples and profiles that TO already has are kept; 'nitro store sync' and 'nitro "
        "store merge' have other rules. Damaged records are skipped with a warning.",
    .examples = "  nitro store copy sqlite:mine.db sqlite:/shared/lab.db\n",
    .arguments = arguments,
    COMMAND_USUAL};
