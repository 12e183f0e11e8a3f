/* Profiles of variants, collected by worker processes and put into a store, one input at a time. A
 * variant and input with at least one stored profile counts as done. */
#include "nitro/profile/profile_collect.h"

#include <stdlib.h>
#include <string.h>

#include "nitro/measure/tune_plan.h"
#include "nitro/runtime/computation.h"

/* A run is repeated for every pass of the counters, with its memory saved and restored in between.
 */
#define TIMEOUT_MS 300000

void nitro_profile_options_init(nitro_profile_options *options)
{
    nitro_measure_options measure;
    nitro_measure_options_init(&measure);
    *options = (nitro_profile_options){.timeout_ms = TIMEOUT_MS,
                                       .memory_limit_bytes = measure.memory_limit_bytes};
}

static nitro_status find_profiler(const nitro_collection *self, const nitro_profiler **profiler)
{
    const char *kind = self->device->kind;
    *profiler = self->options.profiler;
    for (const nitro_profiler *const *each = nitro_builtin_profilers(); *each && !*profiler; each++)
        if (strcmp((*each)->device_kind, kind) == 0)
            *profiler = *each;
    if (*profiler)
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_NOT_FOUND,
                      "no profiler for device %s of kind %s: import another profiler's output with "
                      "nitro store import --profiles",
                      self->device->id, kind);
}

nitro_status nitro_collection_begin(nitro_collection *self, nitro_store *store,
                                    nitro_device *device, const nitro_profile_options *options,
                                    nitro_profile_report *report)
{
    *self = (nitro_collection){
        .context = nitro_store_context(store), .store = store, .device = device, .report = report};
    *report = (nitro_profile_report){0};
    nitro_profile_options_init(&self->options);
    nitro_measure_options_init(&self->measure);
    if (options)
        self->options = *options;
    self->measure.timeout_ms = self->options.timeout_ms;
    self->measure.memory_limit_bytes = self->options.memory_limit_bytes;
    nitro_status status = nitro_measure_options_check(self->context, &self->measure);
    if (status == NITRO_OK)
        status = nitro_proxies_create(self->context, self->options.proxies_path, &self->proxies);
    self->profiling = (nitro_profiling){.device = device->id, .proxies = self->proxies};
    self->received =
        (nitro_received_profiles){.context = self->context, .profiling = &self->profiling};
    return status == NITRO_OK ? find_profiler(self, &self->profiling.profiler) : status;
}

void nitro_collection_end(nitro_collection *self)
{
    nitro_received_profiles_clear(&self->received);
    nitro_proxies_free(self->proxies);
}

/* Stores the schema and the device, before the first profile: if nothing can be profiled the store
 * stays unchanged. */
static nitro_status prepare(nitro_collection *self)
{
    nitro_status status = NITRO_OK;
    if (self->is_prepared)
        return NITRO_OK;
    if (self->schema)
        status = nitro_store_put_schema(self->store, self->schema);
    if (status == NITRO_OK)
        status = nitro_store_update_device(self->store, self->device);
    self->is_prepared = status == NITRO_OK;
    return status;
}

/* Profiles have no journal: if the store is unavailable they are lost, and the run ends.
 */
static nitro_status put_profiles(nitro_collection *self)
{
    const nitro_received_profiles *made = &self->received;
    const nitro_profile *const *profiles = (const nitro_profile *const *)made->profiles;
    char message[1024];
    nitro_status status =
        nitro_store_put_profiles(self->store, self->device->id, profiles, made->count, true);
    if (status == NITRO_OK)
        return NITRO_OK;
    nitro_context_last_error(self->context, message, sizeof message);
    return nitro_fail(self->context, status,
                      "%zu profiles of %s on %s were collected but not stored: %s; the %zu before "
                      "them are stored, and the same command continues after them",
                      made->count, profiles[0]->input ? profiles[0]->input : profiles[0]->name,
                      self->device->id, message, self->report->profiles);
}

static nitro_status store_profiles(nitro_collection *self)
{
    nitro_received_profiles *made = &self->received;
    nitro_status status = made->count > 0 ? prepare(self) : NITRO_OK;
    for (size_t i = 0; i < made->count && status == NITRO_OK; i++)
        status = nitro_provenance_of_device(self->context, self->device, "measured",
                                            &made->profiles[i]->provenance);
    if (status == NITRO_OK && made->count > 0)
        status = put_profiles(self);
    if (status == NITRO_OK)
        self->report->profiles += made->count;
    return status;
}

/* Failed variants were logged by the worker's supervisor; variants that are not allowed do not
 * count. */
static void count_runs(nitro_collection *self, const nitro_sample *sample, uint64_t variants)
{
    for (size_t v = 0; v < sample->num_entries; v++) {
        nitro_outcome outcome = sample->entries[v].outcome;
        if (!(variants >> v & 1) || outcome == NITRO_OUTCOME_NOT_ALLOWED)
            continue;
        if (outcome == NITRO_OUTCOME_MISSING)
            self->report->runs++;
        else
            self->report->failed++;
    }
}

nitro_status nitro_collection_run(nitro_collection *self, nitro_computation *computation,
                                  const nitro_input *input, uint64_t variants, bool *input_failed)
{
    nitro_sample *sample = NULL;
    nitro_status status = nitro_measure_profiles(computation, input, &self->measure, variants,
                                                 &self->received, &sample, input_failed);
    if (status == NITRO_OK)
        status = store_profiles(self);
    if (status == NITRO_OK)
        count_runs(self, sample, variants);
    nitro_received_profiles_clear(&self->received);
    nitro_sample_free(sample);
    return status;
}

