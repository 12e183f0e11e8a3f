/* Copies profiles from one store to another by whole runs, since the kernels of a run belong
 * together. A run of which the target has any profile is skipped. */
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

#define BATCH 500 /* written when it is full and a run is complete */

typedef struct copying {
    nitro_store *to;
    const char *device;
    nitro_string_list known; /* runs that the target has, sorted */
    nitro_profile **batch;
    size_t batch_size, capacity;
    char *last_run; /* of the batch */
    nitro_copy_report *report;
    nitro_status written; /* a failure is the target's, not damage of the source */
} copying;

/* The key without its kernel. */
static char *run_key(nitro_context *context, const nitro_profile *profile)
{
    char *key = nitro_store_profile_key(context, profile);
    if (key)
        *strrchr(key, '\x1f') = '\0';
    return key;
}

static nitro_status add_known_run(void *user, const char *device, const nitro_profile *profile)
{
    copying *job = user;
    nitro_context *context = nitro_store_context(job->to);
    char *key = run_key(context, profile);
    size_t count = job->known.count;
    nitro_status status = key ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    (void)device;
    if (key && (count == 0 || strcmp(job->known.items[count - 1], key) != 0))
        status = nitro_string_list_add(context, &job->known, key);
    free(key);
    return status;
}

static void drop_batch(copying *job)
{
    while (job->batch_size > 0)
        nitro_profile_free(job->batch[--job->batch_size]);
}

static nitro_status write_batch(copying *job)
{
    job->written = nitro_store_put_profiles(
        job->to, job->device, (const nitro_profile *const *)job->batch, job->batch_size, false);
    if (job->written == NITRO_OK)
        job->report->profiles += job->batch_size;
    drop_batch(job);
    return job->written;
}

static nitro_status append(copying *job, const nitro_profile *profile)
{
    nitro_context *context = nitro_store_context(job->to);
    nitro_profile **grown = nitro_grow(context, job->batch, job->batch_size, &job->capacity,
                                       sizeof(nitro_profile *), "profiles");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    job->batch = grown;
    nitro_status status = nitro_profile_copy(context, profile, &job->batch[job->batch_size]);
    job->batch_size += status == NITRO_OK;
    return status;
}

static nitro_status copy_profile(void *user, const char *device, const nitro_profile *profile)
{
    copying *job = user;
    nitro_status status = NITRO_OK;
    char *run = run_key(nitro_store_context(job->to), profile);
    (void)device;
    if (!run)
        return NITRO_ERR_NO_MEMORY;
    bool same_run = job->last_run && strcmp(run, job->last_run) == 0;
    if (!same_run && job->batch_size >= BATCH)
        status = write_batch(job);
    free(job->last_run);
    job->last_run = run;
    if (status == NITRO_OK && nitro_store_sorted_list_has(&job->known, run))
        job->report->profiles_skipped++;
    else if (status == NITRO_OK)
        status = append(job, profile);
    return status;
}

/* Kernels of it may follow where the source cannot be read any more. */
static void drop_last_run(copying *job)
{
    bool is_last = job->last_run != NULL;
    while (is_last && job->batch_size > 0) {
        char *run = run_key(nitro_store_context(job->to), job->batch[job->batch_size - 1]);
        is_last = !run || strcmp(run, job->last_run) == 0;
        if (is_last)
            nitro_profile_free(job->batch[--job->batch_size]);
        free(run);
    }
}

nitro_status nitro_store_copy_profiles(nitro_store *from, nitro_store *to, const char *device,
                                       const char *computation, nitro_problem_function damaged,
                                       void *damaged_user, nitro_copy_report *report,
                                       bool *cannot_write)
{
    copying job = {.to = to, .device = device, .report = report};
    nitro_status read = NITRO_OK;
    job.written = nitro_store_each_profile(to, device, computation, add_known_run, &job);
    nitro_string_list_sort(&job.known);
    if (job.written == NITRO_OK)
        read = nitro_store_read_profiles(from, device, computation, copy_profile, &job, damaged,
                                         damaged_user);
    if (read == NITRO_ERR_FORMAT)
        drop_last_run(&job);
    if (job.written == NITRO_OK && (read == NITRO_OK || read == NITRO_ERR_FORMAT))
        write_batch(&job);
    drop_batch(&job);
    free(job.batch);
    free(job.last_run);
    nitro_string_list_free(&job.known);
    *cannot_write = job.written != NITRO_OK;
    return *cannot_write ? job.written : read;
}
