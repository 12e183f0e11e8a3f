/* Measures inputs of a tuning run in blocks, and stores each block before the next is measured. */
#include "nitro/measure/tune_input.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "nitro/base/clock.h"
#include "nitro/measure/blocks.h"
#include "nitro/measure/round_sample.h"

/* Modelled times depend only on computation, device and input. */
#define MODEL_SEED 1
/* Memory of kept inputs. First use of more memory costs more than it gains: pages are cleared, and
 * a virtual machine's are then mapped by its host. */
#define MOST_KEPT_BYTES ((size_t)1 << 30)
/* Least time between passes over the kept inputs. */
#define SEPARATION_MS 200

/* Replaces a stored sample: it is outdated, to be measured again, or another tuner's, which is
 * equivalent. */
static nitro_status put_sample(const nitro_tuning *self, const nitro_tune_target *t,
                               const nitro_sample *sample)
{
    return nitro_store_put_samples(self->plan.store, self->plan.computation->schema->computation,
                                   t->device->id, &sample, 1, true);
}

static nitro_status store_sample(const nitro_tuning *self, const nitro_tune_target *t,
                                 nitro_sample *sample)
{
    nitro_provenance *made = &sample->provenance;
    nitro_provenance conditions = {.device_state = made->device_state, .cache = made->cache};
    made->device_state = made->cache = NULL;
    nitro_provenance_clear(made); /* of an earlier block */
    *made = conditions;
    nitro_status status = nitro_provenance_of_device(
        self->plan.context, t->device, t->kind->simulate ? "modelled" : "measured", made);
    if (status != NITRO_OK)
        return status;
    status = put_sample(self, t, sample);
    /* Others may remove a device that has no samples yet (nitro store gc). */
    if (status == NITRO_ERR_NOT_FOUND &&
        nitro_store_update_device(self->plan.store, t->device) == NITRO_OK)
        status = put_sample(self, t, sample);
    if (status == NITRO_OK)
        return NITRO_OK;
    char message[2048];
    nitro_context_last_error(self->plan.context, message, sizeof(message));
    return nitro_fail(self->plan.context, status,
                      "input '%s' was measured on %s but not stored: %s; earlier inputs are "
                      "stored, and the same tune continues after them",
                      sample->input, t->device->id, message);
}

static nitro_status simulate_and_store(const nitro_tuning *self, const nitro_tune_target *t,
                                       const nitro_sample *measured, size_t *best)
{
    const nitro_schema *schema = self->plan.computation->schema;
    nitro_sample *sample = NULL;
    nitro_status status = nitro_sample_create(self->plan.context, measured->input,
                                              schema->num_features, schema->num_variants, &sample);
    if (status != NITRO_OK)
        return status;
    memcpy(sample->features, measured->features, schema->num_features * sizeof(*sample->features));
    status = t->kind->simulate(self->plan.context, t->device, schema, MODEL_SEED, sample);
    if (status == NITRO_OK)
        status = store_sample(self, t, sample);
    *best = nitro_sample_best(sample);
    nitro_sample_free(sample);
    return status;
}

/* The target whose variants run; NULL: none. */
static nitro_tune_target *live_target(const nitro_tuning *self)
{
    for (size_t i = 0; i < self->plan.num_targets; i++)
        if (!self->plan.targets[i].kind->simulate)
            return &self->plan.targets[i];
    return NULL;
}

/* A feature that was declared later is no difference: it is missing. Samples of earlier versions
 * are not rounded. */
static bool has_same_features(const nitro_sample *a, const nitro_sample *b)
{
    for (size_t i = 0; i < a->num_features; i++)
        if (nitro_round_feature(a->features[i]) != nitro_round_feature(b->features[i]) &&
            !isnan(a->features[i]) && !isnan(b->features[i]))
            return false;
    return true;
}

static void warn_of_other_input(const nitro_tuning *self, const nitro_sample *now)
{
    nitro_log(self->plan.context, NITRO_LOG_WARNING,
              "input '%s': its features differ from the stored sample's; measuring all variants "
              "again",
              now->input);
}

