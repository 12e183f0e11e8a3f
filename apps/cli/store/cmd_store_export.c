/* cmd_store_export.c - nitro store export: samples and profiles as the CSV that import reads. */
#include <stdlib.h>

#include "apps/cli/device_set.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation, *device, *samples, *devices, *profiles;
} settings;

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "computation", computation, "NAME",
           "the computation (default with only --profiles: all, and proxies)"),
    OPTION(TEXT, "device", device, "ID",
           "the device: of the store, or of this machine (default with only --profiles: all)"),
    OPTION(TEXT, "samples", samples, "FILE", "the CSV file for the samples"),
    OPTION(TEXT, "devices", devices, "FILE", "the CSV file for the device's features",
           .needs = "samples"),
    OPTION(TEXT, "profiles", profiles, "FILE",
           "the CSV file for profiles: hardware metrics of variants and proxies"),
    OPTION_JSON,
    {0}};

static json_t *exported(const char *path, const size_t *count)
{
    json_t *file = path ? json_pack("{s:o}", "file", json_text(path)) : json_null();
    if (path && count)
        json_object_set_new(file, "count", json_integer((json_int_t)*count));
    return file;
}

static nitro_status export_samples(const invocation *call, json_t *told)
{
    const settings *given = call->settings;
    size_t count = 0;
    nitro_status status = nitro_store_export_csv(call->store, given->computation, given->device,
                                                 given->samples, given->devices);
    if (status == NITRO_OK)
        status = nitro_store_count_samples(call->store, given->computation, given->device, &count);
    if (status == NITRO_OK)
        note(call, "%zu sample%s of %s on %s in %s", count, plural(count), given->computation,
             given->device, given->samples);
    json_object_set_new(told, "samples", exported(given->samples, &count));
    json_object_set_new(told, "devices", exported(given->devices, NULL));
    return status;
}

static nitro_status export_profiles(const invocation *call, json_t *told)
{
    const settings *given = call->settings;
    size_t count = 0;
    nitro_status status = nitro_store_export_profiles(call->store, given->computation,
                                                      given->device, given->profiles, &count);
    if (status == NITRO_OK)
        note(call, "%zu profile%s in %s", count, plural(count), given->profiles);
    json_object_set_new(told, "profiles", exported(given->profiles, &count));
    return status;
}

static int check_options(const invocation *call)
{
    const settings *given = call->settings;
    if (!given->samples && !given->profiles)
        return fail_usage(call, "--samples FILE is missing");
    if (given->samples && (!given->computation || !given->device))
        return fail_usage(call, "%s is missing",
                          given->computation ? "--device ID" : "--computation NAME");
    return EXIT_DONE;
}

static int run(invocation *call)
{
    settings *given = call->settings;
    char *id = NULL;
    int code = check_options(call);
    if (code == EXIT_DONE)
        code = store_open(call, given->store, NITRO_STORE_READ);
    if (code != EXIT_DONE)
        return code;
    json_t *told = json_pack("{s:n, s:n, s:n}", "samples", "devices", "profiles");
    nitro_status status = NITRO_OK;
    if (given->device)
        status = device_find_stored(call->context, call->store, given->device, &id);
    given->device = id;
    if (status == NITRO_OK && given->samples)
        status = export_samples(call, told);
    if (status == NITRO_OK && given->profiles)
        status = export_profiles(call, told);
    free(id);
    if (status == NITRO_OK && wants_json(call))
        return print_json(call, told);
    json_decref(told);
    return exit_code(call, status);
}

const command command_store_export = {
    .name = "store export",
    .summary = "Write a device's samples as CSV",
    .synopsis = "[--store URL] --computation NAME --device ID --samples FILE [--devices FILE] "
                "[--profiles FILE] [--json]",
    .description =
        "Writes the samples, and with --devices the device's features, in the form that "
        "'nitro store import' reads: importing them gives samples of the same features, times, "
        "outcomes and costs. Messages and times of failed runs (a solver's that did not "
        "converge), spreads and provenance are not exported.\n\n"
        "--profiles writes hardware metrics of kernels: those of the computation's "
        "variants on the device; without --computation those of all computations and of "
        "proxies, without --device on all devices.",
    .examples = "  nitro store export --store sqlite:lab.db --computation spmv \\\n"
                "      --device cuda:nvidia-h200 --samples h200.csv --devices devices.csv\n",
    COMMAND_USUAL};
