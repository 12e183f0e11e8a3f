/* Exporting profiles in Nitro's own form, one row a kernel: a first pass over the store collects
 * the metrics' names, a second one writes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

typedef struct export_job {
    nitro_context *context;
    nitro_string_list metrics; /* sorted once all are known */
    nitro_store_text text;
    size_t count;
} export_job;

static int compare_names(const void *key, const void *item)
{
    return strcmp(key, *(char *const *)item);
}

/* New names are few: most profiles have the names of the one before. */
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
    nitro_store_text *text = &job->text;
    bool modelled =
        profile->provenance.origin && strcmp(profile->provenance.origin, "modelled") == 0;
    const char *const fields[] = {
        profile->computation ? profile->computation : "", profile->computation ? profile->name : "",
        profile->input ? profile->input : "", profile->computation ? "" : profile->name};
    nitro_status status = nitro_store_text_add_field(job->context, text, device, true);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && status == NITRO_OK; i++)
        status = nitro_store_text_add_field(job->context, text, fields[i], false);
    if (status == NITRO_OK)
        status = nitro_store_text_add_number(job->context, text, profile->intensity, false);
    if (status == NITRO_OK)
        status = nitro_store_text_add_field(job->context, text, profile->kernel, false);
    if (status == NITRO_OK)
        status = nitro_store_text_add_field(job->context, text, modelled ? "modelled" : "", false);
    for (size_t i = 0; i < job->metrics.count && status == NITRO_OK; i++)
        status = nitro_store_text_add_number(
            job->context, text, nitro_profile_value(profile, job->metrics.items[i]), false);
    return status == NITRO_OK ? nitro_store_text_add(job->context, text, "\n") : status;
}

static nitro_status add_header(export_job *job)
{
    nitro_status status = nitro_store_text_add(
        job->context, &job->text, "device,computation,variant,input,proxy,intensity,kernel,origin");
    for (size_t i = 0; i < job->metrics.count && status == NITRO_OK; i++)
        status = nitro_store_text_add_field(job->context, &job->text, job->metrics.items[i], false);
    return status == NITRO_OK ? nitro_store_text_add(job->context, &job->text, "\n") : status;
}

/* Metrics that have the name of another column would not come back. */
static nitro_status require_metric_names(export_job *job, const char *url)
{
    static const char *const taken[] = {"device", "computation", "variant", "input",
                                        "proxy",  "intensity",   "kernel",  "origin"};
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (nitro_string_list_find(&job->metrics, taken[i]) != NITRO_NONE)
            return nitro_fail(job->context, NITRO_ERR_ARGUMENT,
                              "%s: there is a metric called '%s', as a column of the table is: it "
                              "cannot be exported",
                              url, taken[i]);
    return NITRO_OK;
}

/* Proxies, and then computations, unless one is named. */
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
    if (status == NITRO_OK)
        status = add_header(&job);
    if (status == NITRO_OK)
        status = for_each(store, computation, device, add_profile, &job);
    if (status == NITRO_OK)
        status = nitro_file_write(job.context, path, job.text.bytes, job.text.size);
    if (status == NITRO_OK)
        *count = job.count;
    nitro_store_text_free(&job.text);
    nitro_string_list_free(&job.metrics);
    return status;
}
