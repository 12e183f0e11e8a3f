/* cmd_run.c - nitro run: chooses a variant for one input, runs it, and reports decision, time and
 * check. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/cli/commands/one_run.h"
#include "apps/cli/commands/out_of_range.h"
#include "apps/cli/commands/tune_settings.h"
#include "apps/cli/crash.h"
#include "apps/cli/given_features.h"

typedef struct settings {
    common_settings common;
    const char *input, *model, *device;
    uint64_t generated, seed, repetitions;
    double timeout_s, min_confidence, uses;
    bool compare, cold;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    given->generated = OPTION_NOT_GIVEN;
    given->device = "host";
    given->min_confidence = (double)NAN; /* the setting's */
    given->seed = 1;
    given->repetitions = tune.measure.max_repetitions;
    given->timeout_s = tune.measure.timeout_ms / 1000.0;
}

static const option options[] = {
    OPTION(TEXT, "input", input, "FILE",
           "the input file, of the same forms as for 'nitro tune --inputs'"),
    OPTION(COUNT, "generated", generated, "N",
           "instead of a file: input N (from 0) of the computation's generated inputs",
           .maximum = 1e15),
    OPTION(COUNT, "seed", seed, "S", "seed of the generated inputs", .needs = "generated"),
    OPTION(TEXT, "device", device, "ID", "where to run, see 'nitro devices': host, cuda, cuda:1"),
    OPTION(
        TEXT, "model", model, "FILE",
        "the model that decides (default: the setting model, else the one that 'nitro tune' made "
        "for this device)"),
    OPTION(NUMBER, "min-confidence", min_confidence, "X",
           "choose the default variant below this confidence (default: the setting "
           "min_confidence)",
           .maximum = 1),
    OPTION_USES,
    OPTION(FLAG, "compare", compare, NULL, "time all variants to rate the choice"),
    OPTION(FLAG, "cold", cold, NULL, "flush the caches before each run"),
    OPTION_REPETITIONS,
    OPTION_TIMEOUT,
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, or the path of a shared object with one (./libmine.so)"},
    {0}};

static int load_input(one_run *self)
{
    const settings *given = self->call->settings;
    const nitro_module *module = self->loaded.module;
    bool generated = given->generated != OPTION_NOT_GIVEN;
    if (generated == (given->input != NULL))
        return fail_usage(self->call, "give one of --input FILE and --generated N");
    int code = inputs_follow(self->call, module, &self->found, 1);
    if (code == EXIT_DONE)
        code = inputs_make_one(self->call, module, given->input, given->seed, given->generated,
                               &self->inputs);
    if (code == EXIT_DONE && input_load(self->call, self->inputs.sources, &self->input) != NITRO_OK)
        code = fail(self->call);
    if (code == EXIT_DONE && module->describe)
        module->describe(self->input, self->description, sizeof self->description);
    return code;
}

static int find_device(one_run *self)
{
    const settings *given = self->call->settings;
    const nitro_device_kind *kind = NULL;
    if (nitro_device_find(self->call->context, given->device, false, &self->found, &kind) !=
        NITRO_OK)
        return fail(self->call);
    self->kind = kind->name;
    self->device = self->found->id;
    if (kind->simulate)
        return fail_text(self->call,
                         "%s is modelled, so nothing can run on it: 'nitro predict' prints the "
                         "decision without running it",
                         self->device);
    return EXIT_DONE;
}

/** A named model may be one of a recorded computation, whose name may be that of a built-in one.
 * The caller prints the failure. */
