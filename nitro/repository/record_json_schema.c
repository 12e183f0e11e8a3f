/* A computation's names as JSON:
 * {"computation", "features": [[NAME, UNIT, SCALE]], "variants": [NAME], "default": NAME or null,
 *  "relative": [[NAME, UNIT, SCALE, FORMULA, REPLACES]]} */
#include "nitro/repository/record_json_internal.h"

static json_t *variant_json(const void *owner, size_t index)
{
    const nitro_schema *schema = owner;
    return json_string(schema->variants[index]);
}

static json_t *feature_json(const void *owner, size_t index)
{
    const nitro_schema *schema = owner;
    const nitro_feature_info *feature = &schema->features[index];
    return json_pack("[sss]", feature->name, feature->unit, nitro_scale_name(feature->scale));
}

static json_t *relative_json(const void *owner, size_t index)
{
    const nitro_schema *schema = owner;
    const nitro_relative_info *info = &schema->relative[index];
    return json_pack("[sssss]", info->name, info->unit, nitro_scale_name(info->scale),
                     info->formula, info->replaces);
}

nitro_status nitro_record_encode_schema(nitro_context *context, const nitro_schema *schema,
                                        char **text, size_t *size)
{
    const char *chosen =
        schema->default_variant == NITRO_NONE ? NULL : schema->variants[schema->default_variant];
    json_t *features = nitro_record_array(schema, schema->num_features, feature_json);
    json_t *variants = nitro_record_array(schema, schema->num_variants, variant_json);
    json_t *relative = nitro_record_array(schema, schema->num_relative, relative_json);
    json_t *body =
        json_pack("{ss so so ss? so}", "computation", schema->computation, "features", features,
                  "variants", variants, "default", chosen, "relative", relative);
    return nitro_record_finish(context, "schema", nitro_store_schema_checksum(schema), body, text,
                               size);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static nitro_status add_feature(const nitro_record *record, json_t *row, void *owner)
{
    nitro_schema *schema = owner;
    const char *name, *unit, *scale_name;
    nitro_scale scale;
    json_error_t error;
    if (json_unpack_ex(row, &error, JSON_STRICT, "[sss]", &name, &unit, &scale_name) != 0)
        return nitro_record_refuse(record, error.text);
    if (!nitro_scale_from_name(scale_name, &scale))
        return nitro_record_refuse(record, "a feature has no known scale");
    return nitro_record_refused(
        record, nitro_schema_add_feature(record->context, schema, name, unit, scale));
}

static nitro_status add_variant(const nitro_record *record, json_t *row, void *owner)
{
    nitro_schema *schema = owner;
    if (!json_is_string(row))
        return nitro_record_refuse(record, "a variant is not a name");
    return nitro_record_refused(
        record, nitro_schema_add_variant(record->context, schema, json_string_value(row)));
}

static nitro_status add_relative(const nitro_record *record, json_t *row, void *owner)
{
    nitro_schema *schema = owner;
    nitro_relative_feature feature = {0};
    const char *scale_name;
    json_error_t error;
    if (json_unpack_ex(row, &error, JSON_STRICT, "[sssss]", &feature.name, &feature.unit,
                       &scale_name, &feature.formula, &feature.replaces) != 0)
        return nitro_record_refuse(record, error.text);
    if (!nitro_scale_from_name(scale_name, &feature.scale))
        return nitro_record_refuse(record, "a relative feature has no known scale");
    return nitro_record_refused(record,
                                nitro_schema_add_relative(record->context, schema, &feature));
}

static nitro_status add_rows(const nitro_record *record, json_t *rows, size_t most,
                             nitro_schema *schema,
                             nitro_status (*add)(const nitro_record *, json_t *, void *))
{
    return nitro_record_read_array(record, rows, most,
                                   "features, variants and relative features are arrays, and none "
                                   "is longer than a computation may be",
                                   add, schema);
}

static nitro_status set_default(const nitro_record *record, const char *name, nitro_schema *schema)
{
    schema->default_variant = name ? nitro_schema_variant(schema, name) : NITRO_NONE;
    if (name && schema->default_variant == NITRO_NONE)
        return nitro_record_refuse(record, "its default is none of its variants");
    return NITRO_OK;
}

static nitro_status read_schema(const nitro_record *record, nitro_schema **schema)
{
    const char *computation, *chosen;
    json_t *features, *variants, *default_variant, *relative;
    json_error_t error;
    if (json_unpack_ex(record->json, &error, 0, "{s:s s:o s:o s:o s:o}", "computation",
                       &computation, "features", &features, "variants", &variants, "default",
                       &default_variant, "relative", &relative) != 0)
        return nitro_record_refuse(record, error.text);
    nitro_schema *read = NULL;
    nitro_status status =
        nitro_record_refused(record, nitro_schema_create(record->context, computation, &read));
    if (status == NITRO_OK)
        status = add_rows(record, features, NITRO_MAX_FEATURES, read, add_feature);
    if (status == NITRO_OK)
        status = add_rows(record, variants, NITRO_MAX_VARIANTS, read, add_variant);
    if (status == NITRO_OK)
        status = add_rows(record, relative, NITRO_MAX_FEATURES, read, add_relative);
    if (status == NITRO_OK)
        status = nitro_record_text(record, default_variant, &chosen);
    if (status == NITRO_OK)
        status = set_default(record, chosen, read);
    if (status == NITRO_OK)
        status = nitro_store_check_schema(record->context, record->where, read, NITRO_ERR_FORMAT);
    if (status == NITRO_OK)
        status = nitro_record_require_checksum(record, nitro_store_schema_checksum(read));
    if (status == NITRO_OK)
        *schema = read;
    else
        nitro_schema_free(read);
    return status;
}

nitro_status nitro_record_decode_schema(nitro_context *context, const char *where, const char *text,
                                        size_t size, nitro_schema **schema)
{
    nitro_record record = {.context = context, .where = where, .sort = "schema"};
    nitro_status status = nitro_record_start(&record, text, size);
    if (status == NITRO_OK)
        status = read_schema(&record, schema);
    json_decref(record.json);
    return status;
}
