/* Device-feature selection "none": all candidates, the paper's full set. */
#include "nitro/nitro_backend.h"

static nitro_status choose_all(nitro_context *context, const nitro_dfs_task *task,
                               nitro_string_list *chosen, struct json_t **report)
{
    (void)report;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < task->candidates->count && status == NITRO_OK; i++)
        status = nitro_string_list_add(context, chosen, task->candidates->items[i]);
    return status;
}

const nitro_dfs_kind nitro_dfs_none = {
    .name = "none",
    .description = "no selection: all device features that the sources and the target have",
    .priority = 10,
    .select = choose_all,
};
