/* import_devices.c - imports devices from a table, one row a device, without samples: for a target
 * that is known by its data sheet alone. */
#include <stdlib.h>
#include <string.h>

#include "store/exchange/import_internal.h"

/* Have they the same features, as rows of one table of cards? */
static bool is_same_card(const nitro_device *a, const nitro_device *b)
{
    size_t num_equal = 0;
    for (size_t i = 0; i < a->num_features; i++) {
        const nitro_device_feature_info *info = nitro_device_feature_lookup(a->features[i].name);
        if (info && info->descriptive)
            continue;
        if (a->features[i].value != nitro_device_value(b, a->features[i].name))
            return false;
        num_equal++;
    }
    return num_equal > 0 && a->num_features == b->num_features &&
           nitro_same_text(nitro_device_label(a, "vendor"), nitro_device_label(b, "vendor"));
}

/* Rows of one card under several stacks name the first of them: in validation, they do not speak
 * for each other (NITRO_LABEL_SAME_AS). Without different software, they may be two cards. */
static nitro_status label_stacks(const device_table *table)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < table->count && status == NITRO_OK; i++) {
        nitro_device *own = table->devices[i];
        const char *software = nitro_device_label(own, "software");
        bool done = !software || nitro_device_label(own, NITRO_LABEL_SAME_AS);
        for (size_t first = 0; first < i && !done && status == NITRO_OK; first++) {
            const nitro_device *other = table->devices[first];
            const char *others = nitro_device_label(other, "software");
            if (!others || strcmp(software, others) == 0 || !is_same_card(own, other))
                continue;
            const char *same_as = nitro_device_label(other, NITRO_LABEL_SAME_AS);
            status = nitro_device_set_label(table->context, own, NITRO_LABEL_SAME_AS,
                                            same_as ? same_as : other->id);
            done = true;
        }
    }
    return status;
}

/* NITRO_ERR_FORMAT also where the table has no rows; to be freed in any case. */
static nitro_status read_table(nitro_context *context, const char *path, device_table *table)
{
    nitro_csv *csv = NULL;
    *table = (device_table){.context = context, .path = path};
    nitro_status status = nitro_csv_read(context, path, &csv);
    if (status == NITRO_OK && nitro_csv_num_rows(csv) == 0)
        status = nitro_fail(context, NITRO_ERR_FORMAT, "%s: the table has no rows", path);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(context, csv, &table->devices, &table->count);
    if (status == NITRO_OK)
        status = label_stacks(table);
    nitro_csv_free(csv);
    return status;
}

nitro_status nitro_device_table_append(nitro_context *context, const char *path,
                                       device_table *table)
{
    device_table more = {.count = 0};
    nitro_status status = read_table(context, path, &more);
    nitro_device **all = NULL;
    if (status == NITRO_OK &&
        !(all = nitro_calloc(context, table->count + more.count, sizeof *all)))
        status = NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        for (size_t i = 0; i < table->count + more.count; i++)
            all[i] = i < table->count ? table->devices[i] : more.devices[i - table->count];
        free(table->devices);
        *table = (device_table){context, path, all, table->count + more.count};
        more.count = 0;
    }
    nitro_device_table_free(&more);
    return status;
}

void nitro_device_table_free(device_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        nitro_device_free(table->devices[i]);
    free(table->devices);
}

size_t nitro_device_table_find(const device_table *table, const char *id)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->devices[i]->id, id) == 0)
            return i;
    return NITRO_NONE;
}

static nitro_status fail_no_device(const device_table *table, const char *id)
{
    nitro_string_list ids = {0}, longer = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < table->count && status == NITRO_OK; i++) {
        const char *other = table->devices[i]->id;
        status = nitro_string_list_add(table->context, &ids, other);
        if (status == NITRO_OK && strncmp(other, id, strlen(id)) == 0)
            status = nitro_string_list_add(table->context, &longer, other);
    }
    char *names = status == NITRO_OK
                      ? nitro_store_print_some(table->context, longer.count ? &longer : &ids)
                      : NULL;
    status = names ? nitro_fail(table->context, NITRO_ERR_NOT_FOUND,
                                "%s: no row of device '%s'; %s: %s", table->path, id,
                                longer.count ? "did you mean one of these" : "the table has", names)
                   : NITRO_ERR_NO_MEMORY;
    nitro_string_list_free(&longer);
    free(names);
    nitro_string_list_free(&ids);
    return status;
}

nitro_status nitro_import_device_row(nitro_context *context, const char *path, const char *id,
                                     nitro_device **device)
{
    device_table table;
    nitro_status status = read_table(context, path, &table);
    size_t row = nitro_device_table_find(&table, id);
    if (status == NITRO_OK && row == NITRO_NONE)
        status = fail_no_device(&table, id);
    if (status == NITRO_OK) {
        *device = table.devices[row];
        table.devices[row] = table.devices[--table.count];
    }
    nitro_device_table_free(&table);
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
                            "modelled and measured times must not mix; import it under another id",
                            device->id, stored->kind, device->kind, path ? path : "the import");
    nitro_device_free(stored);
    return status;
}

/* Keep only the devices listed; NULL: all. */
static nitro_status choose_rows(device_table *table, const nitro_string_list *ids)
{
    size_t kept = 0;
    for (size_t i = 0; ids && i < ids->count; i++)
        if (nitro_device_table_find(table, ids->items[i]) == NITRO_NONE)
            return fail_no_device(table, ids->items[i]);
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
    device_table table = {.count = 0};
    nitro_import_report made = {0};
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = read_table(nitro_store_context(store), path, &table);
    if (status == NITRO_OK)
        status = choose_rows(&table, ids);
    if (status == NITRO_OK)
        status = check_rows(&table, store, &made);
    for (size_t i = 0; i < table.count && status == NITRO_OK; i++)
        status = nitro_store_put_device(store, table.devices[i]);
    if (status == NITRO_OK && report)
        *report = made;
    nitro_device_table_free(&table);
    return status;
}
