/* Builds a sample from a worker's records. Records are untrusted: the worker ran code that may
 * have corrupted its memory. */
#include "nitro/measure/receive_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Details are single lines. A text may end inside a character. */
static void put_on_one_line(char *text)
{
    for (char *at = text; *at; at++)
        if (strchr("\n\r\t", *at))
            *at = ' ';
    nitro_text_clean(text, "");
}

/* A variant's latest failure replaces an earlier entry, also a time. */
void nitro_received_sample_set_entry(nitro_received_sample *self, size_t v, nitro_entry entry,
                                     const char *detail)
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
        nitro_log(self->context,
                  nitro_outcome_is_bound(entry.outcome) ? NITRO_LOG_INFO : NITRO_LOG_WARNING,
                  "%s, input '%s': variant %s: %s: %s", self->computation->schema->computation,
                  self->sample->input, self->computation->variants[v].name,
                  nitro_outcome_name(entry.outcome), copy ? copy : "");
}

static double not_negative(double value)
{
    return value >= 0 && isfinite(value) ? value : NAN;
}

/* Validates all fields: the worker's memory may be corrupted. */
static void receive_entry(nitro_received_sample *self, const nitro_worker_record *record,
                          const char *detail)
{
    nitro_outcome outcome = (nitro_outcome)record->entry.outcome;
    double median_ms = record->entry.median_ms;
    if (record->index >= self->sample->num_entries)
        return;
    bool measured = outcome == NITRO_OUTCOME_MEASURED && median_ms > 0 && isfinite(median_ms);
    bool is_bound = nitro_outcome_is_bound(outcome);
    bool failed = outcome == NITRO_OUTCOME_NOT_ALLOWED || outcome == NITRO_OUTCOME_FAILED ||
                  outcome == NITRO_OUTCOME_WRONG_RESULT || outcome == NITRO_OUTCOME_OUT_OF_MEMORY ||
                  is_bound;
    if (!measured && !failed)
        return;
    nitro_entry entry = {
        .outcome = outcome,
        .median_ms = measured   ? median_ms
                     : is_bound ? not_negative(median_ms)
                                : (double)NAN,
        .spread = measured ? not_negative(record->entry.spread) : NAN,
        .count = measured ? record->entry.count : 0,
        .prepare_ms = not_negative(record->entry.prepare_ms),
    };
    nitro_received_sample_set_entry(self, record->index, entry, detail);
}

static void receive_error(nitro_received_sample *self, uint32_t status, const char *text)
{
    bool known = status > NITRO_OK && status <= NITRO_ERR_UNSUPPORTED;
    self->failure = known ? (nitro_status)status : NITRO_ERR_IO;
    snprintf(self->message, sizeof(self->message), "%s",
             text[0] ? text : "its loader failed without a message");
}

/* Without costs where variants are not timed. */
static void receive_feature_costs(nitro_received_sample *self, const nitro_worker_record *record)
{
    size_t count = self->sample->num_features;
    double costs_ms[NITRO_MAX_FEATURES];
    for (size_t i = 0; i < count; i++)
        costs_ms[i] = not_negative(record->costs_ms[i]);
    if (count == 0 || isnan(costs_ms[0]))
        return;
    self->out_of_memory |=
        nitro_sample_set_feature_costs(self->context, self->sample, costs_ms, count) != NITRO_OK;
}

static void receive_features(nitro_received_sample *self, const nitro_worker_record *record)
{
    for (size_t i = 0; i < self->sample->num_features; i++) {
        if (!isfinite(record->features[i]))
            receive_error(self, NITRO_ERR_BAD_FEATURE, "a feature is not a finite number");
        else
            self->sample->features[i] = record->features[i];
    }
    receive_feature_costs(self, record);
}

/* A profiled variant has no time: its entry stays missing. */
static void receive_profiled(nitro_received_sample *self, const nitro_worker_record *record)
{
    size_t v = record->index;
    if (v >= self->sample->num_entries || !(self->todo >> v & 1)) {
        nitro_received_profiles_drop_unfinished(self->profiles); /* not requested */
        return;
    }
    if (self->profiles->count == self->profiles->num_finished)
        nitro_log(self->context, NITRO_LOG_WARNING,
                  "%s, input '%s': variant %s launches no kernel that the profiler sees",
                  self->computation->schema->computation, self->sample->input,
                  self->computation->variants[v].name);
    nitro_received_profiles_add_record(self->profiles, record);
    self->todo &= ~(UINT64_C(1) << v);
    self->usable |= UINT64_C(1) << v;
}

static void receive_profile(nitro_received_sample *self, const nitro_worker_record *record)
{
    if (record->kind == NITRO_RECORD_KERNEL && record->index >= self->sample->num_entries)
        return;
    if (self->profiles && record->kind == NITRO_RECORD_PROFILED)
        receive_profiled(self, record);
    else if (self->profiles)
        nitro_received_profiles_add_record(self->profiles, record);
}

void nitro_received_sample_add_record(void *user, const nitro_worker_record *record)
{
    nitro_received_sample *self = user;
    char text[sizeof(record->text)];
    memcpy(text, record->text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    nitro_text_clean(text, "\n\t");
    switch ((nitro_record_kind)record->kind) {
    case NITRO_RECORD_FEATURES:
        receive_features(self, record);
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
    case NITRO_RECORD_PAUSED:
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

/* "1980 MHz; then 1755 MHz, throttled: power" */
nitro_status nitro_received_sample_set_conditions(nitro_received_sample *self, nitro_cache cache)
{
    nitro_provenance *made = &self->sample->provenance;
    const char *before = self->state[0], *after = self->state[1];
    bool differ = before[0] && after[0] && strcmp(before, after) != 0;
    put_on_one_line(self->state[0]);
    put_on_one_line(self->state[1]);
    if (cache == NITRO_CACHE_COLD && !(made->cache = nitro_strdup(self->context, "cold")))
        return NITRO_ERR_NO_MEMORY;
    if (!before[0] && !after[0])
        return NITRO_OK;
    made->device_state = differ ? nitro_asprintf(self->context, "%s; then %s", before, after)
                                : nitro_strdup(self->context, after[0] ? after : before);
    return made->device_state ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}
