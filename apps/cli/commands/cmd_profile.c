/* cmd_profile.c - nitro profile: hardware metrics of variants and proxies, from the hardware, or
 * synthesised for modelled devices. */
#include <string.h>

#include "apps/cli/commands/profile_progress.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/output.h"

#define PROXIES "proxies" /* in a computation's place */

typedef struct settings {
    common_settings common;
    nitro_string_list inputs, devices;
    const char *store, *proxies;
    uint64_t generate, seed, name_parts;
    double timeout_s;
    bool again;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_profile_options options;
    nitro_profile_options_init(&options);
    given->seed = 1;
    given->name_parts = 1;
    given->timeout_s = options.timeout_ms / 1000.0;
}

static const option options[] = {
    OPTION(FILES, "inputs", inputs, "FILE", "input files, up to the next option"),
    OPTION(COUNT, "generate", generate, "N",
           "also profile the first N inputs of the computation's generated training set",
           .maximum = 1000000),
    OPTION(COUNT, "seed", seed, "S",
           "seed of the generated inputs and of the noise in modelled metrics"),
    OPTION_NAME_PARTS,
    OPTION(TEXT, "store", store, "URL", "the store for the profiles (default: see 'nitro config')"),
    OPTION(LIST, "device", devices, "ID,...",
           "devices to profile on, see 'nitro devices' (default: host); for a modelled one, "
           "profiles are synthesised for the inputs that have samples in the store"),
    OPTION(TEXT, "proxies", proxies, "FILE", "also collect the metrics of these proxies"),
    OPTION(NUMBER, "timeout", timeout_s, "SECONDS",
           "time limit of a single call of a variant under the profiler", .minimum = 0.001,
           .maximum = 1e6),
    OPTION(FLAG, "again", again, NULL,
           "profile runs again that the store already has, and replace their profiles"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION",
     .help = "a built-in computation, the path of a shared object with one (./libmine.so), or "
             "'" PROXIES "': their kernels at intensities 0 to 5"},
    {0}};

typedef struct profiling {
    invocation *call;
    const char *computation;
    json_t *reports; /* with --json: by device */
    size_t failed_inputs;
} profiling;

static bool is_of_proxies(const profiling *self)
{
    return strcmp(self->computation, PROXIES) == 0;
}

static int profile_modelled(profiling *self, const char *device)
{
    const settings *given = self->call->settings;
    size_t count = 0;
    if (nitro_store_put_modelled_profiles(self->call->store, self->computation, device, given->seed,
                                          &count) != NITRO_OK)
        return fail(self->call);
    if (wants_json(self->call))
        json_object_set_new(
            self->reports, device,
            json_pack("{s:b, s:I}", "modelled", true, "profiles", (json_int_t)count));
    else
        printf("%s: %zu profiles (modelled)\n", device, count);
    return EXIT_DONE;
}

static nitro_profile_options profile_options(const profiling *self)
{
    const settings *given = self->call->settings;
    nitro_profile_options how;
    nitro_profile_options_init(&how);
    how.proxies_path = given->proxies;
    how.timeout_ms = given->timeout_s * 1000.0;
    how.again = given->again;
    return how;
}

static int report(profiling *self, const char *device, const nitro_profile_report *made)
{
    self->failed_inputs += made->failed_inputs;
    if (wants_json(self->call)) {
        json_object_set_new(self->reports, device,
                            json_pack("{s:b, s:I, s:I, s:I, s:I, s:I}", "modelled", false,
                                      "profiles", (json_int_t)made->profiles, "runs",
                                      (json_int_t)made->runs, "found_in_store",
                                      (json_int_t)made->found, "failed", (json_int_t)made->failed,
                                      "failed_inputs", (json_int_t)made->failed_inputs));
        return EXIT_DONE;
    }
    printf("%s: %zu profile%s of %zu run%s", device, made->profiles, plural(made->profiles),
           made->runs, plural(made->runs));
    if (made->found > 0)
        printf(", %zu run%s already stored", made->found, plural(made->found));
    if (made->failed > 0)
        printf(", %zu failed", made->failed);
    putchar('\n');
    return EXIT_DONE;
}

