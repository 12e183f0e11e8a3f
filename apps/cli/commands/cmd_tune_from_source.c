/* cmd_tune_from_source.c - nitro tune-from-source: a model for a device, learnt from other devices'
 * samples. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/commands/measure_target.h"
#include "apps/cli/load_module.h"
#include "apps/cli/model_report.h"
#include "apps/cli/paths.h"

typedef struct settings {
    common_settings common;
    const char *store, *target, *strategy, *dfs, *proxies, *output;
    nitro_string_list sources, inputs;
    uint64_t max_subset, k, measure, generate, generate_seed, name_parts, seed, threads;
    bool no_guard, json;
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
    {.name = "target",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, target),
     .value = "DEVICE",
     .help = "the target device: in the store, of this machine, or modelled",
     .required = true},
    {.name = "sources",
     .type = OPTION_LIST,
     .offset = offsetof(settings, sources),
     .value = "A,B,...",
     .help = "the devices to learn from (default: all with samples but the target)"},
    {.name = "strategy",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, strategy),
     .value = "NAME",
     .help = "learning strategy; 'nitro version' lists those built in"},
    {.name = "dfs",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, dfs),
     .value = "NAME",
     .help = "device-feature selection: 'none' uses all that sources and target share, 'omit' "
             "none, 'profile' those chosen by profiles (P-DFS), 'cv' searches by cross-validation "
             "over the sources (CV-DFS), 'both' searches those chosen by profiles (default: the "
             "strategy's own)"},
    {.name = "proxies",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, proxies),
     .value = "FILE",
     .help = "--dfs profile: JSON with more proxies, or other metrics of the built-in ones, in the "
             "form of share/nitro/proxies/paper.json"},
    {.name = "max-subset",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, max_subset),
     .value = "N",
     .minimum = 1,
     .maximum = 64,
     .help = "search: most device features in a subset"},
    {.name = "k",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, k),
     .value = "N",
     .minimum = 1,
     .maximum = 64,
     .help = "search: how many device features to choose, those most often in the best subsets"},
    {.name = "no-guard",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, no_guard),
     .help = "use the chosen device features even if the target lies outside the sources' range or "
             "LODO validation is better without them: the methods as published"},
    {.name = "measure",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, measure),
     .value = "N",
     .maximum = 1000000,
     .help = "measure the N most informative inputs on the target, and correct the model by them "
             "(default: 0, none)"},
    {.name = "inputs",
     .type = OPTION_FILES,
     .offset = offsetof(settings, inputs),
     .value = "FILE",
     .help = "with --measure: input files that may be measured, up to the next option; without "
             "these and --generate, the target's samples in the store are used as measurements"},
    {.name = "generate",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, generate),
     .value = "N",
     .maximum = 1000000,
     .help = "with --measure: the first N generated inputs may be measured"},
    {.name = "generate-seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, generate_seed),
     .value = "S",
     .help = "seed of the generated inputs, as the sources were tuned with"},
    {.name = "name-parts",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, name_parts),
     .value = "N",
     .minimum = 1,
     .maximum = 100,
     .help = "name a file's input by the last N parts of its path, as the sources were tuned with"},
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seed),
     .value = "N",
     .help =
         "seed of the cross-validation: the same samples, options and seed give the same model"},
    {.name = "threads",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, threads),
     .value = "N",
     .maximum = 4096,
     .help = "threads to learn with (default: one per core); the model does not depend on it"},
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, output),
     .value = "FILE",
     .help = "the model file; written atomically",
     .required = true},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation's name in the store, or a module's path"}, {0}};

/** Refuse the name of a plug-in that is not built in; list those that are. */
static int check_plugins(const invocation *call)
{
    const settings *given = call->settings;
    const char *names[64];
    size_t count = 0;
    bool strategy = false, dfs = !given->dfs;
    for (const nitro_strategy *const *each = nitro_builtin_strategies(); *each && count < 63;
         each++) {
        strategy |= strcmp((*each)->name, given->strategy) == 0;
        names[count++] = (*each)->name;
    }
    names[count] = NULL;
    char known[512];
    join_names(names, known, sizeof known);
    if (!strategy)
        return fail_usage(call, "--strategy: '%s' is not one of %s", given->strategy, known);
    count = 0;
    for (const nitro_dfs_kind *const *each = nitro_builtin_dfs_kinds(); *each && count < 63;
         each++) {
        dfs = dfs || strcmp((*each)->name, given->dfs) == 0;
        names[count++] = (*each)->name;
    }
    names[count] = NULL;
    join_names(names, known, sizeof known);
    return dfs ? EXIT_DONE : fail_usage(call, "--dfs: '%s' is not one of %s", given->dfs, known);
}

