/*
 * Model files: JSON, one field of the top object a line, its first the checksum of all bytes that
 * follow. Hides the layout; a file that differs from what was written by one byte is refused.
 */
#include "nitro/model_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/json.h"
#include "nitro/model.h"

#define FORMAT_NAME    "nitro-model"
#define FORMAT_VERSION 1
#define MAX_FILE_BYTES ((size_t)256 << 20)
#define CHECKSUM_FIELD "{\"checksum\": \"%016" PRIx64 "\""
#define CHECKSUM_SIZE  31 /* bytes of CHECKSUM_FIELD, printed */
#define DUMP_FLAGS     (JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

/* ---- To text --------------------------------------------------------------------------------- */

static json_t *encode_column(const nitro_scaler_column *column)
{
    return json_pack("{s:s, s:f, s:f}", "scale", nitro_scale_name(column->scale), "low",
                     column->low, "high", column->high);
}

static json_t *encode_features(const nitro_model *model)
{
    json_t *array = json_array();
    for (size_t f = 0; f < model->schema->num_features; f++) {
        json_t *feature = encode_column(&model->columns[f]);
        json_object_set_new(feature, "name", json_string(model->schema->features[f].name));
        json_object_set_new(feature, "unit", json_string(model->schema->features[f].unit));
        json_array_append_new(array, feature);
    }
    return array;
}

static json_t *encode_relative_features(const nitro_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->schema->num_relative; i++) {
        const nitro_relative_info *info = &model->schema->relative[i];
        json_t *feature = encode_column(&model->columns[nitro_model_first_relative(model) + i]);
        json_object_set_new(feature, "name", json_string(info->name));
        json_object_set_new(feature, "unit", json_string(info->unit));
        json_object_set_new(feature, "formula", json_string(info->formula));
        json_object_set_new(feature, "replaces", json_string(info->replaces));
        json_array_append_new(array, feature);
    }
    return array;
}

/** What the target has for the formulas, by device feature. */
static json_t *encode_relative_values(const nitro_model *model)
{
    json_t *object = json_object();
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        json_object_set_new(object, nitro_relative_device_feature(model->relative, i),
                            json_real(model->relative_values[i]));
    return object;
}

static json_t *encode_device_features(const nitro_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->device_features.count; i++) {
        json_t *feature = encode_column(&model->columns[nitro_model_first_device(model) + i]);
        json_object_set_new(feature, "name", json_string(model->device_features.items[i]));
        json_object_set_new(feature, "value", json_real(model->device_values[i]));
        json_array_append_new(array, feature);
    }
    return array;
}

static json_t *encode_variants(const nitro_schema *schema)
{
    json_t *array = json_array();
    for (size_t v = 0; v < schema->num_variants; v++)
        json_array_append_new(array, json_string(schema->variants[v]));
    return array;
}

static json_t *encode_calibration(const nitro_calibration *calibration)
{
    return json_pack("{s:o, s:o}", "margins",
                     nitro_json_from_numbers(calibration->margins, calibration->num_knots),
                     "confidences",
                     nitro_json_from_numbers(calibration->confidences, calibration->num_knots));
}

/** Print the fields after the checksum, each on its line; false when one could not be made. */
static bool print_fields(FILE *out, const nitro_model *model, json_t *predictor)
{
    const nitro_schema *schema = model->schema;
    struct {
        const char *key;
        json_t *value;
    } fields[] = {
        {"format", json_string(FORMAT_NAME)},
        {"version", json_integer(FORMAT_VERSION)},
        {"computation", json_string(schema->computation)},
        {"target", json_pack("{s:s, s:s}", "id", model->target, "kind", model->target_kind)},
        {"variants", encode_variants(schema)},
        {"default", json_string(schema->variants[schema->default_variant])},
        {"features", encode_features(model)},
        {"relative_features", encode_relative_features(model)},
        {"relative_values", encode_relative_values(model)},
        {"device_features", encode_device_features(model)},
        {"provenance", json_incref(model->provenance)},
        {"strategy", json_string(model->strategy->name)},
        {"calibration", encode_calibration(&model->calibration)},
        {"predictor", json_incref(predictor)},
    };
    bool printed = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char *text = fields[i].value ? json_dumps(fields[i].value, DUMP_FLAGS) : NULL;
        printed = printed && text && fprintf(out, ",\n\"%s\": %s", fields[i].key, text) > 0;
        free(text);
        json_decref(fields[i].value);
    }
    return fputs("\n}\n", out) >= 0 && printed;
}

