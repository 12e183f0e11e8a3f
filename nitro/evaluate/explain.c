/* A model's columns for one input, and the nearest measured inputs by the scaled columns that the
 * strategy sees. */
#include "nitro/backend/explain.h"

#include <math.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/runtime/model/model.h"

_Static_assert(NITRO_EXPLAIN_MAX_COLUMNS >= NITRO_MODEL_MAX_COLUMNS, "room for every column");

static nitro_status require_finite(const nitro_model *model, const double *features)
{
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (!isfinite(features[f]))
            return nitro_fail(model->context, NITRO_ERR_BAD_FEATURE,
                              "feature %s is %g, but must be a finite number",
                              model->schema->features[f].name, features[f]);
    return NITRO_OK;
}

/** All columns of an input on a device, unscaled; NaN: undefined, or unknown of the device. */
static void fill_columns(const nitro_model *model, const double *features,
                         const double *relative_values, const double *device_values, double *values)
{
    size_t first_device = nitro_model_first_device(model);
    memcpy(values, features, model->schema->num_features * sizeof *values);
    nitro_relative_evaluate(model->relative, features, relative_values,
                            values + nitro_model_first_relative(model));
    for (size_t i = 0; i < model->device_features.count; i++)
        values[first_device + i] = device_values[i];
}

static const char *device_unit(const char *name)
{
    const nitro_device_feature_info *info = nitro_device_feature_lookup(name);
    return info ? info->unit : "1";
}

static void name_column(const nitro_model *model, size_t index, nitro_column *column)
{
    size_t first_relative = nitro_model_first_relative(model);
    size_t first_device = nitro_model_first_device(model);
    if (index < first_relative) {
        column->kind = NITRO_COLUMN_INPUT;
        column->name = model->schema->features[index].name;
        column->unit = model->schema->features[index].unit;
    } else if (index < first_device) {
        column->kind = NITRO_COLUMN_RELATIVE;
        column->name = model->schema->relative[index - first_relative].name;
        column->unit = model->schema->relative[index - first_relative].unit;
    } else {
        column->kind = NITRO_COLUMN_DEVICE;
        column->name = model->device_features.items[index - first_device];
        column->unit = device_unit(column->name);
    }
}

nitro_status nitro_model_explain(const nitro_model *model, const double *features,
                                 nitro_column *columns, size_t *count)
{
    double values[NITRO_MODEL_MAX_COLUMNS];
    nitro_status status = require_finite(model, features);
    if (status != NITRO_OK)
        return status;
    fill_columns(model, features, model->relative_values, model->device_values, values);
    for (size_t c = 0; c < nitro_model_num_columns(model); c++) {
        const nitro_scaler_column *scaler = &model->columns[c];
        bool has_range = !nitro_scaler_is_ignored(scaler);
        columns[c] = (nitro_column){
            .value = values[c],
            .low = has_range ? nitro_scaler_invert(scaler, -1.0) : (double)NAN,
            .high = has_range ? nitro_scaler_invert(scaler, 1.0) : (double)NAN,
            .excess = isnan(values[c]) ? INFINITY : nitro_scaler_excess(scaler, values[c]) / 2.0};
        columns[c].is_far = c < model->schema->num_features && (model->judged >> c & 1) &&
                            2.0 * columns[c].excess > NITRO_MODEL_TOLERANCE;
        columns[c].is_used = c >= model->schema->num_features || (model->judged >> c & 1);
        name_column(model, c, &columns[c]);
    }
    for (size_t i = 0; i < model->num_seen; i++)
        columns[model->seen[i]].is_seen = true;
    *count = nitro_model_num_columns(model);
    return NITRO_OK;
}

/** Where a dataset has the model's input features, shape [num_features]. */
static nitro_status find_features(const nitro_model *model, const nitro_dataset *dataset,
                                  size_t *places)
{
    const nitro_schema *own = model->schema;
    bool same = strcmp(own->computation, dataset->schema->computation) == 0;
    for (size_t f = 0; f < own->num_features && same; f++) {
        places[f] = nitro_schema_feature(dataset->schema, own->features[f].name);
        same = places[f] != NITRO_NONE;
    }
    return same ? NITRO_OK
                : nitro_schema_require_same(model->context, dataset->schema, "the dataset", own,
                                            "the model");
}

/** The columns of a row that the strategy would see, scaled; false: one is undefined or unknown. */
static bool see_row(const nitro_model *model, const nitro_dataset *dataset, const size_t *places,
                    size_t row, double *seen)
{
    double features[NITRO_MAX_FEATURES];
    const nitro_device *device = dataset->devices[dataset->row_device[row]];
    double relative_values[NITRO_RELATIVE_MAX_DEVICE_VALUES];
    double device_values[NITRO_MODEL_MAX_DEVICE_FEATURES], values[NITRO_MODEL_MAX_COLUMNS];
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        relative_values[i] =
            nitro_device_value(device, nitro_relative_device_feature(model->relative, i));
    for (size_t i = 0; i < model->device_features.count; i++)
        device_values[i] = nitro_device_value(device, model->device_features.items[i]);
    for (size_t f = 0; f < model->schema->num_features; f++)
        features[f] = nitro_dataset_features(dataset, row)[places[f]];
    fill_columns(model, features, relative_values, device_values, values);
    for (size_t i = 0; i < model->num_seen; i++) {
        if (isnan(values[model->seen[i]]))
            return false;
        seen[i] = nitro_model_scale(model, model->seen[i], values[model->seen[i]]);
    }
    return true;
}

static double distance(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return count ? sqrt(sum / (double)count) : 0.0;
}

/** Keep the nearest `most`, in order, earlier rows before equal ones. */
static void insert(nitro_neighbour found, nitro_neighbour *neighbours, size_t most, size_t *count)
{
    size_t place = *count;
    if (place == most && (most == 0 || !(found.distance < neighbours[most - 1].distance)))
        return;
    if (place == most)
        place--;
    else
        (*count)++;
    for (; place > 0 && found.distance < neighbours[place - 1].distance; place--)
        neighbours[place] = neighbours[place - 1];
    neighbours[place] = found;
}

nitro_status nitro_model_neighbours(const nitro_model *model, const nitro_dataset *dataset,
                                    size_t device, const double *features,
                                    nitro_neighbour *neighbours, size_t most, size_t *count)
{
    double values[NITRO_MODEL_MAX_COLUMNS], here[NITRO_MODEL_MAX_COLUMNS];
    double there[NITRO_MODEL_MAX_COLUMNS];
    size_t found = 0, places[NITRO_MAX_FEATURES];
    nitro_status status = require_finite(model, features);
    if (status == NITRO_OK)
        status = find_features(model, dataset, places);
    if (status != NITRO_OK)
        return status;
    fill_columns(model, features, model->relative_values, model->device_values, values);
    for (size_t i = 0; i < model->num_seen; i++)
        here[i] = nitro_model_scale(model, model->seen[i], values[model->seen[i]]);
    for (size_t row = 0; row < dataset->num_rows; row++)
        if ((device == NITRO_NONE || dataset->row_device[row] == device) &&
            nitro_dataset_row_is_usable(dataset, row) &&
            see_row(model, dataset, places, row, there))
            insert((nitro_neighbour){row, distance(here, there, model->num_seen)}, neighbours, most,
                   &found);
    *count = found;
    return NITRO_OK;
}
