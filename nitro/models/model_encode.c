/* Writes a model as JSON, one top-level field a line. The first is the checksum of the bytes that
 * follow it.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/memory_stream.h"
#include "nitro/base/json.h"
#include "nitro/base/require.h"
#include "nitro/models/binary.h"
#include "nitro/models/c_export.h"
#include "nitro/models/model_file.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/model/model.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))

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
        nitro_json_put(&feature, "name", json_string(model->schema->features[f].name));
        nitro_json_put(&feature, "unit", json_string(model->schema->features[f].unit));
        nitro_json_append(&array, feature);
    }
    return array;
}

static json_t *encode_relative_features(const nitro_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->schema->num_relative; i++) {
        const nitro_relative_info *info = &model->schema->relative[i];
        json_t *feature = encode_column(&model->columns[nitro_model_first_relative(model) + i]);
        nitro_json_put(&feature, "name", json_string(info->name));
        nitro_json_put(&feature, "unit", json_string(info->unit));
        nitro_json_put(&feature, "formula", json_string(info->formula));
        nitro_json_put(&feature, "replaces", json_string(info->replaces));
        nitro_json_append(&array, feature);
    }
    return array;
}

/** The target's device features used by formulas. */
static json_t *encode_relative_values(const nitro_model *model)
{
    json_t *object = json_object();
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        nitro_json_put(&object, nitro_relative_device_feature(model->relative, i),
                       json_real(model->relative_values[i]));
    return object;
}

static json_t *encode_device_features(const nitro_model *model)
{
    json_t *array = json_array();
    for (size_t i = 0; i < model->device_features.count; i++) {
        json_t *feature = encode_column(&model->columns[nitro_model_first_device(model) + i]);
        nitro_json_put(&feature, "name", json_string(model->device_features.items[i]));
        nitro_json_put(&feature, "value", json_real(model->device_values[i]));
        nitro_json_append(&array, feature);
    }
    return array;
}

static json_t *encode_variants(const nitro_schema *schema)
{
    json_t *array = json_array();
    for (size_t v = 0; v < schema->num_variants; v++)
        nitro_json_append(&array, json_string(schema->variants[v]));
    return array;
}

static json_t *encode_range_end(const nitro_range_end *end, size_t num_variants)
{
    return json_pack("{s:f, s:f, s:f, s:o}", "reach", end->reach, "confidence", end->confidence,
                     "fallback_confidence", end->fallback_confidence, "fallback_scores",
                     nitro_json_from_numbers(end->fallback_scores, num_variants));
}

/** In the order of the features; NULL: none. */
static json_t *encode_range_ends(const nitro_model *model)
{
    size_t num_variants = model->schema->num_variants;
    json_t *array = model->ends ? json_array() : NULL;
    for (size_t f = 0; array && f < model->schema->num_features; f++)
        nitro_json_append(&array,
                          json_pack("{s:o, s:o}", "low",
                                    encode_range_end(&model->ends[2 * f], num_variants), "high",
                                    encode_range_end(&model->ends[2 * f + 1], num_variants)));
    return array;
}

static json_t *encode_calibration(const nitro_calibration *calibration)
{
    return json_pack("{s:o, s:o}", "margins",
                     nitro_json_from_numbers(calibration->margins, calibration->num_knots),
                     "confidences",
                     nitro_json_from_numbers(calibration->confidences, calibration->num_knots));
}

static json_t *encode_prepare_costs(const nitro_prepare_costs *costs)
{
    if (!costs)
        return NULL;
    size_t size = costs->num_columns + 1;
    json_t *variants = json_array(), *weights = json_array();
    for (size_t v = 0; v < costs->num_variants; v++) {
        if (!(costs->prepared >> v & 1))
            continue;
        nitro_json_append(&variants, json_integer((json_int_t)v));
        nitro_json_append(&weights, nitro_json_from_numbers(costs->weights + v * size, size));
    }
    json_t *few = json_array();
    for (size_t i = 0; i < costs->num_few; i++) {
        json_t *choice =
            json_pack("{s:f, s:I, s:f}", "uses", costs->few[i].uses, "variant",
                      (json_int_t)costs->few[i].variant, "confidence", costs->few[i].confidence);
        if (i + 1 < costs->num_few)
            nitro_json_put(&choice, "up_to", json_real(costs->few[i].up_to));
        nitro_json_append(&few, choice);
    }
    json_t *encoded =
        json_pack("{s:o, s:o, s:o}", "variants", variants, "weights", weights, "few_uses", few);
    if (costs->few_feature != NITRO_NONE)
        nitro_json_put(&encoded, "few_feature", json_integer((json_int_t)costs->few_feature));
    return encoded;
}

static int least_version(const nitro_model *model)
{
    if (model->prepare_costs)
        return NITRO_MODEL_VERSION_PREPARING;
    return model->correction ? NITRO_MODEL_VERSION_CORRECTION : NITRO_MODEL_VERSION_PLAIN;
}

static json_t *encode_untried(const nitro_model *model)
{
    json_t *names = json_array();
    for (size_t v = 0; v < model->schema->num_variants; v++)
        if (model->untried >> v & 1)
            nitro_json_append(&names, json_string(model->schema->variants[v]));
    return names;
}

/** Print the fields after the checksum, one a line; false: out of memory. `correction` may be NULL.
 */
