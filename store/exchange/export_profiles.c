/* export_profiles.c - exports profiles in Nitro's own CSV form, one row a kernel.
 * The store is read twice: first for the names of the metrics, then for the rows. */
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

typedef struct export_job {
    nitro_context *context;
    nitro_string_list metrics; /* sorted once all are known */
    nitro_csv_writer writer;
    size_t count;
} export_job;

static int compare_names(const void *key, const void *item)
{
    return strcmp(key, *(char *const *)item);
}

/* New names are rare: most profiles have the metrics of the previous one. */
static nitro_status collect_metrics(void *user, const char *device, const nitro_profile *profile)
{
    export_job *job = user;
    nitro_status status = NITRO_OK;
    size_t known = job->metrics.count;
    (void)device;
    for (size_t i = 0; i < profile->num_metrics && status == NITRO_OK; i++) {
        const char *name = profile->metrics[i].name;
        if (known == 0 || !bsearch(name, job->metrics.items, known, sizeof(char *), compare_names))
            status = nitro_string_list_add(job->context, &job->metrics, name);
    }
    if (job->metrics.count > known)
        nitro_string_list_sort(&job->metrics);
    job->count++;
    return status;
}

static nitro_status add_profile(void *user, const char *device, const nitro_profile *profile)
{
    export_job *job = user;
    nitro_csv_writer *writer = &job->writer;
    const char *origin = profile->provenance.origin;
    bool of_variant = profile->computation != NULL;
    nitro_csv_writer_add(writer, device);
    nitro_csv_writer_add(writer, of_variant ? profile->computation : "");
    nitro_csv_writer_add(writer, of_variant ? profile->name : "");
    nitro_csv_writer_add(writer, profile->input ? profile->input : "");
    nitro_csv_writer_add(writer, of_variant ? "" : profile->name);
    nitro_csv_writer_add_number(writer, profile->intensity);
    nitro_csv_writer_add(writer, profile->kernel);
    nitro_csv_writer_add(writer, origin && strcmp(origin, "modelled") == 0 ? origin : "");
    for (size_t i = 0; i < job->metrics.count; i++)
        nitro_csv_writer_add_number(writer, nitro_profile_value(profile, job->metrics.items[i]));
    nitro_csv_writer_end_row(writer);
    return NITRO_OK;
}

static const char *const own_columns[] = {"device", "computation", "variant", "input",
                                          "proxy",  "intensity",   "kernel",  "origin"};
enum { NUM_OWN_COLUMNS = sizeof(own_columns) / sizeof(own_columns[0]) };

static void add_header(export_job *job)
{
    nitro_csv_writer_open(&job->writer);
    for (size_t i = 0; i < NUM_OWN_COLUMNS; i++)
        nitro_csv_writer_add(&job->writer, own_columns[i]);
    for (size_t i = 0; i < job->metrics.count; i++)
        nitro_csv_writer_add(&job->writer, job->metrics.items[i]);
    nitro_csv_writer_end_row(&job->writer);
}

static nitro_status require_metric_names(export_job *job, const char *url)
{
    for (size_t i = 0; i < NUM_OWN_COLUMNS; i++)
        if (nitro_string_list_find(&job->metrics, own_columns[i]) != NITRO_NONE)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: profiles cannot be exported: the metric '%s' has the name of a "
                              "column of the table",
                              url, own_columns[i]);
    return NITRO_OK;
}

/* One computation; or, where it is NULL, proxies and then all computations. */
static nitro_status for_each(nitro_store *store, const char *computation, const char *device,
                             nitro_profile_function function, export_job *job)
{
    nitro_string_list computations = {0};
    if (computation)
        return nitro_store_each_profile(store, device, computation, function, job);
    nitro_status status = nitro_store_each_profile(store, device, NULL, function, job);
    if (status == NITRO_OK)
        status = nitro_store_list_computations(store, &computations);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++)
        status = nitro_store_each_profile(store, device, computations.items[i], function, job);
    nitro_string_list_free(&computations);
    return status;
}

nitro_status nitro_store_export_profiles(nitro_store *store, const char *computation,
                                         const char *device, const char *path, size_t *count)
{
    export_job job = {.context = nitro_store_context(store)};
    nitro_status status = for_each(store, computation, device, collect_metrics, &job);
    if (status == NITRO_OK && job.count == 0)
        status = nitro_fail(job.context, NITRO_ERR_NOT_FOUND, "%s: no profiles%s%s%s%s",
                            nitro_store_url(store), computation ? " of " : "",
                            computation ? computation : "", device ? " on device " : "",
                            device ? device : "");
    if (status == NITRO_OK)
        status = require_metric_names(&job, nitro_store_url(store));
    if (status == NITRO_OK) {
        add_header(&job);
        status = for_each(store, computation, device, add_profile, &job);
    }
    if (status == NITRO_OK)
        status = nitro_csv_writer_close(job.context, &job.writer);
    if (status == NITRO_OK)
        status = nitro_file_write(job.context, path, job.writer.bytes, job.writer.size);
    if (status == NITRO_OK)
        *count = job.count;
    nitro_csv_writer_free(&job.writer);
    nitro_string_list_free(&job.metrics);
    return status;
}
