/* A store on another machine behind a journal on this one. Hides that the other may be away: what
 * is written is on this machine's disk first, goes to the other store as soon as that will have it,
 * and what is read is both together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/journal_internal.h"
#include "store/text.h"

/* ---- The remote ---------------------------------------------------------------------------- */

#define FIRST_BACKOFF_MS 1000
#define MOST_BACKOFF_MS  60000

bool nitro_journal_is_away(nitro_journal *self, nitro_status status)
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
              "%s; until it is back, samples wait in %s", self->message,
              nitro_store_url(self->local));
    return true;
}

nitro_store *nitro_journal_remote(nitro_journal *self)
{
    if (self->remote || nitro_clock_wall_ms(self->context) < self->next_ms)
        return self->remote;
    nitro_status status = nitro_store_open_kind(self->context, self->remote_kind,
                                                self->remote_address, NITRO_STORE_WRITE,
                                                &self->remote);
    if (nitro_journal_is_away(self, status))
        return NULL;
    if (status == NITRO_OK && self->failure != NITRO_OK)
        nitro_log(self->context, NITRO_LOG_INFO, "%s is back", self->url);
    self->failure = status;
    if (status != NITRO_OK)
        nitro_context_last_error(self->context, self->message, sizeof(self->message));
    return self->remote;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static void close_journal(void *state)
{
    nitro_journal *self = state;
    nitro_store_close(self->remote);
    nitro_store_close(self->local);
    nitro_string_list_free(&self->new_devices);
    free(self->remote_address);
    free(self->url);
    free(self);
}

/* A URL that no store will ever be behind is refused at once; one that is away is not. */
static nitro_status connect_first(nitro_journal *self)
{
    nitro_journal_remote(self);
    if (self->failure == NITRO_OK || self->failure == NITRO_ERR_IO)
        return NITRO_OK;
    return nitro_fail(self->context, self->failure, "%s", self->message);
}

nitro_status nitro_journal_open(nitro_context *context, const nitro_store_kind *remote_kind,
                                const char *address, const char *path, nitro_store **store)
{
    nitro_store *opened = nitro_calloc(context, 1, sizeof(*opened));
    nitro_journal *self = nitro_calloc(context, 1, sizeof(*self));
    nitro_status status = opened && self ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK) {
        *self = (nitro_journal){.context = context, .remote_kind = remote_kind};
        self->remote_address = nitro_strdup(context, address);
        self->url = nitro_store_print_url(context, remote_kind, address);
        *opened = (nitro_store){.context = context,
                                .kind = &nitro_store_journaled,
                                .mode = NITRO_STORE_WRITE,
                                .url = nitro_strdup(context, self->url),
                                .state = self};
        if (!self->remote_address || !self->url || !opened->url)
            status = NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        status = nitro_store_open(context, path, NITRO_STORE_WRITE, &self->local);
    if (status == NITRO_OK)
        status = connect_first(self);
    if (status == NITRO_OK) {
        *store = opened;
        return NITRO_OK;
    }
    if (opened)
        free(opened->url);
    free(opened);
    if (self)
        close_journal(self);
    return status;
}

nitro_status nitro_store_flush(nitro_store *store, double patience_ms, size_t *waiting)
{
    size_t count = 0;
    if (store->kind == &nitro_store_journaled) {
        nitro_journal *self = store->state;
        double pause_ms = 100, waited_ms = 0;
        nitro_status status;
        while ((status = nitro_journal_push(self, true)) == NITRO_OK &&
               (status = nitro_journal_count(self, &count)) == NITRO_OK && count > 0 &&
               waited_ms < patience_ms) {
            if (pause_ms > patience_ms - waited_ms)
                pause_ms = patience_ms - waited_ms;
            struct timespec pause = {.tv_sec = (time_t)(pause_ms / 1000),
                                     .tv_nsec = (long)(pause_ms * 1e6) % 1000000000};
            nanosleep(&pause, NULL);
            waited_ms += pause_ms;
            pause_ms *= 2;
        }
        if (status != NITRO_OK)
            return status;
    }
    if (waiting)
        *waiting = count;
    return NITRO_OK;
}

/* ---- Writing: here first ------------------------------------------------------------------- */

/* What was put for names that are no more in use would be in the way of new ones; what waits is
 * not. */
static nitro_status replace_names(nitro_journal *self, const nitro_schema *schema)
{
    char message[1024];
    size_t waiting = 0;
    nitro_context_last_error(self->context, message, sizeof(message));
    nitro_status status = nitro_journal_count(self, &waiting);
    if (status == NITRO_OK && waiting > 0)
        return nitro_fail(self->context, NITRO_ERR_MISMATCH,
                          "%s; %zu samples wait there for %s: send them with 'nitro store sync', "
                          "or remove the file",
                          message, waiting, self->url);
    if (status == NITRO_OK)
        status = nitro_store_remove(self->local, schema->computation, NULL, NULL);
    return status == NITRO_OK ? nitro_store_put_schema(self->local, schema) : status;
}

static nitro_status put_schema(void *state, const nitro_schema *schema)
{
    nitro_journal *self = state;
    nitro_status status = nitro_store_put_schema(self->local, schema);
    if (status == NITRO_ERR_MISMATCH)
        status = replace_names(self, schema);
    nitro_store *remote = status == NITRO_OK ? nitro_journal_remote(self) : NULL;
    if (!remote)
        return status;
    status = nitro_store_put_schema(remote, schema);
    return nitro_journal_is_away(self, status) ? NITRO_OK : status;
}

/* A description that could not go up goes with the device's next samples. */
static nitro_status put_device(void *state, const nitro_device *device)
{
    nitro_journal *self = state;
    nitro_status status = nitro_store_put_device(self->local, device);
    if (status != NITRO_OK)
        return status;
    nitro_store *remote = nitro_journal_remote(self);
    if (remote)
        status = nitro_store_put_device(remote, device);
    if (remote && !nitro_journal_is_away(self, status))
        return status;
    if (nitro_string_list_find(&self->new_devices, device->id) != NITRO_NONE)
        return NITRO_OK;
    return nitro_string_list_add(self->context, &self->new_devices, device->id);
}

static nitro_status put_samples(void *state, const char *computation, const char *device,
                                const nitro_sample *const *samples, size_t count, bool replace)
{
    nitro_journal *self = state;
    if (!replace)
        return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                          "%s: a store behind a journal cannot tell whether an input is there while "
                          "it is away: put samples with `replace`, which keeps the newer ones",
                          self->url);
    nitro_status status =
        nitro_store_put_samples(self->local, computation, device, samples, count, true);
    return status == NITRO_OK ? nitro_journal_push(self, false) : status;
}

