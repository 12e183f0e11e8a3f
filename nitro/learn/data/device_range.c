/* Device features of a target that lie outside the sources' range. */
#include "nitro/learn/data/device_range.h"

#include <math.h>

void nitro_device_range_clamp(nitro_model *model)
{
    for (size_t i = 0; i < model->device_features.count; i++) {
        if (fabs(model->device_columns[i]) <= 1.0)
            continue;
        model->device_columns[i] = copysign(1.0, model->device_columns[i]);
        model->device_values[i] = nitro_scaler_invert(
            &model->columns[nitro_model_first_device(model) + i], model->device_columns[i]);
    }
}

void nitro_device_range_log_clamped(const nitro_model *model, const nitro_device *target)
{
    char names[512] = "";
    for (size_t i = 0; i < model->device_features.count; i++) {
        const char *name = model->device_features.items[i];
        double value = nitro_device_value(target, name);
        if (value != model->device_values[i])
            nitro_message_list_add(names, sizeof names, "%s (%g counts as %g)", name, value,
                                   model->device_values[i]);
    }
    if (names[0])
        nitro_log(model->context, NITRO_LOG_WARNING,
                  "target %s lies outside the range of the sources: %s", model->target, names);
}

void nitro_device_range_log_extrapolation(const nitro_model *model, nitro_log_level level)
{
    char names[512] = "";
    for (size_t i = 0; i < model->device_features.count; i++) {
        const nitro_scaler_column *column = &model->columns[nitro_model_first_device(model) + i];
        if (fabs(model->device_columns[i]) <= 1.0 + NITRO_MODEL_TOLERANCE)
            continue;
        nitro_message_list_add(names, sizeof names, "%s (%g; %g to %g)",
                               model->device_features.items[i], model->device_values[i],
                               nitro_scaler_invert(column, -1.0), nitro_scaler_invert(column, 1.0));
    }
    if (names[0])
        nitro_log(
            model->context, level,
            "target %s lies outside the range of the sources, where a model may choose badly: "
            "%s",
            model->target, names);
}
