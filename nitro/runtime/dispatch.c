/*
 * Dispatch: features and constraints of one input, then the attached model's choice, or the default
 * variant with the reason. Allocates nothing and locks only to record an error or to use the thread
 * pool.
 */
#include <math.h>

#include "nitro/base/require.h"
#include "nitro/models/model_file.h"
#include "nitro/runtime/computation.h"
#include "nitro/runtime/model/model.h"

const char *nitro_reason_text(nitro_reason reason)
{
    static const char *const texts[] = {
        [NITRO_REASON_MODEL] = "the model's choice",
        [NITRO_REASON_NO_MODEL] = "the default: no model is attached",
        [NITRO_REASON_ONLY_ALLOWED] = "the only variant that accepts this input",
        [NITRO_REASON_OUTSIDE] = "the default: the input is outside the training range",
        [NITRO_REASON_LOW_CONFIDENCE] = "the default: the model is not confident enough",
        [NITRO_REASON_FORCED] = "forced by a setting",
        [NITRO_REASON_BUDGET] = "the default: the features exceed their budget",
        [NITRO_REASON_EXPLORATION] = "exploration: may be faster than the model's choice",
        [NITRO_REASON_LEARNT] = "adaptation: fastest so far for inputs like this one",
        [NITRO_REASON_BAD_FEATURE] = "the default: a feature failed or is not finite",
        [NITRO_REASON_UNPREPARED] = "the default: the chosen variant could not be prepared",
        [NITRO_REASON_RUN_FAILED] = "the next best variant: the chosen one's run failed",
        [NITRO_REASON_FEW_USES] = "the model's choice for so few uses that features do not pay",
        [NITRO_REASON_EXTRAPOLATED] =
            "the model's choice, extrapolated: the input is outside the training range",
        [NITRO_REASON_NEAREST] = "the variant that loses least on the nearest training inputs: the "
                                 "input is outside the training range",
    };
    size_t count = sizeof(texts) / sizeof(texts[0]);
    return (size_t)reason < count ? texts[reason] : "unknown reason";
}

/** Created with the first model. */
static nitro_status make_memo(nitro_computation *computation)
{
    nitro_memo *memo = NULL;
    if (computation->memo || computation->memo_size == 0)
        return NITRO_OK;
    nitro_status status = nitro_memo_create(computation->context, computation->memo_size,
                                            computation->schema->num_features, &memo);
    if (status == NITRO_OK)
        computation->memo = memo;
    return status;
}

/** Check the range of features that scores depend on, and of free ones that were not dropped. */
static uint64_t needed_for(const nitro_computation *computation, const nitro_model *model)
{
    uint64_t used = nitro_model_used_features(model);
    uint64_t free_ones =
        ~(nitro_computation_expensive_features(computation) | nitro_model_ignored_features(model));
    return used ? nitro_computation_whole_groups(computation, used | free_ones) : 0;
}

nitro_status nitro_computation_attach_model(nitro_computation *computation, nitro_model *model)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && model);
    if (model->is_attached)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: the model is attached already, and belongs to that computation: "
                          "load it once for each",
                          computation->schema->computation);
    nitro_status status =
        nitro_model_match_variants(computation->context, model, computation->schema);
    if (status == NITRO_OK)
        status = nitro_model_compile(model);
    if (status == NITRO_OK)
        status = make_memo(computation);
    if (status != NITRO_OK)
        return status;
    /* Concurrent decisions evaluate the features of both models, or retry. */
    uint64_t needed = needed_for(computation, model), before = computation->needed;
    nitro_model_judge(model, needed);
    computation->needed = before | needed;
    status = nitro_rcu_pointer_replace(computation->context, computation->model, model);
    if (status != NITRO_OK) {
        computation->needed = before;
        return status;
    }
    model->is_attached = true;
    computation->closed = true;
    computation->epoch++; /* invalidates decisions of the old model */
    computation->needed = needed;
    computation->first = nitro_model_first_features(model);
    return NITRO_OK;
}

bool nitro_computation_has_model(const nitro_computation *computation)
{
    bool has_model = nitro_rcu_pointer_enter(computation->model) != NULL;
    nitro_rcu_pointer_leave(computation->model);
    return has_model;
}

