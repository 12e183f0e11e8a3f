/* Device-feature selection "both": P-DFS narrows the candidates, and CV-DFS chooses among those. */
#include <jansson.h>

#include "nitro/nitro_backend.h"

/** The choice of P-DFS, in the candidates' order; all candidates if it chose none. */
static nitro_status narrow(nitro_context *context, const nitro_dfs_task *task,
                           nitro_string_list *narrowed, json_t **report)
{
    const nitro_dfs_kind *profile = NULL;
    nitro_string_list found = {0};
    nitro_status status = nitro_dfs_find(context, "profile", &profile);
    if (status == NITRO_OK)
        status = profile->select(context, task, &found, report);
    if (status == NITRO_OK && found.count == 0)
        nitro_log(context, NITRO_LOG_WARNING,
                  "device-feature selection by profiles chose none of %zu candidates: the search "
                  "uses all of them",
                  task->candidates->count);
    for (size_t i = 0; status == NITRO_OK && i < task->candidates->count; i++)
        if (found.count == 0 ||
            nitro_string_list_find(&found, task->candidates->items[i]) != NITRO_NONE)
            status = nitro_string_list_add(context, narrowed, task->candidates->items[i]);
    nitro_string_list_free(&found);
    return status;
}

static nitro_status select_by_both(nitro_context *context, const nitro_dfs_task *task,
                                   nitro_string_list *chosen, struct json_t **report)
{
    const nitro_dfs_kind *cv = NULL;
    nitro_string_list narrowed = {0};
    nitro_dfs_task search = *task;
    json_t *of_profiles = NULL, *of_search = NULL;
    search.candidates = &narrowed;
    nitro_status status = narrow(context, task, &narrowed, &of_profiles);
    if (status == NITRO_OK)
        status = nitro_dfs_find(context, "cv", &cv);
    if (status == NITRO_OK)
        status = cv->select(context, &search, chosen, report ? &of_search : NULL);
    if (status == NITRO_OK && report) {
        *report = json_pack("{s:s, s:O*, s:O*}", "selection", "both", "profile", of_profiles, "cv",
                            of_search);
        if (!*report)
            status = nitro_fail(context, NITRO_ERR_NO_MEMORY, "out of memory: report of dfs both");
    }
    json_decref(of_profiles);
    json_decref(of_search);
    nitro_string_list_free(&narrowed);
    return status;
}

const nitro_dfs_kind nitro_dfs_both = {
    .name = "both",
    .description = "profiles narrow the candidates, a search chooses among those",
    .priority = 4,
    .select = select_by_both,
};
