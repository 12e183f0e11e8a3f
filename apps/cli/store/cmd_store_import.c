/* cmd_store_import.c - nitro store import: adds samples from CSV or a Ginkgo checkout, devices, or
 * profiles. */
#include <math.h>
#include <string.h>

#include "apps/cli/store/store_import.h"

static const char *const formats[] = {"csv", "ginkgo", NULL};

typedef import_settings settings;

static void set_defaults(void *place)
{
    import_settings *given = place;
    given->format = formats[0];
    given->intensity = NAN;
}

/* Options of samples, which imports of anything else do not have. */
#define OF_SAMPLES "samples,describe,campaign,rename,features,variants,log"

static const option options[] = {
    OPTION(TEXT, "store", store, "URL",
           "the store to add to; created if missing (default: the user's own)"),
    OPTION(TEXT, "format", format, "NAME", "what is read", .choices = formats),
    OPTION(TEXT, "computation", computation, "NAME",
           "the computation that was measured; needs no code here (ginkgo: spmv-ginkgo)"),
    OPTION(LIST, "device", devices_chosen, "ID",
           "the device it was measured on; ginkgo: folders to take, with only --devices: "
           "devices, A,B,... (default: all)"),
    OPTION(TEXT, "samples", samples, "FILE", "CSV: columns input, features, and time_ms:VARIANT"),
    OPTION(LIST, "devices", devices, "FILE,...",
           "CSV: column device, and device features (default: what the store knows already; "
           "ginkgo: the tables that ship); "
           "without --samples and --computation only these devices are imported"),
    OPTION(TEXT, "describe", describe, "FILE",
           "JSON: units and scales of features, relative features, the default variant"),
    OPTION(LIST, "features", features, "A,B,...",
           "columns that are input features (default: all but input and times)"),
    OPTION(LIST, "variants", variants, "V,W,...",
           "variants to take, in this order (default: all columns time_ms:...)"),
    OPTION(LIST, "log", log, "A,B,...",
           "features on a logarithmic scale (default: each by its values, see above)"),
    OPTION(TEXT, "campaign", campaign, "NAME",
           "ginkgo: joined to the devices' ids, as in K40m_NAME; for another state of a checkout"),
    OPTION(LIST, "rename", renamed, "FOLDER=DEVICE,...",
           "ginkgo: ids for folders; a row of --devices with that id describes the device"),
    OPTION(TEXT, "profiles", profiles, "FILE",
           "CSV: hardware metrics of variants and proxies; see below",
           .excludes = "devices," OF_SAMPLES),
    OPTION(TEXT, "variant", variant, "NAME", "profiles: the variant that ran, if not in the file",
           .needs = "profiles"),
    OPTION(TEXT, "input", input, "NAME", "profiles: the input it ran on, if not in the file",
           .needs = "profiles"),
    OPTION(TEXT, "proxy", proxy, "NAME", "profiles: the proxy that ran, if not in the file",
           .needs = "profiles"),
    OPTION(NUMBER, "intensity", intensity, "X", "profiles: its intensity, if not in the file",
           .maximum = NITRO_MAX_INTENSITY, .needs = "profiles"),
    OPTION(FLAG, "replace", replace, NULL,
           "replace inputs (with --profiles: runs) that the store has already, instead of "
           "refusing the import"),
    OPTION_JSON,
    {0}};

static int print_report(const invocation *call, const nitro_import_report *report)
{
    const import_settings *given = call->settings;
    if (wants_json(call))
        return print_json(call, json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "store",
                                          json_text(nitro_store_url(call->store)), "computation",
                                          json_text(given->computation), "device",
                                          json_text(given->devices_chosen.items[0]), "added",
                                          (json_int_t)report->added, "replaced",
                                          (json_int_t)report->replaced, "missing_values",
                                          (json_int_t)report->missing_values, "without_times",
                                          (json_int_t)report->without_times));
    printf("%s on %s: %zu sample%s added", given->computation, given->devices_chosen.items[0],
           report->added, plural(report->added));
    if (given->replace)
        printf(", %zu replaced", report->replaced);
    printf("; %zu time%s missing", report->missing_values, plural(report->missing_values));
    if (report->without_times > 0)
        printf("; %zu %s no time", report->without_times,
               report->without_times == 1 ? "input has" : "inputs have");
    putchar('\n');
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
    if (!given->computation && !device && !given->samples)
        return fail_usage(call, "nothing to import: give --samples, --devices or --profiles FILE, "
                                "or --format ginkgo DIR");
    if (!given->computation || !device || !given->samples)
        return fail_usage(call, "%s is missing",
                          !given->computation ? "--computation NAME"
                          : !device           ? "--device ID"
                                              : "--samples FILE");
    if (given->devices_chosen.count > 1 || given->campaign || given->renamed.count)
        return fail_usage(call, "%s goes with --format ginkgo",
                          given->campaign        ? "--campaign"
                          : given->renamed.count ? "--rename"
                                                 : "more than one --device");
    if (given->devices.count > 1)
        return fail_usage(call, "several tables of --devices go with --format ginkgo, or alone");
    nitro_import_report report = {0};
    progress_line progress;
    nitro_import_options how = {.computation = given->computation,
                                .device = device,
                                .samples_path = given->samples,
                                .devices_path =
                                    given->devices.count ? given->devices.items[0] : NULL,
                                .features = list_if_given(&given->features),
                                .variants = list_if_given(&given->variants),
                                .log_features = list_if_given(&given->log),
                                .description_path = given->describe,
                                .replace = given->replace};
    if (store_open(call, given->store, NITRO_STORE_WRITE) != EXIT_DONE)
        return EXIT_FAILED;
    progress_begin_waiting(&progress, call, "import", NULL);
    nitro_status status = nitro_store_import_csv(call->store, &how, &report);
    progress_end(&progress);
    return status == NITRO_OK ? print_report(call, &report) : fail(call);
}

