/* A device as JSON: {"device", "kind", "features": [[NAME, VALUE, SOURCE, SPREAD]],
 * "labels": [[NAME, TEXT]]} */
#include <math.h>

#include "nitro/repository/record_json_internal.h"

static json_t *feature_json(const void *owner, size_t index)
{
    const nitro_device *device = owner;
    const nitro_device_feature *feature = &device->features[index];
    return json_pack("[sfsf]", feature->name, feature->value,
                     nitro_value_source_name(feature->source), feature->spread);
}

static json_t *label_json(const void *owner, size_t index)
{
    const nitro_device *device = owner;
    return json_pack("[ss]", device->labels[index].name, device->labels[index].text);
}

nitro_status nitro_record_encode_device(nitro_context *context, const nitro_device *device,
                                        char **text, size_t *size)
{
    json_t *features = nitro_record_array(device, device->num_features, feature_json);
    json_t *labels = nitro_record_array(device, device->num_labels, label_json);
    json_t *body = json_pack("{ss ss so so}", "device", device->id, "kind", device->kind,
                             "features", features, "labels", labels);
    return nitro_record_finish(context, "device", nitro_store_device_checksum(device), body, text,
                               size);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static nitro_status set_feature(const nitro_record *record, json_t *row, void *owner)
{
    nitro_device *device = owner;
    const char *name, *source_name;
    double value, spread;
    nitro_value_source source;
    json_error_t error;
    if (json_unpack_ex(row, &error, JSON_STRICT, "[sFsF]", &name, &value, &source_name, &spread) !=
        0)
        return nitro_record_refuse(record, error.text);
    if (!nitro_value_source_from_name(source_name, &source))
        return nitro_record_refuse(record, "a feature has no known source");
    if (!isnan(nitro_device_value(device, name)))
        return nitro_record_refuse(record, "a feature is there twice");
    return nitro_record_refused(
        record, nitro_device_set(record->context, device, name, value, source, spread));
}

static nitro_status set_label(const nitro_record *record, json_t *row, void *owner)
{
    nitro_device *device = owner;
    const char *name, *text;
    json_error_t error;
    if (json_unpack_ex(row, &error, JSON_STRICT, "[ss]", &name, &text) != 0)
        return nitro_record_refuse(record, error.text);
    if (nitro_device_label(device, name))
        return nitro_record_refuse(record, "a label is there twice");
    return nitro_record_refused(record,
                                nitro_device_set_label(record->context, device, name, text));
}

static nitro_status set_rows(const nitro_record *record, json_t *rows, nitro_device *device,
                             nitro_status (*set)(const nitro_record *, json_t *, void *))
{
    return nitro_record_read_array(record, rows, NITRO_STORE_MAX_DEVICE_VALUES,
                                   "features and labels are arrays of a device's length", set,
                                   device);
}

static nitro_status read_device(const nitro_record *record, nitro_device **device)
{
    const char *id, *kind;
    json_t *features, *labels;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:s s:o s:o}", "device", &id, "kind", &kind,
                       "features", &features, "labels", &labels) != 0)
        return nitro_record_refuse(record, error.text);
    nitro_device *read = NULL;
    nitro_status status =
        nitro_record_refused(record, nitro_device_create(record->context, id, kind, &read));
    if (status == NITRO_OK)
        status = set_rows(record, features, read, set_feature);
    if (status == NITRO_OK)
        status = set_rows(record, labels, read, set_label);
    if (status == NITRO_OK)
        status = nitro_store_check_device(record->context, record->where, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        status = nitro_record_require_checksum(record, nitro_store_device_checksum(read));
    if (status == NITRO_OK)
        *device = read;
    else
        nitro_device_free(read);
    return status;
}

nitro_status nitro_record_decode_device(nitro_context *context, const char *where, const char *text,
                                        size_t size, nitro_device **device)
{
    nitro_record record = {.context = context, .where = where, .sort = "device"};
    nitro_status status = nitro_record_start(&record, text, size);
    if (status == NITRO_OK)
        status = read_device(&record, device);
    json_decref(record.json);
    return status;
}
