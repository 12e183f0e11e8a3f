/* A remote store behind a journal on this machine: samples are written to the local disk first and
 * sent to the remote when it is reachable; reading merges both. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "store/journal/journal_internal.h"

#define FIRST_BACKOFF_MS 1000
#define MOST_BACKOFF_MS  60000
/* Between attempts while the caller waits. */
#define FIRST_PAUSE_MS 100
#define MOST_PAUSE_MS  5000

bool nitro_journal_is_unreachable(nitro_journal *self, nitro_status status)
{
    if (status != NITRO_ERR_IO)
        return false;
    bool is_news = self->failure == NITRO_OK;
    self->failure = status;
    nitro_context_last_error(self->context, self->message, sizeof(self->message));
    nitro_store_close(self->remote);
    self->remote = NULL;
    self->backoff_ms = self->backoff_ms > 0 ? 2 * self->backoff_ms : FIRST_BACKOFF_MS;
    if (self->backoff_ms > MOST_BACKOFF_MS)
        self->backoff_ms = MOST_BACKOFF_MS;
    self->next_ms = nitro_clock_wall_ms(self->context) + self->backoff_ms;
    nitro_log(self->context, is_news ? NITRO_LOG_WARNING : NITRO_LOG_DEBUG,
              "%s; unsent samples are kept in %s until it is reachable", self->message,
              nitro_store_url(self->local));
    return true;
}

nitro_store *nitro_journal_remote(nitro_journal *self)
{
    if (self->remote || nitro_clock_wall_ms(self->context) < self->next_ms)
        return self->remote;
    nitro_status status = nitro_store_open_kind(
        self->context, self->remote_kind, self->remote_address, NITRO_STORE_WRITE, &self->remote);
    if (nitro_journal_is_unreachable(self, status))
        return NULL;
    if (status == NITRO_OK && self->failure != NITRO_OK)
        nitro_log(self->context, NITRO_LOG_INFO, "%s is reachable again", self->url);
    self->failure = status;
    if (status != NITRO_OK)
        nitro_context_last_error(self->context, self->message, sizeof(self->message));
    return self->remote;
}

static void close_journal(void *state)
{
    nitro_journal *self = state;
    nitro_store_close(self->remote);
    nitro_store_close(self->local);
    nitro_string_list_free(&self->new_devices);
    free(self->remote_address);
    free(self->url);
    free(self->path);
    free(self);
}

/* Fail at once if trying again cannot help; an unreachable store is no error. */
static nitro_status connect_first(nitro_journal *self)
{
    nitro_journal_remote(self);
    if (self->failure == NITRO_OK || self->failure == NITRO_ERR_IO)
        return NITRO_OK;
    return nitro_fail(self->context, self->failure, "%s", self->message);
}

extern const nitro_store_kind nitro_store_journaled; /* below: no URL leads to it */

nitro_status nitro_journal_open(nitro_context *context, const nitro_store_kind *remote_kind,
                                const char *address, const char *path, nitro_store **store)
{
    nitro_journal *self = nitro_calloc(context, 1, sizeof(*self));
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    *self = (nitro_journal){.context = context, .remote_kind = remote_kind};
    self->remote_address = nitro_strdup(context, address);
    self->path = nitro_strdup(context, path);
    self->url = nitro_store_print_url(context, remote_kind, address);
    nitro_status status =
        self->remote_address && self->path && self->url ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_store_open(context, path, NITRO_STORE_WRITE, &self->local);
    if (status == NITRO_OK)
        status = connect_first(self);
    if (status == NITRO_OK)
        status = nitro_store_create(context, &nitro_store_journaled, NITRO_STORE_WRITE, self->url,
                                    self, store);
    if (status != NITRO_OK)
        close_journal(self);
    return status;
}

static void pause_for(double ms)
{
    const struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
                                   .tv_nsec = (long)(fmod(ms, 1000) * 1e6)};
    nanosleep(&pause, NULL);
}

/* Patience is counted in pauses, not by the context's clock, which a test may stop. */
static nitro_status flush(void *state, double patience_ms, size_t *unsent)
{
    nitro_journal *self = state;
    double pause_ms = FIRST_PAUSE_MS;
    for (;;) {
        nitro_status status = nitro_journal_push(self, true);
        if (status == NITRO_OK)
            status = nitro_journal_count(self, unsent);
        if (status != NITRO_OK || *unsent == 0 || patience_ms <= 0)
            return status;
        pause_for(fmin(pause_ms, patience_ms));
        patience_ms -= pause_ms;
        pause_ms = fmin(2 * pause_ms, MOST_PAUSE_MS);
    }
}

static nitro_status count_unsent(void *state, size_t *unsent)
{
    return nitro_journal_count(state, unsent);
}

