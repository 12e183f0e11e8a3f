/* Stores observations of monitored runs as samples: runs with the same features are one input, and
 * an entry is the median of a variant's times. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/base/require.h"
#include "nitro/measure/observed_device.h"
#include "nitro/measure/round_sample.h"
#include "nitro/runtime/computation.h"

typedef struct flush {
    nitro_context *context;
    const nitro_computation *computation;
    nitro_store *store;
    nitro_device *device;
    bool device_is_known; /* to the store */
    nitro_provenance provenance;
    size_t count;
    nitro_observation *items; /* shape [count], by features, then variant, then time */
    size_t num_features;
    size_t *room; /* for samples of sets of features that are new to the store */
    size_t num_samples;
    nitro_sample **samples; /* shape [num_samples] */
} flush;

static int compare_features(const nitro_observation *a, const nitro_observation *b)
{
    return memcmp(a->features, b->features, sizeof a->features); /* unused features are zeros */
}

static int compare(const void *left, const void *right)
{
    const nitro_observation *a = left, *b = right;
    int order = compare_features(a, b);
    if (order == 0)
        order = (a->variant > b->variant) - (a->variant < b->variant);
    return order ? order : (a->run_ms > b->run_ms) - (a->run_ms < b->run_ms);
}

static nitro_status read_all(flush *self, const nitro_observations *observations)
{
    size_t capacity = nitro_observations_capacity(observations);
    self->items = nitro_calloc(self->context, capacity, sizeof *self->items);
    if (!self->items)
        return NITRO_ERR_NO_MEMORY;
    for (size_t place = 0; place < capacity; place++) {
        nitro_observation *next = &self->items[self->count];
        bool whole = nitro_observations_read(observations, place, next);
        if (whole && isfinite(next->run_ms) && next->run_ms > 0)
            self->count++;
        else
            memset(next, 0, sizeof *next);
    }
    qsort(self->items, self->count, sizeof *self->items, compare);
    return NITRO_OK;
}

nitro_status nitro_observed_device(const nitro_computation *computation, nitro_store *store,
                                   nitro_device **device, bool *is_stored)
{
    nitro_context *context = computation->context;
    const char *kind = nitro_computation_device_kind(computation);
    char id[256];
    snprintf(id, sizeof id, "%s", kind);
    const nitro_model *model = nitro_rcu_pointer_enter(computation->model);
    if (model)
        snprintf(id, sizeof id, "%s", nitro_model_target(model));
    nitro_rcu_pointer_leave(computation->model);
    nitro_device *here = NULL;
    nitro_status found = nitro_device_find(context, id, false, &here, NULL);
    if (found != NITRO_OK || strcmp(here->kind, kind) != 0) { /* a model learnt elsewhere */
        nitro_device_free(here);
        here = NULL;
        found = nitro_device_find(context, kind, false, &here, NULL);
    }
    if (found == NITRO_OK) /* resolves "host" to this host's id */
        snprintf(id, sizeof id, "%s", here->id);
    nitro_status status = nitro_store_get_device(store, id, device);
    *is_stored = status == NITRO_OK;
    if (status != NITRO_ERR_NOT_FOUND || found != NITRO_OK) {
        nitro_device_free(here);
        return status;
    }
    *device = here;
    return NITRO_OK;
}

/** Starts from the stored sample, which keeps its other variants' entries.
 *  @param[out] sample  NULL: there is no room for a new one. */
static nitro_status open_sample(flush *self, const double *features, nitro_sample **sample)
{
    const nitro_schema *schema = self->computation->schema;
    char input[64];
    snprintf(input, sizeof input, "observed-%016" PRIx64,
             nitro_hash(features, self->num_features * sizeof *features, 0));
    nitro_status status = NITRO_ERR_NOT_FOUND;
    if (self->device_is_known)
        status = nitro_store_get_sample(self->store, schema->computation, self->device->id, input,
                                        sample);
    if (status == NITRO_ERR_NOT_FOUND && *self->room == 0)
        return NITRO_OK;
    *self->room -= status == NITRO_ERR_NOT_FOUND;
    if (status == NITRO_ERR_NOT_FOUND || status == NITRO_ERR_FORMAT || status == NITRO_ERR_NEWER)
        status = nitro_sample_create(self->context, input, schema->num_features,
                                     schema->num_variants, sample);
    if (status != NITRO_OK)
        return status;
    memcpy((*sample)->features, features, self->num_features * sizeof *features);
    nitro_provenance_clear(&(*sample)->provenance);
    status = nitro_provenance_copy(self->context, &self->provenance, &(*sample)->provenance);
    if (status != NITRO_OK) {
        nitro_sample_free(*sample);
        *sample = NULL;
    }
    return status;
}

