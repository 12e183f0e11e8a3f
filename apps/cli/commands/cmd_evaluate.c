/* cmd_evaluate.c - nitro evaluate: how well each method chooses, target by target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/commands/evaluation.h"
#include "apps/cli/commands/excluded_sources.h"
#include "apps/cli/device_set.h"
#include "apps/cli/load_module.h"
#include "apps/cli/output.h"
#include "apps/cli/paths.h"
#include "apps/cli/search/evaluate_searchers.h"
#include "apps/cli/search/portfolio.h"

typedef evaluate_settings settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_evaluate_options evaluate;
    nitro_evaluate_options_init(&evaluate);
    given->train_fraction = evaluate.train_fraction;
    given->seed = evaluate.seed;
    given->format = "table";
    given->repeats = 35;
    given->max_evaluations = 1000;
}

static const char *const formats[] = {"table", "csv", "json", NULL};

static const char *const curves[] = {"sources", NULL};

/* Options of the evaluation of methods, which that of searchers does not have. */
#define OF_METHODS                                                                                 \
    "targets,sources,exclude,method,methods,measure,curve,train,test,train-fraction,group-by,"     \
    "extrapolate,"                                                                                 \
    "uses,without-generation"

static const option options[] = {
    OPTION_STORE,
    OPTION_TARGETS,
    OPTION_SOURCES,
    OPTION_EXCLUDE,
    OPTION(LIST, "method", methods, "M,...",
           "methods to compare, see above (default: all but default, auto-guarded, nearest, "
           "mixture, own and own-guarded)"),
    OPTION(LIST, "methods", methods, "M,...", "the same as --method"),
    OPTION(LIST, "measure", measure, "N,...",
           "also adapt the methods that support it to the N most informative training inputs, "
           "measured on the target; 'all' for all of them"),
    OPTION(TEXT, "curve", curve, "sources",
           "evaluate with the target's nearest source, its two nearest ones, ... all, and the same "
           "in a random order: what one more device is worth (default method: auto)",
           .choices = curves, .excludes = "measure,extrapolate"),
    OPTION(TEXT, "picture", picture, "DIR", "with --curve, also draw it into this folder",
           .needs = "curve"),
    OPTION(TEXT, "train", train, "FILE",
           "training inputs, one name per line (default: drawn at random, see --train-fraction)",
           .excludes = "train-fraction"),
    OPTION(TEXT, "test", test, "FILE",
           "test inputs, one name per line (default: all but the training inputs)"),
    OPTION_TRAIN_FRACTION,
    OPTION(TEXT, "group-by", group_by, "TEXT",
           "keep inputs with the same prefix before TEXT in one split, such as / between group "
           "and matrix (default: split each input by itself)",
           .excludes = "extrapolate,train,test"),
    OPTION(FLAG, "extrapolate", extrapolate, NULL,
           "train on the smaller inputs and test on the largest fifth, to see what is chosen "
           "beyond the training range",
           .excludes = "train,test,train-fraction"),
    OPTION(
        TEXT, "size-feature", size_feature, "NAME",
        "with --extrapolate, the input feature that inputs are ordered by (default: the one that "
        "ranks them most like their best times)",
        .needs = "extrapolate"),
    OPTION_USES,
    OPTION(FLAG, "without-generation", without_generation, NULL,
           "leave out sources of the target's own generation"),
    OPTION(
        COUNT, "seed", seed, "N",
        "seed of the split, of method random, and of cross-validation; with --recorded, searches "
        "have the seeds after it"),
    OPTION_THREADS,
    OPTION(FILES, "recorded", recorded, "FILE",
           "evaluate searchers of tuning parameters on these recorded spaces instead",
           .excludes = OF_METHODS),
    OPTION(LIST, "searchers", searchers, "NAME[:OPTION=VALUE...],...",
           "with --recorded, the searchers (default: all that need no counter model)",
           .needs = "recorded", .excludes = "portfolio"),
    OPTION(COUNT, "repeats", repeats, "N",
           "with --recorded, searches of each space, with as many seeds", .minimum = 1,
           .maximum = 100000, .needs = "recorded", .excludes = "portfolio"),
    OPTION(COUNT, "portfolio", portfolio, "K",
           "with --recorded, choose at most K configurations that serve all of the files best",
           .minimum = 1, .maximum = NITRO_MAX_PORTFOLIO, .needs = "recorded,cases"),
    OPTION(TEXT, "cases", cases, "FILE",
           "with --portfolio, instead of --recorded: a CSV with the columns file and device, "
           "optionally input, and a column for each feature of the inputs",
           .needs = "portfolio", .excludes = "recorded," OF_METHODS),
    OPTION(TEXT, "name", name, "NAME",
           "with --portfolio, store the configurations as the variants NAME.1, NAME.2, ... of the "
           "computation NAME, with samples of the cases",
           .needs = "portfolio"),
    OPTION(TEXT, "space", space, "FILE",
           "with --portfolio, the space's description (default: the first file's configurations)",
           .needs = "portfolio"),
    OPTION(COUNT, "max-evaluations", max_evaluations, "N",
           "with --recorded, end a search for the performance score there, if that is not complete "
           "before",
           .minimum = 220, .maximum = 1000000, .needs = "recorded", .excludes = "portfolio"),
    OPTION(TEXT, "format", format, "FORMAT", "table, csv or json", .choices = formats),
    OPTION(FLAG, "json", common.json, NULL, "the same as --format json"),
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "a computation's name in the store, or a module's path; not with --recorded",
     .optional = true},
    {0}};