static int print_devices(const invocation *call, const nitro_import_report *report)
{
    if (wants_json(call))
        return print_json(call, json_pack("{s:o, s:I, s:I}", "store",
                                          json_text(nitro_store_url(call->store)), "added",
                                          (json_int_t)report->added, "replaced",
                                          (json_int_t)report->replaced));
    printf("%zu device%s added, %zu replaced\n", report->added, plural(report->added),
           report->replaced);
    return EXIT_DONE;
}

static int import_devices(invocation *call)
{
    const import_settings *given = call->settings;
    nitro_import_report report = {0}, sum = {0};
    const option *other = options_first_given(call, OF_SAMPLES);
    if (other || call->arguments.count > 0)
        return fail_usage(call, "%s%s does not go with --devices without --samples",
                          other ? "--" : "", other ? other->name : "a folder");
    if (store_open(call, given->store, NITRO_STORE_WRITE) != EXIT_DONE)
        return EXIT_FAILED;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < given->devices.count && status == NITRO_OK; i++) {
        status = nitro_store_import_devices(call->store, given->devices.items[i],
                                            list_if_given(&given->devices_chosen), &report);
        sum.added += report.added;
        sum.replaced += report.replaced;
    }
    return status == NITRO_OK ? print_devices(call, &sum) : fail(call);
}

static int print_profiles(const invocation *call, const nitro_profile_import_report *report)
{
    if (wants_json(call))
        return print_json(call, json_pack("{s:o, s:I, s:I, s:I, s:I}", "store",
                                          json_text(nitro_store_url(call->store)), "devices",
                                          (json_int_t)report->devices, "profiles",
                                          (json_int_t)report->profiles, "values",
                                          (json_int_t)report->values, "missing",
                                          (json_int_t)report->missing));
    printf("%zu profile%s on %zu device%s: %zu value%s of metrics", report->profiles,
           plural(report->profiles), report->devices, plural(report->devices), report->values,
           plural(report->values));
    if (report->missing > 0)
        printf(", %zu not collected", report->missing);
    putchar('\n');
    return EXIT_DONE;
}

static int check_profiles(const invocation *call)
{
    const import_settings *given = call->settings;
    if (given->devices_chosen.count > 1)
        return fail_usage(call, "more than one --device does not go with --profiles");
    if (call->arguments.count > 0)
        return fail_usage(call, "a folder does not go with --profiles");
    return EXIT_DONE;
}

static int import_profiles(invocation *call)
{
    const import_settings *given = call->settings;
    nitro_profile_import_report report = {0};
    nitro_profile_import_options how;
    int code = check_profiles(call);
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_WRITE);
    if (code != EXIT_DONE)
        return code;
    nitro_profile_import_options_init(&how);
    how.path = given->profiles;
    how.device = given->devices_chosen.count ? given->devices_chosen.items[0] : NULL;
    how.computation = given->computation;
    how.variant = given->variant;
    how.input = given->input;
    how.proxy = given->proxy;
    how.intensity = given->intensity;
    how.replace = given->replace;
    nitro_status status = nitro_store_import_profiles(call->store, &how, &report);
    return status == NITRO_OK ? print_profiles(call, &report) : fail(call);
}

static int run(invocation *call)
{
    const import_settings *given = call->settings;
    if (given->profiles)
        return import_profiles(call);
    if (strcmp(given->format, "csv") != 0)
        return import_ginkgo(call);
    return given->devices.count && !given->samples && !given->computation ? import_devices(call)
                                                                          : run_csv(call);
}

static const argument arguments[] = {
    {.name = "DIR", .help = "ginkgo: the checkout, or a folder in it", .optional = true}, {0}};

