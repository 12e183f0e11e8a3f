/* Relative features need device features that the devices have, and enough different values. */
#include "nitro/learn/relative_selection.h"

#include <math.h>

#include "nitro/records/relative.h"

/** One selection; all borrowed. */
typedef struct relative_selection {
    nitro_context *context;
    const nitro_dataset *sources;
    size_t source; /* NITRO_NONE: all */
    const nitro_device *target;
    const nitro_relative *relative;
    bool logs;
} relative_selection;

static bool begins_device(const nitro_dataset *sources, size_t row)
{
    return row == 0 || sources->row_device[row] != sources->row_device[row - 1];
}

/** The first source with rows, or the target, that lacks a device feature of the formula. */
static const nitro_device *find_lacking(const relative_selection *s, size_t index,
                                        const char **feature)
{
    const nitro_dataset *sources = s->sources;
    for (size_t i = 0; i < nitro_relative_num_device_values(s->relative); i++) {
        *feature = nitro_relative_device_feature(s->relative, i);
        if (!nitro_relative_needs(s->relative, index, i))
            continue;
        if (isnan(nitro_device_value(s->target, *feature)))
            return s->target;
        for (size_t row = 0; row < sources->num_rows; row++) {
            const nitro_device *device = sources->devices[sources->row_device[row]];
            if (begins_device(sources, row) &&
                (s->source == NITRO_NONE || s->source == sources->row_device[row]) &&
                isnan(nitro_device_value(device, *feature)))
                return device;
        }
    }
    return NULL;
}

/** The value on a device of a formula without input features. */
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

static bool has_enough_values(const relative_selection *s, size_t index)
{
    const nitro_dataset *sources = s->sources;
    double seen[NITRO_MIN_DEVICE_VALUES];
    size_t count = 0;
    for (size_t row = 0; row < sources->num_rows && count < NITRO_MIN_DEVICE_VALUES; row++) {
        if (!begins_device(sources, row))
            continue;
        double value =
            find_constant(s->relative, index, sources->devices[sources->row_device[row]]);
        bool is_new = !isnan(value);
        for (size_t i = 0; i < count; i++)
            is_new = is_new && seen[i] != value;
        if (is_new)
            seen[count++] = value;
    }
    return count == NITRO_MIN_DEVICE_VALUES;
}

static bool can_use(const relative_selection *s, size_t index)
{
    const char *name = s->sources->schema->relative[index].name, *feature = NULL;
    const nitro_device *lacking = find_lacking(s, index, &feature);
    if (lacking && s->logs)
        nitro_log(s->context, NITRO_LOG_WARNING,
                  "relative feature %s is not used for target %s: device feature %s is not known "
                  "of %s",
                  name, s->target->id, feature, lacking->id);
    if (lacking || nitro_relative_needs_input(s->relative, index))
        return !lacking;
    bool enough = has_enough_values(s, index);
    if (!enough && s->logs)
        nitro_log(s->context, NITRO_LOG_INFO,
                  "relative feature %s is not used for target %s: it is constant on each device, "
                  "and the sources have fewer than %d different values",
                  name, s->target->id, NITRO_MIN_DEVICE_VALUES);
    return enough;
}

nitro_status nitro_relative_select(nitro_context *context, const nitro_dataset *sources,
                                   size_t source, const nitro_device *target, bool logs, bool *keep)
{
    nitro_relative *relative = NULL;
    nitro_status status = nitro_relative_compile(context, sources->schema, &relative);
    if (status != NITRO_OK)
        return status;
    const relative_selection selection = {context, sources, source, target, relative, logs};
    for (size_t i = 0; i < sources->schema->num_relative; i++)
        keep[i] = keep[i] && can_use(&selection, i);
    nitro_relative_free(relative);
    return NITRO_OK;
}

nitro_status nitro_relative_drop_constant(nitro_context *context, const nitro_schema *schema,
                                          bool *keep, size_t *num_dropped)
{
    nitro_relative *relative = NULL;
    nitro_status status = nitro_relative_compile(context, schema, &relative);
    if (status != NITRO_OK)
        return status;
    *num_dropped = 0;
    for (size_t i = 0; i < schema->num_relative; i++)
        if (keep[i] && !nitro_relative_needs_input(relative, i)) {
            keep[i] = false;
            ++*num_dropped;
        }
    nitro_relative_free(relative);
    return NITRO_OK;
}
