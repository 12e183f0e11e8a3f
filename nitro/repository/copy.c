/* Copies one store's records into another, one way, in batches: memory is bounded, and a run that
 * was interrupted resumes where it stopped. For an input that both stores have, the target's sample
 * stays, is replaced by a newer one, or both are kept, the new one under a device id of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nitro/base/clock.h"
#include "nitro/repository/known_samples.h"
#include "nitro/repository/store_internal.h"

#define BATCH 500
/* Writes to a file are committed about once in this time: a commit waits for the disk, and may take
 * longer than all of them. The gap after it lets other processes have the lock, for which they look
 * every 100 ms. */
#define GROUP_MS 1000
#define GAP_NS   120000000L

typedef struct copying {
    nitro_store *from, *to;
    const nitro_sync_options *options;
    const char *computation, *device;
    const char *to_device;        /* the id under which samples go */
    nitro_known_samples known;    /* of `device` */
    nitro_known_samples campaign; /* of `to_device`, if it differs */
    nitro_string_list devices;    /* those that the target has, sorted */
    nitro_sample *batch[BATCH];
    size_t batch_size;
    bool replacing;            /* the batch replaces stored samples */
    bool in_conflict;          /* both stores have an input, with different samples */
    bool cannot_write;         /* a failure was the target's, not damage of the source */
    nitro_string_list refused; /* computations that the target has with other names */
    char refusal[2048];        /* why the first of them is */
    nitro_copy_report report;
    bool in_group;               /* writes are part of a transaction of several */
    double group_ms;             /* when it began */
    nitro_copy_report committed; /* before it */
} copying;

/* Look up the sample's input (NULL: unknown) and compare the samples. */
static nitro_status compare(const copying *job, const nitro_known_samples *list,
                            const nitro_sample *sample, const nitro_known_sample **known,
                            bool *same)
{
    uint64_t checksum = 0;
    nitro_status status = NITRO_OK;
    *known = nitro_known_samples_find(list, sample->input);
    if (*known)
        status = nitro_record_sample_checksum(nitro_store_context(job->to), job->computation,
                                              job->device, sample, &checksum);
    *same = *known && (*known)->checksum == checksum;
    return status;
}

/* ---- Groups of writes: only from file to file; a slow server would keep the file locked ------ */

static nitro_status begin_group(copying *job)
{
    const nitro_store_kind *kind = job->to->kind;
    if (job->in_group || !kind->begin || !job->from->kind->begin)
        return NITRO_OK;
    nitro_status status = kind->begin(job->to->state);
    job->in_group = status == NITRO_OK;
    job->group_ms = nitro_system_ms();
    job->committed = job->report;
    return status;
}

/* What was written before a failure stays. */
static nitro_status end_group(copying *job, nitro_status status)
{
    nitro_context *context = nitro_store_context(job->to);
    char message[2048];
    if (!job->in_group)
        return status;
    nitro_context_last_error(context, message, sizeof(message));
    job->in_group = false;
    nitro_status ended = job->to->kind->end(job->to->state, NITRO_OK);
    if (ended != NITRO_OK)
        job->report = job->committed;
    return status == NITRO_OK ? ended : nitro_fail(context, status, "%s", message);
}

static nitro_status end_long_group(copying *job)
{
    if (!job->in_group || nitro_system_ms() - job->group_ms < GROUP_MS)
        return NITRO_OK;
    nitro_status status = end_group(job, NITRO_OK);
    nanosleep(&(struct timespec){.tv_nsec = GAP_NS}, NULL);
    return status;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static nitro_status put(copying *job, const nitro_sample *const *samples, size_t count,
                        bool replace)
{
    nitro_status status = begin_group(job);
    return status == NITRO_OK ? nitro_store_put_samples(job->to, job->computation, job->to_device,
                                                        samples, count, replace)
                              : status;
}

/* Some samples exist that were not listed before: another process's and those of a newer Nitro
 * stay; damaged ones are replaced. */
static nitro_status put_one_by_one(copying *job)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->batch_size && status == NITRO_OK; i++) {
        const nitro_sample *sample = job->batch[i];
        nitro_sample *there = NULL;
        status = nitro_store_get_sample(job->to, job->computation, job->to_device, sample->input,
                                        &there);
        nitro_sample_free(there);
        if (status == NITRO_OK || status == NITRO_ERR_NEWER) {
            status = NITRO_OK;
            job->report.samples_skipped++;
        } else if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT) {
            status = put(job, &sample, 1, status == NITRO_ERR_FORMAT);
            job->report.samples += status == NITRO_OK;
        }
    }
    return status;
}

static void drop_batch(copying *job)
{
    while (job->batch_size > 0)
        nitro_sample_free(job->batch[--job->batch_size]);
}

