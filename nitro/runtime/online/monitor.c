/*
 * Online monitoring. The expected time in a bucket is the mean of its first steady times. If the
 * median of the newest times deviates from it, that is a drift: the bucket's earlier times are
 * discounted.
 */
#include "nitro/runtime/online/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/explain.h"
#include "nitro/base/thread_shard.h"
#include "nitro/runtime/model/model.h"

enum { MAX_EVERY = 1000000000 };

/** Per-thread call counters, to avoid contention. */
typedef struct shard {
    _Alignas(NITRO_SHARD_BYTES) _Atomic uint64_t calls;
} shard;

struct nitro_monitor {
    shard shards[NITRO_NUM_SHARDS];
    nitro_monitored of;
    nitro_monitor_options options;
    bool by_thread_cpu; /* all variants use thread time */
    nitro_buckets *buckets;
    nitro_observations *observations;
    nitro_pending *pending; /* NULL: no variant is timed by the device */
    nitro_budget budget;
    _Atomic uint64_t failed; /* bit v: an exploration of variant v failed the call */
    _Atomic uint64_t drifts[2][NITRO_MAX_VARIANTS]; /* from earlier times, from the model */
    _Atomic uint64_t num_timed, num_explorations, num_learnt, num_drifts, num_unlike_model,
        num_decided, num_compared;
    _Atomic int64_t timed_ns, exploration_ns, saved_ns, decided_ns, gained_ns;
};

void nitro_monitor_options_init(nitro_monitor_options *options)
{
    if (!options)
        return;
    *options = (nitro_monitor_options){
        .every = 64, .drift_bound = 0.25, .confident_from = 0.9, .num_buckets = 512};
}

/* ---- Made and freed ----------------------------------------------------------------------- */

static nitro_status check_options(const nitro_monitored *monitored,
                                  const nitro_monitor_options *options)
{
    bool good = options->every <= MAX_EVERY && options->drift_bound > 0 &&
                options->drift_bound <= 100 && options->adapt_percent >= 0 &&
                options->adapt_percent <= 100 && options->confident_from >= 0 &&
                options->confident_from <= 2;
    if (good)
        return NITRO_OK;
    return nitro_fail(monitored->context, NITRO_ERR_ARGUMENT,
                      "%s: monitoring every %u calls with a drift bound of %g, adapting by %g %% "
                      "below a confidence of %g: use at most %d calls, a bound in (0, 100], 0 to "
                      "100 %% and a confidence in [0, 2]",
                      monitored->schema->computation, options->every, options->drift_bound,
                      options->adapt_percent, options->confident_from, MAX_EVERY);
}

nitro_time_source nitro_variant_time_source(const nitro_variant *variant, const char *device_kind)
{
    if (variant->time_source != NITRO_TIME_OF_KIND)
        return variant->time_source;
    return strcmp(device_kind, "host") == 0 ? NITRO_TIME_WALL : NITRO_TIME_DEVICE;
}

static bool all_by_thread_cpu(const nitro_monitored *monitored)
{
    for (size_t v = 0; v < monitored->schema->num_variants; v++)
        if (monitored->variants[v].time_source != NITRO_TIME_THREAD_CPU)
            return false;
    return true;
}

static bool is_timed_by_device(const nitro_monitored *monitored, size_t variant)
{
    return nitro_variant_time_source(&monitored->variants[variant], monitored->device_kind) ==
           NITRO_TIME_DEVICE;
}

/* The host time of an asynchronous `run` is only its launch. */
static nitro_status create_pending(const nitro_monitored *monitored, nitro_pending **pending)
{
    const nitro_stream_clock *clock = monitored->hooks->clock;
    size_t num_variants = monitored->schema->num_variants, v = 0;
    while (v < num_variants && !is_timed_by_device(monitored, v))
        v++;
    if (v == num_variants)
        return NITRO_OK;
    if (!clock)
        return nitro_fail(
            monitored->context, NITRO_ERR_ARGUMENT,
            "%s: calls cannot be monitored, adapted or recorded: variant %s is timed by the "
            "device's clock (NITRO_TIME_DEVICE), its run returns before the work is done, and no "
            "clock tells later how long that took: set nitro_hooks.clock",
            monitored->schema->computation, monitored->variants[v].name);
    return nitro_pending_create(monitored->context, clock, monitored->schema->num_features,
                                pending);
}

