/*
 * Evaluates input features. Each thread takes the next group that none has begun; of several
 * failures the first in declared order is reported.
 */
#include "nitro/runtime/feature_evaluation.h"
#include "nitro/base/require.h"

#include <math.h>

#include "nitro/base/finite.h"
#include "nitro/runtime/computation.h"

/* Minimum gain from the pool, since waking a thread takes some microseconds. */
#define WORTH_HELPING_NS 20000.0

static const nitro_feature_group *group_of(const nitro_feature_evaluation *evaluation, size_t place)
{
    return &evaluation->computation->groups[evaluation->groups[place]];
}

static double declared_cost_ns(const nitro_computation *computation,
                               const nitro_feature_group *group)
{
    double sum = 0.0;
    for (size_t f = group->first; f < group->first + group->count; f++)
        sum += computation->feature_costs_ns[f];
    return sum;
}

static uint64_t features_of(const nitro_feature_group *group)
{
    return UINT64_MAX >> (64 - group->count) << group->first;
}

uint64_t nitro_computation_expensive_features(const nitro_computation *computation)
{
    uint64_t expensive = 0;
    for (size_t g = 0; g < computation->num_groups; g++)
        if (declared_cost_ns(computation, &computation->groups[g]) > 0)
            expensive |= features_of(&computation->groups[g]);
    return expensive;
}

uint64_t nitro_computation_whole_groups(const nitro_computation *computation, uint64_t features)
{
    uint64_t whole = 0;
    for (size_t g = 0; g < computation->num_groups; g++)
        if (features_of(&computation->groups[g]) & features)
            whole |= features_of(&computation->groups[g]);
    return whole;
}

void nitro_feature_evaluation_init(nitro_feature_evaluation *evaluation,
                                   const nitro_computation *computation, void *argument,
                                   uint64_t needed)
{
    evaluation->computation = computation;
    evaluation->argument = argument;
    evaluation->pool = NULL;
    evaluation->num_wanted = evaluation->num_helping = evaluation->num_groups = 0;
    atomic_init(&evaluation->deadline_ms, INFINITY);
    atomic_init(&evaluation->next, 0);
    atomic_init(&evaluation->is_over, false);
    for (size_t f = 0; f < computation->schema->num_features; f++)
        evaluation->values[f] = 0.0;
    for (size_t g = 0; g < computation->num_groups; g++)
        if (features_of(&computation->groups[g]) & needed)
            evaluation->groups[evaluation->num_groups++] = (uint8_t)g;
    for (size_t i = 0; i < evaluation->num_groups; i++)
        evaluation->failures[i] = 0;
}

bool nitro_feature_evaluation_is_worth_helping(const nitro_feature_evaluation *evaluation)
{
    double sum = 0.0, largest = 0.0;
    for (size_t i = 0; i < evaluation->num_groups; i++) {
        double cost = declared_cost_ns(evaluation->computation, group_of(evaluation, i));
        sum += cost;
        largest = fmax(largest, cost);
    }
    return sum - largest > WORTH_HELPING_NS;
}

static bool is_in_time(nitro_feature_evaluation *evaluation, const nitro_feature_group *group)
{
    double deadline_ms = evaluation->deadline_ms;
    if (isinf(deadline_ms))
        return true;
    double end_ms = nitro_clock_wall_ms(evaluation->computation->context) +
                    declared_cost_ns(evaluation->computation, group) / 1e6;
    return end_ms <= deadline_ms;
}

void nitro_feature_evaluation_work(nitro_feature_evaluation *evaluation)
{
    size_t i;
    while ((i = atomic_fetch_add(&evaluation->next, 1)) < evaluation->num_groups) {
        const nitro_feature_group *group = group_of(evaluation, i);
        if (evaluation->is_over || !is_in_time(evaluation, group))
            evaluation->is_over = true;
        else
            evaluation->failures[i] = group->evaluate(
                evaluation->argument, evaluation->values + group->first, group->user);
        if (evaluation->failures[i]) /* earlier groups were begun, so the first failure is found */
            evaluation->next = evaluation->num_groups;
    }
}

void nitro_feature_evaluation_begin(nitro_feature_evaluation *evaluation, nitro_thread_pool *pool,
                                    size_t num_pool_threads)
{
    if (!nitro_thread_pool_is_running(pool))
        return;
    evaluation->pool = pool;
    nitro_thread_pool_offer(pool, evaluation,
                            num_pool_threads < evaluation->num_groups ? num_pool_threads
                                                                      : evaluation->num_groups);
}