static nitro_status take_features(nitro_context *context, const nitro_sample *from,
                                  nitro_sample *to)
{
    memcpy(to->features, from->features, to->num_features * sizeof(*to->features));
    to->features_ms = from->features_ms;
    return nitro_sample_set_feature_costs(context, to, from->feature_costs_ms,
                                          from->num_feature_costs);
}

/* Times of other versions are no blocks of these variants. */
static void drop_outdated(const nitro_tuning *self, nitro_sample *sample)
{
    uint64_t outdated = nitro_tune_outdated_variants(&self->plan, sample);
    for (size_t v = 0; v < sample->num_entries; v++)
        if (outdated >> v & 1)
            sample->entries[v].outcome = NITRO_OUTCOME_MISSING;
}

static nitro_status run_block(nitro_tuning *self, nitro_measuring *measuring, uint64_t variants,
                              nitro_sample **block, bool *input_failed)
{
    double start_ms = nitro_clock_wall_ms(self->plan.context);
    nitro_status status = nitro_measuring_run(measuring, variants, block, input_failed);
    double took_ms = nitro_clock_wall_ms(self->plan.context) - start_ms;
    self->claims.longest_ms = fmax(self->claims.longest_ms, took_ms);
    return status;
}

/* Measures a block of an input, and adds it to the sample of earlier ones; NULL: there are none. */
static nitro_status measure_block(nitro_tuning *self, nitro_measuring *measuring,
                                  nitro_sample **sample, bool *input_failed)
{
    nitro_sample *block = NULL;
    uint64_t variants = *sample ? nitro_tune_missing_variants(&self->plan, *sample) : UINT64_MAX;
    nitro_status status = run_block(self, measuring, variants, &block, input_failed);
    if (status == NITRO_OK && *sample && !has_same_features(block, *sample)) {
        warn_of_other_input(self, block);
        nitro_sample_free(block);
        nitro_sample_free(*sample);
        block = *sample = NULL;
        status = run_block(self, measuring, UINT64_MAX, &block, input_failed);
    }
    if (status != NITRO_OK)
        return status;
    if (*sample) {
        drop_outdated(self, *sample);
        nitro_blocks_add(*sample, block);
        nitro_sample_free(block);
    } else {
        nitro_blocks_begin(block);
        *sample = block;
    }
    return NITRO_OK;
}

static bool is_out_of_memory(const nitro_sample *sample)
{
    for (size_t v = 0; v < sample->num_entries; v++)
        if (sample->entries[v].outcome == NITRO_OUTCOME_OUT_OF_MEMORY)
            return true;
    return false;
}

/* Stores the first block for all devices: the input is loaded once for all of them. */
static nitro_status store_first(nitro_tuning *self, const nitro_kept_input *made)
{
    nitro_status status = NITRO_OK;
    size_t first_best = NITRO_NONE;
    bool is_first = true;
    for (size_t i = 0; i < self->plan.num_targets && status == NITRO_OK; i++) {
        const nitro_tune_target *t = &self->plan.targets[i];
        size_t best = NITRO_NONE;
        if (t->stored[made->input])
            continue;
        if (t->kind->simulate)
            status = simulate_and_store(self, t, made->sample, &best);
        else
            status = store_sample(self, t, made->sample);
        if (!t->kind->simulate)
            best = nitro_sample_best(made->sample);
        if (is_first)
            first_best = best;
        is_first = false;
    }
    self->progress.best = nitro_computation_variant_name(self->plan.computation, first_best);
    return status;
}

static void free_kept(nitro_kept_input *kept)
{
    nitro_measuring_free(kept->measuring);
    nitro_sample_free(kept->sample);
    *kept = (nitro_kept_input){0};
}