static nitro_status write_batch(copying *job)
{
    nitro_status status = NITRO_OK;
    if (job->batch_size > 0)
        status = put(job, (const nitro_sample *const *)job->batch, job->batch_size, job->replacing);
    if (status == NITRO_ERR_EXISTS)
        status = put_one_by_one(job);
    else if (status == NITRO_OK && job->replacing)
        job->report.samples_replaced += job->batch_size;
    else if (status == NITRO_OK)
        job->report.samples += job->batch_size;
    if (status == NITRO_OK)
        status = end_long_group(job);
    job->cannot_write = status != NITRO_OK;
    drop_batch(job);
    return status;
}

static nitro_status add_to_batch(copying *job, const nitro_sample *sample, bool replacing)
{
    nitro_status status = NITRO_OK;
    if (job->batch_size == BATCH || job->replacing != replacing)
        status = write_batch(job);
    job->replacing = replacing;
    if (status == NITRO_OK)
        status =
            nitro_sample_copy(nitro_store_context(job->to), sample, &job->batch[job->batch_size]);
    job->batch_size += status == NITRO_OK;
    return status;
}

static nitro_status look_for_conflict(void *user, const nitro_sample *sample)
{
    copying *job = user;
    const nitro_known_sample *known;
    bool same;
    nitro_status status = compare(job, &job->known, sample, &known, &same);
    job->in_conflict = job->in_conflict || (known && !same);
    return status;
}

static nitro_status copy_unless_known(copying *job, const nitro_known_samples *list,
                                      const nitro_sample *sample, bool newer_wins)
{
    const nitro_known_sample *known;
    bool same;
    nitro_status status = compare(job, list, sample, &known, &same);
    if (status != NITRO_OK)
        return status;
    if (!known)
        return add_to_batch(job, sample, false);
    if (!same && newer_wins && sample->provenance.time_s > known->time_s)
        return add_to_batch(job, sample, true);
    job->report.samples_skipped++;
    job->report.samples_differing += !same;
    return NITRO_OK;
}

static nitro_status copy_sample(void *user, const nitro_sample *sample)
{
    copying *job = user;
    return copy_unless_known(job, &job->known, sample,
                             job->options->conflict == NITRO_CONFLICT_NEWER);
}

static void note_damage(void *user, const char *problem)
{
    copying *job = user;
    job->report.damaged++;
    if (job->options->damaged)
        job->options->damaged(job->options->user, problem);
}

/* Report a record that cannot be read, and what is not copied with it, and skip it; any other
 * failure ends the run. */
static nitro_status skip_unreadable(copying *job, nitro_status status, const char *with_it)
{
    nitro_context *context = nitro_store_context(job->from);
    char message[2048];
    if (status != NITRO_ERR_FORMAT && status != NITRO_ERR_NEWER)
        return status;
    nitro_context_last_error(context, message, sizeof(message));
    nitro_fail(context, status, "%s%s", message, with_it);
    nitro_store_report_damage(context, note_damage, job);
    return NITRO_OK;
}

/* Where a page of the source is damaged, the records before it are read. */
static nitro_status skip_rest(copying *job, nitro_status status, const char *records)
{
    char rest[256];
    snprintf(rest, sizeof rest, "; no further %s of %s on %s were read", records,
             job->computation ? job->computation : "proxies", job->device);
    return job->cannot_write ? status : skip_unreadable(job, status, rest);
}

static nitro_status each_sample(copying *job, nitro_sample_function function)
{
    job->cannot_write = false;
    nitro_status status = nitro_store_read_samples(job->from, job->computation, job->device,
                                                   function, job, note_damage, job);
    return skip_rest(job, status, "samples");
}

static void ignore_damage(void *user, const char *problem)
{
    (void)user;
    (void)problem;
}

/* ---- Both kept: the other campaign is a device of its own ------------------------------------ */

static nitro_status copy_to_campaign(void *user, const nitro_sample *sample)
{
    copying *job = user;
    const nitro_known_sample *known;
    bool same;
    nitro_status status = compare(job, &job->known, sample, &known, &same);
    if (status != NITRO_OK)
        return status;
    if (!same)
        return copy_unless_known(job, &job->campaign, sample, true);
    job->report.samples_skipped++;
    return NITRO_OK;
}

/* A device of the target that is no campaign of this one has measurements of its own. */
static nitro_status refuse_other_device(const copying *job, const char *id)
{
    nitro_device *there = NULL;
    nitro_status status = nitro_store_get_device(job->to, id, &there);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    const char *same_as = nitro_device_label(there, NITRO_LABEL_SAME_AS);
    if (!same_as || strcmp(same_as, job->device) != 0)
        status = nitro_fail(nitro_store_context(job->to), NITRO_ERR_EXISTS,
                            "%s: device %s is no campaign of %s (its label same_as does not name "
                            "it); choose another name for the campaign",
                            nitro_store_url(job->to), id, job->device);
    nitro_device_free(there);
    return status;
}