/** Are inputs measured now rather than read from the store? */
static bool measures_now(const settings *given)
{
    return given->inputs.count > 0 || given->generate > 0;
}

static int learn(const invocation *call, const char *computation, target_measuring *measuring,
                 nitro_model **model)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    nitro_store_mode mode = measures_now(given) ? NITRO_STORE_WRITE : NITRO_STORE_READ;
    nitro_learn_options how;
    nitro_learn_options_init(&how);
    how.sources = given->sources.count ? (const char *const *)given->sources.items : NULL;
    how.num_sources = given->sources.count;
    how.strategy = given->strategy;
    how.dfs = given->dfs;
    how.unguarded = given->no_guard;
    how.num_measured = given->measure;
    how.proxies = given->proxies;
    how.dfs_max_subset = given->max_subset;
    how.dfs_k = given->k;
    how.seed = given->seed;
    how.num_threads = (unsigned)given->threads;
    if (nitro_store_open(call->context, given->store, mode, &store) != NITRO_OK)
        return fail(call);
    if (measures_now(given))
        target_measuring_offer(measuring, store, given->target, &how);
    nitro_status status =
        nitro_tune_from_source(call->context, store, computation, given->target, &how, model);
    nitro_store_close(store);
    return status == NITRO_OK ? EXIT_DONE : fail(call);
}

static int report(const invocation *call, const nitro_model *model)
{
    const settings *given = call->settings;
    if (nitro_model_save(model, given->output) != NITRO_OK)
        return fail(call);
    if (!given->json)
        return model_print(call, model, given->output);
    json_t *summary = model_json(call, model, given->output);
    return summary ? print_json(call, summary) : EXIT_FAILED;
}

static int prepare_measuring(invocation *call, target_measuring *measuring)
{
    const settings *given = call->settings;
    if (!measures_now(given))
        return EXIT_DONE;
    if (given->measure == 0)
        return fail_usage(
            call, "--inputs and --generate need --measure N: they name what may be measured");
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
    if (code == EXIT_DONE && require_writable(call->context, given->output) != NITRO_OK)
        code = fail(call);
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
    .summary = "Make a model for an unmeasured device",
    .synopsis = "COMPUTATION --store URL --target DEVICE [--sources A,B,...] [--strategy NAME] "
                "[--dfs NAME] [--proxies FILE] [--max-subset N] [--k N] [--measure N [--inputs "
                "FILE...]] [--seed N] "
                "--output FILE",
    .description =
        "Learns from the samples of source devices and the device features of the target, taken "
        "from the store or from this machine. No variant is run on the target unless --measure "
        "allows a few. Writes the model and prints what it was learnt from.\n\nIt also prints the "
        "predicted quality: the mean quality (percent of the best variant's speed) that held-out "
        "inputs and leave-one-device-out (LODO) validation predict at the target's distance from "
        "its sources. A distance of 0.69 is a factor of two in every device feature used; it is "
        "unknown for a source that shares no device feature with the target. If no prediction is "
        "possible, the reason is printed.\n\nWith three sources or more, LODO validation chooses "
        "hyper-parameters and ensemble members where they are clearly better than the defaults. "
        "The choice is printed.\n\nWith --measure N, the N most informative inputs (active "
        "learning) are measured on the target and correct the model; ten already help much. They "
        "are chosen from the inputs measured on the sources.\n\nThe paper's method is --strategy "
        "svm with --dfs profile, cv or both. CV-DFS takes every source in turn as the validation "
        "device, tries all subsets of up to --max-subset device features there, and chooses the "
        "--k features that occur most often in the best subsets: those within 2 percentage points "
        "of the best quality on that device and, of these, on all devices together. They share the "
        "device's one vote; the empty subset counts too. Ties go to the feature in which the "
        "target lies less far outside the sources' range, then to the one with the higher quality "
        "alone, then to the first by name. A feature is outside range if the target lies farther "
        "outside the sources' range than that range is wide, and farther than any source lies "
        "outside the others'.\n\nThe same samples, options and seed give the same model, byte for "
        "byte.",
    .examples = "  nitro tune-from-source spmv --store lab.db --target K20c --output k20c.json\n"
                "  nitro run spmv --input A.mtx --model k20c.json\n"
                "  nitro tune-from-source spmv --store lab.db --target host \\\n"
                "      --measure 10 --generate 100 --output here.json\n"
                "  nitro tune-from-source spmv --store lab.db --target K20c --strategy svm \\\n"
                "      --dfs cv --output cv.json\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run};
