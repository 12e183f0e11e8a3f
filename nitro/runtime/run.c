/* Runs the chosen variant, directly or by a ticket with asynchronous feature evaluation. Times
 * monitored calls.
 */
#include <string.h>

#include "nitro/runtime/computation.h"

static int prepare(const nitro_variant *variant, void *argument)
{
    return variant->prepare ? variant->prepare(argument, variant->user) : 0;
}

static nitro_status fail(const nitro_computation *computation, size_t variant, const char *what,
                         int failure, const void *argument)
{
    const char *why = nitro_computation_problem(computation, argument);
    return nitro_fail(computation->context, NITRO_ERR_VARIANT_FAILED,
                      "%s: variant %s %s (it returned %d)%s%s", computation->schema->computation,
                      computation->variants[variant].name, what, failure, why[0] ? ": " : "", why);
}

static nitro_status fail_prepare(const nitro_computation *computation, size_t variant, int failure,
                                 const void *argument)
{
    return fail(computation, variant, "could not prepare the input", failure, argument);
}

static nitro_status fail_run(const nitro_computation *computation, size_t variant, int failure,
                             const void *argument)
{
    return fail(computation, variant, "failed", failure, argument);
}

static nitro_status run_variant(const nitro_computation *computation, size_t variant,
                                void *argument)
{
    const nitro_variant *chosen = &computation->variants[variant];
    int failure = prepare(chosen, argument);
    if (failure)
        return fail_prepare(computation, variant, failure, argument);
    failure = chosen->run(argument, chosen->user);
    return failure ? fail_run(computation, variant, failure, argument) : NITRO_OK;
}

/** Run and time a variant. If an explored variant fails in `prepare`, the result is still
 * untouched, so the model's choice is run. */
static nitro_status run_timed(const nitro_computation *computation, const nitro_monitor_call *call,
                              void *argument)
{
    nitro_monitor *monitor = computation->monitor;
    size_t variant = call->choice.variant;
    const nitro_variant *chosen = &computation->variants[variant];
    double begin_ms = nitro_monitor_now_ms(monitor);
    int failure = prepare(chosen, argument);
    if (failure) {
        nitro_monitor_failed(monitor, call);
        return variant == call->base ? fail_prepare(computation, variant, failure, argument)
                                     : run_variant(computation, call->base, argument);
    }
    double prepared_ms = nitro_monitor_now_ms(monitor);
    failure = chosen->run(argument, chosen->user);
    double end_ms = nitro_monitor_now_ms(monitor);
    if (failure) {
        nitro_monitor_failed(monitor, call);
        return fail_run(computation, variant, failure, argument);
    }
    nitro_monitor_end(monitor, call, prepared_ms - begin_ms, end_ms - prepared_ms);
    return NITRO_OK;
}

static nitro_status run_decided(const nitro_computation *computation, nitro_query *query,
                                nitro_decision *made, bool is_sampled, void *argument,
                                nitro_decision *decision)
{
    nitro_monitor_call call;
    bool is_timed = computation->monitor && !query->is_over &&
                    nitro_monitor_begin(computation->monitor, is_sampled, query->features,
                                        query->allowed, made, &call);
    nitro_computation_explain(computation, query, made);
    if (decision)
        *decision = *made;
    return is_timed ? run_timed(computation, &call, argument)
                    : run_variant(computation, made->variant, argument);
}

nitro_status nitro_run(const nitro_computation *computation, void *argument,
                       nitro_decision *decision)
{
    return nitro_run_with(computation, argument, NULL, decision);
}

nitro_status nitro_run_with(const nitro_computation *computation, void *argument,
                            const nitro_call_options *options, nitro_decision *decision)
{
    nitro_monitor *monitor = computation->monitor;
    nitro_query query;
    nitro_decision made;
    bool is_sampled = monitor && nitro_monitor_samples(monitor);
    double begin_ms = is_sampled ? nitro_clock_wall_ms(computation->context) : 0.0;
    nitro_status status = nitro_query_set_options(computation, options, &query);
    if (status == NITRO_OK)
        status = nitro_computation_query(computation, argument, &query, &made);
    if (status != NITRO_OK)
        return status;
    if (is_sampled)
        nitro_monitor_decided(monitor, nitro_clock_wall_ms(computation->context) - begin_ms);
    return run_decided(computation, &query, &made, is_sampled, argument, decision);
}

