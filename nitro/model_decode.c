/*
 * A model from text that nobody vouches for. Hides the order of checks: whole JSON, format,
 * version, checksum, then every field; a file that differs from what was written by one byte is
 * refused.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/binary.h"
#include "nitro/correction.h"
#include "nitro/json.h"
#include "nitro/model.h"
#include "nitro/model_file.h"

#define MAX_FILE_BYTES ((size_t)256 << 20)

/* ---- Names ----------------------------------------------------------------------------------- */

/** Put file and field before what another function said of a value in it. */
static nitro_status blame_file(const nitro_json_place *place, nitro_status status, const char *key)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    char message[1024];
    nitro_context_last_error(place->context, message, sizeof message);
    return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s: %s", place->path, key,
                      message);
}

static nitro_status decode_column(const nitro_json_place *place, const json_t *object,
                                  nitro_scaler_column *column)
{
    const char *scale = NULL;
    nitro_status status = nitro_json_string(place, object, "scale", &scale);
    if (status == NITRO_OK)
        status = nitro_json_number(place, object, "low", &column->low);
    if (status == NITRO_OK)
        status = nitro_json_number(place, object, "high", &column->high);
    if (status != NITRO_OK)
        return status;
    if (!nitro_scale_from_name(scale, &column->scale) || column->scale == NITRO_SCALE_AUTO)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field %s.scale is '%.80s', which is no scale", place->path,
                          place->field, scale);
    if (column->low > column->high)
        return nitro_fail(place->context, NITRO_ERR_FORMAT, "%s: field %s.low is above %s.high",
                          place->path, place->field, place->field);
    return NITRO_OK;
}

static nitro_status decode_feature(const nitro_json_place *place, const json_t *object,
                                   nitro_model *model)
{
    const char *name = NULL, *unit = NULL;
    nitro_scaler_column column;
    nitro_json_place at = {place->context, place->path, "features"};
    nitro_status status = nitro_json_string(&at, object, "name", &name);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, object, "unit", &unit);
    if (status == NITRO_OK)
        status = decode_column(&at, object, &column);
    if (status != NITRO_OK)
        return status;
    status = nitro_schema_add_feature(place->context, model->schema, name, unit, column.scale);
    if (status == NITRO_OK)
        model->columns[model->schema->num_features - 1] = column;
    return blame_file(place, status, "features");
}

static nitro_status decode_features(const nitro_json_place *place, const json_t *top,
                                    nitro_model *model)
{
    json_t *array = NULL;
    nitro_status status = nitro_json_member(place, top, "features", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++)
        status = decode_feature(place, json_array_get(array, i), model);
    return status;
}

static nitro_status decode_relative_feature(const nitro_json_place *place, const json_t *object,
                                            nitro_model *model)
{
    nitro_relative_feature feature = {0};
    nitro_scaler_column column;
    nitro_json_place at = {place->context, place->path, "relative_features"};
    nitro_status status = nitro_json_string(&at, object, "name", &feature.name);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, object, "unit", &feature.unit);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, object, "formula", &feature.formula);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, object, "replaces", &feature.replaces);
    if (status == NITRO_OK)
        status = decode_column(&at, object, &column);
    if (status != NITRO_OK)
        return status;
    feature.scale = column.scale;
    status = nitro_schema_add_relative(place->context, model->schema, &feature);
    if (status == NITRO_OK)
        model->columns[nitro_model_first_device(model) - 1] = column;
    return blame_file(place, status, "relative_features");
}

static nitro_status decode_relative_values(const nitro_json_place *place, const json_t *top,
                                           nitro_model *model)
{
    json_t *object = NULL;
    nitro_json_place at = {place->context, place->path, "relative_values"};
    nitro_status status = nitro_json_member(place, top, "relative_values", JSON_OBJECT, &object);
    for (size_t i = 0; status == NITRO_OK && i < nitro_relative_num_device_values(model->relative);
         i++)
        status = nitro_json_number(&at, object, nitro_relative_device_feature(model->relative, i),
                                   &model->relative_values[i]);
    return status;
}

static nitro_status decode_relative(const nitro_json_place *place, const json_t *top,
                                    nitro_model *model)
{
    json_t *array = NULL;
    if (!json_object_get(top, "relative_features")) /* a model may be without */
        return NITRO_OK;
    nitro_status status = nitro_json_member(place, top, "relative_features", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++)
        status = decode_relative_feature(place, json_array_get(array, i), model);
    if (status == NITRO_OK)
        status = nitro_model_set_relative(model);
    if (status == NITRO_OK)
        status = decode_relative_values(place, top, model);
    return status;
}

