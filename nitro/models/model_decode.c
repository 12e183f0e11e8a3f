/* Reads a model from untrusted text. Checks JSON syntax, format, version and checksum, then every
 * field.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nitro/models/model_decode.h"
#include "nitro/models/model_file.h"
#include "nitro/models/score_json.h"
#include "nitro/models/strategy_find.h"

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
    if (status == NITRO_OK && !nitro_calibration_is_valid(calibration))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field calibration: margins must ascend, confidences may not fall, "
                            "and lie in [0, 1]",
                            place->path);
    return status;
}

static nitro_status decode_range_end(const nitro_json_place *place, const json_t *feature,
                                     const char *key, size_t num_variants, nitro_range_end *end)
{
    json_t *object = NULL, *scores = NULL;
    nitro_status status = nitro_json_member(place, feature, key, JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_json_number(place, object, "reach", &end->reach);
    if (status == NITRO_OK)
        status = nitro_json_number(place, object, "confidence", &end->confidence);
    if (status == NITRO_OK)
        status = nitro_json_number(place, object, "fallback_confidence", &end->fallback_confidence);
    if (status == NITRO_OK)
        status = nitro_json_member(place, object, "fallback_scores", JSON_ARRAY, &scores);
    if (status == NITRO_OK)
        status = nitro_json_numbers(place, scores, "fallback_scores", num_variants,
                                    end->fallback_scores);
    if (status == NITRO_OK && !nitro_range_end_is_valid(end, num_variants))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field %s.%s: a reach is 0 or more, confidences lie in [0, 1] and "
                            "scores in [-1, 0]",
                            place->path, place->field, key);
    return status;
}

/** Optional: without, inputs outside the training range get the default variant. */
static nitro_status decode_range_ends(const nitro_json_place *place, const json_t *top,
                                      nitro_model *model)
{
    json_t *array = NULL;
    size_t num_features = model->schema->num_features, num_variants = model->schema->num_variants;
    nitro_json_place at = {place->context, place->path, "range_ends"};
    if (!json_object_get(top, "range_ends"))
        return NITRO_OK;
    nitro_status status = nitro_json_member(place, top, "range_ends", JSON_ARRAY, &array);
    if (status == NITRO_OK && json_array_size(array) != num_features)
        return nitro_fail(place->context, NITRO_ERR_FORMAT,
                          "%s: field range_ends has %zu items, but there are %zu features",
                          place->path, json_array_size(array), num_features);
    if (status == NITRO_OK)
        model->ends = nitro_calloc(place->context, 2 * num_features + 1, sizeof *model->ends);
    if (status == NITRO_OK && !model->ends)
        return NITRO_ERR_NO_MEMORY;
    for (size_t f = 0; status == NITRO_OK && f < num_features; f++) {
        const json_t *feature = json_array_get(array, f);
        status = decode_range_end(&at, feature, "low", num_variants, &model->ends[2 * f]);
        if (status == NITRO_OK)
            status = decode_range_end(&at, feature, "high", num_variants, &model->ends[2 * f + 1]);
    }
    return status;
}

static nitro_status decode_predictor(const nitro_json_place *place, const json_t *top,
                                     nitro_model *model)
{
    const char *name = NULL;
    json_t *object = NULL;
    nitro_json_place at = {place->context, place->path, "strategy"};
    nitro_status status = nitro_json_string(place, top, "strategy", &name);
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "predictor", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_json_blame(&at, nitro_strategy_find(place->context, name, &model->strategy));
    if (status == NITRO_OK)
        status = model->strategy->decode(place->context, place->path, object, model->num_seen,
                                         model->schema->num_variants, &model->predictor);
    return status;
}

