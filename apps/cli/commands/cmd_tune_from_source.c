/* cmd_tune_from_source.c - nitro tune-from-source: a model for a device from others' samples. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/commands/excluded_sources.h"
#include "apps/cli/commands/measure_target.h"
#include "apps/cli/device_set.h"
#include "apps/cli/load_module.h"
#include "apps/cli/model_report.h"
#include "apps/cli/paths.h"

typedef struct settings {
    common_settings common;
    const char *store, *target, *strategy, *dfs, *proxies, *output;
    nitro_string_list sources, exclude, inputs;
    uint64_t max_subset, k, measure, generate, generate_seed, name_parts, seed, threads;
    bool no_guard;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_learn_options learn;
    nitro_learn_options_init(&learn);
    given->strategy = learn.strategy;
    given->max_subset = learn.dfs_max_subset;
    given->k = learn.dfs_k;
    given->seed = learn.seed;
    given->generate_seed = 1; /* as nitro tune has it */
    given->name_parts = 1;
}

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "target", target, "DEVICE",
           "the device to make a model for: in the store, on this machine, or modelled",
           .required = true),
    OPTION_SOURCES,
    OPTION_EXCLUDE,
    OPTION(TEXT, "strategy", strategy, "NAME",
           "how to train; 'nitro version' lists what is built in"),
    OPTION(TEXT, "dfs", dfs, "NAME",
           "device-feature selection: 'none' keeps all that sources and target share, 'omit' "
           "uses none, 'profile' selects by hardware profiles (P-DFS), 'cv' by cross-validation "
           "over the sources (CV-DFS), 'both' runs CV-DFS on the features that P-DFS selects "
           "(default: the strategy's own)"),
    OPTION(TEXT, "proxies", proxies, "FILE",
           "--dfs profile: JSON with more proxies, or other metrics of the built-in ones, in the "
           "form of share/nitro/proxies/paper.json"),
    OPTION(COUNT, "max-subset", max_subset, "N",
           "CV-DFS: largest number of device features in a subset", .minimum = 1, .maximum = 64),
    OPTION(COUNT, "k", k, "N",
           "CV-DFS: number of device features to select: those most frequent in the best subsets",
           .minimum = 1, .maximum = 64),
    OPTION(FLAG, "no-guard", no_guard, NULL,
           "keep the selected device features even if the target is outside the sources' range "
           "or LODO validation is better without them, as in the published methods"),
    OPTION(COUNT, "measure", measure, "N",
           "measure the N most informative inputs on the target and adapt the model to them "
           "(default: 0)",
           .maximum = 1000000),
    OPTION(FILES, "inputs", inputs, "FILE",
           "with --measure: candidate input files, up to the next option; without these and "
           "--generate, the target's samples in the store are used",
           .needs = "measure"),
    OPTION(COUNT, "generate", generate, "N",
           "with --measure: the first N generated inputs are candidates", .maximum = 1000000,
           .needs = "measure"),
    OPTION(COUNT, "generate-seed", generate_seed, "S",
           "seed of the generated inputs, as the sources were tuned with", .needs = "generate"),
    OPTION(COUNT, "name-parts", name_parts, "N",
           "name a file's input by the last N parts of its path, as the sources were tuned with",
           .minimum = 1, .maximum = 100, .needs = "inputs"),
    OPTION(COUNT, "seed", seed, "N",
           "seed of the cross-validation: the same samples, options and seed give the same model"),
    OPTION(COUNT, "threads", threads, "N",
           "threads for training (default: one per core); the model does not depend on it",
           .maximum = 4096),
    OPTION(TEXT, "output", output, "FILE", "the model file to write, atomically", .required = true),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation's name in the store, or a module's path"}, {0}};

/** Refuse a plug-in's name that is not built in. */
static int check_plugins(const invocation *call)
{
    enum { MAX_NAMES = 64 };
    const settings *given = call->settings;
    const char *names[MAX_NAMES] = {0};
    const nitro_strategy *const *strategies = nitro_builtin_strategies();
    const nitro_dfs_kind *const *kinds = nitro_builtin_dfs_kinds();
    for (size_t i = 0; strategies[i] && i < MAX_NAMES - 1; i++)
        names[i] = strategies[i]->name;
    int code = check_choice(call, "strategy", given->strategy, names);
    memset(names, 0, sizeof names);
    for (size_t i = 0; kinds[i] && i < MAX_NAMES - 1; i++)
        names[i] = kinds[i]->name;
    return code == EXIT_DONE && given->dfs ? check_choice(call, "dfs", given->dfs, names) : code;
}

