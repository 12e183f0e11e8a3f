/* Checks of records, the same on the way into a store and out of it: the content of a store is as
 * untrusted as a caller's. */
#include <math.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

#define BAD_TEXT "its %s is not UTF-8 text of at most %d bytes"

/* Formulas are parsed here, so that readers need not check them. */
static nitro_status check_relative(nitro_context *context, const char *where,
                                   const nitro_schema *schema, size_t index, nitro_status failure)
{
    nitro_status status = nitro_schema_check_relative(context, schema, index);
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY) {
        const char *unit = schema->relative[index].unit;
        if (status == NITRO_OK && !nitro_text_is_valid(unit, NITRO_STORE_MAX_TEXT))
            return nitro_fail(context, failure,
                              "%s: computation %s: relative feature %s has no valid unit", where,
                              schema->computation, schema->relative[index].name);
        return status;
    }
    char message[1024];
    nitro_context_last_error(context, message, sizeof(message));
    return nitro_fail(context, failure, "%s: %s", where, message);
}

nitro_status nitro_store_check_schema(nitro_context *context, const char *where,
                                      const nitro_schema *schema, nitro_status failure)
{
    const char *name = schema->computation;
    if (!nitro_name_is_valid(name))
        return nitro_fail(context, failure, "%s: a computation's name is not valid", where);
    if (schema->num_variants == 0 || schema->num_variants > NITRO_MAX_VARIANTS ||
        schema->num_features > NITRO_MAX_FEATURES || schema->num_relative > NITRO_MAX_FEATURES)
        return nitro_fail(context, failure,
                          "%s: computation %s has %zu variants, %zu features and %zu relative "
                          "ones; 1 to %d variants and at most %d features of each sort are kept",
                          where, name, schema->num_variants, schema->num_features,
                          schema->num_relative, NITRO_MAX_VARIANTS, NITRO_MAX_FEATURES);
    for (size_t i = 0; i < schema->num_features; i++) {
        const nitro_feature_info *feature = &schema->features[i];
        nitro_scale scale;
        if (!nitro_name_is_valid(feature->name) || nitro_schema_feature(schema, feature->name) != i)
            return nitro_fail(context, failure,
                              "%s: computation %s: feature %zu has no valid name of its own", where,
                              name, i);
        if (!feature->unit || !nitro_text_is_valid(feature->unit, NITRO_STORE_MAX_TEXT) ||
            !nitro_scale_from_name(nitro_scale_name(feature->scale), &scale))
            return nitro_fail(context, failure,
                              "%s: computation %s: feature %s has no valid unit or no known scale",
                              where, name, feature->name);
    }
    for (size_t i = 0; i < schema->num_variants; i++)
        if (!nitro_name_is_valid(schema->variants[i]) ||
            nitro_schema_variant(schema, schema->variants[i]) != i)
            return nitro_fail(context, failure,
                              "%s: computation %s: variant %zu has no valid name of its own", where,
                              name, i);
    if (schema->default_variant != NITRO_NONE && schema->default_variant >= schema->num_variants)
        return nitro_fail(context, failure,
                          "%s: computation %s: the default variant is number %zu of %zu", where,
                          name, schema->default_variant, schema->num_variants);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < schema->num_relative && status == NITRO_OK; i++)
        status = check_relative(context, where, schema, i, failure);
    return status;
}

static bool is_measure(double value) /* finite and not negative */
{
    return isfinite(value) && value >= 0;
}

