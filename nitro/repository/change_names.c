/*
 * Changes the variants and features of a stored computation to those that are declared now. Times
 * and feature values move by name; what is no longer declared stays under NAME.retired, a
 * computation like any other, and comes back when it is declared again. One transaction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

#define RETIRED ".retired"

typedef struct device_samples {
    char *device;
    nitro_sample **items; /* shape [count] */
    size_t count, capacity;
} device_samples;

typedef struct device_profile {
    char *device;
    nitro_profile *profile;
} device_profile;

/** A computation with all its samples and profiles. */
typedef struct recorded {
    nitro_context *context;
    nitro_schema *schema; /* NULL: there is none */
    device_samples *devices;
    size_t num_devices;
    device_profile *profiles;
    size_t num_profiles, profile_capacity;
} recorded;

/* ---- Reading ------------------------------------------------------------------------------- */

static nitro_status keep_sample(void *user, const nitro_sample *sample)
{
    recorded *self = user;
    device_samples *last = &self->devices[self->num_devices - 1];
    nitro_sample **grown = nitro_grow(self->context, last->items, last->count, &last->capacity,
                                      sizeof(nitro_sample *), "samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    last->items = grown;
    nitro_status status = nitro_sample_copy(self->context, sample, &last->items[last->count]);
    last->count += status == NITRO_OK;
    return status;
}

static nitro_status keep_profile(void *user, const char *device, const nitro_profile *profile)
{
    recorded *self = user;
    device_profile *grown = nitro_grow(self->context, self->profiles, self->num_profiles,
                                       &self->profile_capacity, sizeof *grown, "profiles");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    self->profiles = grown;
    device_profile *made = &grown[self->num_profiles++];
    *made = (device_profile){.device = nitro_strdup(self->context, device)};
    return made->device ? nitro_profile_copy(self->context, profile, &made->profile)
                        : NITRO_ERR_NO_MEMORY;
}

static nitro_status read_recorded(nitro_store *store, const char *name, recorded *self)
{
    nitro_string_list ids = {0};
    nitro_status status = store->kind->get_schema(store->state, name, &self->schema);
    if (status != NITRO_OK)
        return status == NITRO_ERR_NOT_FOUND ? NITRO_OK : status;
    status = nitro_store_list_devices(store, name, &ids);
    if (status == NITRO_OK)
        self->devices = nitro_calloc(self->context, ids.count + 1, sizeof *self->devices);
    if (status == NITRO_OK && !self->devices)
        status = NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < ids.count && status == NITRO_OK; i++) {
        self->devices[self->num_devices].device = nitro_strdup(self->context, ids.items[i]);
        if (!self->devices[self->num_devices++].device)
            status = NITRO_ERR_NO_MEMORY;
        else
            status = nitro_store_each_sample(store, name, ids.items[i], keep_sample, self);
    }
    nitro_string_list_free(&ids);
    return status == NITRO_OK ? nitro_store_each_profile(store, NULL, name, keep_profile, self)
                              : status;
}

static void free_recorded(recorded *self)
{
    for (size_t i = 0; i < self->num_profiles; i++) {
        free(self->profiles[i].device);
        nitro_profile_free(self->profiles[i].profile);
    }
    free(self->profiles);
    for (size_t d = 0; d < self->num_devices; d++) {
        for (size_t i = 0; i < self->devices[d].count; i++)
            nitro_sample_free(self->devices[d].items[i]);
        free(self->devices[d].items);
        free(self->devices[d].device);
    }
    free(self->devices);
    nitro_schema_free(self->schema);
}

static int compare_input(const void *input, const void *sample)
{
    return strcmp(input, (*(nitro_sample *const *)sample)->input);
}

static const nitro_sample *find_sample(const recorded *self, const char *device, const char *input)
{
    for (size_t d = 0; d < self->num_devices; d++) {
        const device_samples *all = &self->devices[d]; /* in byte order of inputs */
        if (all->count == 0 || strcmp(all->device, device) != 0)
            continue;
        nitro_sample **found =
            bsearch(input, all->items, all->count, sizeof *all->items, compare_input);
        return found ? *found : NULL;
    }
    return NULL;
}

