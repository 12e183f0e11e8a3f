/* Importing recorded devices: samples as CSV, one row an input. A recorded computation needs no
 * code, only its names: they come from the columns the first time, and must be the same ever after.
 * Everything is read and checked before anything is written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store_internal.h"
#include "store/text.h"

#define TIME_PREFIX "time_ms:"

typedef struct import {
    nitro_context *context;
    nitro_store *store;
    const nitro_import_options *options;
    nitro_csv *csv;
    nitro_schema *schema;
    size_t input_column;
    size_t feature_columns[NITRO_MAX_FEATURES];
    size_t time_columns[NITRO_MAX_VARIANTS];
    char *origin; /* provenance */
    nitro_sample **samples;
    size_t num_samples;
    nitro_import_report report;
} import;

static bool is_time_column(const char *name)
{
    return strncmp(name, TIME_PREFIX, strlen(TIME_PREFIX)) == 0;
}

/* ---- Which columns -----------------------------------------------------------------------------
 */

/* Names of all columns of one sort: times, or features. */
static nitro_status list_columns(const import *job, bool times, nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < nitro_csv_num_columns(job->csv) && status == NITRO_OK; i++) {
        const char *name = nitro_csv_column_name(job->csv, i);
        if (times && is_time_column(name))
            status = nitro_string_list_add(job->context, names, name + strlen(TIME_PREFIX));
        else if (!times && !is_time_column(name) && i != job->input_column)
            status = nitro_string_list_add(job->context, names, name);
    }
    return status;
}

static size_t find_time_column(const nitro_csv *csv, const char *variant)
{
    char name[sizeof(TIME_PREFIX) + 64];
    snprintf(name, sizeof(name), TIME_PREFIX "%.64s", variant);
    return nitro_csv_column(csv, name);
}

static nitro_status add_features(const import *job, const nitro_string_list *names,
                                 nitro_schema *schema)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < names->count && status == NITRO_OK; i++) {
        const nitro_string_list *logs = job->options->log_features;
        bool is_log = logs && nitro_string_list_find(logs, names->items[i]) != NITRO_NONE;
        status = nitro_schema_add_feature(job->context, schema, names->items[i], "1",
                                          is_log ? NITRO_SCALE_LOG : NITRO_SCALE_AUTO);
    }
    return status;
}

static nitro_status add_variants(const import *job, const nitro_string_list *names,
                                 nitro_schema *schema)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < names->count && status == NITRO_OK; i++)
        status = nitro_schema_add_variant(job->context, schema, names->items[i]);
    return status;
}

static nitro_status require_log_features(const import *job, const nitro_schema *schema)
{
    const nitro_string_list *logs = job->options->log_features;
    for (size_t i = 0; logs && i < logs->count; i++)
        if (nitro_schema_feature(schema, logs->items[i]) == NITRO_NONE)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: feature '%s' is to be scaled log, but is not among the features",
                              job->options->samples_path, logs->items[i]);
    return NITRO_OK;
}

/* The names that the file and the options give, in their order. */
static nitro_status wanted_schema(const import *job, nitro_schema **schema)
{
    const nitro_import_options *options = job->options;
    nitro_string_list features = {0}, variants = {0};
    nitro_schema *wanted = NULL;
    nitro_status status = nitro_schema_create(job->context, options->computation, &wanted);
    if (status == NITRO_OK && !options->features)
        status = list_columns(job, false, &features);
    if (status == NITRO_OK && !options->variants)
        status = list_columns(job, true, &variants);
    if (status == NITRO_OK)
        status = add_features(job, options->features ? options->features : &features, wanted);
    if (status == NITRO_OK)
        status = add_variants(job, options->variants ? options->variants : &variants, wanted);
    if (status == NITRO_OK)
        status = require_log_features(job, wanted);
    if (status == NITRO_OK && wanted->num_variants == 0)
        status = nitro_fail(job->context, NITRO_ERR_FORMAT,
                            "%s: line 1: no column of times; a variant's times are in a column "
                            "called '" TIME_PREFIX "NAME'",
                            options->samples_path);
    nitro_string_list_free(&features);
    nitro_string_list_free(&variants);
    if (status == NITRO_OK)
        *schema = wanted;
    else
        nitro_schema_free(wanted);
    return status;
}

