/*
 * Device-feature selection "cv": CV-DFS, algorithm 2 of Muralidharan, Roy, Hall, Garland and Rai:
 * Architecture-Adaptive Code Variant Tuning, ASPLOS 2016. Each source in turn is validation device,
 * each subset of up to max_subset candidates is evaluated there, and the k device features that
 * occur most often in the best subsets are chosen. Beyond the paper:
 *
 * - Candidates: the target lies at most one width of the sources' range outside that range, or no
 *   farther than some source lies outside the range of the others. Longer extrapolation was not
 *   validated.
 * - Subsets: all their features vary over the training devices; the empty subset takes part.
 * - Quality: the mean over a grid of C and gamma, so that a lucky choice of them does not count.
 * - Best subsets: within 2 points of the highest quality on the validation device and, of these,
 *   within 2 points of the highest mean over all validation devices. On one device, irrelevant
 *   features may be as good by chance.
 * - Votes: each validation device has one, which its best subsets share. Ties: the feature in which
 *   the target is less far outside the sources' range, then the higher mean quality as the only
 *   feature, then the candidates' order.
 *
 * With fewer than three sources nothing is chosen: no device feature varies over one training
 * device.
 */
#include "dfs/cvdfs.h"

#include <math.h>
#include <stdlib.h>

#define MOST_SUBSETS 50000
#define NEAR_RANGE   1.0 /* distance from the range that is always allowed, in widths of it */

/** The number of subsets, at most MOST_SUBSETS + 1. */
static size_t count_subsets(size_t num_candidates, size_t max_subset)
{
    double count = 1.0, of_size = 1.0;
    for (size_t size = 1; size <= max_subset && size <= num_candidates; size++) {
        of_size *= (double)(num_candidates - size + 1) / (double)size;
        count += of_size;
    }
    return count > MOST_SUBSETS ? MOST_SUBSETS + 1 : (size_t)(count + 0.5);
}

/** Append the subsets of `size` candidates from `first` on, with those of `chosen`. */
static void list_subsets(search *s, size_t size, size_t first, uint64_t chosen)
{
    if (size == 0) {
        s->subsets[s->num_subsets++] = chosen;
        return;
    }
    for (size_t c = first; c + size <= s->candidates.count; c++)
        list_subsets(s, size - 1, c + 1, chosen | UINT64_C(1) << c);
}

static nitro_status check_task(nitro_context *context, const nitro_dfs_task *task)
{
    size_t count = task->candidates->count;
    if (task->max_subset < 1 || task->k < 1)
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "device-feature selection: max_subset is %zu and k is %zu, but both must be at least 1",
            task->max_subset, task->k);
    if (count > NITRO_DFS_MAX_CANDIDATES)
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "%zu device features are too many to search, the limit is %d: let profiles narrow them "
            "(dfs both), or use none (dfs omit)",
            count, NITRO_DFS_MAX_CANDIDATES);
    if (count_subsets(count, task->max_subset) > MOST_SUBSETS)
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "%zu device features have too many subsets of up to %zu: the limit is %d; "
            "choose a smaller max_subset",
            count, task->max_subset, MOST_SUBSETS);
    return NITRO_OK;
}

/** How far a source lies outside the range of the others; 0 if those are equal. */
static nitro_status find_validation_excess(nitro_context *context, const nitro_device **sources,
                                           size_t num_sources, size_t validation, const char *name,
                                           double *excess)
{
    const nitro_device *validation_source = sources[validation];
    double found = NAN;
    sources[validation] = sources[num_sources - 1];
    nitro_status status =
        nitro_device_excess(context, sources, num_sources - 1, validation_source, name, &found);
    sources[validation] = validation_source;
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
    found.is_within = found.target <= fmax(found.tried, NEAR_RANGE);
    if (status == NITRO_OK)
        *range = found;
    return status;
}

