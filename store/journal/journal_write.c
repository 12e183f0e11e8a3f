/* Writes to a journaled store: to the journal first, so that nothing is lost, then to the remote.
 * The first write creates the journal's file. */
#include <stdlib.h>

#include "store/journal/journal_internal.h"

/* An unused schema may be replaced, unless samples of it are unsent. */
static nitro_status replace_names(nitro_journal *self, const nitro_schema *schema)
{
    char message[1024];
    size_t unsent = 0;
    nitro_context_last_error(self->context, message, sizeof(message));
    nitro_status status = nitro_journal_count(self, &unsent);
    if (status == NITRO_OK && unsent > 0)
        return nitro_fail(
            self->context, NITRO_ERR_MISMATCH,
            "%s; samples there that were not sent to %s: %zu; send them with 'nitro store sync', "
            "or remove the file",
            message, self->url, unsent);
    if (status == NITRO_OK)
        status = nitro_store_remove(self->local, schema->computation, NULL, NULL);
    return status == NITRO_OK ? nitro_store_put_schema(self->local, schema) : status;
}

/* Call before the first write: a journal is found by the note beside it. */
static nitro_status note(nitro_journal *self)
{
    if (self->noted)
        return NITRO_OK;
    char *url = nitro_journal_url(self->context, self->remote_kind, self->remote_address);
    nitro_status status =
        url ? nitro_journal_note(self->context, self->path, url) : NITRO_ERR_NO_MEMORY;
    free(url);
    self->noted = status == NITRO_OK;
    return status;
}

static nitro_status put_schema_here(nitro_journal *self, const nitro_schema *schema)
{
    nitro_status status = note(self);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(self->local, schema);
    return status == NITRO_ERR_MISMATCH ? replace_names(self, schema) : status;
}

static nitro_status put_schema_there(nitro_journal *self, const nitro_schema *schema)
{
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status status = remote ? nitro_store_put_schema(remote, schema) : NITRO_OK;
    return nitro_journal_is_unreachable(self, status) ? NITRO_OK : status;
}

static nitro_status knows_schema(nitro_journal *self, const char *computation, bool *known)
{
    nitro_string_list names = {0};
    nitro_status status = nitro_store_list_computations(self->local, &names);
    *known = nitro_string_list_find(&names, computation) != NITRO_NONE;
    nitro_string_list_free(&names);
    return status;
}

/* The remote comes first, so that a refused schema leaves no journal behind; but if samples of
 * another schema are unsent, the local check comes before it. */
nitro_status nitro_journal_put_schema(void *state, const nitro_schema *schema)
{
    nitro_journal *self = state;
    bool known = false;
    nitro_status status = knows_schema(self, schema->computation, &known);
    if (status == NITRO_OK && known)
        status = put_schema_here(self, schema);
    if (status == NITRO_OK)
        status = put_schema_there(self, schema);
    if (status == NITRO_OK && !known)
        status = put_schema_here(self, schema);
    return status;
}

/* A description that could not be sent goes with the device's next samples. */
nitro_status nitro_journal_put_device(void *state, const nitro_device *device)
{
    nitro_journal *self = state;
    nitro_status status = note(self);
    if (status == NITRO_OK)
        status = nitro_store_put_device(self->local, device);
    if (status != NITRO_OK)
        return status;
    nitro_store *remote = nitro_journal_remote(self);
    if (remote)
        status = nitro_store_put_device(remote, device);
    if (remote && !nitro_journal_is_unreachable(self, status))
        return status;
    if (nitro_string_list_find(&self->new_devices, device->id) != NITRO_NONE)
        return NITRO_OK;
    return nitro_string_list_add(self->context, &self->new_devices, device->id);
}

static nitro_status fail_without_replace(const nitro_journal *self)
{
    return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                      "%s: a store behind a journal cannot check for existing inputs while it "
                      "is unreachable: put samples with `replace`, which keeps the newer ones",
                      self->url);
}

nitro_status nitro_journal_put_samples(void *state, const char *computation, const char *device,
                                       const nitro_sample *const *samples, size_t count,
                                       bool replace)
{
    nitro_journal *self = state;
    nitro_status status = replace ? note(self) : fail_without_replace(self);
    if (status == NITRO_OK)
        status = nitro_store_put_samples(self->local, computation, device, samples, count, true);
    return status == NITRO_OK ? nitro_journal_push(self, false) : status;
}

nitro_status nitro_journal_put_recording(void *state, const nitro_schema *schema,
                                         const nitro_device *device, const char *device_id,
                                         const nitro_sample_source *source, bool replace)
{
    nitro_journal *self = state;
    nitro_status status = nitro_journal_put_schema(state, schema);
    if (status == NITRO_OK && device)
        status = nitro_journal_put_device(state, device);
    if (status == NITRO_OK)
        status = replace ? note(self) : fail_without_replace(self);
    if (status == NITRO_OK)
        status = nitro_store_put_stream(self->local, schema, NULL, device_id, source, true);
    return status == NITRO_OK ? nitro_journal_push(self, false) : status;
}