static nitro_status put_recording(void *state, const nitro_schema *schema,
                                  const nitro_device *device, const char *device_id,
                                  const nitro_sample *const *samples, size_t count, bool replace)
{
    nitro_status status = put_schema(state, schema);
    if (status == NITRO_OK && device)
        status = put_device(state, device);
    if (status == NITRO_OK && count > 0)
        status = put_samples(state, schema->computation, device_id, samples, count, replace);
    return status;
}

/* ---- Reading: both together ---------------------------------------------------------------- */

static nitro_status get_schema(void *state, const char *computation, nitro_schema **schema)
{
    nitro_journal *self = state;
    nitro_status status = nitro_store_get_schema(self->local, computation, schema);
    nitro_store *remote = status == NITRO_ERR_NOT_FOUND ? nitro_journal_remote(self) : NULL;
    if (!remote)
        return status;
    status = nitro_store_get_schema(remote, computation, schema);
    return nitro_journal_is_away(self, status) ? NITRO_ERR_NOT_FOUND : status;
}

static nitro_status get_device(void *state, const char *id, nitro_device **device)
{
    nitro_journal *self = state;
    nitro_store *remote = nitro_journal_remote(self);
    if (remote) {
        nitro_status status = nitro_store_get_device(remote, id, device);
        if (!nitro_journal_is_away(self, status))
            return status;
    }
    return nitro_store_get_device(self->local, id, device);
}

/* The names in both stores, each once, in byte order. */
static nitro_status join_lists(nitro_journal *self, nitro_status local_status,
                               nitro_status remote_status, nitro_string_list *both,
                               nitro_string_list *names)
{
    nitro_status status = local_status;
    if (status == NITRO_OK && !nitro_journal_is_away(self, remote_status))
        status = remote_status;
    nitro_string_list_sort(both);
    for (size_t i = 0; i < both->count && status == NITRO_OK; i++)
        if (i == 0 || strcmp(both->items[i - 1], both->items[i]) != 0)
            status = nitro_string_list_add(self->context, names, both->items[i]);
    nitro_string_list_free(both);
    return status;
}

static nitro_status list_computations(void *state, nitro_string_list *computations)
{
    nitro_journal *self = state;
    nitro_string_list both = {0};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status here = nitro_store_list_computations(self->local, &both), there = NITRO_OK;
    if (here == NITRO_OK && remote)
        there = nitro_store_list_computations(remote, &both);
    return join_lists(self, here, there, &both, computations);
}

static nitro_status list_devices(void *state, const char *computation, nitro_string_list *ids)
{
    nitro_journal *self = state;
    nitro_string_list both = {0};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status here = nitro_store_list_devices(self->local, computation, &both), there = NITRO_OK;
    if (here == NITRO_OK && remote)
        there = nitro_store_list_devices(remote, computation, &both);
    return join_lists(self, here, there, &both, ids);
}

