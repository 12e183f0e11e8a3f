/* measure_target.c - measures what the library chose with nitro_tune: each sample is in the store
 * before the next is measured, and inputs already in the store are not measured again. */
#include "apps/cli/commands/measure_target.h"

#include <stdlib.h>

int target_measuring_begin(invocation *call, const char *target, const nitro_string_list *files,
                           generated_range generated, size_t name_parts,
                           target_measuring *measuring)
{
    *measuring = (target_measuring){.call = call};
    nitro_device *device = NULL;
    const nitro_device_kind *kind = NULL;
    if (nitro_device_find(call->context, target, false, &device, &kind) != NITRO_OK)
        return fail(call);
    int code = module_open(call, call->arguments.items[0], kind->simulate ? NULL : kind->name,
                           &measuring->loaded);
    if (code == EXIT_DONE)
        code = inputs_follow(call, measuring->loaded.module, &device, 1);
    nitro_device_free(device);
    if (code == EXIT_DONE)
        code = inputs_make(call, measuring->loaded.module, files, generated, name_parts,
                           &measuring->inputs);
    return code;
}

void target_measuring_end(target_measuring *measuring)
{
    inputs_free(&measuring->inputs);
    module_close(&measuring->loaded);
}

static bool show_progress(void *user, const nitro_tune_progress *progress)
{
    target_measuring *measuring = user;
    progress_update(&measuring->progress, progress->done, progress->total, progress->resumed,
                    progress->input);
    return true;
}

static nitro_status measure(void *user, const char *const *names, size_t count)
{
    target_measuring *measuring = user;
    nitro_context *context = measuring->call->context;
    nitro_tune_options how;
    nitro_tune_options_init(&how);
    how.progress = show_progress;
    how.progress_user = measuring;
    nitro_input *chosen = nitro_calloc(context, count, sizeof *chosen);
    if (!chosen)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        chosen[i] =
            measuring->inputs.inputs[nitro_string_list_find(&measuring->inputs.names, names[i])];
    progress_begin(&measuring->progress, measuring->call, "measure", "inputs");
    nitro_status status = nitro_tune(measuring->loaded.computation, measuring->call->store,
                                     measuring->target, chosen, count, &how);
    progress_end(&measuring->progress);
    free(chosen);
    return status;
}

void target_measuring_offer(target_measuring *measuring, const char *target,
                            nitro_learn_options *options)
{
    measuring->target = target;
    options->measurable = (const char *const *)measuring->inputs.names.items;
    options->num_measurable = measuring->inputs.names.count;
    options->measure = measure;
    options->measure_user = measuring;
}
