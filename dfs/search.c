/*
 * Device-feature selection "cv": the paper's Algorithm 2, CV-DFS. Every source in turn is pretend
 * target, every subset of up to max_subset candidates is judged there, and the k device features
 * that occur most often in the pretend targets' best subsets are chosen.
 *
 *   which subsets     at least one of its features varies over the sources that teach; without one
 *                     the model would be that of no device feature at all
 *   the best subset   the highest mean quality; of equals, the one of fewer features, then the
 * first in the candidates' order most often        of equals, the one that alone has the higher
 * quality, meant over the pretend targets; then the first in the candidates' order
 *
 * With fewer than three sources nothing is chosen: while one is pretend target, no device feature
 * varies over the rest, and what does not vary says nothing.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "nitro/nitro_backend.h"

#define MOST_SUBSETS 50000
#define NO_FEATURE   0 /* index of the empty subset: what the others are compared with in reports */

typedef struct feature_tally {
    size_t candidate, votes;
    double quality; /* alone, in percent, meant over the pretend targets */
} feature_tally;

typedef struct search {
    nitro_context *context;
    const nitro_dfs_task *task;
    size_t num_sources; /* devices of the dataset that have samples there */
    bool *is_source;    /* shape [num_devices] */
    size_t num_subsets;
    uint64_t *subsets;  /* shape [num_subsets]: by size, then in the candidates' order */
    double *qualities;  /* shape [num_devices x num_subsets] */
    size_t *best;       /* shape [num_devices]: of the subsets; NO_FEATURE: none */
    size_t num_targets; /* pretend targets with a best subset */
    size_t num_chosen;
    feature_tally *tallies; /* shape [num_candidates], the most frequent first */
    nitro_dfs_effort effort;
} search;

/* ---- Subsets ------------------------------------------------------------------------------- */

/** How many subsets there are; more than MOST_SUBSETS where they are too many. */
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
    for (size_t c = first; c + size <= s->task->candidates->count; c++)
        list_subsets(s, size - 1, c + 1, chosen | UINT64_C(1) << c);
}

static nitro_status check_task(nitro_context *context, const nitro_dfs_task *task)
{
    size_t count = task->candidates->count;
    if (task->max_subset < 1 || task->k < 1)
        return nitro_fail(
            context, NITRO_ERR_ARGUMENT,
            "a search for device features needs subsets of at least one, and at least "
            "one to choose: max_subset is %zu and k is %zu",
            task->max_subset, task->k);
    if (count > NITRO_DFS_MAX_CANDIDATES || count_subsets(count, task->max_subset) > MOST_SUBSETS)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%zu device features have too many subsets of up to %zu: at most %d can "
                          "be searched; try smaller ones",
                          count, task->max_subset, MOST_SUBSETS);
    return NITRO_OK;
}

static nitro_status begin(nitro_context *context, const nitro_dfs_task *task, search *s)
{
    nitro_status status = check_task(context, task);
    if (status != NITRO_OK)
        return status;
    size_t num_candidates = task->candidates->count, num_devices = task->sources->num_devices;
    size_t count = count_subsets(num_candidates, task->max_subset);
    *s = (search){.context = context, .task = task};
    s->subsets = nitro_calloc(context, count, sizeof *s->subsets);
    s->qualities = nitro_calloc(context, num_devices, count * sizeof *s->qualities);
    s->best = nitro_calloc(context, num_devices, sizeof *s->best);
    s->tallies = nitro_calloc(context, num_candidates + 1, sizeof *s->tallies);
    s->is_source = nitro_calloc(context, num_devices, sizeof *s->is_source);
    if (!s->is_source || !s->subsets || !s->qualities || !s->best || !s->tallies)
        return NITRO_ERR_NO_MEMORY;
    for (size_t size = 0; size <= task->max_subset && size <= num_candidates; size++)
        list_subsets(s, size, 0, 0);
    for (size_t row = 0; row < task->sources->num_rows; row++)
        s->is_source[task->sources->row_device[row]] = true;
    for (size_t d = 0; d < num_devices; d++)
        s->num_sources += s->is_source[d];
    return NITRO_OK;
}

