/* Reads a journaled store: the remote's records and the unsent ones, merged in order. While the
 * remote is unreachable, only unsent ones can be read. */
#include <stdlib.h>
#include <string.h>

#include "store/journal/journal_internal.h"

nitro_status nitro_journal_get_schema(void *state, const char *computation, nitro_schema **schema)
{
    nitro_journal *self = state;
    nitro_status status = nitro_store_get_schema(self->local, computation, schema);
    nitro_store *remote = status == NITRO_ERR_NOT_FOUND ? nitro_journal_remote(self) : NULL;
    if (!remote)
        return status;
    status = nitro_store_get_schema(remote, computation, schema);
    return nitro_journal_is_unreachable(self, status) ? NITRO_ERR_NOT_FOUND : status;
}

nitro_status nitro_journal_get_device(void *state, const char *id, nitro_device **device)
{
    nitro_journal *self = state;
    nitro_store *remote = nitro_journal_remote(self);
    if (remote) {
        nitro_status status = nitro_store_get_device(remote, id, device);
        if (!nitro_journal_is_unreachable(self, status))
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
    if (status == NITRO_OK && !nitro_journal_is_unreachable(self, remote_status))
        status = remote_status;
    nitro_string_list_unique(both);
    for (size_t i = 0; i < both->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(self->context, names, both->items[i]);
    nitro_string_list_free(both);
    return status;
}

nitro_status nitro_journal_list_computations(void *state, nitro_string_list *computations)
{
    nitro_journal *self = state;
    nitro_string_list both = {0};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status here = nitro_store_list_computations(self->local, &both), there = NITRO_OK;
    if (here == NITRO_OK && remote)
        there = nitro_store_list_computations(remote, &both);
    return join_lists(self, here, there, &both, computations);
}

nitro_status nitro_journal_list_devices(void *state, const char *computation,
                                        nitro_string_list *ids)
{
    nitro_journal *self = state;
    nitro_string_list both = {0};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status here = nitro_store_list_devices(self->local, computation, &both), there = NITRO_OK;
    if (here == NITRO_OK && remote)
        there = nitro_store_list_devices(remote, computation, &both);
    return join_lists(self, here, there, &both, ids);
}

nitro_status nitro_journal_list_inputs(void *state, const char *computation, const char *device,
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

nitro_status nitro_journal_count_samples(void *state, const char *computation, const char *device,
                                         size_t *count)
{
    nitro_string_list inputs = {0};
    nitro_status status = nitro_journal_list_inputs(state, computation, device, &inputs);
    if (status == NITRO_OK)
        *count = inputs.count;
    nitro_string_list_free(&inputs);
    return status;
}

nitro_status nitro_journal_get_sample(void *state, const char *computation, const char *device,
                                      const char *input, nitro_sample **sample)
{
    nitro_journal *self = state;
    nitro_status status = nitro_store_get_sample(self->local, computation, device, input, sample);
    nitro_store *remote = status == NITRO_ERR_NOT_FOUND ? nitro_journal_remote(self) : NULL;
    if (!remote)
        return status;
    status = nitro_store_get_sample(remote, computation, device, input, sample);
    return nitro_journal_is_unreachable(self, status) ? NITRO_ERR_NOT_FOUND : status;
}

/* Merges unsent samples into the remote's; they replace its samples of the same inputs.
 */
typedef struct joined_loop {
    nitro_context *context;
    nitro_sample **unsent;
    size_t num_unsent, capacity, next;
    nitro_sample_function function;
    void *user;
    nitro_status status; /* of `function`, as opposed to the remote's */
} joined_loop;

static nitro_status keep_unsent(void *user, const nitro_sample *sample)
{
    joined_loop *loop = user;
    nitro_sample **grown = nitro_grow(loop->context, loop->unsent, loop->num_unsent,
                                      &loop->capacity, sizeof(*grown), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    loop->unsent = grown;
    nitro_status status = nitro_sample_copy(loop->context, sample, &loop->unsent[loop->num_unsent]);
    loop->num_unsent += status == NITRO_OK;
    return status;
}

/* Pass on unsent samples up to `input` (NULL: all the rest); *same: `input` itself was unsent. */
static nitro_status pass_on_unsent(joined_loop *loop, const char *input, bool *same)
{
    while (loop->next < loop->num_unsent && loop->status == NITRO_OK) {
        const nitro_sample *sample = loop->unsent[loop->next];
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

static nitro_status pass_on_joined(void *user, const nitro_sample *sample)
{
    joined_loop *loop = user;
    bool same = false;
    nitro_status status = pass_on_unsent(loop, sample->input, &same);
    if (status == NITRO_OK && !same)
        status = loop->status = loop->function(loop->user, sample);
    return status;
}

/* If the connection is lost, the loop ends early with a warning. */
nitro_status nitro_journal_each_sample(void *state, const char *computation, const char *device,
                                       nitro_sample_function function, void *user,
                                       nitro_problem_function damaged, void *damaged_user)
{
    nitro_journal *self = state;
    joined_loop loop = {.context = self->context, .function = function, .user = user};
    nitro_store *remote = nitro_journal_remote(self);
    nitro_status status = nitro_store_read_samples(self->local, computation, device, keep_unsent,
                                                   &loop, damaged, damaged_user);
    if (status == NITRO_ERR_NOT_FOUND) /* not in the journal: nothing is unsent */
        status = NITRO_OK;
    if (status == NITRO_OK && remote) {
        status = nitro_store_read_samples(remote, computation, device, pass_on_joined, &loop,
                                          damaged, damaged_user);
        if (loop.status == NITRO_OK && nitro_journal_is_unreachable(self, status))
            status = NITRO_OK;
    }
    if (status == NITRO_OK && self->failure != NITRO_OK)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s on %s: samples in %s cannot be read while it is unreachable: their inputs "
                  "may be measured again",
                  computation, device, self->url);
    bool same;
    if (status == NITRO_OK)
        status = pass_on_unsent(&loop, NULL, &same);
    while (loop.num_unsent > 0)
        nitro_sample_free(loop.unsent[--loop.num_unsent]);
    free(loop.unsent);
    return status;
}
