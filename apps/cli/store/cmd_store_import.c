/* cmd_store_import.c - nitro store import: samples of recorded devices, from CSV or from a checkout
 * of others' files; and profiles. */
#include <math.h>
#include <string.h>

#include "apps/cli/store/store_import.h"

static const char *const formats[] = {"csv", "ginkgo", NULL};

static void set_defaults(void *place)
{
    import_settings *given = place;
    given->format = formats[0];
    given->intensity = NAN;
}

static const option options[] = {
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, store),
     .value = "URL",
     .help = "the store to add to; made when missing (default: the user's own)"},
    {.name = "format",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, format),
     .value = "NAME",
     .help = "what is read",
     .choices = formats},
    {.name = "computation",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, computation),
     .value = "NAME",
     .help = "the computation that was measured; needs no code here (ginkgo: spmv-ginkgo)"},
    {.name = "device",
     .type = OPTION_LIST,
     .offset = offsetof(import_settings, devices_chosen),
     .value = "ID",
     .help = "the device it was measured on; ginkgo: folders to take, and of --devices alone "
             "devices, A,B,... (default: all)"},
    {.name = "samples",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, samples),
     .value = "FILE",
     .help = "CSV: columns input, features, and time_ms:VARIANT"},
    {.name = "devices",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, devices),
     .value = "FILE",
     .help = "CSV: column device, and device features (default: what the store knows already); "
             "without --samples and --computation these devices alone are imported"},
    {.name = "describe",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, describe),
     .value = "FILE",
     .help = "JSON: units and scales of features, relative features, the default variant"},
    {.name = "features",
     .type = OPTION_LIST,
     .offset = offsetof(import_settings, features),
     .value = "A,B,...",
     .help = "columns that are input features (default: all but input and times)"},
    {.name = "variants",
     .type = OPTION_LIST,
     .offset = offsetof(import_settings, variants),
     .value = "V,W,...",
     .help = "variants to take, in this order (default: all columns time_ms:...)"},
    {.name = "log",
     .type = OPTION_LIST,
     .offset = offsetof(import_settings, log),
     .value = "A,B,...",
     .help = "features on a logarithmic scale (default: each by its values, see above)"},
    {.name = "campaign",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, campaign),
     .value = "NAME",
     .help =
         "ginkgo: joined to the devices' ids, as in K40m_NAME; for another state of a checkout"},
    {.name = "profiles",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, profiles),
     .value = "FILE",
     .help = "CSV: hardware metrics of variants and proxies; see below"},
    {.name = "variant",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, variant),
     .value = "NAME",
     .help = "profiles: the variant that ran, where the file does not say"},
    {.name = "input",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, input),
     .value = "NAME",
     .help = "profiles: the input it ran on, likewise"},
    {.name = "proxy",
     .type = OPTION_TEXT,
     .offset = offsetof(import_settings, proxy),
     .value = "NAME",
     .help = "profiles: the proxy that ran, likewise"},
    {.name = "intensity",
     .type = OPTION_NUMBER,
     .offset = offsetof(import_settings, intensity),
     .value = "X",
     .maximum = NITRO_MAX_INTENSITY,
     .help = "profiles: where its dial stood, likewise"},
    {.name = "replace",
     .type = OPTION_FLAG,
     .offset = offsetof(import_settings, replace),
     .help = "replace inputs (with --profiles: runs) that the store has already, instead of "
             "refusing the import"},
    {.name = "json",
     .type = OPTION_FLAG,
     .offset = offsetof(import_settings, json),
     .help = "print JSON"},
    {0}};

static int print_report(const invocation *call, const char *url, const nitro_import_report *report)
{
    const import_settings *given = call->settings;
    if (given->json)
        return print_json(
            call, json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "store", json_text(url),
                            "computation", json_text(given->computation), "device",
                            json_text(given->devices_chosen.items[0]), "added",
                            (json_int_t)report->added, "replaced", (json_int_t)report->replaced,
                            "missing_values", (json_int_t)report->missing_values, "without_times",
                            (json_int_t)report->without_times));
    printf("%s on %s: %zu sample%s added", given->computation, given->devices_chosen.items[0],
           report->added, report->added == 1 ? "" : "s");
    if (given->replace)
        printf(", %zu replaced", report->replaced);
    printf("; %zu times missing", report->missing_values);
    if (report->without_times > 0)
        printf("; no time at all on %zu of the inputs", report->without_times);
    putchar('\n');
    return EXIT_DONE;
}

const nitro_string_list *if_given(const nitro_string_list *list)
{
    return list->count ? list : NULL;
}

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

