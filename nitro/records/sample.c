/* One input measured on one device: features, and for every variant a time or the reason for its
 * absence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/nitro_backend.h"

static const char *const outcome_names[] = {
    [NITRO_OUTCOME_MEASURED] = "measured",
    [NITRO_OUTCOME_MISSING] = "missing",
    [NITRO_OUTCOME_NOT_ALLOWED] = "not-allowed",
    [NITRO_OUTCOME_FAILED] = "failed",
    [NITRO_OUTCOME_WRONG_RESULT] = "wrong-result",
    [NITRO_OUTCOME_CRASHED] = "crashed",
    [NITRO_OUTCOME_TIMED_OUT] = "timed-out",
    [NITRO_OUTCOME_OUT_OF_MEMORY] = "out-of-memory",
    [NITRO_OUTCOME_NOT_CONVERGED] = "not-converged",
    [NITRO_OUTCOME_BREAKDOWN] = "breakdown",
    [NITRO_OUTCOME_NOT_FINITE] = "not-finite",
};
#define NUM_OUTCOMES (sizeof(outcome_names) / sizeof(outcome_names[0]))

const char *nitro_outcome_name(nitro_outcome outcome)
{
    return (size_t)outcome < NUM_OUTCOMES ? outcome_names[outcome] : "unknown";
}

bool nitro_outcome_from_name(const char *name, nitro_outcome *outcome)
{
    for (size_t i = 0; i < NUM_OUTCOMES; i++) {
        if (strcmp(outcome_names[i], name) == 0) {
            *outcome = (nitro_outcome)i;
            return true;
        }
    }
    return false;
}

nitro_outcome nitro_outcome_of_failure(int failure)
{
    switch (failure) {
    case NITRO_RUN_NOT_CONVERGED:
        return NITRO_OUTCOME_NOT_CONVERGED;
    case NITRO_RUN_BREAKDOWN:
        return NITRO_OUTCOME_BREAKDOWN;
    case NITRO_RUN_NOT_FINITE:
        return NITRO_OUTCOME_NOT_FINITE;
    default:
        return NITRO_OUTCOME_FAILED;
    }
}

bool nitro_outcome_is_bound(nitro_outcome outcome)
{
    return outcome >= NITRO_OUTCOME_NOT_CONVERGED && outcome <= NITRO_OUTCOME_NOT_FINITE;
}

nitro_status nitro_sample_create(nitro_context *context, const char *input, size_t num_features,
                                 size_t num_variants, nitro_sample **sample)
{
    if (!nitro_input_name_is_valid(input))
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "'%.80s' is not a valid input name: use 1 to 511 bytes of UTF-8 without control "
            "characters",
            input ? input : "(null)");
    nitro_sample *created = nitro_calloc(context, 1, sizeof(*created));
    if (!created)
        return NITRO_ERR_NO_MEMORY;
    created->input = nitro_strdup(context, input);
    created->features = nitro_calloc(context, num_features, sizeof(*created->features));
    created->entries = nitro_calloc(context, num_variants, sizeof(*created->entries));
    if (!created->input || !created->features || !created->entries) {
        nitro_sample_free(created);
        return NITRO_ERR_NO_MEMORY;
    }
    created->num_features = num_features;
    created->num_entries = num_variants;
    created->features_ms = NAN;
    for (size_t i = 0; i < num_features; i++)
        created->features[i] = NAN;
    for (size_t i = 0; i < num_variants; i++)
        created->entries[i] = (nitro_entry){
            .outcome = NITRO_OUTCOME_MISSING, .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    *sample = created;
    return NITRO_OK;
}

void nitro_sample_free(nitro_sample *sample)
{
    if (!sample)
        return;
    for (size_t i = 0; i < sample->num_entries; i++) {
        free(sample->entries[i].version);
        free(sample->entries[i].detail);
    }
    nitro_provenance_clear(&sample->provenance);
    free(sample->entries);
    free(sample->features);
    free(sample->feature_costs_ms);
    free(sample->input);
    free(sample);
}

static bool copy_text(nitro_context *context, const char *from, char **copy)
{
    *copy = nitro_strdup(context, from);
    return *copy || !from;
}

static bool copy_texts(nitro_context *context, const nitro_sample *from, nitro_sample *copy)
{
    for (size_t i = 0; i < from->num_entries; i++) {
        copy->entries[i] = from->entries[i];
        copy->entries[i].version = copy->entries[i].detail = NULL;
    }
    bool copied = nitro_provenance_copy(context, &from->provenance, &copy->provenance) == NITRO_OK;
    for (size_t i = 0; i < from->num_entries && copied; i++)
        copied = copy_text(context, from->entries[i].version, &copy->entries[i].version) &&
                 copy_text(context, from->entries[i].detail, &copy->entries[i].detail);
    return copied;
}

nitro_status nitro_sample_set_feature_costs(nitro_context *context, nitro_sample *sample,
                                            const double *costs_ms, size_t count)
{
    double *copy = count > 0 ? nitro_calloc(context, count, sizeof *copy) : NULL;
    if (count > 0 && !copy)
        return NITRO_ERR_NO_MEMORY;
    if (count > 0)
        memcpy(copy, costs_ms, count * sizeof *copy);
    free(sample->feature_costs_ms);
    sample->feature_costs_ms = copy;
    sample->num_feature_costs = count;
    return NITRO_OK;
}

nitro_status nitro_sample_copy(nitro_context *context, const nitro_sample *from,
                               nitro_sample **sample)
{
    nitro_sample *copy = NULL;
    nitro_status status =
        nitro_sample_create(context, from->input, from->num_features, from->num_entries, &copy);
    if (status != NITRO_OK)
        return status;
    memcpy(copy->features, from->features, from->num_features * sizeof(*copy->features));
    copy->features_ms = from->features_ms;
    if (!copy_texts(context, from, copy) ||
        nitro_sample_set_feature_costs(context, copy, from->feature_costs_ms,
                                       from->num_feature_costs) != NITRO_OK) {
        nitro_sample_free(copy);
        return NITRO_ERR_NO_MEMORY;
    }
    *sample = copy;
    return NITRO_OK;
}

double nitro_sample_features_ms(const nitro_sample *sample)
{
    double sum_ms = sample->features_ms;
    for (size_t f = 0; isnan(sample->features_ms) && f < sample->num_feature_costs; f++)
        if (!isnan(sample->feature_costs_ms[f]))
            sum_ms = (isnan(sum_ms) ? 0 : sum_ms) + sample->feature_costs_ms[f];
    return sum_ms;
}

size_t nitro_sample_best(const nitro_sample *sample)
{
    size_t best = NITRO_NONE;
    for (size_t i = 0; i < sample->num_entries; i++) {
        const nitro_entry *entry = &sample->entries[i];
        if (entry->outcome == NITRO_OUTCOME_MEASURED &&
            (best == NITRO_NONE || entry->median_ms < sample->entries[best].median_ms))
            best = i;
    }
    return best;
}
