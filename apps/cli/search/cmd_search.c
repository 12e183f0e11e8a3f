/* cmd_search.c - nitro search: look for the best configuration of a tuning-parameter space. */
#include <stdlib.h>
#include <string.h>

#include "apps/cli/commands/tune_settings.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/output.h"
#include "apps/cli/paths.h"
#include "apps/cli/search/portfolio.h"
#include "apps/cli/search/search_target.h"

/* Configurations of other devices and inputs that a search begins with. */
#define MAX_STARTS 4

typedef struct settings {
    common_settings common;
    const char *recorded, *searcher, *budget, *counter_model, *output, *cache, *store, *name;
    const char *device, *input;
    uint64_t seed, repetitions, generated;
    double timeout_s;
    nitro_string_list start, features;
    bool no_store;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    given->budget = "220";
    given->device = "host";
    given->seed = 1;
    given->repetitions = tune.measure.max_repetitions;
    given->timeout_s = tune.measure.timeout_ms / 1e3;
}

static const option options[] = {
    OPTION(TEXT, "recorded", recorded, "FILE",
           "take evaluations from this file: CSV, a Kernel Tuner cache, T4 results or KTT output",
           .excludes = "input,generated,repetitions,timeout"),
    OPTION(TEXT, "searcher", searcher, "NAME[:OPTION=VALUE,...]",
           "how to search, see above (default: the first one)"),
    OPTION(TEXT, "budget", budget, "N|SECONDSs|FRACTION|time<=MS",
           "when to stop: evaluations, seconds of evaluating, a fraction of the space, a time that "
           "is good enough; or several of these, with commas between them"),
    OPTION(FILES, "start", start, "FILE",
           "begin with the configurations that serve these recorded evaluations of other devices "
           "or inputs best, or with a portfolio's in the order in which a model ranks them"),
    OPTION(LIST, "features", features, "NAME=VALUE,...",
           "with --start MODEL, the model's input features", .needs = "start"),
    OPTION(TEXT, "counter-model", counter_model, "FILE",
           "a model of performance counters, or recorded evaluations of another device or input "
           "to learn one from, for searchers that use counters"),
    OPTION(TEXT, "output", output, "FILE", "write the evaluations as T4 results"),
    OPTION(TEXT, "output-cache", cache, "FILE",
           "write the evaluations as a Kernel Tuner cache, for its simulation mode"),
    OPTION(TEXT, "device", device, "ID", "of a variant: the device to search on"),
    OPTION(TEXT, "input", input, "FILE", "of a variant: the input (default: a generated one)",
           .excludes = "generated"),
    OPTION(COUNT, "generated", generated, "N",
           "of a variant: number of the generated input (default: 0)"),
    OPTION(TEXT, "name", name, "NAME",
           "what is tuned, in the store and in files (default: the file's name)"),
    OPTION_STORE,
    OPTION(FLAG, "no-store", no_store, NULL, "do not keep the evaluations in a store",
           .excludes = "store"),
    OPTION(COUNT, "seed", seed, "N", "seed of the searcher's choices"),
    OPTION_REPETITIONS,
    OPTION_TIMEOUT,
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "SPACE|MODULE|COMPUTATION:VARIANT",
     .help = "a description of a space (JSON, T1), a shared object that exports "
             "nitro_tunable_get, or a variant that is compiled at run time; may be left out with "
             "--recorded: the file's configurations",
     .optional = true},
    {0}};

/* What a search needs, and what it found. */
typedef struct search_command {
    invocation *call;
    const settings *given;
    search_target target;
    nitro_search_options options;
    named_searcher searcher;
    nitro_counter_model *counter_model;
    uint64_t starts[64];
    nitro_device *device;
    progress_line progress;
    nitro_search_result *result;
} search_command;

/* ---- Options --------------------------------------------------------------------------------- */

