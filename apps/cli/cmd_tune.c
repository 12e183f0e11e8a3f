/* cmd_tune.c - nitro tune: measure every variant on every input, say what won where, learn. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/cli/collect.h"
#include "apps/cli/device_set.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/learn_own.h"
#include "apps/cli/model_report.h"
#include "apps/cli/paths.h"
#include "apps/cli/winners.h"

typedef struct settings {
    common_settings common;
    nitro_string_list inputs, devices;
    const char *store, *output;
    uint64_t generate, seed, name_parts;
    uint64_t warmups, min_repetitions, repetitions, memory_limit_mb;
    double budget_ms, timeout_s;
    bool no_model, profile, again, cold, json;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_tune_options tune;
    nitro_tune_options_init(&tune);
    given->seed = 1;
    given->name_parts = 1;
    given->warmups = tune.measure.warmups;
    given->min_repetitions = tune.measure.min_repetitions;
    given->repetitions = tune.measure.max_repetitions;
    given->budget_ms = tune.measure.budget_ms;
    given->timeout_s = tune.measure.timeout_ms / 1000.0;
    given->memory_limit_mb = OPTION_NOT_GIVEN; /* the library's default is this machine's affair */
}

static const option options[] = {
    {.name = "inputs",
     .type = OPTION_FILES,
     .offset = offsetof(settings, inputs),
     .value = "FILE",
     .help =
         "input files, up to the next option; Matrix Market for spmv, PGM or PNG for histogram"},
    {.name = "generate",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, generate),
     .value = "N",
     .maximum = 1000000,
     .help = "also measure the first N inputs of the computation's generated training set"},
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seed),
     .value = "S",
     .help = "seed of the generated inputs and of learning"},
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "where samples are kept; made when missing (default: the user's own)"},
    {.name = "device",
     .type = OPTION_LIST,
     .offset = offsetof(settings, devices),
     .value = "ID,...",
     .help = "devices to measure on, see 'nitro devices': cuda, cuda:1, modelled ones (default: "
             "host)"},
    {.name = "output",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, output),
     .value = "MODEL",
     .help = "where the device's model goes (default: $XDG_DATA_HOME/nitro/models/"
             "COMPUTATION@DEVICE.json, which 'nitro run' looks for)"},
    {.name = "no-model",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, no_model),
     .help = "measure only, learn nothing"},
    {.name = "profile",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, profile),
     .help = "then profile the proxies and every variant on the inputs, as 'nitro profile' does; "
             "where that is not possible the tune goes on without"},
    {.name = "again",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, again),
     .help = "measure once more what the store holds already, and replace it"},
    {.name = "cold",
     .type = OPTION_FLAG,
     .offset = offsetof(settings, cold),
     .help = "flush the caches before each run; such samples are not put beside others"},
    {.name = "name-parts",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, name_parts),
     .value = "N",
     .minimum = 1,
     .maximum = 100,
     .help = "name a file's input by the last N parts of its path, without the extension"},
    {.name = "repetitions",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, repetitions),
     .value = "N",
     .minimum = 1,
     .maximum = 1000000,
     .help = "most runs of a variant that count"},
    {.name = "min-repetitions",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, min_repetitions),
     .value = "N",
     .minimum = 1,
     .maximum = 1000000,
     .help = "least runs of a variant that count"},
    {.name = "warmups",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, warmups),
     .value = "N",
     .maximum = 1000000,
     .help = "runs of a variant that do not count"},
    {.name = "budget",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, budget_ms),
     .value = "MS",
     .minimum = 0.001,
     .maximum = 1e9,
     .help = "milliseconds a variant may take of an input's repetitions"},
    {.name = "timeout",
     .type = OPTION_NUMBER,
     .offset = offsetof(settings, timeout_s),
     .value = "SECONDS",
     .minimum = 0.001,
     .maximum = 1e6,
     .help = "a single call of a variant that takes longer counts as hung"},
    {.name = "memory-limit",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, memory_limit_mb),
     .value = "MB",
     .maximum = 1e9,
     .help = "memory that measuring an input may take (default: three quarters of what is here); "
             "0: no limit"},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, or the path of a shared object with one (./libmine.so)"},
    {0}};