nitro_status nitro_tuning_report(nitro_tuning *self, size_t input)
{
    nitro_tune_progress *progress = &self->progress;
    progress->input = self->plan.inputs[input].name;
    progress->elapsed_ms = nitro_clock_wall_ms(self->plan.context) - self->start_ms;
    if (!self->options.progress || self->options.progress(self->options.progress_user, progress))
        return NITRO_OK;
    return nitro_fail(self->plan.context, NITRO_ERR_INTERRUPTED,
                      "%s: stopped after input '%s', %zu of %zu; measured inputs are stored, and "
                      "the same tune continues after them",
                      self->plan.computation->schema->computation, progress->input, progress->done,
                      progress->total);
}

/* Keeps the earlier blocks of an input that fails in a later one. */
static nitro_status repeat_input(nitro_tuning *self, nitro_kept_input *kept)
{
    bool input_failed = false;
    char message[1024];
    nitro_status status = measure_block(self, kept->measuring, &kept->sample, &input_failed);
    if (input_failed) {
        nitro_context_last_error(self->plan.context, message, sizeof(message));
        nitro_log(self->plan.context, NITRO_LOG_WARNING, "%s: no further block: %s",
                  self->plan.computation->schema->computation, message);
        nitro_sample_free(kept->sample);
        kept->sample = NULL;
        return NITRO_OK;
    }
    if (status == NITRO_OK)
        status = store_sample(self, live_target(self), kept->sample);
    if (status != NITRO_OK)
        return status;
    size_t best = nitro_sample_best(kept->sample);
    self->progress.best = nitro_computation_variant_name(self->plan.computation, best);
    self->progress.again++;
    return nitro_tuning_report(self, kept->input);
}

static void wait_for_separation(nitro_tuning *self)
{
    double left_ms = self->pass_start_ms + SEPARATION_MS - nitro_system_clock.wall_ms(NULL);
    if (left_ms > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(left_ms * 1e6)}, NULL);
    self->pass_start_ms = nitro_system_clock.wall_ms(NULL);
}

/* One block of each kept input. */
static nitro_status repeat_kept(nitro_tuning *self)
{
    size_t num_left = 0;
    nitro_status status = NITRO_OK;
    wait_for_separation(self);
    for (size_t i = 0; i < self->num_kept && status == NITRO_OK; i++) {
        nitro_tuning_renew_claims(self);
        if (self->kept[i].sample)
            status = repeat_input(self, &self->kept[i]);
    }
    for (size_t i = 0; i < self->num_kept && status == NITRO_OK; i++) {
        nitro_kept_input *kept = &self->kept[i];
        if (kept->sample && nitro_tune_missing_variants(&self->plan, kept->sample)) {
            self->kept[num_left++] = *kept;
            continue;
        }
        nitro_tune_claims_release(&self->claims, kept->input);
        free_kept(kept);
    }
    if (status == NITRO_OK)
        self->num_kept = num_left;
    return status;
}

nitro_status nitro_tune_kept(nitro_tuning *self)
{
    nitro_status status = NITRO_OK;
    for (unsigned block = 1; block < self->plan.max_blocks && status == NITRO_OK; block++)
        if (self->num_kept > 0)
            status = repeat_kept(self);
    nitro_tuning_unload(self);
    self->pass_start_ms = nitro_system_clock.wall_ms(NULL);
    return status;
}

void nitro_tuning_unload(nitro_tuning *self)
{
    for (size_t i = 0; i < self->num_kept; i++) {
        nitro_tune_claims_release(&self->claims, self->kept[i].input);
        free_kept(&self->kept[i]);
    }
    self->num_kept = 0;
    self->kept_bytes = 0;
}

void nitro_tuning_renew_claims(nitro_tuning *self)
{
    size_t inputs[NITRO_MOST_KEPT];
    for (size_t i = 0; i < self->num_kept; i++)
        inputs[i] = self->kept[i].input;
    nitro_tune_claims_renew(&self->claims, inputs, self->num_kept);
}

bool nitro_tuning_keeps(const nitro_tuning *self, size_t input)
{
    for (size_t i = 0; i < self->num_kept; i++)
        if (self->kept[i].input == input)
            return true;
    return false;
}

