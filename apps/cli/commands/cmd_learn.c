/* cmd_learn.c - nitro learn: a model from the samples that a device has, without measuring. */
#include <stdlib.h>

#include "apps/cli/commands/learn_own.h"
#include "apps/cli/device_set.h"
#include "apps/cli/load_module.h"
#include "apps/cli/model_report.h"
#include "apps/cli/output.h"
#include "apps/cli/paths.h"

typedef struct settings {
    common_settings common;
    const char *store, *device, *output;
    uint64_t seed;
} settings;

static void set_defaults(void *place)
{
    settings *given = place;
    nitro_learn_options learn;
    nitro_learn_options_init(&learn);
    given->device = "host";
    given->seed = learn.seed;
}

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "device", device, "ID", "whose samples: of this machine, or of the store"),
    OPTION(TEXT, "output", output, "MODEL",
           "where to write the model (default: the user's models, where programs look)"),
    OPTION(COUNT, "seed", seed, "N", "seed of the training"),
    OPTION_JSON,
    {0}};

static const argument arguments[] = {
    {"COMPUTATION", "its name, or a shared object: PATH or PATH:NAME", .optional = false}, {0}};

static int learn(invocation *call, const char *computation)
{
    const settings *given = call->settings;
    nitro_model *model = NULL;
    char *id = NULL, *path = NULL;
    if (device_find_stored(call->context, call->store, given->device, &id) != NITRO_OK)
        return fail(call);
    int code =
        learn_own(call, call->store, computation, id, given->seed, given->output, &model, &path);
    if (code == EXIT_DONE && !model)
        code = fail(call);
    else if (code == EXIT_DONE)
        code = wants_json(call) ? print_json(call, model_json(call, model, path))
                                : model_print(call, model, path);
    nitro_model_free(model);
    free(path);
    free(id);
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    const char *computation = NULL;
    int code = module_name(call, call->arguments.items[0], &computation);
    if (code == EXIT_DONE)
        code = exit_code(call, require_writable(call->context, given->output));
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_READ);
    return code == EXIT_DONE ? learn(call, computation) : code;
}

const command command_learn = {
    .name = "learn",
    .summary = "Learn a model from a device's stored samples",
    .synopsis = "COMPUTATION [--store URL] [--device ID] [--output MODEL] [--json]",
    .description =
        "Learns a model for a device from all its samples in a store, those of a tune and those "
        "of running programs (the setting record_to), without inputs and without measuring, and "
        "writes it where programs and 'nitro run' look for it. 'nitro tune' does the same at its "
        "end; 'nitro tune-from-source' learns from other devices' samples.",
    .examples = "  nitro learn spmv\n"
                "  nitro learn ./libmine.so --store redis://lab/ --output mine.json\n",
    .arguments = arguments,
    .set_defaults = set_defaults,
    COMMAND_USUAL};
