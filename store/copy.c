/* Copying one store into another, of whatever kinds. Samples go over in batches: bounded memory,
 * and a transaction for many. What the other store has already stays as it is there. */
#include <stdlib.h>

#include "store/store_internal.h"
#include "store/text.h"

#define BATCH 500

typedef struct copying {
    nitro_store *to;
    const char *computation, *device;
    nitro_string_list known; /* inputs that are there, sorted */
    nitro_sample *batch[BATCH];
    size_t batch_size;
    nitro_copy_report report;
} copying;

static nitro_status write_batch(copying *job)
{
    nitro_status status =
        nitro_store_put_samples(job->to, job->computation, job->device,
                                (const nitro_sample *const *)job->batch, job->batch_size, false);
    if (status == NITRO_OK)
        job->report.samples += job->batch_size;
    while (job->batch_size > 0)
        nitro_sample_free(job->batch[--job->batch_size]);
    return status;
}

static nitro_status copy_sample(void *user, const nitro_sample *sample)
{
    copying *job = user;
    if (nitro_store_sorted_list_has(&job->known, sample->input)) {
        job->report.samples_skipped++;
        return NITRO_OK;
    }
    nitro_status status =
        nitro_sample_copy(nitro_store_context(job->to), sample, &job->batch[job->batch_size]);
    if (status != NITRO_OK)
        return status;
    return ++job->batch_size == BATCH ? write_batch(job) : NITRO_OK;
}

static nitro_status copy_device(nitro_store *from, nitro_store *to, const char *id)
{
    nitro_device *device = NULL, *there = NULL;
    nitro_status status = nitro_store_get_device(to, id, &there);
    nitro_device_free(there);
    if (status != NITRO_ERR_NOT_FOUND)
        return status;
    status = nitro_store_get_device(from, id, &device);
    if (status == NITRO_OK)
        status = nitro_store_put_device(to, device);
    nitro_device_free(device);
    return status;
}

static nitro_status copy_samples(nitro_store *from, copying *job)
{
    nitro_status status =
        nitro_store_list_inputs(job->to, job->computation, job->device, &job->known);
    nitro_string_list_sort(&job->known);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(from, job->computation, job->device, copy_sample, job);
    if (status == NITRO_OK && job->batch_size > 0)
        status = write_batch(job);
    while (job->batch_size > 0)
        nitro_sample_free(job->batch[--job->batch_size]);
    nitro_string_list_free(&job->known);
    return status;
}

/* Profiles of a computation, or of proxies (NULL), of every device. */
static nitro_status copy_profiles(nitro_store *from, copying *job, const char *computation,
                                  const nitro_string_list *devices)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < devices->count && status == NITRO_OK; i++)
        status =
            nitro_store_copy_profiles(from, job->to, devices->items[i], computation, &job->report);
    return status;
}

static nitro_status copy_computation(nitro_store *from, copying *job)
{
    nitro_schema *schema = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_get_schema(from, job->computation, &schema);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(job->to, schema);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(from, job->computation, &devices);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        job->device = devices.items[i];
        status = copy_samples(from, job);
    }
    nitro_string_list_free(&devices);
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_store_copy(nitro_store *from, nitro_store *to, nitro_copy_report *report)
{
    nitro_string_list computations = {0}, devices = {0};
    copying job = {.to = to};
    nitro_status status = nitro_store_list_devices(from, NULL, &devices);
    if (status == NITRO_OK)
        status = nitro_store_list_computations(from, &computations);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++)
        status = copy_device(from, to, devices.items[i]);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++) {
        job.computation = computations.items[i];
        status = copy_computation(from, &job);
        if (status == NITRO_OK)
            status = copy_profiles(from, &job, job.computation, &devices);
    }
    if (status == NITRO_OK)
        status = copy_profiles(from, &job, NULL, &devices);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    if (status == NITRO_OK)
        *report = job.report;
    return status;
}