/* ---- Moving -------------------------------------------------------------------------------- */

/** Do two samples of one input's name agree in the features that both know? */
static bool are_of_one_input(const nitro_sample *a, const nitro_schema *of_a, const nitro_sample *b,
                             const nitro_schema *of_b)
{
    for (size_t f = 0; f < of_a->num_features; f++) {
        size_t other = nitro_schema_feature(of_b, of_a->features[f].name);
        if (other != NITRO_NONE && a->features[f] != b->features[other] && !isnan(a->features[f]) &&
            !isnan(b->features[other]))
            return false;
    }
    return true;
}

static nitro_status move_entry(nitro_context *context, const nitro_entry *from, nitro_entry *to)
{
    char *version = nitro_strdup(context, from->version);
    char *detail = nitro_strdup(context, from->detail);
    if ((from->version && !version) || (from->detail && !detail)) {
        free(version);
        free(detail);
        return NITRO_ERR_NO_MEMORY;
    }
    free(to->version);
    free(to->detail);
    *to = *from;
    to->version = version;
    to->detail = detail;
    return NITRO_OK;
}

/** Put what a sample has over another one of the same input; the cost of features is not moved. */
static nitro_status overlay(nitro_context *context, const nitro_sample *from,
                            const nitro_schema *of_from, nitro_sample *to,
                            const nitro_schema *of_to)
{
    nitro_status status = NITRO_OK;
    for (size_t f = 0; f < of_from->num_features; f++) {
        size_t place = nitro_schema_feature(of_to, of_from->features[f].name);
        if (place != NITRO_NONE && !isnan(from->features[f]))
            to->features[place] = from->features[f];
    }
    for (size_t v = 0; v < of_from->num_variants && status == NITRO_OK; v++) {
        size_t place = nitro_schema_variant(of_to, of_from->variants[v]);
        if (place != NITRO_NONE && from->entries[v].outcome != NITRO_OUTCOME_MISSING)
            status = move_entry(context, &from->entries[v], &to->entries[place]);
    }
    nitro_provenance_clear(&to->provenance);
    return status == NITRO_OK ? nitro_provenance_copy(context, &from->provenance, &to->provenance)
                              : status;
}

static nitro_status rearrange(nitro_context *context, const nitro_sample *from,
                              const nitro_schema *of_from, const nitro_schema *of_to,
                              nitro_sample **made)
{
    nitro_status status =
        nitro_sample_create(context, from->input, of_to->num_features, of_to->num_variants, made);
    return status == NITRO_OK ? overlay(context, from, of_from, *made, of_to) : status;
}

static bool has_times(const nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++)
        if (sample->entries[v].outcome != NITRO_OUTCOME_MISSING)
            return true;
    return false;
}

/* ---- Writing ------------------------------------------------------------------------------- */

typedef struct changing {
    nitro_context *context;
    nitro_store *store;
    const nitro_schema *declared;
    char *retired_name;
    nitro_schema *all; /* what is declared, then what is retired */
    recorded current, retired;
} changing;

static nitro_status add_names(nitro_context *context, const nitro_schema *from, nitro_schema *to)
{
    nitro_status status = NITRO_OK;
    for (size_t f = 0; from && f < from->num_features && status == NITRO_OK; f++)
        if (nitro_schema_feature(to, from->features[f].name) == NITRO_NONE)
            status = nitro_schema_add_feature(context, to, from->features[f].name,
                                              from->features[f].unit, from->features[f].scale);
    for (size_t v = 0; from && v < from->num_variants && status == NITRO_OK; v++)
        if (nitro_schema_variant(to, from->variants[v]) == NITRO_NONE)
            status = nitro_schema_add_variant(context, to, from->variants[v]);
    return status;
}

static nitro_status join_names(changing *self)
{
    nitro_status status = nitro_schema_create(self->context, self->retired_name, &self->all);
    if (status == NITRO_OK)
        status = add_names(self->context, self->declared, self->all);
    if (status == NITRO_OK)
        status = add_names(self->context, self->current.schema, self->all);
    if (status == NITRO_OK)
        status = add_names(self->context, self->retired.schema, self->all);
    return status;
}

