/*
 * Reads a model's schema and columns: variants, input and relative features, the target and its
 * device features, each checked against those before it.
 */
#include "nitro/models/model_decode.h"

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
                          "%s: field %s.scale is '%.80s', which is not a scale", place->path,
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
    return nitro_json_blame(&at, status);
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
    return nitro_json_blame(&at, status);
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
    if (!json_object_get(top, "relative_features")) /* optional */
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
    if (!nitro_name_is_valid(name) ||
        nitro_string_list_find(&model->device_features, name) != NITRO_NONE)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field device_features.name: '%.80s' is not a valid name, or is a "
                          "duplicate",
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

/** An optional list of names. */
static nitro_status decode_untried(const nitro_json_place *place, const json_t *top,
                                   nitro_model *model)
{
    const json_t *array = json_object_get(top, "untried");
    bool known = !array || json_is_array(array);
    for (size_t i = 0; known && i < json_array_size(array); i++) {
        const char *name = json_string_value(json_array_get(array, i));
        size_t variant = name ? nitro_schema_variant(model->schema, name) : NITRO_NONE;
        known = variant != NITRO_NONE;
        if (known)
            model->untried |= UINT64_C(1) << variant;
    }
    return known ? NITRO_OK
                 : nitro_fail(place->context, NITRO_ERR_FORMAT,
                              "%s: field untried is not a list of variants", place->path);
}

static nitro_status decode_variants(const nitro_json_place *place, const json_t *top,
                                    nitro_model *model)
{
    json_t *array = NULL;
    const char *name = NULL;
    nitro_json_place at = {place->context, place->path, "variants"};
    nitro_status status = nitro_json_member(place, top, "variants", JSON_ARRAY, &array);
    for (size_t i = 0; status == NITRO_OK && i < json_array_size(array); i++) {
        status = nitro_schema_add_variant(place->context, model->schema,
                                          json_string_value(json_array_get(array, i)));
        status = nitro_json_blame(&at, status);
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
    return decode_untried(place, top, model);
}

/** Create a model with its variant and feature names only. */
static nitro_status create_model(const nitro_json_place *place, const json_t *top,
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
    if (!nitro_device_id_is_valid(target) || !nitro_name_is_valid(kind))
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field target: '%.80s' of kind '%.80s' is not a valid device",
                          place->path, target, kind);
    at.field = "computation";
    status = nitro_json_blame(&at, nitro_schema_create(place->context, computation, &schema));
    if (status == NITRO_OK)
        status = nitro_model_create(place->context, schema, target, kind, model);
    nitro_schema_free(schema);
    return status;
}

nitro_status nitro_model_decode_columns(const nitro_json_place *place, const json_t *top,
                                        nitro_model **model)
{
    nitro_model *made = NULL;
    nitro_status status = create_model(place, top, &made);
    if (status == NITRO_OK)
        status = decode_variants(place, top, made);
    if (status == NITRO_OK)
        status = decode_features(place, top, made);
    if (status == NITRO_OK)
        status = decode_relative(place, top, made);
    if (status == NITRO_OK)
        status = decode_device_features(place, top, made);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