nitro_status nitro_prepare(const nitro_computation *computation, void *argument,
                           nitro_decision *decision)
{
    return nitro_prepare_with(computation, argument, NULL, decision);
}

nitro_status nitro_prepare_with(const nitro_computation *computation, void *argument,
                                const nitro_call_options *options, nitro_decision *decision)
{
    nitro_query query;
    nitro_decision made;
    nitro_status status = nitro_query_set_options(computation, options, &query);
    if (status == NITRO_OK)
        status = nitro_computation_query(computation, argument, &query, &made);
    if (status != NITRO_OK)
        return status;
    nitro_computation_explain(computation, &query, &made);
    int failure = prepare(&computation->variants[made.variant], argument);
    if (failure)
        return fail_prepare(computation, made.variant, failure, argument);
    *decision = made;
    return NITRO_OK;
}

nitro_status nitro_run_decided(const nitro_computation *computation, void *argument,
                               const nitro_decision *decision)
{
    size_t variant = decision->variant;
    const nitro_schema *schema = computation->schema;
    const char *name = decision->variant_name;
    if (variant >= schema->num_variants || (name && strcmp(name, schema->variants[variant]) != 0))
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: variant number %zu, '%.80s', is not one of its %zu: the decision "
                          "belongs to another computation; use nitro_prepare",
                          schema->computation, variant, name ? name : "?", schema->num_variants);
    const nitro_variant *chosen = &computation->variants[variant];
    int failure = chosen->run(argument, chosen->user);
    return failure ? fail_run(computation, variant, failure, argument) : NITRO_OK;
}

typedef struct begun {
    nitro_feature_evaluation evaluation;
    uint64_t known;
} begun;

_Static_assert(sizeof(begun) <= sizeof(nitro_ticket), "nitro_ticket is too small");
_Static_assert(_Alignof(begun) <= _Alignof(nitro_ticket), "nitro_ticket is misaligned");

static begun *begun_of(nitro_ticket *ticket)
{
    return (begun *)(void *)ticket->opaque;
}

nitro_status nitro_features_begin(nitro_computation *computation, void *argument,
                                  nitro_ticket *ticket)
{
    begun *made = begun_of(ticket);
    if (!computation->pool) {
        nitro_status status = nitro_thread_pool_create(computation->context, 1, &computation->pool);
        if (status != NITRO_OK)
            return status;
    }
    size_t num_threads = computation->feature_options.num_threads;
    made->known = nitro_computation_needs(computation);
    nitro_feature_evaluation_init(&made->evaluation, computation, argument, made->known);
    nitro_feature_evaluation_begin(&made->evaluation, computation->pool,
                                   num_threads ? num_threads : 1);
    return NITRO_OK;
}

nitro_status nitro_run_ticket(nitro_ticket *ticket, nitro_decision *decision)
{
    begun *made = begun_of(ticket);
    const nitro_computation *computation = made->evaluation.computation;
    nitro_monitor *monitor = computation->monitor;
    nitro_query query;
    nitro_decision decided;
    bool is_sampled = monitor && nitro_monitor_samples(monitor);
    double begin_ms = is_sampled ? nitro_clock_wall_ms(computation->context) : 0.0;
    query.share = computation->share;
    nitro_status status =
        nitro_computation_query_begun(&made->evaluation, made->known, &query, &decided);
    if (status != NITRO_OK)
        return status;
    if (is_sampled)
        nitro_monitor_decided(monitor, nitro_clock_wall_ms(computation->context) - begin_ms);
    return run_decided(computation, &query, &decided, is_sampled, made->evaluation.argument,
                       decision);
}

void nitro_ticket_cancel(nitro_ticket *ticket)
{
    nitro_feature_evaluation *evaluation = &begun_of(ticket)->evaluation;
    atomic_store(&evaluation->next, evaluation->num_groups); /* do not begin further groups */
    if (nitro_thread_pool_is_running(evaluation->pool))
        nitro_thread_pool_withdraw(evaluation->pool, evaluation);
}
