/* Finds and removes outdated measurements: those made by other versions of variants, or with
 * another compiler, driver, toolkit or device than are current. Unless the caller gives the
 * versions, the device's description says what is current, else its newest sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/repository/store_internal.h"

/* Samples that are outdated for one reason. */
typedef struct outdated_group {
    size_t variant; /* NITRO_NONE: the whole sample */
    const char *what;
    char *was;
    const char *now;
    size_t samples;
} outdated_group;

typedef struct search {
    nitro_store *store;
    const nitro_schema *schema;
    const char *device;
    const char *const *versions; /* given by the caller; NULL: the newest */
    nitro_provenance today;
    char digest[NITRO_DIGEST_SIZE];
    char *newest[NITRO_MAX_VARIANTS]; /* versions, and when they were measured */
    int64_t newest_s[NITRO_MAX_VARIANTS];
    outdated_group *groups;
    size_t num_groups, capacity;
    nitro_sample **changed; /* without the outdated times; only if `wants_changed` */
    size_t num_changed, changed_capacity;
    bool wants_changed;
} search;

static const char *version_of(const search *self, size_t variant)
{
    return self->versions ? self->versions[variant] : self->newest[variant];
}

static nitro_status note_newest(void *user, const nitro_sample *sample)
{
    search *self = user;
    nitro_context *context = nitro_store_context(self->store);
    int64_t time_s = sample->provenance.time_s;
    nitro_status status = NITRO_OK;
    if (sample->provenance.compiler && (!self->today.compiler || time_s > self->today.time_s)) {
        nitro_provenance_clear(&self->today);
        status = nitro_provenance_copy(context, &sample->provenance, &self->today);
    }
    for (size_t v = 0; v < sample->num_entries && status == NITRO_OK; v++) {
        const char *version = sample->entries[v].version;
        if (!version || (self->newest[v] && time_s <= self->newest_s[v]))
            continue;
        status = nitro_text_replace(context, &self->newest[v], version);
        self->newest_s[v] = time_s;
    }
    return status;
}

static nitro_status count_outdated(search *self, size_t variant, const char *what, const char *was,
                                   const char *now)
{
    nitro_context *context = nitro_store_context(self->store);
    for (size_t i = 0; i < self->num_groups; i++) {
        outdated_group *group = &self->groups[i];
        if (group->variant == variant && group->what == what && strcmp(group->was, was) == 0) {
            group->samples++;
            return NITRO_OK;
        }
    }
    outdated_group *grown = nitro_grow(context, self->groups, self->num_groups, &self->capacity,
                                       sizeof(*grown), "outdated samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    self->groups = grown;
    char *copy = nitro_strdup(context, was);
    if (!copy)
        return NITRO_ERR_NO_MEMORY;
    self->groups[self->num_groups++] = (outdated_group){variant, what, copy, now, 1};
    return NITRO_OK;
}

/* Unknown values are no difference. */
static nitro_status compare(search *self, const char *what, const char *was, const char *now)
{
    if (!was || !now || strcmp(was, now) == 0)
        return NITRO_OK;
    return count_outdated(self, NITRO_NONE, what, was, now);
}

static bool is_outdated_entry(const search *self, const nitro_sample *sample, size_t variant)
{
    const char *was = sample->entries[variant].version, *now = version_of(self, variant);
    return was && now && nitro_version_is_other(was, now);
}

static bool has_digests(const nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++)
        if (sample->entries[v].version && nitro_version_has_digest(sample->entries[v].version))
            return true;
    return false;
}

/* Keep a copy without the times of other versions, to be written after the loop. */
static nitro_status note_changed(search *self, const nitro_sample *sample)
{
    nitro_context *context = nitro_store_context(self->store);
    bool any = false;
    for (size_t v = 0; v < sample->num_entries; v++)
        any = any || is_outdated_entry(self, sample, v);
    if (!any)
        return NITRO_OK;
    nitro_sample **grown =
        nitro_grow(context, self->changed, self->num_changed, &self->changed_capacity,
                   sizeof(nitro_sample *), "outdated samples");
    if (!grown)
        return NITRO_ERR_NO_MEMORY;
    self->changed = grown;
    nitro_status status = nitro_sample_copy(context, sample, &self->changed[self->num_changed]);
    self->num_changed += status == NITRO_OK;
    return status;
}

static nitro_status examine(void *user, const nitro_sample *sample)
{
    search *self = user;
    const nitro_provenance *made = &sample->provenance, *today = &self->today;
    nitro_status status = NITRO_OK;
    if (!has_digests(sample)) /* else the code itself is compared, not Nitro's compiler */
        status = compare(self, "compiler", made->compiler, today->compiler);
    if (status == NITRO_OK)
        status = compare(self, "driver", made->driver, today->driver);
    if (status == NITRO_OK)
        status = compare(self, "toolkit", made->toolkit, today->toolkit);
    if (status == NITRO_OK)
        status = compare(self, "device", made->device_digest, self->digest);
    for (size_t v = 0; v < sample->num_entries && status == NITRO_OK; v++)
        if (is_outdated_entry(self, sample, v))
            status =
                count_outdated(self, v, "version", sample->entries[v].version, version_of(self, v));
    return status == NITRO_OK && self->wants_changed ? note_changed(self, sample) : status;
}

static void report_groups(const search *self, nitro_outdated_function report, void *user)
{
    for (size_t i = 0; i < self->num_groups; i++) {
        const outdated_group *group = &self->groups[i];
        bool whole = group->variant == NITRO_NONE;
        const nitro_outdated outdated = {.computation = self->schema->computation,
                                         .device = self->device,
                                         .variant =
                                             whole ? NULL : self->schema->variants[group->variant],
                                         .what = group->what,
                                         .was = group->was,
                                         .now = group->now,
                                         .samples = group->samples};
        report(user, &outdated);
    }
}