/** All that tuning one device needs. */
typedef struct tuning {
    invocation *call;
    loaded_module loaded;
    input_set inputs;
    size_t num_devices;
    nitro_store *store;
    json_t *reports; /* with --json */
    nitro_tune_progress last;
    progress_line progress;
    bool profiles_lost; /* profiling broke off */
} tuning;

/* ---- Measuring ------------------------------------------------------------------------------ */

static bool show_progress(void *user, const nitro_tune_progress *progress)
{
    tuning *self = user;
    char detail[600];
    self->last = *progress;
    if (progress->best && self->num_devices == 1)
        snprintf(detail, sizeof detail, "%s: %s", progress->input, progress->best);
    else
        snprintf(detail, sizeof detail, "%s",
                 progress->input ? progress->input : "waiting for other tuners of this device");
    progress_update(&self->progress, progress->done, progress->total, progress->resumed,
                    detail[0] ? detail : NULL);
    return !interrupts_seen();
}

static nitro_tune_options tune_options(tuning *self)
{
    const settings *given = self->call->settings;
    nitro_tune_options how;
    nitro_tune_options_init(&how);
    how.measure.warmups = (unsigned)given->warmups;
    how.measure.max_repetitions = (unsigned)given->repetitions;
    how.measure.min_repetitions = (unsigned)given->min_repetitions;
    if (how.measure.min_repetitions > how.measure.max_repetitions)
        how.measure.min_repetitions = how.measure.max_repetitions;
    how.measure.budget_ms = given->budget_ms;
    how.measure.timeout_ms = given->timeout_s * 1000.0;
    if (given->memory_limit_mb != OPTION_NOT_GIVEN)
        how.measure.memory_limit_bytes = (size_t)given->memory_limit_mb * 1000000;
    how.progress = show_progress;
    how.progress_user = self;
    how.measure.cache = given->cold ? NITRO_CACHE_COLD : NITRO_CACHE_WARM;
    how.again = given->again;
    return how;
}

/** Times on a machine that others use are rough: say so before hours are spent. */
static void warn_if_busy(const tuning *self, const device_set *devices)
{
    double load;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool real = false;
    for (size_t d = 0; d < devices->count; d++)
        real |= strcmp(devices->devices[d]->kind, "model") != 0;
    if (!real || cores < 1 || getloadavg(&load, 1) != 1 || load <= 0.5 * (double)cores + 0.5)
        return;
    warn(self->call, "this machine is busy (load %.1f on %ld cores): times will be rough", load,
         cores);
}

/** One pass over the inputs measures them on all devices. */
static int measure(tuning *self, const device_set *devices)
{
    char task[256], ids[1024] = "";
    size_t used = 0;
    for (size_t d = 0; d < devices->count && used < sizeof ids; d++)
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%s", d ? "," : "",
                                 devices->devices[d]->id);
    if (used >= sizeof ids)
        return fail_usage(self->call, "too many devices at once");
    nitro_tune_options how = tune_options(self);
    warn_if_busy(self, devices);
    self->num_devices = devices->count;
    if (devices->count == 1)
        snprintf(task, sizeof task, "tune %s on %s", self->loaded.module->name, ids);
    else
        snprintf(task, sizeof task, "tune %s on %zu devices", self->loaded.module->name,
                 devices->count);
    progress_begin(&self->progress, self->call, task, "inputs");
    nitro_status status = nitro_tune(self->loaded.computation, self->store, ids,
                                     self->inputs.inputs, self->inputs.count, &how);
    progress_end(&self->progress);
    if (status == NITRO_ERR_INTERRUPTED)
        return fail_text(self->call,
                         "stopped after %zu of %zu inputs; their samples are stored, and the same "
                         "command goes on from there",
                         self->last.done, self->last.total);
    return status == NITRO_OK ? EXIT_DONE : fail(self->call);
}

