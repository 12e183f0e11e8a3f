/* Measures one input: starts worker processes until every variant has an entry. A variant that
 * crashes its worker only costs its own entry; the next worker continues without it. After a block
 * the worker pauses with the input and the variants' formats in memory, so that another block costs
 * only its own time. */
#include "nitro/measure/measure_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/measure/receive_sample.h"
#include "nitro/measure/round_sample.h"

struct nitro_measuring {
    nitro_job job;
    nitro_received_sample received; /* of the current block */
    nitro_worker_process *worker;   /* paused between blocks; NULL: none */
    double features[NITRO_MAX_FEATURES];
};

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

/* A new worker needs a result to check others against. */
static uint64_t missing_reference(const nitro_received_sample *self)
{
    size_t reference = self->computation->reference;
    if (reference == NITRO_NONE)
        reference = self->computation->schema->default_variant;
    bool is_missing = self->sample->entries[reference].outcome == NITRO_OUTCOME_MISSING;
    return (uint64_t)is_missing << reference;
}

/* The kept worker, if it is still there, or a new one. */
static nitro_status run_worker(nitro_measuring *self, nitro_worker_end *end)
{
    nitro_received_sample *received = &self->received;
    if (self->worker && nitro_worker_continue(self->worker, received->todo)) {
        nitro_worker_wait(self->worker, end);
        return NITRO_OK;
    }
    nitro_worker_stop(self->worker);
    self->worker = NULL;
    if (self->job.extent == NITRO_MEASURE_ALL)
        received->todo |= missing_reference(received);
    self->job.todo = received->todo;
    self->job.usable = received->usable;
    nitro_status status =
        nitro_worker_start(&self->job, nitro_received_sample_add_record, received, &self->worker);
    if (status == NITRO_OK)
        nitro_worker_wait(self->worker, end);
    return status;
}

/* Each round finishes or finds one more failing variant; a round that does neither is the last. A
 * worker that overwrote its memory may report anything: rounds are bounded. */
static nitro_status run_workers(nitro_measuring *self, bool *input_failed)
{
    nitro_received_sample *received = &self->received;
    nitro_status status = NITRO_OK;
    bool changed = true;
    size_t rounds_left = 2 * received->sample->num_entries + 2;
    do {
        nitro_worker_end end;
        uint64_t todo = received->todo, usable = received->usable;
        received->done = received->broke = false;
        status = run_worker(self, &end);
        if (status == NITRO_OK)
            status = check_profiles(received);
        if (status == NITRO_OK)
            status = judge_ending(received, &self->job, &end, input_failed);
        changed = received->todo != todo || received->usable != usable;
    } while (status == NITRO_OK && received->todo && changed && --rounds_left > 0);
    return status == NITRO_OK && received->out_of_memory ? NITRO_ERR_NO_MEMORY : status;
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

static void prepare_job(nitro_measuring *self)
{
    nitro_computation *computation = self->job.computation;
    const nitro_device_kind *kind =
        self->job.device ? nitro_device_kind_find(computation->context, computation->device_kind)
                         : NULL;
    self->job.access = kind ? kind->access : NULL;
    self->received.computation = computation;
    self->received.context = computation->context;
}

/* The sample of a block that an input's kept worker measures has the features of the first. */
static nitro_status make_sample(nitro_measuring *self, bool is_timed)
{
    nitro_received_sample *received = &self->received;
    const nitro_schema *schema = self->job.computation->schema;
    nitro_status status =
        nitro_sample_create(received->context, self->job.input->name, schema->num_features,
                            schema->num_variants, &received->sample);
    if (status != NITRO_OK)
        return status;
    memcpy(received->sample->features, self->features, schema->num_features * sizeof(double));
    return is_timed ? set_versions(received) : NITRO_OK;
}

static nitro_status run_block(nitro_measuring *self, nitro_sample **sample, bool *input_failed)
{
    nitro_received_sample *received = &self->received;
    bool is_timed = self->job.extent == NITRO_MEASURE_ALL;
    *input_failed = false;
    received->sample = NULL;
    nitro_status status = make_sample(self, is_timed);
    if (status == NITRO_OK)
        status = run_workers(self, input_failed);
    if (status == NITRO_OK && is_timed)
        status = nitro_received_sample_set_conditions(received, self->job.options->cache);
    if (status == NITRO_OK) {
        memcpy(self->features, received->sample->features,
               received->sample->num_features * sizeof(double));
        nitro_sample_round(received->sample);
        *sample = received->sample;
    } else {
        nitro_sample_free(received->sample);
    }
    if (status != NITRO_OK || !self->job.pauses) {
        nitro_worker_stop(self->worker);
        self->worker = NULL;
    }
    return status;
}

nitro_status nitro_measuring_create(nitro_computation *computation, const nitro_input *input,
                                    const char *device, const nitro_measure_options *options,
                                    bool repeats, nitro_measuring **measuring)
{
    nitro_measuring *self = nitro_calloc(computation->context, 1, sizeof(*self));
    if (!self)
        return NITRO_ERR_NO_MEMORY;
    self->job = (nitro_job){.computation = computation,
                            .input = input,
                            .options = options,
                            .device = device,
                            .extent = device ? NITRO_MEASURE_ALL : NITRO_MEASURE_FEATURES_ONLY,
                            .pauses = device && repeats};
    prepare_job(self);
    *measuring = self;
    return NITRO_OK;
}

nitro_status nitro_measuring_run(nitro_measuring *self, uint64_t variants, nitro_sample **sample,
                                 bool *input_failed)
{
    uint64_t all = UINT64_MAX >> (64 - self->job.computation->schema->num_variants);
    self->received.todo = self->job.device ? all & variants : 0;
    self->received.usable = 0;
    return run_block(self, sample, input_failed);
}

size_t nitro_measuring_memory(const nitro_measuring *self)
{
    return self->worker ? nitro_worker_memory(self->worker) : 0;
}

void nitro_measuring_free(nitro_measuring *self)
{
    if (self)
        nitro_worker_stop(self->worker);
    free(self);
}

nitro_status nitro_measure_profiles(nitro_computation *computation, const nitro_input *input,
                                    const nitro_measure_options *options, uint64_t variants,
                                    nitro_received_profiles *profiles, nitro_sample **sample,
                                    bool *input_failed)
{
    uint64_t all = UINT64_MAX >> (64 - computation->schema->num_variants);
    nitro_measuring self = {
        .received = {.todo = all & variants,
                     .usable = all & ~variants, /* one of them may be the reference */
                     .profiles = profiles},
        .job = {.computation = computation,
                .input = input,
                .options = options,
                .device = profiles->profiling->device,
                .extent = NITRO_MEASURE_PROFILES,
                .profiling = profiles->profiling},
    };
    prepare_job(&self);
    return run_block(&self, sample, input_failed);
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
    nitro_measuring *measuring = NULL;
    bool input_failed; /* a kind's name is the id of its first device */
    status = nitro_measuring_create(computation, input, device ? device : computation->device_kind,
                                    options, false, &measuring);
    if (status == NITRO_OK)
        status = nitro_measuring_run(measuring, variants, sample, &input_failed);
    nitro_measuring_free(measuring);
    return status;
}
