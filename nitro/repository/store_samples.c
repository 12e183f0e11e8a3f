/* The facade's functions for samples, which are checked on their way in. Damaged ones are skipped
 * and reported. */
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

static int compare_inputs(const void *a, const void *b)
{
    return strcmp((*(const nitro_sample *const *)a)->input,
                  (*(const nitro_sample *const *)b)->input);
}

static nitro_status require_distinct_inputs(nitro_store *store, const nitro_sample *const *samples,
                                            size_t count)
{
    const nitro_sample **sorted = nitro_calloc(store->context, count, sizeof(*sorted));
    if (!sorted)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    memcpy(sorted, samples, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_inputs);
    for (size_t i = 1; i < count && status == NITRO_OK; i++)
        if (strcmp(sorted[i - 1]->input, sorted[i]->input) == 0)
            status = nitro_fail(store->context, NITRO_ERR_ARGUMENT, "%s: input '%s' is given twice",
                                store->url, sorted[i]->input);
    free(sorted);
    return status;
}

static nitro_status check_samples(nitro_store *store, const nitro_schema *schema,
                                  const char *device, const nitro_sample *const *samples,
                                  size_t count)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_store_check_sample(store->context, store->url, schema, device, samples[i],
                                          NITRO_ERR_ARGUMENT);
    return status == NITRO_OK ? require_distinct_inputs(store, samples, count) : status;
}

nitro_status nitro_store_put_samples(nitro_store *store, const char *computation,
                                     const char *device, const nitro_sample *const *samples,
                                     size_t count, bool replace)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_require_both(store, computation, device);
    if (status != NITRO_OK || count == 0)
        return status;
    status = nitro_store_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = check_samples(store, schema, device, samples, count);
    nitro_schema_free(schema);
    if (status != NITRO_OK)
        return status;
    return store->kind->put_samples(store->state, computation, device, samples, count, replace);
}

/* ---- A recording: samples one after another ---------------------------------------------------
 */

/* What each sample goes through on its way to the backend. */
typedef struct checked_source {
    const nitro_store *store;
    const nitro_schema *schema;
    const char *device;
    const nitro_sample_source *from;
} checked_source;

static nitro_status next_checked(void *user, const nitro_sample **sample)
{
    const checked_source *self = user;
    const nitro_sample *next = NULL;
    nitro_status status = self->from->next(self->from->user, &next);
    if (status == NITRO_OK && next)
        status = nitro_store_check_sample(self->store->context, self->store->url, self->schema,
                                          self->device, next, NITRO_ERR_ARGUMENT);
    if (status == NITRO_OK)
        *sample = next;
    return status;
}

static nitro_status check_recording(nitro_store *store, const nitro_schema *schema,
                                    const nitro_device *device, const char *device_id)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_check_schema(store->context, store->url, schema, NITRO_ERR_ARGUMENT);
    if (status == NITRO_OK)
        status = nitro_store_require_both(store, schema->computation, device_id);
    if (status == NITRO_OK && device)
        status = nitro_store_check_device(store->context, store->url, device, NITRO_ERR_ARGUMENT);
    if (status == NITRO_OK && device && strcmp(device->id, device_id) != 0)
        status = nitro_fail(store->context, NITRO_ERR_ARGUMENT,
                            "%s: samples of device %s come with the features of %s", store->url,
                            device_id, device->id);
    return status;
}

nitro_status nitro_store_put_stream(nitro_store *store, const nitro_schema *schema,
                                    const nitro_device *device, const char *device_id,
                                    const nitro_sample_source *source, bool replace)
{
    checked_source checked = {store, schema, device_id, source};
    nitro_status status = check_recording(store, schema, device, device_id);
    return status == NITRO_OK
               ? store->kind->put_recording(store->state, schema, device, device_id,
                                            &(nitro_sample_source){next_checked, &checked}, replace)
               : status;
}

nitro_status nitro_sample_array_next(void *array, const nitro_sample **sample)
{
    nitro_sample_array *self = array;
    *sample = self->next < self->count ? self->samples[self->next++] : NULL;
    return NITRO_OK;
}

nitro_status nitro_store_put_recording(nitro_store *store, const nitro_schema *schema,
                                       const nitro_device *device, const char *device_id,
                                       const nitro_sample *const *samples, size_t count,
                                       bool replace)
{
    nitro_sample_array array = {samples, count, 0};
    nitro_status status = check_recording(store, schema, device, device_id);
    if (status == NITRO_OK)
        status = check_samples(store, schema, device_id, samples, count);
    return status == NITRO_OK
               ? store->kind->put_recording(store->state, schema, device, device_id,
                                            &(nitro_sample_source){nitro_sample_array_next, &array},
                                            replace)
               : status;
}

nitro_status nitro_store_read_samples(nitro_store *store, const char *computation,
                                      const char *device, nitro_sample_function function,
                                      void *user, nitro_problem_function damaged,
                                      void *damaged_user)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_require_both(store, computation, device);
    if (status == NITRO_OK)
        status = nitro_store_get_schema(store, computation, &schema);
    if (status != NITRO_OK)
        return status;
    nitro_schema_free(schema);
    return store->kind->each_sample(store->state, computation, device, function, user, damaged,
                                    damaged_user);
}

nitro_status nitro_store_each_sample(nitro_store *store, const char *computation,
                                     const char *device, nitro_sample_function function, void *user)
{
    damage_log log = {.store = store};
    nitro_status status = nitro_store_read_samples(store, computation, device, function, user,
                                                   nitro_store_log_damage, &log);
    nitro_store_end_damage_log(&log);
    return status;
}

nitro_status nitro_store_get_sample(nitro_store *store, const char *computation, const char *device,
                                    const char *input, nitro_sample **sample)
{
    nitro_schema *schema = NULL;
    nitro_status status = nitro_store_require_both(store, computation, device);
    if (status == NITRO_OK && !nitro_input_name_is_valid(input))
        status = nitro_fail(store->context, NITRO_ERR_ARGUMENT, "'%.80s' is no valid input name",
                            input ? input : "(null)");
    if (status == NITRO_OK)
        status = nitro_store_get_schema(store, computation, &schema);
    if (status == NITRO_OK)
        status = store->kind->get_sample(store->state, computation, device, input, sample);
    if (schema && status == NITRO_ERR_NOT_FOUND)
        status = nitro_fail(store->context, status, "%s: %s on %s: no sample of input '%s'",
                            store->url, computation, device, input);
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_store_list_inputs(nitro_store *store, const char *computation,
                                     const char *device, nitro_string_list *inputs)
{
    nitro_status status = nitro_store_require_both(store, computation, device);
    if (status != NITRO_OK)
        return status;
    return store->kind->list_inputs(store->state, computation, device, inputs);
}

nitro_status nitro_store_count_samples(nitro_store *store, const char *computation,
                                       const char *device, size_t *count)
{
    nitro_status status = nitro_store_require_both(store, computation, device);
    if (status != NITRO_OK)
        return status;
    return store->kind->count_samples(store->state, computation, device, count);
}

nitro_status nitro_store_remove_samples(nitro_store *store, const char *computation,
                                        const char *device, const nitro_sample *const *samples,
                                        size_t count, size_t *removed)
{
    nitro_status status = nitro_store_require_writable(store);
    if (status == NITRO_OK)
        status = nitro_store_require_both(store, computation, device);
    if (status != NITRO_OK)
        return status;
    return store->kind->remove_samples(store->state, computation, device, samples, count, removed);
}
