/* Importing devices: rows of a table, each a device with its features, without a sample. A target
 * that its owner knows by its data sheet alone comes into a store so. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"
#include "store/exchange/import_internal.h"

typedef struct device_table {
    nitro_context *context;
    const char *path;
    nitro_device **devices; /* shape [count] */
    size_t count;
} device_table;

static nitro_status read_table(device_table *table)
{
    nitro_csv *csv = NULL;
    nitro_status status = nitro_csv_read(table->context, table->path, &csv);
    if (status == NITRO_OK && nitro_csv_num_rows(csv) == 0)
        status = nitro_fail(table->context, NITRO_ERR_FORMAT,
                            "%s: there is no row below the header", table->path);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(table->context, csv, &table->devices, &table->count);
    nitro_csv_free(csv);
    return status;
}

static void free_table(device_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        nitro_device_free(table->devices[i]);
    free(table->devices);
}

static nitro_status fail_no_device(const device_table *table, const char *id)
{
    nitro_string_list ids = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < table->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(table->context, &ids, table->devices[i]->id);
    char *names = status == NITRO_OK ? nitro_store_print_some(table->context, &ids) : NULL;
    status = NITRO_ERR_NO_MEMORY;
    if (names)
        status = nitro_fail(table->context, NITRO_ERR_NOT_FOUND,
                            "%s: no device '%s' in it; there is: %s", table->path, id, names);
    free(names);
    nitro_string_list_free(&ids);
    return status;
}

static nitro_status find_row(const device_table *table, const char *id, size_t *row)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->devices[i]->id, id) == 0) {
            *row = i;
            return NITRO_OK;
        }
    return fail_no_device(table, id);
}

nitro_status nitro_import_device_row(nitro_context *context, const char *path, const char *id,
                                     nitro_device **device)
{
    device_table table = {.context = context, .path = path};
    size_t row = 0;
    nitro_status status = read_table(&table);
    if (status == NITRO_OK)
        status = find_row(&table, id, &row);
    if (status == NITRO_OK) {
        *device = table.devices[row];
        table.devices[row] = NULL;
    }
    free_table(&table);
    return status;
}

static bool is_modelled(const nitro_device *device)
{
    return strcmp(device->kind, "model") == 0;
}

nitro_status nitro_import_check_device(nitro_store *store, const char *path,
                                       const nitro_device *device, bool *known)
{
    nitro_device *stored = NULL;
    nitro_status status = nitro_store_get_device(store, device->id, &stored);
    *known = status == NITRO_OK;
    if (status == NITRO_ERR_NOT_FOUND)
        return NITRO_OK;
    if (status == NITRO_OK && is_modelled(stored) != is_modelled(device))
        status = nitro_fail(nitro_store_context(store), NITRO_ERR_MISMATCH,
                            "device %s is of kind '%s' in the store, but of kind '%s' in %s: "
                            "modelled and measured times must not mix. Import it under another id",
                            device->id, stored->kind, device->kind, path ? path : "what is read");
    nitro_device_free(stored);
    return status;
}

/* Only those that are asked for stay in the table. */
static nitro_status choose_rows(device_table *table, const nitro_string_list *ids)
{
    size_t kept = 0, row = 0;
    for (size_t i = 0; ids && i < ids->count; i++) {
        nitro_status status = find_row(table, ids->items[i], &row);
        if (status != NITRO_OK)
            return status;
    }
    for (size_t i = 0; i < table->count; i++) {
        if (!ids || nitro_string_list_find(ids, table->devices[i]->id) != NITRO_NONE)
            table->devices[kept++] = table->devices[i];
        else
            nitro_device_free(table->devices[i]);
    }
    table->count = kept;
    return NITRO_OK;
}

static nitro_status check_rows(const device_table *table, nitro_store *store,
                               nitro_import_report *report)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < table->count && status == NITRO_OK; i++) {
        bool known = false;
        status = nitro_store_check_device(table->context, table->path, table->devices[i],
                                          NITRO_ERR_ARGUMENT);
        if (status == NITRO_OK)
            status = nitro_import_check_device(store, table->path, table->devices[i], &known);
        report->replaced += known;
        report->added += !known;
    }
    return status;
}

nitro_status nitro_store_import_devices(nitro_store *store, const char *path,
                                        const nitro_string_list *ids, nitro_import_report *report)
{
    device_table table = {.context = nitro_store_context(store), .path = path};
    nitro_import_report made = {0};
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = read_table(&table);
    if (status == NITRO_OK)
        status = choose_rows(&table, ids);
    if (status == NITRO_OK)
        status = check_rows(&table, store, &made);
    for (size_t i = 0; i < table.count && status == NITRO_OK; i++)
        status = nitro_store_put_device(store, table.devices[i]);
    if (status == NITRO_OK && report)
        *report = made;
    free_table(&table);
    return status;
}
