/* cmd_store_copy.c - nitro store copy: everything of one store into another. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    bool json;
} settings;

static const option options[] = {
    {.name = "json", .type = OPTION_FLAG, .offset = offsetof(settings, json), .help = "print JSON"},
    {0}};

static const argument arguments[] = {{.name = "FROM", .help = "the URL of the store to read"},
                                     {.name = "TO", .help = "the URL of the store to add to"},
                                     {0}};

static int print_counts(const invocation *call, const nitro_copy_report *report)
{
    const settings *given = call->settings;
    if (given->json)
        return print_json(call,
                          json_pack("{s:I, s:I, s:I, s:I}", "copied", (json_int_t)report->samples,
                                    "skipped", (json_int_t)report->samples_skipped,
                                    "profiles_copied", (json_int_t)report->profiles,
                                    "profiles_skipped", (json_int_t)report->profiles_skipped));
    printf("%zu samples copied, %zu were there already\n", report->samples,
           report->samples_skipped);
    if (report->profiles + report->profiles_skipped > 0)
        printf("%zu profiles copied, %zu were there already\n", report->profiles,
               report->profiles_skipped);
    return EXIT_DONE;
}

static int run(invocation *call)
{
    nitro_store *from = NULL, *to = NULL;
    nitro_copy_report report;
    nitro_status status =
        nitro_store_open(call->context, call->arguments.items[0], NITRO_STORE_READ, &from);
    if (status == NITRO_OK)
        status = nitro_store_open(call->context, call->arguments.items[1], NITRO_STORE_WRITE, &to);
    if (status == NITRO_OK)
        status = nitro_store_copy(from, to, &report);
    int code = status == NITRO_OK ? print_counts(call, &report) : fail(call);
    nitro_store_close(to);
    nitro_store_close(from);
    return code;
}

const command command_store_copy = {
    .name = "store copy",
    .summary = "Copy everything of one store into another",
    .synopsis = "FROM TO [--json]",
    .description = "Adds all computations, devices, samples and profiles of FROM to TO, which is "
                   "made when missing. Inputs that TO has already for a device are left alone, and "
                   "so are runs of which it has a profile.",
    .examples = "  nitro store copy sqlite:mine.db sqlite:/shared/lab.db\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