static nitro_status fail_group(const nitro_computation *computation,
                               const nitro_feature_group *group, const void *argument, int failure)
{
    const char *why = nitro_computation_problem(computation, argument);
    return nitro_fail(
        computation->context, NITRO_ERR_BAD_FEATURE,
        "%s: the function of feature %s failed with %d%s%s", computation->schema->computation,
        computation->schema->features[group->first].name, failure, why[0] ? ": " : "", why);
}

nitro_status nitro_computation_require_finite(const nitro_computation *computation,
                                              const double *values)
{
    const nitro_schema *schema = computation->schema;
    if (nitro_all_finite(values, schema->num_features))
        return NITRO_OK;
    for (size_t f = 0; f < schema->num_features; f++)
        if (!isfinite(values[f]))
            return nitro_fail(computation->context, NITRO_ERR_BAD_FEATURE,
                              "%s: feature %s is %g for this input; features must be finite",
                              schema->computation, schema->features[f].name, values[f]);
    return NITRO_OK;
}

static nitro_status check(const nitro_feature_evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->num_groups; i++)
        if (evaluation->failures[i])
            return fail_group(evaluation->computation, group_of(evaluation, i),
                              evaluation->argument, evaluation->failures[i]);
    return nitro_computation_require_finite(evaluation->computation, evaluation->values);
}

nitro_status nitro_feature_evaluation_finish(nitro_feature_evaluation *evaluation, double budget_us)
{
    if (budget_us > 0)
        evaluation->deadline_ms =
            nitro_clock_wall_ms(evaluation->computation->context) + budget_us / 1e3;
    nitro_feature_evaluation_work(evaluation);
    if (nitro_thread_pool_is_running(evaluation->pool))
        nitro_thread_pool_withdraw(evaluation->pool, evaluation);
    return check(evaluation);
}

/** @param[in] clears  set the features of the other groups to 0. */
static nitro_status evaluate(const nitro_computation *computation, const void *argument,
                             uint64_t needed, bool clears, double *values)
{
    for (size_t g = 0; g < computation->num_groups; g++) {
        const nitro_feature_group *group = &computation->groups[g];
        if (!(features_of(group) & needed)) {
            for (size_t f = group->first; clears && f < group->first + group->count; f++)
                values[f] = 0.0;
            continue;
        }
        int failure = group->evaluate(argument, values + group->first, group->user);
        if (failure) {
            for (size_t f = group->first; f < computation->schema->num_features; f++)
                values[f] = NAN;
            return fail_group(computation, group, argument, failure);
        }
    }
    return nitro_computation_require_finite(computation, values);
}

nitro_status nitro_computation_evaluate_some(const nitro_computation *computation,
                                             const void *argument, uint64_t needed, double *values)
{
    return evaluate(computation, argument, needed, true, values);
}

nitro_status nitro_computation_evaluate_more(const nitro_computation *computation,
                                             const void *argument, uint64_t needed, double *values)
{
    return evaluate(computation, argument, needed, false, values);
}

/** Time is left for another call of a group. */
#define TIMING_MS    0.5
#define TIMING_CALLS 5

nitro_status nitro_computation_time_features(const nitro_computation *computation,
                                             const void *argument, double *values, double *costs_ms)
{
    const nitro_context *context = computation->context;
    nitro_status status =
        nitro_computation_evaluate_some(computation, argument, UINT64_MAX, values);
    for (size_t f = 0; f < computation->schema->num_features; f++)
        costs_ms[f] = NAN;
    for (size_t g = 0; g < computation->num_groups && status == NITRO_OK; g++) {
        const nitro_feature_group *group = &computation->groups[g];
        double begin_ms = nitro_clock_wall_ms(context), before_ms = begin_ms;
        for (int call = 0; call < TIMING_CALLS && before_ms - begin_ms < TIMING_MS; call++) {
            int failure = group->evaluate(argument, values + group->first, group->user);
            if (failure)
                return fail_group(computation, group, argument, failure);
            double now_ms = nitro_clock_wall_ms(context);
            costs_ms[group->first] = fmin(costs_ms[group->first], fmax(now_ms - before_ms, 0.0));
            before_ms = now_ms;
        }
    }
    return status == NITRO_OK ? nitro_computation_require_finite(computation, values) : status;
}

nitro_status nitro_computation_evaluate(const nitro_computation *computation, const void *argument,
                                        double *values)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && values);
    double evaluated[NITRO_MAX_FEATURES];
    nitro_status status =
        nitro_computation_evaluate_some(computation, argument, UINT64_MAX, evaluated);
    for (size_t f = 0; status == NITRO_OK && f < computation->schema->num_features; f++)
        values[f] = evaluated[f];
    return status;
}