#define MAX_MEASURES 64

/** "1,10,all" as ascending counts. */
static int read_measures(const invocation *call, size_t *measures, size_t *count)
{
    const settings *given = call->settings;
    if (given->measure.count > MAX_MEASURES)
        return fail_usage(call, "--measure: at most %d numbers", MAX_MEASURES);
    for (size_t i = 0; i < given->measure.count; i++) {
        const char *text = given->measure.items[i];
        double value = 0.0;
        bool all = strcmp(text, "all") == 0;
        if (!all && (!nitro_parse_number(text, &value) || value != floor(value) || value < 1.0 ||
                     value > 1e9))
            return fail_usage(call, "--measure: '%s' is neither a count of inputs nor 'all'", text);
        measures[i] = all ? NITRO_NONE : (size_t)value;
        if (i > 0 && measures[i] <= measures[i - 1])
            return fail_usage(call, "--measure: the numbers must ascend");
    }
    *count = given->measure.count;
    return EXIT_DONE;
}

/** One input name a line; empty lines are skipped. */
static int read_names(const invocation *call, const char *path, nitro_string_list *names)
{
    char *text = NULL;
    size_t size = 0, line = 1;
    if (nitro_file_read(call->context, path, (size_t)1 << 28, &text, &size) != NITRO_OK)
        return fail(call);
    int code = EXIT_DONE;
    for (char *at = text; at < text + size && code == EXIT_DONE; line++) {
        size_t length = strcspn(at, "\n");
        char *next = at + length + 1;
        at[length] = '\0';
        if (length > 0 && at[length - 1] == '\r')
            at[length - 1] = '\0';
        if (*at && !nitro_input_name_is_valid(at))
            code = fail_text(call, "%s:%zu: not an input name: control characters, or too long",
                             path, line);
        else if (*at && nitro_string_list_add(call->context, names, at) != NITRO_OK)
            code = fail(call);
        at = next;
    }
    free(text);
    if (code == EXIT_DONE && names->count == 0)
        code = fail_text(call, "%s names no input", path);
    return code;
}

static bool show_progress(void *user, size_t done, size_t total, const char *target,
                          const char *method)
{
    char detail[128];
    snprintf(detail, sizeof detail, "%s on %s", method, target);
    progress_update(user, done, total, 0, detail);
    return true;
}