/* Described as in the source store, and labelled as the same device. */
static nitro_status put_campaign(copying *job, const char *id)
{
    nitro_context *context = nitro_store_context(job->to);
    nitro_device *device = NULL;
    nitro_status status = refuse_other_device(job, id);
    if (status == NITRO_OK)
        status = nitro_store_get_device(job->from, job->device, &device);
    if (status == NITRO_OK)
        status = nitro_device_set_label(context, device, NITRO_LABEL_SAME_AS, job->device);
    if (status == NITRO_OK)
        status = nitro_text_replace(context, &device->id, id);
    if (status == NITRO_OK)
        status = nitro_store_put_device(job->to, device);
    nitro_device_free(device);
    return status;
}

static nitro_status require_campaign(const copying *job, const char *id)
{
    if (job->options->campaign && nitro_device_id_is_valid(id))
        return NITRO_OK;
    if (job->options->campaign)
        return nitro_fail(
            nitro_store_context(job->to), NITRO_ERR_ARGUMENT,
            "'%.120s' is not a valid device id: use 1 to 63 of [A-Za-z0-9_.:@+-] for device, "
            "'@' and campaign",
            id);
    return nitro_fail(
        nitro_store_context(job->to), NITRO_ERR_EXISTS,
        "%s on %s: both stores have measurements of the same inputs; keep both under a device id "
        "of their own (--campaign NAME), or keep the newer ones (--newer)",
        job->computation, job->device);
}

static nitro_status copy_campaign(copying *job)
{
    const char *campaign = job->options->campaign;
    char *id = nitro_asprintf(nitro_store_context(job->to), "%s@%s", job->device,
                              campaign ? campaign : "");
    nitro_status status = id ? require_campaign(job, id) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = put_campaign(job, id);
    if (status == NITRO_OK)
        status =
            nitro_known_samples_read(job->to, job->computation, id, job->device, &job->campaign);
    job->to_device = id;
    if (status == NITRO_OK)
        status = each_sample(job, copy_to_campaign);
    if (status == NITRO_OK)
        status = write_batch(job);
    free(id);
    return status;
}

/* ---- Devices and computations ---------------------------------------------------------------- */

/* Measured values vary. */
static nitro_status warn_of_other_features(const copying *job, const nitro_device *device,
                                           const nitro_device *there)
{
    nitro_context *context = nitro_store_context(job->to);
    nitro_string_list others = {0};
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < device->num_features && status == NITRO_OK; i++) {
        const nitro_device_feature *feature = &device->features[i];
        double value = nitro_device_value(there, feature->name);
        if (isnan(value) || (feature->source != NITRO_VALUE_MEASURED && feature->value != value))
            status = nitro_string_list_add(context, &others, feature->name);
    }
    char *names = others.count > 0 ? nitro_store_print_some(context, &others) : NULL;
    if (names)
        nitro_log(
            context, NITRO_LOG_WARNING,
            "device %s has other features in %s than in %s, which keeps its own: %s (exported "
            "there, 'nitro store import --devices' takes them)",
            device->id, nitro_store_url(job->from), nitro_store_url(job->to), names);
    free(names);
    nitro_string_list_free(&others);
    return status;
}

static nitro_status copy_device(copying *job, const char *id)
{
    nitro_device *device = NULL, *there = NULL;
    nitro_status status = nitro_store_get_device(job->to, id, &there);
    if (status != NITRO_OK && status != NITRO_ERR_NOT_FOUND && status != NITRO_ERR_FORMAT)
        return status;
    status = nitro_store_get_device(job->from, id, &device);
    if (status != NITRO_OK)
        status = skip_unreadable(job, status, there ? "" : "; none of its samples is copied");
    else if (there)
        status = warn_of_other_features(job, device, there);
    else
        status = begin_group(job);
    if (status == NITRO_OK && device && !there)
        status = nitro_store_put_device(job->to, device);
    if (status == NITRO_OK && (device || there))
        status = nitro_string_list_add(nitro_store_context(job->to), &job->devices, id);
    nitro_device_free(device);
    nitro_device_free(there);
    return status;
}

