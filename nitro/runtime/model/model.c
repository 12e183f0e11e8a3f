/* Decides by a model. Outside the training range, or below the minimum confidence, chooses the
 * default variant.
 */
#include "nitro/runtime/model/model.h"
#include "nitro/base/clamp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/explain.h"
#include "nitro/base/finite.h"
#include "nitro/runtime/scores/kernel_pair.h"

nitro_status nitro_model_create(nitro_context *context, const nitro_schema *schema,
                                const char *target, const char *target_kind, nitro_model **model)
{
    nitro_model *made = nitro_calloc(context, 1, sizeof *made);
    if (!made)
        return NITRO_ERR_NO_MEMORY;
    made->context = context;
    made->judged = UINT64_MAX;
    made->target = nitro_strdup(context, target);
    made->target_kind = nitro_strdup(context, target_kind);
    nitro_status status = made->target && made->target_kind
                              ? nitro_schema_copy(context, schema, &made->schema)
                              : NITRO_ERR_NO_MEMORY;
    if (status == NITRO_OK)
        status = nitro_model_set_relative(made);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

void nitro_model_free(nitro_model *model)
{
    if (!model)
        return;
    nitro_compiled_free(model->compiled);
    if (model->predictor)
        model->strategy->free(model->predictor);
    nitro_model_free_columns(model);
    nitro_schema_free(model->schema);
    nitro_string_list_free(&model->device_features);
    nitro_kernel_pair_free(model->correction);
    nitro_prepare_costs_free(model->prepare_costs);
    if (model->predicted)
        model->free_predicted(model->predicted);
    if (model->provenance)
        model->free_provenance(model->provenance);
    free(model->strategy_name);
    free(model->target);
    free(model->target_kind);
    free(model);
}

const char *nitro_model_computation(const nitro_model *model)
{
    return model->schema->computation;
}

const char *nitro_model_target(const nitro_model *model)
{
    return model->target;
}

const char *nitro_model_strategy(const nitro_model *model)
{
    return model->strategy_name ? model->strategy_name : model->strategy->name;
}

size_t nitro_model_num_variants(const nitro_model *model)
{
    return model->schema->num_variants;
}

size_t nitro_model_num_features(const nitro_model *model)
{
    return model->schema->num_features;
}

const char *nitro_model_variant_name(const nitro_model *model, size_t index)
{
    return index < model->schema->num_variants ? model->schema->variants[index] : NULL;
}

const char *nitro_model_feature_name(const nitro_model *model, size_t index)
{
    return index < model->schema->num_features ? model->schema->features[index].name : NULL;
}

const nitro_schema *nitro_model_schema(const nitro_model *model)
{
    return model->schema;
}

nitro_status nitro_model_parts(const nitro_model *model, nitro_score_terms *terms)
{
    *terms = (nitro_score_terms){.num_columns = model->num_seen,
                                 .num_variants = model->schema->num_variants};
    if (!model->strategy->terms)
        return nitro_fail(model->context, NITRO_ERR_UNSUPPORTED,
                          "models of strategy %s cannot be compiled: it has no score terms",
                          nitro_model_strategy(model));
    nitro_status status = model->strategy->terms(model->context, model->predictor, terms);
    if (status == NITRO_OK && model->correction)
        status = nitro_kernel_pair_terms(model->context, model->correction, -1.0, terms);
    return status;
}

nitro_status nitro_model_compile_terms(const nitro_model *model, const nitro_score_terms *terms,
                                       nitro_compiled **compiled)
{
    bool is_constant[NITRO_MODEL_MAX_COLUMNS];
    double constants[NITRO_MODEL_MAX_COLUMNS] = {0};
    size_t first_device = nitro_model_first_device(model);
    for (size_t i = 0; i < model->num_seen; i++) {
        is_constant[i] = model->seen[i] >= first_device;
        if (is_constant[i])
            constants[i] = model->device_columns[model->seen[i] - first_device];
    }
    return nitro_compiled_create(model->context, terms, is_constant, constants, compiled);
}

nitro_status nitro_model_compile(nitro_model *model)
{
    nitro_score_terms terms;
    for (size_t f = 0; f < model->schema->num_features; f++)
        model->has_interval[f] = nitro_scaler_interval(&model->columns[f], NITRO_MODEL_TOLERANCE,
                                                       &model->lowest[f], &model->highest[f]);
    nitro_status status = nitro_model_prepare_columns(model);
    if (status != NITRO_OK || model->compiled || !model->strategy->terms)
        return status;
    status = nitro_model_parts(model, &terms);
    if (status == NITRO_OK)
        status = nitro_model_compile_terms(model, &terms, &model->compiled);
    return status;
}

nitro_status nitro_share_of_uses(nitro_context *context, const char *computation, double uses,
                                 float *share)
{
    if (uses == 0.0)
        return NITRO_OK;
    if (!(uses >= 1.0))
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "%s: %g uses of an input: give at least 1, INFINITY for no limit, or 0 "
                          "for the computation's default",
                          computation, uses);
    *share = (float)(1.0 / uses);
    return NITRO_OK;
}