static int profile_here(profiling *self, const nitro_device *device, const loaded_module *loaded,
                        const input_set *inputs)
{
    const nitro_profile_options how = profile_options(self);
    nitro_profile_report made;
    nitro_status status =
        collect_profiles(self->call, self->call->store, device->id, loaded, inputs, &how, &made);
    if (status == NITRO_ERR_INTERRUPTED)
        return fail_text(self->call,
                         "stopped; profiles stored: %zu; run the same command to resume",
                         made.profiles);
    return status == NITRO_OK ? report(self, device->id, &made) : fail(self->call);
}

static int profile_variants(profiling *self, const nitro_device *device)
{
    const settings *given = self->call->settings;
    loaded_module loaded = {0};
    input_set inputs = {0};
    int code = module_open(self->call, self->call->arguments.items[0], device->kind, &loaded);
    nitro_device *devices[] = {(nitro_device *)device};
    if (code == EXIT_DONE)
        code = inputs_follow(self->call, loaded.module, devices, 1);
    if (code == EXIT_DONE)
        code = inputs_make(self->call, loaded.module, &given->inputs,
                           (generated_range){given->seed, 0, given->generate}, given->name_parts,
                           &inputs);
    if (code == EXIT_DONE)
        code = profile_here(self, device, &loaded, &inputs);
    inputs_free(&inputs);
    module_close(&loaded);
    return code;
}

static int profile_real(profiling *self, const nitro_device *device)
{
    return is_of_proxies(self) ? profile_here(self, device, NULL, NULL)
                               : profile_variants(self, device);
}

static int check_modelled(const profiling *self, const char *id)
{
    const settings *given = self->call->settings;
    if (is_of_proxies(self))
        return fail_usage(
            self->call,
            "%s is modelled: profiles of proxies are synthesised together with those of a "
            "computation tuned on it; name that computation, as in 'nitro profile "
            "spmv --device %s'",
            id, id);
    if (given->inputs.count + given->generate > 0)
        return fail_usage(
            self->call,
            "%s is modelled: profiles are synthesised for the inputs with samples in the store; "
            "omit --inputs and --generate, and profile other devices in a separate command",
            id);
    if (given->proxies)
        return fail_usage(self->call,
                          "%s is modelled: the set of synthesised metrics is fixed; omit --proxies",
                          id);
    return EXIT_DONE;
}

/* A device that is not here may be in the store; profiling it fails later with the reason. */
static int check_device(const profiling *self, const char *id)
{
    const settings *given = self->call->settings;
    nitro_device *device = NULL, *stored = NULL;
    const nitro_device_kind *kind = NULL;
    char message[2560];
    int code = EXIT_DONE;
    nitro_status status = nitro_device_find(self->call->context, id, false, &device, &kind);
    nitro_context_last_error(self->call->context, message, sizeof message);
    if (status == NITRO_ERR_NOT_FOUND &&
        nitro_store_get_device(self->call->store, id, &stored) != NITRO_OK)
        code = fail_text(self->call, "%s", message);
    else if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND)
        code = fail(self->call);
    else if (status == NITRO_OK && kind->simulate_profiles)
        code = check_modelled(self, id);
    else if (status == NITRO_OK && is_of_proxies(self) && given->inputs.count + given->generate > 0)
        code = fail_usage(self->call, "proxies have no inputs: omit --inputs and --generate");
    nitro_device_free(stored);
    nitro_device_free(device);
    return code;
}

static int profile_device(profiling *self, const char *id)
{
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    nitro_status status = nitro_device_find(self->call->context, id, false, &device, &kind);
    if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND)
        return fail(self->call);
    bool is_real = status == NITRO_OK && !kind->simulate_profiles;
    int code = is_real ? profile_real(self, device) : profile_modelled(self, id);
    nitro_device_free(device);
    return code;
}