/** All that is known of an input. */
static nitro_status join_sample(changing *self, const char *device, const nitro_sample *current,
                                nitro_sample **joined)
{
    const nitro_sample *old = find_sample(&self->retired, device, current->input);
    if (!old || !are_of_one_input(old, self->retired.schema, current, self->current.schema))
        return rearrange(self->context, current, self->current.schema, self->all, joined);
    nitro_status status = rearrange(self->context, old, self->retired.schema, self->all, joined);
    return status == NITRO_OK
               ? overlay(self->context, current, self->current.schema, *joined, self->all)
               : status;
}

static nitro_status put_sample(changing *self, const nitro_schema *schema, const char *device,
                               const nitro_sample *sample)
{
    const nitro_sample *samples[] = {sample};
    return has_times(sample)
               ? nitro_store_put_recording(self->store, schema, NULL, device, samples, 1, true)
               : NITRO_OK;
}

static bool has_retired(const changing *self)
{
    return self->all->num_variants > self->declared->num_variants ||
           self->all->num_features > self->declared->num_features;
}

static nitro_status write_device(changing *self, const device_samples *of)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < of->count && status == NITRO_OK; i++) {
        nitro_sample *joined = NULL, *declared = NULL;
        status = join_sample(self, of->device, of->items[i], &joined);
        if (status == NITRO_OK && has_retired(self))
            status = put_sample(self, self->all, of->device, joined);
        if (status == NITRO_OK)
            status = rearrange(self->context, joined, self->all, self->declared, &declared);
        if (status == NITRO_OK)
            status = put_sample(self, self->declared, of->device, declared);
        nitro_sample_free(joined);
        nitro_sample_free(declared);
    }
    return status;
}

/** Retired samples whose inputs have been removed since: they stay retired. */
static nitro_status write_retired(changing *self, const device_samples *of)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < of->count && status == NITRO_OK; i++) {
        nitro_sample *kept = NULL;
        if (find_sample(&self->current, of->device, of->items[i]->input))
            continue;
        status = rearrange(self->context, of->items[i], self->retired.schema, self->all, &kept);
        if (status == NITRO_OK)
            status = put_sample(self, self->all, of->device, kept);
        nitro_sample_free(kept);
    }
    return status;
}

/** Of both, a kernel's current profile stays. */
static nitro_status put_profile(changing *self, const device_profile *from)
{
    nitro_profile *profile = from->profile;
    bool is_declared = nitro_schema_variant(self->declared, profile->name) != NITRO_NONE;
    const char *computation = is_declared ? self->declared->computation : self->retired_name;
    nitro_status status = nitro_text_replace(self->context, &profile->computation, computation);
    if (status == NITRO_OK)
        status = nitro_store_put_profiles(self->store, from->device,
                                          (const nitro_profile *const *)&profile, 1, false);
    return status == NITRO_ERR_EXISTS ? NITRO_OK : status;
}

static nitro_status put_profiles(changing *self, const recorded *from)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < from->num_profiles && status == NITRO_OK; i++)
        status = put_profile(self, &from->profiles[i]);
    return status;
}

static nitro_status remove_if_there(nitro_store *store, const recorded *what)
{
    size_t removed = 0;
    return what->schema ? nitro_store_remove(store, what->schema->computation, NULL, &removed)
                        : NITRO_OK;
}

static nitro_status write_all(changing *self)
{
    nitro_status status = remove_if_there(self->store, &self->retired);
    if (status == NITRO_OK)
        status = remove_if_there(self->store, &self->current);
    if (status == NITRO_OK)
        status = nitro_store_put_schema(self->store, self->declared);
    if (status == NITRO_OK && has_retired(self))
        status = nitro_store_put_schema(self->store, self->all);
    for (size_t d = 0; d < self->current.num_devices && status == NITRO_OK; d++)
        status = write_device(self, &self->current.devices[d]);
    for (size_t d = 0; d < self->retired.num_devices && status == NITRO_OK; d++)
        status = write_retired(self, &self->retired.devices[d]);
    if (status == NITRO_OK)
        status = put_profiles(self, &self->current);
    return status == NITRO_OK ? put_profiles(self, &self->retired) : status;
}