static int read_searcher(search_command *self)
{
    int code = self->given->searcher
                   ? searcher_find(self->call, self->given->searcher, &self->searcher)
                   : EXIT_DONE;
    self->options.searcher = self->searcher.searcher;
    self->options.searcher_options = self->searcher.options;
    return code;
}

/* A model in a file, or one learnt from recorded evaluations that have counters. */
static nitro_status load_counter_model(nitro_context *context, const char *path,
                                       nitro_counter_model **model)
{
    char *text = NULL;
    size_t size = 0;
    nitro_recording *recording = NULL;
    nitro_status status = nitro_file_read(context, path, (size_t)1 << 28, &text, &size);
    bool is_model = status == NITRO_OK && strstr(text, "\"nitro-counter-model\"") != NULL;
    if (is_model)
        status = nitro_counter_model_parse(context, path, text, size, model);
    free(text);
    if (status != NITRO_OK || is_model)
        return status;
    status = nitro_recording_read(context, path, NULL, &recording);
    if (status != NITRO_OK)
        return status;
    status = nitro_counter_model_fit(context, recording->space, recording->answers,
                                     (size_t)nitro_space_size(recording->space),
                                     (const char *const *)recording->counter_names,
                                     recording->num_counters, NITRO_COUNTERS_TREES, 1, model);
    nitro_recording_free(recording);
    return status;
}

static int read_counter_model(search_command *self)
{
    const char *path = self->given->counter_model;
    if (!path)
        return EXIT_DONE;
    nitro_status status = load_counter_model(self->call->context, path, &self->counter_model);
    self->options.counter_model = self->counter_model;
    return exit_code(self->call, status);
}

static void add_start(search_command *self, uint64_t configuration)
{
    for (size_t s = 0; s < self->options.num_starts; s++)
        if (self->starts[s] == configuration)
            return;
    if (self->options.num_starts < sizeof(self->starts) / sizeof(self->starts[0]))
        self->starts[self->options.num_starts++] = configuration;
}

static nitro_status is_model(nitro_context *context, const char *path, bool *is)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, (size_t)1 << 28, &text, &size);
    if (status == NITRO_OK)
        *is = strstr(text, "\"nitro-model\"") || strncmp(text, "NITROMDL", 8) == 0;
    free(text);
    return status;
}

static int start_from_model(search_command *self, const char *path)
{
    uint64_t ranked[NITRO_MAX_PORTFOLIO];
    size_t count = 0;
    int code = portfolio_starts(self->call, self->given->store, path, &self->given->features,
                                self->target.space, ranked, &count);
    for (size_t i = 0; i < count; i++)
        add_start(self, ranked[i]);
    return code;
}

/* A portfolio of the recordings. */
static int start_from_recordings(search_command *self, const nitro_recording *const *recordings,
                                 size_t count)
{
    nitro_portfolio *portfolio = NULL;
    if (count == 0)
        return EXIT_DONE;
    if (nitro_portfolio_choose(self->call->context, recordings, count, MAX_STARTS, &portfolio) !=
        NITRO_OK)
        return fail(self->call);
    for (size_t i = 0; i < portfolio->num_configurations; i++)
        add_start(self, portfolio->configurations[i]);
    nitro_portfolio_free(portfolio);
    return EXIT_DONE;
}

/* What processes run now, so that the best one found is no worse: all searchers begin with the
 * starts. */
static void start_from_known(search_command *self)
{
    uint64_t kept, usual;
    search_target_starts(self->call, &self->target, &kept, &usual);
    if (kept != NITRO_NO_CONFIGURATION)
        add_start(self, kept);
    if (usual != NITRO_NO_CONFIGURATION)
        add_start(self, usual);
}

/* What runs now; then the configurations of a portfolio as a model ranks them, or those that served
 * other devices and inputs best. */