/** Attach a model that was loaded, or free it. */
static nitro_status attach_loaded(nitro_computation *computation, const char *origin,
                                  nitro_model *model)
{
    nitro_status status = nitro_computation_attach_model(computation, model);
    if (status == NITRO_OK)
        return NITRO_OK;
    nitro_model_free(model);
    char message[2048];
    nitro_context_last_error(computation->context, message, sizeof(message));
    return nitro_fail(computation->context, status, "%s: %s", origin, message);
}

nitro_status nitro_computation_load_model(nitro_computation *computation, const char *path)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && path);
    nitro_model *model = NULL;
    nitro_status status = nitro_model_load(computation->context, path, &model);
    return status == NITRO_OK ? attach_loaded(computation, path, model) : status;
}

nitro_status nitro_computation_load_model_memory(nitro_computation *computation, const void *data,
                                                 size_t size)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && data);
    nitro_model *model = NULL;
    nitro_status status = nitro_model_load_memory(computation->context, data, size, &model);
    return status == NITRO_OK ? attach_loaded(computation, NITRO_MODEL_IN_MEMORY, model) : status;
}

/** Features that the variant's constraint reads, but are not known. */
static uint64_t unknown_reads(const nitro_computation *computation, size_t variant,
                              const nitro_query *query)
{
    size_t num_features = computation->schema->num_features;
    uint64_t declared = num_features > 0 ? UINT64_MAX >> (64 - num_features) : 0;
    return computation->reads[variant] & declared & ~query->known;
}

static uint64_t all_variants(const nitro_computation *computation)
{
    size_t count = computation->schema->num_variants;
    return count > 0 ? UINT64_MAX >> (64 - count) : 0;
}

/** Ask the constraints that read known features; the others are assumed to accept. */
static void ask_constraints(const nitro_computation *computation, nitro_query *query)
{
    size_t count = computation->schema->num_variants;
    query->allowed = all_variants(computation) & ~query->failed;
    query->assumed = 0;
    for (size_t v = 0; computation->has_constraints && v < count; v++) {
        const nitro_variant *variant = &computation->variants[v];
        if (!variant->allows)
            continue;
        if (unknown_reads(computation, v, query))
            query->assumed |= UINT64_C(1) << v;
        else if (!variant->allows(query->features, query->argument, variant->user))
            query->allowed &= ~(UINT64_C(1) << v);
    }
}

static size_t default_among(const nitro_schema *schema, uint64_t allowed)
{
    if (allowed >> schema->default_variant & 1)
        return schema->default_variant;
    size_t first = 0;
    while (!(allowed >> first & 1))
        first++;
    return first;
}

/** Is one variant the model's choice for so few uses? It has no constraint. */
static bool decide_few_uses(const nitro_computation *computation, const nitro_query *query,
                            uint64_t allowed, nitro_decision *made)
{
    nitro_decision decided = {.variant = NITRO_NONE};
    if (!(query->share > 0.0F) || computation->forced != NITRO_NONE)
        return false;
    const nitro_model *model = nitro_rcu_pointer_enter(computation->model);
    bool is_decided = model && nitro_model_decide_few_uses(model, query->share, query->features,
                                                           query->known, &decided);
    if (is_decided)
        decided.variant = nitro_model_declared_variant(model, decided.variant);
    nitro_rcu_pointer_leave(computation->model);
    is_decided = is_decided && decided.variant != NITRO_NONE &&
                 !computation->variants[decided.variant].allows && (allowed >> decided.variant & 1);
    if (is_decided)
        *made = decided;
    return is_decided;
}

/** Among the variants that the model knows; the default if it knows fewer than two. */
static nitro_status ask_model(const nitro_computation *computation, const nitro_model *model,
                              const double *features, uint64_t allowed, float share,
                              nitro_decision *made)
{
    uint64_t own = nitro_model_own_variants(model, allowed);
    if ((own & (own - 1)) == 0) {
        *made = (nitro_decision){.variant = default_among(computation->schema, allowed),
                                 .reason = NITRO_REASON_LOW_CONFIDENCE};
        return NITRO_OK;
    }
    nitro_status status = nitro_model_decide_uses(model, features, own, (double)share,
                                                  computation->min_confidence, made);
    if (status == NITRO_OK && model->map)
        made->variant =
            made->reason == NITRO_REASON_OUTSIDE || made->reason == NITRO_REASON_LOW_CONFIDENCE
                ? default_among(computation->schema, allowed)
                : nitro_model_declared_variant(model, made->variant);
    return status;
}

