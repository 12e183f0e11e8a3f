/* Profiles of a store as rows of metrics, ordered by device, run and kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dfs/pdfs.h"

typedef struct reading {
    nitro_context *context;
    const nitro_proxies *proxies;
    const nitro_dataset *inputs; /* NULL: proxies are read */
    const bool *wanted;
    profile_rows *rows;
} reading;

void profile_rows_free(profile_rows *rows)
{
    free(rows->owner);
    free(rows->intensity);
    free(rows->values);
    *rows = (profile_rows){0};
}

static void *resize(void *items, size_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : realloc(items, count * size);
}

static nitro_status make_room(nitro_context *context, profile_rows *rows)
{
    if (rows->count < rows->capacity)
        return NITRO_OK;
    size_t capacity = 2 * rows->capacity + 64;
    size_t *owner = resize(rows->owner, capacity, sizeof(*owner));
    rows->owner = owner ? owner : rows->owner;
    double *intensity = resize(rows->intensity, capacity, sizeof(*intensity));
    rows->intensity = intensity ? intensity : rows->intensity;
    double *values = resize(rows->values, capacity, rows->num_metrics * sizeof(*values));
    rows->values = values ? values : rows->values;
    if (!owner || !intensity || !values)
        return nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory for %zu profiles", capacity);
    rows->capacity = capacity;
    return NITRO_OK;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static size_t find_input(const nitro_dataset *dataset, const char *name)
{
    char **found =
        bsearch(&name, dataset->inputs, dataset->num_inputs, sizeof *found, compare_names);
    return found ? (size_t)(found - dataset->inputs) : NITRO_NONE;
}

static nitro_status add_row(void *user, const char *device, const nitro_profile *profile)
{
    const reading *self = user;
    profile_rows *rows = self->rows;
    size_t owner = self->inputs ? find_input(self->inputs, profile->input)
                                : nitro_proxies_find(self->proxies, profile->name);
    (void)device;
    if (owner == NITRO_NONE || (self->wanted && !self->wanted[owner]))
        return NITRO_OK;
    nitro_status status = make_room(self->context, rows);
    double *values = rows->values + rows->count * rows->num_metrics;
    if (status == NITRO_OK)
        status = nitro_proxies_values(self->context, self->proxies, profile, values);
    if (status != NITRO_OK)
        return status;
    bool usable = false;
    for (size_t i = 0; i < rows->num_metrics; i++)
        usable = usable || !isnan(values[i]);
    if (!usable) {
        rows->unusable++;
        return NITRO_OK;
    }
    const char *origin = profile->provenance.origin;
    rows->modelled = rows->modelled || (origin && strcmp(origin, "modelled") == 0);
    rows->owner[rows->count] = owner;
    rows->intensity[rows->count++] = profile->intensity;
    return NITRO_OK;
}

nitro_status profile_rows_of_proxies(nitro_context *context, nitro_store *store, const char *device,
                                     const nitro_proxies *proxies, profile_rows *rows)
{
    reading self = {.context = context, .proxies = proxies, .rows = rows};
    rows->num_metrics = proxies->num_metrics;
    return nitro_store_each_profile(store, device, NULL, add_row, &self);
}

nitro_status profile_rows_of_variants(nitro_context *context, nitro_store *store,
                                      const char *device, const nitro_proxies *proxies,
                                      const nitro_dataset *inputs, const bool *wanted,
                                      profile_rows *rows)
{
    reading self = {
        .context = context, .proxies = proxies, .inputs = inputs, .wanted = wanted, .rows = rows};
    rows->num_metrics = proxies->num_metrics;
    return nitro_store_each_profile(store, device, inputs->schema->computation, add_row, &self);
}
