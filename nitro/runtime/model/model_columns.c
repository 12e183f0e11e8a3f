/* Computes a strategy's columns from input features. Compiled models have precomputed formulas and
 * scaling constants.
 */
#include <math.h>
#include <stdlib.h>

#include "nitro/base/clamp.h"
#include "nitro/records/formula_set.h"
#include "nitro/runtime/model/model.h"

/* Input-independent data; results are the same with and without it. */
struct nitro_model_prepared {
    nitro_formula_set *relative; /* NULL: too large, evaluate formulas one by one */
    nitro_scaler_line lines[2 * NITRO_MAX_FEATURES]; /* of input and relative features */
};

size_t nitro_model_first_relative(const nitro_model *model)
{
    return model->schema->num_features;
}

size_t nitro_model_first_device(const nitro_model *model)
{
    return nitro_model_first_relative(model) + model->schema->num_relative;
}

size_t nitro_model_num_columns(const nitro_model *model)
{
    return nitro_model_first_device(model) + model->device_features.count;
}

static bool is_replaced(const nitro_schema *schema, size_t feature)
{
    for (size_t i = 0; i < schema->num_relative; i++)
        if (nitro_relative_info_replaces(&schema->relative[i], schema->features[feature].name))
            return true;
    return false;
}

void nitro_model_choose_seen(nitro_model *model)
{
    model->num_seen = 0;
    for (size_t c = 0; c < nitro_model_num_columns(model); c++)
        if (c >= model->schema->num_features || !is_replaced(model->schema, c))
            model->seen[model->num_seen++] = c;
}

static void free_prepared(nitro_model *model)
{
    if (model->prepared)
        nitro_formula_set_free(model->prepared->relative);
    free(model->prepared);
    model->prepared = NULL;
}

void nitro_model_free_columns(nitro_model *model)
{
    free_prepared(model);
    nitro_relative_free(model->relative);
    model->relative = NULL;
}

nitro_status nitro_model_set_relative(nitro_model *model)
{
    nitro_relative *relative = NULL;
    nitro_status status = nitro_relative_compile(model->context, model->schema, &relative);
    if (status != NITRO_OK)
        return status;
    nitro_model_free_columns(model);
    model->relative = relative;
    return NITRO_OK;
}

nitro_status nitro_model_prepare_columns(nitro_model *model)
{
    const nitro_relative *relative = model->relative;
    if (model->prepared)
        return NITRO_OK;
    model->prepared = nitro_calloc(model->context, 1, sizeof *model->prepared);
    if (!model->prepared)
        return NITRO_ERR_NO_MEMORY;
    for (size_t c = 0; c < nitro_model_first_device(model); c++)
        model->prepared->lines[c] = nitro_scaler_prepare(&model->columns[c]);
    nitro_status status = nitro_formula_set_create(
        model->context, relative->formulas, relative->count, relative->num_features,
        model->relative_values, &model->prepared->relative);
    if (status != NITRO_OK)
        free_prepared(model);
    return status;
}

void nitro_model_scale_device(nitro_model *model)
{
    for (size_t i = 0; i < model->device_features.count; i++)
        model->device_columns[i] = nitro_scaler_apply(
            &model->columns[nitro_model_first_device(model) + i], model->device_values[i]);
}

static double scale(const nitro_model *model, size_t column, const nitro_scaler_line *line,
                    double value)
{
    if (column < nitro_model_first_relative(model) || column >= nitro_model_first_device(model))
        return nitro_scaler_line_apply(line, value);
    if (isnan(value)) /* undefined: as a value without a logarithm */
        return -1.0;
    return nitro_clamp(nitro_scaler_line_apply(line, value), -1.0, 1.0);
}

double nitro_model_scale(const nitro_model *model, size_t column, double value)
{
    nitro_scaler_line line = nitro_scaler_prepare(&model->columns[column]);
    return scale(model, column, &line, value);
}

static void evaluate_relative(const nitro_model *model, const double *features, double *values)
{
    if (model->prepared && model->prepared->relative)
        nitro_formula_set_evaluate(model->prepared->relative, features, values);
    else
        nitro_relative_evaluate(model->relative, features, model->relative_values, values);
}

bool nitro_model_relative(const nitro_model *model, const double *features, double *values)
{
    bool defined = true;
    evaluate_relative(model, features, values);
    for (size_t r = 0; r < model->schema->num_relative; r++)
        defined = defined && !isnan(values[r]);
    return defined;
}

bool nitro_model_columns(const nitro_model *model, const double *features, double *columns)
{
    double relative[NITRO_MAX_FEATURES];
    size_t first_relative = nitro_model_first_relative(model);
    size_t first_device = nitro_model_first_device(model);
    bool defined = nitro_model_relative(model, features, relative);
    for (size_t i = 0; i < model->num_seen; i++) {
        size_t c = model->seen[i];
        if (c >= first_device) {
            columns[i] = model->device_columns[c - first_device];
            continue;
        }
        double value = c < first_relative ? features[c] : relative[c - first_relative];
        columns[i] = model->prepared ? scale(model, c, &model->prepared->lines[c], value)
                                     : nitro_model_scale(model, c, value);
    }
    return defined || model->judged == 0; /* a constant model has no relative features to check */
}
