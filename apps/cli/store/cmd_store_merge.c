/* cmd_store_merge.c - nitro store merge: merges two labs' measurements, even of the same device. */
#include "apps/cli/store/sync_report.h"

typedef struct settings {
    common_settings common;
    const char *campaign;
    bool newer, take_declaration, json;
} settings;

static const option options[] = {
    OPTION(TEXT, "campaign", campaign, "NAME",
           "keep both: FROM's measurements of a device that TO measured too are of device "
           "ID@NAME"),
    OPTION(FLAG, "newer", newer, NULL, "keep the newer of two measurements of one input instead"),
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
    if (given->newer && given->campaign)
        return fail_usage(call, "--newer keeps one of two measurements, --campaign both: give one "
                                "of them");
    const nitro_sync_options how = {.conflict =
                                        given->newer ? NITRO_CONFLICT_NEWER : NITRO_CONFLICT_BOTH,
                                    .campaign = given->campaign,
                                    .take_declaration = given->take_declaration};
    return sync_stores(call, how, given->json);
}

const command command_store_merge = {
    .name = "store merge",
    .summary = "Merge two stores, also of the same device",
    .synopsis = "FROM TO [--campaign NAME | --newer] [--take-declaration] [--json]",
    .description =
        "Adds everything of FROM to TO. Where both measured the same inputs on the same device, "
        "both are kept: FROM's samples go under the device id ID@NAME, described as FROM describes "
        "it and labelled as the same device, so that neither is used to train a model for the "
        "other. With "
        "--newer the newer measurement of each input stays instead. Identical measurements are "
        "kept once. Without either option such devices are an error.",
    .examples = "  nitro store merge sqlite:theirs.db sqlite:ours.db --campaign lab2\n",
    .arguments = arguments,
    COMMAND_USUAL};