static bool print_fields(FILE *out, const nitro_model *model, json_t *predictor, json_t *correction)
{
    const nitro_schema *schema = model->schema;
    struct {
        const char *key;
        json_t *value;
    } fields[] = {
        {"format", json_string(NITRO_MODEL_FORMAT)},
        {"version", json_integer(least_version(model))},
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
        {model->ends ? "range_ends" : NULL, encode_range_ends(model)},
        {correction ? "correction" : NULL, json_incref(correction)},
        {model->prepare_costs ? "preparing" : NULL, encode_prepare_costs(model->prepare_costs)},
        {model->untried ? "untried" : NULL, encode_untried(model)},
    };
    bool printed = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!fields[i].key) { /* optional */
            json_decref(fields[i].value);
            continue;
        }
        char *text = fields[i].value ? nitro_json_print(fields[i].value, DUMP_FLAGS) : NULL;
        printed = printed && text && fprintf(out, ",\n\"%s\": %s", fields[i].key, text) > 0;
        free(text);
        json_decref(fields[i].value);
    }
    return fputs("\n}\n", out) >= 0 && printed;
}

static nitro_status encode_predictor(const nitro_model *model, json_t **predictor)
{
    if (!model->strategy->encode || !model->provenance)
        return nitro_fail(model->context, NITRO_ERR_ARGUMENT,
                          "the model of %s for %s is a compiled one, without the provenance that a "
                          "JSON file needs; use the file that it was compiled from",
                          model->schema->computation, model->target);
    return model->strategy->encode(model->context, model->predictor, predictor);
}

nitro_status nitro_model_format(const nitro_model *model, char **text, size_t *size)
{
    json_t *predictor = NULL, *correction = NULL;
    nitro_status status = encode_predictor(model, &predictor);
    if (status == NITRO_OK && model->correction)
        status = nitro_kernel_pair_encode(model->context, model->correction, &correction);
    if (status != NITRO_OK) {
        json_decref(predictor);
        return status;
    }
    char *printed = NULL;
    size_t printed_size = 0;
    FILE *out = nitro_memory_stream(&printed, &printed_size);
    bool complete = out &&
                    fprintf(out, NITRO_MODEL_CHECKSUM, UINT64_C(0)) == NITRO_MODEL_CHECKSUM_SIZE &&
                    print_fields(out, model, predictor, correction);
    complete = out && fclose(out) == 0 && complete;
    json_decref(predictor);
    json_decref(correction);
    if (!complete) {
        free(printed);
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot write the model of %s for %s",
                          model->schema->computation, model->target);
    }
    char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
    snprintf(field, sizeof field, NITRO_MODEL_CHECKSUM,
             nitro_model_checksum(printed, printed_size));
    memcpy(printed, field, NITRO_MODEL_CHECKSUM_SIZE);
    *text = printed;
    *size = printed_size;
    return NITRO_OK;
}

nitro_status nitro_model_save(const nitro_model *model, const char *path)
{
    NITRO_REQUIRE(model ? model->context : NULL, model && path);
    char *text = NULL;
    size_t size = 0;
    nitro_status status = nitro_model_format(model, &text, &size);
    if (status == NITRO_OK)
        status = nitro_file_write(model->context, path, text, size);
    free(text);
    return status;
}

/** Numbers and texts; arrays are replaced by their length, as num_KEY. */
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
            nitro_json_put(&summary, name, json_integer((json_int_t)json_array_size(value)));
        else
            nitro_json_put(&summary, key, json_incref(value));
    }
    return summary;
}

/** The choices for few uses, with the range of the feature in which each holds. */
static json_t *summarize_few_uses(const nitro_schema *schema, const nitro_prepare_costs *costs)
{
    json_t *few = json_array();
    for (size_t i = 0; i < costs->num_few; i++) {
        json_t *choice = json_pack("{s:f, s:s}", "uses", costs->few[i].uses, "variant",
                                   schema->variants[costs->few[i].variant]);
        if (costs->few_feature != NITRO_NONE)
            nitro_json_put(&choice, "feature",
                           json_string(schema->features[costs->few_feature].name));
        if (i > 0)
            nitro_json_put(&choice, "above", json_real(costs->few[i - 1].up_to));
        if (i + 1 < costs->num_few)
            nitro_json_put(&choice, "up_to", json_real(costs->few[i].up_to));
        nitro_json_append(&few, choice);
    }
    return json_pack("{s:o}", "few_uses", few);
}

nitro_status nitro_model_summary(const nitro_model *model, char **json_text)
{
    const nitro_schema *schema = model->schema;
    json_t *predictor = NULL;
    nitro_status status = encode_predictor(model, &predictor);
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
    const nitro_prepare_costs *costs = model->prepare_costs;
    if (summary && costs)
        nitro_json_put(&summary, "preparing", summarize_few_uses(schema, costs));
    char *text =
        summary ? nitro_json_print(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(summary);
    if (!text)
        return nitro_fail(model->context, NITRO_ERR_NO_MEMORY,
                          "out of memory: cannot summarize the model of %s", schema->computation);
    *json_text = text;
    return NITRO_OK;
}

static void free_provenance(json_t *provenance)
{
    json_decref(provenance);
}

void nitro_model_set_provenance(nitro_model *model, json_t *provenance)
{
    json_decref(model->provenance);
    model->provenance = provenance;
    model->free_provenance = free_provenance;
}

nitro_status nitro_model_export(const nitro_model *model, nitro_export_format format,
                                const char *path)
{
    NITRO_REQUIRE(model ? model->context : NULL, model && path);
    char *bytes = NULL;
    size_t size = 0;
    nitro_status status = NITRO_OK;
    switch (format) {
    case NITRO_EXPORT_BINARY:
        status = nitro_binary_format(model, &bytes, &size);
        break;
    case NITRO_EXPORT_C:
        status = nitro_source_format(model, &bytes, &size);
        break;
    default:
        status =
            nitro_fail(model->context, NITRO_ERR_ARGUMENT, "unknown export format %d", (int)format);
    }
    if (status == NITRO_OK)
        status = nitro_file_write(model->context, path, bytes, size);
    free(bytes);
    return status;
}
