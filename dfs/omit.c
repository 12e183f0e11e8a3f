/* Device-feature selection "omit": no candidate, for strategies that learn from input features
 * only. */
#include "nitro/nitro_backend.h"

static nitro_status choose_nothing(nitro_context *context, const nitro_dfs_task *task,
                                   nitro_string_list *chosen, struct json_t **report)
{
    (void)context;
    (void)task;
    (void)chosen;
    (void)report;
    return NITRO_OK;
}

const nitro_dfs_kind nitro_dfs_omit = {
    .name = "omit",
    .description = "no device features, only input features",
    .priority = 1,
    .select = choose_nothing,
};
