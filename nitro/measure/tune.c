/* Tuning: measures every input on every requested device. Each sample is durable before the next
 * is measured. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nitro/base/require.h"
#include "nitro/kernels.h"
#include "nitro/measure/tune_input.h"

/* How long a finished tune tries to send unsent samples. */
#define PATIENCE_MS 2000

/* How often to check for inputs finished by other tuners. */
#define LOOK_AGAIN_MS 200

void nitro_tune_options_init(nitro_tune_options *options)
{
    if (!options)
        return;
    *options = (nitro_tune_options){0};
    nitro_measure_options_init(&options->measure);
}

/* Reports progress while other tuners measure, so that the user can stop. */
static nitro_status report_unsent(nitro_tuning *self)
{
    nitro_tune_progress *progress = &self->progress;
    progress->input = progress->best = NULL;
    progress->elapsed_ms = nitro_clock_wall_ms(self->plan.context) - self->start_ms;
    if (!self->options.progress || self->options.progress(self->options.progress_user, progress))
        return NITRO_OK;
    return nitro_fail(
        self->plan.context, NITRO_ERR_INTERRUPTED,
        "%s: stopped while other tuners measure the remaining inputs; %zu of %zu inputs are done",
        self->plan.computation->schema->computation, progress->done, progress->total);
}

static void note_failure(nitro_tuning *self, nitro_status status)
{
    char message[1024];
    nitro_context_last_error(self->plan.context, message, sizeof(message));
    nitro_log(self->plan.context, NITRO_LOG_WARNING, "%s: skipped: %s",
              self->plan.computation->schema->computation, message);
    self->progress.best = NULL;
    if (self->progress.failed++ > 0)
        return;
    self->first_failure = status;
    memcpy(self->first_message, message, sizeof(message));
}

/* Tunes one input, unless another tuner has claimed it: then postpones it. */
static nitro_status tune_one(nitro_tuning *self, size_t input, bool *postponed)
{
    bool ours = true, stored = false, input_failed = false;
    nitro_tuning_renew_claims(self);
    nitro_status status = nitro_tune_claims_claim(&self->claims, input, &ours, &stored);
    if (status != NITRO_OK)
        return status;
    *postponed = !ours && !stored;
    if (*postponed)
        return NITRO_OK;
    if (stored) {
        self->progress.best = NULL;
        self->progress.resumed++;
    } else {
        status = nitro_tune_input(self, input, &input_failed);
        if (!nitro_tuning_keeps(self, input))
            nitro_tune_claims_release(&self->claims, input);
        if (status != NITRO_OK && !input_failed)
            return status;
    }
    if (input_failed)
        note_failure(self, status);
    self->progress.done++;
    return nitro_tuning_report(self, input);
}

/* Tunes the inputs that are left; *num_left: how many other tuners have claimed. */
static nitro_status tune_round(nitro_tuning *self, bool *left, size_t *num_left)
{
    nitro_status status = NITRO_OK;
    *num_left = 0;
    for (size_t i = 0; i < self->plan.num_inputs && status == NITRO_OK; i++) {
        if (left[i])
            status = tune_one(self, i, &left[i]);
        *num_left += left[i];
        if (status == NITRO_OK && nitro_tuning_is_full(self))
            status = nitro_tune_kept(self);
    }
    return status == NITRO_OK ? nitro_tune_kept(self) : status;
}

/* Waits for other tuners to finish their inputs, or for their claims to expire. */
static nitro_status tune_rest(nitro_tuning *self, bool *left, size_t num_left)
{
    size_t before = 0;
    nitro_status status = NITRO_OK;
    while (status == NITRO_OK && num_left > 0) {
        if (num_left != before)
            nitro_log(self->plan.context, NITRO_LOG_INFO,
                      "%zu inputs are being measured by other tuners of %s", num_left,
                      self->claims.target->device->id);
        before = num_left;
        status = report_unsent(self);
        if (status != NITRO_OK)
            break;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_MS * 1000000L}, NULL);
        status = tune_round(self, left, &num_left);
    }
    return status;
}

/* Without claims, a tune with another cache mode may have run at the same time. */
static nitro_status check_caches(const nitro_tuning *self)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < self->plan.num_targets && status == NITRO_OK; i++)
        if (!self->plan.targets[i].kind->simulate)
            status = nitro_tune_check_caches(&self->plan, &self->plan.targets[i]);
    return status;
}

static nitro_status tune_all(nitro_tuning *self, bool *left)
{
    size_t num_left = 0;
    nitro_tune_claims_begin(&self->claims, &self->plan);
    nitro_status status = tune_round(self, left, &num_left);
    if (status == NITRO_OK)
        status = tune_rest(self, left, num_left);
    nitro_tuning_unload(self);
    nitro_tune_claims_end(&self->claims);
    return status == NITRO_OK ? check_caches(self) : status;
}