static nitro_status find_ranges(nitro_context *context, const nitro_dfs_task *task,
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

static nitro_status allocate(search *s)
{
    size_t num_candidates = s->offered->count, num_devices = s->task.sources->num_devices;
    size_t count = count_subsets(num_candidates, s->task.max_subset);
    s->subsets = nitro_calloc(s->context, count, sizeof *s->subsets);
    s->qualities = nitro_calloc(s->context, num_devices, count * sizeof *s->qualities);
    s->varying = nitro_calloc(s->context, num_devices, sizeof *s->varying);
    s->means = nitro_calloc(s->context, count, sizeof *s->means);
    s->targets = nitro_calloc(s->context, num_devices, sizeof *s->targets);
    s->tallies = nitro_calloc(s->context, num_candidates + 1, sizeof *s->tallies);
    s->ranges = nitro_calloc(s->context, num_candidates + 1, sizeof *s->ranges);
    s->is_source = nitro_calloc(s->context, num_devices, sizeof *s->is_source);
    bool good = s->subsets && s->qualities && s->varying && s->means && s->targets && s->tallies &&
                s->ranges && s->is_source;
    return good ? NITRO_OK : NITRO_ERR_NO_MEMORY;
}

/** Keep the candidates within range; all with too few sources to tell. */
static nitro_status find_candidates(search *s)
{
    nitro_status status = NITRO_OK;
    for (size_t c = 0; c < s->offered->count; c++)
        s->ranges[c].is_within = true;
    if (s->num_sources >= LEAST_SOURCES)
        status = find_ranges(s->context, &s->task, s->is_source, s->ranges);
    for (size_t c = 0; c < s->offered->count && status == NITRO_OK; c++) {
        const char *name = s->offered->items[c];
        if (s->ranges[c].is_within)
            status = nitro_string_list_add(s->context, &s->candidates, name);
        else
            nitro_log(s->context, NITRO_LOG_INFO,
                      "search for device features: %s is not a candidate: target %s lies %.2g "
                      "ranges outside the sources' range, and no source more than %.2g outside the "
                      "others'",
                      name, s->task.target->id, s->ranges[c].target, s->ranges[c].tried);
    }
    return status;
}

static nitro_status begin(nitro_context *context, const nitro_dfs_task *task, search *s)
{
    *s = (search){.context = context, .task = *task, .offered = task->candidates};
    nitro_status status = check_task(context, task);
    if (status == NITRO_OK)
        status = allocate(s);
    for (size_t row = 0; status == NITRO_OK && row < task->sources->num_rows; row++)
        s->is_source[task->sources->row_device[row]] = true;
    for (size_t d = 0; status == NITRO_OK && d < task->sources->num_devices; d++)
        s->num_sources += s->is_source[d];
    if (status == NITRO_OK)
        status = find_candidates(s);
    s->task.candidates = &s->candidates;
    size_t most = task->max_subset < s->candidates.count ? task->max_subset : s->candidates.count;
    for (size_t size = 0; status == NITRO_OK && size <= most; size++)
        list_subsets(s, size, 0, 0);
    return status;
}

static void end(search *s)
{
    nitro_string_list_free(&s->candidates);
    free(s->is_source);
    free(s->ranges);
    free(s->subsets);
    free(s->qualities);
    free(s->varying);
    free(s->means);
    free(s->targets);
    free(s->tallies);
}

static nitro_status add_chosen(const search *s, nitro_string_list *chosen)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < s->num_chosen && status == NITRO_OK; i++)
        status =
            nitro_string_list_add(s->context, chosen, s->candidates.items[s->tallies[i].candidate]);
    return status;
}

static void log_result(const search *s, double elapsed_ms)
{
    const char *reason = search_reason_for_none(s);
    if (reason)
        nitro_log(s->context, NITRO_LOG_WARNING,
                  "search for device features: %s; none is chosen, the model uses only "
                  "input features",
                  reason);
    else if (s->num_chosen < s->task.k)
        nitro_log(s->context, NITRO_LOG_WARNING,
                  "search for device features: %zu are chosen instead of %zu: no other occurs in a "
                  "best subset",
                  s->num_chosen, s->task.k);
    nitro_log(
        s->context, NITRO_LOG_INFO,
        "search for device features: %zu subsets on %zu validation devices, %zu of %zu models "
        "trained, %zu samples of %zu, in %.1f s",
        s->num_subsets - 1, s->num_targets, s->effort.num_trained, s->effort.num_models,
        s->effort.num_rows, s->effort.num_candidate_rows, elapsed_ms / 1000.0);
}

static nitro_status select_by_search(nitro_context *context, const nitro_dfs_task *task,
                                     nitro_string_list *chosen, struct json_t **report)
{
    search s = {0};
    double begin_ms = nitro_clock_wall_ms(context);
    nitro_status status = begin(context, task, &s);
    if (status == NITRO_OK)
        status = nitro_dfs_judge(context, &s.task, s.subsets, s.num_subsets, s.qualities, s.varying,
                                 &s.effort);
    if (status == NITRO_OK) {
        search_vote(&s);
        status = add_chosen(&s, chosen);
    }
    if (status == NITRO_OK)
        log_result(&s, nitro_clock_wall_ms(context) - begin_ms);
    if (status == NITRO_OK && report)
        status = search_report(&s, chosen, report);
    end(&s);
    return status;
}

const nitro_dfs_kind nitro_dfs_cv = {
    .name = "cv",
    .description = "search by cross-validation over the sources (the paper's CV-DFS)",
    .priority = 5,
    .select = select_by_search,
};