/** Refuse options of device-feature selections that do not run. */
static int check_selection(const invocation *call)
{
    static const struct {
        const char *options, *dfs; /* beside 'both' */
    } rows[] = {{"k,max-subset", "cv"}, {"proxies", "profile"}};
    const settings *given = call->settings;
    const nitro_strategy *const *strategy = nitro_builtin_strategies();
    while (!given->dfs && strcmp((*strategy)->name, given->strategy) != 0)
        strategy++;
    const char *dfs = given->dfs ? given->dfs : (*strategy)->dfs;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && strcmp(dfs, "both") != 0; i++) {
        const option *without_effect = options_first_given(call, rows[i].options);
        if (without_effect && strcmp(dfs, rows[i].dfs) != 0)
            return fail_usage(call, "--%s needs --dfs %s or --dfs both", without_effect->name,
                              rows[i].dfs);
    }
    return EXIT_DONE;
}

/** Are inputs to be measured now, and not only read from the store? */
static bool measures_now(const settings *given)
{
    return given->inputs.count > 0 || given->generate > 0;
}

/* Where standard error is no terminal, nothing is printed before this. */
#define PLAIN_AFTER_MS 5000.0

/* A line for each step, with the step's own rate. */
typedef struct learning {
    progress_line line;
    nitro_learn_progress last;
    double begin_ms, last_ms;
} learning;

static bool show_progress(void *user, const nitro_learn_progress *progress)
{
    learning *self = user;
    if (progress->step != self->last.step || progress->done <= self->last.done) {
        self->line.started_ms = self->last_ms;
        self->line.last_percent = 0;
    }
    self->last = *progress;
    self->last_ms = nitro_clock_wall_ms(self->line.call->context);
    if (self->line.terminal || self->last_ms - self->begin_ms >= PLAIN_AFTER_MS)
        progress_update(&self->line, progress->done, progress->total, 0, progress->step);
    return true;
}

static void begin_to_show(learning *self, invocation *call, nitro_learn_options *how)
{
    progress_begin_waiting(&self->line, call, "learn", "models");
    self->begin_ms = self->last_ms = self->line.started_ms;
    how->progress = show_progress;
    how->progress_user = self;
}

static int learn(invocation *call, const char *computation, target_measuring *measuring,
                 nitro_model **model)
{
    settings *given = call->settings;
    nitro_store_mode mode = measures_now(given) ? NITRO_STORE_WRITE : NITRO_STORE_READ;
    nitro_learn_options how;
    learning shown = {.line = {.call = call}};
    nitro_learn_options_init(&how);
    nitro_string_list left = {0};
    const nitro_string_list *sources = named_sources(&given->sources, &how.equal_sources);
    how.strategy = given->strategy;
    how.dfs = given->dfs;
    how.unguarded = given->no_guard;
    how.num_measured = given->measure;
    how.proxies = given->proxies;
    how.dfs_max_subset = given->max_subset;
    how.dfs_k = given->k;
    how.seed = given->seed;
    how.num_threads = (unsigned)given->threads;
    if (store_open(call, given->store, mode) != EXIT_DONE)
        return EXIT_FAILED;
    if (measures_now(given))
        target_measuring_offer(measuring, given->target, &how);
    nitro_string_list *const lists[] = {&given->sources, &given->exclude, NULL};
    nitro_status status = device_lists_find_stored(call->store, lists);
    if (status == NITRO_OK)
        status = exclude_sources(call->store, computation, given->target, &given->exclude, &sources,
                                 &left);
    how.sources = sources ? (const char *const *)sources->items : NULL;
    how.num_sources = sources ? sources->count : 0;
    if (status == NITRO_OK && !measures_now(given))
        begin_to_show(&shown, call, &how);
    if (status == NITRO_OK)
        status = nitro_tune_from_source(call->context, call->store, computation, given->target,
                                        &how, model);
    progress_end(&shown.line);
    nitro_string_list_free(&left);
    return exit_code(call, status);
}

static int report(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    if (nitro_model_save(model, given->output) != NITRO_OK)
        return fail(call);
    if (!wants_json(call))
        return model_print(call, model, given->output);
    json_t *summary = model_json(call, model, given->output);
    return summary ? print_json(call, summary) : EXIT_FAILED;
}

