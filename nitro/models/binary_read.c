/*
 * Reads a model from an untrusted binary file: format, version, size and checksum are checked, then
 * every field.
 */
#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/models/binary.h"
#include "nitro/runtime/model/model.h"

#define ANY 1.7976931348623157e308 /* finite */

enum { AT_VERSION = 8, AT_SIZE = 16, AT_CHECKSUM = 24 };

static uint64_t number_at(const char *bytes, size_t at)
{
    uint64_t bits;
    memcpy(&bits, bytes + at, sizeof bits);
    return le64toh(bits);
}

static void put_at(char *bytes, size_t at, uint64_t number)
{
    number = htole64(number);
    memcpy(bytes + at, &number, sizeof number);
}

static uint64_t checksum(const char *bytes, size_t size)
{
    return nitro_hash(bytes + NITRO_BINARY_HEADER_SIZE, size - NITRO_BINARY_HEADER_SIZE, 0);
}

bool nitro_binary_is(const char *bytes, size_t size)
{
    return size >= NITRO_BINARY_MAGIC_SIZE &&
           memcmp(bytes, NITRO_BINARY_MAGIC, NITRO_BINARY_MAGIC_SIZE) == 0;
}

void nitro_binary_seal(char *bytes, size_t size)
{
    put_at(bytes, AT_SIZE, size);
    put_at(bytes, AT_CHECKSUM, checksum(bytes, size));
}

/** Prefix another function's error with file and byte offset. */
static nitro_status blame_file(const nitro_binary_cursor *cursor, nitro_status status)
{
    if (status == NITRO_OK || status == NITRO_ERR_NO_MEMORY)
        return status;
    char message[1024];
    nitro_context_last_error(cursor->context, message, sizeof message);
    return nitro_fail(cursor->context, NITRO_ERR_FORMAT, "%s: byte %zu: %s", cursor->path,
                      cursor->at, message);
}

static nitro_status read_column(nitro_binary_cursor *cursor, nitro_scaler_column *column)
{
    size_t scale;
    nitro_status status = nitro_binary_count(cursor, "a scale", 0, NITRO_SCALE_SIGNED_LOG, &scale);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a range", ANY, &column->low);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a range", ANY, &column->high);
    if (status != NITRO_OK)
        return status;
    column->scale = (nitro_scale)scale;
    if (column->scale == NITRO_SCALE_AUTO || column->low > column->high)
        return nitro_binary_refuse(cursor, "a scale with a range");
    return NITRO_OK;
}

static nitro_status read_variants(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t count;
    nitro_status status =
        nitro_binary_count(cursor, "the number of variants", 1, NITRO_MAX_VARIANTS, &count);
    for (size_t v = 0; status == NITRO_OK && v < count; v++) {
        char *name = NULL;
        status = nitro_binary_text(cursor, "a variant's name", &name);
        if (status == NITRO_OK)
            status =
                blame_file(cursor, nitro_schema_add_variant(cursor->context, model->schema, name));
        free(name);
    }
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the default variant", 0, count - 1,
                                    &model->schema->default_variant);
    return status;
}

static nitro_status read_feature(nitro_binary_cursor *cursor, nitro_model *model)
{
    char *name = NULL, *unit = NULL;
    nitro_scaler_column column;
    nitro_status status = nitro_binary_text(cursor, "a feature's name", &name);
    if (status == NITRO_OK)
        status = nitro_binary_text(cursor, "a feature's unit", &unit);
    if (status == NITRO_OK)
        status = read_column(cursor, &column);
    if (status == NITRO_OK)
        status = blame_file(cursor, nitro_schema_add_feature(cursor->context, model->schema, name,
                                                             unit, column.scale));
    if (status == NITRO_OK)
        model->columns[model->schema->num_features - 1] = column;
    free(name);
    free(unit);
    return status;
}

static nitro_status read_features(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t count;
    nitro_status status =
        nitro_binary_count(cursor, "the number of features", 0, NITRO_MAX_FEATURES, &count);
    for (size_t f = 0; status == NITRO_OK && f < count; f++)
        status = read_feature(cursor, model);
    return status;
}

