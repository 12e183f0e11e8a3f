/* Stores modelled profiles of proxies, and of variants on the inputs whose samples are stored: a
 * cost model needs only a sample's features. */
#include <stdlib.h>
#include <string.h>

#include "nitro/base/context.h"

#define BATCH 512 /* of runs: a modelled run has one kernel */

typedef struct modelling {
    nitro_store *store;
    nitro_context *context;
    const nitro_device *device;
    const nitro_device_kind *kind;
    const nitro_schema *schema;
    uint64_t seed;
    nitro_sample **samples; /* read completely before writing */
    size_t num_samples, capacity;
    nitro_profile *batch[BATCH];
    size_t batch_size, count;
} modelling;

static nitro_status find_kind(modelling *self)
{
    for (const nitro_device_kind *const *kind = nitro_builtin_device_kinds(); *kind; kind++)
        if (strcmp((*kind)->name, self->device->kind) == 0 && (*kind)->simulate_profiles)
            self->kind = *kind;
    if (self->kind)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_ARGUMENT,
                      "device %s is of kind %s: profiles are synthesised only for modelled "
                      "devices; import a profiler's output with nitro store import --profiles",
                      self->device->id, self->device->kind);
}

static nitro_status keep_sample(void *user, const nitro_sample *sample)
{
    modelling *self = user;
    nitro_sample **grown = nitro_grow(self->context, self->samples, self->num_samples,
                                      &self->capacity, sizeof(nitro_sample *), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    self->samples = grown;
    nitro_status status =
        nitro_sample_copy(self->context, sample, &self->samples[self->num_samples]);
    if (status == NITRO_OK)
        self->num_samples++;
    return status;
}

static nitro_status write_batch(modelling *self)
{
    nitro_status status =
        nitro_store_put_profiles(self->store, self->device->id,
                                 (const nitro_profile *const *)self->batch, self->batch_size, true);
    if (status == NITRO_OK)
        self->count += self->batch_size;
    while (self->batch_size > 0)
        nitro_profile_free(self->batch[--self->batch_size]);
    return status;
}

static nitro_status keep_profile(void *user, const char *device, const nitro_profile *profile)
{
    modelling *self = user;
    nitro_status status = self->batch_size == BATCH ? write_batch(self) : NITRO_OK;
    (void)device;
    if (status == NITRO_OK)
        status = nitro_profile_copy(self->context, profile, &self->batch[self->batch_size]);
    self->batch_size += status == NITRO_OK;
    return status;
}

static nitro_status simulate(modelling *self, const nitro_schema *schema,
                             const nitro_sample *sample)
{
    return self->kind->simulate_profiles(self->context, self->device, schema, sample, self->seed,
                                         keep_profile, self);
}

static nitro_status model_profiles(modelling *self)
{
    nitro_status status = nitro_store_each_sample(self->store, self->schema->computation,
                                                  self->device->id, keep_sample, self);
    if (status == NITRO_OK && self->num_samples == 0)
        return nitro_fail(self->context, NITRO_ERR_NO_DATA,
                          "%s has no samples of %s on %s: tune first", nitro_store_url(self->store),
                          self->schema->computation, self->device->id);
    if (status == NITRO_OK)
        status = simulate(self, NULL, NULL);
    for (size_t i = 0; i < self->num_samples && status == NITRO_OK; i++)
        status = simulate(self, self->schema, self->samples[i]);
    return status == NITRO_OK ? write_batch(self) : status;
}

/* Appends the remedy to an unknown name's message. */
static nitro_status fail_not_tuned(nitro_context *context)
{
    char message[2048];
    nitro_context_last_error(context, message, sizeof message);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "%s; profiles are synthesised only for inputs with samples: tune first",
                      message);
}

nitro_status nitro_store_put_modelled_profiles(nitro_store *store, const char *computation,
                                               const char *device, uint64_t seed, size_t *count)
{
    nitro_schema *schema = NULL;
    nitro_device *found = NULL;
    modelling *self = nitro_calloc(nitro_store_context(store), 1, sizeof *self);
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = nitro_store_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_store_get_device(store, device, &found);
    if (status == NITRO_ERR_NOT_FOUND)
        status = fail_not_tuned(nitro_store_context(store));
    self->store = store;
    self->context = nitro_store_context(store);
    self->seed = seed;
    self->schema = schema;
    self->device = found;
    if (status == NITRO_OK)
        status = find_kind(self);
    if (status == NITRO_OK)
        status = model_profiles(self);
    if (status == NITRO_OK)
        *count = self->count;
    while (self->batch_size > 0)
        nitro_profile_free(self->batch[--self->batch_size]);
    while (self->num_samples > 0)
        nitro_sample_free(self->samples[--self->num_samples]);
    free(self->samples);
    free(self);
    nitro_schema_free(schema);
    nitro_device_free(found);
    return status;
}
