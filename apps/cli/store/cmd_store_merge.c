/* cmd_store_merge.c - nitro store merge: two stores' measurements, even of the same device. */
#include "apps/cli/store/sync_report.h"

typedef struct settings {
    common_settings common;
    const char *campaign;
    bool newer, json;
} settings;

static const option options[] = {{.name = "campaign",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, campaign),
                                  .value = "NAME",
                                  .help = "keep both: FROM's measurements of a device that TO also "
                                          "measured go under device ID@NAME"},
                                 {.name = "newer",
                                  .type = OPTION_FLAG,
                                  .offset = offsetof(settings, newer),
                                  .help = "keep the newer of two measurements of one input"},
                                 OPTION_JSON,
                                 {0}};

static const argument arguments[] = {{.name = "FROM", .help = "the URL of the store to read"},
                                     {.name = "TO", .help = "the URL of the store to add to"},
                                     {0}};

static int run(invocation *call)
{
    const settings *given = call->settings;
    if (given->newer && given->campaign)
        return fail_usage(
            call, "--newer keeps one of two measurements, --campaign keeps both: give one of them");
    const nitro_sync_options how = {.conflict =
                                        given->newer ? NITRO_CONFLICT_NEWER : NITRO_CONFLICT_BOTH,
                                    .campaign = given->campaign};
    return sync_stores(call, how, given->json);
}

const command command_store_merge = {
    .name = "store merge",
    .summary = "Merge two stores, even with the same device",
    .synopsis = "FROM TO [--campaign NAME | --newer] [--json]",
    .description =
        "Adds all records of FROM to TO. If both measured the same inputs on the same device, "
        "--campaign NAME keeps both: FROM's samples go under the device id ID@NAME, with FROM's "
        "device features, labelled as the same device, so that neither is used for training a "
        "model of the other. --newer keeps the newer measurement of each input instead. Identical "
        "measurements are stored once. Without either option such devices are an error.",
    .examples = "  nitro store merge sqlite:theirs.db sqlite:ours.db --campaign lab2\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
