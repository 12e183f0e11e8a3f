/* profile_progress.c - collects profiles and shows the progress. */
#include "apps/cli/commands/profile_progress.h"

#include "apps/cli/interrupt.h"
#include "apps/cli/output.h"

static bool show_progress(void *user, const nitro_profile_progress *progress)
{
    progress_update(user, progress->done, progress->total, progress->found, progress->what);
    return !interrupts_seen();
}

nitro_status collect_profiles(invocation *call, nitro_store *store, const char *device,
                              const loaded_module *loaded, const input_set *inputs,
                              const nitro_profile_options *how, nitro_profile_report *report)
{
    char task[256];
    progress_line progress;
    nitro_profile_options shown = *how;
    nitro_status status;
    shown.progress = show_progress;
    shown.progress_user = &progress;
    snprintf(task, sizeof task, "profile %s on %s", loaded ? loaded->module->name : "proxies",
             device);
    progress_begin(&progress, call, task, loaded ? "inputs" : "proxies");
    if (loaded)
        status = nitro_profile_variants(loaded->computation, store, device, inputs->inputs,
                                        inputs->count, &shown, report);
    else
        status = nitro_profile_proxies(store, device, &shown, report);
    progress_end(&progress);
    return status;
}

nitro_status collect_or_warn(invocation *call, nitro_store *store, const char *device,
                             const loaded_module *loaded, const input_set *inputs, bool *broken)
{
    char message[1024];
    nitro_profile_options how;
    nitro_profile_report proxies = {0}, variants = {0};
    nitro_profile_options_init(&how);
    nitro_status status = collect_profiles(call, store, device, NULL, NULL, &how, &proxies);
    if (status == NITRO_OK)
        status = collect_profiles(call, store, device, loaded, inputs, &how, &variants);
    nitro_context_last_error(call->context, message, sizeof message);
    if (status == NITRO_OK)
        note(call, "%s: %zu profiles of %zu runs in the store", device,
             proxies.profiles + variants.profiles, proxies.runs + variants.runs);
    else if (status != NITRO_ERR_INTERRUPTED)
        warn(call, "%s is not profiled: %s", device, message);
    *broken = status != NITRO_OK && proxies.profiles + variants.profiles > 0;
    return status == NITRO_ERR_INTERRUPTED ? status : NITRO_OK;
}
