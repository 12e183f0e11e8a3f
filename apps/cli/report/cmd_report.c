/* cmd_report.c - nitro report: the paper's evaluation of a store, as a page with its data. */
#include <string.h>
#include <unistd.h>

#include "apps/cli/commands/evaluation.h"
#include "apps/cli/commands/excluded_sources.h"
#include "apps/cli/device_set.h"
#include "apps/cli/paths.h"
#include "apps/cli/report/report.h"

typedef struct settings {
    common_settings common;
    const char *store, *output;
    nitro_string_list targets, sources, exclude, methods, skip, describe, recorded, searchers;
    double train_fraction;
    uint64_t seed, seeds, threads, repeats;
    bool quick;
} settings;

/* What --quick compares unless methods are named: those that learn in a second or two. */
static const char *const quick_methods[] = {"random", "fixed", "majority", "pooled",
                                            "forest", "auto",  "native"};

static const char *const parts[] = {"source-less", "curves", "features", NULL};

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_study_options study;
    nitro_study_options_init(&study);
    given->train_fraction = study.train_fraction;
    given->seed = study.seed;
    given->seeds = OPTION_NOT_GIVEN;
    given->repeats = 35;
}

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "output", output, "DIR", "the folder to write to; created if missing",
           .required = true),
    OPTION_TARGETS,
    OPTION(LIST, "sources", sources, "auto|A,B,...",
           "source devices, weighted by their similarity to the target; 'auto' (the default): all"),
    OPTION_EXCLUDE,
    OPTION(LIST, "method", methods, "M,...",
           "methods to compare, see 'nitro help evaluate' (default: as there)"),
    OPTION(LIST, "methods", methods, "M,...", "the same as --method"),
    OPTION_TRAIN_FRACTION,
    OPTION(COUNT, "seed", seed, "N", "the first seed, for the split and for training"),
    OPTION(COUNT, "seeds", seeds, "N",
           "number of consecutive seeds to average over (default: 3; 1 with --quick)", .minimum = 1,
           .maximum = 1000),
    OPTION_THREADS,
    OPTION(FLAG, "quick", quick, NULL,
           "one seed, fast methods, and none of the long studies that --skip names"),
    OPTION(LIST, "skip", skip, "PART,...",
           "skip source-less (every method again without each source), curves (quality against "
           "measured inputs and against sources) or features (device-feature selections)"),
    OPTION(LIST, "describe", describe, "FILE,...",
           "descriptions with the variants' flops and bytes (share/nitro/computations): adds the "
           "roofline"),
    OPTION(FILES, "recorded", recorded, "FILE",
           "report on these recorded tuning spaces instead of a store",
           .excludes =
               "store,targets,sources,exclude,method,methods,train-fraction,seed,seeds,quick,skip,"
               "describe,json"),
    OPTION(LIST, "searchers", searchers, "NAME[:OPTION=VALUE...],...",
           "with --recorded, the searchers (default: auto,bayes-ei,genetic,random)",
           .needs = "recorded"),
    OPTION(COUNT, "repeats", repeats, "N", "with --recorded, searches of each space", .minimum = 1,
           .maximum = 100000, .needs = "recorded"),
    OPTION(FLAG, "json", common.json, NULL, "print the names of the files as JSON"),
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "names of computations in the store (default: all that are there)",
     .optional = true,
     .many = true},
    {0}};

/** The command line, resolved. */
typedef struct plan {
    invocation *call;
    nitro_string_list computations, methods, sub_methods;
    bool made_folder;
} plan;

static bool is_quick(const char *method)
{
    for (size_t i = 0; i < sizeof quick_methods / sizeof quick_methods[0]; i++)
        if (strcmp(quick_methods[i], method) == 0)
            return true;
    return false;
}

static int check_names(const plan *self)
{
    const settings *given = self->call->settings;
    bool are_equal = false;
    named_sources(&given->sources, &are_equal);
    if (are_equal)
        return fail_usage(self->call, "--sources all: the sources of a report are weighted; 'nitro "
                                      "evaluate' can count them equally");
    int code = check_methods(self->call, &given->methods);
    for (size_t i = 0; i < given->skip.count && code == EXIT_DONE; i++)
        code = check_choice(self->call, "skip", given->skip.items[i], parts);
    return code;
}

/** The methods to compare, in declared order; and those that depend on sources. */
static int choose_methods(plan *self)
{
    const settings *given = self->call->settings;
    nitro_context *context = self->call->context;
    nitro_status status = NITRO_OK;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++) {
        bool wanted = given->methods.count
                          ? nitro_string_list_find(&given->methods, each->name) != NITRO_NONE
                          : !each->only_named && (!given->quick || is_quick(each->name));
        if (status == NITRO_OK && wanted)
            status = nitro_string_list_add(context, &self->methods, each->name);
        /* A model of the target's own samples is the same whatever the sources are. */
        if (status == NITRO_OK && wanted && strcmp(each->name, "native") != 0)
            status = nitro_string_list_add(context, &self->sub_methods, each->name);
    }
    return status == NITRO_OK ? check_names(self) : fail(self->call);
}