static nitro_status decode_device_feature(const nitro_json_place *place, const json_t *object,
                                          nitro_model *model)
{
    const char *name = NULL;
    size_t index = model->device_features.count;
    nitro_json_place at = {place->context, place->path, "device_features"};
    nitro_status status = nitro_json_string(&at, object, "name", &name);
    if (status == NITRO_OK)
        status = nitro_json_number(&at, object, "value", &model->device_values[index]);
    if (status == NITRO_OK)
        status =
            decode_column(&at, object, &model->columns[nitro_model_first_device(model) + index]);
    if (status != NITRO_OK)
        return status;
    if (!nitro_name_is_clean(name) ||
        nitro_string_list_find(&model->device_features, name) != NITRO_NONE)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field device_features.name: '%.80s' is no feature name, or is "
                          "there twice",
                          place->path, name);
    return nitro_string_list_add(place->context, &model->device_features, name);
}

static nitro_status decode_device_features(const nitro_json_place *place, const json_t *top,
                                           nitro_model *model)
{
    json_t *array = NULL;
    nitro_status status = nitro_json_member(place, top, "device_features", JSON_ARRAY, &array);
    if (status != NITRO_OK)
        return status;
    if (json_array_size(array) > NITRO_MODEL_MAX_DEVICE_FEATURES)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field device_features has %zu items, but may have %d", place->path,
                          json_array_size(array), NITRO_MODEL_MAX_DEVICE_FEATURES);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++)
        status = decode_device_feature(place, json_array_get(array, i), model);
    nitro_model_choose_seen(model);
    nitro_model_scale_device(model);
    return status;
}

static nitro_status decode_variants(const nitro_json_place *place, const json_t *top,
                                    nitro_model *model)
{
    json_t *array = NULL;
    const char *name = NULL;
    nitro_status status = nitro_json_member(place, top, "variants", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        status = nitro_schema_add_variant(place->context, model->schema,
                                          json_string_value(json_array_get(array, i)));
        status = blame_file(place, status, "variants");
    }
    if (status == NITRO_OK)
        status = nitro_json_string(place, top, "default", &name);
    if (status != NITRO_OK)
        return status;
    model->schema->default_variant = nitro_schema_variant(model->schema, name);
    if (model->schema->default_variant == NITRO_NONE)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field default is '%.80s', which is none of the variants",
                          place->path, name);
    return NITRO_OK;
}

static nitro_status decode_names(const nitro_json_place *place, const json_t *top,
                                 nitro_model **model)
{
    const char *computation = NULL, *target = NULL, *kind = NULL;
    json_t *device = NULL;
    nitro_schema *schema = NULL;
    nitro_json_place at = {place->context, place->path, "target"};
    nitro_status status = nitro_json_string(place, top, "computation", &computation);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "target", JSON_OBJECT, &device);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, device, "id", &target);
    if (status == NITRO_OK)
        status = nitro_json_string(&at, device, "kind", &kind);
    if (status != NITRO_OK)
        return status;
    if (!nitro_device_id_is_clean(target) || !nitro_name_is_clean(kind))
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field target: '%.80s' of kind '%.80s' is no device", place->path,
                          target, kind);
    status =
        blame_file(place, nitro_schema_create(place->context, computation, &schema), "computation");
    if (status == NITRO_OK)
        status = nitro_model_create(place->context, schema, target, kind, model);
    nitro_schema_free(schema);
    return status;
}

/* ---- What was learnt ------------------------------------------------------------------------- */

static nitro_status decode_calibration(const nitro_json_place *place, const json_t *top,
                                       nitro_calibration *calibration)
{
    json_t *object = NULL, *margins = NULL, *confidences = NULL;
    nitro_json_place at = {place->context, place->path, "calibration"};
    nitro_status status = nitro_json_member(place, top, "calibration", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_json_member(&at, object, "margins", JSON_ARRAY, &margins);
    if (status == NITRO_OK)
        status = nitro_json_member(&at, object, "confidences", JSON_ARRAY, &confidences);
    if (status != NITRO_OK)
        return status;
    size_t count = json_array_size(margins);
    if (count < 1 || count > NITRO_CALIBRATION_MAX_KNOTS)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field calibration.margins has %zu items, but must have 1 to %d",
                          place->path, count, NITRO_CALIBRATION_MAX_KNOTS);
    calibration->num_knots = count;
    status = nitro_json_numbers(&at, margins, "margins", count, calibration->margins);
    if (status == NITRO_OK)
        status =
            nitro_json_numbers(&at, confidences, "confidences", count, calibration->confidences);
    if (status != NITRO_OK)
        return status;
    bool valid = calibration->confidences[0] >= 0.0 && calibration->confidences[count - 1] <= 1.0;
    for (size_t k = 1; k < count; k++)
        valid = valid && calibration->margins[k] > calibration->margins[k - 1] &&
                calibration->confidences[k] >= calibration->confidences[k - 1];
    if (!valid)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field calibration: margins must ascend, confidences may not fall, "
                          "and lie in [0, 1]",
                          place->path);
    return NITRO_OK;
}

