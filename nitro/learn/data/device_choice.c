/* Device features that all devices have, their ranges, and selections by name. */
#include "nitro/learn/data/device_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/records/relative.h"
#include "nitro/records/scaler.h"

bool nitro_device_feature_is_usable(const char *name)
{
    const nitro_device_feature_info *info = nitro_device_feature_lookup(name);
    return !info || !info->descriptive;
}

nitro_scale nitro_device_feature_scale(const char *name)
{
    const nitro_device_feature_info *info = nitro_device_feature_lookup(name);
    return info ? info->scale : NITRO_SCALE_AUTO;
}

static nitro_status add_names(nitro_context *context, const nitro_device *device,
                              nitro_string_list *names)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < device->num_features && status == NITRO_OK; i++) {
        const char *name = device->features[i].name;
        if (nitro_device_feature_is_usable(name) &&
            nitro_string_list_find(names, name) == NITRO_NONE)
            status = nitro_string_list_add(context, names, name);
    }
    return status;
}

/** The first device without the feature, or NULL. */
static const nitro_device *find_missing(const nitro_device *const *sources, size_t num_sources,
                                        const nitro_device *target, const char *name)
{
    for (size_t i = 0; i < num_sources; i++)
        if (isnan(nitro_device_value(sources[i], name)))
            return sources[i];
    return isnan(nitro_device_value(target, name)) ? target : NULL;
}

nitro_status nitro_device_candidates(nitro_context *context, const nitro_device *const *sources,
                                     size_t num_sources, const nitro_device *target,
                                     nitro_string_list *candidates)
{
    nitro_string_list names = {0};
    nitro_status status = add_names(context, target, &names);
    for (size_t i = 0; i < num_sources && status == NITRO_OK; i++)
        status = add_names(context, sources[i], &names);
    nitro_string_list_sort(&names);
    for (size_t i = 0; i < names.count && status == NITRO_OK; i++) {
        const nitro_device *without = find_missing(sources, num_sources, target, names.items[i]);
        if (!without)
            status = nitro_string_list_add(context, candidates, names.items[i]);
        else
            nitro_log(context, NITRO_LOG_INFO,
                      "device feature %s is not used for target %s: %s has no value of it",
                      names.items[i], target->id, without->id);
    }
    nitro_string_list_free(&names);
    return status;
}

nitro_status nitro_device_hardware_features(nitro_context *context, const nitro_schema *schema,
                                            const nitro_device *device, nitro_string_list *names)
{
    nitro_relative *relative = NULL;
    nitro_status status = nitro_relative_compile(context, schema, &relative);
    if (status != NITRO_OK)
        return status;
    size_t count = nitro_relative_num_device_values(relative);
    for (size_t i = 0; i < count && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, names, nitro_relative_device_feature(relative, i));
    nitro_relative_free(relative);
    return status == NITRO_OK && names->count == 0 ? add_names(context, device, names) : status;
}

nitro_status nitro_device_excess(nitro_context *context, const nitro_device *const *others,
                                 size_t num_others, const nitro_device *device, const char *name,
                                 double *excess)
{
    const nitro_scale scale = nitro_device_feature_scale(name);
    nitro_scaler_column column;
    double *values = nitro_calloc(context, num_others, sizeof *values);
    if (!values)
        return NITRO_ERR_NO_MEMORY;
    for (size_t i = 0; i < num_others; i++)
        values[i] = nitro_device_value(others[i], name);
    nitro_status status = nitro_scaler_fit(context, values, num_others, 1, &scale, &column);
    if (status == NITRO_OK) /* scaled units: the range is 2 wide */
        *excess = column.high > column.low
                      ? 0.5 * nitro_scaler_excess(&column, nitro_device_value(device, name))
                      : (double)NAN;
    free(values);
    return status;
}

static nitro_status refuse_dfs(nitro_context *context, const char *name)
{
    char known[256] = "";
    for (const nitro_dfs_kind *const *d = nitro_builtin_dfs_kinds(); *d; d++)
        nitro_message_list_add(known, sizeof known, "'%s'", (*d)->name);
    return nitro_fail(context, NITRO_ERR_NOT_FOUND,
                      "unknown device-feature selection '%.80s'; this build has %s",
                      name ? name : "(any)", known);
}

nitro_status nitro_dfs_find(nitro_context *context, const char *name, const nitro_dfs_kind **dfs)
{
    const nitro_dfs_kind *found = NULL;
    for (const nitro_dfs_kind *const *d = nitro_builtin_dfs_kinds(); *d; d++)
        if (name ? strcmp((*d)->name, name) == 0 : !found || (*d)->priority > found->priority)
            found = *d;
    if (!found)
        return refuse_dfs(context, name);
    *dfs = found;
    return NITRO_OK;
}
