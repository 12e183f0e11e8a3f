/* cmd_profile.c - nitro profile: modelled profiles, where there is no hardware to ask. */
#include "apps/cli/module.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store;
    nitro_string_list devices;
    uint64_t seed;
    bool json;
} settings;

static void set_defaults(void *place)
{
    ((settings *)place)->seed = 1;
}

static const option options[] = {
    {.name = "store",
     .type = OPTION_TEXT,
     .offset = offsetof(settings, store),
     .value = "URL",
     .help = "the store with the samples; the profiles go there too (default: the user's own)"},
    {.name = "device",
     .type = OPTION_LIST,
     .offset = offsetof(settings, devices),
     .value = "A,B,...",
     .help = "modelled devices with samples of the computation",
     .required = true},
    {.name = "seed",
     .type = OPTION_COUNT,
     .offset = offsetof(settings, seed),
     .value = "N",
     .help = "seed of the metrics' noise"},
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {.name = "COMPUTATION", .help = "a computation's name in the store, or a module's path"}, {0}};

static int profile(invocation *call, const char *computation, nitro_store *store)
{
    const settings *given = call->settings;
    json_t *counts = json_object();
    int code = EXIT_DONE;
    for (size_t i = 0; i < given->devices.count && code == EXIT_DONE; i++) {
        const char *device = given->devices.items[i];
        size_t count = 0;
        if (nitro_store_put_modelled_profiles(store, computation, device, given->seed, &count) !=
            NITRO_OK)
            code = fail(call);
        else if (given->json)
            json_object_set_new(counts, device, json_integer((json_int_t)count));
        else
            printf("%s: %zu profiles (modelled)\n", device, count);
    }
    if (code == EXIT_DONE && given->json)
        return print_json(call, counts);
    json_decref(counts);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    const char *computation = NULL;
    nitro_store *store = NULL;
    int code = module_name(call, call->arguments.items[0], &computation);
    if (code != EXIT_DONE)
        return code;
    if (nitro_store_open(call->context, given->store, NITRO_STORE_WRITE, &store) != NITRO_OK)
        return fail(call);
    code = profile(call, computation, store);
    nitro_store_close(store);
    return code;
}

const command command_profile = {
    .name = "profile",
    .summary = "Make up profiles on modelled devices",
    .synopsis = "COMPUTATION --store URL --device A,B,... [--seed N] [--json]",
    .description =
        "Puts profiles into the store: hardware metrics of every proxy at intensities 0 to 5, and "
        "of every variant on the inputs that the store has samples of. They come from a documented "
        "formula, as modelled times do, and say so: good for trying out device-feature selection "
        "by profiles (nitro tune-from-source --dfs profile), and never a result. Profiles of that "
        "kind that are there already are replaced.\n\n"
        "What a profiler collected on hardware is read by nitro store import --profiles.",
    .examples =
        "  nitro tune spmv --generate 40 --device model:c2075,model:k20c --store lab.db \\\n"
        "      --no-model\n"
        "  nitro profile spmv --device model:c2075,model:k20c --store lab.db\n",
    .arguments = arguments,
    .options = options,
    .settings_size = sizeof(settings),
    .set_defaults = set_defaults,
    .run = run};
