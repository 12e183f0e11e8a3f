/*
 * What a model knows of its target's device. Hides which relative features are left out: those that
 * a device has no numbers for, and those that sources are too few to learn from.
 */
#include <math.h>
#include <stdio.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/train.h"

/* ---- Relative features ----------------------------------------------------------------------- */

/** The first source with rows, or the target, that lacks a device feature of the formula. */
static const nitro_device *find_lacking(const nitro_training_task *task,
                                        const nitro_relative *relative, size_t index,
                                        const char **feature)
{
    const nitro_dataset *sources = task->sources;
    for (size_t i = 0; i < nitro_relative_num_device_values(relative); i++) {
        *feature = nitro_relative_device_feature(relative, i);
        if (!nitro_relative_needs(relative, index, i))
            continue;
        if (isnan(nitro_device_value(task->target, *feature)))
            return task->target;
        for (size_t row = 0; row < sources->num_rows; row++) {
            const nitro_device *device = sources->devices[sources->row_device[row]];
            bool is_next = row == 0 || sources->row_device[row] != sources->row_device[row - 1];
            if (is_next && isnan(nitro_device_value(device, *feature)))
                return device;
        }
    }
    return NULL;
}

/** What a formula that names no input feature is on a device. */
static double find_constant(const nitro_relative *relative, size_t index,
                            const nitro_device *device)
{
    const double features[NITRO_MAX_FEATURES] = {0};
    double values[NITRO_RELATIVE_MAX_DEVICE_VALUES], results[NITRO_MAX_FEATURES];
    for (size_t i = 0; i < nitro_relative_num_device_values(relative); i++)
        values[i] = nitro_device_value(device, nitro_relative_device_feature(relative, i));
    nitro_relative_evaluate(relative, features, values, results);
    return results[index];
}

/** Do sources with rows have enough values of it to say more than which source they are? */
static bool tells_devices(const nitro_training_task *task, const nitro_relative *relative,
                          size_t index)
{
    const nitro_dataset *sources = task->sources;
    double seen[NITRO_MIN_DEVICE_VALUES];
    size_t count = 0;
    for (size_t row = 0; row < sources->num_rows && count < NITRO_MIN_DEVICE_VALUES; row++) {
        if (row > 0 && sources->row_device[row] == sources->row_device[row - 1])
            continue;
        double value = find_constant(relative, index, sources->devices[sources->row_device[row]]);
        bool is_new = !isnan(value);
        for (size_t i = 0; i < count; i++)
            is_new = is_new && seen[i] != value;
        if (is_new)
            seen[count++] = value;
    }
    return count == NITRO_MIN_DEVICE_VALUES;
}

static bool keeps_relative(nitro_context *context, const nitro_training_task *task,
                           const nitro_model *model, size_t index)
{
    const char *name = model->schema->relative[index].name, *feature = NULL;
    const nitro_device *lacking = find_lacking(task, model->relative, index, &feature);
    if (lacking && !task->quiet)
        nitro_log(context, NITRO_LOG_WARNING,
                  "relative feature %s is left out for target %s: device feature %s is not known "
                  "of %s",
                  name, task->target->id, feature, lacking->id);
    if (lacking || nitro_relative_needs_input(model->relative, index))
        return !lacking;
    if (task->without_device_alone)
        return false;
    bool tells = tells_devices(task, model->relative, index);
    if (!tells && !task->quiet)
        nitro_log(context, NITRO_LOG_INFO,
                  "relative feature %s is left out for target %s: it tells devices, and sources "
                  "have fewer than %d values of it to learn from",
                  name, task->target->id, NITRO_MIN_DEVICE_VALUES);
    return tells;
}

/** Keep the relative features that all devices have what is needed for, and can be learnt from. */
static nitro_status set_relative(nitro_context *context, const nitro_training_task *task,
                                 nitro_model *model)
{
    bool keep[NITRO_MAX_FEATURES] = {false};
    for (size_t i = 0; task->use_relative && i < model->schema->num_relative; i++)
        keep[i] = keeps_relative(context, task, model, i);
    nitro_schema_keep_relative(model->schema, keep);
    nitro_status status = nitro_model_set_relative(model);
    if (status != NITRO_OK)
        return status;
    for (size_t i = 0; i < nitro_relative_num_device_values(model->relative); i++)
        model->relative_values[i] =
            nitro_device_value(task->target, nitro_relative_device_feature(model->relative, i));
    return NITRO_OK;
}

/* ---- Device features ------------------------------------------------------------------------- */

static nitro_status set_device_features(nitro_context *context, const nitro_training_task *task,
                                        nitro_model *model)
{
    size_t count = task->device_features->count;
    if (count > NITRO_MODEL_MAX_DEVICE_FEATURES)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu device features are chosen, but a model takes at most %d", count,
                          NITRO_MODEL_MAX_DEVICE_FEATURES);
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < count && status == NITRO_OK; i++) {
        const char *name = task->device_features->items[i];
        model->device_values[i] = nitro_device_value(task->target, name);
        status = nitro_string_list_add(context, &model->device_features, name);
    }
    return status;
}

nitro_status nitro_model_set_device(nitro_context *context, const nitro_training_task *task,
                                    nitro_model *model)
{
    nitro_status status = set_relative(context, task, model);
    if (status == NITRO_OK)
        status = set_device_features(context, task, model);
    return status;
}

void nitro_model_clamp_device(nitro_model *model)
{
    for (size_t i = 0; i < model->device_features.count; i++) {
        if (fabs(model->device_columns[i]) <= 1.0)
            continue;
        model->device_columns[i] = copysign(1.0, model->device_columns[i]);
        model->device_values[i] = nitro_scaler_invert(
            &model->columns[nitro_model_first_device(model) + i], model->device_columns[i]);
    }
}

void nitro_model_log_extrapolation(const nitro_model *model, nitro_log_level level)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < model->device_features.count; i++) {
        const nitro_scaler_column *column = &model->columns[nitro_model_first_device(model) + i];
        if (fabs(model->device_columns[i]) <= 1.0 + NITRO_MODEL_TOLERANCE || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (%g; %g to %g)",
                                 used ? ", " : "", model->device_features.items[i],
                                 model->device_values[i], nitro_scaler_invert(column, -1.0),
                                 nitro_scaler_invert(column, 1.0));
    }
    if (used > 0)
        nitro_log(
            model->context, level,
            "target %s lies outside the range of the sources, where a model may choose badly: "
            "%s",
            model->target, names);
}