/* For operations that need the remote. */
static nitro_status require_remote(nitro_journal *self, nitro_store **remote)
{
    *remote = nitro_journal_remote(self);
    return *remote ? NITRO_OK : nitro_fail(self->context, NITRO_ERR_IO, "%s", self->message);
}

static nitro_status put_profiles(void *state, const char *device,
                                 const nitro_profile *const *profiles, size_t count, bool replace)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_put_profiles(remote, device, profiles, count, replace)
                              : status;
}

static nitro_status each_profile(void *state, const char *device, const char *computation,
                                 nitro_profile_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_read_profiles(remote, device, computation, function,
                                                          user, damaged, damaged_user)
                              : status;
}

static nitro_status count_profiles(void *state, const char *device, const char *computation,
                                   size_t *count)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_count_profiles(remote, device, computation, count)
                              : status;
}

static nitro_status remove_profiles(void *state, const char *device, const char *computation,
                                    size_t *removed)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_remove_profiles(remote, device, computation, removed)
                              : status;
}

/* Unsent samples would restore removed ones. */
static nitro_status remove_records(void *state, const char *computation, const char *device,
                                   size_t *removed)
{
    nitro_journal *self = state;
    nitro_store *remote;
    nitro_status status = require_remote(self, &remote);
    if (status == NITRO_OK)
        status = nitro_store_remove(self->local, computation, device, NULL);
    if (status == NITRO_OK || status == NITRO_ERR_NOT_FOUND)
        status = nitro_store_remove(remote, computation, device, removed);
    return status;
}

static nitro_status remove_samples(void *state, const char *computation, const char *device,
                                   const nitro_sample *const *samples, size_t count,
                                   size_t *removed)
{
    nitro_journal *self = state;
    nitro_store *remote;
    size_t here = 0, there = 0;
    nitro_status status = require_remote(self, &remote);
    if (status == NITRO_OK)
        status =
            nitro_store_remove_samples(self->local, computation, device, samples, count, &here);
    if (status == NITRO_OK)
        status = nitro_store_remove_samples(remote, computation, device, samples, count, &there);
    if (status == NITRO_OK)
        *removed = here > there ? here : there;
    return status;
}

static nitro_status remove_device(void *state, const char *id)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_remove_device(remote, id) : status;
}

/* While the remote is unreachable every claim succeeds: measuring twice is harmless. */
static nitro_status claim(void *state, const char *computation, const char *device,
                          const char *input, const char *owner, uint32_t lease_ms, bool *claimed)
{
    nitro_journal *self = state;
    nitro_store *remote = nitro_journal_remote(self);
    *claimed = true;
    if (!remote || !nitro_store_has_claims(remote))
        return NITRO_OK;
    nitro_status status =
        nitro_store_claim(remote, computation, device, input, owner, lease_ms, claimed);
    if (!nitro_journal_is_unreachable(self, status))
        return status;
    *claimed = true;
    return NITRO_OK;
}

static nitro_status verify(void *state, nitro_problem_function report, void *user)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_verify(remote, report, user) : status;
}

static nitro_status remove_damaged(void *state, bool dry_run, nitro_problem_function report,
                                   void *user)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_remove_damaged(remote, dry_run, report, user) : status;
}

static nitro_status layout_version(void *state, int64_t *version)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_layout_version(remote, version) : status;
}

static nitro_status size_bytes(void *state, uint64_t *bytes)
{
    nitro_store *remote;
    nitro_status status = require_remote(state, &remote);
    return status == NITRO_OK ? nitro_store_size_bytes(remote, bytes) : status;
}

const nitro_store_kind nitro_store_journaled = {
    .scheme = "journaled",
    .description = "a remote store behind a journal on this machine",
    .close = close_journal,
    .put_schema = nitro_journal_put_schema,
    .get_schema = nitro_journal_get_schema,
    .list_computations = nitro_journal_list_computations,
    .put_device = nitro_journal_put_device,
    .get_device = nitro_journal_get_device,
    .list_devices = nitro_journal_list_devices,
    .put_samples = nitro_journal_put_samples,
    .put_recording = nitro_journal_put_recording,
    .each_sample = nitro_journal_each_sample,
    .get_sample = nitro_journal_get_sample,
    .list_inputs = nitro_journal_list_inputs,
    .count_samples = nitro_journal_count_samples,
    .put_profiles = put_profiles,
    .each_profile = each_profile,
    .count_profiles = count_profiles,
    .remove_profiles = remove_profiles,
    .remove = remove_records,
    .remove_samples = remove_samples,
    .remove_device = remove_device,
    .claim = claim,
    .verify = verify,
    .remove_damaged = remove_damaged,
    .layout_version = layout_version,
    .size_bytes = size_bytes,
    .flush = flush,
    .count_unsent = count_unsent,
};
