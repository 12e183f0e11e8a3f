/* cmd_devices.c - nitro devices: the devices that can be tuned here, and what is known of them. */
#include <math.h>
#include <stdlib.h>

#include "apps/cli/device_set.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    bool measure;
    const char *record, *replay, *store;
} settings;

static const option options[] = {
    OPTION(FLAG, "measure", measure, NULL, "also run the microbenchmarks (seconds a device)"),
    OPTION(TEXT, "record", record, "FILE",
           "write what the driver reports of the device into a file"),
    OPTION(TEXT, "replay", replay, "FILE",
           "show the device of such a file, also from another machine",
           .excludes = "record,measure,store"),
    OPTION(TEXT, "store", store, "URL",
           "also put them into this store, with their measured features"),
    OPTION(FLAG, "json", common.json, NULL, "print JSON, with all that is known of every device"),
    {0}};

static const argument arguments[] = {
    {.name = "ID",
     .help = "show all that is known of these devices, e.g. 'host'",
     .optional = true,
     .many = true},
    {0}};

static const char *unit_of(const char *feature)
{
    const nitro_device_feature_info *info = nitro_device_feature_lookup(feature);
    return info && info->unit ? info->unit : "1";
}

static json_t *features_json(const nitro_device *device)
{
    json_t *object = json_object();
    for (size_t f = 0; f < device->num_features; f++) {
        const nitro_device_feature *feature = &device->features[f];
        json_t *value =
            json_pack("{s:o, s:s, s:s}", "value", json_value(feature->value), "unit",
                      unit_of(feature->name), "source", nitro_value_source_name(feature->source));
        if (feature->source == NITRO_VALUE_MEASURED)
            json_object_set_new(value, "spread", json_value(feature->spread));
        json_object_set_new(object, feature->name, value);
    }
    return object;
}

static json_t *device_json(const nitro_device *device)
{
    json_t *labels = json_object();
    for (size_t l = 0; l < device->num_labels; l++)
        json_object_set_new(labels, device->labels[l].name, json_text(device->labels[l].text));
    return json_pack("{s:o, s:o, s:b, s:o, s:o}", "id", json_text(device->id), "kind",
                     json_text(device->kind), "modelled", device_is_modelled(device), "labels",
                     labels, "features", features_json(device));
}

static int print_devices_json(const invocation *call, const device_set *set)
{
    json_t *array = json_array();
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(array, device_json(set->devices[i]));
    return print_json(call, array);
}

/** What a device is called by people: the first label of these that it has. */
static const char *people_name(const nitro_device *device)
{
    static const char *const names[] = {"model", "name", "cpu_model", "product"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = nitro_device_label(device, names[i]);
        if (text)
            return text;
    }
    return "";
}

static int print_overview(const invocation *call, const device_set *set)
{
    text_table table;
    table_begin(&table, call->context, "device,kind,>features,name");
    for (size_t i = 0; i < set->count; i++) {
        const nitro_device *device = set->devices[i];
        table_cell(&table, "%s", device->id);
        table_cell(&table, "%s", device_kind_text(device));
        table_cell(&table, "%zu", device->num_features);
        table_cell(&table, "%s", people_name(device));
    }
    return exit_code(call, table_end(&table));
}

static int print_device(const invocation *call, const nitro_device *device)
{
    text_table table;
    printf("%s (%s)\n", device->id, device_kind_text(device));
    for (size_t l = 0; l < device->num_labels; l++)
        printf("  %s: %s\n", device->labels[l].name, device->labels[l].text);
    table_begin(&table, call->context, "  feature,>value,unit,source");
    for (size_t f = 0; f < device->num_features; f++) {
        const nitro_device_feature *feature = &device->features[f];
        bool spread = feature->source == NITRO_VALUE_MEASURED && isfinite(feature->spread);
        table_cell(&table, "  %s", feature->name);
        table_cell(&table, "%.6g", feature->value);
        table_cell(&table, "%s", unit_of(feature->name));
        if (spread)
            table_cell(&table, "%s, +-%.1f%%", nitro_value_source_name(feature->source),
                       100.0 * feature->spread);
        else
            table_cell(&table, "%s", nitro_value_source_name(feature->source));
    }
    return exit_code(call, table_end(&table));
}