/** Only models adapted to measured inputs of the target have one. */
static nitro_status decode_correction(const nitro_json_place *place, const json_t *top,
                                      nitro_model *model)
{
    json_t *object = NULL;
    nitro_json_place at = {place->context, place->path, "correction"};
    if (!json_object_get(top, "correction"))
        return NITRO_OK;
    nitro_status status = nitro_json_member(place, top, "correction", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_kernel_pair_decode(&at, object, model->num_seen, model->schema->num_variants,
                                          &model->correction);
    return status;
}

static nitro_status decode_costs_of(const nitro_json_place *at, const json_t *variants,
                                    const json_t *weights, nitro_prepare_costs *costs)
{
    size_t size = costs->num_columns + 1, count = json_array_size(variants);
    nitro_status status = nitro_json_check_rows(at, weights, "weights", count, size);
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const json_t *position = json_array_get(variants, i);
        json_int_t v = json_is_integer(position) ? json_integer_value(position) : -1;
        if (v < 0 || (size_t)v >= costs->num_variants || costs->prepared >> v & 1)
            return nitro_fail(at->context, NITRO_ERR_FORMAT,
                              "%s: field %s.variants: item %zu is not the position of a variant, "
                              "each at most once",
                              at->path, at->field, i);
        costs->prepared |= UINT64_C(1) << v;
        status = nitro_json_numbers(at, json_array_get(weights, i), "weights", size,
                                    costs->weights + (size_t)v * size);
    }
    return status;
}

static nitro_status decode_few_choice(const nitro_json_place *at, const json_t *object,
                                      size_t num_variants, bool is_last, nitro_few_uses *few)
{
    nitro_status status = NITRO_OK;
    few->up_to = INFINITY;
    if (!is_last)
        status = nitro_json_number(at, object, "up_to", &few->up_to);
    if (status == NITRO_OK)
        status = nitro_json_number(at, object, "uses", &few->uses);
    if (status == NITRO_OK)
        status = nitro_json_count(at, object, "variant", num_variants - 1, &few->variant);
    if (status == NITRO_OK)
        status = nitro_json_number(at, object, "confidence", &few->confidence);
    return status;
}

/** One choice for few uses, or one for each range of a feature. */
static nitro_status decode_few_uses(const nitro_json_place *at, const json_t *object,
                                    const nitro_schema *schema, nitro_prepare_costs *costs)
{
    json_t *few = NULL;
    size_t most = 1;
    nitro_status status = nitro_json_member(at, object, "few_uses", JSON_ARRAY, &few);
    if (status == NITRO_OK && json_object_get(object, "few_feature")) {
        most = NITRO_MAX_FEW;
        status = nitro_json_count(at, object, "few_feature", NITRO_MAX_FEATURES - 1,
                                  &costs->few_feature);
    }
    if (status != NITRO_OK)
        return status;
    if (most > 1 && costs->few_feature >= schema->num_features)
        return nitro_fail(at->context, NITRO_ERR_FORMAT,
                          "%s: field %s.few_feature is %zu, but there are %zu features", at->path,
                          at->field, costs->few_feature, schema->num_features);
    if (json_array_size(few) < 1 || json_array_size(few) > most)
        return nitro_fail(at->context, NITRO_ERR_FORMAT,
                          "%s: field %s.few_uses: %zu choices where there should be 1 to %zu",
                          at->path, at->field, json_array_size(few), most);
    costs->num_few = json_array_size(few);
    for (size_t i = 0; i < costs->num_few && status == NITRO_OK; i++)
        status = decode_few_choice(at, json_array_get(few, i), costs->num_variants,
                                   i + 1 == costs->num_few, &costs->few[i]);
    return status;
}