nitro_status nitro_monitor_create(const nitro_monitored *monitored,
                                  const nitro_monitor_options *options, nitro_monitor **monitor)
{
    const nitro_schema *schema = monitored->schema;
    nitro_pending *pending = NULL;
    nitro_status status = check_options(monitored, options);
    if (status == NITRO_OK)
        status = create_pending(monitored, &pending);
    if (status != NITRO_OK)
        return status;
    nitro_monitor *made = aligned_alloc(NITRO_SHARD_BYTES, sizeof *made);
    if (!made) {
        nitro_pending_free(pending);
        return nitro_fail(monitored->context, NITRO_ERR_NO_MEMORY, "out of memory: %zu bytes",
                          sizeof *made);
    }
    memset(made, 0, sizeof *made);
    made->of = *monitored;
    made->options = *options;
    made->pending = pending;
    made->budget.share = options->adapt_percent / 100.0;
    made->by_thread_cpu = all_by_thread_cpu(monitored);
    status = nitro_buckets_create(monitored->context, options->num_buckets, schema->num_features,
                                  schema->num_variants, &made->buckets);
    if (status == NITRO_OK && options->num_recorded > 0)
        status = nitro_observations_create(monitored->context, options->num_recorded,
                                           schema->num_features, &made->observations);
    if (status == NITRO_OK)
        *monitor = made;
    else
        nitro_monitor_free(made);
    return status;
}

/** Only the first drift of each kind was logged at once. */
static void log_further_drifts(const nitro_monitor *monitor)
{
    const nitro_schema *schema = monitor->of.schema;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t v = 0; v < schema->num_variants; v++)
            if (monitor->drifts[kind][v] > 1)
                nitro_log(monitor->of.context, kind ? NITRO_LOG_INFO : NITRO_LOG_WARNING,
                          "%s: in total %s took another time than was expected %s %llu times",
                          schema->computation, schema->variants[v],
                          kind ? "by the model" : "from earlier times",
                          (unsigned long long)monitor->drifts[kind][v]);
}

void nitro_monitor_free(nitro_monitor *monitor)
{
    if (!monitor)
        return;
    if (monitor->buckets)
        log_further_drifts(monitor);
    nitro_pending_free(monitor->pending);
    nitro_buckets_free(monitor->buckets);
    nitro_observations_free(monitor->observations);
    free(monitor);
}

nitro_observations *nitro_monitor_observations(const nitro_monitor *monitor)
{
    return monitor->observations;
}

double nitro_monitor_now_ms(const nitro_monitor *monitor)
{
    const nitro_context *context = monitor->of.context;
    return monitor->by_thread_cpu ? nitro_clock_thread_cpu_ms(context)
                                  : nitro_clock_wall_ms(context);
}

/* ---- Before a call ------------------------------------------------------------------------ */

