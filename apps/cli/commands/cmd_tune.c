/* cmd_tune.c - nitro tune: measure every variant on every input, count the wins, train. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "apps/cli/commands/learn_own.h"
#include "apps/cli/commands/profile_progress.h"
#include "apps/cli/commands/tune_settings.h"
#include "apps/cli/commands/winners.h"
#include "apps/cli/device_set.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/model_report.h"
#include "apps/cli/paths.h"
#include "nitro/backend/model_places.h"
#include "nitro/computation_kit.h"

/** All that tuning one device needs. */
typedef struct tuning {
    invocation *call;
    loaded_module loaded;
    input_set inputs;
    size_t num_devices;
    json_t *reports; /* with --json */
    nitro_tune_progress last;
    progress_line progress;
    bool profiles_lost; /* profiling broke off */
} tuning;

static bool show_progress(void *user, const nitro_tune_progress *progress)
{
    tuning *self = user;
    char detail[600];
    self->last = *progress;
    if (progress->again > 0 && progress->input)
        snprintf(detail, sizeof detail, "%zu further block%s; %s", progress->again,
                 plural(progress->again), progress->input);
    else if (progress->best && self->num_devices == 1)
        snprintf(detail, sizeof detail, "%s: %s", progress->input, progress->best);
    else
        snprintf(detail, sizeof detail, "%s",
                 progress->input ? progress->input : "waiting for other tuners of this device");
    progress_update(&self->progress, progress->done, progress->total, progress->resumed,
                    detail[0] ? detail : NULL);
    return !interrupts_seen();
}

static nitro_tune_options options_of(tuning *self)
{
    nitro_tune_options how = tune_options_given(self->call->settings);
    how.progress = show_progress;
    how.progress_user = self;
    return how;
}

/** Times on a machine that others use are rough: warns before hours are spent. */
static void warn_if_busy(const tuning *self, const device_set *devices)
{
    double load;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool real = false;
    for (size_t d = 0; d < devices->count; d++)
        real |= !device_is_modelled(devices->devices[d]);
    if (!real || cores < 1 || getloadavg(&load, 1) != 1 || load <= 0.5 * (double)cores + 0.5)
        return;
    warn(self->call, "this machine is busy (load %.1f on %ld cores): times will be inaccurate",
         load, cores);
}

static bool is_builtin(const nitro_module *module)
{
    for (const nitro_module *const *each = nitro_builtin_modules(); *each; each++)
        if (*each == module)
            return true;
    return false;
}

/** Says how far the generated inputs reach, unless the user set it. */
static int note_range(const tuning *self)
{
    const tune_settings *given = self->call->settings;
    const char *name = self->loaded.module->name;
    nitro_setting_value value;
    double bytes = 0.0;
    if (given->generate == 0 || !is_builtin(self->loaded.module))
        return EXIT_DONE;
    if (nitro_setting_get(self->call->context, name, "generate_mb", &value) != NITRO_OK ||
        nitro_kit_generate_limit(self->call->context, name, 0, &bytes) != NITRO_OK)
        return fail(self->call);
    if (value.origin == NITRO_SETTING_DEFAULT || value.origin == NITRO_SETTING_PROGRAM)
        note(self->call,
             "inputs of up to %.0f MB are generated, the largest first; NITRO_GENERATE_MB sets "
             "another limit",
             bytes / 1e6);
    return EXIT_DONE;
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
    nitro_tune_options how = options_of(self);
    warn_if_busy(self, devices);
    self->num_devices = devices->count;
    if (devices->count == 1)
        snprintf(task, sizeof task, "tune %s on %s", self->loaded.module->name, ids);
    else
        snprintf(task, sizeof task, "tune %s on %zu devices", self->loaded.module->name,
                 devices->count);
    progress_begin(&self->progress, self->call, task, "inputs");
    nitro_status status = nitro_tune(self->loaded.computation, self->call->store, ids,
                                     self->inputs.inputs, self->inputs.count, &how);
    progress_end(&self->progress);
    if (status == NITRO_ERR_INTERRUPTED)
        return fail_text(self->call,
                         "stopped after %zu of %zu inputs; their samples are stored; run the same "
                         "command to resume",
                         self->last.done, self->last.total);
    return exit_code(self->call, status);
}

