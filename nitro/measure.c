/* Measuring one input: workers are started until every variant has an entry. A worker that one
 * variant brought down costs that variant's entry only; the next goes on without it. */
#include "nitro/measure.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_internal.h"
#include "nitro/profiling.h"
#include "nitro/worker.h"

typedef struct measurement {
    nitro_computation *computation;
    nitro_context *context;
    nitro_sample *sample;
    uint64_t todo;              /* a bit for each variant that has no entry yet */
    uint64_t usable;            /* a bit for each variant that was measured */
    nitro_profiling *profiling; /* NULL: variants are timed */
    bool done, broke;     /* the worker came to its end, or a variant broke the device for it */
    nitro_status failure; /* the worker's word that the input or the device is no good */
    char message[3840];
    char state[2][512]; /* of the device, before variants were timed and after */
    bool out_of_memory; /* while an entry was written down */
} measurement;

/* ---- What a worker says ------------------------------------------------------------------- */

/* Entries are read by people and kept in files: one line each. */
static void put_on_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
}

/* A variant's latest failure counts, also after it was measured. */
static void set_entry(measurement *self, size_t v, nitro_entry entry, const char *detail)
{
    nitro_entry *slot = &self->sample->entries[v];
    char *copy = NULL;
    if (detail[0]) {
        copy = nitro_strdup(self->context, detail);
        self->out_of_memory |= !copy;
    }
    if (copy)
        put_on_one_line(copy);
    free(slot->detail);
    entry.version = slot->version;
    entry.detail = copy;
    *slot = entry;
    uint64_t bit = UINT64_C(1) << v;
    self->todo &= ~bit;
    self->usable &= ~bit;
    if (entry.outcome == NITRO_OUTCOME_MEASURED)
        self->usable |= bit;
    else if (entry.outcome != NITRO_OUTCOME_NOT_ALLOWED)
        nitro_log(self->context, NITRO_LOG_WARNING, "%s, input '%s': variant %s: %s: %s",
                  self->computation->schema->computation, self->sample->input,
                  self->computation->variants[v].name, nitro_outcome_name(entry.outcome), detail);
}

/* The worker ran code that may have damaged it: nothing in a record is taken on trust. */
static void receive_entry(measurement *self, const nitro_record *record, const char *detail)
{
    nitro_outcome outcome = (nitro_outcome)record->entry.outcome;
    double median_ms = record->entry.median_ms;
    if (record->index >= self->sample->num_entries)
        return;
    bool measured = outcome == NITRO_OUTCOME_MEASURED && median_ms > 0 && isfinite(median_ms);
    bool failed = outcome == NITRO_OUTCOME_NOT_ALLOWED || outcome == NITRO_OUTCOME_FAILED ||
                  outcome == NITRO_OUTCOME_WRONG_RESULT || outcome == NITRO_OUTCOME_OUT_OF_MEMORY;
    if (!measured && !failed)
        return;
    nitro_entry entry = {
        .outcome = outcome,
        .median_ms = measured ? median_ms : NAN,
        .spread = measured ? record->entry.spread : NAN,
        .count = measured ? record->entry.count : 0,
        .prepare_ms = record->entry.prepare_ms,
    };
    set_entry(self, record->index, entry, detail);
}

static void receive_error(measurement *self, uint32_t status, const char *text)
{
    bool known = status > NITRO_OK && status <= NITRO_ERR_DENIED;
    self->failure = known ? (nitro_status)status : NITRO_ERR_IO;
    snprintf(self->message, sizeof(self->message), "%s",
             text[0] ? text : "its loader failed and did not say why");
}

/* Of a variant that was profiled there is no time, and nothing else to say. */
static void receive_profiled(measurement *self, const nitro_record *record)
{
    size_t v = record->index;
    if (v >= self->sample->num_entries || !(self->todo >> v & 1)) {
        nitro_profiling_drop_unfinished(self->profiling); /* it was not asked for */
        return;
    }
    if (self->profiling->count == self->profiling->num_finished)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s, input '%s': variant %s launches no kernel that the profiler sees",
                  self->computation->schema->computation, self->sample->input,
                  self->computation->variants[v].name);
    nitro_profiling_receive(self->profiling, record);
    self->todo &= ~(UINT64_C(1) << v);
    self->usable |= UINT64_C(1) << v;
}

static void receive_profile(measurement *self, const nitro_record *record)
{
    if (self->profiling && record->kind == NITRO_RECORD_PROFILED)
        receive_profiled(self, record);
    else if (self->profiling)
        nitro_profiling_receive(self->profiling, record);
}