/** The number before. */
static uint64_t count(_Atomic uint64_t *counter)
{
    return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void add_time(_Atomic int64_t *sum_ns, double time_ms)
{
    atomic_fetch_add_explicit(sum_ns, (int64_t)(time_ms * 1e6), memory_order_relaxed);
}

bool nitro_monitor_samples(nitro_monitor *monitor)
{
    if (monitor->options.every == 0)
        return false;
    return count(&monitor->shards[nitro_thread_shard()].calls) % monitor->options.every == 0;
}

void nitro_monitor_decided(nitro_monitor *monitor, double decision_ms)
{
    count(&monitor->num_decided);
    add_time(&monitor->decided_ns, decision_ms);
}

/** The variants' ranks by the model and, if its scores predict times, these relative to its first.
 */
static void query_model(nitro_monitor *monitor, const double *features, nitro_bucket *bucket)
{
    size_t num_variants = monitor->of.schema->num_variants;
    double scores[NITRO_MAX_VARIANTS];
    const nitro_model *model = nitro_rcu_pointer_enter(monitor->of.model);
    bool known = model != NULL;
    if (known) {
        double by_model[NITRO_MAX_VARIANTS]; /* in its order */
        nitro_model_score(model, features, by_model);
        for (size_t v = 0; v < num_variants; v++) {
            size_t own = nitro_model_own_variant(model, v);
            bool has_score = own != NITRO_NONE;
            scores[v] = has_score ? by_model[own] : -INFINITY;
            bucket->cost[v] =
                has_score ? (float)nitro_model_expected_ratio(model, by_model, 0, own) : NAN;
        }
    }
    nitro_rcu_pointer_leave(monitor->of.model);
    bucket->is_new = false;
    if (!known)
        return;
    for (size_t v = 0; v < num_variants; v++) {
        unsigned rank = 0;
        for (size_t other = 0; other < num_variants; other++)
            rank += scores[other] > scores[v];
        bucket->rank[v] = (uint8_t)rank;
    }
}

/** Confident decisions are kept, unless times have drifted. */
static bool may_adapt(const nitro_monitor *monitor, const nitro_bucket *bucket,
                      const nitro_decision *decision)
{
    return monitor->budget.share > 0 && decision->reason != NITRO_REASON_FORCED &&
           (decision->confidence < monitor->options.confident_from || bucket->has_drifted);
}

/** Without the variants that are unknown here and have failed a call elsewhere. */
static uint64_t explorable(const nitro_monitor *monitor, const nitro_bucket *bucket,
                           uint64_t allowed)
{
    uint64_t failed = monitor->failed;
    for (size_t v = 0; failed && v < monitor->of.schema->num_variants; v++)
        if (bucket->seen[v].count == 0)
            allowed &= ~(failed & UINT64_C(1) << v);
    return allowed;
}

static void take_choice(nitro_monitor *monitor, const nitro_adaptation_choice *choice,
                        nitro_decision *decision)
{
    if (choice->kind == NITRO_ADAPTATION_NONE)
        return;
    count(choice->kind == NITRO_ADAPTATION_EXPLORE ? &monitor->num_explorations
                                                   : &monitor->num_learnt);
    decision->variant = choice->variant;
    decision->variant_name = monitor->of.schema->variants[choice->variant];
    decision->reason =
        choice->kind == NITRO_ADAPTATION_EXPLORE ? NITRO_REASON_EXPLORATION : NITRO_REASON_LEARNT;
}

/** Account for a completed call. */
static void settle(void *user, const nitro_monitor_call *call, double prepare_ms, double run_ms);

/** May this call be timed, whichever variant is chosen? */
static bool may_time(nitro_monitor *monitor, const void *argument, nitro_monitor_call *call)
{
    const nitro_hooks *hooks = monitor->of.hooks;
    if (!monitor->pending)
        return true;
    nitro_pending_poll(monitor->pending, false, settle, monitor);
    call->stream = hooks->stream ? hooks->stream(argument, hooks->user) : NULL;
    call->pending = nitro_pending_take(monitor->pending, call->stream);
    return call->pending != NULL;
}

bool nitro_monitor_begin(nitro_monitor *monitor, bool is_sampled, const void *argument,
                         const double *features, uint64_t allowed, nitro_decision *decision,
                         nitro_monitor_call *call)
{
    bool adapts = monitor->budget.share > 0;
    if (!is_sampled && !adapts)
        return false;
    *call = (nitro_monitor_call){
        .features = features, .base = decision->variant, .choice = {.variant = decision->variant}};
    if (!may_time(monitor, argument, call))
        return false;
    call->key = nitro_buckets_key(monitor->buckets, features);
    nitro_bucket *bucket = nitro_buckets_enter(monitor->buckets, call->key);
    if (!bucket)
        return true;
    if (bucket->is_new)
        query_model(monitor, features, bucket);
    bucket->calls++;
    if (may_adapt(monitor, bucket, decision))
        call->choice = nitro_adaptation_choose(bucket, monitor->of.schema->num_variants,
                                               explorable(monitor, bucket, allowed), call->base,
                                               &monitor->budget);
    if (call->choice.kind == NITRO_ADAPTATION_EXPLORE)
        bucket->seen[call->choice.variant].tried_at = bucket->calls;
    nitro_bucket_leave(bucket);
    take_choice(monitor, &call->choice, decision);
    return true;
}

void nitro_monitor_begin_with(nitro_monitor *monitor, const double *features, size_t variant,
                              double median_ms, size_t count)
{
    uint64_t key = nitro_buckets_key(monitor->buckets, features);
    nitro_bucket *bucket = nitro_buckets_enter(monitor->buckets, key);
    if (!bucket)
        return;
    if (bucket->is_new)
        query_model(monitor, features, bucket);
    for (size_t i = 0; i < count && i < NITRO_SEEN_RECENT; i++)
        nitro_seen_add(&bucket->seen[variant], median_ms);
    nitro_bucket_leave(bucket);
}

bool nitro_monitor_begin_run(nitro_monitor *monitor, nitro_monitor_call *call)
{
    if (!call->pending)
        return true;
    if (!is_timed_by_device(&monitor->of, call->choice.variant)) {
        nitro_pending_leave(call->pending);
        call->pending = NULL;
        return true;
    }
    if (nitro_pending_begin(monitor->pending, call))
        return true;
    nitro_adaptation_cancel(&monitor->budget, &call->choice);
    return false;
}

/* ---- After a call ------------------------------------------------------------------------- */

static bool is_past(double time_ms, double expected_ms, double bound)
{
    return time_ms > expected_ms * (1.0 + bound) || time_ms * (1.0 + bound) < expected_ms;
}

typedef struct drift {
    size_t variant; /* NITRO_NONE: none */
    double expected_ms, median_ms;
    bool is_of_model; /* first times, which deviate from the model's prediction */
} drift;

/** Predict a variant's time from relative costs and another variant's times; NaN: unknown. */
static double expected_by_model(const nitro_bucket *bucket, size_t num_variants, size_t variant)
{
    for (size_t v = 0; v < num_variants; v++)
        if (v != variant && bucket->seen[v].count >= NITRO_SEEN_RECENT)
            return bucket->seen[v].mean_ms * (double)bucket->cost[variant] /
                   (double)bucket->cost[v];
    return NAN;
}

static drift find_drift(const nitro_monitor *monitor, const nitro_bucket *bucket, size_t variant)
{
    const nitro_seen *seen = &bucket->seen[variant];
    drift found = {.variant = NITRO_NONE, .median_ms = nitro_seen_median(seen)};
    if (isnan(found.median_ms))
        return found;
    found.is_of_model = !bucket->has_drifted && seen->count == NITRO_SEEN_RECENT;
    found.expected_ms = found.is_of_model
                            ? expected_by_model(bucket, monitor->of.schema->num_variants, variant)
                            : seen->expected_ms;
    if (found.expected_ms > 0 &&
        is_past(found.median_ms, found.expected_ms, monitor->options.drift_bound))
        found.variant = variant;
    return found;
}

/**
 * Discard all times of the bucket. Their ratios replace the model's relative costs, since drift
 * often affects all variants alike (clock rate, load).
 */
static void forget_times(nitro_bucket *bucket, size_t num_variants, size_t base, const drift *found)
{
    double cost[NITRO_MAX_VARIANTS], changed = found->median_ms / found->expected_ms;
    const nitro_seen *of_base = &bucket->seen[base];
    double base_ms = found->variant == base ? found->expected_ms : of_base->mean_ms;
    for (size_t v = 0; v < num_variants; v++) {
        const nitro_seen *seen = &bucket->seen[v];
        bool both_seen = of_base->count >= NITRO_SEEN_ENOUGH && seen->count >= NITRO_SEEN_ENOUGH;
        cost[v] = both_seen ? seen->mean_ms / base_ms
                            : (double)bucket->cost[v] / (double)bucket->cost[base];
    }
    for (size_t v = 0; v < num_variants; v++) {
        bucket->cost[v] = (float)(v == base ? 1.0 : cost[v]);
        bucket->seen[v].count = bucket->seen[v].recorded = 0;
        bucket->seen[v].expected_ms = 0.0;
    }
    if (found->variant != base)
        bucket->cost[found->variant] *= (float)changed;
    bucket->has_drifted = true;
}

static drift note_time(nitro_monitor *monitor, nitro_bucket *bucket, const nitro_monitor_call *call,
                       double time_ms)
{
    size_t num_variants = monitor->of.schema->num_variants;
    size_t variant = call->choice.variant;
    nitro_seen *seen = &bucket->seen[variant];
    /* For a rarely explored variant one deviation suffices, and it is explored again soon. */
    if (call->choice.kind == NITRO_ADAPTATION_EXPLORE && seen->count >= NITRO_SEEN_ENOUGH &&
        is_past(time_ms, seen->mean_ms, monitor->options.drift_bound))
        nitro_seen_discount(seen);
    nitro_seen_add(seen, time_ms);
    drift found = find_drift(monitor, bucket, variant);
    if (found.variant != NITRO_NONE && !found.is_of_model)
        forget_times(bucket, num_variants, call->base, &found);
    return found;
}

static void report_drift(nitro_monitor *monitor, const nitro_monitor_call *call, const drift *found)
{
    const nitro_schema *schema = monitor->of.schema;
    count(found->is_of_model ? &monitor->num_unlike_model : &monitor->num_drifts);
    if (count(&monitor->drifts[found->is_of_model][found->variant]) > 0)
        return;
    nitro_log(monitor->of.context, found->is_of_model ? NITRO_LOG_INFO : NITRO_LOG_WARNING,
              "%s: %s takes %.4g ms for inputs like %s=%g, but %.4g ms were expected %s",
              schema->computation, schema->variants[found->variant], found->median_ms,
              schema->num_features ? schema->features[0].name : "these",
              schema->num_features ? call->features[0] : 0.0, found->expected_ms,
              found->is_of_model ? "by the model" : "from earlier times");
}

/** Count the savings over the default variant, if its time is known. */
static void compare_with_default(nitro_monitor *monitor, const nitro_bucket *bucket, double time_ms)
{
    const nitro_seen *seen = &bucket->seen[monitor->of.schema->default_variant];
    if (seen->count < NITRO_SEEN_ENOUGH)
        return;
    count(&monitor->num_compared);
    add_time(&monitor->gained_ns, seen->mean_ms - time_ms);
}

static void settle(void *user, const nitro_monitor_call *call, double prepare_ms, double run_ms)
{
    nitro_monitor *monitor = user;
    double time_ms = prepare_ms + run_ms;
    drift found = {.variant = NITRO_NONE};
    if (isnan(run_ms)) { /* the device failed */
        nitro_adaptation_cancel(&monitor->budget, &call->choice);
        return;
    }
    nitro_bucket *bucket = nitro_buckets_enter_again(monitor->buckets, call->key);
    if (bucket) {
        compare_with_default(monitor, bucket, time_ms);
        found = note_time(monitor, bucket, call, time_ms);
        nitro_bucket_leave(bucket);
    }
    nitro_adaptation_settle(&monitor->budget, &call->choice, time_ms);
    if (monitor->observations)
        nitro_observations_add(monitor->observations, call->features, call->choice.variant, run_ms,
                               prepare_ms);
    count(&monitor->num_timed);
    add_time(&monitor->timed_ns, time_ms);
    if (call->choice.kind == NITRO_ADAPTATION_EXPLORE)
        add_time(&monitor->exploration_ns, time_ms - call->choice.base_ms);
    else if (call->choice.kind == NITRO_ADAPTATION_LEARNT)
        add_time(&monitor->saved_ns, call->choice.base_ms - time_ms);
    if (found.variant != NITRO_NONE)
        report_drift(monitor, call, &found);
}

void nitro_monitor_end(nitro_monitor *monitor, const nitro_monitor_call *call, double prepare_ms,
                       double run_ms)
{
    if (!call->pending)
        settle(monitor, call, prepare_ms, run_ms);
    else if (!nitro_pending_end(monitor->pending, call, prepare_ms))
        nitro_adaptation_cancel(&monitor->budget, &call->choice);
}

void nitro_monitor_poll(nitro_monitor *monitor)
{
    if (monitor->pending)
        nitro_pending_poll(monitor->pending, true, settle, monitor);
}

void nitro_monitor_failed(nitro_monitor *monitor, const nitro_monitor_call *call, bool fails_call)
{
    if (fails_call && call->choice.kind == NITRO_ADAPTATION_EXPLORE)
        atomic_fetch_or(&monitor->failed, UINT64_C(1) << call->choice.variant);
    nitro_bucket *bucket = nitro_buckets_enter_again(monitor->buckets, call->key);
    if (bucket) {
        bucket->seen[call->choice.variant].failed = true;
        nitro_bucket_leave(bucket);
    }
    nitro_adaptation_cancel(&monitor->budget, &call->choice);
    nitro_pending_leave(call->pending);
}

/* ---- Counts ------------------------------------------------------------------------------- */

static double as_ms(const _Atomic int64_t *sum_ns)
{
    return (double)atomic_load((_Atomic int64_t *)(uintptr_t)sum_ns) / 1e6;
}

void nitro_monitor_count(nitro_monitor *monitor, nitro_monitor_statistics *statistics)
{
    nitro_monitor_poll(monitor);
    *statistics = (nitro_monitor_statistics){
        .num_timed = monitor->num_timed,
        .num_explorations = monitor->num_explorations,
        .num_learnt = monitor->num_learnt,
        .num_drifts = monitor->num_drifts,
        .num_unlike_model = monitor->num_unlike_model,
        .num_decided = monitor->num_decided,
        .decided_ms = as_ms(&monitor->decided_ns),
        .num_compared = monitor->num_compared,
        .gained_ms = as_ms(&monitor->gained_ns),
        .timed_ms = as_ms(&monitor->timed_ns),
        .exploration_ms = as_ms(&monitor->exploration_ns),
        .saved_ms = as_ms(&monitor->saved_ns),
        .num_buckets = nitro_buckets_count(monitor->buckets),
        .max_buckets = nitro_buckets_capacity(monitor->buckets),
        .num_recorded =
            monitor->observations ? nitro_observations_count(monitor->observations) : 0};
}