static nitro_status read_relative_feature(nitro_binary_cursor *cursor, nitro_model *model)
{
    static const char *const whats[] = {"a relative feature's name", "a relative feature's unit",
                                        "a formula", "what a formula replaces"};
    char *texts[4] = {NULL};
    nitro_scaler_column column;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < 4 && status == NITRO_OK; i++)
        status = nitro_binary_text(cursor, whats[i], &texts[i]);
    if (status == NITRO_OK)
        status = read_column(cursor, &column);
    if (status == NITRO_OK) {
        nitro_relative_feature feature = {texts[0], texts[1], column.scale, texts[2], texts[3]};
        status =
            blame_file(cursor, nitro_schema_add_relative(cursor->context, model->schema, &feature));
    }
    if (status == NITRO_OK)
        model->columns[nitro_model_first_device(model) - 1] = column;
    for (size_t i = 0; i < 4; i++)
        free(texts[i]);
    return status;
}

static nitro_status read_relative(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t count;
    nitro_status status = nitro_binary_count(cursor, "the number of relative features", 0,
                                             NITRO_MAX_FEATURES, &count);
    for (size_t r = 0; status == NITRO_OK && r < count; r++)
        status = read_relative_feature(cursor, model);
    if (status == NITRO_OK)
        status = blame_file(cursor, nitro_model_set_relative(model));
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; status == NITRO_OK && i < nitro_relative_num_device_values(model->relative);
         i++)
        status = nitro_binary_number(cursor, "a device's value", ANY, &model->relative_values[i]);
    return status;
}

static nitro_status read_device_feature(nitro_binary_cursor *cursor, nitro_model *model)
{
    char *name = NULL;
    size_t index = model->device_features.count;
    nitro_status status = nitro_binary_text(cursor, "a device feature's name", &name);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a device feature's value", ANY,
                                     &model->device_values[index]);
    if (status == NITRO_OK)
        status = read_column(cursor, &model->columns[nitro_model_first_device(model) + index]);
    if (status == NITRO_OK && (!nitro_name_is_valid(name) ||
                               nitro_string_list_find(&model->device_features, name) != NITRO_NONE))
        status = nitro_binary_refuse(cursor, "a device feature's valid name");
    if (status == NITRO_OK)
        status = nitro_string_list_add(cursor->context, &model->device_features, name);
    free(name);
    return status;
}

static nitro_status read_device_features(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t count;
    nitro_status status = nitro_binary_count(cursor, "the number of device features", 0,
                                             NITRO_MODEL_MAX_DEVICE_FEATURES, &count);
    for (size_t i = 0; status == NITRO_OK && i < count; i++)
        status = read_device_feature(cursor, model);
    nitro_model_choose_seen(model);
    nitro_model_scale_device(model);
    return status;
}

static nitro_status read_calibration(nitro_binary_cursor *cursor, nitro_calibration *calibration)
{
    nitro_status status = nitro_binary_count(cursor, "the number of knots", 1,
                                             NITRO_CALIBRATION_MAX_KNOTS, &calibration->num_knots);
    size_t count = calibration->num_knots;
    for (size_t k = 0; status == NITRO_OK && k < count; k++)
        status = nitro_binary_number(cursor, "a margin", ANY, &calibration->margins[k]);
    for (size_t k = 0; status == NITRO_OK && k < count; k++)
        status = nitro_binary_number(cursor, "a confidence", 1.0, &calibration->confidences[k]);
    if (status == NITRO_OK && !nitro_calibration_is_valid(calibration))
        status = nitro_binary_refuse(cursor, "ascending knots");
    return status;
}

static nitro_status read_predictor(nitro_binary_cursor *cursor, nitro_model *model)
{
    nitro_score_terms *terms = nitro_calloc(cursor->context, 1, sizeof *terms);
    if (!terms)
        return NITRO_ERR_NO_MEMORY;
    terms->num_columns = model->num_seen;
    terms->num_variants = model->schema->num_variants;
    nitro_status status = nitro_binary_parts(cursor, terms);
    model->strategy = nitro_binary_strategy(terms);
    model->predictor = terms;
    return status;
}