/** Of modelled devices 'nitro profile' makes profiles up: not here, where it may be overlooked. */
static int profile(tuning *self, const nitro_device *device)
{
    const settings *given = self->call->settings;
    if (!given->profile)
        return EXIT_DONE;
    if (strcmp(device->kind, "model") == 0) {
        note(self->call, "%s is modelled: 'nitro profile' makes its profiles up", device->id);
        return EXIT_DONE;
    }
    bool broken = false;
    nitro_status status =
        collect_or_warn(self->call, self->store, device->id, &self->loaded, &self->inputs, &broken);
    self->profiles_lost = self->profiles_lost || broken;
    if (status == NITRO_ERR_INTERRUPTED)
        return fail_text(self->call, "stopped while profiling; the same command goes on from "
                                     "there");
    return EXIT_DONE;
}

/* ---- Reporting ------------------------------------------------------------------------------ */

static json_t *report_json(const tuning *self, const nitro_device *device, const winner_table *won)
{
    const nitro_tune_progress *last = &self->last;
    return json_pack("{s:s, s:o, s:b, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:o}", "computation",
                     self->loaded.module->name, "device", json_text(device->id), "modelled",
                     strcmp(device->kind, "model") == 0, "inputs", "total",
                     (json_int_t)self->inputs.count, "measured",
                     (json_int_t)(last->done - last->resumed - last->failed), "found_in_store",
                     (json_int_t)last->resumed, "failed", (json_int_t)last->failed, "samples",
                     (json_int_t)won->samples, "samples_without_time", (json_int_t)won->untimed,
                     "variants", winners_json(won));
}

static int print_report(const tuning *self, const nitro_device *device, const winner_table *won)
{
    bool modelled = strcmp(device->kind, "model") == 0;
    printf("%s on %s%s: %zu samples in %s", self->loaded.module->name, device->id,
           modelled ? " (modelled: times from a cost model)" : "", won->samples,
           nitro_store_url(self->store));
    if (won->untimed > 0)
        printf(", and %zu on which no variant has a time", won->untimed);
    printf("\n\n");
    return winners_print(won, stdout) == NITRO_OK ? EXIT_DONE : fail(self->call);
}

static int report(tuning *self, const nitro_device *device, const nitro_model *model,
                  const char *path)
{
    const settings *given = self->call->settings;
    winner_table won;
    if (winners_load(self->store, self->loaded.module->name, device->id, &won) != NITRO_OK)
        return fail(self->call);
    int code = EXIT_DONE;
    if (!given->json) {
        code = print_report(self, device, &won);
        if (code == EXIT_DONE && model)
            putchar('\n');
        if (code == EXIT_DONE && model)
            code = model_print(self->call, model, path);
    } else {
        json_t *object = report_json(self, device, &won);
        json_t *summary = model ? model_json(self->call, model, path) : json_null();
        json_object_set_new(object, "model", summary);
        json_array_append_new(self->reports, object);
    }
    winners_free(&won);
    return code;
}

/* ---- One device, then all ------------------------------------------------------------------- */

static int learn_and_report(tuning *self, const nitro_device *device)
{
    const settings *given = self->call->settings;
    nitro_model *model = NULL;
    char *path = NULL;
    int code = EXIT_DONE;
    if (!given->no_model)
        code = learn_own(self->call, self->store, self->loaded.module->name, device->id,
                         given->seed, given->output, &model, &path);
    if (code == EXIT_DONE)
        code = report(self, device, path ? model : NULL, path);
    free(path);
    nitro_model_free(model);
    return code;
}

static int tune_devices(tuning *self, const device_set *devices)
{
    const settings *given = self->call->settings;
    int code = measure(self, devices);
    self->reports = json_array();
    for (size_t d = 0; d < devices->count && code == EXIT_DONE; d++) {
        if (d > 0 && !given->json)
            putchar('\n');
        code = profile(self, devices->devices[d]);
        if (code == EXIT_DONE)
            code = learn_and_report(self, devices->devices[d]);
    }
    if (code == EXIT_DONE && given->json)
        code = print_json(self->call, json_incref(self->reports));
    json_decref(self->reports);
    if (code == EXIT_DONE && self->last.failed > 0)
        code = fail_text(self->call, "%zu of %zu inputs could not be measured; see above",
                         self->last.failed, self->last.total);
    if (code == EXIT_DONE && self->profiles_lost)
        code =
            fail_text(self->call, "some profiles are missing, see above; 'nitro profile' goes on "
                                  "from there");
    return code;
}