static int choose_computations(plan *self)
{
    nitro_string_list known = {0};
    const nitro_string_list *named = &self->call->arguments;
    nitro_status status = nitro_store_list_computations(self->call->store, &known);
    int code = EXIT_DONE;
    for (size_t i = 0; status == NITRO_OK && i < named->count && code == EXIT_DONE; i++) {
        if (nitro_string_list_find(&known, named->items[i]) == NITRO_NONE) {
            char names[512];
            join_list(&known, names, sizeof names);
            code = fail_text(self->call, "%s has no computation '%s'; it has: %s",
                             nitro_store_url(self->call->store), named->items[i], names);
        } else if (nitro_string_list_find(&self->computations, named->items[i]) == NITRO_NONE) {
            status =
                nitro_string_list_add(self->call->context, &self->computations, named->items[i]);
        }
    }
    for (size_t i = 0; named->count == 0 && i < known.count && status == NITRO_OK; i++)
        status = nitro_string_list_add(self->call->context, &self->computations, known.items[i]);
    nitro_string_list_free(&known);
    if (status != NITRO_OK)
        return fail(self->call);
    if (code == EXIT_DONE && self->computations.count == 0)
        code = fail_text(self->call, "%s has no computations: nothing to report",
                         nitro_store_url(self->call->store));
    return code;
}

static bool is_skipped(const settings *given, const char *part)
{
    return given->quick || nitro_string_list_find(&given->skip, part) != NITRO_NONE;
}

static int make(const plan *self)
{
    const settings *given = self->call->settings;
    report request = {.call = self->call,
                      .context = self->call->context,
                      .store = self->call->store,
                      .folder = given->output,
                      .sub_methods = &self->sub_methods,
                      .excluded = &given->exclude,
                      .descriptions = list_if_given(&given->describe),
                      .skip_source_less = is_skipped(given, "source-less"),
                      .skip_features = is_skipped(given, "features"),
                      .skip_curves = is_skipped(given, "curves")};
    bool are_equal;
    nitro_study_options_init(&request.options);
    request.options.targets = list_if_given(&given->targets);
    request.options.sources = named_sources(&given->sources, &are_equal);
    request.options.methods = &self->methods;
    request.options.train_fraction = given->train_fraction;
    request.options.seed = given->seed;
    request.options.num_threads = (unsigned)given->threads;
    if (given->seeds != OPTION_NOT_GIVEN)
        request.options.num_seeds = given->seeds;
    else
        request.options.num_seeds = given->quick ? 1 : 3;
    return report_run(&request, &self->computations);
}

static int report_recorded(plan *self)
{
    const settings *given = self->call->settings;
    const search_report_request request = {.output = given->output,
                                           .recorded = &given->recorded,
                                           .searchers = &given->searchers,
                                           .repeats = given->repeats,
                                           .threads = given->threads};
    if (self->call->arguments.count > 0)
        return fail_usage(self->call, "--recorded does not go with a computation");
    if (make_folder(self->call->context, given->output, &self->made_folder) != NITRO_OK)
        return fail(self->call);
    return report_searches(self->call, &request);
}

static int report_stored(plan *self)
{
    settings *given = self->call->settings;
    int code = choose_methods(self);
    if (code == EXIT_DONE)
        code = store_open(self->call, given->store, NITRO_STORE_READ);
    nitro_string_list *const lists[] = {&given->targets, &given->sources, &given->exclude, NULL};
    if (code == EXIT_DONE)
        code = exit_code(self->call, device_lists_find_stored(self->call->store, lists));
    if (code == EXIT_DONE)
        code = choose_computations(self);
    if (code == EXIT_DONE)
        code = exit_code(self->call,
                         make_folder(self->call->context, given->output, &self->made_folder));
    return code == EXIT_DONE ? make(self) : code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    plan self = {.call = call};
    int code = given->recorded.count > 0 ? report_recorded(&self) : report_stored(&self);
    if (code != EXIT_DONE && self.made_folder)
        rmdir(given->output); /* fails, as it should, where a part is in it */
    nitro_string_list_free(&self.computations);
    nitro_string_list_free(&self.methods);
    nitro_string_list_free(&self.sub_methods);
    return code;
}

const command command_report = {
    .name = "report",
    .summary = "Write a report on a store: a page with charts and data",
    .synopsis = "--output DIR [COMPUTATION...] [--store URL] [--targets A,...] [--sources A,...] "
                "[--exclude A,signer:NAME,...] [--method M,...] [--train-fraction 0.3] [--seed N] "
                "[--seeds N] [--quick] "
                "[--skip PART,...] [--describe FILE,...] [--json]\n"
                "--recorded FILE... --output DIR [--searchers NAME,...] [--repeats 35]",
    .description =
        "Repeats the evaluation of the paper (Section 6) on the samples of a store: how often each "
        "variant is the best on each device and which one to recommend; how much that depends on "
        "the "
        "device, overall and within a generation, and on the campaign; the quality of the methods "
        "on "
        "an unseen device and its spread over seeds, slowdowns and worst inputs, predicted against "
        "reached quality, with more measured inputs, more sources and without each one; the share "
        "of bandwidth and flops that variants reach (with --describe); the "
        "contribution of each source; the selected proxies and device features and the time of the "
        "selection; the similarity of the devices. Method names: "
        "fixed is the single best variant (SBS), native is target-trained, transfer is the "
        "per-input source oracle, best is the oracle (VBS).\n\n"
        "Writes DIR/index.html, a self-contained page, and for every part its numbers as "
        "DIR/COMPUTATION-PART.csv and .json and its chart as .svg. Charts show their values when "
        "pointed at, and suit light and dark screens.\n\n"
        "With --recorded, it shows searches of recorded tuning spaces instead (see 'nitro "
        "search'): "
        "the best time so far against evaluations and against time, the median with the band of "
        "the middle 80 %, and the distribution of the space's times.\n\n"
        "An interrupted report keeps its evaluations in DIR/COMPUTATION.unfinished, and the same "
        "command resumes. "
        "The same samples, options and seed give the same bytes, except for the times of "
        "device-feature selection. Times of modelled devices come from a cost model and are never "
        "a result.",
    .examples = "  nitro report --store sqlite:lab.db --output report --quick\n"
                "  nitro report spmv --store sqlite:lab.db --output report --seeds 3\n"
                "  nitro report --recorded gemm.csv --output report\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
