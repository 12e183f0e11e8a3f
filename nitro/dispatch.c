/* Dispatch: features and constraints of one input, then the attached model's choice, or the default
 * variant with the reason. Nothing here allocates or locks, except to record an error. */
#include <math.h>
#include <stdio.h>

#include "nitro/nitro_internal.h"

const char *nitro_reason_text(nitro_reason reason)
{
    static const char *const texts[] = {
        [NITRO_REASON_MODEL] = "the model's choice",
        [NITRO_REASON_NO_MODEL] = "the default: no model is attached",
        [NITRO_REASON_ONLY_ALLOWED] = "the only variant that accepts this input",
        [NITRO_REASON_OUTSIDE] = "the default: the input is unlike those the model learnt from",
        [NITRO_REASON_LOW_CONFIDENCE] = "the default: the model is not sure enough",
        [NITRO_REASON_FORCED] = "a setting asks for this variant",
        [NITRO_REASON_TRIAL] = "tried, for it may be faster than the model's choice",
        [NITRO_REASON_LEARNT] = "was fastest so far for inputs like this one",
    };
    size_t count = sizeof(texts) / sizeof(texts[0]);
    return (size_t)reason < count ? texts[reason] : "unknown reason";
}

/** Made once, with the first model: there is nothing to remember before. */
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

nitro_status nitro_computation_attach_model(nitro_computation *computation, nitro_model *model)
{
    nitro_status status =
        nitro_schema_require_same(computation->context, computation->schema, "this program",
                                  nitro_model_schema(model), "the model");
    if (status == NITRO_OK)
        status = nitro_model_compile(model);
    if (status == NITRO_OK)
        status = make_memo(computation);
    if (status == NITRO_OK)
        status = nitro_published_replace(computation->context, computation->model, model);
    if (status != NITRO_OK)
        return status;
    computation->closed = true;
    computation->epoch++; /* what the old model said is told no more */
    return NITRO_OK;
}

nitro_status nitro_computation_load_model(nitro_computation *computation, const char *path)
{
    nitro_model *model;
    nitro_status status = nitro_model_load(computation->context, path, &model);
    if (status != NITRO_OK)
        return status;
    status = nitro_computation_attach_model(computation, model);
    if (status == NITRO_OK)
        return NITRO_OK;
    nitro_model_free(model);
    char message[2048];
    nitro_context_last_error(computation->context, message, sizeof(message));
    return nitro_fail(computation->context, status, "%s: %s", path, message);
}

/** Into `evaluated`, which a failure leaves half written. */
static nitro_status evaluate(const nitro_computation *computation, const void *argument,
                             double *evaluated)
{
    const nitro_schema *schema = computation->schema;
    for (size_t g = 0; g < computation->num_groups; g++) {
        const nitro_feature_group *group = &computation->groups[g];
        int failure = group->evaluate(argument, evaluated + group->first, group->user);
        if (failure)
            return nitro_fail(computation->context, NITRO_ERR_BAD_FEATURE,
                              "%s: the function of feature %s failed with %d", schema->computation,
                              schema->features[group->first].name, failure);
    }
    for (size_t i = 0; i < schema->num_features; i++) {
        if (!isfinite(evaluated[i]))
            return nitro_fail(computation->context, NITRO_ERR_BAD_FEATURE,
                              "%s: feature %s is %g for this input; features must be finite",
                              schema->computation, schema->features[i].name, evaluated[i]);
    }
    return NITRO_OK;
}

nitro_status nitro_computation_evaluate(const nitro_computation *computation, const void *argument,
                                        double *values)
{
    double evaluated[NITRO_MAX_FEATURES];
    nitro_status status = evaluate(computation, argument, evaluated);
    for (size_t i = 0; status == NITRO_OK && i < computation->schema->num_features; i++)
        values[i] = evaluated[i];
    return status;
}