static void score_columns(const nitro_model *model, const double *columns, double *scores)
{
    model->strategy->score(model->predictor, columns, scores);
    if (model->correction)
        nitro_kernel_pair_add(model->correction, 1.0, columns, scores);
}

/** Add the share of the cost of preparing. @return the factor by which errors may have grown. */
static double charge(const nitro_model *model, const double *columns, double share,
                     uint64_t allowed, double *scores)
{
    if (!(share > 0.0) || !model->prepare_costs)
        return 1.0;
    return nitro_prepare_costs_charge(model->prepare_costs, columns, share, allowed, scores);
}

/** Score all variants; false if a relative feature is undefined for this input. */
static bool score(const nitro_model *model, const double *features, double share, double *scores)
{
    double columns[NITRO_MODEL_MAX_COLUMNS];
    bool defined = nitro_model_columns(model, features, columns);
    score_columns(model, columns, scores);
    charge(model, columns, share, UINT64_MAX, scores);
    return defined;
}

void nitro_model_score(const nitro_model *model, const double *features, double *scores)
{
    score(model, features, 0.0, scores);
}

void nitro_model_score_uses(const nitro_model *model, const double *features, double share,
                            double *scores)
{
    score(model, features, share, scores);
}

double nitro_model_expected_ratio(const nitro_model *model, const double *scores, size_t chosen,
                                  size_t other)
{
    if (model->strategy->loss_per_score != 1.0)
        return NAN;
    return fmax(1.0 + scores[chosen], NITRO_LEAST_SPEED) /
           fmax(1.0 + scores[other], NITRO_LEAST_SPEED);
}

static bool is_outside(const nitro_model *model, const double *features)
{
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (!(model->judged >> f & 1))
            continue;
        else if (model->has_interval[f]
                     ? !(features[f] >= model->lowest[f] && features[f] <= model->highest[f])
                     : nitro_scaler_excess(&model->columns[f], features[f]) > NITRO_MODEL_TOLERANCE)
            return true;
    return false;
}

static bool is_allowed(uint64_t allowed, size_t variant)
{
    return allowed >> variant & 1;
}

/** The default variant if allowed, else the first allowed one. */
static size_t default_variant(const nitro_model *model, uint64_t allowed)
{
    size_t variant = model->schema->default_variant;
    for (size_t v = 0; !is_allowed(allowed, variant) && v < model->schema->num_variants; v++)
        if (is_allowed(allowed, v))
            variant = v;
    return variant;
}

static void decide(const nitro_model *model, const double *features, const double *scores,
                   bool defined, uint64_t allowed, double min_confidence, nitro_decision *decision)
{
    size_t num_variants = model->schema->num_variants, best = NITRO_NONE;
    for (size_t v = 0; v < num_variants; v++)
        if (is_allowed(allowed, v) && (best == NITRO_NONE || scores[v] > scores[best]))
            best = v;
    double confidence = nitro_calibration_confidence(
        &model->calibration, nitro_calibration_margin(scores, num_variants, allowed));
    if (!defined || is_outside(model, features))
        *decision = (nitro_decision){.variant = default_variant(model, allowed),
                                     .confidence = 0.0,
                                     .reason = NITRO_REASON_OUTSIDE};
    else if (confidence < min_confidence)
        *decision = (nitro_decision){.variant = default_variant(model, allowed),
                                     .confidence = confidence,
                                     .reason = NITRO_REASON_LOW_CONFIDENCE};
    else
        *decision = (nitro_decision){
            .variant = best, .confidence = confidence, .reason = NITRO_REASON_MODEL};
    decision->variant_name = model->schema->variants[decision->variant];
}