static uint64_t checksum_of(const char *text, size_t size)
{
    return nitro_hash(text + CHECKSUM_SIZE, size - CHECKSUM_SIZE, 0);
}

nitro_status nitro_model_format(const nitro_model *model, char **text, size_t *size)
{
    json_t *predictor = NULL;
    nitro_status status = model->strategy->encode(model->context, model->predictor, &predictor);
    if (status != NITRO_OK)
        return status;
    char *printed = NULL;
    size_t printed_size = 0;
    FILE *out = open_memstream(&printed, &printed_size);
    bool complete = out && fprintf(out, CHECKSUM_FIELD, UINT64_C(0)) == CHECKSUM_SIZE &&
                    print_fields(out, model, predictor);
    complete = out && fclose(out) == 0 && complete;
    json_decref(predictor);
    if (!complete) {
        free(printed);
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot write the model of %s for %s",
                          model->schema->computation, model->target);
    }
    char field[CHECKSUM_SIZE + 1];
    snprintf(field, sizeof field, CHECKSUM_FIELD, checksum_of(printed, printed_size));
    memcpy(printed, field, CHECKSUM_SIZE);
    *text = printed;
    *size = printed_size;
    return NITRO_OK;
}

nitro_status nitro_model_save(const nitro_model *model, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_model_format(model, &text, &size);
    if (status == NITRO_OK)
        status = nitro_file_write(model->context, path, text, size);
    free(text);
    return status;
}

/* ---- From text: names ------------------------------------------------------------------------ */

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

/* ---- From text: what was learnt -------------------------------------------------------------- */

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
    return status == NITRO_OK ? decode_predictor(place, top, model) : status;
}

/* ---- From text: the file as a whole ---------------------------------------------------------- */

static nitro_status check_format(const nitro_json_place *place, const json_t *top)
{
    const char *format = NULL;
    json_t *version = NULL;
    nitro_status status = nitro_json_string(place, top, "format", &format);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "version", JSON_INTEGER, &version);
    if (status != NITRO_OK)
        return status;
    if (strcmp(format, FORMAT_NAME) != 0)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field format is '%.80s': this is no model file", place->path,
                          format);
    json_int_t number = json_integer_value(version);
    if (number > FORMAT_VERSION)
        return nitro_fail(place->context, NITRO_ERR_NEWER,
                          "%s: the model has format version %lld, this Nitro (%s) reads up to %d: "
                          "use a newer Nitro, or learn the model again",
                          place->path, (long long)number, NITRO_VERSION_STRING, FORMAT_VERSION);
    if (number < 1)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field version is %lld, but must be 1 or more", place->path,
                          (long long)number);
    return NITRO_OK;
}

/** The first bytes must be the checksum of all others, in exactly the form that we write. */
static nitro_status check_checksum(const nitro_json_place *place, const char *text, size_t size)
{
    char field[CHECKSUM_SIZE + 1];
    if (size > CHECKSUM_SIZE) {
        snprintf(field, sizeof field, CHECKSUM_FIELD, checksum_of(text, size));
        if (memcmp(text, field, CHECKSUM_SIZE) == 0)
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
        status = nitro_model_parse(context, path, text, size, model);
    free(text);
    return status;
}

/* ---- Summary --------------------------------------------------------------------------------- */

/** Numbers and texts as they are; of arrays only how long they are, as num_KEY. */
static json_t *summarize(const json_t *object)
{
    json_t *summary = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char name[128];
        snprintf(name, sizeof name, "num_%s", key);
        if (json_is_array(value))
            json_object_set_new(summary, name, json_integer((json_int_t)json_array_size(value)));
        else
            json_object_set(summary, key, value);
    }
    return summary;
}

nitro_status nitro_model_summary(const nitro_model *model, char **json_text)
{
    const nitro_schema *schema = model->schema;
    json_t *predictor = NULL;
    nitro_status status = model->strategy->encode(model->context, model->predictor, &predictor);
    if (status != NITRO_OK)
        return status;
    json_t *summary = json_pack(
        "{s:s, s:{s:s, s:s}, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:O}", "computation",
        schema->computation, "target", "id", model->target, "kind", model->target_kind, "default",
        schema->variants[schema->default_variant], "variants", encode_variants(schema), "features",
        encode_features(model), "relative_features", encode_relative_features(model),
        "relative_values", encode_relative_values(model), "device_features",
        encode_device_features(model), "strategy", model->strategy->name, "predictor",
        summarize(predictor), "provenance", model->provenance);
    json_decref(predictor);
    char *text = summary ? json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(summary);
    if (!text)
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot summarize the model of %s", schema->computation);
    *json_text = text;
    return NITRO_OK;
}