static int read_starts(search_command *self)
{
    const nitro_string_list *given = &self->given->start;
    nitro_context *context = self->call->context;
    nitro_recording **recordings = nitro_calloc(context, given->count + 1, sizeof(*recordings));
    size_t count = 0;
    int code = recordings ? EXIT_DONE : fail(self->call);
    self->options.starts = self->starts;
    if (self->target.kernel)
        start_from_known(self);
    for (size_t f = 0; f < given->count && code == EXIT_DONE; f++) {
        const char *path = given->items[f];
        bool ranks = false;
        if (is_model(context, path, &ranks) != NITRO_OK)
            code = fail(self->call);
        else if (ranks)
            code = start_from_model(self, path);
        else if (nitro_recording_read(context, path, self->target.space, &recordings[count]) ==
                 NITRO_OK)
            count++;
        else
            code = fail(self->call);
    }
    if (code == EXIT_DONE)
        code = start_from_recordings(self, (const nitro_recording *const *)recordings, count);
    for (size_t i = 0; i < count; i++)
        nitro_recording_free(recordings[i]);
    free(recordings);
    return code;
}

/* Evaluations are kept where they are measured, not where they are read from a file. */
static int open_store(search_command *self)
{
    nitro_context *context = self->call->context;
    if (self->given->recorded)
        return EXIT_DONE;
    nitro_status status =
        nitro_device_find(context, self->given->device, false, &self->device, NULL);
    self->options.device = self->device;
    if (status == NITRO_OK && !self->given->no_store)
        status = nitro_store_open_journaled(context, self->given->store, &self->call->store);
    self->options.store = self->call->store;
    return exit_code(self->call, status);
}

static int open_target(search_command *self)
{
    const settings *given = self->given;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    measure_at_most(&tune.measure, given->repetitions, given->timeout_s);
    const char *path = self->call->arguments.count > 0 ? self->call->arguments.items[0] : NULL;
    if (!path && !given->recorded)
        return fail_usage(self->call, "name a space, or recorded evaluations (--recorded)");
    const search_place place = {given->device, given->input, given->generated, given->seed};
    /* Counting the configurations of many linked parameters takes its time. */
    progress_begin_waiting(&self->progress, self->call, "read the space", NULL);
    int code =
        search_target_open(self->call, path, given->recorded, &place, &tune.measure, &self->target);
    progress_end(&self->progress);
    if (code == EXIT_DONE && !self->target.kernel && strcmp(given->device, "host") != 0)
        code = fail_usage(self->call, "--device: only variants (COMPUTATION:VARIANT) are searched "
                                      "on another device than the host");
    self->options.name = given->name ? given->name : self->target.name;
    self->options.version = self->target.version;
    if (code == EXIT_DONE && given->name && !nitro_name_is_valid(given->name))
        code =
            fail_usage(self->call, "--name: '%s' is not 1 to 63 of [A-Za-z0-9_.+-]", given->name);
    return code;
}

/* ---- Progress and results -------------------------------------------------------------------- */

static bool show_progress(void *user, const nitro_search_progress *at)
{
    search_command *self = user;
    char detail[64] = "no valid configuration yet", best[32];
    if (at->best) {
        format_time(at->best->time_ms, best, sizeof(best));
        snprintf(detail, sizeof(detail), "best %s", best);
    }
    progress_update(&self->progress, at->done, at->total, at->resumed, detail);
    return !interrupts_seen();
}

static int run_search(search_command *self)
{
    self->options.progress = show_progress;
    self->options.progress_user = self;
    interrupts_catch();
    progress_begin(&self->progress, self->call, "search", "evaluations");
    nitro_status status = nitro_search(self->call->context, self->target.space,
                                       &self->target.evaluator, &self->options, &self->result);
    progress_end(&self->progress);
    return exit_code(self->call, status);
}