nitro_status nitro_store_check_device(nitro_context *context, const char *where,
                                      const nitro_device *device, nitro_status failure)
{
    if (!nitro_device_id_is_valid(device->id) || !nitro_name_is_valid(device->kind))
        return nitro_fail(context, failure, "%s: a device's id or kind is not valid", where);
    if (device->num_features > NITRO_STORE_MAX_DEVICE_VALUES ||
        device->num_labels > NITRO_STORE_MAX_DEVICE_VALUES)
        return nitro_fail(context, failure,
                          "%s: device %s has %zu features and %zu labels; %d of each are kept",
                          where, device->id, device->num_features, device->num_labels,
                          NITRO_STORE_MAX_DEVICE_VALUES);
    for (size_t i = 0; i < device->num_features; i++) {
        const nitro_device_feature *feature = &device->features[i];
        nitro_value_source source;
        if (!nitro_name_is_valid(feature->name))
            return nitro_fail(context, failure, "%s: device %s: feature %zu has no valid name",
                              where, device->id, i);
        if (!isfinite(feature->value) || !is_measure(feature->spread))
            return nitro_fail(context, failure,
                              "%s: device %s: feature %s is %g with spread %g; both must be finite "
                              "(leave out what is unknown)",
                              where, device->id, feature->name, feature->value, feature->spread);
        if (!nitro_value_source_from_name(nitro_value_source_name(feature->source), &source))
            return nitro_fail(context, failure, "%s: device %s: feature %s has no known source",
                              where, device->id, feature->name);
        if (nitro_device_value(device, feature->name) != feature->value)
            return nitro_fail(context, failure, "%s: device %s has two features '%s'", where,
                              device->id, feature->name);
    }
    for (size_t i = 0; i < device->num_labels; i++) {
        const nitro_label *label = &device->labels[i];
        if (!nitro_name_is_valid(label->name) ||
            nitro_device_label(device, label->name) != label->text)
            return nitro_fail(context, failure,
                              "%s: device %s: label %zu has no valid name of its own", where,
                              device->id, i);
    }
    const char *bad = nitro_record_find_bad_text(nitro_record_devices.fields, device);
    if (bad)
        return nitro_fail(context, failure, "%s: device %s: " BAD_TEXT, where, device->id, bad,
                          NITRO_STORE_MAX_TEXT);
    return NITRO_OK;
}

/* The problem of an entry; NULL: none. */
static const char *entry_problem(const nitro_entry *entry)
{
    nitro_outcome outcome;
    if (!nitro_outcome_from_name(nitro_outcome_name(entry->outcome), &outcome))
        return "has no known outcome";
    bool measured = entry->outcome == NITRO_OUTCOME_MEASURED;
    if (measured && !(isfinite(entry->median_ms) && entry->median_ms > 0))
        return "is 'measured' without a time above 0";
    if (!measured && !isnan(entry->median_ms) &&
        !(nitro_outcome_is_bound(entry->outcome) && is_measure(entry->median_ms)))
        return "has a time, but is not 'measured'";
    if (!isnan(entry->spread) && !is_measure(entry->spread))
        return "has a spread that is negative or infinite";
    if (!isnan(entry->prepare_ms) && !is_measure(entry->prepare_ms))
        return "has a prepare time that is negative or infinite";
    return NULL;
}

nitro_status nitro_store_check_sample(nitro_context *context, const char *where,
                                      const nitro_schema *schema, const char *device,
                                      const nitro_sample *sample, nitro_status failure)
{
    const char *name = schema->computation;
    if (!nitro_input_name_is_valid(sample->input))
        return nitro_fail(context, failure, "%s: %s on %s: an input's name is not valid", where,
                          name, device);
    if (sample->num_features != schema->num_features || sample->num_entries != schema->num_variants)
        return nitro_fail(context, failure,
                          "%s: %s on %s: input '%s' has %zu features and %zu variants, not %zu and "
                          "%zu as the computation",
                          where, name, device, sample->input, sample->num_features,
                          sample->num_entries, schema->num_features, schema->num_variants);
    for (size_t i = 0; i < sample->num_features; i++)
        if (isinf(sample->features[i]))
            return nitro_fail(context, failure, "%s: %s on %s: input '%s': feature %s is infinite",
                              where, name, device, sample->input, schema->features[i].name);
    if (!isnan(sample->features_ms) && !is_measure(sample->features_ms))
        return nitro_fail(context, failure,
                          "%s: %s on %s: input '%s': the cost of its features is negative or "
                          "infinite",
                          where, name, device, sample->input);
    if (sample->num_feature_costs != 0 && sample->num_feature_costs != sample->num_features)
        return nitro_fail(
            context, failure, "%s: %s on %s: input '%s' has costs of %zu features, not %zu", where,
            name, device, sample->input, sample->num_feature_costs, sample->num_features);
    for (size_t i = 0; i < sample->num_feature_costs; i++)
        if (!isnan(sample->feature_costs_ms[i]) && !is_measure(sample->feature_costs_ms[i]))
            return nitro_fail(context, failure,
                              "%s: %s on %s: input '%s': the cost of feature %s is negative or "
                              "infinite",
                              where, name, device, sample->input, schema->features[i].name);
    for (size_t i = 0; i < sample->num_entries; i++) {
        const char *problem = entry_problem(&sample->entries[i]);
        if (problem)
            return nitro_fail(context, failure, "%s: %s on %s: input '%s': variant %s %s", where,
                              name, device, sample->input, schema->variants[i], problem);
    }
    const char *bad = nitro_record_find_bad_text(nitro_record_samples.fields, sample);
    if (bad)
        return nitro_fail(context, failure, "%s: %s on %s: input '%s': " BAD_TEXT, where, name,
                          device, sample->input, bad, NITRO_STORE_MAX_TEXT);
    return NITRO_OK;
}