/** @param[in] first  shape [count]: runs of one variant for one input, by time. */
static nitro_status set_entry(flush *self, const nitro_observation *first, size_t count,
                              nitro_sample *sample)
{
    nitro_entry *entry = &sample->entries[first->variant];
    char *version =
        nitro_strdup(self->context, self->computation->variants[first->variant].version);
    double *times_ms = nitro_calloc(self->context, count, sizeof *times_ms);
    if (!times_ms || !version) {
        free(version);
        free(times_ms);
        return NITRO_ERR_NO_MEMORY;
    }
    double longest_prepare_ms = 0.0;
    for (size_t i = 0; i < count; i++) {
        times_ms[i] = first[i].run_ms;
        longest_prepare_ms = fmax(longest_prepare_ms, first[i].prepare_ms);
    }
    free(entry->version);
    free(entry->detail);
    *entry = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                           .median_ms = nitro_median(times_ms, count),
                           .spread = nitro_relative_spread(times_ms, count),
                           .prepare_ms = NAN,
                           .count = (uint32_t)count,
                           .version = version};
    if (self->computation->variants[first->variant].prepare)
        entry->prepare_ms = longest_prepare_ms;
    free(times_ms);
    return NITRO_OK;
}

static nitro_status make_samples(flush *self)
{
    nitro_status status = NITRO_OK;
    nitro_sample *sample = NULL; /* of the features at hand; NULL: not stored */
    self->samples = nitro_calloc(self->context, self->count, sizeof *self->samples);
    if (!self->samples)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < self->count && status == NITRO_OK;) {
        const nitro_observation *first = &self->items[i];
        size_t count = 1;
        if (i == 0 || compare_features(first - 1, first) != 0) {
            sample = NULL;
            status = open_sample(self, first->features, &sample);
            if (sample)
                self->samples[self->num_samples++] = sample;
        }
        while (i + count < self->count && first[count].variant == first->variant &&
               compare_features(first, first + count) == 0)
            count++;
        if (status == NITRO_OK && sample)
            status = set_entry(self, first, count, sample);
        if (status == NITRO_OK && sample)
            nitro_sample_round(sample);
        i += count;
    }
    return status;
}

static nitro_status put(flush *self)
{
    nitro_status status = nitro_observed_device(self->computation, self->store, &self->device,
                                                &self->device_is_known);
    if (status == NITRO_OK)
        status =
            nitro_provenance_of_device(self->context, self->device, "observed", &self->provenance);
    if (status == NITRO_OK)
        status = make_samples(self);
    if (status == NITRO_OK)
        status = nitro_store_put_recording(
            self->store, self->computation->schema, self->device_is_known ? NULL : self->device,
            self->device->id, (const nitro_sample *const *)self->samples, self->num_samples, true);
    return status;
}

static void release(flush *self)
{
    for (size_t i = 0; i < self->num_samples; i++)
        nitro_sample_free(self->samples[i]);
    free(self->samples);
    free(self->items);
    nitro_device_free(self->device);
    nitro_provenance_clear(&self->provenance);
}

nitro_status nitro_computation_flush_observations(nitro_computation *computation,
                                                  nitro_store *store, size_t *num_samples)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && store);
    return nitro_flush_observations_into(computation, store, &(size_t){SIZE_MAX}, num_samples);
}

nitro_status nitro_flush_observations_into(nitro_computation *computation, nitro_store *store,
                                           size_t *room, size_t *num_samples)
{
    nitro_observations *observations =
        computation->monitor ? nitro_monitor_observations(computation->monitor) : NULL;
    if (!observations)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: no observations are recorded: turn recording on with "
                          "nitro_computation_monitor (num_recorded) or the setting record",
                          computation->schema->computation);
    if (nitro_store_context(store) != computation->context)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "the store and computation %s belong to different contexts",
                          computation->schema->computation);
    flush self = {.context = computation->context,
                  .computation = computation,
                  .store = store,
                  .num_features = computation->schema->num_features,
                  .room = room};
    nitro_monitor_poll(computation->monitor);
    nitro_status status = nitro_computation_version_by_code(computation);
    if (status == NITRO_OK)
        status = read_all(&self, observations);
    if (status == NITRO_OK && self.count > 0)
        status = put(&self);
    if (status == NITRO_OK) {
        for (size_t i = 0; i < self.count; i++)
            nitro_observations_forget(observations, self.items[i].number);
        if (num_samples)
            *num_samples = self.num_samples;
    }
    release(&self);
    return status;
}