/* All devices are checked before the first is profiled. */
static int profile_devices(profiling *self)
{
    const settings *given = self->call->settings;
    char host[] = "host", *hosts[] = {host};
    const nitro_string_list only_host = {.items = hosts, .count = 1};
    const nitro_string_list *ids = given->devices.count ? &given->devices : &only_host;
    int code = EXIT_DONE;
    for (size_t i = 0; i < ids->count && code == EXIT_DONE; i++)
        code = check_device(self, ids->items[i]);
    for (size_t i = 0; i < ids->count && code == EXIT_DONE; i++)
        code = profile_device(self, ids->items[i]);
    if (code == EXIT_DONE && wants_json(self->call))
        code = print_json(self->call, json_incref(self->reports));
    if (code == EXIT_DONE && self->failed_inputs > 0)
        code = fail_text(self->call, "inputs that could not be profiled: %zu; see above",
                         self->failed_inputs);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    profiling self = {.call = call, .reports = json_object()};
    int code = module_name(call, call->arguments.items[0], &self.computation);
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_WRITE);
    if (code == EXIT_DONE) {
        interrupts_catch();
        code = profile_devices(&self);
    }
    json_decref(self.reports);
    return code;
}

static size_t list_profilers(help_item *items, size_t most)
{
    size_t count = 0;
    for (const nitro_profiler *const *each = nitro_builtin_profilers(); *each && count < most;
         each++)
        items[count++] = (help_item){.name = (*each)->name, .description = (*each)->description};
    return count;
}

const command command_profile = {
    .name = "profile",
    .summary = "Collect hardware metrics of variants and proxies",
    .synopsis = "COMPUTATION|" PROXIES " [--inputs FILE...] [--generate N] [--device ID,...] "
                "[--store URL] [--proxies FILE] [--again] [OPTION...]",
    .description =
        "Stores profiles: hardware metrics of every kernel of every variant on the inputs, or of "
        "the proxies' kernels at intensities 0 to 5. Device-feature selection by "
        "profiles (nitro tune-from-source --dfs profile) needs both, on the same device: profile "
        "the proxies once, and each computation. It collects the counters from which the proxies' "
        "metrics are computed (see share/nitro/proxies/paper.json).\n\n"
        "Variants are checked against the reference and run many times under the profiler, each in "
        "a worker process, so that a failure costs one run. Profiled runs are not timed. The "
        "profiles of an input are stored before the next input is profiled; an interrupted command "
        "resumes where it stopped. Profiles, unlike samples, are not kept in a journal: if the "
        "store is unavailable, the command fails and can be run again later.\n\n"
        "Access to counters may be restricted. On NVIDIA GPUs run as root or load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0; on hosts kernel.perf_event_paranoid must be 2 or "
        "less; many virtual machines have no counters. If profiling is not possible, the command "
        "prints the reason; tuning and training work without profiles.\n\n"
        "Profiles of modelled devices are synthesised, for the proxies and for every variant on "
        "the inputs that have samples in the store. They come from a documented formula, as "
        "modelled times do, and are marked as modelled: they serve tests and demonstrations, never "
        "results. Existing ones are replaced. Tune first, then name the computation without "
        "--inputs and --generate; the profiles of the proxies are included.\n\n"
        "'nitro store import --profiles' reads the output of other profilers.",
    .examples =
        "  nitro profile proxies --device cuda\n"
        "  nitro profile spmv --generate 10 --device cuda\n"
        "  nitro tune spmv --generate 40 --device model:c2075,model:k20c --store lab.db \\\n"
        "      --no-model\n"
        "  nitro profile spmv --device model:c2075,model:k20c --store lab.db\n",
    .arguments = arguments,
    .items_title = "Profilers",
    .list_items = list_profilers,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