static bool is_same_set(const nitro_schema *a, const nitro_schema *b)
{
    if (a->num_features != b->num_features || a->num_variants != b->num_variants)
        return false;
    for (size_t i = 0; i < a->num_features; i++)
        if (nitro_schema_feature(b, a->features[i].name) == NITRO_NONE)
            return false;
    for (size_t i = 0; i < a->num_variants; i++)
        if (nitro_schema_variant(b, a->variants[i]) == NITRO_NONE)
            return false;
    return true;
}

static bool has_all_columns(const nitro_csv *csv, const nitro_schema *schema)
{
    for (size_t i = 0; i < schema->num_features; i++)
        if (nitro_csv_column(csv, schema->features[i].name) == NITRO_NONE)
            return false;
    for (size_t i = 0; i < schema->num_variants; i++)
        if (find_time_column(csv, schema->variants[i]) == NITRO_NONE)
            return false;
    return true;
}

static char *join_names(nitro_context *context, const nitro_schema *schema)
{
    nitro_store_text text = {0};
    nitro_status status = nitro_store_text_add(context, &text, "--features ");
    for (size_t i = 0; i < schema->num_features && status == NITRO_OK; i++) {
        status = nitro_store_text_add(context, &text, i ? "," : "");
        if (status == NITRO_OK)
            status = nitro_store_text_add(context, &text, schema->features[i].name);
    }
    if (status == NITRO_OK)
        status = nitro_store_text_add(context, &text, " --variants ");
    for (size_t i = 0; i < schema->num_variants && status == NITRO_OK; i++) {
        status = nitro_store_text_add(context, &text, i ? "," : "");
        if (status == NITRO_OK)
            status = nitro_store_text_add(context, &text, schema->variants[i]);
    }
    if (status == NITRO_OK)
        return text.bytes;
    nitro_store_text_free(&text);
    return NULL;
}

/* Both sets, and what would make them one. */
static nitro_status fail_other_names(const import *job, const nitro_schema *stored,
                                     const nitro_schema *wanted)
{
    char message[3072];
    nitro_schema_require_same(job->context, stored, "the store", wanted,
                              job->options->samples_path);
    nitro_context_last_error(job->context, message, sizeof(message));
    char *names = has_all_columns(job->csv, stored) ? join_names(job->context, stored) : NULL;
    nitro_status status =
        names ? nitro_fail(job->context, NITRO_ERR_MISMATCH,
                           "%s The file has the store's columns too: import them alone with %s",
                           message, names)
              : nitro_fail(job->context, NITRO_ERR_MISMATCH,
                           "%s Import it as another computation, or choose columns with "
                           "--features and --variants",
                           message);
    free(names);
    return status;
}

/* The stored names where there are some: the file's columns are then found by name. */
static nitro_status choose_schema(import *job)
{
    nitro_schema *wanted = NULL, *stored = NULL;
    nitro_status status = wanted_schema(job, &wanted);
    if (status != NITRO_OK)
        return status;
    status = nitro_store_get_schema(job->store, job->options->computation, &stored);
    if (status == NITRO_ERR_NOT_FOUND) {
        job->schema = wanted;
        return NITRO_OK;
    }
    if (status == NITRO_OK && !is_same_set(stored, wanted))
        status = fail_other_names(job, stored, wanted);
    for (size_t i = 0; status == NITRO_OK && i < wanted->num_features; i++) {
        const nitro_feature_info *feature = &wanted->features[i];
        if (feature->scale != NITRO_SCALE_AUTO)
            stored->features[nitro_schema_feature(stored, feature->name)].scale = feature->scale;
    }
    nitro_schema_free(wanted);
    job->schema = stored;
    return status;
}

static nitro_status fail_no_column(const import *job, const char *prefix, const char *name)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: line 1: there is no column '%s%s'",
                      job->options->samples_path, prefix, name);
}

static nitro_status find_columns(import *job)
{
    const nitro_schema *schema = job->schema;
    for (size_t i = 0; i < schema->num_features; i++) {
        const char *name = schema->features[i].name;
        job->feature_columns[i] = nitro_csv_column(job->csv, name);
        if (job->feature_columns[i] == NITRO_NONE || job->feature_columns[i] == job->input_column)
            return fail_no_column(job, "", name);
    }
    for (size_t i = 0; i < schema->num_variants; i++) {
        job->time_columns[i] = find_time_column(job->csv, schema->variants[i]);
        if (job->time_columns[i] == NITRO_NONE)
            return fail_no_column(job, TIME_PREFIX, schema->variants[i]);
    }
    return NITRO_OK;
}

/* ---- Rows --------------------------------------------------------------------------------------
 */