const command command_store_import = {
    .name = "store import",
    .summary = "Add samples, devices or profiles from files",
    .synopsis = "[--store URL] --computation NAME --device ID --samples FILE [--devices FILE,...] "
                "[--describe FILE] [--features A,B,...] [--variants V,W,...] [--log A,B,...] "
                "[--replace]\n"
                "[--store URL] --format ginkgo DIR [--devices FILE,...] [--describe FILE] "
                "[--rename FOLDER=DEVICE,...] [--campaign NAME] [--replace]\n"
                "[--store URL] --devices FILE,...\n"
                "[--store URL] --profiles FILE --device ID [--variant NAME --input NAME | --proxy "
                "NAME --intensity X]",
    .description =
        "Adds one sample for each row of a CSV file: column input holds its name, columns "
        "time_ms:VARIANT hold times in milliseconds (empty if missing), prepare_ms:VARIANT the "
        "costs of preparing and feature_ms:FEATURE those of evaluating features, also in "
        "milliseconds (empty if unknown), and the others are input features. Either all rows are "
        "added or none. Inputs that the store already has for this device are refused without "
        "--replace, and so are features or variants that differ from the computation's schema in "
        "the store.\n\n"
        "--devices FILE without --samples imports only devices, such as a remote target without "
        "measurements. A row replaces the stored device. Nitro ships tables of cards with "
        "their vendors' figures, nvidia.csv and amd.csv (in share/nitro/devices, or data/devices "
        "of "
        "its sources).\n\n"
        "The scale of a feature is chosen from its values: linear, unless the largest magnitude is "
        "at least 100 times the median or the smallest non-zero one; then log if all values are "
        "positive, else signed log. --log overrides this.\n\n"
        "--describe names a file that describes the columns and defines relative features: "
        "formulas over input and device features, which carry over to devices that differ from "
        "those measured. For a new computation, only the features that it lists are imported. Any "
        "import accepts it; it replaces the earlier description. Nitro ships spmv-ginkgo.json (in "
        "share/nitro/computations, or data/computations of its sources) for measurements of sparse "
        "matrix-vector products.\n\n"
        "--format ginkgo reads a checkout of the Ginkgo project's public benchmark data: JSON "
        "files at DEVICE/EXECUTOR/COLLECTION/GROUP/MATRIX.json, of every generation. The unit of a "
        "file, seconds or nanoseconds, is inferred from its times: the fastest variant of a matrix "
        "takes between 0.1 us and 100 s. Within a folder, files with another executor, spelling of "
        "variants or unit form another campaign: the largest campaign becomes the device named "
        "like the folder, others become devices of their own, such as K40m.cuda-capital-ns. Two "
        "states of a checkout are two campaigns as well: name the second one with --campaign. The "
        "variants are those that more than half of the devices measured, unless --variants or the "
        "store's schema defines them; the others are named. Skipped files are counted by reason, "
        "with the first of each. A device gets the features of the row of --devices (default: the "
        "tables of cards that ship) that has its id or its folder's name, or else of the card "
        "that the folder is named after: titanV is 'TITAN V', V100_SXM2 is 'Tesla "
        "V100-SXM2-16GB'. Where several rows fit, the first one is taken and all are named; "
        "--rename chooses.\n\n"
        "--profiles FILE reads hardware metrics of kernels for device-feature selection by "
        "profiles (nitro tune-from-source --dfs profile). The file has one row per kernel and one "
        "column per metric, under nvprof's or Nsight Compute's names (an empty field: not "
        "collected), and columns that identify the run: device, computation, variant, input, "
        "kernel; or device, proxy, intensity, kernel. The output of a profiler is accepted too: "
        "ncu --csv --page raw --print-units base, or nvprof --csv --metrics all. It does not "
        "identify the run: profile one run per file, and give --device, --computation, --variant "
        "and --input, or --device, --proxy and --intensity. Collect the issued instructions too "
        "(inst_issued, smsp__inst_issued.sum), as other counts are divided by them; "
        "share/nitro/proxies/paper.json lists the metrics of the proxies. 'nitro store export "
        "--profiles' writes the same form.",
    .examples = "  nitro store import --store sqlite:lab.db --computation spmv-ginkgo \\\n"
                "      --device K20Xm --samples K20Xm.csv --devices devices.csv\n"
                "  nitro store import --store sqlite:lab.db --format ginkgo ginkgo-data \\\n"
                "      --rename V100=v100-pcie-32gb\n"
                "  nitro store import --store sqlite:lab.db --profiles ell.csv --device K20Xm \\\n"
                "      --computation spmv-ginkgo --variant ell --input bcsstk17\n"
                "  nitro store import --store sqlite:lab.db --devices ours.csv\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