static int evaluate(invocation *call, const char *computation, nitro_evaluate_options *how,
                    nitro_evaluate_result **results, size_t *count)
{
    settings *given = call->settings;
    nitro_string_list left = {0};
    progress_line progress;
    if (store_open(call, given->store, NITRO_STORE_READ) != EXIT_DONE)
        return EXIT_FAILED;
    progress_begin_waiting(&progress, call, "evaluate", "methods");
    how->progress = show_progress;
    how->progress_user = &progress;
    nitro_string_list *const lists[] = {&given->targets, &given->sources, &given->exclude, NULL};
    nitro_status status = device_lists_find_stored(call->store, lists);
    if (status == NITRO_OK)
        status =
            exclude_sources(call->store, computation, NULL, &given->exclude, &how->sources, &left);
    if (status == NITRO_OK)
        status = nitro_evaluate(call->store, computation, how, results, count);
    progress_end(&progress);
    nitro_string_list_free(&left);
    return exit_code(call, status);
}

static int print_results(const invocation *call, const nitro_evaluate_result *results, size_t count)
{
    const settings *given = call->settings;
    if (wants_json(call))
        return evaluation_print_json(call, results, count);
    if (strcmp(given->format, "csv") == 0)
        return given->curve ? source_curve_print_csv(results, count)
                            : evaluation_print_csv(results, count);
    return given->curve ? source_curve_print_table(call, results, count)
                        : evaluation_print_table(call, results, count);
}

static int evaluate_and_print(invocation *call, nitro_evaluate_options *how)
{
    const settings *given = call->settings;
    const char *computation = NULL;
    nitro_evaluate_result *results = NULL;
    size_t count = 0;
    bool made_folder = false;
    int code = module_name(call, call->arguments.items[0], &computation);
    if (code == EXIT_DONE && given->picture &&
        make_folder(call->context, given->picture, &made_folder) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE)
        code = evaluate(call, computation, how, &results, &count);
    if (code == EXIT_DONE)
        code = print_results(call, results, count);
    if (code == EXIT_DONE && given->picture)
        code = source_curve_draw(call, computation, results, count, given->picture);
    if (code != EXIT_DONE && made_folder)
        rmdir(given->picture); /* fails, as it should, where a picture is in it */
    nitro_evaluate_results_free(results, count);
    return code;
}

static size_t list_methods(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_method_info *each = nitro_method_table(); each->name && count < most; each++)
        items[count++] = (help_item){.name = each->name, .description = each->description};
    return count;
}

static int run(invocation *call)
{
    settings *given = call->settings;
    given->common.json = wants_json(call) || strcmp(given->format, "json") == 0;
    bool has_spaces = given->recorded.count > 0 || given->cases;
    if (has_spaces && call->arguments.count > 0)
        return fail_usage(call, "--recorded and --cases do not go with a computation");
    if (has_spaces)
        return given->portfolio > 0 ? portfolio_choose(call) : evaluate_searchers(call);
    if (call->arguments.count == 0)
        return fail_usage(call, "name a computation, or recorded spaces (--recorded)");
    nitro_string_list train = {0}, test = {0};
    size_t measures[MAX_MEASURES], num_measures = 0;
    int code = check_methods(call, &given->methods);
    if (code == EXIT_DONE)
        code = read_measures(call, measures, &num_measures);
    if (code == EXIT_DONE && given->train)
        code = read_names(call, given->train, &train);
    if (code == EXIT_DONE && given->test)
        code = read_names(call, given->test, &test);
    nitro_evaluate_options how;
    nitro_evaluate_options_init(&how);
    how.targets = list_if_given(&given->targets);
    how.sources = named_sources(&given->sources, &how.equal_sources);
    how.methods = list_if_given(&given->methods);
    how.train_inputs = list_if_given(&train);
    how.test_inputs = list_if_given(&test);
    how.train_fraction = given->train_fraction;
    how.measured = measures;
    how.num_measured = num_measures;
    how.uses = given->uses;
    how.group_separator = given->group_by;
    how.extrapolate = given->extrapolate;
    how.source_curve = given->curve != NULL;
    how.size_feature = given->size_feature;
    how.without_generation = given->without_generation;
    how.seed = given->seed;
    how.num_threads = (unsigned)given->threads;
    if (code == EXIT_DONE)
        code = evaluate_and_print(call, &how);
    nitro_string_list_free(&train);
    nitro_string_list_free(&test);
    return code;
}