/** Is the decision the same for score errors up to `bound`? False for NaN. */
static bool is_exact(const nitro_model *model, const double *scores, double bound, uint64_t exact,
                     uint64_t allowed, double min_confidence)
{
    size_t num_variants = model->schema->num_variants;
    if (!nitro_compiled_is_exact(scores, num_variants, allowed, bound, exact))
        return false;
    if (min_confidence <= 0.0) /* any of them */
        return true;
    /* The margin uses the best score twice and the next one once. */
    double margin = nitro_calibration_margin(scores, num_variants, allowed);
    double low = nitro_calibration_confidence(&model->calibration, margin - 3.0 * bound);
    double high = nitro_calibration_confidence(&model->calibration, margin + 3.0 * bound);
    return min_confidence <= low || min_confidence > high;
}

bool nitro_model_decide_few_uses(const nitro_model *model, double share, nitro_decision *decision)
{
    const nitro_prepare_costs *costs = model->prepare_costs;
    if (!costs || !(share * costs->few_uses >= 1.0))
        return false;
    *decision = (nitro_decision){.variant = costs->few_variant,
                                 .variant_name = model->schema->variants[costs->few_variant],
                                 .confidence = costs->few_confidence,
                                 .reason = NITRO_REASON_FEW_USES};
    return true;
}

nitro_status nitro_model_decide(const nitro_model *model, const double *features, uint64_t allowed,
                                double min_confidence, nitro_decision *decision)
{
    return nitro_model_decide_uses(model, features, allowed, 0.0, min_confidence, decision);
}

nitro_status nitro_model_decide_uses(const nitro_model *model, const double *features,
                                     uint64_t allowed, double share, double min_confidence,
                                     nitro_decision *decision)
{
    if (!nitro_all_finite(features, model->schema->num_features))
        return NITRO_ERR_BAD_FEATURE;
    double columns[NITRO_MODEL_MAX_COLUMNS], scores[NITRO_MAX_VARIANTS];
    bool defined = nitro_model_columns(model, features, columns);
    bool confident = false;
    if (model->compiled)
        for (nitro_precision p = nitro_compiled_first_precision(model->compiled);
             !confident && p <= NITRO_PRECISION_DOUBLE; p++) {
            uint64_t exact;
            double bound = nitro_compiled_score(model->compiled, p, columns, scores, &exact);
            bound *= charge(model, columns, share, allowed, scores);
            confident = is_exact(model, scores, bound, exact, allowed, min_confidence);
        }
    if (!confident) {
        score_columns(model, columns, scores);
        charge(model, columns, share, allowed, scores);
    }
    decide(model, features, scores, defined, allowed, min_confidence, decision);
    return NITRO_OK;
}

/** Variants by falling score, in declared order where equal. */
static void rank(const double *scores, size_t count, size_t *ranking)
{
    for (size_t v = 0; v < count; v++) {
        size_t place = v;
        for (; place > 0 && scores[v] > scores[ranking[place - 1]]; place--)
            ranking[place] = ranking[place - 1];
        ranking[place] = v;
    }
}

nitro_status nitro_model_predict(const nitro_model *model, const double *features,
                                 nitro_decision *decision, size_t *ranking, double *scores)
{
    return nitro_model_predict_with(model, features, NULL, decision, ranking, scores);
}

nitro_status nitro_model_predict_with(const nitro_model *model, const double *features,
                                      const nitro_call_options *options, nitro_decision *decision,
                                      size_t *ranking, double *scores)
{
    size_t num_variants = model->schema->num_variants;
    float share = 0.0F;
    nitro_status status = nitro_share_of_uses(model->context, model->schema->computation,
                                              options ? options->uses : 0.0, &share);
    if (status != NITRO_OK)
        return status;
    for (size_t f = 0; f < model->schema->num_features; f++)
        if (!isfinite(features[f]))
            return nitro_fail(model->context, NITRO_ERR_BAD_FEATURE,
                              "feature %s is %g, but must be a finite number",
                              model->schema->features[f].name, features[f]);
    double all_scores[NITRO_MAX_VARIANTS];
    bool defined = score(model, features, share, all_scores);
    if (!nitro_model_decide_few_uses(model, share, decision))
        decide(model, features, all_scores, defined, UINT64_MAX >> (64 - num_variants), 0.0,
               decision);
    if (ranking)
        rank(all_scores, num_variants, ranking);
    if (scores)
        memcpy(scores, all_scores, num_variants * sizeof *scores);
    return NITRO_OK;
}
