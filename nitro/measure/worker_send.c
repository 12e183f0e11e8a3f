/* Sends a worker's records over its socket. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nitro/backend/statistics.h"
#include "nitro/measure/worker_internal.h"

void nitro_worker_send_record(const nitro_worker *self, const nitro_worker_record *record)
{
    if (getpid() != self->process)
        _exit(EXIT_FAILURE); /* a variant forked, and its child returned here */
    ssize_t written;
    do
        written = write(self->channel, record, sizeof(*record));
    while (written < 0 && errno == EINTR);
    if (written != (ssize_t)sizeof(*record))
        _exit(EXIT_FAILURE); /* a variant closed the socket */
}

void nitro_worker_send_text(const nitro_worker *self, nitro_record_kind kind, uint32_t index,
                            const char *text)
{
    nitro_worker_record record = {.kind = (uint32_t)kind, .index = index};
    snprintf(record.text, sizeof(record.text), "%s", text);
    nitro_worker_send_record(self, &record);
}

void nitro_worker_send_log(void *user, nitro_log_level level, const char *message)
{
    const nitro_worker *self = user;
    nitro_worker_send_text(self, NITRO_RECORD_LOG, (uint32_t)level, message);
}

void nitro_worker_send_entry(const nitro_worker *self, size_t variant, nitro_outcome outcome,
                             const char *detail)
{
    nitro_worker_record record = {
        .kind = NITRO_RECORD_ENTRY,
        .index = (uint32_t)variant,
        .entry = {.outcome = (uint32_t)outcome, .median_ms = NAN, .spread = NAN},
    };
    if (nitro_outcome_is_bound(outcome))
        record.entry.median_ms =
            self->timings[variant].last_ms / (double)self->timings[variant].batch;
    record.entry.prepare_ms = self->prepare_ms[variant];
    snprintf(record.text, sizeof(record.text), "%s", detail);
    nitro_worker_send_record(self, &record);
}

void nitro_worker_send_problem(nitro_worker *self, size_t variant, nitro_outcome outcome,
                               const char *detail)
{
    char both[2048];
    double unused_bytes;
    bool said = self->device.words[0] && strstr(detail, self->device.words);
    if (nitro_worker_device_is_well(&self->device, &unused_bytes)) {
        nitro_worker_send_entry(self, variant, outcome, detail);
        return;
    }
    snprintf(both, sizeof(both), "%s%s%s", detail, said ? "" : "; then ",
             said ? "" : self->device.words);
    nitro_worker_send_entry(self, variant, outcome, both);
    nitro_worker_send_text(self, NITRO_RECORD_BROKEN, (uint32_t)variant, "");
    _exit(EXIT_SUCCESS);
}

void nitro_worker_send_state(nitro_worker *self, uint32_t when)
{
    char state[512];
    nitro_worker_device_state(&self->device, state, sizeof(state));
    if (state[0])
        nitro_worker_send_text(self, NITRO_RECORD_STATE, when, state);
}

/* Describes the check when the declared reference has no result on this input. */
static void describe_stand_in(const nitro_worker *self, size_t variant, char *text, size_t size)
{
    const nitro_schema *schema = self->computation->schema;
    if (!self->computation->hooks.check_result || self->kept_reference == self->reference)
        text[0] = '\0';
    else if (variant == self->kept_reference)
        snprintf(text, size, "unchecked: replaces reference %s, which has no result here",
                 schema->variants[self->reference]);
    else
        snprintf(text, size, "checked against %s, since reference %s has no result here",
                 schema->variants[self->kept_reference], schema->variants[self->reference]);
}

void nitro_worker_send_timing(const nitro_worker *self, const nitro_timing *timing)
{
    const double *times_ms = timing->times_ms;
    size_t num_faster = nitro_timing_faster_half(timing);
    nitro_worker_record record = {
        .kind = NITRO_RECORD_ENTRY,
        .index = (uint32_t)timing->variant,
        .entry = {.outcome = NITRO_OUTCOME_MEASURED,
                  .count = (uint32_t)timing->count,
                  .median_ms = nitro_median(times_ms, num_faster),
                  .spread = nitro_relative_spread(times_ms, num_faster),
                  .prepare_ms = self->prepare_ms[timing->variant]},
    };
    describe_stand_in(self, timing->variant, record.text, sizeof(record.text));
    nitro_worker_send_record(self, &record);
}

void nitro_worker_send_features(const nitro_worker *self, const double *features,
                                const double *costs_ms)
{
    nitro_worker_record record = {.kind = NITRO_RECORD_FEATURES};
    size_t size = self->computation->schema->num_features * sizeof(*features);
    memcpy(record.features, features, size);
    memcpy(record.costs_ms, costs_ms, size);
    nitro_worker_send_record(self, &record);
}

void nitro_worker_send_error(const nitro_worker *self, nitro_status status)
{
    nitro_worker_record record = {.kind = NITRO_RECORD_ERROR, .index = (uint32_t)status};
    nitro_context_last_error(self->context, record.text, sizeof(record.text));
    nitro_worker_send_record(self, &record);
}