static int write_file(const search_command *self, const char *path, nitro_evaluations_format format)
{
    const nitro_evaluations evaluations = {.space = self->target.space,
                                           .answers = self->result->answers,
                                           .num_answers = self->result->num_answers,
                                           .name = self->options.name,
                                           .device = self->options.device ? self->options.device->id
                                                                          : self->target.device};
    if (!path)
        return EXIT_DONE;
    if (nitro_evaluations_write(self->call->context, path, format, &evaluations) != NITRO_OK)
        return fail(self->call);
    note(self->call, "%zu evaluation%s written to %s", evaluations.num_answers,
         plural(evaluations.num_answers), path);
    return EXIT_DONE;
}

static uint64_t num_evaluations(const nitro_search_result *result)
{
    return result->num_answers ? result->evaluations[result->num_answers - 1] : 0;
}

static size_t count_invalid(const nitro_search_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->num_answers; i++)
        count += result->answers[i].outcome != NITRO_OUTCOME_MEASURED;
    return count;
}

static const char *searcher_name(const search_command *self)
{
    const nitro_searcher *searcher =
        self->options.searcher ? self->options.searcher : nitro_searcher_default();
    return searcher->name;
}

static double cpu_per_step(const nitro_search_result *result)
{
    uint64_t steps = num_evaluations(result);
    return steps > 0 ? result->searcher_cpu_ms / (double)steps : 0;
}

static int print_text(const search_command *self)
{
    const nitro_search_result *result = self->result;
    char size[32];
    nitro_format_number((double)nitro_space_size(self->target.space), size, sizeof(size));
    size_t num_parameters = nitro_space_num_parameters(self->target.space);
    printf("space      %s: %s configuration%s of %zu parameter%s\n", self->options.name, size,
           plural(nitro_space_size(self->target.space)), num_parameters, plural(num_parameters));
    printf("evaluated  %llu by %s, %zu invalid, %llu from the store\n",
           (unsigned long long)num_evaluations(result), searcher_name(self), count_invalid(result),
           (unsigned long long)result->resumed);
    if (result->best == NITRO_NONE)
        return EXIT_DONE;
    const nitro_search_answer *best = &result->answers[result->best];
    char *text =
        nitro_configuration_text(self->call->context, self->target.space, best->configuration);
    char time[32];
    if (!text)
        return fail(self->call);
    format_time(best->time_ms, time, sizeof(time));
    printf("best       %s\n", text[0] ? text : "the only one: each parameter has one value");
    printf("time       %s, found by evaluation %llu\n", time,
           (unsigned long long)result->evaluations[result->best]);
    free(text);
    return EXIT_DONE;
}

static json_t *best_json(const search_command *self)
{
    const nitro_search_result *result = self->result;
    if (result->best == NITRO_NONE)
        return json_null();
    const nitro_search_answer *best = &result->answers[result->best];
    return json_pack("{s:o, s:o, s:o, s:I}", "configuration",
                     configuration_json(self->target.space, best->configuration), "time_ms",
                     json_value(best->time_ms), "spread", json_value(best->spread), "evaluation",
                     (json_int_t)result->evaluations[result->best]);
}

