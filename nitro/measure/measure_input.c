/* Measures one input: starts worker processes until every variant has an entry. A variant that
 * crashes its worker only costs its own entry; the next worker continues without it. */
#include "nitro/measure/measure_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/measure/receive_sample.h"

static nitro_status fail_input(nitro_received_sample *self, const nitro_worker_end *end,
                               const char *what)
{
    nitro_status status = NITRO_ERR_IO;
    if (end->place.phase == NITRO_PHASE_OPEN)
        return nitro_fail(self->context, status, "%s: the device cannot be used: %s",
                          self->computation->schema->computation, what);
    if (end->ending == NITRO_ENDING_OUT_OF_MEMORY)
        status = NITRO_ERR_NO_MEMORY;
    else if (end->place.phase == NITRO_PHASE_FEATURES)
        status = NITRO_ERR_BAD_FEATURE;
    return nitro_fail(self->context, status, "input '%s': %s", self->sample->input, what);
}

/* The worker did not finish: sets the entry of the variant that ran, or fails the input. */
static nitro_status blame(nitro_received_sample *self, const nitro_measure_options *options,
                          const nitro_worker_end *end)
{
    static const nitro_outcome outcomes[] = {
        [NITRO_ENDING_EXITED] = NITRO_OUTCOME_CRASHED,
        [NITRO_ENDING_SIGNALLED] = NITRO_OUTCOME_CRASHED,
        [NITRO_ENDING_TIMED_OUT] = NITRO_OUTCOME_TIMED_OUT,
        [NITRO_ENDING_OUT_OF_MEMORY] = NITRO_OUTCOME_OUT_OF_MEMORY,
    };
    char what[NITRO_WORKER_END_BYTES];
    nitro_worker_end_describe(end, options, what, sizeof(what));
    size_t v = end->place.variant;
    if (v >= self->sample->num_entries)
        return fail_input(self, end, what);
    nitro_entry entry = {
        .outcome = outcomes[end->ending], .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    nitro_received_sample_set_entry(self, v, entry, what);
    return NITRO_OK;
}

/* A device that cannot be opened fails the run, not the input. */
static nitro_status judge_ending(nitro_received_sample *self, const nitro_job *job,
                                 const nitro_worker_end *end, bool *input_failed)
{
    bool was_opening = end->place.phase == NITRO_PHASE_OPEN;
    nitro_status status = NITRO_OK;
    if (self->out_of_memory)
        return NITRO_ERR_NO_MEMORY;
    if (self->failure != NITRO_OK && was_opening)
        status = nitro_fail(self->context, self->failure, "%s: device %s cannot be opened: %s",
                            self->computation->schema->computation, job->device, self->message);
    else if (self->failure != NITRO_OK)
        status = nitro_fail(self->context, self->failure, "input '%s': %s", job->input->name,
                            self->message);
    else if (!self->done && !self->broke)
        status = blame(self, job->options, end);
    *input_failed = status != NITRO_OK && !was_opening;
    return status;
}

/* The profiler's status; NITRO_OK if variants are timed. */
static nitro_status check_profiles(const nitro_received_sample *self)
{
    if (!self->profiles)
        return NITRO_OK;
    nitro_received_profiles_drop_unfinished(self->profiles);
    if (self->profiles->unavailable != NITRO_OK)
        return nitro_fail(self->context, self->profiles->unavailable, "%s",
                          self->profiles->message);
    return self->profiles->failure;
}

/* Each round finishes or finds one more failing variant; a round that does neither is the last. A
 * worker that overwrote its memory may report anything: rounds are bounded. */
static nitro_status run_workers(nitro_received_sample *self, nitro_job *job, bool *input_failed)
{
    nitro_status status = NITRO_OK;
    bool changed = true;
    size_t rounds_left = 2 * self->sample->num_entries + 2;
    do {
        nitro_worker_end end;
        job->todo = self->todo;
        job->usable = self->usable;
        self->done = self->broke = false;
        status = nitro_worker_run(job, nitro_received_sample_add_record, self, &end);
        if (status == NITRO_OK)
            status = check_profiles(self);
        if (status == NITRO_OK)
            status = judge_ending(self, job, &end, input_failed);
        changed = self->todo != job->todo || self->usable != job->usable;
    } while (status == NITRO_OK && self->todo && changed && --rounds_left > 0);
    return status == NITRO_OK && self->out_of_memory ? NITRO_ERR_NO_MEMORY : status;
}

static nitro_status set_versions(nitro_received_sample *self)
{
    for (size_t v = 0; v < self->sample->num_entries; v++) {
        const char *version = self->computation->variants[v].version;
        self->sample->entries[v].version = nitro_strdup(self->context, version);
        if (!self->sample->entries[v].version)
            return NITRO_ERR_NO_MEMORY;
    }
    return NITRO_OK;
}

static uint64_t reference_bit(const nitro_computation *computation)
{
    size_t reference = computation->reference;
    return UINT64_C(1) << (reference == NITRO_NONE ? computation->schema->default_variant
                                                   : reference);
}

static nitro_status measure(nitro_received_sample *self, nitro_job *job, nitro_sample **sample,
                            bool *input_failed)
{
    const nitro_schema *schema = self->computation->schema;
    const nitro_device_kind *kind =
        job->device ? nitro_device_kind_find(self->context, self->computation->device_kind) : NULL;
    bool is_timed = job->extent == NITRO_MEASURE_ALL;
    job->access = kind ? kind->access : NULL;
    *input_failed = false;
    nitro_status status = nitro_sample_create(self->context, job->input->name, schema->num_features,
                                              schema->num_variants, &self->sample);
    if (status == NITRO_OK && is_timed)
        status = set_versions(self);
    if (status == NITRO_OK)
        status = run_workers(self, job, input_failed);
    if (status == NITRO_OK && is_timed)
        status = nitro_received_sample_set_conditions(self, job->options->cache);
    if (status == NITRO_OK)
        *sample = self->sample;
    else
        nitro_sample_free(self->sample);
    return status;
}

nitro_status nitro_measure_input(nitro_computation *computation, const nitro_input *input,
                                 const char *device, const nitro_measure_options *options,
                                 uint64_t variants, nitro_sample **sample, bool *input_failed)
{
    uint64_t all = UINT64_MAX >> (64 - computation->schema->num_variants);
    nitro_received_sample self = {.computation = computation, .context = computation->context};
    nitro_job job = {.computation = computation,
                     .input = input,
                     .options = options,
                     .device = device,
                     .extent = device ? NITRO_MEASURE_ALL : NITRO_MEASURE_FEATURES_ONLY};
    if (device)
        self.todo = all & (variants | reference_bit(computation));
    return measure(&self, &job, sample, input_failed);
}

nitro_status nitro_measure_profiles(nitro_computation *computation, const nitro_input *input,
                                    const nitro_measure_options *options, uint64_t variants,
                                    nitro_received_profiles *profiles, nitro_sample **sample,
                                    bool *input_failed)
{
    uint64_t all = UINT64_MAX >> (64 - computation->schema->num_variants);
    nitro_received_sample self = {.computation = computation,
                                  .context = computation->context,
                                  .todo = all & variants,
                                  .usable = all & ~variants, /* one of them may be the reference */
                                  .profiles = profiles};
    nitro_job job = {.computation = computation,
                     .input = input,
                     .options = options,
                     .device = profiles->profiling->device,
                     .extent = NITRO_MEASURE_PROFILES,
                     .profiling = profiles->profiling};
    return measure(&self, &job, sample, input_failed);
}

nitro_status nitro_measure(nitro_computation *computation, const nitro_input *input,
                           const nitro_measure_options *options, nitro_sample **sample)
{
    return nitro_measure_variants(computation, input, NULL, options, UINT64_MAX, sample);
}

nitro_status nitro_measure_variants(nitro_computation *computation, const nitro_input *input,
                                    const char *device, const nitro_measure_options *options,
                                    uint64_t variants, nitro_sample **sample)
{
    nitro_context *context = computation->context;
    nitro_measure_options defaults;
    nitro_measure_options_init(&defaults);
    if (!options)
        options = &defaults;
    if (!input->name || !input->load)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "input '%.80s' needs a name and a loader",
                          input->name ? input->name : "(null)");
    if (computation->schema->num_variants == 0)
        return nitro_fail(context, NITRO_ERR_ARGUMENT, "%s: there are no variants to measure",
                          computation->schema->computation);
    nitro_status status = nitro_measure_options_check(context, options);
    if (status == NITRO_OK)
        status = nitro_measure_device_check(computation, options);
    if (status != NITRO_OK)
        return status;
    bool input_failed; /* a kind's name is the id of its first device */
    return nitro_measure_input(computation, input, device ? device : computation->device_kind,
                               options, variants, sample, &input_failed);
}
