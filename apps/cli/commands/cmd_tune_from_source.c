/* cmd_tune_from_source.c - nitro tune-from-source: a model for a device from others' samples. */
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
     .help = "the device to make a model for: known to the store, of this machine, or modelled",
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
     .help = "how to learn; 'nitro version' lists what is built in"},
    {.name = "dfs",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, dfs),
     .value = "NAME",
     .help = "how to choose device features: 'none' uses all that sources and target share, "
             "'omit' none of them, 'profile' those that profiles point at, 'cv' searches by "
             "cross-validation over the sources, 'both' searches what profiles point at (default: "
             "as the strategy does best)"},
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
     .help =
         "take device features as chosen, also where the target lies outside the sources' range "
         "or left-out sources are chosen for better without: the methods as published"},
    {.name = "measure",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, measure),
     .value = "N",
     .maximum = 1000000,
     .help = "measure N inputs on the target, those that tell most, and correct the model by them "
             "(default: 0, none)"},
    {.name = "inputs",
     .type = OPTION_FILES,
     .offset = offsetof(settings, inputs),
     .value = "FILE",
     .help = "with --measure: input files that may be measured, up to the next option; without "
             "these and --generate, the store's samples of the target stand for measurements"},
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
     .help = "threads to learn with (default: one a core); the model does not depend on it"},
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, output),
     .value = "FILE",
     .help = "where the model goes; written whole or not at all",
     .required = true},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation's name in the store, or a module's path"}, {0}};

/** Refuse a plug-in's name that is not built in, with what is. */
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

/** Are inputs to be measured now, and not only read from the store? */
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
        return fail_usage(call, "--inputs and --generate are what --measure N may measure");
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
    .summary = "Make a model for a device that nobody measured",
    .synopsis = "COMPUTATION --store URL --target DEVICE [--sources A,B,...] [--strategy NAME] "
                "[--dfs NAME] [--proxies FILE] [--max-subset N] [--k N] [--measure N [--inputs "
                "FILE...]] [--seed N] "
                "--output FILE",
    .description =
        "Learns from the samples of source devices and from what the target says of itself: its "
        "device features, from the store or from the machine at hand. No variant is run on the "
        "target, unless --measure allows a few. Writes the model and prints what it was learnt "
        "from.\n\n"
        "It prints what may be expected, too: promised is the mean quality (percent of the best "
        "variant's speed) that held-out inputs and left-out sources predict at the target's "
        "distance from its sources. A distance of 0.69 is a factor of two in each device feature "
        "that counts; it is unknown of a source that shares no device feature with the target. "
        "Where nothing can be promised, it says why.\n\n"
        "From three sources on, each is left out in turn to choose hyper-parameters, and among the "
        "strategies that one averages: what serves those sources clearly better than the usual "
        "does. What was chosen is printed.\n\n"
        "With --measure N, the N inputs that tell most are measured on the target, and correct the "
        "model: ten are worth a lot. They are chosen from those that the sources have measured.\n\n"
        "The paper's method is --strategy svm with --dfs profile, cv or both. The search takes "
        "every source in turn for the target, tries all subsets of up to --max-subset device "
        "features there, and chooses the --k that occur most often in the best ones: those within "
        "2 percentage points of the best quality on that source and, of these, on all sources "
        "together. They share the source's one vote; that of no feature counts among them. As "
        "often: the feature in which the target lies less far outside the sources' range, then "
        "that which alone has the higher quality, then the first by name. Out of reach is a "
        "feature in which the target lies farther outside the sources' range than that is wide, "
        "and than any source lies outside the others'.\n\n"
        "The same samples, options and seed give the same model, byte for byte.",
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