/** The model's decision, if one is attached. RCU keeps the model alive while it is in use. */
static nitro_status query_model(const nitro_computation *computation, const double *features,
                                uint64_t known, uint64_t allowed, float share, nitro_decision *made)
{
    nitro_status status = NITRO_OK;
    const nitro_model *model = nitro_rcu_pointer_enter(computation->model);
    if (model && !nitro_model_knows(model, known)) {
        status = NITRO_ERR_NO_DATA;
    } else if (model) {
        status = ask_model(computation, model, features, allowed, share, made);
    } else {
        *made = (nitro_decision){.variant = default_among(computation->schema, allowed),
                                 .reason = NITRO_REASON_NO_MODEL};
    }
    nitro_rcu_pointer_leave(computation->model);
    if (status != NITRO_OK && status != NITRO_ERR_NO_DATA)
        return nitro_fail(computation->context, status,
                          "%s: the model cannot decide with these features",
                          computation->schema->computation);
    return status;
}

/** The model's decision, from the memo if possible. */
static nitro_status query_or_remember(const nitro_computation *computation, const double *features,
                                      uint64_t known, uint64_t allowed, float share,
                                      nitro_decision *made)
{
    nitro_memo *memo = computation->memo;
    uint64_t epoch = computation->epoch; /* read before the model, so that an older model's decision
                                            gets an older epoch */
    if (computation->needed & ~known)
        return NITRO_ERR_NO_DATA;
    if (memo && nitro_memo_find(memo, features, allowed, share, epoch, made))
        return NITRO_OK;
    nitro_status status = query_model(computation, features, known, allowed, share, made);
    if (memo && status == NITRO_OK)
        nitro_memo_keep(memo, features, allowed, share, epoch, made);
    return status;
}

static nitro_status fail_no_variant(const nitro_computation *computation)
{
    return nitro_fail(computation->context, NITRO_ERR_NO_VARIANT,
                      computation->schema->num_variants == 0
                          ? "%s has no variants: declare one"
                          : "%s: no variant accepts this input; declare one that always does",
                      computation->schema->computation);
}

static uint64_t unconstrained_variants(const nitro_computation *computation)
{
    uint64_t variants = 0;
    for (size_t v = 0; v < computation->schema->num_variants; v++)
        if (!computation->variants[v].allows)
            variants |= UINT64_C(1) << v;
    return variants;
}

/** Ask all constraints about features that are not known. */
static void ask_about_unknown(const nitro_computation *computation, nitro_query *query)
{
    for (size_t f = 0; f < computation->schema->num_features; f++)
        query->features[f] = NAN;
    query->known = UINT64_MAX;
    ask_constraints(computation, query);
}

/** Without features: the forced or default variant, or the first allowed one. Constraints are asked
 * only if all variants have one. */
static nitro_status decide_without(const nitro_computation *computation, nitro_query *query,
                                   nitro_reason reason, nitro_decision *made)
{
    size_t forced = computation->forced;
    query->is_over = true;
    query->assumed = 0;
    query->allowed = unconstrained_variants(computation);
    if (query->allowed == 0)
        ask_about_unknown(computation, query);
    if (query->allowed == 0)
        return fail_no_variant(computation);
    if (forced != NITRO_NONE && query->allowed >> forced & 1)
        *made = (nitro_decision){.variant = forced, .reason = NITRO_REASON_FORCED};
    else
        *made = (nitro_decision){.variant = default_among(computation->schema, query->allowed),
                                 .reason = reason};
    made->variant_name = computation->schema->variants[made->variant];
    return NITRO_OK;
}

/** If a feature failed, warn once, and decide without features; else the status. */
static nitro_status decide_anyway(const nitro_computation *computation, nitro_status status,
                                  nitro_query *query, nitro_decision *made)
{
    nitro_computation *self = (nitro_computation *)(uintptr_t)computation;
    char message[1024];
    if (status != NITRO_ERR_BAD_FEATURE)
        return status;
    if (!atomic_flag_test_and_set(&self->warned)) {
        nitro_context_last_error(computation->context, message, sizeof message);
        nitro_log(computation->context, NITRO_LOG_WARNING,
                  "%s; the default variant is chosen for such inputs", message);
    }
    return decide_without(computation, query, NITRO_REASON_BAD_FEATURE, made);
}