static void end(search *s)
{
    free(s->is_source);
    free(s->subsets);
    free(s->qualities);
    free(s->best);
    free(s->tallies);
}

/* ---- Choosing ------------------------------------------------------------------------------ */

static double value_of(const search *s, size_t device, size_t candidate)
{
    return nitro_device_value(s->task->sources->devices[device],
                              s->task->candidates->items[candidate]);
}

/** Candidates that are not the same on all sources but this one. */
static uint64_t find_varying(const search *s, size_t pretend)
{
    uint64_t varying = 0;
    size_t first = NITRO_NONE;
    for (size_t d = 0; d < s->task->sources->num_devices; d++) {
        if (!s->is_source[d] || d == pretend)
            continue;
        first = first == NITRO_NONE ? d : first;
        for (size_t c = 0; c < s->task->candidates->count; c++)
            if (value_of(s, d, c) != value_of(s, first, c))
                varying |= UINT64_C(1) << c;
    }
    return varying;
}

static double quality_of(const search *s, size_t pretend, size_t subset)
{
    return s->qualities[pretend * s->num_subsets + subset];
}

/** Subsets come in the order that ties ask for. */
static size_t find_best(const search *s, size_t pretend)
{
    uint64_t varying = find_varying(s, pretend);
    size_t best = NO_FEATURE;
    for (size_t i = NO_FEATURE + 1; i < s->num_subsets; i++)
        if ((s->subsets[i] & varying) && !isnan(quality_of(s, pretend, i)) &&
            (best == NO_FEATURE || quality_of(s, pretend, i) > quality_of(s, pretend, best)))
            best = i;
    return best;
}

/** Subsets of one feature follow that of none, in the candidates' order. */
static double quality_alone(const search *s, size_t candidate)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t t = 0; t < s->task->sources->num_devices; t++) {
        double quality = quality_of(s, t, NO_FEATURE + 1 + candidate);
        sum += isnan(quality) ? 0.0 : quality;
        count += isnan(quality) ? 0 : 1;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static int compare_tallies(const void *left, const void *right)
{
    const feature_tally *a = left, *b = right;
    if (a->votes != b->votes)
        return a->votes > b->votes ? -1 : 1;
    if (a->quality != b->quality)
        return a->quality > b->quality ? -1 : 1;
    return a->candidate < b->candidate ? -1 : 1;
}

static void choose(search *s)
{
    size_t num_candidates = s->task->candidates->count;
    for (size_t c = 0; c < num_candidates; c++)
        s->tallies[c] = (feature_tally){.candidate = c, .quality = quality_alone(s, c)};
    for (size_t t = 0; t < s->task->sources->num_devices; t++) {
        s->best[t] = find_best(s, t);
        s->num_targets += s->best[t] != NO_FEATURE;
        for (size_t c = 0; c < num_candidates; c++)
            s->tallies[c].votes += s->subsets[s->best[t]] >> c & 1;
    }
    if (num_candidates > 1)
        qsort(s->tallies, num_candidates, sizeof *s->tallies, compare_tallies);
    while (s->num_chosen < num_candidates && s->num_chosen < s->task->k &&
           s->tallies[s->num_chosen].votes > 0)
        s->num_chosen++;
}

static nitro_status add_chosen(const search *s, nitro_string_list *chosen)
{
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < s->num_chosen && status == NITRO_OK; i++)
        status = nitro_string_list_add(s->context, chosen,
                                       s->task->candidates->items[s->tallies[i].candidate]);
    return status;
}

/* ---- Telling ------------------------------------------------------------------------------- */

static const char *reason_for_none(const search *s)
{
    if (s->task->candidates->count == 0)
        return "the sources and the target have no device feature in common";
    if (s->num_sources < 3)
        return "there are fewer than three sources: with one as pretend target, no device feature "
               "varies over the rest";
    return s->num_targets == 0 ? "no device feature varies over the sources" : NULL;
}

