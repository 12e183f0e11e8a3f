/* cmd_report.c - nitro report: the paper's evaluation of a store, as a page with its data. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cli/report/report_run.h"

typedef struct settings {
    common_settings common;
    const char *store, *output;
    nitro_string_list targets, sources, methods, skip;
    double train_fraction;
    uint64_t seed, seeds, threads;
    bool quick;
} settings;

/* The methods of --quick: those that learn in a second or two. */
static const char *const quick_methods[] = {"random", "fixed",  "majority",
                                            "pooled", "forest", "native"};

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_study_options study;
    nitro_study_options_init(&study);
    given->train_fraction = study.train_fraction;
    given->seed = study.seed;
    given->seeds = OPTION_NOT_GIVEN;
}

static const option options[] = {
    OPTION_STORE,
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, output),
     .value = "DIR",
     .help = "the folder to write to; created if missing",
     .required = true},
    OPTION_TARGETS,
    OPTION_SOURCES,
    {.name = "methods",
     .type = OPTION_LIST,
     .offset = offsetof(settings, methods),
     .value = "M,...",
     .help = "methods to compare, see 'nitro help evaluate' (default: all)"},
    OPTION_TRAIN_FRACTION,
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seed),
     .value = "N",
     .help = "the first seed: of the split of inputs, and of learning"},
    {.name = "seeds",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seeds),
     .value = "N",
     .minimum = 1,
     .maximum = 1000,
     .help =
         "number of consecutive seeds; results are means over them (default: 3; 1 with --quick)"},
    OPTION_THREADS,
    {.name = "quick",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, quick),
     .help =
         "quick overview: one seed, fast methods, and none of the long studies that --skip names"},
    {.name = "skip",
     .type = OPTION_LIST,
     .offset = offsetof(settings, skip),
     .value = "PART,...",
     .help = "omit source-less (every method again without each source) or features "
             "(device-feature selections and their time)"},
    {0}};

static const argument arguments[] = {{.name = "COMPUTATION",
                                      .help = "computations in the store (default: all)",
                                      .optional = true,
                                      .many = true},
                                     {0}};

/** The parsed command line. */
typedef struct report_arguments {
    invocation *call;
    nitro_store *store;
    nitro_string_list computations, methods, sub_methods;
} report_arguments;

/* ---- Arguments -------------------------------------------------------------------------- */

static bool is_quick(const char *method)
{
    for (size_t i = 0; i < sizeof quick_methods / sizeof quick_methods[0]; i++)
        if (strcmp(quick_methods[i], method) == 0)
            return true;
    return false;
}

static int check_names(const report_arguments *self)
{
    const settings *given = self->call->settings;
    for (size_t i = 0; i < given->skip.count; i++)
        if (strcmp(given->skip.items[i], "source-less") != 0 &&
            strcmp(given->skip.items[i], "features") != 0)
            return fail_usage(self->call, "--skip: '%s' is neither source-less nor features",
                              given->skip.items[i]);
    for (size_t i = 0; i < given->methods.count; i++)
        if (nitro_string_list_find(&self->methods, given->methods.items[i]) == NITRO_NONE)
            return fail_usage(self->call,
                              "--methods: unknown method '%s'; 'nitro help evaluate' lists them",
                              given->methods.items[i]);
    return EXIT_DONE;
}

/** The methods to compare, in declared order; and those that depend on sources. */
static int choose_methods(report_arguments *self)
{
    const settings *given = self->call->settings;
    nitro_context *context = self->call->context;
    nitro_status status = NITRO_OK;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++) {
        bool wanted = given->methods.count
                          ? nitro_string_list_find(&given->methods, each->name) != NITRO_NONE
                          : !given->quick || is_quick(each->name);
        if (status == NITRO_OK && wanted)
            status = nitro_string_list_add(context, &self->methods, each->name);
        /* A model of the target's own samples is the same whatever the sources are. */
        if (status == NITRO_OK && wanted && strcmp(each->name, "native") != 0)
            status = nitro_string_list_add(context, &self->sub_methods, each->name);
    }
    return status == NITRO_OK ? check_names(self) : fail(self->call);
}