static int find_devices(const invocation *call, device_set *devices)
{
    const settings *given = call->settings;
    char host[] = "host", *hosts[] = {host};
    nitro_string_list only_host = {.items = hosts, .count = 1};
    const nitro_string_list *ids = given->devices.count ? &given->devices : &only_host;
    if (given->output && ids->count > 1)
        return fail_usage(call,
                          "--output names one model, but there are %zu devices; without it "
                          "every device's model goes to the default place",
                          ids->count);
    if (given->output && given->no_model)
        return fail_usage(call, "--output and --no-model exclude each other");
    return device_set_find(call->context, ids, false, devices) == NITRO_OK ? EXIT_DONE : fail(call);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    tuning self = {.call = call};
    device_set devices = {0};
    int code = find_devices(call, &devices);
    if (code == EXIT_DONE)
        code = module_open(call, call->arguments.items[0], device_set_kind(call->context, &devices),
                           &self.loaded);
    if (code == EXIT_DONE)
        code = inputs_make(call, self.loaded.module, &given->inputs,
                           (generated_range){given->seed, 0, given->generate}, given->name_parts,
                           &self.inputs);
    if (code == EXIT_DONE && require_writable(call->context, given->output) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE &&
        nitro_store_open_journaled(call->context, given->store, &self.store) != NITRO_OK)
        code = fail(call);
    if (code == EXIT_DONE) {
        interrupts_catch();
        code = tune_devices(&self, &devices);
    }
    nitro_store_close(self.store);
    inputs_free(&self.inputs);
    module_close(&self.loaded);
    device_set_free(&devices);
    return code;
}

static size_t list_modules(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_module *const *each = nitro_builtin_modules(); *each && count < most; each++) {
        if (!module_is_first(*each))
            continue;
        items[count] = (help_item){.name = (*each)->name, .description = (*each)->description};
        char kinds[56];
        module_kinds((*each)->name, kinds, sizeof kinds);
        snprintf(items[count].remark, sizeof items[count].remark, "on %s", kinds);
        count++;
    }
    return count;
}

const command command_tune = {
    .name = "tune",
    .summary = "Measure every variant on every input, learn a model",
    .synopsis = "COMPUTATION --inputs FILE... [--generate N] [--store URL] [--device ID,...] "
                "[--output MODEL] [OPTION...]",
    .description =
        "Measures every variant of a computation on every input, one worker process an input, and "
        "stores each sample before the next is measured: a tune that was stopped or killed goes on "
        "where it was. Then prints which variant won where, and learns a model for the device from "
        "all its samples in the store.\n\n"
        "In the table, slowdown is what always using one variant would cost: the geometric mean of "
        "its time over the best one, on the inputs where it has a time.\n\n"
        "An input that cannot be read, and a variant that fails, hangs, or gives a wrong result, "
        "cost that one entry; the tune goes on. The exit code is 1 when an input failed.\n\n"
        "OpenMP threads wait for each other by spinning briefly (GOMP_SPINCOUNT=1000), unless the "
        "environment sets OMP_WAIT_POLICY or GOMP_SPINCOUNT.",
    .examples = "  nitro tune spmv --generate 100\n"
                "  nitro tune spmv --inputs *.mtx --store sqlite:lab.db --output here.json\n"
                "  nitro tune spmv --generate 50 --device model:gtx-480,model:k20c\n"
                "  nitro tune histogram --inputs *.png --name-parts 2\n"
                "  nitro tune ./libmine.so --inputs small.txt large.txt\n",
    .arguments = arguments,
    .items_title = "Computations",
    .list_items = list_modules,
    .options = options,
    .settings_size = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run};
