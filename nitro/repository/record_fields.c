/* The lists of fields of all sorts of records. A new field is a line here; both forms, checksums
 * and checks of texts follow. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "nitro/repository/record_internal.h"

static const char *scale_name(unsigned value)
{
    return nitro_scale_name((nitro_scale)value);
}

static const char *source_name(unsigned value)
{
    return nitro_value_source_name((nitro_value_source)value);
}

static const char *outcome_name(unsigned value)
{
    return nitro_outcome_name((nitro_outcome)value);
}

#define FIELD(owner, its_type, member)                                                             \
    {                                                                                              \
#member, its_type, .offset = offsetof(owner, member)                                       \
    }
#define OPTIONAL(owner, its_type, member)                                                          \
    {                                                                                              \
#member, its_type, .optional = true, .offset = offsetof(owner, member)                     \
    }
#define NAMED(owner, member, names)                                                                \
    {                                                                                              \
#member, RECORD_NAMED, .offset = offsetof(owner, member), .name_of = names                 \
    }
#define ROWS(owner, member, count, its_row, its_most)                                              \
    {                                                                                              \
#member, RECORD_ROWS, .offset = offsetof(owner, member), .row = its_row,                   \
                              .row_size = sizeof(*((owner *)0)->member),                           \
                              .count_offset = offsetof(owner, count), .most = its_most             \
    }
#define OPTIONAL_ROWS(owner, member, count, its_row, its_most)                                     \
    {                                                                                              \
#member, RECORD_ROWS, .optional = true, .offset = offsetof(owner, member), .row = its_row, \
                              .row_size = sizeof(*((owner *)0)->member),                           \
                              .count_offset = offsetof(owner, count), .most = its_most             \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, RECORD_TEXT, .offset = 0                                                             \
    }

/* All end with a comma. */
#define SHARED_TEXT(owner, member)                                                                 \
    {#member, RECORD_TEXT, .optional = true, .shared = true,                                       \
     .offset = offsetof(owner, provenance.member)},
