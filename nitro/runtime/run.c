/* Runs the chosen variant, directly or by a ticket with asynchronous feature evaluation. Times
 * monitored calls.
 */
#include <string.h>

#include "nitro/base/context.h"
#include "nitro/base/require.h"
#include "nitro/runtime/computation.h"

int nitro_computation_prepare(const nitro_computation *computation, size_t variant, void *argument)
{
    const nitro_variant *prepared = &computation->variants[variant];
    if (!prepared->prepare)
        return 0;
    nitro_context *before = nitro_calling_context(); /* of a variant that prepares by others */
    nitro_calling_context_set(computation->context);
    int failure = prepared->prepare(argument, prepared->user);
    nitro_calling_context_set(before);
    return failure;
}

/** What a nitro_run_failure means. */
static const char *meaning(int failure)
{
    static const char *const texts[] = {": not converged", ": breakdown", ": not finite"};
    bool is_known = failure >= NITRO_RUN_NOT_CONVERGED && failure <= NITRO_RUN_NOT_FINITE;
    return is_known ? texts[failure - NITRO_RUN_NOT_CONVERGED] : "";
}

static nitro_status fail(const nitro_computation *computation, size_t variant, const char *what,
                         int failure, const void *argument)
{
    const char *why = nitro_computation_problem(computation, argument);
    return nitro_fail(computation->context, NITRO_ERR_VARIANT_FAILED,
                      "%s: variant %s %s (it returned %d%s)%s%s", computation->schema->computation,
                      computation->variants[variant].name, what, failure, meaning(failure),
                      why[0] ? ": " : "", why);
}

/** The failure is the last error. */
static void log_next(const nitro_computation *computation, const nitro_decision *next)
{
    char message[1024];
    nitro_context_last_error(computation->context, message, sizeof message);
    nitro_log(computation->context, NITRO_LOG_INFO, "%s; now %s is tried", message,
              next->variant_name);
}

/** Prepare the chosen variant; while that fails, the default one of the others. */
static nitro_status prepare_or_fall_back(const nitro_computation *computation, nitro_query *query,
                                         void *argument, nitro_decision *made)
{
    for (;;) {
        size_t variant = made->variant;
        int failure = nitro_computation_prepare(computation, variant, argument);
        if (!failure)
            return NITRO_OK;
        nitro_status status =
            fail(computation, variant, "could not prepare the input", failure, argument);
        if (!nitro_computation_decide_next(computation, query, NITRO_REASON_UNPREPARED, made))
            return status;
        log_next(computation, made);
    }
}

/** A monitored call in progress; its start is 0 if the call is not timed. */
typedef struct timed_call {
    nitro_monitor_call call;
    bool is_timed;
    double begin_ms, prepared_ms;
} timed_call;

static void begin_timed(const nitro_computation *computation, const nitro_query *query,
                        bool is_sampled, const void *argument, nitro_decision *made,
                        timed_call *timed)
{
    nitro_monitor *monitor = computation->monitor;
    timed->is_timed = monitor && !query->is_over &&
                      nitro_monitor_begin(monitor, is_sampled, argument, query->features,
                                          query->allowed, made, &timed->call);
    timed->begin_ms = timed->is_timed ? nitro_monitor_now_ms(monitor) : 0.0;
}

static void give_up_timed(const nitro_computation *computation, timed_call *timed, bool fails_call)
{
    if (timed->is_timed)
        nitro_monitor_failed(computation->monitor, &timed->call, fails_call);
    timed->is_timed = false;
}

/** Prepare what the monitor may have replaced; an explored variant that fails gives way to the
 * model's choice, `before`. */
static nitro_status prepare_timed(const nitro_computation *computation, nitro_query *query,
                                  void *argument, const nitro_decision *before,
                                  nitro_decision *made, timed_call *timed)
{
    size_t variant = made->variant;
    if (timed->is_timed && variant != before->variant) {
        if (nitro_computation_prepare(computation, variant, argument) == 0) {
            timed->prepared_ms = nitro_monitor_now_ms(computation->monitor);
            return NITRO_OK;
        }
        give_up_timed(computation, timed, false);
        query->failed |= UINT64_C(1) << variant;
        *made = *before;
        variant = made->variant;
    }
    nitro_status status = prepare_or_fall_back(computation, query, argument, made);
    if (status != NITRO_OK || made->variant != variant)
        give_up_timed(computation, timed, false);
    if (timed->is_timed)
        timed->prepared_ms = nitro_monitor_now_ms(computation->monitor);
    return status;
}

/** Run what was prepared; if that fails cleanly, the next best variant. */
static nitro_status run_or_try_next(const nitro_computation *computation, nitro_query *query,
                                    void *argument, nitro_decision *made, timed_call *timed,
                                    nitro_decision *decision)
{
    for (;;) {
        const nitro_variant *chosen = &computation->variants[made->variant];
        nitro_computation_explain(computation, query, made);
        if (decision)
            *decision = *made;
        int failure = chosen->run(argument, chosen->user);
        double end_ms = timed->is_timed ? nitro_monitor_now_ms(computation->monitor) : 0.0;
        if (!failure) {
            if (timed->is_timed)
                nitro_monitor_end(computation->monitor, &timed->call,
                                  timed->prepared_ms - timed->begin_ms,
                                  end_ms - timed->prepared_ms);
            return NITRO_OK;
        }
        give_up_timed(computation, timed, !chosen->fails_cleanly);
        nitro_status status = fail(computation, made->variant, "failed", failure, argument);
        if (!chosen->fails_cleanly ||
            !nitro_computation_decide_next(computation, query, NITRO_REASON_RUN_FAILED, made))
            return status;
        log_next(computation, made);
        status = prepare_or_fall_back(computation, query, argument, made);
        if (status != NITRO_OK)
            return status;
    }
}

