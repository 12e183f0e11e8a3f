/* import_csv.c - imports the samples of a recorded device from CSV, one row an input.
 * The first import of a computation sets its schema, later ones must match it. Everything is
 * checked first and then written in one transaction. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/exchange/import_internal.h"

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
        status = nitro_import_read_rows(job);
    if (status == NITRO_OK)
        status = nitro_import_find_device(job);
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