static int prepare_measuring(invocation *call, target_measuring *measuring)
{
    const settings *given = call->settings;
    if (!measures_now(given))
        return EXIT_DONE;
    return target_measuring_begin(call, given->target, &given->inputs,
                                  (generated_range){given->generate_seed, 0, given->generate},
                                  given->name_parts, measuring);
}

static int run(invocation *call)
{
    const char *computation = NULL;
    nitro_model *model = NULL;
    target_measuring measuring = {0};
    const settings *given = call->settings;
    int code = check_plugins(call);
    if (code == EXIT_DONE)
        code = check_selection(call);
    if (code == EXIT_DONE)
        code = exit_code(call, require_writable(call->context, given->output));
    if (code == EXIT_DONE)
        code = prepare_measuring(call, &measuring);
    if (code == EXIT_DONE)
        code = module_name(call, call->arguments.items[0], &computation);
    if (code == EXIT_DONE)
        code = learn(call, computation, &measuring, &model);
    if (code == EXIT_DONE)
        code = report(call, model);
    nitro_model_free(model);
    target_measuring_end(&measuring);
    return code;
}

const command command_tune_from_source = {
    .name = "tune-from-source",
    .summary = "Make a model for a device without measurements",
    .synopsis = "COMPUTATION --target DEVICE [--store URL] [--sources A,B,...] [--exclude "
                "A,signer:NAME,...] [--strategy NAME] "
                "[--dfs NAME] [--proxies FILE] [--max-subset N] [--k N] [--measure N [--inputs "
                "FILE...]] [--seed N] "
                "--output FILE",
    .description =
        "Trains on the samples of source devices and on the target's device features, read from "
        "the store or from this machine. No variant runs on the target, except with --measure. "
        "Writes the model and prints what it was trained on.\n\n"
        "It also prints the predicted quality: the mean quality (percent of the best variant's "
        "speed) estimated from held-out inputs and leave-one-device-out (LODO) validation at the "
        "target's distance from its sources. A distance of 0.69 is a factor of two in every device "
        "feature used; it is unknown for a source that shares no device feature with the target. "
        "If no quality can be predicted, the reason is printed.\n\n"
        "Sources count by their similarity to the target: of each branch of software (devices.csv: "
        "vendor, software), those of the stack nearest to the target (a stack that contradicts the "
        "others counts as farther), and others that agree with them. Each source is learnt by "
        "itself, and the scores are averaged by these weights, "
        "which are printed (strategy tree: one tree of all samples, so weighted). "
        "Another rule, or no relative features, is taken where LODO validation "
        "is clearly better. Not weighted are sources of one stack, strategy svm, models with "
        "device features, and "
        "sources of fewer than 20 samples; --sources all turns weights off.\n\n"
        "With three or more sources that are not weighted, LODO validation selects the "
        "hyper-parameters and, for "
        "strategy auto, the ensemble members; the defaults are replaced only by settings that are "
        "clearly better. The selected settings are printed.\n\n"
        "With --measure N, the N most informative inputs (active learning) among those measured on "
        "the sources are measured on the target, and the model is adapted to them. Ten already "
        "help considerably.\n\n"
        "The paper's method is --strategy svm with --dfs profile, cv or both. CV-DFS takes each "
        "source in turn as the validation device, evaluates all subsets of up to --max-subset "
        "device features there, and selects the --k features most frequent in the best subsets: "
        "those within 2 percentage points of the best quality on that device and, of these, on all "
        "devices together. The best subsets of a device, the empty one included, share its one "
        "vote. Ties go to the feature in which the target is less far outside the sources' range, "
        "then to the one with the higher quality on its own, then to the first by name. A feature "
        "is outside the training range if the target's distance from the sources' range exceeds "
        "the width of that range and the distance of any source from the range of the others.\n\n"
        "The same samples, options and seed give the same model, byte for byte.",
    .examples = "  nitro tune-from-source spmv --store lab.db --target K20c --output k20c.json\n"
                "  nitro run spmv --input A.mtx --model k20c.json\n"
                "  nitro tune-from-source spmv --store lab.db --target host \\\n"
                "      --measure 10 --generate 100 --output here.json\n"
                "  nitro tune-from-source spmv --store lab.db --target K20c --strategy svm \\\n"
                "      --dfs cv --output cv.json\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
