/* How far outside the sources' range the target lies, compared with each source and the others. */
#include "dfs/cvdfs_range.h"

#include <math.h>
#include <stdlib.h>

/** How far a source lies outside the range of the others; 0 if those are equal. */
static nitro_status find_validation_excess(nitro_context *context, const nitro_device **sources,
                                           size_t num_sources, size_t validation, const char *name,
                                           double *excess)
{
    const nitro_device *left_out = sources[validation];
    double found = NAN;
    sources[validation] = sources[num_sources - 1];
    nitro_status status =
        nitro_device_excess(context, sources, num_sources - 1, left_out, name, &found);
    sources[validation] = left_out;
    if (status == NITRO_OK)
        *excess = isnan(found) ? 0.0 : found;
    return status;
}

static nitro_status find_range(nitro_context *context, const nitro_device **sources,
                               size_t num_sources, const nitro_device *target, const char *name,
                               dfs_range *range)
{
    dfs_range found = {0};
    double excess = 0.0;
    nitro_status status = nitro_device_excess(context, sources, num_sources, target, name, &excess);
    found.target = isnan(excess) ? 0.0 : excess;
    for (size_t i = 0; status == NITRO_OK && num_sources > 1 && i < num_sources; i++) {
        status = find_validation_excess(context, sources, num_sources, i, name, &excess);
        found.tried = fmax(found.tried, excess);
    }
    found.is_within = found.target <= fmax(found.tried, DFS_NEAR_RANGE);
    if (status == NITRO_OK)
        *range = found;
    return status;
}

nitro_status dfs_range_find(nitro_context *context, const nitro_dfs_task *task,
                            const bool *is_source, dfs_range *ranges)
{
    size_t num_sources = 0;
    nitro_status status = NITRO_OK;
    const nitro_device **sources =
        nitro_calloc(context, task->sources->num_devices, sizeof *sources);
    if (!sources)
        return NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < task->sources->num_devices; d++)
        if (is_source[d])
            sources[num_sources++] = task->sources->devices[d];
    for (size_t c = 0; c < task->candidates->count && status == NITRO_OK; c++)
        status = find_range(context, sources, num_sources, task->target, task->candidates->items[c],
                            &ranges[c]);
    free(sources);
    return status;
}
