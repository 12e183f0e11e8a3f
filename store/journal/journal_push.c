/* Sends a journal's samples to the remote store, each once: a sample leaves the journal only when
 * the remote has it, and is not written if the remote has it or a newer one. */
#include <stdlib.h>

#include "store/journal/journal_internal.h"

#define BATCH     200
#define MAX_TRIES 8 /* for one input that others write or remove in the remote store */

typedef struct push {
    nitro_journal *journal;
    nitro_store *remote;
    const char *computation, *device;
    nitro_schema *schema;
    nitro_sample *batch[BATCH];
    size_t count;
    size_t superseded;
    bool remote_failed; /* not the journal */
} push;

/* Note the status of a call of the remote, and return it. */
static nitro_status of_remote(push *self, nitro_status status)
{
    self->remote_failed = self->remote_failed || status == NITRO_ERR_IO;
    return status;
}

static nitro_status keep_for_batch(void *user, const nitro_sample *sample)
{
    push *self = user;
    nitro_status status =
        nitro_sample_copy(self->journal->context, sample, &self->batch[self->count]);
    if (status == NITRO_OK)
        self->count++;
    return status == NITRO_OK && self->count == BATCH ? NITRO_ERR_INTERRUPTED : status;
}

static void free_batch(push *self)
{
    while (self->count > 0)
        nitro_sample_free(self->batch[--self->count]);
}

/* The schema is written in the same transaction as the samples that need it. */
static nitro_status send(push *self, const nitro_sample *const *samples, size_t count, bool replace)
{
    nitro_journal *journal = self->journal;
    size_t new_device = nitro_string_list_find(&journal->new_devices, self->device);
    nitro_device *device = NULL;
    nitro_status status = NITRO_OK;
    if (new_device == NITRO_NONE) {
        status = of_remote(self, nitro_store_put_recording(self->remote, self->schema, NULL,
                                                           self->device, samples, count, replace));
        if (status != NITRO_ERR_NOT_FOUND)
            return status;
    }
    status = nitro_store_get_device(journal->local, self->device, &device);
    if (status == NITRO_OK)
        status = of_remote(self, nitro_store_put_recording(self->remote, self->schema, device,
                                                           self->device, samples, count, replace));
    nitro_device_free(device);
    if (status == NITRO_OK && new_device != NITRO_NONE) {
        nitro_string_list *list = &journal->new_devices;
        free(list->items[new_device]);
        list->items[new_device] = list->items[--list->count];
    }
    return status;
}

static nitro_status is_same_sample(const push *self, const nitro_sample *there,
                                   const nitro_sample *here, bool *is_same)
{
    uint64_t one = 0, other = 0;
    nitro_status status = nitro_record_sample_checksum(self->journal->context, self->computation,
                                                       self->device, there, &one);
    if (status == NITRO_OK)
        status = nitro_record_sample_checksum(self->journal->context, self->computation,
                                              self->device, here, &other);
    *is_same = one == other;
    return status;
}

/* The remote may have the same sample of the input, a newer one, an older one or none. */
static nitro_status settle_once(push *self, const nitro_sample *sample)
{
    nitro_sample *there = NULL;
    nitro_status status =
        of_remote(self, nitro_store_get_sample(self->remote, self->computation, self->device,
                                               sample->input, &there));
    bool is_new = status == NITRO_ERR_NOT_FOUND;
    bool is_unreadable = status == NITRO_ERR_FORMAT || status == NITRO_ERR_NEWER; /* replaced */
    if (status != NITRO_OK && !is_new && !is_unreadable)
        return status;
    bool is_same = false;
    status = there ? is_same_sample(self, there, sample, &is_same) : NITRO_OK;
    bool is_older = there && sample->provenance.time_s < there->provenance.time_s;
    nitro_sample_free(there);
    if (status != NITRO_OK || is_same)
        return status;
    if (is_older) {
        self->superseded++;
        return NITRO_OK;
    }
    return send(self, &sample, 1, !is_new);
}

/* Another process with this journal, or another tuner, may write an input between read and write:
 * then compare again. */
static nitro_status settle(push *self, const nitro_sample *sample)
{
    nitro_status status = settle_once(self, sample);
    for (int tries = 1; status == NITRO_ERR_EXISTS && tries < MAX_TRIES; tries++)
        status = settle_once(self, sample);
    return status;
}