/* An integer, as far as JSON's readers have them. */
static json_t *count_json(uint64_t count)
{
    return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

static int print_as_json(const search_command *self)
{
    const nitro_search_result *result = self->result;
    double seconds = result->num_answers ? result->seconds[result->num_answers - 1] : 0;
    return print_json(self->call,
                      json_pack("{s:s, s:o, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:b, s:o}", "name",
                                self->options.name, "configurations",
                                count_json(nitro_space_size(self->target.space)), "searcher",
                                searcher_name(self), "seed", count_json(self->given->seed),
                                "evaluations", (json_int_t)num_evaluations(result), "invalid",
                                (json_int_t)count_invalid(result), "resumed",
                                (json_int_t)result->resumed, "seconds", json_value(seconds),
                                "cpu_ms_per_step", json_value(cpu_per_step(result)), "interrupted",
                                result->interrupted, "best", best_json(self)));
}

static int search_and_report(search_command *self)
{
    int code = run_search(self);
    const nitro_search_result *result = self->result;
    if (code == EXIT_DONE)
        code = write_file(self, self->given->output, NITRO_EVALUATIONS_T4);
    if (code == EXIT_DONE)
        code = write_file(self, self->given->cache, NITRO_EVALUATIONS_KERNEL_TUNER);
    if (code == EXIT_DONE)
        code = wants_json(self->call) ? print_as_json(self) : print_text(self);
    if (code == EXIT_DONE && result->best == NITRO_NONE && !result->interrupted)
        code = fail_text(self->call, "no valid configuration was found; --verbose shows why "
                                     "configurations fail");
    if (code == EXIT_DONE && self->target.kernel && result->best != NITRO_NONE)
        code = search_target_keep_best(self->call, &self->target,
                                       result->answers[result->best].configuration);
    if (code == EXIT_DONE && result->interrupted)
        code = fail_text(self->call, "%s",
                         self->call->store
                             ? "interrupted; run the same command to resume"
                             : "interrupted; a search with --no-store cannot be resumed");
    return code;
}

static int run(invocation *call)
{
    search_command self = {.call = call, .given = call->settings};
    nitro_search_options_init(&self.options);
    self.options.seed = self.given->seed;
    int code = read_searcher(&self);
    if (code == EXIT_DONE)
        code = exit_code(call, nitro_search_budget_parse(call->context, self.given->budget,
                                                         &self.options.budget));
    if (code == EXIT_DONE && (require_writable(call->context, self.given->output) != NITRO_OK ||
                              require_writable(call->context, self.given->cache) != NITRO_OK))
        code = fail(call);
    if (code == EXIT_DONE)
        code = read_counter_model(&self);
    if (code == EXIT_DONE)
        code = open_target(&self);
    if (code == EXIT_DONE)
        code = read_starts(&self);
    if (code == EXIT_DONE)
        code = open_store(&self);
    if (code == EXIT_DONE)
        code = search_and_report(&self);
    nitro_search_result_free(self.result);
    nitro_device_free(self.device);
    search_target_close(&self.target);
    nitro_counter_model_free(self.counter_model);
    free(self.searcher.options);
    return code;
}

const command command_search = {
    .name = "search",
    .summary = "Find the fastest configuration of tuning parameters",
    .synopsis = "[SPACE|MODULE|COMPUTATION:VARIANT] [--device ID] [--recorded FILE] "
                "[--searcher NAME:OPTION=VALUE,...] [--budget 220|60s|0.1] [--start FILE|MODEL...] "
                "[--counter-model FILE] [--output FILE] [--output-cache FILE] [--name NAME] "
                "[--store URL | --no-store] [--seed N] [--json]",
    .description =
        "Evaluates configurations, one after the other, that a searcher chooses from the times of "
        "the earlier ones. A space is described in JSON (docs/search.md): parameters with their "
        "values, and constraints. Its code is C source, which is compiled with "
        "-DPARAMETER=VALUE, or a function of a shared object; or its times are read from a "
        "file of recorded evaluations, to try searchers. A variant that is compiled at run time "
        "has its own space, and its device runs it in the best configuration from then on.\n\n"
        "Code runs in worker processes, is checked and timed as the variants of 'nitro tune' are: "
        "a configuration that does not compile, crashes, hangs or gives a wrong result is invalid, "
        "and the search continues. Each evaluation is stored before the next one, so that the same "
        "command resumes after an interruption, by Ctrl-C say: then the best one so far is "
        "printed, and the exit code is 1.",
    .examples = "  nitro search examples/tunable/triad.json --budget 50\n"
                "  nitro search spmv:csr_vector --device opencl --input matrix.mtx\n"
                "  nitro search --recorded gemm.csv --searcher genetic:population=30\n"
                "  nitro search gemm.json --recorded gemm.csv --budget 0.05 --output found.json\n",
    .arguments = arguments,
    .items_title = "Searchers",
    .list_items = searchers_list,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