static nitro_status read_few_choice(nitro_binary_cursor *cursor, size_t num_variants, bool is_last,
                                    nitro_few_uses *few)
{
    nitro_status status = NITRO_OK;
    few->up_to = INFINITY;
    if (!is_last)
        status = nitro_binary_number(cursor, "a feature's border", ANY, &few->up_to);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a number of uses", ANY, &few->uses);
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the variant for few uses", 0, num_variants - 1,
                                    &few->variant);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a confidence", 1.0, &few->confidence);
    return status;
}

static nitro_status read_few_uses(nitro_binary_cursor *cursor, const nitro_schema *schema,
                                  nitro_prepare_costs *costs)
{
    size_t feature = 0;
    nitro_status status =
        nitro_binary_count(cursor, "the feature for few uses", 0, schema->num_features, &feature);
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the number of choices for few uses", 1,
                                    feature ? NITRO_MAX_FEW : 1, &costs->num_few);
    costs->few_feature = feature ? feature - 1 : NITRO_NONE;
    for (size_t i = 0; i < costs->num_few && status == NITRO_OK; i++)
        status =
            read_few_choice(cursor, schema->num_variants, i + 1 == costs->num_few, &costs->few[i]);
    return status;
}

static nitro_status read_prepare_costs(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t num_variants = model->schema->num_variants, prepared = 0;
    nitro_status status = nitro_prepare_costs_create(cursor->context, model->num_seen, num_variants,
                                                     &model->prepare_costs);
    nitro_prepare_costs *costs = model->prepare_costs;
    if (status == NITRO_OK)
        status = nitro_binary_count(cursor, "the variants that prepare", 0,
                                    UINT64_MAX >> (64 - num_variants), &prepared);
    if (status == NITRO_OK)
        costs->prepared = prepared;
    for (size_t v = 0; v < num_variants; v++)
        for (size_t i = 0; prepared >> v & 1 && i <= model->num_seen && status == NITRO_OK; i++)
            status = nitro_binary_number(cursor, "a weight of a cost of preparing",
                                         NITRO_PREPARE_COSTS_MAX_WEIGHT,
                                         &costs->weights[v * (model->num_seen + 1) + i]);
    if (status == NITRO_OK)
        status = read_few_uses(cursor, model->schema, costs);
    if (status == NITRO_OK && !nitro_prepare_costs_are_valid(costs))
        status = nitro_binary_refuse(cursor, "costs of preparing");
    return status;
}

static nitro_status read_range_end(nitro_binary_cursor *cursor, size_t num_variants,
                                   nitro_range_end *end)
{
    nitro_status status = nitro_binary_number(cursor, "a range end's reach", ANY, &end->reach);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a confidence", 1.0, &end->confidence);
    if (status == NITRO_OK)
        status = nitro_binary_number(cursor, "a confidence", 1.0, &end->fallback_confidence);
    for (size_t v = 0; status == NITRO_OK && v < num_variants; v++)
        status = nitro_binary_number(cursor, "a fallback score", 1.0, &end->fallback_scores[v]);
    if (status == NITRO_OK && !nitro_range_end_is_valid(end, num_variants))
        status = nitro_binary_refuse(cursor, "a range end");
    return status;
}

/** Of all features, or of none. */
static nitro_status read_range_ends(nitro_binary_cursor *cursor, nitro_model *model)
{
    size_t num_features = model->schema->num_features, count = 0;
    nitro_status status =
        nitro_binary_count(cursor, "the number of range ends", 0, num_features, &count);
    if (status == NITRO_OK && count != 0 && count != num_features)
        status = nitro_binary_refuse(cursor, "range ends of all features");
    if (status != NITRO_OK || count == 0)
        return status;
    model->ends = nitro_calloc(cursor->context, 2 * count, sizeof *model->ends);
    if (!model->ends)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; status == NITRO_OK && i < 2 * count; i++)
        status = read_range_end(cursor, model->schema->num_variants, &model->ends[i]);
    return status;
}

