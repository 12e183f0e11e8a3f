/* import_csv.c - imports the samples of a recorded device from CSV, one row an input.
 * The first import of a computation sets its schema, later ones must match it. Everything is
 * checked first and then written in one transaction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/exchange/import_internal.h"

static nitro_status fail_field(const import_job *job, size_t row, size_t column,
                               const char *problem)
{
    return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s:%zu: column %zu ('%.100s'): '%.80s' %s",
                      job->options->samples_path, nitro_csv_line(job->csv, row), column + 1,
                      nitro_csv_column_name(job->csv, column),
                      nitro_csv_field(job->csv, row, column), problem);
}

static bool is_log_by_option(const import_job *job, size_t feature)
{
    const nitro_string_list *logs = job->options->log_features;
    return logs && nitro_string_list_find(logs, job->schema->features[feature].name) != NITRO_NONE;
}

static nitro_status read_features(const import_job *job, size_t row, nitro_sample *sample)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->schema->num_features && status == NITRO_OK; i++) {
        size_t column = job->feature_columns[i];
        status = nitro_csv_number(job->csv, row, column, &sample->features[i]);
        if (status == NITRO_OK && job->schema->features[i].scale == NITRO_SCALE_LOG &&
            sample->features[i] <= 0)
            status =
                fail_field(job, row, column,
                           is_log_by_option(job, i)
                               ? "is not above 0, as --log requires; import it without --log, and "
                                 "a suitable scale is chosen"
                               : "is not above 0, but the store scales this feature "
                                 "logarithmically");
    }
    return status;
}

static nitro_status read_times(import_job *job, size_t row, nitro_sample *sample)
{
    size_t num_times = 0;
    for (size_t i = 0; i < job->schema->num_variants; i++) {
        nitro_entry *entry = &sample->entries[i];
        double time_ms;
        nitro_status status = nitro_csv_number(job->csv, row, job->time_columns[i], &time_ms);
        if (status != NITRO_OK || time_ms <= 0)
            return fail_field(job, row, job->time_columns[i],
                              "is not a time: use a number above 0, or nothing where the time is "
                              "missing");
        if (isnan(time_ms)) {
            job->report.missing_values++;
            continue;
        }
        entry->outcome = NITRO_OUTCOME_MEASURED;
        entry->median_ms = time_ms;
        num_times++;
    }
    job->report.without_times += num_times == 0;
    return NITRO_OK;
}

static nitro_status read_row(import_job *job, size_t row)
{
    const char *input = nitro_csv_field(job->csv, row, job->input_column);
    if (!nitro_input_name_is_valid(input))
        return fail_field(job, row, job->input_column,
                          "is not a valid input name: use 1 to 511 bytes of UTF-8 without control "
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
    return status == NITRO_OK
               ? nitro_provenance_copy(job->context, &job->provenance, &sample->provenance)
               : status;
}

/* Samples with a missing feature are stored for their times, but not used for training. */
static void warn_of_missing_features(const import_job *job)
{
    const nitro_schema *schema = job->schema;
    size_t count = 0, first = 0, feature = 0;
    for (size_t i = 0; i < job->num_samples; i++) {
        size_t f = 0;
        while (f < schema->num_features && !isnan(job->samples[i]->features[f]))
            f++;
        if (f < schema->num_features && count++ == 0) {
            first = i;
            feature = f;
        }
    }
    if (count > 0)
        nitro_log(
            job->context, NITRO_LOG_WARNING,
            "%s: %zu of %zu inputs lack a feature and are not used for training (first: %s of "
            "input '%s')",
            job->options->samples_path, count, job->num_samples, schema->features[feature].name,
            job->samples[first]->input);
}

static nitro_status read_rows(import_job *job)
{
    size_t count = nitro_csv_num_rows(job->csv);
    if (count == 0)
        return nitro_fail(job->context, NITRO_ERR_FORMAT, "%s: the table has no rows",
                          job->options->samples_path);
    nitro_status status = nitro_csv_require_unique(job->csv, job->input_column);
    if (status != NITRO_OK)
        return status;
    job->samples = nitro_calloc(job->context, count, sizeof(*job->samples));
    if (!job->samples)
        return NITRO_ERR_NO_MEMORY;
    for (size_t row = 0; row < count && status == NITRO_OK; row++)
        status = read_row(job, row);
    if (status == NITRO_OK)
        warn_of_missing_features(job);
    return status;
}