static void take_back(const search *self, nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++) {
        nitro_entry *entry = &sample->entries[v];
        if (!is_outdated_entry(self, sample, v))
            continue;
        free(entry->version);
        free(entry->detail);
        *entry = (nitro_entry){
            .outcome = NITRO_OUTCOME_MISSING, .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    }
}

/* Is the sample in the store the one that was read? Another process may have measured again. */
static nitro_status is_unchanged(search *self, const nitro_sample *sample, bool *unchanged)
{
    nitro_context *context = nitro_store_context(self->store);
    const char *computation = self->schema->computation;
    nitro_sample *now = NULL;
    uint64_t was = 0, is = 0;
    nitro_status status =
        nitro_store_get_sample(self->store, computation, self->device, sample->input, &now);
    if (status == NITRO_ERR_NOT_FOUND)
        return NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_record_sample_checksum(context, computation, self->device, sample, &was);
    if (status == NITRO_OK)
        status = nitro_record_sample_checksum(context, computation, self->device, now, &is);
    *unchanged = status == NITRO_OK && was == is;
    nitro_sample_free(now);
    return status;
}

/* Removes a sample whose every time is outdated, else its outdated times. */
static nitro_status write_one(search *self, nitro_sample *sample)
{
    const nitro_sample *samples[] = {sample};
    const char *computation = self->schema->computation;
    bool all = true, unchanged = false;
    size_t removed = 0;
    nitro_status status = is_unchanged(self, sample, &unchanged);
    if (status != NITRO_OK || !unchanged)
        return status;
    for (size_t v = 0; v < sample->num_entries; v++)
        all = all && (is_outdated_entry(self, sample, v) ||
                      sample->entries[v].outcome == NITRO_OUTCOME_MISSING);
    if (!all)
        take_back(self, sample);
    /* What goes is written too: stores compare bytes, and an older Nitro may have written others.
     */
    status = nitro_store_put_samples(self->store, computation, self->device, samples, 1, true);
    if (status == NITRO_OK && all)
        status = nitro_store_remove_samples(self->store, computation, self->device, samples, 1,
                                            &removed);
    return status;
}

/* In one transaction, where there are transactions; in Redis, a sample is compared right before it
 * is replaced. */
static nitro_status write_changed(search *self)
{
    nitro_store *store = self->store;
    bool in_group = self->num_changed > 0 && store->kind->begin;
    nitro_status status = in_group ? store->kind->begin(store->state) : NITRO_OK;
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < self->num_changed && status == NITRO_OK; i++)
        status = write_one(self, self->changed[i]);
    return in_group ? store->kind->end(store->state, status) : status;
}

/* The device's description has precedence over its newest sample. */
static nitro_status use_label(search *self, const nitro_device *device, const char *label,
                              char **text)
{
    const char *said = nitro_device_label(device, label);
    return said ? nitro_text_replace(nitro_store_context(self->store), text, said) : NITRO_OK;
}

static nitro_status find_today(search *self)
{
    nitro_device *device = NULL;
    nitro_status status = nitro_store_get_device(self->store, self->device, &device);
    if (status != NITRO_OK)
        return status;
    nitro_device_digest(device, self->digest);
    status = nitro_store_each_sample(self->store, self->schema->computation, self->device,
                                     note_newest, self);
    if (status == NITRO_OK)
        status = use_label(self, device, "driver", &self->today.driver);
    if (status == NITRO_OK)
        status = use_label(self, device, "toolkit", &self->today.toolkit);
    nitro_device_free(device);
    return status;
}

static nitro_status search_device(search *self, nitro_outdated_function report, void *user)
{
    const char *computation = self->schema->computation;
    nitro_status status = find_today(self);
    if (status == NITRO_OK)
        status = nitro_store_each_sample(self->store, computation, self->device, examine, self);
    if (status == NITRO_OK)
        report_groups(self, report, user);
    return status == NITRO_OK ? write_changed(self) : status;
}

static void forget(search *self)
{
    nitro_provenance_clear(&self->today);
    for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
        free(self->newest[v]);
    memset(self->newest, 0, sizeof(self->newest));
    for (size_t i = 0; i < self->num_groups; i++)
        free(self->groups[i].was);
    self->num_groups = 0;
    while (self->num_changed > 0)
        nitro_sample_free(self->changed[--self->num_changed]);
}

static nitro_status search_all(search *self, const char *computation,
                               nitro_outdated_function report, void *user)
{
    nitro_schema *schema = NULL;
    nitro_string_list devices = {0};
    nitro_status status = nitro_store_get_schema(self->store, computation, &schema);
    if (status == NITRO_OK)
        status = nitro_store_list_devices(self->store, computation, &devices);
    self->schema = schema;
    for (size_t i = 0; i < devices.count && status == NITRO_OK; i++) {
        self->device = devices.items[i];
        status = search_device(self, report, user);
        forget(self);
    }
    free(self->groups);
    free(self->changed);
    nitro_string_list_free(&devices);
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_store_find_outdated(nitro_store *store, const char *computation,
                                       const char *const *versions, nitro_outdated_function report,
                                       void *user)
{
    search self = {.store = store, .versions = versions};
    return search_all(&self, computation, report, user);
}

nitro_status nitro_store_remove_outdated(nitro_store *store, const char *computation,
                                         const char *const *versions, bool dry_run,
                                         nitro_outdated_function report, void *user)
{
    search self = {.store = store, .versions = versions, .wants_changed = !dry_run};
    nitro_status status = dry_run ? NITRO_OK : nitro_store_require_writable(store);
    return status == NITRO_OK ? search_all(&self, computation, report, user) : status;
}
