/* Profiles on their way out of a worker process. Hides how a kernel's counters travel: its name,
 * then the values of all counters of the proxies in blocks, then, once all of a variant's kernels
 * were sent, the word that they were. */
#include "nitro/measure/profile_transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/machine.h"

/* ---- In the worker --------------------------------------------------------------------------- */

static bool has(void *user, const char *counter)
{
    const nitro_profile_transfer *self = user;
    return self->profiler->has(self->state, counter);
}

nitro_status nitro_profile_transfer_open(nitro_profile_transfer *self)
{
    char local[NITRO_DEVICE_ID_SIZE];
    nitro_machine_local_id(self->device, local);
    nitro_status status = self->profiler->open(self->context, local, &self->state);
    if (status != NITRO_OK)
        return status;
    status =
        nitro_proxies_choose_counters(self->context, self->proxies, has, self, &self->counters);
    if (status == NITRO_OK && self->counters.count == 0)
        status = nitro_fail(self->context, NITRO_ERR_IO,
                            "profiler %s can count nothing on %s that a proxy is judged by",
                            self->profiler->name, self->device);
    return status;
}

void nitro_profile_transfer_close(nitro_profile_transfer *self)
{
    self->profiler->close(self->state);
    self->state = NULL;
    nitro_string_list_free(&self->counters);
}

typedef struct sending {
    const nitro_profile_transfer *profiling;
    size_t variant;
    nitro_record_function send;
    void *sender;
} sending;

/* Of all the proxies' counters, in their order: the values of those that were collected. */
static double value_of(const nitro_profile_transfer *self, size_t counter, const double *values)
{
    size_t place = nitro_string_list_find(&self->counters, self->proxies->counters.items[counter]);
    return place == NITRO_NONE ? NAN : values[place];
}

static nitro_status send_kernel(void *user, const char *kernel, const double *values)
{
    const sending *self = user;
    size_t count = self->profiling->proxies->counters.count;
    nitro_worker_record record = {.kind = NITRO_RECORD_KERNEL, .index = (uint32_t)self->variant};
    snprintf(record.text, sizeof record.text, "%s", kernel);
    self->send(self->sender, &record);
    for (size_t first = 0; first < count; first += NITRO_RECORD_VALUES) {
        record = (nitro_worker_record){.kind = NITRO_RECORD_COUNTERS, .index = (uint32_t)first};
        for (size_t i = 0; i < NITRO_RECORD_VALUES; i++)
            record.values[i] =
                first + i < count ? value_of(self->profiling, first + i, values) : NAN;
        self->send(self->sender, &record);
    }
    return NITRO_OK;
}

nitro_status nitro_profile_transfer_collect(nitro_profile_transfer *self,
                                            const nitro_profiled_work *work, size_t variant,
                                            nitro_record_function send, void *sender)
{
    sending on = {.profiling = self, .variant = variant, .send = send, .sender = sender};
    nitro_status status =
        self->profiler->collect(self->state, &self->counters, work, send_kernel, &on);
    if (status == NITRO_OK)
        send(sender,
             &(nitro_worker_record){.kind = NITRO_RECORD_PROFILED, .index = (uint32_t)variant});
    return status;
}

/* ---- In the process that waits --------------------------------------------------------------- */

void nitro_profile_transfer_drop_unfinished(nitro_profile_transfer *self)
{
    while (self->count > self->num_finished)
        nitro_profile_free(self->profiles[--self->count]);
}

void nitro_profile_transfer_clear(nitro_profile_transfer *self)
{
    self->num_finished = 0;
    nitro_profile_transfer_drop_unfinished(self);
    free(self->profiles);
    self->profiles = NULL;
    self->capacity = 0;
}

/* Launches of one kernel in one run are "NAME", "NAME#2" and so on. */
static char *number_kernel(const nitro_profile_transfer *self, const char *kernel)
{
    size_t launches = 1;
    size_t length = strlen(kernel);
    for (size_t i = self->num_finished; i < self->count; i++) {
        const char *other = self->profiles[i]->kernel;
        launches +=
            strncmp(other, kernel, length) == 0 && (other[length] == '\0' || other[length] == '#');
    }
    return launches == 1 ? nitro_strdup(self->context, kernel)
                         : nitro_asprintf(self->context, "%s#%zu", kernel, launches);
}

static nitro_status add_profile(nitro_profile_transfer *self, size_t variant, const char *kernel)
{
    if (self->count == self->capacity) {
        size_t capacity = 2 * self->capacity + 16;
        nitro_profile **grown = realloc(self->profiles, capacity * sizeof(nitro_profile *));
        if (!grown)
            return nitro_fail(self->context, NITRO_ERR_NO_MEMORY, "out of memory for profiles");
        self->profiles = grown;
        self->capacity = capacity;
    }
    char *numbered = number_kernel(self, kernel);
    if (!numbered)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status =
        self->name(self->name_user, variant, numbered, &self->profiles[self->count]);
    free(numbered);
    self->count += status == NITRO_OK;
    return status;
}

/* A name that could not be stored costs the name, not the profile. */
static nitro_status receive_kernel(nitro_profile_transfer *self, const nitro_worker_record *record)
{
    enum { LONGEST = 256 }; /* with room for a number */
    char name[LONGEST];
    memcpy(name, record->text, sizeof name);
    name[LONGEST - 1] = '\0';
    bool usable = nitro_input_name_is_valid(name);
    if (record->index != self->variant)
        nitro_profile_transfer_drop_unfinished(self);
    self->variant = record->index;
    return add_profile(self, record->index, usable ? name : "kernel");
}

static nitro_status receive_counters(const nitro_profile_transfer *self,
                                     const nitro_worker_record *record)
{
    const nitro_string_list *names = &self->proxies->counters;
    nitro_status status = NITRO_OK;
    if (self->count == self->num_finished)
        return NITRO_OK; /* no kernel was named */
    nitro_profile *profile = self->profiles[self->count - 1];
    for (size_t i = 0; i < NITRO_RECORD_VALUES && status == NITRO_OK; i++)
        if (record->index + i < names->count && isfinite(record->values[i]))
            status = nitro_profile_set(self->context, profile, names->items[record->index + i],
                                       record->values[i]);
    return status;
}

static void receive_profiled(nitro_profile_transfer *self, const nitro_worker_record *record)
{
    if (record->index != self->variant)
        nitro_profile_transfer_drop_unfinished(self);
    self->num_finished = self->count;
}

static void receive_unavailable(nitro_profile_transfer *self, const nitro_worker_record *record)
{
    bool known = record->index > NITRO_OK && record->index <= NITRO_ERR_DENIED;
    self->unavailable = known ? (nitro_status)record->index : NITRO_ERR_IO;
    memcpy(self->message, record->text, sizeof self->message);
    self->message[sizeof self->message - 1] = '\0';
}

void nitro_profile_transfer_receive(nitro_profile_transfer *self, const nitro_worker_record *record)
{
    nitro_status status = NITRO_OK;
    if (record->kind == NITRO_RECORD_KERNEL)
        status = receive_kernel(self, record);
    else if (record->kind == NITRO_RECORD_COUNTERS)
        status = receive_counters(self, record);
    else if (record->kind == NITRO_RECORD_PROFILED)
        receive_profiled(self, record);
    else if (record->kind == NITRO_RECORD_UNAVAILABLE)
        receive_unavailable(self, record);
    if (status != NITRO_OK && self->failure == NITRO_OK)
        self->failure = status;
}
