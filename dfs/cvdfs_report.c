/* The result of CV-DFS as JSON. */
#include <math.h>

#include "dfs/cvdfs.h"
#include "nitro/base/json.h"

const char *search_reason_for_none(const search *s)
{
    if (s->offered->count == 0)
        return "the sources and the target have no device feature in common";
    if (s->num_sources < LEAST_SOURCES)
        return "there are fewer than three sources: no device feature varies over one training "
               "device";
    if (s->candidates.count == 0)
        return "the target lies outside the sources' range of every device feature, farther than "
               "any source outside the others'";
    if (s->num_targets > 0)
        return NULL;
    return s->effort.num_trained > s->num_sources
               ? "on every validation device the model is better without device features"
               : "no device feature varies over the sources";
}

static json_t *list_names(const nitro_string_list *candidates, uint64_t subset)
{
    json_t *names = json_array();
    for (size_t c = 0; c < candidates->count; c++)
        if (subset >> c & 1)
            nitro_json_append(&names, json_string(candidates->items[c]));
    return names;
}

static json_t *describe_targets(const search *s)
{
    json_t *targets = json_array();
    for (size_t t = 0; t < s->task.sources->num_devices; t++) {
        if (!s->is_source[t])
            continue;
        const validation_device *target = &s->targets[t];
        double quality = search_quality(s, t, target->best);
        double without = search_quality(s, t, NO_FEATURE);
        json_t *made = json_pack("{s:s, s:o, s:I}", "device", s->task.sources->devices[t]->id,
                                 "best", list_names(&s->candidates, s->subsets[target->best]),
                                 "num_best", (json_int_t)target->num_best);
        if (!isnan(quality))
            nitro_json_put(&made, "quality", json_real(quality));
        if (!isnan(without))
            nitro_json_put(&made, "quality_without", json_real(without));
        nitro_json_append(&targets, made);
    }
    return targets;
}

static json_t *describe_features(const search *s)
{
    json_t *features = json_array();
    for (size_t i = 0; i < s->candidates.count; i++) {
        const feature_tally *tally = &s->tallies[i];
        nitro_json_append(&features, json_pack("{s:s, s:f, s:f}", "name",
                                               s->candidates.items[tally->candidate], "votes",
                                               tally->votes, "quality_alone", tally->quality));
    }
    return features;
}

/** Candidates outside the validated range, in widths of the sources' range. */
static json_t *describe_outside_range(const search *s)
{
    json_t *features = json_array();
    for (size_t c = 0; c < s->offered->count; c++)
        if (!s->ranges[c].is_within)
            nitro_json_append(&features,
                              json_pack("{s:s, s:f, s:f}", "name", s->offered->items[c], "outside",
                                        s->ranges[c].target, "tried", s->ranges[c].tried));
    return features;
}

nitro_status search_report(const search *s, const nitro_string_list *chosen, json_t **report)
{
    const nitro_dfs_effort *effort = &s->effort;
    const char *reason = search_reason_for_none(s);
    json_t *names = nitro_json_from_strings(chosen, chosen->count - s->num_chosen);
    json_t *made = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "selection", "cv",
        "chosen", names, "max_subset", (json_int_t)s->task.max_subset, "k", (json_int_t)s->task.k,
        "subsets", (json_int_t)(s->num_subsets - 1), "inputs", (json_int_t)effort->num_inputs,
        "samples", (json_int_t)effort->num_rows, "samples_before",
        (json_int_t)effort->num_candidate_rows, "models", (json_int_t)effort->num_models, "trained",
        (json_int_t)effort->num_trained, "validation_devices", describe_targets(s), "features",
        describe_features(s), "outside_range", describe_outside_range(s));
    if (reason)
        nitro_json_put(&made, "reason", json_string(reason));
    if (!made)
        return nitro_fail(s->context, NITRO_ERR_NO_MEMORY, "out of memory: report of the search");
    *report = made;
    return NITRO_OK;
}