static nitro_status fail_field(const import *job, size_t row, size_t column, const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: line %zu, column '%s': '%.80s' %s",
                      job->options->samples_path, nitro_csv_line(job->csv, row),
                      nitro_csv_column_name(job->csv, column),
                      nitro_csv_field(job->csv, row, column), problem);
}

static nitro_status read_features(const import *job, size_t row, nitro_sample *sample)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->schema->num_features && status == NITRO_OK; i++) {
        size_t column = job->feature_columns[i];
        status = nitro_csv_number(job->csv, row, column, &sample->features[i]);
        if (status == NITRO_OK && job->schema->features[i].scale == NITRO_SCALE_LOG &&
            sample->features[i] <= 0)
            status = fail_field(job, row, column,
                                "is not above 0, as a feature scaled log must be; import it "
                                "without --log, and a scale that takes it is chosen");
    }
    return status;
}

static nitro_status read_times(import *job, size_t row, nitro_sample *sample)
{
    size_t num_times = 0;
    for (size_t i = 0; i < job->schema->num_variants; i++) {
        nitro_entry *entry = &sample->entries[i];
        double time_ms;
        nitro_status status = nitro_csv_number(job->csv, row, job->time_columns[i], &time_ms);
        if (status != NITRO_OK)
            return status;
        if (isnan(time_ms)) {
            job->report.holes++;
            continue;
        }
        if (time_ms <= 0)
            return fail_field(job, row, job->time_columns[i],
                              "is no time: it must be above 0, or empty where there is none");
        entry->outcome = NITRO_OUTCOME_MEASURED;
        entry->median_ms = time_ms;
        num_times++;
    }
    job->report.without_times += num_times == 0;
    return NITRO_OK;
}

static nitro_status set_provenance(const import *job, nitro_provenance *provenance)
{
    provenance->origin = nitro_strdup(job->context, job->origin);
    provenance->library = nitro_strdup(job->context, nitro_version());
    provenance->time_s = (int64_t)time(NULL);
    return provenance->origin && provenance->library ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status read_row(import *job, size_t row)
{
    const char *input = nitro_csv_field(job->csv, row, job->input_column);
    if (!nitro_input_name_is_clean(input))
        return fail_field(job, row, job->input_column,
                          "is no input name: use 1 to 511 bytes of UTF-8 without control "
                          "characters");
    nitro_sample *sample = NULL;
    nitro_status status = nitro_sample_create(job->context, input, job->schema->num_features,
                                              job->schema->num_variants, &sample);
    if (status != NITRO_OK)
        return status;
    job->samples[job->num_samples++] = sample;
    status = read_features(job, row, sample);
    if (status == NITRO_OK)
        status = read_times(job, row, sample);
    return status == NITRO_OK ? set_provenance(job, &sample->provenance) : status;
}

static nitro_status read_rows(import *job)
{
    size_t count = nitro_csv_num_rows(job->csv);
    if (count == 0)
        return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: there is no row below the header",
                          job->options->samples_path);
    nitro_status status = nitro_csv_require_unique(job->csv, job->input_column);
    if (status != NITRO_OK)
        return status;
    job->samples = nitro_calloc(job->context, count, sizeof(*job->samples));
    if (!job->samples)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < count && status == NITRO_OK; row++)
        status = read_row(job, row);
    return status;
}

/* ---- The device --------------------------------------------------------------------------------
 */

static nitro_status fail_no_device(const import *job, nitro_device *const *devices, size_t count)
{
    nitro_string_list ids = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_string_list_add(job->context, &ids, devices[i]->id);
    char *names = status == NITRO_OK ? nitro_store_print_some(job->context, &ids) : NULL;
    status = NITRO_ERR_NO_MEMORY;
    if (names)
        status =
            nitro_fail(job->context, NITRO_ERR_NOT_FOUND, "%s: no device '%s' in it; there is: %s",
                       job->options->devices_path, job->options->device, names);
    free(names);
    nitro_string_list_free(&ids);
    return status;
}

static nitro_status device_from_table(const import *job, nitro_device **device)
{
    nitro_csv *csv = NULL;
    nitro_device **devices = NULL;
    size_t count = 0;
    nitro_status status = nitro_csv_read(job->context, job->options->devices_path, &csv);
    if (status == NITRO_OK)
        status = nitro_devices_from_csv(job->context, csv, &devices, &count);
    nitro_csv_free(csv);
    if (status != NITRO_OK)
        return status;
    nitro_device *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(devices[i]->id, job->options->device) == 0)
            found = devices[i];
    if (!found)
        status = fail_no_device(job, devices, count);
    for (size_t i = 0; i < count; i++)
        if (devices[i] != found)
            nitro_device_free(devices[i]);
    free(devices);
    if (status == NITRO_OK)
        *device = found;
    return status;
}