static nitro_status copy_samples(copying *job)
{
    nitro_status status =
        nitro_known_samples_read(job->to, job->computation, job->device, job->device, &job->known);
    job->to_device = job->device;
    job->in_conflict = false;
    if (status == NITRO_OK && job->options->conflict == NITRO_CONFLICT_BOTH) {
        status = nitro_store_read_samples(job->from, job->computation, job->device,
                                          look_for_conflict, job, ignore_damage, NULL);
        status = status == NITRO_ERR_FORMAT ? NITRO_OK : status; /* reported by the copying */
    }
    if (status == NITRO_OK && job->in_conflict)
        status = copy_campaign(job);
    else if (status == NITRO_OK)
        status = each_sample(job, copy_sample);
    if (status == NITRO_OK)
        status = write_batch(job);
    drop_batch(job);
    return status;
}

static nitro_status copy_profiles(copying *job)
{
    nitro_status status =
        nitro_store_copy_profiles(job->from, job->to, job->device, job->computation, note_damage,
                                  job, &job->report, &job->cannot_write);
    return skip_rest(job, status, "profiles");
}

/* Samples of a computation on some devices, and its profiles, or those of proxies, on all. */
static nitro_status copy_records(copying *job, const nitro_string_list *with_samples)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < job->devices.count && status == NITRO_OK; i++) {
        job->device = job->devices.items[i];
        if (nitro_store_sorted_list_has(with_samples, job->device))
            status = copy_samples(job);
        if (status == NITRO_OK)
            status = copy_profiles(job);
        if (status == NITRO_OK)
            status = end_long_group(job);
    }
    return end_group(job, status);
}

/* The others are copied all the same. */
static nitro_status refuse(copying *job)
{
    nitro_context *context = nitro_store_context(job->to);
    if (job->refused.count == 0)
        nitro_context_last_error(context, job->refusal, sizeof(job->refusal));
    return nitro_string_list_add(context, &job->refused, job->computation);
}

static nitro_status fail_refused(const copying *job)
{
    nitro_context *context = nitro_store_context(job->to);
    char *names = nitro_store_print_some(context, &job->refused);
    nitro_status status =
        names ? nitro_fail(context, NITRO_ERR_MISMATCH,
                           "%s Not copied: %s; everything else was. 'nitro tune' "
                           "with the newer program brings a store on this machine up to date",
                           job->refusal, names)
              : NITRO_ERR_NO_MEMORY;
    free(names);
    return status;
}

static nitro_status copy_computation(copying *job)
{
    nitro_schema *schema = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_get_schema(job->from, job->computation, &schema);
    if (status != NITRO_OK)
        return skip_unreadable(job, status, "; none of its samples is copied");
    status = nitro_store_copy_schema(job->from, job->to, schema, job->options->take_declaration);
    nitro_schema_free(schema);
    if (status == NITRO_ERR_MISMATCH)
        return refuse(job);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(job->from, job->computation, &devices);
    if (status == NITRO_OK)
        status = copy_records(job, &devices);
    else if (status == NITRO_ERR_FORMAT) /* a damaged page; reading will tell which device's */
        status = copy_records(job, &job->devices);
    nitro_string_list_free(&devices);
    return status;
}

static nitro_status copy_all(copying *job, const nitro_string_list *devices,
                             const nitro_string_list *computations)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < devices->count && status == NITRO_OK; i++)
        status = copy_device(job, devices->items[i]);
    status = end_group(job, status);
    for (size_t i = 0; i < computations->count && status == NITRO_OK; i++) {
        job->computation = computations->items[i];
        status = copy_computation(job);
    }
    job->computation = NULL; /* proxies */
    if (status == NITRO_OK)
        status = copy_records(job, &(nitro_string_list){0});
    return status == NITRO_OK && job->refused.count > 0 ? fail_refused(job) : status;
}

nitro_status nitro_store_sync(nitro_store *from, nitro_store *to, const nitro_sync_options *options,
                              nitro_copy_report *report)
{
    nitro_string_list computations = {0}, devices = {0};
    copying *job = nitro_calloc(nitro_store_context(to), 1, sizeof(*job));
    if (!job)
        return NITRO_ERR_NO_MEMORY;
    *job = (copying){.from = from, .to = to, .options = options};
    nitro_status status = nitro_store_list_devices(from, NULL, &devices);
    if (status == NITRO_OK)
        status = nitro_store_list_computations(from, &computations);
    if (status == NITRO_OK)
        status = copy_all(job, &devices, &computations);
    *report = job->report; /* also of a failed run: what was copied stays */
    nitro_known_samples_free(&job->known);
    nitro_known_samples_free(&job->campaign);
    nitro_string_list_free(&job->refused);
    nitro_string_list_free(&job->devices);
    free(job);
    nitro_string_list_free(&computations);
    nitro_string_list_free(&devices);
    return status;
}

nitro_status nitro_store_copy(nitro_store *from, nitro_store *to, nitro_copy_report *report)
{
    const nitro_sync_options keep = {.conflict = NITRO_CONFLICT_KEEP};
    return nitro_store_sync(from, to, &keep, report);
}