static nitro_status decode_prepare_costs(const nitro_json_place *place, const json_t *top,
                                         nitro_model *model)
{
    json_t *object = NULL, *variants = NULL, *weights = NULL;
    nitro_json_place at = {place->context, place->path, "preparing"};
    if (!json_object_get(top, "preparing"))
        return NITRO_OK;
    nitro_status status = nitro_prepare_costs_create(
        place->context, model->num_seen, model->schema->num_variants, &model->prepare_costs);
    nitro_prepare_costs *costs = model->prepare_costs;
    if (status == NITRO_OK)
        status = nitro_json_member(place, top, "preparing", JSON_OBJECT, &object);
    if (status == NITRO_OK)
        status = nitro_json_member(&at, object, "variants", JSON_ARRAY, &variants);
    if (status == NITRO_OK)
        status = nitro_json_member(&at, object, "weights", JSON_ARRAY, &weights);
    if (status == NITRO_OK)
        status = decode_costs_of(&at, variants, weights, costs);
    if (status == NITRO_OK)
        status = decode_few_uses(&at, object, model->schema, costs);
    if (status == NITRO_OK && !nitro_prepare_costs_are_valid(costs))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field preparing: weights may be at most %g in magnitude, numbers "
                            "of uses not negative, confidences from 0 to 1, and borders ascending",
                            place->path, NITRO_PREPARE_COSTS_MAX_WEIGHT);
    return status;
}

/* People read the provenance in a terminal. */
static bool is_plain_text(json_t *value)
{
    const char *text = json_string_value(value);
    bool plain = !text || nitro_text_is_valid(text, strlen(text));
    for (size_t i = 0; i < json_array_size(value) && plain; i++)
        plain = is_plain_text(json_array_get(value, i));
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) plain =
        plain && nitro_text_is_valid(key, strlen(key)) && is_plain_text(member);
    return plain;
}

static nitro_status decode_provenance(const nitro_json_place *place, const json_t *top,
                                      nitro_model *model)
{
    json_t *provenance = NULL;
    nitro_status status = nitro_json_member(place, top, "provenance", JSON_OBJECT, &provenance);
    if (status == NITRO_OK && !is_plain_text(provenance))
        status = nitro_fail(place->context, NITRO_ERR_FORMAT,
                            "%s: field provenance: a text has control characters", place->path);
    if (status == NITRO_OK)
        nitro_model_set_provenance(model, json_incref(provenance));
    return status;
}

static nitro_status decode_learnt(const nitro_json_place *place, const json_t *top,
                                  nitro_model *model)
{
    nitro_status status = decode_calibration(place, top, &model->calibration);
    if (status == NITRO_OK)
        status = decode_provenance(place, top, model);
    if (status == NITRO_OK)
        status = decode_range_ends(place, top, model);
    if (status == NITRO_OK)
        status = decode_predictor(place, top, model);
    if (status == NITRO_OK)
        status = decode_correction(place, top, model);
    return status == NITRO_OK ? decode_prepare_costs(place, top, model) : status;
}

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
                          "%s: field format is '%.80s': not a model file", place->path, format);
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

/** The file must begin with the checksum of the remaining bytes, exactly as written. */
static nitro_status check_checksum(const nitro_json_place *place, const char *text, size_t size)
{
    char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
    if (size > NITRO_MODEL_CHECKSUM_SIZE) {
        snprintf(field, sizeof field, NITRO_MODEL_CHECKSUM, nitro_model_checksum(text, size));
        if (memcmp(text, field, NITRO_MODEL_CHECKSUM_SIZE) == 0)
            return NITRO_OK;
    }
    return nitro_fail(
        place->context, NITRO_ERR_FORMAT,
        "%s: field checksum does not match: the file was altered or damaged; learn the "
        "model again",
        place->path);
}

nitro_status nitro_model_parse(nitro_context *context, const char *path, const char *text,
                               size_t size, nitro_model **model)
{
    nitro_json_place place = {context, path, ""};
    json_t *top = NULL;
    nitro_model *made = NULL;
    nitro_status status = nitro_json_read(context, path, text, size, &top);
    if (status == NITRO_OK)
        status = check_format(&place, top);
    if (status == NITRO_OK)
        status = check_checksum(&place, text, size);
    if (status == NITRO_OK)
        status = nitro_model_decode_columns(&place, top, &made);
    if (status == NITRO_OK)
        status = decode_learnt(&place, top, made);
    json_decref(top);
    if (status == NITRO_OK)
        nitro_model_judge(made, nitro_model_used_features(made));
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