static nitro_status list_inputs(void *state, const char *computation, const char *device,
                                nitro_string_list *inputs)
{
    nitro_journal *self = state;
    nitro_string_list both = {0};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status here = nitro_store_list_inputs(self->local, computation, device, &both);
    nitro_status there = NITRO_OK;
    if (here == NITRO_OK && remote)
        there = nitro_store_list_inputs(remote, computation, device, &both);
    return join_lists(self, here, there, &both, inputs);
}

static nitro_status count_samples(void *state, const char *computation, const char *device,
                                  size_t *count)
{
    nitro_string_list inputs = {0};
    nitro_status status = list_inputs(state, computation, device, &inputs);
    if (status == NITRO_OK)
        *count = inputs.count;
    nitro_string_list_free(&inputs);
    return status;
}

static nitro_status get_sample(void *state, const char *computation, const char *device,
                               const char *input, nitro_sample **sample)
{
    nitro_journal *self = state;
    nitro_status status =
        nitro_store_get_sample(self->local, computation, device, input, sample);
    nitro_store *remote = status == NITRO_ERR_NOT_FOUND ? nitro_journal_remote(self) : NULL;
    if (!remote)
        return status;
    status = nitro_store_get_sample(remote, computation, device, input, sample);
    return nitro_journal_is_away(self, status) ? NITRO_ERR_NOT_FOUND : status;
}

/* What waits, in order, goes between what the remote hands out, and in place of what it replaces. */
typedef struct joined_loop {
    nitro_context *context;
    nitro_sample **waiting;
    size_t num_waiting, capacity, next;
    nitro_sample_function function;
    void *user;
    nitro_status status; /* of `function`: not to be taken for the remote's */
} joined_loop;

static nitro_status keep_waiting(void *user, const nitro_sample *sample)
{
    joined_loop *loop = user;
    if (loop->num_waiting == loop->capacity) {
        size_t capacity = loop->capacity ? 2 * loop->capacity : 64;
        nitro_sample **grown = realloc(loop->waiting, capacity * sizeof(*grown));
        if (!grown)
            return nitro_fail(loop->context, NITRO_ERR_NO_MEMORY, "out of memory: %zu samples",
                              capacity);
        loop->waiting = grown;
        loop->capacity = capacity;
    }
    nitro_status status =
        nitro_sample_copy(loop->context, sample, &loop->waiting[loop->num_waiting]);
    loop->num_waiting += status == NITRO_OK;
    return status;
}

/* Hand on what waits before `input` (NULL: all the rest); *same: it waits itself. */
static nitro_status hand_on_waiting(joined_loop *loop, const char *input, bool *same)
{
    while (loop->next < loop->num_waiting && loop->status == NITRO_OK) {
        const nitro_sample *sample = loop->waiting[loop->next];
        int order = input ? strcmp(sample->input, input) : -1;
        *same = order == 0;
        if (order > 0)
            break;
        loop->next++;
        loop->status = loop->function(loop->user, sample);
        if (*same)
            break;
    }
    return loop->status;
}

static nitro_status hand_on_joined(void *user, const nitro_sample *sample)
{
    joined_loop *loop = user;
    bool same = false;
    nitro_status status = hand_on_waiting(loop, sample->input, &same);
    if (status == NITRO_OK && !same)
        status = loop->status = loop->function(loop->user, sample);
    return status;
}

/* Should the remote go away in the middle, the loop ends early, and says so: what it has besides is
 * as unknown as if it had been away before. */
static nitro_status each_sample(void *state, const char *computation, const char *device,
                                nitro_sample_function function, void *user,
                                nitro_problem_function damaged, void *damaged_user)
{
    nitro_journal *self = state;
    joined_loop loop = {.context = self->context, .function = function, .user = user};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status status = nitro_store_read_samples(self->local, computation, device, keep_waiting,
                                                   &loop, damaged, damaged_user);
    if (status == NITRO_ERR_NOT_FOUND) /* no such names here: nothing waits */
        status = NITRO_OK;
    if (status == NITRO_OK && remote) {
        status = nitro_store_read_samples(remote, computation, device, hand_on_joined, &loop,
                                          damaged, damaged_user);
        if (loop.status == NITRO_OK && nitro_journal_is_away(self, status))
            status = NITRO_OK;
    }
    if (status == NITRO_OK && self->failure != NITRO_OK)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s on %s: what %s has cannot be read while it is away: it may be measured again",
                  computation, device, self->url);
    bool same;
    if (status == NITRO_OK)
        status = hand_on_waiting(&loop, NULL, &same);
    while (loop.num_waiting > 0)
        nitro_sample_free(loop.waiting[--loop.num_waiting]);
    free(loop.waiting);
    return status;
}