static int print_details(const invocation *call, const device_set *set)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < set->count && code == EXIT_DONE; i++) {
        if (i > 0)
            putchar('\n');
        code = print_device(call, set->devices[i]);
    }
    return code;
}

static nitro_status find_devices(const invocation *call, device_set *set)
{
    const settings *given = call->settings;
    bool named = call->arguments.count > 0;
    if (given->replay)
        return device_set_replay(call->context, given->replay, set);
    if (given->record)
        return device_set_record(call->context, call->arguments.items[0], given->measure,
                                 given->record, set);
    nitro_string_list all = {0};
    nitro_status status = named ? NITRO_OK : nitro_device_list(call->context, &all);
    if (status == NITRO_OK)
        status =
            device_set_find(call->context, named ? &call->arguments : &all, given->measure, set);
    nitro_string_list_free(&all);
    return status;
}

static int update_store(invocation *call, const device_set *set)
{
    const settings *given = call->settings;
    int code = store_open(call, given->store, NITRO_STORE_WRITE);
    for (size_t i = 0; i < set->count && code == EXIT_DONE; i++)
        code = exit_code(call, nitro_store_update_device(call->store, set->devices[i]));
    return code;
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    size_t named = call->arguments.count;
    device_set set = {0};
    if (given->replay && named > 0)
        return fail_usage(call, "--replay does not go with IDs");
    if (given->store && named == 0)
        return fail_usage(call,
                          "--store puts devices into a store: name them by their IDs, such as "
                          "host; 'nitro store list' shows those in it");
    if (given->record && named != 1)
        return fail_usage(call, "--record needs one ID, such as cuda");
    int code = exit_code(call, find_devices(call, &set));
    if (code == EXIT_DONE && given->store)
        code = update_store(call, &set);
    if (code == EXIT_DONE && given->record)
        note(call, "wrote %s", given->record);
    if (code == EXIT_DONE && wants_json(call))
        code = print_devices_json(call, &set);
    else if (code == EXIT_DONE && (named > 0 || given->measure || given->replay))
        code = print_details(call, &set);
    else if (code == EXIT_DONE)
        code = print_overview(call, &set);
    device_set_free(&set);
    return code;
}

const command command_devices = {
    .name = "devices",
    .summary = "List this machine's devices and the modelled ones",
    .synopsis = "[--measure] [--record FILE | --replay FILE] [--store URL] [--json] [ID...]",
    .description =
        "Without an ID, lists the devices that can be tuned here: this machine's, and modelled "
        "ones, whose times come from a documented cost model. With IDs, shows every device "
        "feature: its value, its unit, and where the value comes from (the driver or operating "
        "system, a published specification, a microbenchmark, or computed from others), and, for "
        "published values, how far what the query implies differs from them.\n\n"
        "A GPU is 'cuda' (the first), 'cuda:1' (by number) or its id in full, such as "
        "cuda:nvidia-h200. --record writes what its driver reports to a file, from which --replay "
        "makes the same device anywhere, without the GPU. Models can learn from measured device "
        "features once they are in the store: measure each device once with --store.\n\n"
        "Machines with the same processor or card have devices of the same id. Where they share a "
        "store, give each a name, NITRO_MACHINE=NAME or a line 'machine = NAME' in nitro.conf (see "
        "'nitro help config'): every command then takes its devices as ID@NAME.",
    .examples = "  nitro devices\n  nitro devices host --measure\n"
                "  nitro devices cuda --measure --store sqlite:lab.db --record gpu.json\n"
                "  nitro devices --replay gpu.json\n",
    .arguments = arguments,
    COMMAND_USUAL};
