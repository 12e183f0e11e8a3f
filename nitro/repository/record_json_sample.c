/* A sample as JSON: {"computation", "device", "input", "features": [NUMBER or null],
 * "entries": [[OUTCOME, MEDIAN_MS, SPREAD, PREPARE_MS, COUNT, VERSION, DETAIL]],
 * "origin", "library", "compiler", "host", "time_s", "driver", "toolkit", "device_digest",
 * "device_state", "cache"}; null or missing is what is not known. */
#include <string.h>

#include "nitro/repository/record_json_internal.h"

static json_t *feature_json(const void *owner, size_t index)
{
    const nitro_sample *sample = owner;
    return nitro_record_from_number(sample->features[index]);
}

static json_t *entry_json(const void *owner, size_t index)
{
    const nitro_sample *sample = owner;
    const nitro_entry *entry = &sample->entries[index];
    return json_pack("[s o o o I s? s?]", nitro_outcome_name(entry->outcome),
                     nitro_record_from_number(entry->median_ms),
                     nitro_record_from_number(entry->spread),
                     nitro_record_from_number(entry->prepare_ms), (json_int_t)entry->count,
                     entry->version, entry->detail);
}

nitro_status nitro_record_encode_sample(nitro_context *context, const char *computation,
                                        const char *device, const nitro_sample *sample, char **text,
                                        size_t *size)
{
    json_t *features = nitro_record_array(sample, sample->num_features, feature_json);
    json_t *entries = nitro_record_array(sample, sample->num_entries, entry_json);
    json_t *body = json_pack("{ss ss ss so so}", "computation", computation, "device", device,
                             "input", sample->input, "features", features, "entries", entries);
    body = nitro_record_with_provenance(body, &sample->provenance);
    uint64_t checksum = nitro_store_sample_checksum(computation, device, sample);
    return nitro_record_finish(context, "sample", checksum, body, text, size);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static nitro_status read_entry(const nitro_record *record, json_t *row, nitro_entry *entry)
{
    const char *outcome;
    json_t *median, *spread, *prepare, *version, *detail;
    json_int_t count;
    json_error_t error;
    if (json_unpack_ex(row, &error, JSON_STRICT, "[soooIoo]", &outcome, &median, &spread, &prepare,
                       &count, &version, &detail) != 0)
        return nitro_record_refuse(record, error.text);
    if (!nitro_outcome_from_name(outcome, &entry->outcome) || count < 0 || count > UINT32_MAX)
        return nitro_record_refuse(record, "an entry has no known outcome or an impossible count");
    entry->count = (uint32_t)count;
    nitro_status status = nitro_record_number(record, median, &entry->median_ms);
    if (status == NITRO_OK)
        status = nitro_record_number(record, spread, &entry->spread);
    if (status == NITRO_OK)
        status = nitro_record_number(record, prepare, &entry->prepare_ms);
    if (status == NITRO_OK)
        status = nitro_record_copy_text(record, version, &entry->version);
    return status == NITRO_OK ? nitro_record_copy_text(record, detail, &entry->detail) : status;
}

static nitro_status read_arrays(const nitro_record *record, const json_t *features,
                                const json_t *entries, nitro_sample *sample)
{
    if (!json_is_array(features) || json_array_size(features) != sample->num_features ||
        !json_is_array(entries) || json_array_size(entries) != sample->num_entries)
        return nitro_record_refuse(record, "it has other numbers of features or variants than its "
                                           "computation");
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < sample->num_features && status == NITRO_OK; i++)
        status = nitro_record_number(record, json_array_get(features, i), &sample->features[i]);
    for (size_t i = 0; i < sample->num_entries && status == NITRO_OK; i++)
        status = read_entry(record, json_array_get(entries, i), &sample->entries[i]);
    return status;
}

static nitro_status read_sample(const nitro_record *record, const nitro_schema *schema,
                                const char *device, nitro_sample **sample)
{
    const char *of_computation, *of_device, *input;
    json_t *features, *entries;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:s s:s s:o s:o}", "computation",
                       &of_computation, "device", &of_device, "input", &input, "features",
                       &features, "entries", &entries) != 0)
        return nitro_record_refuse(record, error.text);
    if (strcmp(of_computation, schema->computation) != 0 || strcmp(of_device, device) != 0)
        return nitro_record_refuse(record, "it is of another computation or device");
    nitro_sample *read = NULL;
    nitro_status status = nitro_record_refused(
        record, nitro_sample_create(record->context, input, schema->num_features,
                                    schema->num_variants, &read));
    if (status == NITRO_OK)
        status = read_arrays(record, features, entries, read);
    if (status == NITRO_OK)
        status = nitro_record_provenance(record, &read->provenance);
    if (status == NITRO_OK)
        status = nitro_store_check_sample(record->context, record->where, schema, device, read,
                                          NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        status = nitro_record_require_checksum(
            record, nitro_store_sample_checksum(schema->computation, device, read));
    if (status == NITRO_OK)
        *sample = read;
    else
        nitro_sample_free(read);
    return status;
}

nitro_status nitro_record_decode_sample(nitro_context *context, const char *where,
                                        const nitro_schema *schema, const char *device,
                                        const char *text, size_t size, nitro_sample **sample)
{
    nitro_record record = {.context = context, .where = where, .sort = "sample"};
    nitro_status status = nitro_record_start(&record, text, size);
    if (status == NITRO_OK)
        status = read_sample(&record, schema, device, sample);
    json_decref(record.json);
    return status;
}
