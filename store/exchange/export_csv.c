/* Exporting a device's samples in the form that import reads: numbers with as many digits as they
 * need to come back the same, inputs in byte order. Its device goes into a table beside, which
 * keeps the other devices that it holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nitro/nitro_backend.h"

typedef struct export_job {
    nitro_context *context;
    const nitro_schema *schema;
    nitro_store_text text;
} export_job;

static nitro_status end_line(nitro_context *context, nitro_store_text *text)
{
    return nitro_store_text_add(context, text, "\n");
}

static nitro_status add_header(export_job *job)
{
    const nitro_schema *schema = job->schema;
    nitro_status status = nitro_store_text_add_field(job->context, &job->text, "input", true);
    for (size_t i = 0; i < schema->num_features && status == NITRO_OK; i++)
        status =
            nitro_store_text_add_field(job->context, &job->text, schema->features[i].name, false);
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        char name[80];
        snprintf(name, sizeof(name), "time_ms:%s", schema->variants[i]);
        status = nitro_store_text_add_field(job->context, &job->text, name, false);
    }
    return status == NITRO_OK ? end_line(job->context, &job->text) : status;
}

static nitro_status add_sample(void *user, const nitro_sample *sample)
{
    export_job *job = user;
    nitro_status status = nitro_store_text_add_field(job->context, &job->text, sample->input, true);
    for (size_t i = 0; i < sample->num_features && status == NITRO_OK; i++)
        status = nitro_store_text_add_number(job->context, &job->text, sample->features[i], false);
    for (size_t i = 0; i < sample->num_entries && status == NITRO_OK; i++)
        status = nitro_store_text_add_number(job->context, &job->text, sample->entries[i].median_ms,
                                             false);
    return status == NITRO_OK ? end_line(job->context, &job->text) : status;
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
                            "%s: computation %s has a feature called 'input', as the table's "
                            "column of input names is: it cannot be exported",
                            nitro_store_url(store), computation);
    export_job job = {.context = context, .schema = schema};
    if (status == NITRO_OK)
        status = add_header(&job);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(store, computation, device, add_sample, &job);
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, job.text.bytes, job.text.size);
    nitro_store_text_free(&job.text);
    nitro_schema_free(schema);
    return status;
}

/* ---- The table of devices ------------------------------------------------------------------ */

static nitro_status add_new(nitro_context *context, nitro_string_list *names, const char *name)
{
    return nitro_string_list_find(names, name) == NITRO_NONE
               ? nitro_string_list_add(context, names, name)
               : NITRO_OK;
}

/* Every label and feature that any of the devices has, in the order in which they come. What is
 * text for one device and a number for another is one column, of text. */
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

static nitro_status add_device(nitro_context *context, nitro_store_text *text,
                               const nitro_device *device, const nitro_string_list *labels,
                               const nitro_string_list *features)
{
    nitro_status status = nitro_store_text_add_field(context, text, device->id, true);
    if (status == NITRO_OK)
        status = nitro_store_text_add_field(context, text, device->kind, false);
    for (size_t i = 0; i < labels->count && status == NITRO_OK; i++) {
        const char *label = nitro_device_label(device, labels->items[i]);
        if (label)
            status = nitro_store_text_add_field(context, text, label, false);
        else
            status = nitro_store_text_add_number(
                context, text, nitro_device_value(device, labels->items[i]), false);
    }
    for (size_t i = 0; i < features->count && status == NITRO_OK; i++)
        status = nitro_store_text_add_number(context, text,
                                             nitro_device_value(device, features->items[i]), false);
    return status == NITRO_OK ? end_line(context, text) : status;
}

static nitro_status print_table(nitro_context *context, nitro_device *const *devices, size_t count,
                                nitro_store_text *text)
{
    nitro_string_list labels = {0}, features = {0};
    nitro_status status = list_columns(context, devices, count, &labels, &features);
    if (status == NITRO_OK)
        status = nitro_store_text_add(context, text, "device,kind");
    for (size_t i = 0; i < labels.count && status == NITRO_OK; i++)
        status = nitro_store_text_add_field(context, text, labels.items[i], false);
    for (size_t i = 0; i < features.count && status == NITRO_OK; i++)
        status = nitro_store_text_add_field(context, text, features.items[i], false);
    if (status == NITRO_OK)
        status = end_line(context, text);
    for (size_t d = 0; d < count && status == NITRO_OK; d++)
        status = add_device(context, text, devices[d], &labels, &features);
    nitro_string_list_free(&labels);
    nitro_string_list_free(&features);
    return status;
}

/* The devices of a table that exists, with room for one more. */
static nitro_status read_table(nitro_context *context, const char *path, nitro_device ***devices,
                               size_t *count)
{
    nitro_csv *csv = NULL;
    nitro_device **read = NULL;
    size_t num_read = 0;
    struct stat file;
    nitro_status status = NITRO_OK;
    if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0) {
        status = nitro_csv_read(context, path, &csv);
        if (status == NITRO_OK)
            status = nitro_devices_from_csv(context, csv, &read, &num_read);
        nitro_csv_free(csv);
    }
    if (status != NITRO_OK)
        return status;
    nitro_device **grown = realloc(read, (num_read + 1) * sizeof(*grown));
    if (!grown) {
        for (size_t i = 0; i < num_read; i++)
            nitro_device_free(read[i]);
        free(read);
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "%s: out of memory", path);
    }
    *devices = grown;
    *count = num_read;
    return NITRO_OK;
}

/* Text alone tells a label from a feature: say so where a label will come back as something else.
 */
static nitro_status check_table(nitro_context *context, const char *path,
                                const nitro_store_text *text, nitro_device *const *devices)
{
    nitro_csv *csv = NULL;
    nitro_device **read = NULL;
    size_t count = 0;
    nitro_status status = nitro_csv_parse(context, path, text->bytes, text->size, &csv);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(context, csv, &read, &count);
    nitro_csv_free(csv);
    for (size_t d = 0; d < count; d++) {
        for (size_t i = 0; i < devices[d]->num_labels; i++) {
            const nitro_label *label = &devices[d]->labels[i];
            if (label->text[0] && !nitro_device_label(read[d], label->name))
                nitro_log(context, NITRO_LOG_WARNING,
                          "%s: device %s: the label %s is '%.80s', which will be read as a device "
                          "feature",
                          path, devices[d]->id, label->name, label->text);
        }
        nitro_device_free(read[d]);
    }
    free(read);
    return status;
}

static nitro_status export_device(nitro_store *store, const char *id, const char *path)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *device = NULL, **devices = NULL;
    size_t count = 0, place = 0;
    nitro_status status = nitro_store_get_device(store, id, &device);
    if (status != NITRO_OK)
        return status;
    status = read_table(context, path, &devices, &count);
    if (status != NITRO_OK) {
        nitro_device_free(device);
        return status;
    }
    while (place < count && strcmp(devices[place]->id, id) != 0)
        place++;
    if (place == count)
        count++;
    else
        nitro_device_free(devices[place]);
    devices[place] = device;
    nitro_store_text text = {0};
    status = print_table(context, devices, count, &text);
    if (status == NITRO_OK)
        status = check_table(context, path, &text, devices);
    if (status == NITRO_OK)
        status = nitro_file_write(context, path, text.bytes, text.size);
    nitro_store_text_free(&text);
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
    free(devices);
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
