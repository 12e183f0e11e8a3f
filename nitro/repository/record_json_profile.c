/* A profile as JSON: {"device", "computation", "name", "input", "intensity", "kernel",
 * "metrics": {NAME: NUMBER}, "origin", "library", "compiler", "host", "time_s"}; null is what a
 * variant's profile or a proxy's has not, or what is not known. */
#include <math.h>
#include <string.h>

#include "nitro/repository/record_json_internal.h"

static json_t *metrics_json(const nitro_profile *profile)
{
    json_t *metrics = json_object();
    for (size_t i = 0; i < profile->num_metrics; i++)
        if (json_object_set_new(metrics, profile->metrics[i].name,
                                json_real(profile->metrics[i].value)) != 0)
            goto free_metrics;
    return metrics;
free_metrics:
    json_decref(metrics);
    return NULL;
}

nitro_status nitro_record_encode_profile(nitro_context *context, const char *device,
                                         const nitro_profile *profile, char **text, size_t *size)
{
    json_t *body = json_pack("{ss ss? ss ss? so ss so}", "device", device, "computation",
                             profile->computation, "name", profile->name, "input", profile->input,
                             "intensity", nitro_record_from_number(profile->intensity), "kernel",
                             profile->kernel, "metrics", metrics_json(profile));
    body = nitro_record_with_provenance(body, &profile->provenance);
    return nitro_record_finish(context, "profile", nitro_store_profile_checksum(device, profile),
                               body, text, size);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static nitro_status set_metrics(const nitro_record *record, json_t *metrics, nitro_profile *profile)
{
    const char *name;
    json_t *value;
    if (!json_is_object(metrics) || json_object_size(metrics) > NITRO_STORE_MAX_METRICS)
        return nitro_record_refuse(record, "metrics are an object of no more members than a "
                                           "kernel may have metrics");
    nitro_status status = NITRO_OK;
    json_object_foreach(metrics, name, value)
    {
        if (!json_is_number(value))
            return nitro_record_refuse(record, "a metric is no number");
        status = nitro_record_refused(
            record, nitro_profile_set(record->context, profile, name, json_number_value(value)));
        if (status != NITRO_OK)
            break;
    }
    return status;
}

static nitro_status make_profile(const nitro_record *record, nitro_profile **profile)
{
    const char *name, *kernel, *computation, *input;
    json_t *intensity_json, *computation_json, *input_json;
    double intensity;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:s s:o s:o s:o}", "name", &name, "kernel",
                       &kernel, "intensity", &intensity_json, "computation", &computation_json,
                       "input", &input_json) != 0)
        return nitro_record_refuse(record, error.text);
    nitro_status status = nitro_record_text(record, computation_json, &computation);
    if (status == NITRO_OK)
        status = nitro_record_text(record, input_json, &input);
    if (status == NITRO_OK)
        status = nitro_record_number(record, intensity_json, &intensity);
    if (status != NITRO_OK)
        return status;
    if (computation && input && isnan(intensity))
        status = nitro_profile_create_of_variant(record->context, computation, name, input, kernel,
                                                 profile);
    else if (!computation && !input && !isnan(intensity))
        status = nitro_profile_create_of_proxy(record->context, name, intensity, kernel, profile);
    else
        return nitro_record_refuse(record, "it is neither of a variant nor of a proxy");
    return nitro_record_refused(record, status);
}

static nitro_status read_profile(const nitro_record *record, const nitro_schema *schema,
                                 const char *device, nitro_profile **profile)
{
    const char *of_device;
    json_t *metrics;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:o}", "device", &of_device, "metrics",
                       &metrics) != 0)
        return nitro_record_refuse(record, error.text);
    nitro_profile *read = NULL;
    nitro_status status = make_profile(record, &read);
    if (status == NITRO_OK &&
        (strcmp(of_device, device) != 0 || (schema != NULL) != (read->computation != NULL) ||
         (schema && strcmp(schema->computation, read->computation) != 0)))
        status = nitro_record_refuse(record, "it is of another computation or device");
    if (status == NITRO_OK)
        status = set_metrics(record, metrics, read);
    if (status == NITRO_OK)
        status = nitro_record_provenance(record, &read->provenance);
    if (status == NITRO_OK)
        status = nitro_store_check_profile(record->context, record->where, schema, device, read,
                                           NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        status = nitro_record_require_checksum(record, nitro_store_profile_checksum(device, read));
    if (status == NITRO_OK)
        *profile = read;
    else
        nitro_profile_free(read);
    return status;
}

nitro_status nitro_record_decode_profile(nitro_context *context, const char *where,
                                         const nitro_schema *schema, const char *device,
                                         const char *text, size_t size, nitro_profile **profile)
{
    nitro_record record = {.context = context, .where = where, .sort = "profile"};
    nitro_status status = nitro_record_start(&record, text, size);
    if (status == NITRO_OK)
        status = read_profile(&record, schema, device, profile);
    json_decref(record.json);
    return status;
}