static nitro_status decode_predictor(const nitro_json_place *place, const json_t *top,
                                     nitro_model *model)
{
    const char *name = NULL;
    json_t *object = NULL;
    nitro_status status = nitro_json_string(place, top, "strategy", &name);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "predictor", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = blame_file(place, nitro_strategy_find(place->context, name, &model->strategy),
                            "strategy");
    if (status == NITRO_OK)
        status = model->strategy->decode(place->context, place->path, object, model->num_seen,
                                         model->schema->num_variants, &model->predictor);
    return status;
}

/** Only models that were adapted to inputs measured on their target have one. */
static nitro_status decode_correction(const nitro_json_place *place, const json_t *top,
                                      nitro_model *model)
{
    json_t *object = NULL;
    nitro_json_place at = {place->context, place->path, "correction"};
    if (!json_object_get(top, "correction"))
        return NITRO_OK;
    nitro_status status = nitro_json_member(place, top, "correction", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_machine_pair_decode(&at, object, model->num_seen,
                                           model->schema->num_variants, &model->correction);
    return status;
}

static nitro_status decode_model(const nitro_json_place *place, const json_t *top,
                                 nitro_model *model)
{
    nitro_status status = decode_variants(place, top, model);
    if (status == NITRO_OK)
        status = decode_features(place, top, model);
    if (status == NITRO_OK)
        status = decode_relative(place, top, model);
    if (status == NITRO_OK)
        status = decode_device_features(place, top, model);
    if (status == NITRO_OK)
        status = decode_calibration(place, top, &model->calibration);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "provenance", JSON_OBJECT, &model->provenance);
    if (status == NITRO_OK)
        json_incref(model->provenance);
    if (status == NITRO_OK)
        status = decode_predictor(place, top, model);
    return status == NITRO_OK ? decode_correction(place, top, model) : status;
}

/* ---- The file as a whole --------------------------------------------------------------------- */

static nitro_status check_format(const nitro_json_place *place, const json_t *top)
{
    const char *format = NULL;
    json_t *version = NULL;
    nitro_status status = nitro_json_string(place, top, "format", &format);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "version", JSON_INTEGER, &version);
    if (status != NITRO_OK)
        return status;
    if (strcmp(format, NITRO_MODEL_FORMAT) != 0)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field format is '%.80s': this is no model file", place->path,
                          format);
    json_int_t number = json_integer_value(version);
    if (number > NITRO_MODEL_VERSION)
        return nitro_fail(place->context, NITRO_ERR_NEWER,
                          "%s: the model has format version %lld, this Nitro (%s) reads up to %d: "
                          "use a newer Nitro, or learn the model again",
                          place->path, (long long)number, NITRO_VERSION_STRING,
                          NITRO_MODEL_VERSION);
    if (number < 1)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field version is %lld, but must be 1 or more", place->path,
                          (long long)number);
    return NITRO_OK;
}

/** The first bytes must be the checksum of all others, in exactly the form that we write. */
static nitro_status check_checksum(const nitro_json_place *place, const char *text, size_t size)
{
    char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
    if (size > NITRO_MODEL_CHECKSUM_SIZE) {
        snprintf(field, sizeof field, NITRO_MODEL_CHECKSUM, nitro_model_checksum(text, size));
        if (memcmp(text, field, NITRO_MODEL_CHECKSUM_SIZE) == 0)
            return NITRO_OK;
    }
    return nitro_fail(place->context, NITRO_ERR_FORMAT,
                      "%s: field checksum does not fit: the file was altered or damaged; learn the "
                      "model again",
                      place->path);
}

nitro_status nitro_model_parse(nitro_context *context, const char *path, const char *text,
                               size_t size, nitro_model **model)
{
    nitro_json_place place = {context, path, ""};
    json_error_t error;
    json_t *top = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!top)
        return nitro_fail(context, NITRO_ERR_FORMAT, "%s:%d: not a whole JSON file: %s", path,
                          error.line, error.text);
    nitro_model *made = NULL;
    nitro_status status = check_format(&place, top);
    if (status == NITRO_OK)
        status = check_checksum(&place, text, size);
    if (status == NITRO_OK)
        status = decode_names(&place, top, &made);
    if (status == NITRO_OK)
        status = decode_model(&place, top, made);
    json_decref(top);
    if (status == NITRO_OK)
        nitro_model_judge(made, nitro_model_used_features(made));
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

nitro_status nitro_model_load(nitro_context *context, const char *path, nitro_model **model)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_file_read(context, path, MAX_FILE_BYTES, &text, &size);
    if (status == NITRO_OK)
        status = nitro_binary_is(text, size) ? nitro_binary_parse(context, path, text, size, model)
                                             : nitro_model_parse(context, path, text, size, model);
    free(text);
    return status;
}