/* One bit a variant that accepts the input. */
static uint64_t allowed_variants(const nitro_computation *computation, const double *features,
                                 const void *argument)
{
    uint64_t allowed = 0;
    size_t count = computation->schema->num_variants;
    if (!computation->has_constraints)
        return count > 0 ? UINT64_MAX >> (64 - count) : 0;
    for (size_t i = 0; i < count; i++) {
        const nitro_variant *variant = &computation->variants[i];
        if (!variant->allows || variant->allows(features, argument, variant->user))
            allowed |= UINT64_C(1) << i;
    }
    return allowed;
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

/** What the model says, if there is one: held while it is asked, since it may be replaced. */
static nitro_status ask_model(const nitro_computation *computation, const double *features,
                              uint64_t allowed, nitro_decision *made)
{
    nitro_status status = NITRO_OK;
    const nitro_model *model = nitro_published_enter(computation->model);
    if (model) {
        status = nitro_model_decide(model, features, allowed, computation->min_confidence, made);
    } else {
        made->variant = default_among(computation->schema, allowed);
        made->reason = NITRO_REASON_NO_MODEL;
    }
    nitro_published_leave(computation->model);
    if (status != NITRO_OK)
        return nitro_fail(computation->context, status, "%s: the model cannot judge these features",
                          computation->schema->computation);
    return NITRO_OK;
}

/** What the model says, or said before of the same features. */
static nitro_status ask_or_remember(const nitro_computation *computation, const double *features,
                                    uint64_t allowed, nitro_decision *made)
{
    nitro_memo *memo = computation->memo;
    uint64_t epoch = computation->epoch; /* read before the model: what an older one says is kept
                                            under the older epoch */
    if (memo && nitro_memo_find(memo, features, allowed, epoch, made))
        return NITRO_OK;
    nitro_status status = ask_model(computation, features, allowed, made);
    if (memo && status == NITRO_OK)
        nitro_memo_keep(memo, features, allowed, epoch, made);
    return status;
}

/** @param[out] allowed  a bit a variant that accepts the input. */
static nitro_status decide(const nitro_computation *computation, const double *features,
                           const void *argument, uint64_t *allowed, nitro_decision *decision)
{
    const nitro_schema *schema = computation->schema;
    *allowed = allowed_variants(computation, features, argument);
    if (*allowed == 0)
        return nitro_fail(
            computation->context, NITRO_ERR_NO_VARIANT,
            "%s: none of the %zu variants accepts this input; declare one that always "
            "does",
            schema->computation, schema->num_variants);
    nitro_decision made = {0};
    size_t forced = computation->forced;
    if (forced != NITRO_NONE && *allowed >> forced & 1) {
        made.variant = forced;
        made.reason = NITRO_REASON_FORCED;
    } else if ((*allowed & (*allowed - 1)) == 0) {
        made.variant = default_among(schema, *allowed);
        made.reason = NITRO_REASON_ONLY_ALLOWED;
        made.confidence = 1;
    } else {
        nitro_status status = ask_or_remember(computation, features, *allowed, &made);
        if (status != NITRO_OK)
            return status;
    }
    made.variant_name = schema->variants[made.variant];
    *decision = made;
    return NITRO_OK;
}

static void explain(const nitro_computation *computation, const double *features,
                    const nitro_decision *decision)
{
    if (computation->explained)
        nitro_explained_print(computation->explained, computation->schema, features, decision);
}

static nitro_status decide_and_explain(const nitro_computation *computation, const double *features,
                                       const void *argument, nitro_decision *decision)
{
    uint64_t allowed = 0;
    nitro_status status = decide(computation, features, argument, &allowed, decision);
    if (status == NITRO_OK)
        explain(computation, features, decision);
    return status;
}

nitro_status nitro_select(const nitro_computation *computation, const void *argument,
                          nitro_decision *decision)
{
    double features[NITRO_MAX_FEATURES];
    nitro_status status = evaluate(computation, argument, features);
    if (status != NITRO_OK)
        return status;
    return decide_and_explain(computation, features, argument, decision);
}

nitro_status nitro_select_features(const nitro_computation *computation, const double *features,
                                   size_t num_features, nitro_decision *decision)
{
    const nitro_schema *schema = computation->schema;
    if (num_features != schema->num_features)
        return nitro_fail(computation->context, NITRO_ERR_ARGUMENT,
                          "%s: %zu features given, %zu declared", schema->computation, num_features,
                          schema->num_features);
    for (size_t i = 0; i < num_features; i++) {
        if (!isfinite(features[i]))
            return nitro_fail(computation->context, NITRO_ERR_BAD_FEATURE,
                              "%s: feature %s is %g; features must be finite", schema->computation,
                              schema->features[i].name, features[i]);
    }
    return decide_and_explain(computation, features, NULL, decision);
}

/* ---- Running ------------------------------------------------------------------------------ */

static int prepare(const nitro_variant *variant, void *argument)
{
    return variant->prepare ? variant->prepare(argument, variant->user) : 0;
}

static nitro_status fail_prepare(const nitro_computation *computation, size_t variant, int failure)
{
    return nitro_fail(computation->context, NITRO_ERR_VARIANT_FAILED,
                      "%s: variant %s could not prepare the input (it returned %d)",
                      computation->schema->computation, computation->variants[variant].name,
                      failure);
}

static nitro_status fail_run(const nitro_computation *computation, size_t variant, int failure)
{
    return nitro_fail(computation->context, NITRO_ERR_VARIANT_FAILED,
                      "%s: variant %s failed (it returned %d)", computation->schema->computation,
                      computation->variants[variant].name, failure);
}

static nitro_status run_variant(const nitro_computation *computation, size_t variant,
                                void *argument)
{
    const nitro_variant *chosen = &computation->variants[variant];
    int failure = prepare(chosen, argument);
    if (failure)
        return fail_prepare(computation, variant, failure);
    failure = chosen->run(argument, chosen->user);
    return failure ? fail_run(computation, variant, failure) : NITRO_OK;
}

/** Run and time a variant. Where another than the model's choice cannot even be prepared, nothing
 *  was done to the argument's result yet: the model's choice is run. */
static nitro_status run_timed(const nitro_computation *computation, const nitro_watch_call *call,
                              void *argument)
{
    nitro_watch *watch = computation->watch;
    size_t variant = call->choice.variant;
    const nitro_variant *chosen = &computation->variants[variant];
    double begin_ms = nitro_watch_now_ms(watch);
    int failure = prepare(chosen, argument);
    if (failure) {
        nitro_watch_failed(watch, call);
        return variant == call->base ? fail_prepare(computation, variant, failure)
                                     : run_variant(computation, call->base, argument);
    }
    double prepared_ms = nitro_watch_now_ms(watch);
    failure = chosen->run(argument, chosen->user);
    double end_ms = nitro_watch_now_ms(watch);
    if (failure) {
        nitro_watch_failed(watch, call);
        return fail_run(computation, variant, failure);
    }
    nitro_watch_end(watch, call, prepared_ms - begin_ms, end_ms - prepared_ms);
    return NITRO_OK;
}

nitro_status nitro_run(const nitro_computation *computation, void *argument,
                       nitro_decision *decision)
{
    double features[NITRO_MAX_FEATURES];
    uint64_t allowed = 0;
    nitro_decision made;
    nitro_watch_call call;
    nitro_status status = evaluate(computation, argument, features);
    if (status == NITRO_OK)
        status = decide(computation, features, argument, &allowed, &made);
    if (status != NITRO_OK)
        return status;
    bool is_timed = computation->watch &&
                    nitro_watch_begin(computation->watch, features, allowed, &made, &call);
    explain(computation, features, &made);
    if (decision)
        *decision = made;
    return is_timed ? run_timed(computation, &call, argument)
                    : run_variant(computation, made.variant, argument);
}
