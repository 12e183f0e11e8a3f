/* cmd_report.c - nitro report: the paper's evaluation of a store, as a page with its data. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cli/report.h"

typedef struct settings {
    common_settings common;
    const char *store, *output;
    nitro_string_list targets, sources, methods;
    double train_fraction;
    uint64_t seed, seeds, threads;
    bool quick;
} settings;

/* What --quick compares unless methods are named: those that learn in a second or two. */
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
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "the store with the samples (default: the user's own)"},
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, output),
     .value = "DIR",
     .help = "the folder to write to; made when missing",
     .required = true},
    {.name = "targets",
     .type = OPTION_LIST,
     .offset = offsetof(settings, targets),
     .value = "A,B,...",
     .help = "devices to choose for, one after the other (default: all with samples)"},
    {.name = "sources",
     .type = OPTION_LIST,
     .offset = offsetof(settings, sources),
     .value = "A,B,...",
     .help = "devices to learn from; a target is never its own source (default: all)"},
    {.name = "methods",
     .type = OPTION_LIST,
     .offset = offsetof(settings, methods),
     .value = "M,...",
     .help = "methods to compare, see 'nitro help evaluate' (default: all)"},
    {.name = "train-fraction",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, train_fraction),
     .value = "X",
     .minimum = 0.001,
     .maximum = 0.999,
     .help = "share of the inputs to learn from"},
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seed),
     .value = "N",
     .help = "the first seed: of the draw of training inputs, and of learning"},
    {.name = "seeds",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seeds),
     .value = "N",
     .minimum = 1,
     .maximum = 1000,
     .help = "how many seeds, one after the other; numbers are means over them (default: 3; 1 "
             "with --quick)"},
    {.name = "threads",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, threads),
     .value = "N",
     .maximum = 4096,
     .help = "threads to learn with (default: one a core); results do not depend on it"},
    {.name = "quick",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, quick),
     .help = "a first look: one seed, quick methods, no studies with one source less, no "
             "selections of device features"},
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "names of computations in the store (default: all that are there)",
     .optional = true,
     .many = true},
    {0}};

/** A run of the command: what it works on, freed as a whole. */
typedef struct report_run {
    invocation *call;
    nitro_store *store;
    nitro_string_list computations, methods, sub_methods;
    report *reports; /* shape [num_reports] */
    size_t num_reports;
    bool has_gnuplot, drew_all;
    char no_pictures[1024]; /* the first reason why one could not be drawn */
} report_run;

/* ---- What is asked -------------------------------------------------------------------------- */

static bool is_quick(const char *method)
{
    for (size_t i = 0; i < sizeof quick_methods / sizeof quick_methods[0]; i++)
        if (strcmp(quick_methods[i], method) == 0)
            return true;
    return false;
}

static int check_methods(const report_run *self)
{
    const settings *given = self->call->settings;
    for (size_t i = 0; i < given->methods.count; i++)
        if (nitro_string_list_find(&self->methods, given->methods.items[i]) == NITRO_NONE)
            return fail_usage(self->call,
                              "--methods: there is no method '%s'; 'nitro help evaluate' lists "
                              "them",
                              given->methods.items[i]);
    return EXIT_DONE;
}

/** The methods to compare, in declared order; and those that depend on sources. */
static int choose_methods(report_run *self)
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
    return status == NITRO_OK ? check_methods(self) : fail(self->call);
}

static int choose_computations(report_run *self)
{
    nitro_string_list known = {0};
    const nitro_string_list *asked = &self->call->arguments;
    nitro_status status = nitro_store_list_computations(self->store, &known);
    int code = EXIT_DONE;
    for (size_t i = 0; status == NITRO_OK && i < asked->count && code == EXIT_DONE; i++) {
        if (nitro_string_list_find(&known, asked->items[i]) == NITRO_NONE) {
            char names[512];
            join_list(&known, names, sizeof names);
            code = fail_text(self->call, "%s has no computation '%s'; it has: %s",
                             nitro_store_url(self->store), asked->items[i], names);
        } else if (nitro_string_list_find(&self->computations, asked->items[i]) == NITRO_NONE) {
            status =
                nitro_string_list_add(self->call->context, &self->computations, asked->items[i]);
        }
    }
    for (size_t i = 0; asked->count == 0 && i < known.count && status == NITRO_OK; i++)
        status = nitro_string_list_add(self->call->context, &self->computations, known.items[i]);
    nitro_string_list_free(&known);
    if (status != NITRO_OK)
        return fail(self->call);
    if (code == EXIT_DONE && self->computations.count == 0)
        code = fail_text(self->call, "%s holds no computation: nothing to report",
                         nitro_store_url(self->store));
    return code;
}

