/* import_csv.c - imports the samples of a recorded device from CSV, one row an input.
 * The first import of a computation sets its schema, later ones must match it. The table is read
 * twice, so that it need not fit into memory: everything is checked first, and then written in one
 * transaction. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/exchange/import_internal.h"

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

nitro_status nitro_import_time(nitro_context *context, int64_t *time_s)
{
    const char *epoch = secure_getenv("SOURCE_DATE_EPOCH");
    double seconds = (double)time(NULL);
    if (epoch && !(nitro_parse_number(epoch, &seconds) && seconds >= 0 && seconds < 1e15))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "SOURCE_DATE_EPOCH is '%s'; it must be a number of seconds since 1970",
                          epoch);
    *time_s = (int64_t)seconds;
    return NITRO_OK;
}

nitro_status nitro_import_check(import_job *job, const char *name)
{
    nitro_status status = nitro_import_time(job->context, &job->provenance.time_s);
    if (status != NITRO_OK)
        return status;
    job->provenance.library = nitro_strdup(job->context, nitro_version());
    if (!job->provenance.library)
        return NITRO_ERR_NO_MEMORY;
    status = nitro_import_origin(job->context, name, &job->provenance.origin);
    if (status == NITRO_OK && job->options->description_path)
        status =
            nitro_description_read(job->context, job->options->description_path, &job->description);
    if (status == NITRO_OK)
        status = nitro_import_choose_columns(job);
    if (status == NITRO_OK)
        status = nitro_import_check_rows(job);
    return status == NITRO_OK ? find_device(job) : status;
}

nitro_status nitro_import_write(import_job *job)
{
    nitro_status status = nitro_import_rewind(job);
    return status == NITRO_OK
               ? nitro_store_put_stream(job->store, job->schema, job->device, job->options->device,
                                        &(nitro_sample_source){nitro_import_next, job},
                                        job->options->replace)
               : status;
}

void nitro_import_clear(import_job *job)
{
    nitro_sample_free(job->sample);
    nitro_provenance_clear(&job->provenance);
    nitro_schema_free(job->schema);
    nitro_description_free(job->description);
    nitro_csv_free(job->csv);
    free(job->impossible_input);
    nitro_device_free(job->device);
    *job = (import_job){0};
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
    nitro_status status = nitro_csv_open(context, options->samples_path, &job.csv);
    if (status == NITRO_OK)
        status = nitro_import_check(&job, basename(options->samples_path));
    if (status == NITRO_OK)
        status = nitro_import_write(&job);
    if (status == NITRO_OK && report)
        *report = job.report;
    nitro_import_clear(&job);
    return status;
}