/** Choose among the variants that accept the input. */
static nitro_status decide_among(const nitro_computation *computation, const nitro_query *query,
                                 nitro_decision *made)
{
    size_t forced = computation->forced;
    uint64_t allowed = query->allowed;
    if (forced != NITRO_NONE && allowed >> forced & 1) {
        *made = (nitro_decision){.variant = forced, .reason = NITRO_REASON_FORCED};
        return NITRO_OK;
    }
    if ((allowed & (allowed - 1)) != 0)
        return decide_few_uses(computation, query, allowed, made)
                   ? NITRO_OK
                   : query_or_remember(computation, query->features, query->known, allowed,
                                       query->share, made);
    *made = (nitro_decision){.variant = default_among(computation->schema, allowed),
                             .confidence = 1,
                             .reason = NITRO_REASON_ONLY_ALLOWED};
    return NITRO_OK;
}

/* @return as nitro_select, and NITRO_ERR_NO_DATA (without a message): a newly attached model needs
 *         more features. */
static nitro_status decide(const nitro_computation *computation, nitro_query *query,
                           nitro_decision *decision)
{
    if (query->is_over)
        return decide_without(computation, query, NITRO_REASON_BUDGET, decision);
    ask_constraints(computation, query);
    if (query->allowed == 0)
        return fail_no_variant(computation);
    /* Each branch writes `decision` directly: copying words just stored would stall on store
     * forwarding. */
    nitro_status status = decide_among(computation, query, decision);
    if (status == NITRO_OK)
        decision->variant_name = computation->schema->variants[decision->variant];
    return status;
}

void nitro_computation_explain(const nitro_computation *computation, const nitro_query *query,
                               const nitro_decision *decision)
{
    nitro_reason reason = decision->reason;
    uint64_t outside = 0;
    if (!computation->decision_log)
        return;
    if (reason == NITRO_REASON_OUTSIDE || reason == NITRO_REASON_EXTRAPOLATED ||
        reason == NITRO_REASON_NEAREST) {
        const nitro_model *model = nitro_rcu_pointer_enter(computation->model);
        outside = model ? nitro_model_outside_features(model, query->features) : 0;
        nitro_rcu_pointer_leave(computation->model);
    }
    nitro_decision_log_print(computation->decision_log, query->features, outside, decision);
}

/* ---- Deciding ------------------------------------------------------------------------------- */

static bool logs_features(const nitro_computation *computation)
{
    return computation->decision_log ||
           (computation->monitor && nitro_monitor_observations(computation->monitor));
}

uint64_t nitro_computation_needs(const nitro_computation *computation)
{
    const nitro_feature_options *options = &computation->feature_options;
    bool has_options = options->num_threads > 0 || options->budget_us > 0;
    bool all = logs_features(computation) ||
               (computation->has_constraints && (computation->monitor || has_options)) ||
               (computation->monitor && computation->needed == 0);
    return all ? UINT64_MAX : computation->needed;
}

/** The feature budget applies only if the fallback variant has no constraint. */
static double budget_of(const nitro_computation *computation)
{
    size_t forced = computation->forced;
    size_t variant = forced != NITRO_NONE ? forced : computation->schema->default_variant;
    bool has_default = variant < computation->schema->num_variants;
    return has_default && !computation->variants[variant].allows
               ? computation->feature_options.budget_us
               : 0.0;
}

/** Evaluate what the constraint of a variant reads, and ask it. */
static nitro_status ask_constraint(const nitro_computation *computation, size_t variant,
                                   nitro_query *query, bool *allows)
{
    const nitro_variant *asked = &computation->variants[variant];
    uint64_t missing = unknown_reads(computation, variant, query);
    nitro_status status =
        nitro_computation_evaluate_more(computation, query->argument, missing, query->features);
    query->known |= missing;
    query->assumed &= ~(UINT64_C(1) << variant);
    if (status == NITRO_OK)
        *allows = asked->allows(query->features, query->argument, asked->user);
    return status;
}

/** Decide; ask the constraint of the choice if it was assumed to accept, and decide again if not.
 */