static int choose_computations(report_arguments *self)
{
    nitro_string_list known = {0};
    const nitro_string_list *named = &self->call->arguments;
    nitro_status status = nitro_store_list_computations(self->store, &known);
    int code = EXIT_DONE;
    for (size_t i = 0; status == NITRO_OK && i < named->count && code == EXIT_DONE; i++) {
        if (nitro_string_list_find(&known, named->items[i]) == NITRO_NONE) {
            char names[512];
            join_list(&known, names, sizeof names);
            code = fail_text(self->call, "%s has no computation '%s'; it has: %s",
                             nitro_store_url(self->store), named->items[i], names);
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
        code = fail_text(self->call, "%s holds no computation; tune or import one first",
                         nitro_store_url(self->store));
    return code;
}

static int make_folder(const report_arguments *self)
{
    const settings *given = self->call->settings;
    if (mkdir(given->output, 0777) == 0)
        return EXIT_DONE;
    int reason = errno;
    struct stat about;
    if (reason == EEXIST && stat(given->output, &about) == 0 && S_ISDIR(about.st_mode))
        return EXIT_DONE;
    return fail_text(self->call, "cannot make the folder %s: %s", given->output,
                     strerror(reason == EEXIST ? ENOTDIR : reason));
}

/* ---- The command ---------------------------------------------------------------------------- */

static const nitro_string_list *if_given(const nitro_string_list *list)
{
    return list->count ? list : NULL;
}

static bool is_skipped(const settings *given, const char *part)
{
    return given->quick || nitro_string_list_find(&given->skip, part) != NITRO_NONE;
}

static int make(const report_arguments *self)
{
    const settings *given = self->call->settings;
    report_request request = {.store = self->store,
                              .output = given->output,
                              .computations = &self->computations,
                              .sub_methods = &self->sub_methods,
                              .skip_source_less = is_skipped(given, "source-less"),
                              .skip_features = is_skipped(given, "features")};
    nitro_study_options_init(&request.study);
    request.study.targets = if_given(&given->targets);
    request.study.sources = if_given(&given->sources);
    request.study.methods = &self->methods;
    request.study.train_fraction = given->train_fraction;
    request.study.seed = given->seed;
    request.study.num_threads = (unsigned)given->threads;
    if (given->seeds != OPTION_NOT_GIVEN)
        request.study.num_seeds = given->seeds;
    else
        request.study.num_seeds = given->quick ? 1 : 3;
    return report_run(self->call, &request);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    report_arguments self = {.call = call};
    int code = choose_methods(&self);
    if (code == EXIT_DONE &&
        nitro_store_open(call->context, given->store, NITRO_STORE_READ, &self.store) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE)
        code = choose_computations(&self);
    if (code == EXIT_DONE)
        code = make_folder(&self);
    if (code == EXIT_DONE)
        code = make(&self);
    nitro_string_list_free(&self.computations);
    nitro_string_list_free(&self.methods);
    nitro_string_list_free(&self.sub_methods);
    nitro_store_close(self.store);
    return code;
}

const command command_report = {
    .name = "report",
    .summary = "Write an evaluation of a store as an HTML report",
    .synopsis = "--store URL --output DIR [COMPUTATION...] [--targets A,...] [--sources A,...] "
                "[--methods M,...] [--train-fraction 0.3] [--seed N] [--seeds N] [--quick] "
                "[--skip PART,...]",
    .description =
        "Runs the evaluation of the paper (Section 6) on the samples of a store: how often each "
        "variant is the best on each device; how much that depends on the device, over all devices "
        "and within a generation; how well methods choose on unseen devices, with all sources and "
        "with one source less; what each source contributes; which proxies and device features are "
        "selected, and how long that takes; how similar the devices are.\n\nWrites DIR/index.html, "
        "a self-contained page, and for every part its numbers as DIR/COMPUTATION-PART.csv and "
        ".json and its picture as .svg and .png with its .gnuplot script. Without gnuplot, the "
        "report has no pictures.\n\nThe same samples, options and seed give the same bytes, except "
        "for the measured selection times. Times of modelled devices come from a cost model and "
        "are never a result. The exit code is 1 if a picture could not be drawn.",
    .examples = "  nitro report --store sqlite:lab.db --output report --quick\n"
                "  nitro report spmv --store sqlite:lab.db --output report --seeds 3\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run};
