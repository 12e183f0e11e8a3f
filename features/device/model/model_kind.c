/* Device kind `model`: the six GPUs of the paper's Table 1. Their device features are the
 * published ones; their times come from a cost model and are labelled so. */
#include <stdlib.h>
#include <string.h>

#include "features/device/model/cost_model.h"

/* data/devices/paper-table1.csv as a string, written by CMake. */
extern const char nitro_paper_table1_csv[];

#define PREFIX "model:"
#define NOTE   "modelled: times from a documented cost model, never a result"

static nitro_status read_table(nitro_context *context, nitro_device ***devices, size_t *count)
{
    nitro_csv *csv = NULL;
    nitro_status status =
        nitro_csv_parse(context, "paper-table1.csv (built in)", nitro_paper_table1_csv,
                        strlen(nitro_paper_table1_csv), &csv);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(context, csv, devices, count);
    nitro_csv_free(csv);
    return status;
}

static void free_table(nitro_device **devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
    free(devices);
}

static nitro_status list(nitro_context *context, nitro_string_list *ids)
{
    nitro_device **devices = NULL;
    size_t count = 0, count_before = ids->count;
    nitro_status status = read_table(context, &devices, &count);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        char *id = nitro_asprintf(context, PREFIX "%s", devices[i]->id);
        status = id ? nitro_string_list_add(context, ids, id) : NITRO_ERR_NO_MEMORY;
        free(id);
    }
    while (status != NITRO_OK && ids->count > count_before)
        free(ids->items[--ids->count]);
    free_table(devices, count);
    return status;
}

/* A row of the table as a modelled device: published values, and a label. */
static nitro_status make_modelled(nitro_context *context, const nitro_device *row, const char *id,
                                  nitro_device **device)
{
    nitro_device *made = NULL;
    nitro_status status = nitro_device_create(context, id, "model", &made);
    for (size_t i = 0; i < row->num_features && status == NITRO_OK; i++)
        status = nitro_device_set(context, made, row->features[i].name, row->features[i].value,
                                  NITRO_VALUE_STATIC, 0);
    for (size_t i = 0; i < row->num_labels && status == NITRO_OK; i++)
        status = nitro_device_set_label(context, made, row->labels[i].name, row->labels[i].text);
    if (status == NITRO_OK)
        status = nitro_device_set_label(context, made, "note", NOTE);
    if (status == NITRO_OK)
        *device = made;
    else
        nitro_device_free(made);
    return status;
}

static nitro_status describe(nitro_context *context, const char *id, bool measure,
                             nitro_device **device)
{
    (void)measure; /* nothing to measure: the table has the paper's measurements */
    const char *row_id = strncmp(id, PREFIX, strlen(PREFIX)) == 0 ? id + strlen(PREFIX) : NULL;
    if (!row_id)
        return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                          "'%.80s' is not a modelled device: ids start with '" PREFIX "'", id);
    nitro_device **devices = NULL;
    size_t count = 0;
    nitro_status status = read_table(context, &devices, &count);
    if (status != NITRO_OK)
        return status;
    size_t row = 0;
    while (row < count && strcmp(devices[row]->id, row_id) != 0)
        row++;
    if (row < count)
        status = make_modelled(context, devices[row], id, device);
    else
        status = nitro_fail(context, NITRO_ERR_NOT_FOUND,
                            "modelled devices are " PREFIX "%s to " PREFIX "%s ('nitro devices')",
                            devices[0]->id, devices[count - 1]->id);
    free_table(devices, count);
    return status;
}

const nitro_device_kind nitro_device_kind_model = {
    .name = "model",
    .description = "GPUs of the paper's Table 1, with times from a documented cost model",
    .priority = 0,
    .list = list,
    .describe = describe,
    .simulate = nitro_cost_simulate,
    .simulate_profiles = nitro_cost_simulate_profiles,
};
