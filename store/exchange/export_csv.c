/* export_csv.c - exports a device's samples, and its row of a table of devices, as CSV that import
 * reads back to the same records. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/exchange/import_internal.h"

typedef struct sample_table {
    const nitro_schema *schema;
    nitro_csv_writer text;
    bool has_prepare[NITRO_MAX_VARIANTS], has_feature_cost[NITRO_MAX_FEATURES]; /* in any sample */
    bool is_narrow; /* a sample has a cost without a column: write all again */
} sample_table;

static void find_cost(sample_table *table, bool *has, double cost_ms)
{
    table->is_narrow |= !*has && !isnan(cost_ms);
    *has |= !isnan(cost_ms);
}

static void find_costs(sample_table *table, const nitro_sample *sample)
{
    for (size_t i = 0; i < sample->num_entries; i++)
        find_cost(table, &table->has_prepare[i], sample->entries[i].prepare_ms);
    for (size_t i = 0; i < sample->num_feature_costs; i++)
        find_cost(table, &table->has_feature_cost[i], sample->feature_costs_ms[i]);
}

static void add_name(sample_table *table, const char *prefix, const char *name)
{
    char column[80];
    snprintf(column, sizeof(column), "%s%.64s", prefix, name);
    nitro_csv_writer_add(&table->text, column);
}

static void add_header(sample_table *table)
{
    const nitro_schema *schema = table->schema;
    add_name(table, "", "input");
    for (size_t i = 0; i < schema->num_features; i++)
        add_name(table, "", schema->features[i].name);
    for (size_t i = 0; i < schema->num_variants; i++)
        add_name(table, NITRO_IMPORT_TIME_PREFIX, schema->variants[i]);
    for (size_t i = 0; i < schema->num_variants; i++)
        if (table->has_prepare[i])
            add_name(table, NITRO_IMPORT_PREPARE_PREFIX, schema->variants[i]);
    for (size_t i = 0; i < schema->num_features; i++)
        if (table->has_feature_cost[i])
            add_name(table, NITRO_IMPORT_FEATURE_COST_PREFIX, schema->features[i].name);
    nitro_csv_writer_end_row(&table->text);
}

static void add_time(nitro_csv_writer *text, const nitro_entry *entry)
{
    if (entry->outcome == NITRO_OUTCOME_MEASURED)
        nitro_csv_writer_add_number(text, entry->median_ms);
    else
        nitro_csv_writer_add(text, entry->outcome == NITRO_OUTCOME_MISSING
                                       ? ""
                                       : nitro_outcome_name(entry->outcome));
}

static nitro_status add_sample(void *user, const nitro_sample *sample)
{
    sample_table *table = user;
    nitro_csv_writer *text = &table->text;
    find_costs(table, sample);
    nitro_csv_writer_add(text, sample->input);
    for (size_t i = 0; i < sample->num_features; i++)
        nitro_csv_writer_add_number(text, sample->features[i]);
    for (size_t i = 0; i < sample->num_entries; i++)
        add_time(text, &sample->entries[i]);
    for (size_t i = 0; i < sample->num_entries; i++)
        if (table->has_prepare[i])
            nitro_csv_writer_add_number(text, sample->entries[i].prepare_ms);
    for (size_t i = 0; i < sample->num_features; i++)
        if (table->has_feature_cost[i])
            nitro_csv_writer_add_number(
                text, i < sample->num_feature_costs ? sample->feature_costs_ms[i] : NAN);
    nitro_csv_writer_end_row(text);
    return NITRO_OK;
}

static nitro_status export_samples(nitro_store *store, const char *computation, const char *device,
                                   const char *path)
{
    nitro_context *context = nitro_store_context(store);
    nitro_schema *schema = NULL;
    size_t count = 0;
    nitro_status status = nitro_store_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_store_count_samples(store, computation, device, &count);
    if (status == NITRO_OK && count == 0)
        status = nitro_store_fail_no_samples(store, computation, device);
    if (status == NITRO_OK && nitro_schema_feature(schema, "input") != NITRO_NONE)
        status = nitro_fail(context, NITRO_ERR_ARGUMENT,
                            "%s: computation %s cannot be exported: its feature 'input' has the "
                            "name of the column of input names",
                            nitro_store_url(store), computation);
    sample_table table = {.schema = schema, .is_narrow = true};
    while (status == NITRO_OK && table.is_narrow) { /* other processes may add samples meanwhile */
        table.is_narrow = false;
        nitro_csv_writer_free(&table.text);
        nitro_csv_writer_open(&table.text);
        add_header(&table);
        status = nitro_store_each_sample(store, computation, device, add_sample, &table);
    }
    if (status == NITRO_OK)
        status = nitro_csv_writer_close(context, &table.text);
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, table.text.bytes, table.text.size);
    nitro_csv_writer_free(&table.text);
    nitro_schema_free(schema);
    return status;
}

static nitro_status add_new(nitro_context *context, nitro_string_list *names, const char *name)
{
    return nitro_string_list_find(names, name) == NITRO_NONE
               ? nitro_string_list_add(context, names, name)
               : NITRO_OK;
}

/* Every label and feature of any of the devices, in the order in which they come. What is text for
 * one device and a number for another is a column of labels. */