static int make_folder(const report_run *self)
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

/* ---- One computation ------------------------------------------------------------------------ */

static bool is_named(const nitro_string_list *list, const char *id)
{
    return list->count == 0 || nitro_string_list_find(list, id) != NITRO_NONE;
}

/** All devices that are targets or sources. */
static nitro_status load(const settings *given, report *made)
{
    nitro_string_list known = {0}, devices = {0};
    nitro_status status = nitro_store_list_devices(made->store, made->computation, &known);
    for (size_t i = 0; i < known.count && status == NITRO_OK; i++)
        if (is_named(&given->targets, known.items[i]) || is_named(&given->sources, known.items[i]))
            status = nitro_string_list_add(made->context, &devices, known.items[i]);
    if (status == NITRO_OK && devices.count == 0)
        status =
            nitro_fail(made->context, NITRO_ERR_NOT_FOUND,
                       "none of the devices that were named has samples of %s", made->computation);
    if (status == NITRO_OK)
        status =
            nitro_dataset_load(made->store, made->computation, (const char *const *)devices.items,
                               devices.count, &made->dataset);
    nitro_string_list_free(&known);
    nitro_string_list_free(&devices);
    return status;
}

static const nitro_string_list *if_given(const nitro_string_list *list)
{
    return list->count ? list : NULL;
}

static void prepare(report_run *self, const char *computation, report *made)
{
    const settings *given = self->call->settings;
    *made = (report){.call = self->call,
                     .context = self->call->context,
                     .store = self->store,
                     .computation = computation,
                     .sub_methods = &self->sub_methods,
                     .quick = given->quick};
    nitro_study_options_init(&made->options);
    made->options.targets = if_given(&given->targets);
    made->options.sources = if_given(&given->sources);
    made->options.methods = &self->methods;
    made->options.train_fraction = given->train_fraction;
    made->options.seed = given->seed;
    made->options.num_seeds = given->seeds != OPTION_NOT_GIVEN ? given->seeds
                              : given->quick                   ? 1
                                                               : 3;
    made->options.num_threads = (unsigned)given->threads;
}

static nitro_status compute(report_run *self, report *made)
{
    progress_line progress;
    char task[128];
    nitro_status status = load(self->call->settings, made);
    if (status != NITRO_OK)
        return status;
    snprintf(task, sizeof task, "report %s", made->computation);
    progress_begin(&progress, self->call, task, "evaluations");
    made->progress = &progress;
    nitro_status (*const steps[])(report *) = {
        report_add_devices, report_add_variants,   report_add_sensitivity,
        report_add_quality, report_add_selections, report_add_similarity,
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == NITRO_OK; i++)
        status = steps[i](made);
    progress_end(&progress);
    made->progress = NULL;
    return status;
}

/** A missing gnuplot is said once, a failing one for every picture; both cost pictures alone. */
static void draw(report_run *self, report *made, report_part *part)
{
    const settings *given = self->call->settings;
    nitro_status status = report_draw(made, part, given->output);
    char message[1024];
    if (status == NITRO_OK)
        return;
    nitro_context_last_error(self->call->context, message, sizeof message);
    if (!*self->no_pictures)
        memcpy(self->no_pictures, message, sizeof message);
    if (status != NITRO_ERR_NOT_BUILT || self->has_gnuplot)
        warn(self->call, "%s", message);
    if (status == NITRO_ERR_NOT_BUILT)
        self->has_gnuplot = false;
    else
        self->drew_all = false;
}