static nitro_status run_decided(const nitro_computation *computation, nitro_query *query,
                                nitro_decision *made, bool is_sampled, void *argument,
                                nitro_decision *decision)
{
    timed_call timed;
    const nitro_decision before = *made;
    begin_timed(computation, query, is_sampled, argument, made, &timed);
    nitro_status status = prepare_timed(computation, query, argument, &before, made, &timed);
    timed.is_timed = timed.is_timed && nitro_monitor_begin_run(computation->monitor, &timed.call);
    return status == NITRO_OK
               ? run_or_try_next(computation, query, argument, made, &timed, decision)
               : status;
}

nitro_status nitro_run(const nitro_computation *computation, void *argument,
                       nitro_decision *decision)
{
    return nitro_run_with(computation, argument, NULL, decision);
}

nitro_status nitro_run_with(const nitro_computation *computation, void *argument,
                            const nitro_call_options *options, nitro_decision *decision)
{
    NITRO_REQUIRE(NULL, computation);
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
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && decision);
    nitro_query query;
    nitro_decision made;
    nitro_status status = nitro_query_set_options(computation, options, &query);
    if (status == NITRO_OK)
        status = nitro_computation_query(computation, argument, &query, &made);
    if (status != NITRO_OK)
        return status;
    status = prepare_or_fall_back(computation, &query, argument, &made);
    if (status != NITRO_OK)
        return status;
    nitro_computation_explain(computation, &query, &made);
    *decision = made;
    return NITRO_OK;
}

nitro_status nitro_run_decided(const nitro_computation *computation, void *argument,
                               const nitro_decision *decision)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && decision);
    size_t variant = decision->variant;
    const nitro_schema *schema = computation->schema;
    const char *name = decision->variant_name;
    if (variant >= schema->num_variants || !name || strcmp(name, schema->variants[variant]) != 0)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: variant number %zu, '%.80s', is not one of its %zu: the decision "
                          "belongs to another computation, or was never made; use nitro_prepare",
                          schema->computation, variant, name ? name : "?", schema->num_variants);
    const nitro_variant *chosen = &computation->variants[variant];
    int failure = chosen->run(argument, chosen->user);
    return failure ? fail(computation, variant, "failed", failure, argument) : NITRO_OK;
}

typedef struct begun {
    nitro_feature_evaluation evaluation; /* without a computation: it has ended */
    uint64_t known;
    nitro_context *context;
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
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && ticket);
    begun *made = begun_of(ticket);
    if (!computation->pool) {
        nitro_status status = nitro_thread_pool_create(computation->context, 1, &computation->pool);
        if (status != NITRO_OK)
            return status;
    }
    size_t num_threads = computation->feature_options.num_threads;
    made->context = computation->context;
    made->known = nitro_computation_needs(computation);
    nitro_feature_evaluation_init(&made->evaluation, computation, argument, made->known);
    nitro_feature_evaluation_begin(&made->evaluation, computation->pool,
                                   num_threads ? num_threads : 1);
    return NITRO_OK;
}

nitro_status nitro_run_ticket(nitro_ticket *ticket, nitro_decision *decision)
{
    NITRO_REQUIRE(NULL, ticket);
    begun *made = begun_of(ticket);
    const nitro_computation *computation = made->evaluation.computation;
    if (!computation)
        return nitro_fail(made->context, NITRO_ERR_ARGUMENT,
                          "nitro_run_ticket: the ticket has ended: it was run or cancelled before; "
                          "begin another with nitro_features_begin");
    nitro_monitor *monitor = computation->monitor;
    nitro_query query;
    nitro_decision decided;
    bool is_sampled = monitor && nitro_monitor_samples(monitor);
    double begin_ms = is_sampled ? nitro_clock_wall_ms(computation->context) : 0.0;
    query.share = computation->share;
    query.failed = 0;
    nitro_status status =
        nitro_computation_query_begun(&made->evaluation, made->known, &query, &decided);
    made->evaluation.computation = NULL; /* the ticket has ended */
    if (status != NITRO_OK)
        return status;
    if (is_sampled)
        nitro_monitor_decided(monitor, nitro_clock_wall_ms(computation->context) - begin_ms);
    return run_decided(computation, &query, &decided, is_sampled, made->evaluation.argument,
                       decision);
}

void nitro_ticket_cancel(nitro_ticket *ticket)
{
    if (!ticket || !begun_of(ticket)->evaluation.computation)
        return;
    nitro_feature_evaluation *evaluation = &begun_of(ticket)->evaluation;
    atomic_store(&evaluation->next, evaluation->num_groups); /* do not begin further groups */
    if (nitro_thread_pool_is_running(evaluation->pool))
        nitro_thread_pool_withdraw(evaluation->pool, evaluation);
    evaluation->computation = NULL;
}
