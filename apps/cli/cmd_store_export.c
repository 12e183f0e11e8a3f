/* cmd_store_export.c - nitro store export: a device's samples as the CSV that import reads. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation, *device, *samples, *devices;
} settings;

static const option options[] = {{.name = "store",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, store),
                                  .value = "URL",
                                  .help = "the store (default: the user's own)"},
                                 {.name = "computation",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, computation),
                                  .value = "NAME",
                                  .help = "the computation",
                                  .required = true},
                                 {.name = "device",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, device),
                                  .value = "ID",
                                  .help = "the device",
                                  .required = true},
                                 {.name = "samples",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, samples),
                                  .value = "FILE",
                                  .help = "where the samples go",
                                  .required = true},
                                 {.name = "devices",
                                  .type = OPTION_TEXT,
                                  .offset = offsetof(settings, devices),
                                  .value = "FILE",
                                  .help = "where the device's features go (default: nowhere)"},
                                 {0}};

static int run(invocation *call)
{
    const settings *given = call->settings;
    nitro_store *store = NULL;
    if (nitro_store_open(call->context, given->store, NITRO_STORE_READ, &store) != NITRO_OK)
        return fail(call);
    nitro_status status = nitro_store_export_csv(store, given->computation, given->device,
                                                 given->samples, given->devices);
    size_t count = 0;
    if (status == NITRO_OK)
        status = nitro_store_count_samples(store, given->computation, given->device, &count);
    nitro_store_close(store);
    if (status != NITRO_OK)
        return fail(call);
    note(call, "%zu samples of %s on %s are in %s", count, given->computation, given->device,
         given->samples);
    return EXIT_DONE;
}

const command command_store_export = {
    .name = "store export",
    .summary = "Write a device's samples as CSV",
    .synopsis = "--store URL --computation NAME --device ID --samples FILE [--devices FILE]",
    .description = "Writes the samples, and with --devices the device's features, in the form that "
                   "'nitro store import' reads: importing them gives the same samples. Why a time "
                   "is missing, spreads and provenance stay behind.",
    .options = options,
    .settings_size = sizeof(settings),
    .run = run};