/** Only 'nitro profile' synthesises profiles of modelled devices. */
static int profile(tuning *self, const nitro_device *device)
{
    const tune_settings *given = self->call->settings;
    if (!given->profile)
        return EXIT_DONE;
    if (device_is_modelled(device)) {
        note(self->call, "%s is modelled: 'nitro profile' synthesises its profiles", device->id);
        return EXIT_DONE;
    }
    bool broken = false;
    nitro_status status = collect_or_warn(self->call, self->call->store, device->id, &self->loaded,
                                          &self->inputs, &broken);
    self->profiles_lost = self->profiles_lost || broken;
    if (status == NITRO_ERR_INTERRUPTED)
        return fail_text(self->call, "stopped while profiling; run the same command to resume");
    return EXIT_DONE;
}

static json_t *report_json(const tuning *self, const nitro_device *device, const winner_table *won)
{
    const nitro_tune_progress *last = &self->last;
    return json_pack("{s:s, s:o, s:b, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:o}", "computation",
                     self->loaded.module->name, "device", json_text(device->id), "modelled",
                     device_is_modelled(device), "inputs", "total", (json_int_t)self->inputs.count,
                     "measured", (json_int_t)(last->done - last->resumed - last->failed),
                     "found_in_store", (json_int_t)last->resumed, "failed",
                     (json_int_t)last->failed, "samples", (json_int_t)won->samples,
                     "samples_without_time", (json_int_t)won->untimed, "variants",
                     winners_json(won));
}

static int print_report(const tuning *self, const nitro_device *device, const winner_table *won)
{
    printf("%s on %s%s: %zu sample%s in %s", self->loaded.module->name, device->id,
           device_is_modelled(device) ? " (modelled: times from a cost model)" : "", won->samples,
           plural(won->samples), nitro_store_url(self->call->store));
    if (won->untimed > 0)
        printf(", and %zu on which no variant has a time", won->untimed);
    printf("\n\n");
    return exit_code(self->call, winners_print(won));
}