static nitro_status write_parts(report_run *self, report *made)
{
    const settings *given = self->call->settings;
    nitro_status status = NITRO_OK;
    for (size_t p = 0; p < made->num_parts && status == NITRO_OK; p++) {
        status = report_write_files(made, &made->parts[p], given->output);
        if (status == NITRO_OK)
            draw(self, made, &made->parts[p]);
    }
    return status;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/** Who made the page from what: no date, so that the same store gives the same page. */
static char *describe_provenance(const report_run *self)
{
    const nitro_study_options *how = &self->reports[0].options;
    char *text =
        nitro_asprintf(self->call->context,
                       "Made by Nitro %s from %s; %g %% of the inputs to learn from, seed %" PRIu64
                       " (the first of %zu); measurements",
                       nitro_version(), nitro_store_url(self->store), 100.0 * how->train_fraction,
                       how->seed, how->num_seeds);
    for (size_t r = 0; text && r < self->num_reports; r++) {
        char *longer = nitro_asprintf(self->call->context, "%s%s %s %016" PRIx64, text,
                                      r ? "," : "", self->reports[r].computation,
                                      nitro_dataset_digest(self->reports[r].dataset));
        free(text);
        text = longer;
    }
    return text;
}

static int report_all(report_run *self)
{
    const settings *given = self->call->settings;
    nitro_status status = NITRO_OK;
    self->reports =
        nitro_calloc(self->call->context, self->computations.count, sizeof *self->reports);
    if (!self->reports)
        return fail(self->call);
    for (size_t i = 0; i < self->computations.count && status == NITRO_OK; i++) {
        report *made = &self->reports[self->num_reports++];
        prepare(self, self->computations.items[i], made);
        status = compute(self, made);
        if (status == NITRO_OK)
            status = write_parts(self, made);
    }
    char *provenance = status == NITRO_OK ? describe_provenance(self) : NULL;
    if (status == NITRO_OK && provenance)
        status = report_write_page(self->reports, self->num_reports,
                                   *self->no_pictures ? self->no_pictures : NULL, provenance,
                                   given->output);
    if (status != NITRO_OK || !provenance)
        return fail(self->call);
    free(provenance);
    note(self->call, "the report is %s/index.html", given->output);
    return self->drew_all ? EXIT_DONE : EXIT_FAILED;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    report_run self = {.call = call, .has_gnuplot = true, .drew_all = true};
    int code = choose_methods(&self);
    if (code == EXIT_DONE &&
        nitro_store_open(call->context, given->store, NITRO_STORE_READ, &self.store) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE)
        code = choose_computations(&self);
    if (code == EXIT_DONE)
        code = make_folder(&self);
    if (code == EXIT_DONE)
        code = report_all(&self);
    for (size_t r = 0; r < self.num_reports; r++)
        report_free_parts(&self.reports[r]);
    free(self.reports);
    nitro_string_list_free(&self.computations);
    nitro_string_list_free(&self.methods);
    nitro_string_list_free(&self.sub_methods);
    nitro_store_close(self.store);
    return code;
}

const command command_report = {
    .name = "report",
    .summary = "Write a store's evaluation as a page with pictures",
    .synopsis = "--store URL --output DIR [COMPUTATION...] [--targets A,...] [--sources A,...] "
                "[--methods M,...] [--train-fraction 0.3] [--seed N] [--seeds N] [--quick]",
    .description =
        "Does the evaluation of the paper (its Section 6) on the samples of a store: which variant "
        "is the best how often on which device; how much that depends on the device, over all "
        "devices and within a generation; how well methods choose for a device that they did not "
        "learn from, with all sources and with one less at a time; what each source contributes; "
        "which proxies and device features are chosen, and how long that takes; how alike the "
        "devices are.\n\n"
        "Writes DIR/index.html, one page that needs no other file, and for every part its numbers "
        "as DIR/COMPUTATION-PART.csv and .json and its picture as .svg and .png, with the .gnuplot "
        "script that draws it. gnuplot is used where it is installed; without it there are no "
        "pictures, and all the rest.\n\n"
        "The same samples, options and seed give the same bytes, but for the times that choosing "
        "device features takes. Times of modelled devices come from a cost model and are never a "
        "result. The exit code is 1 when a picture could not be drawn.",
    .examples = "  nitro report --store sqlite:lab.db --output report --quick\n"
                "  nitro report spmv --store sqlite:lab.db --output report --seeds 3\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run};
