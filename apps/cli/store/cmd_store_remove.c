/* cmd_store_remove.c - nitro store remove: removes samples, profiles or a device. */
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    const char *store, *computation, *device;
    bool profiles;
} settings;

static const option options[] = {
    OPTION_STORE,
    OPTION(TEXT, "computation", computation, "NAME",
           "the computation whose samples are removed (default with --profiles: proxies)"),
    OPTION(TEXT, "device", device, "ID",
           "remove samples of this device only (default: all, and the computation itself); "
           "without --computation: the device, which must have none"),
    OPTION(FLAG, "profiles", profiles, NULL, "remove only profiles, no samples"),
    OPTION_JSON,
    {0}};

/** A misspelt name must not look like success. What is damaged may be removed too. */
static nitro_status check_names(const invocation *call)
{
    const settings *given = call->settings;
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_status status = NITRO_OK;
    if (given->computation)
        status = nitro_store_get_schema(call->store, given->computation, &schema);
    if ((status == NITRO_OK || status == NITRO_ERR_FORMAT) && given->device)
        status = nitro_store_get_device(call->store, given->device, &device);
    nitro_device_free(device);
    nitro_schema_free(schema);
    return status == NITRO_ERR_FORMAT ? NITRO_OK : status;
}

static nitro_status remove_records(const invocation *call, size_t *removed)
{
    const settings *given = call->settings;
    if (given->profiles)
        return nitro_store_remove_profiles(call->store, given->device, given->computation, removed);
    if (given->computation)
        return nitro_store_remove(call->store, given->computation, given->device, removed);
    return nitro_store_remove_device(call->store, given->device);
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    size_t removed = 0;
    if (!given->computation && !given->device && !given->profiles)
        return fail_usage(call, "name the records: --computation NAME, --device ID, or both");
    int code = store_open_existing(call, given->store);
    if (code == EXIT_DONE)
        code = exit_code(call, check_names(call));
    if (code == EXIT_DONE)
        code = exit_code(call, remove_records(call, &removed));
    if (code != EXIT_DONE)
        return code;
    if (wants_json(call))
        return print_json(call, json_pack("{s:I}", "removed", (json_int_t)removed));
    if (!given->computation && !given->profiles) {
        printf("device %s removed\n", given->device);
        return EXIT_DONE;
    }
    printf("%zu %s%s of %s%s%s removed\n", removed, given->profiles ? "profile" : "sample",
           plural(removed), given->computation ? given->computation : "proxies",
           given->device ? " on " : "", given->device ? given->device : "");
    return EXIT_DONE;
}

const command command_store_remove = {
    .name = "store remove",
    .summary = "Remove samples of a computation",
    .synopsis = "[--store URL] [--computation NAME] [--device ID] [--profiles] [--json]",
    .description = "Removes a computation's samples and profiles on one device, or on all; in the "
                   "latter case its schema is removed too, so that another can be stored. "
                   "Device features stay; --device without --computation removes a device that has "
                   "no samples. "
                   "This cannot be undone: make a copy with 'nitro store copy' first.\n\n"
                   "With --profiles only profiles go: a computation's, or without --computation "
                   "those of proxies.",
    .examples = "  nitro store remove --store sqlite:lab.db --computation spmv --device host\n",
    COMMAND_USUAL};