nitro_status nitro_collection_report(nitro_collection *self, const char *what)
{
    nitro_profile_progress *progress = &self->progress;
    progress->done++;
    progress->what = what;
    if (!self->options.progress || self->options.progress(self->options.progress_user, progress))
        return NITRO_OK;
    return nitro_fail(self->context, NITRO_ERR_INTERRUPTED,
                      "stopped after '%s', %zu of %zu; collected profiles are stored, and the same "
                      "command continues after them",
                      what, progress->done, progress->total);
}

typedef struct variants_collection {
    nitro_collection base;
    nitro_tune_plan plan;
    const char *input; /* the one at hand */
    uint64_t *stored;  /* shape [num_inputs]: bit v: the store has profiles of variant v */
} variants_collection;

static nitro_status name_profile(void *user, size_t variant, const char *kernel,
                                 nitro_profile **profile)
{
    const variants_collection *self = user;
    const nitro_schema *schema = self->plan.computation->schema;
    if (variant >= schema->num_variants)
        return nitro_fail(self->base.context, NITRO_ERR_FORMAT, "a worker profiled no variant");
    return nitro_profile_create_of_variant(self->base.context, schema->computation,
                                           schema->variants[variant], self->input, kernel, profile);
}

static nitro_status note_stored(void *user, const char *device, const nitro_profile *profile)
{
    variants_collection *self = user;
    size_t input = nitro_tune_plan_find_input(&self->plan, profile->input);
    size_t variant = nitro_schema_variant(self->plan.computation->schema, profile->name);
    (void)device;
    if (input != NITRO_NONE && variant != NITRO_NONE)
        self->stored[input] |= UINT64_C(1) << variant;
    return NITRO_OK;
}

static nitro_status is_known(const variants_collection *self, bool *known)
{
    nitro_string_list names = {0};
    nitro_status status = nitro_store_list_computations(self->plan.store, &names);
    *known = nitro_string_list_find(&names, self->base.schema->computation) != NITRO_NONE;
    nitro_string_list_free(&names);
    return status;
}

/* A stored schema is compared before anything is run. */
static nitro_status find_stored(variants_collection *self)
{
    self->stored = nitro_calloc(self->base.context, self->plan.num_inputs, sizeof *self->stored);
    if (!self->stored)
        return NITRO_ERR_NO_MEMORY;
    bool known = false;
    nitro_status status = is_known(self, &known);
    if (status == NITRO_OK && known)
        status = prepare(&self->base);
    if (status != NITRO_OK || !known || self->base.options.again)
        return status;
    return nitro_store_each_profile(self->plan.store, self->base.device->id,
                                    self->plan.computation->schema->computation, note_stored, self);
}

static void note_failed_input(variants_collection *self)
{
    char message[1024];
    nitro_context_last_error(self->base.context, message, sizeof message);
    nitro_log(self->base.context, NITRO_LOG_WARNING, "%s: skipped: %s",
              self->plan.computation->schema->computation, message);
    self->base.report->failed_inputs++;
}

static nitro_status profile_input(variants_collection *self, size_t input)
{
    nitro_collection *base = &self->base;
    uint64_t all = UINT64_MAX >> (64 - self->plan.computation->schema->num_variants);
    uint64_t wanted = all & ~self->stored[input];
    bool input_failed = false;
    nitro_status status = NITRO_OK;
    base->report->found += (size_t)__builtin_popcountll(self->stored[input]);
    base->progress.found += wanted == 0;
    self->input = self->plan.inputs[input].name;
    if (wanted)
        status = nitro_collection_run(base, self->plan.computation, &self->plan.inputs[input],
                                      wanted, &input_failed);
    if (status != NITRO_OK && !input_failed)
        return status;
    if (status != NITRO_OK)
        note_failed_input(self);
    return nitro_collection_report(base, self->input);
}

static nitro_status profile_inputs(variants_collection *self, const nitro_profile_options *options,
                                   nitro_profile_report *report)
{
    nitro_tune_plan *plan = &self->plan;
    nitro_status status =
        nitro_collection_begin(&self->base, plan->store, plan->targets[0].device, options, report);
    self->base.received.name = name_profile;
    self->base.received.name_user = self;
    self->base.schema = plan->computation->schema;
    self->base.progress.total = plan->num_inputs;
    if (status == NITRO_OK)
        status = find_stored(self);
    for (size_t i = 0; i < plan->num_inputs && status == NITRO_OK; i++)
        status = profile_input(self, i);
    free(self->stored);
    nitro_collection_end(&self->base);
    return status;
}

nitro_status nitro_profile_variants(nitro_computation *computation, nitro_store *store,
                                    const char *device, const nitro_input *inputs,
                                    size_t num_inputs, const nitro_profile_options *options,
                                    nitro_profile_report *report)
{
    variants_collection self = {.plan = {.context = computation->context,
                                         .computation = computation,
                                         .store = store,
                                         .inputs = inputs,
                                         .num_inputs = num_inputs}};
    nitro_measure_options how;
    nitro_measure_options_init(&how);
    *report = (nitro_profile_report){0};
    nitro_status status = nitro_tune_plan_check(&self.plan, "profile");
    if (status == NITRO_OK && (!device || strchr(device, ',')))
        status = nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                            "profiling needs exactly one device");
    if (status == NITRO_OK)
        status = nitro_tune_plan_choose(&self.plan, device, &how);
    if (status == NITRO_OK)
        status = profile_inputs(&self, options, report);
    nitro_tune_plan_free(&self.plan);
    return status;
}