static void receive(void *user, const nitro_record *record)
{
    measurement *self = user;
    char text[sizeof(record->text)];
    memcpy(text, record->text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    switch ((nitro_record_kind)record->kind) {
    case NITRO_RECORD_FEATURES:
        memcpy(self->sample->features, record->features,
               self->sample->num_features * sizeof(*record->features));
        break;
    case NITRO_RECORD_ENTRY:
        receive_entry(self, record, text);
        break;
    case NITRO_RECORD_ERROR:
        receive_error(self, record->index, text);
        break;
    case NITRO_RECORD_LOG:
        if (record->index <= NITRO_LOG_DEBUG)
            nitro_log(self->context, (nitro_log_level)record->index, "%s", text);
        break;
    case NITRO_RECORD_STATE:
        snprintf(self->state[record->index == 1], sizeof(self->state[0]), "%.511s", text);
        break;
    case NITRO_RECORD_BROKEN:
        self->broke = true;
        break;
    case NITRO_RECORD_DONE:
        self->done = true;
        break;
    case NITRO_RECORD_KERNEL:
    case NITRO_RECORD_COUNTERS:
    case NITRO_RECORD_PROFILED:
    case NITRO_RECORD_UNAVAILABLE:
        receive_profile(self, record);
        break;
    }
}

/* ---- How a worker ended ------------------------------------------------------------------- */

static void describe_ending(const nitro_measure_options *options, const nitro_worker_end *end,
                            char *text, size_t size)
{
    const char *signal_name;
    switch (end->ending) {
    case NITRO_ENDING_TIMED_OUT:
        snprintf(text, size, "took longer than %g ms", options->timeout_ms);
        break;
    case NITRO_ENDING_OUT_OF_MEMORY:
        snprintf(text, size, "took %.1f MB, over the limit of %.1f MB",
                 (double)end->memory_bytes / 1e6, (double)options->memory_limit_bytes / 1e6);
        break;
    case NITRO_ENDING_SIGNALLED:
        signal_name = sigabbrev_np(end->code);
        snprintf(text, size, "%s%s%s", signal_name ? "SIG" : "an unnamed signal",
                 signal_name ? signal_name : "",
                 end->code == SIGKILL ? " (not ours: did the system run out of memory?)" : "");
        break;
    case NITRO_ENDING_EXITED:
        if (end->code >= 0)
            snprintf(text, size, "the process ended with exit status %d", end->code);
        else
            snprintf(text, size,
                     "the process ended (why is unknown: this program waits for or "
                     "ignores all its children)");
        break;
    }
}

static void describe_place(const nitro_place *place, char *text, size_t size)
{
    static const char *const names[] = {
        [NITRO_PHASE_START] = "starting",
        [NITRO_PHASE_OPEN] = "opening the device",
        [NITRO_PHASE_LOAD] = "its loader",
        [NITRO_PHASE_FEATURES] = "its feature functions",
        [NITRO_PHASE_PREPARE_INPUT] = "prepare_input",
        [NITRO_PHASE_ALLOWS] = "allows",
        [NITRO_PHASE_PREPARE] = "prepare",
        [NITRO_PHASE_RESTORE] = "restore_input",
        [NITRO_PHASE_RUN] = "run",
        [NITRO_PHASE_KEEP] = "keep_reference",
        [NITRO_PHASE_CHECK] = "check_result",
        [NITRO_PHASE_RELEASE] = "release",
        [NITRO_PHASE_UNLOAD] = "unload",
    };
    unsigned long long call = place->call;
    if (place->phase == NITRO_PHASE_BETWEEN)
        snprintf(text, size, "after call %llu of run (is memory damaged?)", call);
    else if (place->phase == NITRO_PHASE_RUN)
        snprintf(text, size, "in run, call %llu", call);
    else if (call > 0)
        snprintf(text, size, "in %s, after call %llu of run", names[place->phase], call);
    else
        snprintf(text, size, "in %s", names[place->phase]);
}

static nitro_status fail_input(measurement *self, const nitro_worker_end *end, const char *what)
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

/* The worker did not come to its end: whose fault was it? */
static nitro_status blame(measurement *self, const nitro_measure_options *options,
                          const nitro_worker_end *end)
{
    static const nitro_outcome outcomes[] = {
        [NITRO_ENDING_EXITED] = NITRO_OUTCOME_CRASHED,
        [NITRO_ENDING_SIGNALLED] = NITRO_OUTCOME_CRASHED,
        [NITRO_ENDING_TIMED_OUT] = NITRO_OUTCOME_TIMED_OUT,
        [NITRO_ENDING_OUT_OF_MEMORY] = NITRO_OUTCOME_OUT_OF_MEMORY,
    };
    char ending[160];
    char place[96];
    char what[272];
    describe_ending(options, end, ending, sizeof(ending));
    describe_place(&end->place, place, sizeof(place));
    snprintf(what, sizeof(what), "%s %s", ending, place);
    size_t v = end->place.variant;
    if (v >= self->sample->num_entries)
        return fail_input(self, end, what);
    nitro_entry entry = {
        .outcome = outcomes[end->ending], .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    set_entry(self, v, entry, what);
    return NITRO_OK;
}

/* ---- One input ---------------------------------------------------------------------------- */

/* A device that cannot be opened is no fault of the input's: the next one would fare no better. */
static nitro_status judge_ending(measurement *self, const nitro_job *job,
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

/* What the worker's profiler had to say: nothing, where variants are timed. */
static nitro_status check_profiling(const measurement *self)
{
    if (!self->profiling)
        return NITRO_OK;
    nitro_profiling_drop_unfinished(self->profiling);
    if (self->profiling->unavailable != NITRO_OK)
        return nitro_fail(self->context, self->profiling->unavailable, "%s",
                          self->profiling->message);
    return self->profiling->failure;
}

/* Each round either comes to its end or finds one more variant that fails, so rounds are few; one
 * that does neither is the last. */
static nitro_status run_workers(measurement *self, nitro_job *job, bool *input_failed)
{
    nitro_status status = NITRO_OK;
    bool changed = true;
    do {
        nitro_worker_end end;
        job->todo = self->todo;
        job->usable = self->usable;
        self->done = self->broke = false;
        status = nitro_worker_run(job, receive, self, &end);
        if (status == NITRO_OK)
            status = check_profiling(self);
        if (status == NITRO_OK)
            status = judge_ending(self, job, &end, input_failed);
        changed = self->todo != job->todo || self->usable != job->usable;
    } while (status == NITRO_OK && self->todo && changed);
    return status == NITRO_OK && self->out_of_memory ? NITRO_ERR_NO_MEMORY : status;
}

/* "1980 MHz; then 1755 MHz, throttled: power" */
static nitro_status set_conditions(measurement *self, const nitro_measure_options *options)
{
    nitro_provenance *made = &self->sample->provenance;
    const char *before = self->state[0], *after = self->state[1];
    bool differ = before[0] && after[0] && strcmp(before, after) != 0;
    put_on_one_line(self->state[0]);
    put_on_one_line(self->state[1]);
    if (options->cache == NITRO_CACHE_COLD && !(made->cache = nitro_strdup(self->context, "cold")))
        return NITRO_ERR_NO_MEMORY;
    if (!before[0] && !after[0])
        return NITRO_OK;
    made->device_state = differ ? nitro_asprintf(self->context, "%s; then %s", before, after)
                                : nitro_strdup(self->context, after[0] ? after : before);
    return made->device_state ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

static nitro_status set_versions(measurement *self)
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

nitro_status nitro_measure_input(nitro_computation *computation, const nitro_input *input,
                                 const char *device, const nitro_measure_options *options,
                                 uint64_t variants, nitro_sample **sample, bool *input_failed)
{
    const nitro_schema *schema = computation->schema;
    const nitro_device_kind *kind =
        device ? nitro_device_kind_find(computation->context, computation->device_kind) : NULL;
    measurement self = {.computation = computation, .context = computation->context};
    nitro_job job = {.computation = computation,
                     .input = input,
                     .options = options,
                     .access = kind ? kind->access : NULL,
                     .device = device,
                     .extent = device ? NITRO_MEASURE_ALL : NITRO_MEASURE_FEATURES_ONLY};
    *input_failed = false;
    nitro_status status = nitro_sample_create(self.context, input->name, schema->num_features,
                                              schema->num_variants, &self.sample);
    if (status != NITRO_OK)
        return status;
    if (device) {
        status = set_versions(&self);
        self.todo =
            UINT64_MAX >> (64 - schema->num_variants) & (variants | reference_bit(computation));
    }
    if (status == NITRO_OK)
        status = run_workers(&self, &job, input_failed);
    if (status == NITRO_OK && device)
        status = set_conditions(&self, options);
    if (status != NITRO_OK) {
        nitro_sample_free(self.sample);
        return status;
    }
    *sample = self.sample;
    return NITRO_OK;
}

nitro_status nitro_measure_profiles(nitro_computation *computation, const nitro_input *input,
                                    const nitro_measure_options *options, uint64_t variants,
                                    nitro_profiling *profiling, nitro_sample **sample,
                                    bool *input_failed)
{
    const nitro_schema *schema = computation->schema;
    const nitro_device_kind *kind =
        nitro_device_kind_find(computation->context, computation->device_kind);
    uint64_t all = UINT64_MAX >> (64 - schema->num_variants);
    measurement self = {.computation = computation,
                        .context = computation->context,
                        .todo = all & variants,
                        .usable = all & ~variants, /* one of them may be the reference */
                        .profiling = profiling};
    nitro_job job = {.computation = computation,
                     .input = input,
                     .options = options,
                     .access = kind ? kind->access : NULL,
                     .device = profiling->device,
                     .extent = NITRO_MEASURE_PROFILES,
                     .profiling = profiling};
    *input_failed = false;
    nitro_status status = nitro_sample_create(self.context, input->name, schema->num_features,
                                              schema->num_variants, &self.sample);
    if (status != NITRO_OK)
        return status;
    status = run_workers(&self, &job, input_failed);
    if (status == NITRO_OK)
        *sample = self.sample;
    else
        nitro_sample_free(self.sample);
    return status;
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