static int run_csv(invocation *call)
{
    const import_settings *given = call->settings;
    const char *device = given->devices_chosen.count ? given->devices_chosen.items[0] : NULL;
    if (call->arguments.count > 0)
        return fail_usage(call,
                          "'%s': a folder goes with --format ginkgo; CSV is given as "
                          "--samples FILE",
                          call->arguments.items[0]);
    if (!given->computation || !device || !given->samples)
        return fail_usage(call, "%s is missing",
                          !given->computation ? "--computation NAME"
                          : !device           ? "--device ID"
                                              : "--samples FILE");
    if (given->devices_chosen.count > 1 || given->campaign)
        return fail_usage(call, "%s goes with --format ginkgo",
                          given->campaign ? "--campaign" : "more than one --device");
    nitro_store *store = NULL;
    nitro_import_report report = {0};
    nitro_import_options how = {.computation = given->computation,
                                .device = device,
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

static int run(invocation *call)
{
    const import_settings *given = call->settings;
    if (given->profiles)
        return import_profiles(call);
    if (given->variant || given->input || given->proxy || !isnan(given->intensity))
        return fail_usage(call, "--variant, --input, --proxy and --intensity go with --profiles");
    if (strcmp(given->format, "csv") != 0)
        return import_ginkgo(call);
    return given->devices && !given->samples && !given->computation ? import_devices(call)
                                                                    : run_csv(call);
}

static const argument arguments[] = {
    {.name = "DIR", .help = "ginkgo: the checkout, or a folder in it", .optional = true}, {0}};

const command command_store_import = {
    .name = "store import",
    .summary = "Add samples, devices or profiles from files",
    .synopsis = "--store URL (--computation NAME --device ID --samples FILE | --format ginkgo DIR |"
                " --devices FILE | --profiles FILE [--variant NAME --input NAME | --proxy NAME "
                "--intensity X]) "
                "[--devices FILE] [--describe FILE] [--features A,B,...] [--variants V,W,...] "
                "[--log A,B,...] [--campaign NAME] [--replace]",
    .description =
        "Adds one sample for each row of a CSV file: the column input names it, columns "
        "time_ms:VARIANT are times in milliseconds (empty: there is none), the others are input "
        "features. All rows or none are taken. An input that the store has already for this device "
        "is refused, unless --replace is given. Other features or variants than the store has for "
        "this computation are refused.\n\n"
        "--devices FILE alone imports what is known of devices, without any sample: a target that "
        "nobody measured and that is not this machine. A row takes the place of what the store had "
        "on that device.\n\n"
        "A feature's scale is chosen from its values: linear, unless the largest magnitude is at "
        "least 100 times the median or the smallest one that is not zero; then log where all "
        "values are positive, else signed log. --log sets it.\n\n"
        "--describe names a file that says what the columns mean, among them relative features: "
        "formulas over input and device features, which carry over to devices unlike those that "
        "were measured. Where the computation is new, the features it lists are the columns that "
        "are taken. It may come with any import: what it says replaces what was said before. "
        "Nitro brings spmv-ginkgo.json (in share/nitro/computations, or data/computations of its "
        "sources) for measurements of sparse matrix-vector products.\n\n"
        "--format ginkgo reads a checkout of the Ginkgo project's public benchmark data: JSON "
        "files at DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json, of every generation. Each file's "
        "unit, seconds or nanoseconds, follows from its times: the fastest variant of a matrix "
        "takes between 0.1 us and 100 s. Within a folder, files of another executor, spelling of "
        "variants or unit are another campaign: its largest campaign is the device of the folder's "
        "name, others are devices of their own, as in K40m.cuda-capital-ns. Two states of a "
        "checkout are two campaigns as well: give the second one a name with --campaign. The "
        "variants taken are those that all devices measured, unless --variants or the store says "
        "which. What was left out is counted by reason, with the first file of each.\n\n"
        "--profiles FILE reads hardware metrics of kernels, from which nitro tune-from-source "
        "--dfs profile learns which device features matter. The file has a row a kernel and a "
        "column a metric, under nvprof's names or today's (an empty field: not collected), and "
        "columns that say what ran: device, computation, variant, input, kernel; or device, proxy, "
        "intensity, kernel. It may also be what a profiler wrote: ncu --csv --page raw "
        "--print-units base, or nvprof --csv --metrics all. Such a file does not say what ran: "
        "profile one run a file, and say it with --device, --computation, --variant and --input, "
        "or --device, --proxy and --intensity. Collect the issued instructions too (inst_issued, "
        "smsp__inst_issued.sum), for the other counts are divided by them; "
        "share/nitro/proxies/paper.json lists what the proxies are judged by. 'nitro store export "
        "--profiles' writes the same form.",
    .examples = "  nitro store import --store sqlite:lab.db --computation spmv-ginkgo \\\n"
                "      --device K20Xm --samples K20Xm.csv --devices devices.csv\n"
                "  nitro store import --store sqlite:lab.db --format ginkgo ginkgo-data \\\n"
                "      --devices devices.csv\n"
                "  nitro store import --store sqlite:lab.db --profiles ell.csv --device K20Xm \\\n"
                "      --computation spmv-ginkgo --variant ell --input bcsstk17\n"
                "  nitro store import --store sqlite:lab.db --devices ours.csv\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(import_settings),
    .set_defaults = set_defaults,
    .run = run};