#define PROVENANCE_TEXT(owner, member)                                                             \
    {#member, RECORD_TEXT, .optional = true, .offset = offsetof(owner, provenance.member)},
#define PROVENANCE(owner)                                                                          \
    {"time_s", RECORD_TIME, .offset = offsetof(owner, provenance.time_s)},                         \
        NITRO_PROVENANCE_TEXTS(PROVENANCE_TEXT, owner)

/* Rows of one field; JSON writes them without inner brackets. */
static const record_field bare_text[] = {{"name", RECORD_TEXT, .offset = 0}, END};
static const record_field bare_number[] = {{"value", RECORD_NUMBER, .offset = 0}, END};

static const record_field feature_fields[] = {
    FIELD(nitro_feature_info, RECORD_TEXT, name),
    FIELD(nitro_feature_info, RECORD_TEXT, unit),
    NAMED(nitro_feature_info, scale, scale_name),
    END,
};
static const record_field relative_fields[] = {
    FIELD(nitro_relative_info, RECORD_TEXT, name),
    FIELD(nitro_relative_info, RECORD_TEXT, unit),
    NAMED(nitro_relative_info, scale, scale_name),
    FIELD(nitro_relative_info, RECORD_TEXT, formula),
    FIELD(nitro_relative_info, RECORD_TEXT, replaces),
    END,
};
static const record_field schema_fields[] = {
    ROWS(nitro_schema, features, num_features, feature_fields, NITRO_MAX_FEATURES),
    ROWS(nitro_schema, variants, num_variants, bare_text, NITRO_MAX_VARIANTS),
    OPTIONAL(nitro_schema, RECORD_VARIANT, default_variant),
    ROWS(nitro_schema, relative, num_relative, relative_fields, NITRO_MAX_FEATURES),
    END,
};
const record_sort nitro_record_schemas = {"schema", schema_fields, true, false};

static const record_field device_feature_fields[] = {
    FIELD(nitro_device_feature, RECORD_TEXT, name),
    FIELD(nitro_device_feature, RECORD_NUMBER, value),
    NAMED(nitro_device_feature, source, source_name),
    FIELD(nitro_device_feature, RECORD_NUMBER, spread),
    END,
};
static const record_field label_fields[] = {
    FIELD(nitro_label, RECORD_TEXT, name),
    FIELD(nitro_label, RECORD_TEXT, text),
    END,
};
static const record_field device_fields[] = {
    FIELD(nitro_device, RECORD_TEXT, kind),
    ROWS(nitro_device, features, num_features, device_feature_fields,
         NITRO_STORE_MAX_DEVICE_VALUES),
    ROWS(nitro_device, labels, num_labels, label_fields, NITRO_STORE_MAX_DEVICE_VALUES),
    END,
};
const record_sort nitro_record_devices = {"device", device_fields, false, true};

static const record_field entry_fields[] = {
    NAMED(nitro_entry, outcome, outcome_name),
    OPTIONAL(nitro_entry, RECORD_NUMBER, median_ms),
    OPTIONAL(nitro_entry, RECORD_NUMBER, spread),
    OPTIONAL(nitro_entry, RECORD_NUMBER, prepare_ms),
    FIELD(nitro_entry, RECORD_COUNT, count),
    OPTIONAL(nitro_entry, RECORD_TEXT, version),
    OPTIONAL(nitro_entry, RECORD_TEXT, detail),
    OPTIONAL(nitro_entry, RECORD_COUNT, blocks),
    END,
};
static const record_field sample_fields[] = {
    {"input", RECORD_TEXT, .in_key = true, .offset = offsetof(nitro_sample, input)},
    ROWS(nitro_sample, features, num_features, bare_number, NITRO_MAX_FEATURES),
    ROWS(nitro_sample, entries, num_entries, entry_fields, NITRO_MAX_VARIANTS),
    PROVENANCE(nitro_sample) OPTIONAL(nitro_sample, RECORD_NUMBER, features_ms),
    OPTIONAL_ROWS(nitro_sample, feature_costs_ms, num_feature_costs, bare_number,
                  NITRO_MAX_FEATURES),
    END,
};
const record_sort nitro_record_samples = {"sample", sample_fields, true, true};

#define COMPACT_ENTRY(is_shared)                                                                   \
    {"outcome",                                                                                    \
     RECORD_NAMED,                                                                                 \
     .optional = true,                                                                             \
     .shared = is_shared,                                                                          \
     .offset = offsetof(nitro_entry, outcome),                                                     \
     .name_of = outcome_name},                                                                     \
        OPTIONAL(nitro_entry, RECORD_NUMBER, median_ms),                                           \
        OPTIONAL(nitro_entry, RECORD_NUMBER, spread),                                              \
        OPTIONAL(nitro_entry, RECORD_NUMBER, prepare_ms),                                          \
        OPTIONAL(nitro_entry, RECORD_COUNT, count), OPTIONAL(nitro_entry, RECORD_TEXT, detail),    \
        OPTIONAL(nitro_entry, RECORD_COUNT, blocks),
static const record_field compact_entry_fields[] = {
    COMPACT_ENTRY(true){"version", RECORD_TEXT, .optional = true, .shared = true,
                        .offset = offsetof(nitro_entry, version)},
    END};
static const record_field optional_number[] = {
    {"value", RECORD_NUMBER, .optional = true, .offset = 0}, END};
const record_field nitro_record_compact_sample[] = {
    ROWS(nitro_sample, features, num_features, bare_number, NITRO_MAX_FEATURES),
    ROWS(nitro_sample, entries, num_entries, compact_entry_fields, NITRO_MAX_VARIANTS),
    {"time_s", RECORD_TIME, .offset = offsetof(nitro_sample, provenance.time_s)},
    OPTIONAL(nitro_sample, RECORD_NUMBER, features_ms),
    OPTIONAL_ROWS(nitro_sample, feature_costs_ms, num_feature_costs, optional_number,
                  NITRO_MAX_FEATURES),
    NITRO_PROVENANCE_TEXTS(SHARED_TEXT, nitro_sample) END,
};

static const record_field entry_6_fields[] = {COMPACT_ENTRY(false) END};
static const record_field entry_6_rest_fields[] = {OPTIONAL(nitro_entry, RECORD_TEXT, version),
                                                   END};
const record_field nitro_record_sample_6[] = {
    ROWS(nitro_sample, features, num_features, bare_number, NITRO_MAX_FEATURES),
    ROWS(nitro_sample, entries, num_entries, entry_6_fields, NITRO_MAX_VARIANTS),
    {"time_s", RECORD_TIME, .offset = offsetof(nitro_sample, provenance.time_s)},
    OPTIONAL(nitro_sample, RECORD_NUMBER, features_ms),
    OPTIONAL_ROWS(nitro_sample, feature_costs_ms, num_feature_costs, bare_number,
                  NITRO_MAX_FEATURES),
    END,
};
const record_field nitro_record_sample_6_rest[] = {
    ROWS(nitro_sample, entries, num_entries, entry_6_rest_fields, NITRO_MAX_VARIANTS),
    NITRO_PROVENANCE_TEXTS(PROVENANCE_TEXT, nitro_sample) END,
};

static const record_field metric_fields[] = {
    FIELD(nitro_metric, RECORD_TEXT, name),
    FIELD(nitro_metric, RECORD_NUMBER, value),
    END,
};
static const record_field profile_fields[] = {
    FIELD(nitro_profile, RECORD_TEXT, name),
    OPTIONAL(nitro_profile, RECORD_TEXT, input),
    OPTIONAL(nitro_profile, RECORD_NUMBER, intensity),
    FIELD(nitro_profile, RECORD_TEXT, kernel),
    ROWS(nitro_profile, metrics, num_metrics, metric_fields, NITRO_STORE_MAX_METRICS),
    PROVENANCE(nitro_profile) END,
};
const record_sort nitro_record_profiles = {"profile", profile_fields, true, true};

bool nitro_record_is_absent(const record_field *field, const void *value)
{
    switch (field->type) {
    case RECORD_TEXT:
        return *(char *const *)value == NULL;
    case RECORD_NUMBER:
        return isnan(*(const double *)value);
    case RECORD_VARIANT:
        return *(const size_t *)value == NITRO_NONE;
    case RECORD_ROWS: {
        const char *record = (const char *)value - field->offset;
        return field->optional &&
               *(const size_t *)(const void *)(record + field->count_offset) == 0;
    }
    case RECORD_COUNT:
        return field->optional && *(const uint32_t *)value == 0;
    case RECORD_NAMED:
        return field->optional && *(const unsigned *)value == 0;
    default:
        return false;
    }
}

void nitro_record_clear(const record_field *fields, void *record)
{
    for (; fields->name; fields++) {
        void *value = nitro_record_at(record, fields->offset);
        if (fields->type == RECORD_NUMBER)
            *(double *)value = NAN;
        if (fields->type == RECORD_VARIANT)
            *(size_t *)value = NITRO_NONE;
    }
}

nitro_status nitro_record_make_rows(nitro_context *context, const record_field *field, size_t count,
                                    void *record)
{
    char *rows = nitro_calloc(context, count > 0 ? count : 1, field->row_size);
    if (!rows)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        nitro_record_clear(field->row, rows + i * field->row_size);
    memcpy(nitro_record_at(record, field->offset), &rows, sizeof(rows));
    *(size_t *)nitro_record_at(record, field->count_offset) = count;
    return NITRO_OK;
}

const char *nitro_record_find_bad_text(const record_field *fields, const void *record)
{
    for (; fields->name; fields++) {
        const void *value = nitro_record_at(record, fields->offset);
        if (fields->type == RECORD_TEXT) {
            const char *text = *(char *const *)value;
            if (text ? !nitro_text_is_valid(text, NITRO_STORE_MAX_TEXT) : !fields->optional)
                return fields->name;
        }
        if (fields->type != RECORD_ROWS)
            continue;
        size_t count = *(const size_t *)nitro_record_at(record, fields->count_offset);
        const char *bad = NULL;
        for (size_t i = 0; i < count && !bad; i++)
            bad = nitro_record_find_bad_text(fields->row, nitro_record_row(fields, record, i));
        if (bad)
            return bad;
    }
    return NULL;
}