static nitro_status list_columns(nitro_context *context, nitro_device *const *devices, size_t count,
                                 nitro_string_list *labels, nitro_string_list *features)
{
    nitro_status status = NITRO_OK;
    for (size_t d = 0; d < count; d++)
        for (size_t i = 0; i < devices[d]->num_labels && status == NITRO_OK; i++)
            status = add_new(context, labels, devices[d]->labels[i].name);
    for (size_t d = 0; d < count; d++) {
        for (size_t i = 0; i < devices[d]->num_features && status == NITRO_OK; i++) {
            const char *name = devices[d]->features[i].name;
            if (nitro_string_list_find(labels, name) == NITRO_NONE)
                status = add_new(context, features, name);
        }
    }
    return status;
}

static void add_device(nitro_csv_writer *writer, const nitro_device *device,
                       const nitro_string_list *labels, const nitro_string_list *features)
{
    nitro_csv_writer_add(writer, device->id);
    nitro_csv_writer_add(writer, device->kind);
    for (size_t i = 0; i < labels->count; i++) {
        const char *label = nitro_device_label(device, labels->items[i]);
        if (label)
            nitro_csv_writer_add(writer, label);
        else
            nitro_csv_writer_add_number(writer, nitro_device_value(device, labels->items[i]));
    }
    for (size_t i = 0; i < features->count; i++)
        nitro_csv_writer_add_number(writer, nitro_device_value(device, features->items[i]));
    nitro_csv_writer_end_row(writer);
}

static void add_names(nitro_csv_writer *writer, const nitro_string_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        nitro_csv_writer_add(writer, names->items[i]);
}

static nitro_status print_table(nitro_context *context, nitro_device *const *devices, size_t count,
                                nitro_csv_writer *writer)
{
    nitro_string_list labels = {0}, features = {0};
    nitro_status status = list_columns(context, devices, count, &labels, &features);
    nitro_csv_writer_open(writer);
    nitro_csv_writer_add(writer, "device");
    nitro_csv_writer_add(writer, "kind");
    add_names(writer, &labels);
    add_names(writer, &features);
    nitro_csv_writer_end_row(writer);
    for (size_t d = 0; d < count; d++)
        add_device(writer, devices[d], &labels, &features);
    nitro_string_list_free(&labels);
    nitro_string_list_free(&features);
    return status == NITRO_OK ? nitro_csv_writer_close(context, writer) : status;
}

/* The devices of a table, which is freed. */
static nitro_status take_devices(nitro_context *context, nitro_csv *csv, device_table *table)
{
    nitro_status status = nitro_devices_from_csv(context, csv, &table->devices, &table->count);
    nitro_csv_free(csv);
    return status;
}

/* The devices of an existing file, if there is one. */
static nitro_status read_table(nitro_context *context, const char *path, device_table *table)
{
    nitro_csv *csv = NULL;
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
        return NITRO_OK;
    nitro_status status = nitro_csv_read(context, path, &csv);
    return status == NITRO_OK ? take_devices(context, csv, table) : status;
}

/* Put the device in place of its row, else below the last one. */
static nitro_status put_row(nitro_context *context, device_table *table, nitro_device *device)
{
    size_t row = nitro_device_table_find(table, device->id);
    if (row != NITRO_NONE) {
        nitro_device_free(table->devices[row]);
        table->devices[row] = device;
        return NITRO_OK;
    }
    nitro_device **grown = realloc(table->devices, (table->count + 1) * sizeof(*grown));
    if (!grown) {
        nitro_device_free(device);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for a table of devices");
    }
    table->devices = grown;
    grown[table->count++] = device;
    return NITRO_OK;
}

/* Warn of labels that import will read as numbers. */
static nitro_status check_table(nitro_context *context, const char *path,
                                const nitro_csv_writer *text, const device_table *table)
{
    nitro_csv *csv = NULL;
    device_table read = {0};
    nitro_status status = nitro_csv_parse(context, path, text->bytes, text->size, &csv);
    if (status == NITRO_OK)
        status = take_devices(context, csv, &read);
    for (size_t d = 0; d < read.count; d++) {
        const nitro_device *device = table->devices[d];
        for (size_t i = 0; i < device->num_labels; i++) {
            const nitro_label *label = &device->labels[i];
            if (label->text[0] && !nitro_device_label(read.devices[d], label->name))
                nitro_log(context, NITRO_LOG_WARNING,
                          "%s: device %s: the label %s is '%.80s', which import reads as a device "
                          "feature",
                          path, device->id, label->name, label->text);
        }
    }
    nitro_device_table_free(&read);
    return status;
}

static nitro_status export_device(nitro_store *store, const char *id, const char *path)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *device = NULL;
    device_table table = {0};
    nitro_csv_writer text = {0};
    nitro_status status = read_table(context, path, &table);
    if (status == NITRO_OK)
        status = nitro_store_get_device(store, id, &device);
    if (status == NITRO_OK)
        status = put_row(context, &table, device);
    if (status == NITRO_OK)
        status = print_table(context, table.devices, table.count, &text);
    if (status == NITRO_OK)
        status = check_table(context, path, &text, &table);
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, text.bytes, text.size);
    nitro_csv_writer_free(&text);
    nitro_device_table_free(&table);
    return status;
}

nitro_status nitro_store_export_csv(nitro_store *store, const char *computation, const char *device,
                                    const char *samples_path, const char *devices_path)
{
    nitro_status status = export_samples(store, computation, device, samples_path);
    if (status == NITRO_OK && devices_path)
        status = export_device(store, device, devices_path);
    return status;
}