static nitro_status attach(one_run *self, const char *path)
{
    const settings *given = self->call->settings;
    nitro_context *context = self->call->context;
    nitro_model *model = NULL;
    nitro_status status = nitro_model_load(context, path, &model);
    if (status == NITRO_OK)
        self->is_recorded = path == given->model &&
                            strcmp(nitro_model_computation(model), self->loaded.module->name) != 0;
    if (status == NITRO_OK && !self->is_recorded)
        status = nitro_computation_attach_model(self->loaded.computation, model);
    if (status == NITRO_ERR_MISMATCH && path == given->model) {
        warn(self->call,
             "%s has other features or variants than this program's %s: those of the "
             "same names are used",
             path, self->loaded.module->name);
        self->is_recorded = true;
        status = NITRO_OK;
    }
    if (status != NITRO_OK) {
        nitro_model_free(model);
        return status;
    }
    self->model = model;
    self->model_path = nitro_strdup(context, path);
    return self->model_path ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/** In this folder; NULL: where programs look, too. There may be none. */
static nitro_status attach_found(one_run *self, const char *folder)
{
    nitro_context *context = self->call->context;
    const nitro_model_wanted wanted = {self->loaded.module->name, self->kind, self->device};
    nitro_string_list folders = {0}, paths = {0};
    nitro_status status =
        folder ? nitro_string_list_add(context, &folders, folder)
               : nitro_model_folders(context, nitro_computation_code(self->loaded.computation),
                                     &folders);
    if (status == NITRO_OK)
        status = nitro_model_files(context, &wanted, &folders, &paths);
    for (size_t i = 0; i < paths.count && status == NITRO_OK && !self->model; i++) {
        char message[1024];
        if (attach(self, paths.items[i]) == NITRO_OK)
            continue;
        nitro_context_last_error(context, message, sizeof message);
        warn(self->call, "%s: not used: %s", paths.items[i], message);
    }
    nitro_string_list_free(&folders);
    nitro_string_list_free(&paths);
    return status;
}

/** The setting names a file, a folder, or (set to "") none. */
static nitro_status attach_by_setting(one_run *self)
{
    nitro_setting_value value;
    struct stat about;
    nitro_status status =
        nitro_setting_get(self->call->context, self->loaded.module->name, "model", &value);
    if (status != NITRO_OK || (value.text[0] == '\0' && value.origin != NITRO_SETTING_DEFAULT))
        return status;
    if (value.text[0] == '\0')
        return attach_found(self, NULL);
    if (stat(value.text, &about) == 0 && S_ISDIR(about.st_mode))
        return attach_found(self, value.text);
    return attach(self, value.text);
}

static int attach_model(one_run *self)
{
    const settings *given = self->call->settings;
    nitro_status status = given->model ? attach(self, given->model) : attach_by_setting(self);
    if (status != NITRO_OK)
        return fail(self->call);
    self->shipped = self->model ? nitro_model_shipped(self->call->context, self->model_path) : NULL;
    if (self->model && !self->shipped && strcmp(nitro_model_target(self->model), self->device) != 0)
        warn(self->call, "%s is a model for %s, but this device is %s", self->model_path,
             nitro_model_target(self->model), self->device);
    return EXIT_DONE;
}

static size_t find_variant(const nitro_computation *computation, const char *name)
{
    for (size_t v = 0; v < nitro_computation_num_variants(computation); v++)
        if (strcmp(nitro_computation_variant_name(computation, v), name) == 0)
            return v;
    return NITRO_NONE;
}

/** Keep those of the model's variants that the computation has, with their scores. */
static void map_ranking(one_run *self, const size_t *ranking, const double *scores)
{
    for (size_t r = 0; r < nitro_model_num_ranked(self->model); r++) {
        const char *name = nitro_model_variant_name(self->model, ranking[r]);
        size_t variant = find_variant(self->loaded.computation, name);
        if (variant == NITRO_NONE)
            continue;
        self->ranking[self->num_ranked++] = variant;
        self->scores[variant] = scores[ranking[r]];
    }
}

/** The best variant that the computation has and that the input allows. */
static int decide_by_recorded(one_run *self, nitro_decision predicted)
{
    nitro_computation *computation = self->loaded.computation;
    nitro_status status = NITRO_OK;
    bool allowed = false;
    if (self->num_ranked == 0)
        return fail_text(self->call,
                         "%s: the model of %s ranks no variant of %s; name another "
                         "model (--model)",
                         self->model_path, nitro_model_computation(self->model),
                         self->loaded.module->name);
    for (size_t r = 0; r < self->num_ranked && status == NITRO_OK && !allowed; r++) {
        const char *name = nitro_computation_variant_name(computation, self->ranking[r]);
        status = nitro_computation_force(computation, name);
        if (status == NITRO_OK)
            status = nitro_select(computation, self->input, &self->decision);
        allowed = self->decision.variant == self->ranking[r];
    }
    if (status != NITRO_OK)
        return fail(self->call);
    if (!allowed)
        return fail_text(self->call, "the input allows no variant that %s ranks", self->model_path);
    self->decision.reason = predicted.reason;
    self->decision.confidence = predicted.confidence;
    return EXIT_DONE;
}

/** The features and the ranking of all variants, beside the decision. */
static int rank(one_run *self, const nitro_call_options *how, nitro_decision *predicted)
{
    double evaluated[NITRO_MAX_FEATURES], features[NITRO_MAX_FEATURES];
    double scores[NITRO_MAX_VARIANTS];
    size_t ranking[NITRO_MAX_VARIANTS];
    nitro_computation *computation = self->loaded.computation;
    if (nitro_computation_evaluate(computation, self->input, evaluated) != NITRO_OK)
        return fail(self->call);
    int code = features_pick(self->call, self->model, &self->loaded, evaluated,
                             "name another model (--model)", features);
    if (code != EXIT_DONE)
        return code;
    if (nitro_model_predict_with(self->model, features, how, predicted, ranking, scores) !=
        NITRO_OK)
        return fail(self->call);
    map_ranking(self, ranking, scores);
    self->outside = outside_names(self->model, features);
    return EXIT_DONE;
}

/** Those of programs that one call depends on; options come first. */
static nitro_status apply_settings(const one_run *self)
{
    const settings *given = self->call->settings;
    nitro_computation *computation = self->loaded.computation;
    nitro_setting_value force, least;
    double min_confidence = given->min_confidence;
    const char *name = self->loaded.module->name;
    nitro_status status = nitro_setting_get(self->call->context, name, "force", &force);
    if (status == NITRO_OK)
        status = nitro_setting_get(self->call->context, name, "min_confidence", &least);
    if (status == NITRO_OK && isnan(min_confidence) &&
        !nitro_parse_number(least.text, &min_confidence))
        min_confidence = 0.0;
    if (status == NITRO_OK)
        status = nitro_computation_set_min_confidence(computation, min_confidence);
    if (status == NITRO_OK && force.text[0])
        status = nitro_computation_force(computation, force.text);
    return status;
}

static int decide(one_run *self)
{
    const settings *given = self->call->settings;
    nitro_context *context = self->call->context;
    nitro_decision predicted = {0};
    const nitro_call_options how = {.uses = given->uses};
    self->uses = given->uses;
    nitro_status status = apply_settings(self);
    double start_ms = nitro_clock_wall_ms(context);
    if (status == NITRO_OK && !self->is_recorded)
        status = nitro_select_with(self->loaded.computation, self->input, &how, &self->decision);
    self->decision_ms = nitro_clock_wall_ms(context) - start_ms;
    if (status != NITRO_OK)
        return fail(self->call);
    int code = self->model ? rank(self, &how, &predicted) : EXIT_DONE;
    if (code == EXIT_DONE && self->is_recorded) {
        code = decide_by_recorded(self, predicted);
        self->decision_ms = nitro_clock_wall_ms(context) - start_ms;
    }
    return code;
}

static nitro_status hand_over(nitro_context *context, void *state, void **input)
{
    (void)context;
    *input = state;
    return NITRO_OK;
}

static int measure(one_run *self)
{
    const settings *given = self->call->settings;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    measure_at_most(&tune.measure, given->repetitions, given->timeout_s);
    tune.measure.cache = given->cold ? NITRO_CACHE_COLD : NITRO_CACHE_WARM;
    nitro_input input = {
        .name = self->inputs.inputs[0].name, .load = hand_over, .state = self->input};
    uint64_t wanted = given->compare ? UINT64_MAX : UINT64_C(1) << self->decision.variant;
    nitro_status status = nitro_measure_variants(self->loaded.computation, &input, self->device,
                                                 &tune.measure, wanted, &self->sample);
    return exit_code(self->call, status);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    one_run self = {.call = call};
    int code = find_device(&self);
    if (code == EXIT_DONE)
        code = module_open(call, call->arguments.items[0], self.kind, &self.loaded);
    if (code == EXIT_DONE)
        code = load_input(&self);
    if (code == EXIT_DONE)
        code = attach_model(&self);
    if (code == EXIT_DONE) {
        crash_watch(call, self.inputs.sources, "its feature functions or constraints");
        code = decide(&self);
        crash_unwatch();
    }
    if (code == EXIT_DONE)
        code = measure(&self);
    if (code == EXIT_DONE)
        code = one_run_report(&self, given->compare);
    nitro_sample_free(self.sample);
    if (self.input)
        self.loaded.module->unload(self.input);
    inputs_free(&self.inputs);
    if (self.is_recorded)
        nitro_model_free(self.model);
    module_close(&self.loaded);
    json_decref(self.outside);
    free(self.model_path);
    free(self.shipped);
    nitro_device_free(self.found);
    return code;
}

const command command_run = {
    .name = "run",
    .summary = "Choose a variant for one input and run it",
    .synopsis = "COMPUTATION (--input FILE | --generated N) [--device ID] [--model FILE] [--uses "
                "N] [--compare] "
                "[--json]",
    .description =
        "Chooses a variant for one input as a program that links libnitro would, and runs it: "
        "prints the decision, its reason, the variant's time (the median of the faster half of the "
        "repetitions), and "
        "whether its result agrees with the reference variant's. Without a model the default "
        "variant runs. On a GPU the time is taken from GPU events. With --uses N, the choice and "
        "its "
        "rating count preparing once and N runs. --model may also be one of recorded measurements, "
        "of a computation without code: features and variants of the same names are used.\n\n"
        "The variant runs in a worker process, as in 'nitro tune': one that crashes or hangs is "
        "reported. The exit code is 1 if the chosen variant gave no correct result.",
    .examples = "  nitro run spmv --input A.mtx\n"
                "  nitro run spmv --input A.mtx --model k20c.json --compare\n"
                "  nitro run spmv --generated 1000\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