/* ---- Telling ------------------------------------------------------------------------------- */

typedef const char *(*name_function)(const nitro_schema *schema, size_t index);

static const char *variant_name(const nitro_schema *schema, size_t index)
{
    return index < schema->num_variants ? schema->variants[index] : NULL;
}

static const char *feature_name(const nitro_schema *schema, size_t index)
{
    return index < schema->num_features ? schema->features[index].name : NULL;
}

static bool has_name(const nitro_schema *schema, name_function name_of, const char *name)
{
    size_t index = 0;
    for (const char *each; schema && (each = name_of(schema, index)) != NULL; index++)
        if (strcmp(each, name) == 0)
            return true;
    return false;
}

/** Log the names of `of` that `without` lacks and, unless it is NULL, `with` has (or lacks). */
static void tell(const changing *self, name_function name_of, const nitro_schema *of,
                 const nitro_schema *without, const nitro_schema *with, bool has,
                 const char *format)
{
    char names[1024] = "";
    size_t index = 0;
    for (const char *each; (each = name_of(of, index)) != NULL; index++)
        if (!has_name(without, name_of, each) && has_name(with, name_of, each) == has)
            nitro_message_list_add(names, sizeof names, "%s", each);
    if (names[0])
        nitro_log(self->context, NITRO_LOG_WARNING, "%s: %s %s: %s", self->declared->computation,
                  name_of == variant_name ? "variants" : "features", format, names);
}

static void tell_all(const changing *self)
{
    const nitro_schema *stored = self->current.schema, *old = self->retired.schema;
    const nitro_schema *declared = self->declared;
    tell(self, variant_name, declared, stored, old, false,
         "that are new, to be measured on the stored inputs, where the others keep their times");
    tell(self, variant_name, declared, stored, old, true,
         "that are declared again, and have their earlier times back");
    tell(self, variant_name, stored, declared, NULL, false,
         "that are no longer declared, whose times are kept as " RETIRED);
    tell(self, feature_name, declared, stored, old, false,
         "that are new, to be evaluated on the stored inputs, which keep their times");
    tell(self, feature_name, declared, stored, old, true,
         "that are declared again, and have their earlier values back");
    tell(self, feature_name, stored, declared, NULL, false,
         "that are no longer declared, whose values are kept as " RETIRED);
}

/* -------------------------------------------------------------------------------------------- */

static nitro_status change(changing *self)
{
    nitro_store *store = self->store;
    nitro_status status = read_recorded(store, self->declared->computation, &self->current);
    if (status == NITRO_OK && !self->current.schema)
        return nitro_store_put_schema(store, self->declared);
    if (status == NITRO_OK)
        status = read_recorded(store, self->retired_name, &self->retired);
    if (status == NITRO_OK)
        status = join_names(self);
    if (status == NITRO_OK)
        status = write_all(self);
    return status;
}

static nitro_status change_in_group(changing *self)
{
    nitro_store *store = self->store;
    nitro_status status = store->kind->begin(store->state);
    return status == NITRO_OK ? store->kind->end(store->state, change(self)) : status;
}

nitro_status nitro_store_change_names(nitro_store *store, const nitro_schema *declared)
{
    changing self = {.context = store->context,
                     .store = store,
                     .declared = declared,
                     .current = {.context = store->context},
                     .retired = {.context = store->context}};
    nitro_status status = nitro_store_require_writable(store);
    if (status != NITRO_OK || !store->kind->begin)
        return status == NITRO_OK ? NITRO_ERR_MISMATCH : status;
    self.retired_name = nitro_asprintf(store->context, "%s" RETIRED, declared->computation);
    status = self.retired_name ? change_in_group(&self) : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK && self.current.schema)
        tell_all(&self);
    free_recorded(&self.current);
    free_recorded(&self.retired);
    nitro_schema_free(self.all);
    free(self.retired_name);
    return status;
}