bool nitro_tuning_is_full(const nitro_tuning *self)
{
    size_t limit_bytes = self->options.measure.memory_limit_bytes / 4;
    bool on_host = strcmp(self->plan.computation->device_kind, "host") == 0;
    size_t most = self->is_exclusive ? 1 : on_host ? NITRO_MOST_KEPT : NITRO_MOST_KEPT_ON_DEVICE;
    if (limit_bytes == 0 || limit_bytes > MOST_KEPT_BYTES)
        limit_bytes = MOST_KEPT_BYTES;
    return self->num_kept >= most || self->kept_bytes > limit_bytes;
}

/* Evaluates features that were declared after the sample was stored. *sample becomes NULL if the
 * input is another one now. */
static nitro_status complete_features(nitro_tuning *self, size_t input, nitro_sample **sample,
                                      bool *input_failed)
{
    nitro_measuring *measuring = NULL;
    nitro_sample *now = NULL;
    nitro_status status = nitro_measuring_create(self->plan.computation, &self->plan.inputs[input],
                                                 NULL, &self->options.measure, false, &measuring);
    if (status == NITRO_OK)
        status = nitro_measuring_run(measuring, 0, &now, input_failed);
    if (status == NITRO_OK && has_same_features(now, *sample)) {
        status = take_features(self->plan.context, now, *sample);
    } else if (status == NITRO_OK) {
        warn_of_other_input(self, now);
        nitro_sample_free(*sample);
        *sample = NULL;
    }
    nitro_sample_free(now);
    nitro_measuring_free(measuring);
    return status;
}

static nitro_status measure_first(nitro_tuning *self, nitro_tune_target *live,
                                  nitro_kept_input *made, bool *input_failed)
{
    nitro_status status = NITRO_OK;
    if (live) {
        made->sample = live->partial[made->input];
        live->partial[made->input] = NULL;
    }
    if (made->sample && nitro_tune_lacks_features(made->sample)) {
        status = complete_features(self, made->input, &made->sample, input_failed);
        if (status != NITRO_OK ||
            (made->sample && !nitro_tune_missing_variants(&self->plan, made->sample)))
            return status;
    }
    status = nitro_measuring_create(self->plan.computation, &self->plan.inputs[made->input],
                                    live ? live->device->id : NULL, &self->options.measure,
                                    live && self->plan.max_blocks > 1, &made->measuring);
    if (status == NITRO_OK)
        status = measure_block(self, made->measuring, &made->sample, input_failed);
    return status;
}

/* Measures again without the kept inputs, whose workers may hold the device's memory, or all of
 * the device: a GPU may allow one process at a time. */
static nitro_status measure_alone(nitro_tuning *self, nitro_tune_target *live,
                                  nitro_kept_input *made, bool *input_failed)
{
    const size_t input = made->input;
    free_kept(made);
    made->input = input;
    nitro_status status = nitro_tune_kept(self);
    return status == NITRO_OK ? measure_first(self, live, made, input_failed) : status;
}

/* First block of an input. It is kept if it needs further ones. */
nitro_status nitro_tune_input(nitro_tuning *self, size_t input, bool *input_failed)
{
    nitro_tune_target *live = live_target(self);
    if (live && live->stored[input])
        live = NULL;
    nitro_kept_input made = {.input = input};
    nitro_status status = measure_first(self, live, &made, input_failed);
    bool has_no_worker = status != NITRO_OK && !*input_failed;
    if (self->num_kept > 0 &&
        (has_no_worker || (status == NITRO_OK && is_out_of_memory(made.sample)))) {
        status = measure_alone(self, live, &made, input_failed);
        self->is_exclusive |= has_no_worker && status == NITRO_OK;
    }
    if (status == NITRO_OK)
        status = store_first(self, &made);
    if (status == NITRO_OK && live && nitro_tune_missing_variants(&self->plan, made.sample)) {
        self->kept_bytes += nitro_measuring_memory(made.measuring);
        self->kept[self->num_kept++] = made;
    } else {
        free_kept(&made);
    }
    return status;
}