static json_t *list_names(const nitro_string_list *candidates, uint64_t subset)
{
    json_t *names = json_array();
    for (size_t c = 0; c < candidates->count; c++)
        if (subset >> c & 1)
            json_array_append_new(names, json_string(candidates->items[c]));
    return names;
}

static json_t *describe_targets(const search *s)
{
    json_t *targets = json_array();
    for (size_t t = 0; t < s->task->sources->num_devices; t++) {
        if (!s->is_source[t])
            continue;
        double quality = quality_of(s, t, s->best[t]), without = quality_of(s, t, NO_FEATURE);
        json_t *target = json_pack("{s:s, s:o}", "device", s->task->sources->devices[t]->id, "best",
                                   list_names(s->task->candidates, s->subsets[s->best[t]]));
        if (!isnan(quality))
            json_object_set_new(target, "quality", json_real(quality));
        if (!isnan(without))
            json_object_set_new(target, "quality_without", json_real(without));
        json_array_append_new(targets, target);
    }
    return targets;
}

static json_t *describe_features(const search *s)
{
    json_t *features = json_array();
    for (size_t i = 0; i < s->task->candidates->count; i++) {
        const feature_tally *tally = &s->tallies[i];
        json_array_append_new(features,
                              json_pack("{s:s, s:I, s:f}", "name",
                                        s->task->candidates->items[tally->candidate], "votes",
                                        (json_int_t)tally->votes, "quality_alone", tally->quality));
    }
    return features;
}

static nitro_status write_report(const search *s, const nitro_string_list *chosen, json_t **report)
{
    const nitro_dfs_effort *effort = &s->effort;
    const char *reason = reason_for_none(s);
    json_t *names = json_array();
    for (size_t i = chosen->count - s->num_chosen; i < chosen->count; i++)
        json_array_append_new(names, json_string(chosen->items[i]));
    json_t *made =
        json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "selection", "cv",
                  "chosen", names, "max_subset", (json_int_t)s->task->max_subset, "k",
                  (json_int_t)s->task->k, "subsets", (json_int_t)(s->num_subsets - 1), "inputs",
                  (json_int_t)effort->num_inputs, "samples", (json_int_t)effort->num_rows,
                  "samples_before", (json_int_t)effort->num_candidate_rows, "models",
                  (json_int_t)effort->num_models, "trained", (json_int_t)effort->num_trained,
                  "pretend_targets", describe_targets(s), "features", describe_features(s));
    if (!made || (reason && json_object_set_new(made, "reason", json_string(reason)) != 0)) {
        json_decref(made);
        return nitro_fail(s->context, NITRO_ERR_NO_MEMORY, "out of memory: report of the search");
    }
    *report = made;
    return NITRO_OK;
}

static void say(const search *s, double elapsed_ms)
{
    const char *reason = reason_for_none(s);
    if (reason)
        nitro_log(s->context, NITRO_LOG_WARNING,
                  "search for device features: %s; none is chosen, the model learns from input "
                  "features alone",
                  reason);
    else if (s->num_chosen < s->task->k)
        nitro_log(s->context, NITRO_LOG_WARNING,
                  "search for device features: %zu are chosen instead of %zu, no other occurs in a "
                  "best subset",
                  s->num_chosen, s->task->k);
    nitro_log(s->context, NITRO_LOG_INFO,
              "search for device features: %zu subsets on %zu pretend targets, %zu of %zu models "
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
        status = nitro_dfs_judge(context, task, s.subsets, s.num_subsets, s.qualities, &s.effort);
    if (status == NITRO_OK) {
        choose(&s);
        status = add_chosen(&s, chosen);
    }
    if (status == NITRO_OK)
        say(&s, nitro_clock_wall_ms(context) - begin_ms);
    if (status == NITRO_OK && report)
        status = write_report(&s, chosen, report);
    end(&s);
    return status;
}

const nitro_dfs_kind nitro_dfs_cv = {
    .name = "cv",
    .description = "search by cross-validation over the sources (the paper's CV-DFS)",
    .priority = 5,
    .select = select_by_search,
};