static nitro_status send_batch(push *self)
{
    const nitro_sample *const *samples = (const nitro_sample *const *)self->batch;
    nitro_status status = send(self, samples, self->count, false);
    if (status != NITRO_ERR_EXISTS)
        return status;
    status = NITRO_OK;
    for (size_t i = 0; i < self->count && status == NITRO_OK; i++)
        status = settle(self, samples[i]);
    return status;
}

static nitro_status push_batch(push *self, bool *is_last)
{
    nitro_store *local = self->journal->local;
    size_t removed = 0;
    nitro_status status =
        nitro_store_each_sample(local, self->computation, self->device, keep_for_batch, self);
    *is_last = status == NITRO_OK;
    if (status == NITRO_ERR_INTERRUPTED)
        status = NITRO_OK;
    if (status == NITRO_OK && self->count > 0)
        status = send_batch(self);
    if (status == NITRO_OK && self->count > 0)
        status = nitro_store_remove_samples(local, self->computation, self->device,
                                            (const nitro_sample *const *)self->batch, self->count,
                                            &removed);
    /* Nothing was removed: another process keeps replacing the samples. Leave the rest to it. */
    *is_last = *is_last || removed == 0;
    free_batch(self);
    return status;
}

static nitro_status push_computation(push *self)
{
    nitro_string_list devices = {0};
    nitro_store *local = self->journal->local;
    nitro_status status = nitro_store_list_devices(local, self->computation, &devices);
    if (status == NITRO_OK && devices.count > 0)
        status = nitro_store_get_schema(local, self->computation, &self->schema);
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        bool is_last = false;
        self->device = devices.items[i];
        while (status == NITRO_OK && !is_last)
            status = push_batch(self, &is_last);
    }
    nitro_schema_free(self->schema);
    self->schema = NULL;
    nitro_string_list_free(&devices);
    return status;
}

static nitro_status push_all(push *self)
{
    nitro_string_list computations = {0};
    nitro_status status = nitro_store_list_computations(self->journal->local, &computations);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++) {
        self->computation = computations.items[i];
        status = push_computation(self);
    }
    nitro_string_list_free(&computations);
    return status;
}

/* Trying again does not help, but the samples are kept. */
static nitro_status fail_refused(nitro_journal *self, nitro_status status)
{
    return nitro_fail(self->context, status,
                      "%s; unsent samples are kept in %s: once the cause is removed, the next tune "
                      "into the store or 'nitro store sync' sends them",
                      self->message, nitro_store_url(self->local));
}

nitro_status nitro_journal_push(nitro_journal *self, bool at_once)
{
    double start_ms = nitro_clock_wall_ms(self->context);
    if (at_once)
        self->next_ms = start_ms;
    if (start_ms < self->next_ms)
        return NITRO_OK;
    push job = {.journal = self, .remote = nitro_journal_remote(self)};
    if (!job.remote)
        return self->failure == NITRO_ERR_IO ? NITRO_OK : fail_refused(self, self->failure);
    nitro_status status = push_all(&job);
    if (job.superseded > 0)
        nitro_log(self->context, NITRO_LOG_INFO,
                  "%s: %zu unsent samples were dropped: the store has newer ones of their inputs",
                  self->url, job.superseded);
    if (job.remote_failed && nitro_journal_is_unreachable(self, status))
        return NITRO_OK;
    if (status == NITRO_ERR_DENIED) {
        nitro_context_last_error(self->context, self->message, sizeof(self->message));
        return fail_refused(self, status);
    }
    double end_ms = nitro_clock_wall_ms(self->context);
    self->backoff_ms = 0;
    self->next_ms = end_ms + 9 * (end_ms - start_ms);
    return status;
}

nitro_status nitro_journal_count(nitro_journal *self, size_t *unsent)
{
    nitro_string_list computations = {0};
    size_t sum = 0;
    nitro_status status = nitro_store_list_computations(self->local, &computations);
    for (size_t i = 0; i < computations.count && status == NITRO_OK; i++) {
        nitro_string_list devices = {0};
        status = nitro_store_list_devices(self->local, computations.items[i], &devices);
        for (size_t k = 0; k < devices.count && status == NITRO_OK; k++) {
            size_t count = 0;
            status = nitro_store_count_samples(self->local, computations.items[i], devices.items[k],
                                               &count);
            sum += count;
        }
        nitro_string_list_free(&devices);
    }
    nitro_string_list_free(&computations);
    if (status == NITRO_OK)
        *unsent = sum;
    return status;
}
