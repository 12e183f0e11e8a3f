/* Builds profiles from a worker's records: a kernel's name, the values of all proxies' counters in
 * blocks, and a record that a variant is complete. Records are untrusted. */
#include "nitro/measure/receive_profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nitro_received_profiles_drop_unfinished(nitro_received_profiles *self)
{
    while (self->count > self->num_finished)
        nitro_profile_free(self->profiles[--self->count]);
}

void nitro_received_profiles_clear(nitro_received_profiles *self)
{
    self->num_finished = 0;
    nitro_received_profiles_drop_unfinished(self);
    free(self->profiles);
    self->profiles = NULL;
    self->capacity = 0;
}

/* Launches of one kernel in a run are named "NAME", "NAME#2" and so on. */
static char *number_kernel(const nitro_received_profiles *self, const char *kernel)
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

static nitro_status add_profile(nitro_received_profiles *self, size_t variant, const char *kernel)
{
    nitro_profile **grown = nitro_grow(self->context, self->profiles, self->count, &self->capacity,
                                       sizeof(nitro_profile *), "profiles");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    self->profiles = grown;
    char *numbered = number_kernel(self, kernel);
    if (!numbered)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status =
        self->name(self->name_user, variant, numbered, &self->profiles[self->count]);
    free(numbered);
    self->count += status == NITRO_OK;
    return status;
}

/* An invalid name is replaced by "kernel". */
static nitro_status receive_kernel(nitro_received_profiles *self, const nitro_worker_record *record)
{
    enum { LONGEST = 256 }; /* with room for a number */
    char name[LONGEST];
    memcpy(name, record->text, sizeof name);
    name[LONGEST - 1] = '\0';
    bool usable = nitro_input_name_is_valid(name);
    if (record->index != self->variant)
        nitro_received_profiles_drop_unfinished(self);
    self->variant = record->index;
    return add_profile(self, record->index, usable ? name : "kernel");
}

static nitro_status receive_counters(const nitro_received_profiles *self,
                                     const nitro_worker_record *record)
{
    const nitro_string_list *names = &self->profiling->proxies->counters;
    nitro_status status = NITRO_OK;
    if (self->count == self->num_finished)
        return NITRO_OK; /* no kernel record before */
    nitro_profile *profile = self->profiles[self->count - 1];
    for (size_t i = 0; i < NITRO_RECORD_VALUES && status == NITRO_OK; i++)
        if (record->index + i < names->count && isfinite(record->values[i]))
            status = nitro_profile_set(self->context, profile, names->items[record->index + i],
                                       record->values[i]);
    return status;
}

static void receive_profiled(nitro_received_profiles *self, const nitro_worker_record *record)
{
    if (record->index != self->variant)
        nitro_received_profiles_drop_unfinished(self);
    self->num_finished = self->count;
}

static void receive_unavailable(nitro_received_profiles *self, const nitro_worker_record *record)
{
    bool known = record->index > NITRO_OK && record->index <= NITRO_ERR_UNSUPPORTED;
    self->unavailable = known ? (nitro_status)record->index : NITRO_ERR_IO;
    memcpy(self->message, record->text, sizeof self->message);
    self->message[sizeof self->message - 1] = '\0';
}

void nitro_received_profiles_add_record(nitro_received_profiles *self,
                                        const nitro_worker_record *record)
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