/* NULL: the store's own is to be kept. */
static nitro_status find_device(const import *job, nitro_device **device)
{
    if (job->options->devices_path)
        return device_from_table(job, device);
    nitro_device *stored = NULL;
    nitro_status status = nitro_store_get_device(job->store, job->options->device, &stored);
    nitro_device_free(stored);
    *device = NULL;
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    nitro_log(job->context, NITRO_LOG_WARNING,
              "device %s has no device features: give them with --devices, or models can only use "
              "its input features",
              job->options->device);
    return nitro_device_create(job->context, job->options->device, "recorded", device);
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

/* What is there already; an error when it may not be replaced, before anything is written. */
static nitro_status count_known(import *job)
{
    nitro_string_list known = {0}, again = {0};
    const nitro_import_options *options = job->options;
    nitro_status status =
        nitro_store_list_inputs(job->store, options->computation, options->device, &known);
    nitro_string_list_sort(&known);
    for (size_t i = 0; i < job->num_samples && status == NITRO_OK; i++) {
        const char *input = job->samples[i]->input;
        if (nitro_store_sorted_list_has(&known, input))
            status = nitro_string_list_add(job->context, &again, input);
    }
    job->report.replaced = again.count;
    job->report.added = job->num_samples - again.count;
    if (status == NITRO_OK && again.count > 0 && !options->replace) {
        char *names = nitro_store_print_some(job->context, &again);
        status = NITRO_ERR_NO_MEMORY;
        if (names)
            status = nitro_fail(job->context, NITRO_ERR_EXISTS,
                                "%s: %zu of its %zu inputs are in the store already for device %s "
                                "(%s); nothing was imported. Use --replace to replace them",
                                options->samples_path, again.count, job->num_samples,
                                options->device, names);
        free(names);
    }
    nitro_string_list_free(&known);
    nitro_string_list_free(&again);
    return status;
}

static nitro_status write_all(import *job, const nitro_device *device)
{
    const nitro_import_options *options = job->options;
    nitro_status status = nitro_store_put_schema(job->store, job->schema);
    if (status == NITRO_OK && device)
        status = nitro_store_put_device(job->store, device);
    if (status == NITRO_OK)
        status = nitro_store_put_samples(job->store, options->computation, options->device,
                                         (const nitro_sample *const *)job->samples,
                                         job->num_samples, options->replace);
    return status;
}

static nitro_status read_file(import *job)
{
    nitro_status status = nitro_csv_read(job->context, job->options->samples_path, &job->csv);
    if (status != NITRO_OK)
        return status;
    job->input_column = nitro_csv_column(job->csv, "input");
    if (job->input_column == NITRO_NONE)
        return fail_no_column(job, "", "input");
    status = choose_schema(job);
    if (status == NITRO_OK)
        status = find_columns(job);
    return status == NITRO_OK ? read_rows(job) : status;
}

nitro_status nitro_store_import_csv(nitro_store *store, const nitro_import_options *options,
                                    nitro_import_report *report)
{
    nitro_context *context = nitro_store_context(store);
    if (!nitro_device_id_is_clean(options->device))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "'%.80s' is no device id: use 1 to 63 of [A-Za-z0-9_.:@+-]",
                          options->device ? options->device : "(null)");
    const char *slash = strrchr(options->samples_path, '/');
import job = {.context = context, .store = store, .options = options };
    nitro_device *device = NULL;
    nitro_status status = NITRO_ERR_NO_MEMORY;
    job.origin =
        nitro_asprintf(context, "imported from %s", slash ? slash + 1 : options->samples_path);
    if (job.origin)
        status = read_file(&job);
    if (status == NITRO_OK)
        status = find_device(&job, &device);
    if (status == NITRO_OK)
        status = count_known(&job);
    if (status == NITRO_OK)
        status = write_all(&job, device);
    if (status == NITRO_OK && report)
        *report = job.report;
    for (size_t i = 0; i < job.num_samples; i++)
        nitro_sample_free(job.samples[i]);
    free(job.samples);
    free(job.origin);
    nitro_device_free(device);
    nitro_schema_free(job.schema);
    nitro_csv_free(job.csv);
    return status;
}