static int report(tuning *self, const nitro_device *device, const nitro_model *model,
                  const char *path)
{
    winner_table won;
    if (winners_load(self->call->store, self->loaded.module->name, device->id, &won) != NITRO_OK)
        return fail(self->call);
    int code = EXIT_DONE;
    if (!wants_json(self->call)) {
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

static int learn_and_report(tuning *self, const nitro_device *device)
{
    const tune_settings *given = self->call->settings;
    nitro_model *model = NULL;
    char *path = NULL;
    int code = EXIT_DONE;
    if (!given->no_model && !given->shard)
        code = learn_own(self->call, self->call->store, self->loaded.module->name, device->id,
                         given->seed, given->output, &model, &path);
    if (code == EXIT_DONE && !model && !given->no_model && !given->shard) {
        char why[1024];
        nitro_context_last_error(self->call->context, why, sizeof why);
        warn(self->call, "no model was trained: %s", why);
    }
    if (code == EXIT_DONE)
        code = report(self, device, path ? model : NULL, path);
    free(path);
    nitro_model_free(model);
    return code;
}

static int tune_devices(tuning *self, const device_set *devices)
{
    int code = measure(self, devices);
    self->reports = json_array();
    for (size_t d = 0; d < devices->count && code == EXIT_DONE; d++) {
        if (d > 0 && !wants_json(self->call))
            putchar('\n');
        code = profile(self, devices->devices[d]);
        if (code == EXIT_DONE)
            code = learn_and_report(self, devices->devices[d]);
    }
    if (code == EXIT_DONE && wants_json(self->call))
        code = print_json(self->call, json_incref(self->reports));
    json_decref(self->reports);
    if (code == EXIT_DONE && self->last.failed > 0)
        code = fail_text(self->call, "%zu of %zu inputs could not be measured; see above",
                         self->last.failed, self->last.total);
    if (code == EXIT_DONE && self->profiles_lost)
        code = fail_text(self->call,
                         "some profiles are missing, see above; 'nitro profile' collects the rest");
    return code;
}

static int find_devices(const invocation *call, device_set *devices)
{
    const tune_settings *given = call->settings;
    char host[] = "host", *hosts[] = {host};
    nitro_string_list only_host = {.items = hosts, .count = 1};
    const nitro_string_list *ids = given->devices.count ? &given->devices : &only_host;
    if (given->output && ids->count > 1)
        return fail_usage(call,
                          "--output names one model, but there are %zu devices; without it "
                          "every device's model goes to the default place",
                          ids->count);
    if (given->min_repetitions != OPTION_NOT_GIVEN && given->min_repetitions > given->repetitions)
        return fail_usage(call, "--min-repetitions %" PRIu64 " is more than --repetitions %" PRIu64,
                          given->min_repetitions, given->repetitions);
    return exit_code(call, device_set_find(call->context, ids, false, devices));
}

/** Asked before hours of measuring. */
static nitro_status require_model_place(const tuning *self)
{
    const tune_settings *given = self->call->settings;
    char *path = NULL;
    if (given->output || given->no_model || given->shard)
        return require_writable(self->call->context, given->output);
    nitro_status status =
        nitro_model_users_path(self->call->context, self->loaded.module->name, "host", &path);
    if (status == NITRO_OK)
        status = make_folders_above(self->call->context, path);
    if (status == NITRO_OK)
        status = require_writable(self->call->context, path);
    free(path);
    return status;
}

static int run(invocation *call)
{
    const tune_settings *given = call->settings;
    tuning self = {.call = call};
    device_set devices = {0};
    int code = find_devices(call, &devices);
    if (code == EXIT_DONE)
        code = module_open(call, call->arguments.items[0], device_set_kind(call->context, &devices),
                           &self.loaded);
    if (code == EXIT_DONE)
        code = inputs_follow(call, self.loaded.module, devices.devices, devices.count);
    if (code == EXIT_DONE)
        code = inputs_make(call, self.loaded.module, &given->inputs,
                           (generated_range){given->seed, 0, given->generate}, given->name_parts,
                           &self.inputs);
    if (code == EXIT_DONE)
        code = inputs_keep_shard(call, given->shard, &self.inputs);
    if (code == EXIT_DONE)
        code = note_range(&self);
    if (code == EXIT_DONE)
        code = exit_code(call, require_model_place(&self));
    if (code == EXIT_DONE)
        code =
            exit_code(call, nitro_store_open_journaled(call->context, given->store, &call->store));
    if (code == EXIT_DONE) {
        interrupts_catch();
        code = tune_devices(&self, &devices);
    }
    inputs_free(&self.inputs);
    module_close(&self.loaded);
    device_set_free(&devices);
    return code;
}

static size_t list_modules(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_module *const *each = nitro_builtin_modules(); *each && count < most; each++) {
        if (module_built_in((*each)->name) != *each)
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
    .summary = "Measure every variant on every input, train a model",
    .synopsis = "COMPUTATION (--inputs FILE... | --generate N) [--store URL] [--device ID,...] "
                "[--output MODEL] [OPTION...]",
    .description =
        "Measures every variant of a computation on every input, one worker process per input, and "
        "stores each sample before the next is measured: an interrupted tune resumes where it "
        "stopped. Then prints how often each variant was the fastest, and trains a model for the "
        "device on all its samples in the store.\n\n"
        "In the table, slowdown is the geometric mean of the variant's time over the best time, on "
        "the inputs for which it has a time: the cost of always using it.\n\n"
        "An input that cannot be read, or a variant that fails, hangs or gives a wrong result, is "
        "recorded as such, and the tune continues. The exit code is 1 if an input failed.\n\n"
        "OpenMP threads wait for each other by spinning briefly (GOMP_SPINCOUNT=1000), unless the "
        "environment sets OMP_WAIT_POLICY or GOMP_SPINCOUNT.",
    .examples = "  nitro tune spmv --generate 100\n"
                "  nitro tune spmv --inputs *.mtx --store sqlite:lab.db --output here.json\n"
                "  nitro tune spmv --generate 50 --device model:gtx-480,model:k20c\n"
                "  nitro tune histogram --inputs *.png --name-parts 2\n"
                "  nitro tune ./libmine.so --inputs small.txt large.txt\n"
                "  nitro tune spmv --generate 1000 --shard 3/8 --store sqlite:shard3.db\n",
    .arguments = tune_arguments,
    .items_title = "Computations",
    .list_items = list_modules,
    .options = tune_options,
    .settings_size = sizeof(tune_settings),
    .set_defaults = tune_set_defaults,
    .run = run};