static nitro_status find_device(import_job *job)
{
    const nitro_import_options *options = job->options;
    nitro_device *stored = NULL;
    bool known = false;
    nitro_status status = NITRO_OK;
    if (!job->device && options->devices_path)
        status = nitro_import_device_row(job->context, options->devices_path, options->device,
                                         &job->device);
    if (status != NITRO_OK)
        return status;
    if (job->device)
        return nitro_import_check_device(job->store, options->devices_path, job->device, &known);
    status = nitro_store_get_device(job->store, options->device, &stored);
    nitro_device_free(stored);
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    nitro_log(job->context, NITRO_LOG_WARNING,
              "device %s has no device features, so models can use input features only; add them "
              "with --devices",
              options->device);
    return nitro_device_create(job->context, options->device, "recorded", &job->device);
}

/* Count the inputs that the store has already; an error unless they may be replaced. */
static nitro_status count_known(import_job *job)
{
    nitro_string_list known = {0}, present = {0};
    const nitro_import_options *options = job->options;
    nitro_status status =
        nitro_store_list_inputs(job->store, options->computation, options->device, &known);
    nitro_string_list_sort(&known);
    for (size_t i = 0; i < job->num_samples && status == NITRO_OK; i++) {
        const char *input = job->samples[i]->input;
        if (nitro_store_sorted_list_has(&known, input))
            status = nitro_string_list_add(job->context, &present, input);
    }
    job->report.replaced = present.count;
    job->report.added = job->num_samples - present.count;
    if (status == NITRO_OK && present.count > 0 && !options->replace) {
        char *names = nitro_store_print_some(job->context, &present);
        status = names ? nitro_fail(job->context, NITRO_ERR_EXISTS,
                                    "%s: the store already has %zu of the %zu inputs for device %s "
                                    "(%s); nothing was imported. Use --replace to replace them",
                                    options->samples_path, present.count, job->num_samples,
                                    options->device, names)
                       : NITRO_ERR_NO_MEMORY;
        free(names);
    }
    nitro_string_list_free(&known);
    nitro_string_list_free(&present);
    return status;
}

nitro_status nitro_import_origin(nitro_context *context, const char *name, char **origin)
{
    char *made = nitro_asprintf(context, "imported from %s", name);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    if (!nitro_text_is_valid(made, NITRO_STORE_MAX_TEXT))
        for (char *at = made; *at; at++)
            *at = *at >= ' ' && *at <= '~' ? *at : '?';
    *origin = made;
    return NITRO_OK;
}

nitro_status nitro_import_check(import_job *job, const char *name)
{
    job->provenance.time_s = (int64_t)time(NULL);
    job->provenance.library = nitro_strdup(job->context, nitro_version());
    if (!job->provenance.library)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_import_origin(job->context, name, &job->provenance.origin);
    if (status == NITRO_OK && job->options->description_path)
        status =
            nitro_description_read(job->context, job->options->description_path, &job->description);
    if (status == NITRO_OK)
        status = nitro_import_choose_columns(job);
    if (status == NITRO_OK)
        status = read_rows(job);
    if (status == NITRO_OK)
        status = find_device(job);
    return status == NITRO_OK ? count_known(job) : status;
}

nitro_status nitro_import_write(import_job *job)
{
    return nitro_store_put_recording(job->store, job->schema, job->device, job->options->device,
                                     (const nitro_sample *const *)job->samples, job->num_samples,
                                     job->options->replace);
}

void nitro_import_clear(import_job *job)
{
    for (size_t i = 0; i < job->num_samples; i++)
        nitro_sample_free(job->samples[i]);
    free(job->samples);
    nitro_provenance_clear(&job->provenance);
    nitro_schema_free(job->schema);
    nitro_description_free(job->description);
    nitro_csv_free(job->csv);
    nitro_device_free(job->device);
    *job = (import_job){0};
}

const char *nitro_import_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

nitro_status nitro_store_import_csv(nitro_store *store, const nitro_import_options *options,
                                    nitro_import_report *report)
{
    nitro_context *context = nitro_store_context(store);
    if (!nitro_device_id_is_valid(options->device))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "invalid device id '%.80s': use 1 to 63 of [A-Za-z0-9_.:@+-]",
                          options->device ? options->device : "(null)");
    import_job job = {.context = context, .store = store, .options = options};
    nitro_status status = nitro_csv_read(context, options->samples_path, &job.csv);
    if (status == NITRO_OK)
        status = nitro_import_check(&job, nitro_import_file_name(options->samples_path));
    if (status == NITRO_OK)
        status = nitro_import_write(&job);
    if (status == NITRO_OK && report)
        *report = job.report;
    nitro_import_clear(&job);
    return status;
}