const command command_evaluate = {
    .name = "evaluate",
    .summary = "Evaluate selection methods on every device",
    .synopsis =
        "COMPUTATION [--store URL] [--targets A,...] [--sources A,...] [--exclude "
        "A,signer:NAME,...] "
        "[--method M,...] "
        "[--train FILE] [--test FILE] [--train-fraction 0.3] [--group-by /] "
        "[--extrapolate [--size-feature NAME]] [--curve sources [--picture DIR]] "
        "[--without-generation] [--measure N,...] [--uses N] [--seed N] "
        "[--format table|csv|json]"
        "\n--recorded FILE... [--searchers NAME,...] [--repeats 35] [--seed N] "
        "[--max-evaluations 1000] [--threads N] [--json]\n"
        "(--recorded FILE... | --cases FILE) --portfolio K [--space FILE] [--name NAME [--store "
        "URL]] [--json]",
    .description =
        "Takes each device in turn as the target and the others (or the named sources, never the "
        "target itself) as sources. Models are trained on the training inputs of the sources and "
        "scored on the test inputs of the target that have times of at least two variants "
        "there. Of a single device (the only one in the store, or named by both --targets and "
        "--sources), each fifth of the inputs is tested with models of the rest.\n\n"
        "Quality is 100 x (time of the best variant / time of the chosen one), in percent: its "
        "mean, geometric mean, 5th percentile and minimum. Accuracy is how often the choice is the "
        "best variant. A chosen variant without a time scores 0 (0.1 in the geometric mean). Total "
        "is "
        "the time of the chosen variants over that of the best ones, summed over the inputs; where "
        "the chosen one has no time, the slowest one's counts. "
        "Confident is the share of decisions with a confidence of at least 0.9; precision is the "
        "share of these within 5 % of the best variant. Both are in percent.\n\n"
        "With --measure, 'auto +10' is method auto adapted to ten inputs measured on the target: a "
        "learning curve from none to all. Targets with fewer inputs enter the means with all they "
        "have: 'auto +8 to 10'.\n\n"
        "With --curve sources, every method is evaluated with one source, two, and so on: nearest "
        "first, and in an order drawn by the seed. Predicted is the quality that the model itself "
        "expects.\n\n"
        "With --extrapolate, the methods are the declared default, the best fixed variant, auto "
        "with and without its guard outside the training range, and both learnt from the target's "
        "own smaller inputs; --method names others.\n\n"
        "With --uses, the time of a choice is that of preparing it once and of so many runs, and "
        "models choose accordingly; imported samples have costs of preparing where their file has "
        "columns prepare_ms:VARIANT.\n\n"
        "With --recorded, searchers of tuning parameters (see 'nitro search') are simulated on "
        "recorded spaces. Printed are the mean best time after 20, 50, 100 and 220 evaluations; "
        "MAE, the mean over 40, 60 .. 220 evaluations of the best time less the optimum, with its "
        "standard error; the evaluations until within 10 % of the optimum, a search that does not "
        "get there counting with all it made, and the share that gets there; P, the performance "
        "score of the auto-tuning community (1: the optimum at once, 0: random search); and the "
        "processor time of choosing, a step. Random search is also given exactly, without drawing. "
        "MDF is the MAE over the mean of all searchers' MAE.\n\n"
        "With --portfolio K, each file is a case, an input on a device: printed are at most K "
        "configurations of which one serves each case well, its quality there, and that of a "
        "portfolio chosen without the case. With --name they are stored as variants, so that a "
        "model learnt over them ('nitro tune-from-source NAME') ranks them for an unmeasured "
        "device, and a search there starts from its ranking ('nitro search --start MODEL').\n\n"
        "Times of modelled devices come from a cost model and are never a result.",
    .examples = "  nitro evaluate spmv --store sqlite:lab.db --method fixed,full,native\n"
                "  nitro evaluate spmv --store sqlite:lab.db --extrapolate\n"
                "  nitro evaluate --recorded gemm.csv --searchers auto,genetic,bayes-ei\n"
                "  nitro evaluate --cases gemm-cases.csv --portfolio 3 --name gemm\n",
    .arguments = arguments,
    .items_title = "Methods",
    .list_items = list_methods,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