static nitro_status tune_inputs(nitro_tuning *self)
{
    bool *left = nitro_calloc(self->plan.context, self->plan.num_inputs, sizeof *left);
    if (!left)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < self->plan.num_inputs; i++)
        left[i] = !nitro_tune_plan_is_stored(&self->plan, i);
    bool had_work = self->progress.resumed < self->plan.num_inputs;
    nitro_status status = tune_all(self, left);
    free(left);
    if (status != NITRO_OK)
        return status;
    if (self->progress.failed == 1 && self->plan.num_inputs == 1)
        return nitro_fail(self->plan.context, self->first_failure, "%s: %s",
                          self->plan.computation->schema->computation, self->first_message);
    if (self->progress.failed == self->plan.num_inputs)
        return nitro_fail(self->plan.context, self->first_failure,
                          "%s: none of the %zu inputs could be loaded; the first: %s",
                          self->plan.computation->schema->computation, self->plan.num_inputs,
                          self->first_message);
    /* Report once that nothing is left to do. */
    return had_work ? NITRO_OK : nitro_tuning_report(self, self->plan.num_inputs - 1);
}

/* Tries once more to send unsent samples, which are safe in the journal. The tune's own failure
 * takes precedence. */
static nitro_status send_unsent(const nitro_tuning *self, nitro_status status)
{
    nitro_context *context = self->plan.context;
    char message[1024];
    size_t unsent = 0;
    nitro_context_last_error(context, message, sizeof(message));
    nitro_status flushed =
        nitro_store_flush(self->plan.store, status == NITRO_OK ? PATIENCE_MS : 0, &unsent);
    char refusal[1024];
    nitro_context_last_error(context, refusal, sizeof(refusal));
    if (flushed != NITRO_OK && nitro_store_count_unsent(self->plan.store, &unsent) != NITRO_OK)
        unsent = 0;
    if (unsent > 0)
        nitro_log(context, NITRO_LOG_WARNING,
                  "%zu unsent samples for %s are in a journal on this machine: the next tune into "
                  "it, or 'nitro store sync', sends them",
                  unsent, nitro_store_url(self->plan.store));
    if (status != NITRO_OK)
        return nitro_fail(context, status, "%s", message);
    return flushed == NITRO_OK ? NITRO_OK : nitro_fail(context, flushed, "%s", refusal);
}

/* Reports stored inputs before measuring. */
static void count_stored(nitro_tuning *self)
{
    nitro_tune_progress *progress = &self->progress;
    progress->total = self->plan.num_inputs;
    for (size_t i = 0; i < self->plan.num_inputs; i++)
        progress->resumed += nitro_tune_plan_is_stored(&self->plan, i);
    progress->done = progress->resumed;
    if (progress->resumed)
        nitro_log(self->plan.context, NITRO_LOG_INFO, "%s: %zu of %zu inputs are in %s already",
                  self->plan.computation->schema->computation, progress->resumed, progress->total,
                  nitro_store_url(self->plan.store));
}

nitro_status nitro_tune(nitro_computation *computation, nitro_store *store, const char *device,
                        const nitro_input *inputs, size_t num_inputs,
                        const nitro_tune_options *options)
{
    NITRO_REQUIRE(computation ? computation->context : NULL,
                  computation && store && device && (inputs || num_inputs == 0));
    nitro_tuning self = {.start_ms = nitro_clock_wall_ms(computation->context)};
    nitro_tune_options_init(&self.options);
    if (options)
        self.options = *options;
    self.plan = (nitro_tune_plan){.context = computation->context,
                                  .computation = computation,
                                  .store = store,
                                  .inputs = inputs,
                                  .num_inputs = num_inputs,
                                  .again = self.options.again,
                                  .max_blocks = self.options.measure.max_blocks,
                                  .cache = self.options.measure.cache};
    uint64_t held = 0;
    nitro_status status = nitro_tune_plan_check(&self.plan, "measure");
    if (status == NITRO_OK)
        status = nitro_measure_options_check(self.plan.context, &self.options.measure);
    if (status == NITRO_OK)
        status = nitro_computation_version_by_code(computation);
    if (status == NITRO_OK)
        status = nitro_kernels_hold(computation, device, &held);
    if (status == NITRO_OK)
        status = nitro_tune_plan_make(&self.plan, device, &self.options.measure);
    if (status == NITRO_OK) {
        count_stored(&self);
        status = send_unsent(&self, tune_inputs(&self));
    }
    nitro_kernels_let_go(computation, held);
    nitro_tune_plan_free(&self.plan);
    return status;
}