static nitro_status decide_and_ask(const nitro_computation *computation, nitro_query *query,
                                   nitro_decision *decision)
{
    if (!computation->has_constraints)
        return decide(computation, query, decision);
    nitro_decision made;
    nitro_status status = decide(computation, query, &made);
    while (status == NITRO_OK && query->assumed >> made.variant & 1) {
        bool allows = false;
        status = ask_constraint(computation, made.variant, query, &allows);
        if (status == NITRO_OK && !allows)
            status = decide(computation, query, &made);
    }
    if (status == NITRO_OK)
        *decision = made;
    return status;
}

/** The default variant, or the first one, of those that have not failed; NITRO_NONE: there is no
 * other. */
static size_t default_of_rest(const nitro_computation *computation, nitro_query *query)
{
    query->allowed &= ~query->failed;
    while (query->allowed != 0) {
        size_t variant = default_among(computation->schema, query->allowed);
        bool allows = !(query->assumed >> variant & 1);
        if (allows || (ask_constraint(computation, variant, query, &allows) == NITRO_OK && allows))
            return variant;
        query->allowed &= ~(UINT64_C(1) << variant);
    }
    return NITRO_NONE;
}

/** A choice for few uses was made without all features, and failed: evaluate them, so that the
 * others are ranked. */
static void finish_early(const nitro_computation *computation, nitro_query *query)
{
    query->known = nitro_computation_needs(computation);
    if (nitro_computation_evaluate_some(computation, query->argument, query->known,
                                        query->features) != NITRO_OK)
        return;
    query->is_over = false;
    ask_constraints(computation, query);
}

bool nitro_computation_decide_next(const nitro_computation *computation, nitro_query *query,
                                   nitro_reason reason, nitro_decision *decision)
{
    nitro_decision next;
    query->failed |= UINT64_C(1) << decision->variant;
    if (query->is_over && decision->reason == NITRO_REASON_FEW_USES)
        finish_early(computation, query);
    size_t variant = default_of_rest(computation, query);
    if (variant == NITRO_NONE)
        return false;
    bool is_ranked = reason == NITRO_REASON_RUN_FAILED && !query->is_over &&
                     decide_and_ask(computation, query, &next) == NITRO_OK;
    if (!is_ranked)
        next = (nitro_decision){.variant = variant};
    *decision = (nitro_decision){.variant = next.variant,
                                 .variant_name = computation->schema->variants[next.variant],
                                 .confidence = next.confidence,
                                 .reason = reason};
    return true;
}

/** Decide; if a newly attached model needs more features, evaluate all and retry. */
static nitro_status decide_or_default(const nitro_computation *computation, nitro_query *query,
                                      nitro_decision *decision)
{
    nitro_status status = decide_and_ask(computation, query, decision);
    if (status != NITRO_ERR_NO_DATA)
        return status;
    query->known = UINT64_MAX;
    status =
        nitro_computation_evaluate_some(computation, query->argument, UINT64_MAX, query->features);
    return status == NITRO_OK ? decide(computation, query, decision) : status;
}

/** Decide by what needs no features: a forced variant, constraints on the argument, no model or a
 *  constant one. @return NITRO_ERR_NO_DATA: features are needed. */
static nitro_status decide_without_features(const nitro_computation *computation, void *argument,
                                            nitro_query *query, nitro_decision *decision)
{
    bool is_possible = computation->needed == 0 || computation->forced != NITRO_NONE ||
                       computation->has_constraints || computation->schema->num_variants == 1;
    if (!is_possible || computation->monitor || logs_features(computation))
        return NITRO_ERR_NO_DATA;
    query->known = 0;
    query->argument = argument;
    query->is_over = false;
    for (size_t f = 0; f < computation->schema->num_features; f++)
        query->features[f] = 0.0;
    return decide_and_ask(computation, query, decision);
}

nitro_status nitro_computation_query_begun(nitro_feature_evaluation *evaluation, uint64_t known,
                                           nitro_query *query, nitro_decision *decision)
{
    const nitro_computation *computation = evaluation->computation;
    nitro_status status = nitro_feature_evaluation_finish(evaluation, budget_of(computation));
    for (size_t f = 0; f < computation->schema->num_features; f++)
        query->features[f] = evaluation->values[f];
    query->known = known;
    query->argument = evaluation->argument;
    query->is_over = evaluation->is_over;
    if (status == NITRO_OK)
        status = decide_or_default(computation, query, decision);
    return decide_anyway(computation, status, query, decision);
}