/** What files of versions 1 and 2 do not have. */
static nitro_status read_extensions(nitro_binary_cursor *cursor, uint64_t version,
                                    nitro_model *model)
{
    size_t has_costs = 0, untried = 0;
    nitro_status status = read_range_ends(cursor, model);
    if (status == NITRO_OK)
        status =
            nitro_binary_count(cursor, "whether there are costs of preparing", 0, 1, &has_costs);
    if (status == NITRO_OK && has_costs)
        status = read_prepare_costs(cursor, model);
    if (status == NITRO_OK && version > 2)
        status = nitro_binary_count(cursor, "the variants that ran on no source", 0,
                                    UINT64_MAX >> (64 - model->schema->num_variants), &untried);
    model->untried = untried;
    return status;
}

static nitro_status check_header(const nitro_binary_cursor *cursor)
{
    if (!nitro_binary_is(cursor->bytes, cursor->size) || cursor->size < NITRO_BINARY_HEADER_SIZE)
        return nitro_fail(cursor->context, NITRO_ERR_FORMAT,
                          "%s: not a binary model file: make one with nitro compile", cursor->path);
    uint64_t version = number_at(cursor->bytes, AT_VERSION);
    if (version > NITRO_BINARY_VERSION)
        return nitro_fail(cursor->context, NITRO_ERR_NEWER,
                          "%s: the model has binary version %llu, this Nitro (%s) reads up to %d: "
                          "use a newer Nitro, or compile the model again",
                          cursor->path, (unsigned long long)version, NITRO_VERSION_STRING,
                          NITRO_BINARY_VERSION);
    if (version < 1 || number_at(cursor->bytes, AT_SIZE) != cursor->size ||
        number_at(cursor->bytes, AT_CHECKSUM) != checksum(cursor->bytes, cursor->size))
        return nitro_fail(
            cursor->context, NITRO_ERR_FORMAT,
            "%s: wrong size or checksum: the file was altered or damaged; compile the model again",
            cursor->path);
    return NITRO_OK;
}

/** Read computation, target, kind and strategy, and create an empty model of them. */
static nitro_status read_names(nitro_binary_cursor *cursor, nitro_model **model)
{
    static const char *const whats[] = {"the computation's name", "the target's id",
                                        "the target's kind", "the strategy's name"};
    char *texts[4] = {NULL};
    nitro_schema *schema = NULL;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < 4 && status == NITRO_OK; i++)
        status = nitro_binary_text(cursor, whats[i], &texts[i]);
    if (status == NITRO_OK && (!nitro_device_id_is_valid(texts[1]) ||
                               !nitro_name_is_valid(texts[2]) || !nitro_name_is_valid(texts[3])))
        status = nitro_binary_refuse(cursor, "a target and a strategy with valid names");
    if (status == NITRO_OK)
        status = blame_file(cursor, nitro_schema_create(cursor->context, texts[0], &schema));
    if (status == NITRO_OK)
        status = nitro_model_create(cursor->context, schema, texts[1], texts[2], model);
    if (status == NITRO_OK) {
        (*model)->strategy_name = texts[3];
        texts[3] = NULL;
    }
    nitro_schema_free(schema);
    for (size_t i = 0; i < 4; i++)
        free(texts[i]);
    return status;
}

nitro_status nitro_binary_parse(nitro_context *context, const char *path, const char *bytes,
                                size_t size, nitro_model **model)
{
    nitro_binary_cursor cursor = {context, path, bytes, size, NITRO_BINARY_HEADER_SIZE};
    nitro_model *made = NULL;
    nitro_status status = check_header(&cursor);
    if (status == NITRO_OK)
        status = read_names(&cursor, &made);
    if (status == NITRO_OK)
        status = read_variants(&cursor, made);
    if (status == NITRO_OK)
        status = read_features(&cursor, made);
    if (status == NITRO_OK)
        status = read_relative(&cursor, made);
    if (status == NITRO_OK)
        status = read_device_features(&cursor, made);
    if (status == NITRO_OK)
        status = read_calibration(&cursor, &made->calibration);
    if (status == NITRO_OK)
        status = read_predictor(&cursor, made);
    if (status == NITRO_OK && number_at(bytes, AT_VERSION) > 1)
        status = read_extensions(&cursor, number_at(bytes, AT_VERSION), made);
    if (status == NITRO_OK && cursor.at != cursor.size)
        status = nitro_binary_refuse(&cursor, "the end of the file");
    if (status == NITRO_OK)
        nitro_model_judge(made, nitro_model_used_features(made));
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
