/* cmd_devices_similarity.c - nitro devices similarity: cosine similarity of devices (paper, Table
 * 2). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/device_set.h"
#include "apps/cli/output.h"

typedef struct settings {
    common_settings common;
    nitro_string_list features;
    const char *devices, *store;
} settings;

static const option options[] = {
    OPTION(LIST, "features", features, "A,B,...", "the device features to compare by",
           .required = true),
    OPTION(TEXT, "devices", devices, "FILE", "compare the devices of this CSV file, one a row",
           .excludes = "store"),
    OPTION(TEXT, "store", store, "URL", "compare the devices of this store that have the features"),
    OPTION_JSON,
    {0}};

/** The six GPUs of the paper. */
static nitro_status take_modelled(nitro_context *context, device_set *set)
{
    const nitro_device_kind *kind = nitro_device_kind_find(context, "model");
    nitro_string_list ids = {0};
    if (!kind)
        return nitro_fail(context, NITRO_ERR_NOT_BUILT,
                          "this build has no modelled devices; name devices with --devices FILE or "
                          "--store URL");
    nitro_status status = kind->list(context, &ids);
    if (status == NITRO_OK)
        status = device_set_find(context, &ids, false, set);
    nitro_string_list_free(&ids);
    return status;
}

static json_t *matrix_json(const double *matrix, size_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < count; j++)
            json_array_append_new(row, json_value(matrix[i * count + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static int print_matrix_json(const invocation *call, const device_set *set, const double *matrix)
{
    const settings *given = call->settings;
    json_t *ids = json_array();
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(ids, json_text(set->devices[i]->id));
    return print_json(call,
                      json_pack("{s:o, s:o, s:o}", "features", json_names(&given->features),
                                "devices", ids, "similarity", matrix_json(matrix, set->count)));
}

static int print_matrix(const invocation *call, const device_set *set, const double *matrix)
{
    text_table table;
    table_begin(&table, call->context, "device");
    for (size_t i = 0; i < set->count; i++)
        table_header(&table, set->devices[i]->id);
    for (size_t i = 0; i < set->count; i++) {
        table_cell(&table, "%s", set->devices[i]->id);
        for (size_t j = 0; j < set->count; j++) /* + 0.0: no "-0.00" */
            table_cell(&table, "%.2f", nearbyint(100.0 * matrix[i * set->count + j]) / 100.0 + 0.0);
    }
    return exit_code(call, table_end(&table));
}

static int compare(const invocation *call, const device_set *set)
{
    const settings *given = call->settings;
    if (set->count == 0)
        return fail_text(call, "there are no devices to compare");
    double *matrix = nitro_calloc(call->context, set->count * set->count, sizeof(*matrix));
    if (!matrix)
        return fail(call);
    nitro_status status = nitro_device_similarity(
        call->context, (const nitro_device *const *)set->devices, set->count,
        (const char *const *)given->features.items, given->features.count, matrix);
    int code = status != NITRO_OK ? fail(call)
               : wants_json(call) ? print_matrix_json(call, set, matrix)
                                  : print_matrix(call, set, matrix);
    free(matrix);
    return code;
}

/** The first of the given features that the device lacks; NULL: it has all. */
static const char *find_missing(const settings *given, const nitro_device *device)
{
    for (size_t i = 0; i < given->features.count; i++)
        if (isnan(nitro_device_value(device, given->features.items[i])))
            return given->features.items[i];
    return NULL;
}

/** A store has devices of several kinds: compare those that have the features, if any does. */
static void leave_out_others(const invocation *call, device_set *set)
{
    const settings *given = call->settings;
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        kept += find_missing(given, set->devices[i]) == NULL;
    for (size_t i = 0; kept > 0 && i < set->count;) {
        nitro_device *device = set->devices[i];
        const char *missing = find_missing(given, device);
        if (!missing) {
            i++;
            continue;
        }
        warn(call, "device %s is left out: it has no feature '%s'", device->id, missing);
        nitro_device_free(device);
        memmove(&set->devices[i], &set->devices[i + 1], (--set->count - i) * sizeof(*set->devices));
    }
}

static int run(invocation *call)
{
    const settings *given = call->settings;
    device_set set = {0};
    nitro_status status;
    if (given->devices)
        status = device_set_read_csv(call->context, given->devices, &set);
    else if (given->store)
        status = device_set_read_store(call->context, given->store, &set);
    else
        status = take_modelled(call->context, &set);
    if (status == NITRO_OK && given->store)
        leave_out_others(call, &set);
    int code = status == NITRO_OK ? compare(call, &set) : fail(call);
    device_set_free(&set);
    return code;
}

const command command_devices_similarity = {
    .name = "devices similarity",
    .summary = "Print the similarity of devices by their features",
    .synopsis = "--features A,B,... [--devices FILE | --store URL] [--json]",
    .description =
        "Prints the cosine similarity of every pair of devices, each feature scaled to [-1, 1] "
        "over these devices: 1 is alike, -1 is opposite. Without --devices or --store, compares "
        "the six GPUs of the paper's Table 1; its Table 2 is the first example below.",
    .examples = "  nitro devices similarity --features peak_gbps,shared_atomic,mem_bus_width\n"
                "  nitro devices similarity --features peak_gbps,mem_clock_rate\n",
    COMMAND_USUAL};