static nitro_status query_with_options(const nitro_computation *computation, void *argument,
                                       nitro_query *query, nitro_decision *decision)
{
    nitro_feature_evaluation evaluation;
    uint64_t known = nitro_computation_needs(computation);
    size_t num_threads = computation->feature_options.num_threads;
    nitro_feature_evaluation_init(&evaluation, computation, argument, known);
    if (num_threads > 0 && nitro_feature_evaluation_is_worth_helping(&evaluation))
        nitro_feature_evaluation_begin(&evaluation, computation->pool, num_threads);
    return nitro_computation_query_begun(&evaluation, known, query, decision);
}

/** By the features that come first, if any. All are evaluated nevertheless if they are logged or
 *  recorded. */
static bool decide_early(const nitro_computation *computation, const void *argument,
                         nitro_query *query, nitro_decision *decision)
{
    if (!(query->share > 0.0F) || logs_features(computation))
        return false;
    query->known = computation->first;
    if (query->known && nitro_computation_evaluate_some(computation, argument, query->known,
                                                        query->features) != NITRO_OK)
        return false;
    if (!decide_few_uses(computation, query, UINT64_MAX, decision))
        return false;
    query->is_over = true;
    query->argument = argument;
    query->allowed = unconstrained_variants(computation);
    query->assumed = 0;
    decision->variant_name = computation->schema->variants[decision->variant];
    return true;
}

nitro_status nitro_computation_query(const nitro_computation *computation, void *argument,
                                     nitro_query *query, nitro_decision *decision)
{
    const nitro_feature_options *options = &computation->feature_options;
    if (decide_early(computation, argument, query, decision))
        return NITRO_OK;
    nitro_status status = decide_without_features(computation, argument, query, decision);
    if (status != NITRO_ERR_NO_DATA)
        return decide_anyway(computation, status, query, decision);
    if (options->num_threads > 0 || options->budget_us > 0)
        return query_with_options(computation, argument, query, decision);
    query->known = nitro_computation_needs(computation);
    query->argument = argument;
    query->is_over = false;
    status = nitro_computation_evaluate_some(computation, argument, query->known, query->features);
    if (status == NITRO_OK)
        status = decide_or_default(computation, query, decision);
    return decide_anyway(computation, status, query, decision);
}

nitro_status nitro_select(const nitro_computation *computation, const void *argument,
                          nitro_decision *decision)
{
    return nitro_select_with(computation, argument, NULL, decision);
}

nitro_status nitro_select_with(const nitro_computation *computation, const void *argument,
                               const nitro_call_options *options, nitro_decision *decision)
{
    NITRO_REQUIRE(computation ? computation->context : NULL, computation && decision);
    nitro_query query;
    nitro_status status = nitro_query_set_options(computation, options, &query);
    if (status == NITRO_OK)
        status =
            nitro_computation_query(computation, (void *)(uintptr_t)argument, &query, decision);
    if (status == NITRO_OK)
        nitro_computation_explain(computation, &query, decision);
    return status;
}

nitro_status nitro_select_features(const nitro_computation *computation, const double *features,
                                   size_t num_features, nitro_decision *decision)
{
    return nitro_select_features_with(computation, features, num_features, NULL, decision);
}

nitro_status nitro_select_features_with(const nitro_computation *computation,
                                        const double *features, size_t num_features,
                                        const nitro_call_options *options, nitro_decision *decision)
{
    NITRO_REQUIRE(computation ? computation->context : NULL,
                  computation && (features || num_features == 0) && decision);
    const nitro_schema *schema = computation->schema;
    nitro_query query;
    nitro_status status = nitro_query_set_options(computation, options, &query);
    if (status != NITRO_OK)
        return status;
    query.known = UINT64_MAX;
    query.argument = NULL;
    query.is_over = false;
    if (num_features != schema->num_features)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: features given: %zu; declared: %zu", schema->computation,
                          num_features, schema->num_features);
    for (size_t f = 0; f < num_features; f++)
        query.features[f] = features[f];
    status = nitro_computation_require_finite(computation, query.features);
    if (status == NITRO_OK)
        status = decide(computation, &query, decision);
    status = decide_anyway(computation, status, &query, decision);
    if (status == NITRO_OK)
        nitro_computation_explain(computation, &query, decision);
    return status;
}