/* The problem of a profile's names; NULL: none. */
static const char *profile_problem(const nitro_schema *schema, const nitro_profile *profile)
{
    if (!nitro_name_is_valid(profile->name) || !nitro_input_name_is_valid(profile->kernel))
        return "its variant's, proxy's or kernel's name is not valid";
    if (!schema) {
        bool in_range = profile->intensity >= 0 && profile->intensity <= NITRO_MAX_INTENSITY;
        return profile->computation || profile->input ? "a proxy has no computation and no input"
               : !in_range                            ? "a proxy's intensity must be from 0 to 5"
                                                      : NULL;
    }
    if (!profile->computation || strcmp(profile->computation, schema->computation) != 0)
        return "it is of another computation";
    if (!nitro_input_name_is_valid(profile->input))
        return "its input's name is not valid";
    return isnan(profile->intensity) ? NULL : "a variant has no intensity";
}

/* First metric whose name is not valid or not in ascending order (so none comes twice), or whose
 * value is not finite; NITRO_NONE: none. */
static size_t first_bad_metric(const nitro_profile *profile)
{
    for (size_t i = 0; i < profile->num_metrics; i++) {
        const nitro_metric *metric = &profile->metrics[i];
        if (!nitro_metric_name_is_valid(metric->name) || !isfinite(metric->value) ||
            (i > 0 && strcmp(profile->metrics[i - 1].name, metric->name) >= 0))
            return i;
    }
    return NITRO_NONE;
}

nitro_status nitro_store_check_profile(nitro_context *context, const char *where,
                                       const nitro_schema *schema, const char *device,
                                       const nitro_profile *profile, nitro_status failure)
{
    const char *problem = profile_problem(schema, profile);
    const char *name = profile->name ? profile->name : "(null)";
    if (problem)
        return nitro_fail(context, failure, "%s: profile of %.80s on %s: %s", where, name, device,
                          problem);
    if (schema && nitro_schema_variant(schema, profile->name) == NITRO_NONE)
        return nitro_fail(context, failure == NITRO_ERR_ARGUMENT ? NITRO_ERR_MISMATCH : failure,
                          "%s: profile on %s: computation %s has no variant '%s'", where, device,
                          schema->computation, name);
    if (profile->num_metrics == 0 || profile->num_metrics > NITRO_STORE_MAX_METRICS)
        return nitro_fail(context, failure,
                          "%s: profile of %s on %s: kernel '%s' has %zu metrics; 1 to %d are kept",
                          where, name, device, profile->kernel, profile->num_metrics,
                          NITRO_STORE_MAX_METRICS);
    size_t bad = first_bad_metric(profile);
    if (bad != NITRO_NONE)
        return nitro_fail(context, failure,
                          "%s: profile of %s on %s: kernel '%s': metric %zu has no valid name in "
                          "byte order, or no finite value",
                          where, name, device, profile->kernel, bad);
    const char *bad_text = nitro_record_find_bad_text(nitro_record_profiles.fields, profile);
    if (bad_text)
        return nitro_fail(context, failure, "%s: profile of %s on %s: " BAD_TEXT, where, name,
                          device, bad_text, NITRO_STORE_MAX_TEXT);
    return NITRO_OK;
}
