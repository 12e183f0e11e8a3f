/*
 * Selection for a device's own samples, by held-out inputs: relative features, input features by
 * their costs, and whether a model is better than one variant for all.
 */
#include <jansson.h>
#include <string.h>

#include "nitro/learn/candidate.h"
#include "nitro/learn/feature_costs.h"
#include "nitro/learn/held_out.h"
#include "nitro/learn/relative_selection.h"

/* ---- Relative features ----------------------------------------------------------------------- */

/** On one device a relative feature is a formula of input features, such as the bytes of a matrix
 *  of so many rows and columns: where that decides, trees take many steps instead. Used if held-out
 *  inputs are chosen for better. */
static nitro_status try_relative(const nitro_selection *s, nitro_candidate *c)
{
    const nitro_training_task *task = s->task;
    const nitro_schema *schema = task->sources->schema;
    nitro_candidate with = {.fit = c->fit};
    size_t num_constant, num_used = 0;
    if (task->use_relative || task->strategy->without_relative || task->sources->num_devices > 1)
        return NITRO_OK;
    for (size_t i = 0; i < schema->num_relative; i++)
        with.fit.relative[i] = true;
    nitro_status status = nitro_relative_select(s->context, task->sources, NITRO_NONE, task->target,
                                                false, with.fit.relative);
    if (status == NITRO_OK)
        status = nitro_relative_drop_constant(s->context, schema, with.fit.relative, &num_constant);
    for (size_t i = 0; i < schema->num_relative; i++)
        num_used += with.fit.relative[i];
    if (status != NITRO_OK || num_used == 0)
        return status;
    status = nitro_candidate_evaluate(s, false, &with);
    if (status != NITRO_OK)
        return status;
    if (with.total < c->total && with.cost < c->cost)
        nitro_candidate_replace(c, &with);
    else
        nitro_model_free(with.model);
    return NITRO_OK;
}

/* ---- Input features -------------------------------------------------------------------------- */

/** Least gain, in units of its cost, of a group that is kept: gains vary between validations by
 * more than features cost, and a useful group that is dropped loses more than a useless one costs.
 */
#define LEAST_GAIN 0.5

/** Try the candidate without a group of features; keep it as the best if it is. */
static nitro_status try_without(const nitro_selection *s, const nitro_candidate *c,
                                nitro_feature_cost *group, nitro_candidate *best)
{
    nitro_candidate without = {.fit = c->fit};
    without.fit.dropped |= group->features;
    nitro_status status = nitro_candidate_evaluate(s, false, &without);
    if (status != NITRO_OK)
        return status;
    double cost = group->cost / NITRO_FEATURE_USES;
    group->gain = without.total - c->total + cost;
    /* A mean of slowdowns follows a few bad choices: the quality must not lose more either. */
    bool is_cheaper = without.cost < c->cost + cost;
    if (is_cheaper && group->gain < LEAST_GAIN * cost && without.total < best->total)
        nitro_candidate_replace(best, &without);
    else
        nitro_model_free(without.model);
    return NITRO_OK;
}

/** Drop the group whose omission shortens a run most, and so on until none does. */
static nitro_status drop_features(const nitro_selection *s, nitro_feature_cost *groups,
                                  size_t count, nitro_candidate *c)
{
    nitro_status status = NITRO_OK;
    bool is_better = true;
    while (is_better && status == NITRO_OK) {
        nitro_candidate best = {.total = c->total};
        uint64_t used = nitro_model_used_features(c->model);
        for (size_t g = 0; g < count && status == NITRO_OK; g++)
            if (groups[g].features & used && groups[g].cost >= NITRO_LEAST_FEATURE_COST)
                status = try_without(s, c, &groups[g], &best);
        is_better = status == NITRO_OK && best.model;
        if (is_better)
            nitro_candidate_replace(c, &best);
        else
            nitro_model_free(best.model);
    }
    return status;
}

/** Features that cost more than they gain are not used. */
static nitro_status select_features(const nitro_selection *s, nitro_candidate *c)
{
    nitro_feature_cost groups[NITRO_MAX_FEATURES];
    size_t count = nitro_feature_costs_find(c->fit.sources, groups);
    if (count == 0)
        return NITRO_OK;
    nitro_status status = drop_features(s, groups, count, c);
    if (status != NITRO_OK || !s->task->feature_report)
        return status;
    json_t *report = nitro_feature_costs_json(c->fit.sources->schema, groups, count,
                                              nitro_model_used_features(c->model));
    if (!report)
        return nitro_fail(s->context, NITRO_ERR_NO_MEMORY, "out of memory: costs of features");
    *s->task->feature_report = report;
    return NITRO_OK;
}

/* ---- Choice ---------------------------------------------------------------------------------- */

/** A model of a device's own samples must not be slower than always running one variant: if that
 *  takes less time on held-out inputs, and its quality does not lose more than that, the model
 *  chooses it for all. */
static nitro_status replace_by_fixed(const nitro_selection *s, nitro_candidate *c)
{
    nitro_candidate fixed = {.fit = c->fit};
    const nitro_held_out *learnt = c->model->held_out;
    if (learnt->num_rows == 0 || learnt->model.time <= learnt->best_fixed.time)
        return NITRO_OK;
    fixed.fit.is_fixed = true;
    fixed.fit.dropped = UINT64_MAX;
    memset(fixed.fit.relative, 0, sizeof fixed.fit.relative);
    nitro_status status = nitro_candidate_evaluate(s, false, &fixed);
    if (status != NITRO_OK)
        return status;
    if (fixed.cost >= c->cost) {
        nitro_model_free(fixed.model);
        return NITRO_OK;
    }
    fixed.model->held_out->replaced = learnt->model;
    if (s->logs)
        nitro_log(s->context, NITRO_LOG_INFO,
                  "%s for %s: the model chooses %s for all inputs, which takes %.2f times the best "
                  "variants' time on held-out inputs; a learnt one takes %.2f times",
                  fixed.model->schema->computation, s->task->target->id,
                  fixed.model->schema->variants[learnt->fixed], learnt->best_fixed.time,
                  learnt->model.time);
    nitro_candidate_replace(c, &fixed);
    return NITRO_OK;
}

nitro_status nitro_select_own(const nitro_selection *s, nitro_candidate *c)
{
    nitro_status status = try_relative(s, c);
    if (status == NITRO_OK)
        status = select_features(s, c);
    if (status == NITRO_OK)
        status = replace_by_fixed(s, c);
    return status;
}
