/* cmd_store_import.c - nitro store import: samples of a recorded device from CSV. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation, *device, *samples, *devices, *describe;
    nitro_string_list features, variants, log;
    bool replace, json;
} settings;

static const option options[] = {
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "the store to add to; made when missing (default: the user's own)"},
    {.name = "computation",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, computation),
     .value = "NAME",
     .help = "the computation that was measured; needs no code here",
     .required = true},
    {.name = "device",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, device),
     .value = "ID",
     .help = "the device it was measured on",
     .required = true},
    {.name = "samples",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, samples),
     .value = "FILE",
     .help = "CSV: columns input, features, and time_ms:VARIANT",
     .required = true},
    {.name = "devices",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, devices),
     .value = "FILE",
     .help = "CSV: column device, and device features (default: what the store knows already)"},
    {.name = "describe",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, describe),
     .value = "FILE",
     .help = "JSON: units and scales of features, relative features, the default variant"},
    {.name = "features",
     .type = OPTION_LIST,
     .offset = offsetof(settings, features),
     .value = "A,B,...",
     .help = "columns that are input features (default: all but input and times)"},
    {.name = "variants",
     .type = OPTION_LIST,
     .offset = offsetof(settings, variants),
     .value = "V,W,...",
     .help = "variants to take, in this order (default: all columns time_ms:...)"},
    {.name = "log",
     .type = OPTION_LIST,
     .offset = offsetof(settings, log),
     .value = "A,B,...",
     .help = "features on a logarithmic scale (default: each by its values, see above)"},
    {.name = "replace",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, replace),
     .help = "replace inputs that the store has already, instead of refusing the import"},
    {.name = "json", .type = OPTION_FLAG, .offset = offsetof(settings, json), .help = "print JSON"},
    {0}};

static int print_report(const invocation *call, const char *url, const nitro_import_report *report)
{
    const settings *given = call->settings;
    if (given->json)
        return print_json(call,
                          json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "store", json_text(url),
                                    "computation", json_text(given->computation), "device",
                                    json_text(given->device), "added", (json_int_t)report->added,
                                    "replaced", (json_int_t)report->replaced, "holes",
                                    (json_int_t)report->holes, "without_times",
                                    (json_int_t)report->without_times));
    printf("%s on %s: %zu samples added", given->computation, given->device, report->added);
    if (given->replace)
        printf(", %zu replaced", report->replaced);
    printf("; %zu times missing", report->holes);
    if (report->without_times > 0)
        printf("; no time at all on %zu of the inputs", report->without_times);
    putchar('\n');
    return EXIT_DONE;
}

static const nitro_string_list *if_given(const nitro_string_list *list)
{
    return list->count ? list : NULL;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    nitro_import_report report = {0};
    nitro_import_options how = {.computation = given->computation,
                                .device = given->device,
                                .samples_path = given->samples,
                                .devices_path = given->devices,
                                .features = if_given(&given->features),
                                .variants = if_given(&given->variants),
                                .log_features = if_given(&given->log),
                                .description_path = given->describe,
                                .replace = given->replace};
    if (nitro_store_open(call->context, given->store, NITRO_STORE_WRITE, &store) != NITRO_OK)
        return fail(call);
    nitro_status status = nitro_store_import_csv(store, &how, &report);
    int code =
        status == NITRO_OK ? print_report(call, nitro_store_url(store), &report) : fail(call);
    nitro_store_close(store);
    return code;
}

const command command_store_import = {
    .name = "store import",
    .summary = "Add a recorded device's samples from CSV",
    .synopsis = "--store URL --computation NAME --device ID --samples FILE [--devices FILE] "
                "[--describe FILE] [--features A,B,...] [--variants V,W,...] [--log A,B,...] "
                "[--replace]",
    .description =
        "Adds one sample for each row of a CSV file: the column input names it, columns "
        "time_ms:VARIANT are times in milliseconds (empty: there is none), the others are input "
        "features. All rows or none are taken. An input that the store has already for this device "
        "is refused, unless --replace is given. Other features or variants than the store has for "
        "this computation are refused.\n\n"
        "A feature's scale is chosen from its values: linear, unless the largest magnitude is at "
        "least 100 times the median or the smallest one that is not zero; then log where all "
        "values are positive, else signed log. --log sets it.\n\n"
        "--describe names a file that says what the columns mean, among them relative features: "
        "formulas over input and device features, which carry over to devices unlike those that "
        "were measured. Where the computation is new, the features it lists are the columns that "
        "are taken. It may come with any import: what it says replaces what was said before. "
        "Nitro brings spmv-ginkgo.json (in share/nitro/computations, or data/computations of its "
        "sources) for measurements of sparse matrix-vector products.",
    .examples = "  nitro store import --store sqlite:lab.db --computation spmv-ginkgo \\\n"
                "      --device K20Xm --samples K20Xm.csv --devices devices.csv\n",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
