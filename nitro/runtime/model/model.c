/* Decides by a model. Below the minimum confidence, chooses the default variant. Outside the
 * training range, extrapolates where that was validated, else chooses the variant that loses least
 * on the nearest training inputs.
 */
#include "nitro/runtime/model/model.h"
#include "nitro/base/clamp.h"
#include "nitro/base/require.h"

#include <math.h>
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
    free(model->tree);
    if (model->predictor && !model->borrows_predictor)
        model->strategy->free(model->predictor);
    nitro_model_free_columns(model);
    nitro_schema_free(model->schema);
    free(model->map);
    nitro_string_list_free(&model->device_features);
    nitro_kernel_pair_free(model->correction);
    nitro_prepare_costs_free(model->prepare_costs);
    if (model->predicted)
        model->free_predicted(model->predicted);
    if (model->provenance)
        model->free_provenance(model->provenance);
    free(model->ends);
    free(model->held_out);
    free(model->strategy_name);
    free(model->target);
    free(model->target_kind);
    free(model);
}

const char *nitro_model_computation(const nitro_model *model)
{
    return model ? model->schema->computation : NULL;
}

const char *nitro_model_target(const nitro_model *model)
{
    return model ? model->target : NULL;
}

const char *nitro_model_strategy(const nitro_model *model)
{
    if (!model)
        return NULL;
    return model->strategy_name ? model->strategy_name : model->strategy->name;
}

size_t nitro_model_num_variants(const nitro_model *model)
{
    return model ? model->schema->num_variants : 0;
}

size_t nitro_model_num_ranked(const nitro_model *model)
{
    size_t count = 0;
    for (size_t v = 0; v < nitro_model_num_variants(model); v++)
        count += !(model->untried >> v & 1);
    return count;
}

size_t nitro_model_num_features(const nitro_model *model)
{
    return model ? model->schema->num_features : 0;
}

const char *nitro_model_variant_name(const nitro_model *model, size_t index)
{
    return model && index < model->schema->num_variants ? model->schema->variants[index] : NULL;
}

const char *nitro_model_feature_name(const nitro_model *model, size_t index)
{
    return model && index < model->schema->num_features ? model->schema->features[index].name
                                                        : NULL;
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
    if (status == NITRO_OK)
        status = nitro_model_compile_tree(model, &terms, &model->tree);
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

void nitro_model_score(const nitro_model *model, const double *features, double *scores)
{
    nitro_model_score_uses(model, features, 0.0, scores);
}

uint64_t nitro_model_tried(const nitro_model *model, uint64_t allowed)
{
    uint64_t tried = allowed & ~model->untried;
    return tried ? tried : allowed;
}

void nitro_model_score_uses(const nitro_model *model, const double *features, double share,
                            double *scores)
{
    double columns[NITRO_MODEL_MAX_COLUMNS];
    nitro_model_columns(model, features, columns);
    score_columns(model, columns, scores);
    uint64_t all = UINT64_MAX >> (64 - model->schema->num_variants);
    charge(model, columns, share, nitro_model_tried(model, all), scores);
}

void nitro_model_move_inside(const nitro_model *model, double *columns)
{
    for (size_t i = 0; i < model->num_seen; i++)
        if (model->seen[i] < model->schema->num_features)
            columns[i] =
                nitro_clamp(columns[i], -1.0 - NITRO_MODEL_TOLERANCE, 1.0 + NITRO_MODEL_TOLERANCE);
}

double nitro_model_expected_ratio(const nitro_model *model, const double *scores, size_t chosen,
                                  size_t other)
{
    if (model->strategy->loss_per_score != 1.0)
        return NAN;
    return fmax(1.0 + scores[chosen], NITRO_LEAST_SPEED) /
           fmax(1.0 + scores[other], NITRO_LEAST_SPEED);
}

bool nitro_model_expected_preparing(const nitro_model *model, const double *features, double *runs)
{
    double columns[NITRO_MODEL_MAX_COLUMNS];
    if (!model->prepare_costs || !model->prepare_costs->prepared)
        return false;
    nitro_model_columns(model, features, columns);
    nitro_prepare_costs_evaluate(model->prepare_costs, columns, runs);
    return true;
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

/** An input, its columns and scores, and what to choose among. */
typedef struct question {
    const nitro_model *model;
    const double *features, *columns;
    double *scores;
    bool is_defined; /* all relative features are */
    uint64_t allowed;
    uint64_t tried; /* of these; what no source ran has scores, but they say nothing */
    double share, min_confidence;
} question;

static size_t find_best(const question *asked, const double *scores)
{
    size_t best = NITRO_NONE;
    for (size_t v = 0; v < asked->model->schema->num_variants; v++)
        if (is_allowed(asked->tried, v) && (best == NITRO_NONE || scores[v] > scores[best]))
            best = v;
    return best;
}

static double find_confidence(const question *asked)
{
    return nitro_calibration_confidence(
        &asked->model->calibration,
        nitro_calibration_margin(asked->scores, asked->model->schema->num_variants, asked->tried));
}

static nitro_decision take_default(const question *asked, double confidence, nitro_reason reason)
{
    return (nitro_decision){.variant = default_variant(asked->model, asked->allowed),
                            .confidence = confidence,
                            .reason = reason};
}

/** The best variant by the end's scores; the default where none is known to run there. */
static nitro_decision fall_back(const question *asked, const nitro_outside *outside)
{
    const nitro_model *model = asked->model;
    double scores[NITRO_MAX_VARIANTS];
    if (!outside->end)
        return take_default(asked, 0.0, NITRO_REASON_OUTSIDE);
    memcpy(scores, outside->end->fallback_scores, model->schema->num_variants * sizeof *scores);
    charge(model, asked->columns, asked->share, asked->tried, scores);
    size_t best = find_best(asked, scores);
    if (!(outside->end->fallback_scores[best] > -1.0))
        return take_default(asked, 0.0, NITRO_REASON_OUTSIDE);
    return (nitro_decision){.variant = best,
                            .confidence =
                                outside->end->fallback_confidence / (1.0 + outside->excess),
                            .reason = NITRO_REASON_NEAREST};
}

static nitro_decision decide_outside(const question *asked)
{
    nitro_outside outside;
    nitro_model_find_outside(asked->model, asked->features, &outside);
    double confidence = fmin(find_confidence(asked), outside.confidence);
    if (!asked->is_defined || !outside.is_within_reach || confidence < asked->min_confidence)
        return fall_back(asked, &outside);
    return (nitro_decision){.variant = find_best(asked, asked->scores),
                            .confidence = confidence,
                            .reason = NITRO_REASON_EXTRAPOLATED};
}

static nitro_decision decide_inside(const question *asked)
{
    size_t best = find_best(asked, asked->scores);
    if (!asked->is_defined || !isfinite(asked->scores[best]))
        return take_default(asked, 0.0, NITRO_REASON_OUTSIDE);
    double confidence = find_confidence(asked);
    if (confidence < asked->min_confidence)
        return take_default(asked, confidence, NITRO_REASON_LOW_CONFIDENCE);
    return (nitro_decision){
        .variant = best, .confidence = confidence, .reason = NITRO_REASON_MODEL};
}

static void decide(const question *asked, bool is_outside, nitro_decision *decision)
{
    *decision = is_outside ? decide_outside(asked) : decide_inside(asked);
    decision->variant_name = asked->model->schema->variants[decision->variant];
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

uint64_t nitro_model_first_features(const nitro_model *model)
{
    const nitro_prepare_costs *costs = model->prepare_costs;
    return costs && costs->few_feature != NITRO_NONE ? UINT64_C(1) << costs->few_feature : 0;
}

bool nitro_model_decide_few_uses(const nitro_model *model, double share, const double *features,
                                 uint64_t known, nitro_decision *decision)
{
    const nitro_few_uses *few = model->prepare_costs
                                    ? nitro_prepare_costs_few(model->prepare_costs, features, known)
                                    : NULL;
    if (!few || !(share * few->uses >= 1.0))
        return false;
    *decision = (nitro_decision){.variant = few->variant,
                                 .variant_name = model->schema->variants[few->variant],
                                 .confidence = few->confidence,
                                 .reason = NITRO_REASON_FEW_USES};
    return true;
}

nitro_status nitro_model_decide(const nitro_model *model, const double *features, uint64_t allowed,
                                double min_confidence, nitro_decision *decision)
{
    return nitro_model_decide_uses(model, features, allowed, 0.0, min_confidence, decision);
}

/** Fill the scores as exactly as the decision needs them. */
static void score(const question *asked)
{
    const nitro_model *model = asked->model;
    bool confident = false;
    if (model->compiled)
        for (nitro_precision p = nitro_compiled_first_precision(model->compiled);
             !confident && p <= NITRO_PRECISION_DOUBLE; p++) {
            uint64_t exact;
            double bound =
                nitro_compiled_score(model->compiled, p, asked->columns, asked->scores, &exact);
            bound *= charge(model, asked->columns, asked->share, asked->tried, asked->scores);
            confident =
                is_exact(model, asked->scores, bound, exact, asked->tried, asked->min_confidence);
        }
    if (!confident) {
        score_columns(model, asked->columns, asked->scores);
        charge(model, asked->columns, asked->share, asked->tried, asked->scores);
    }
}

nitro_status nitro_model_decide_uses(const nitro_model *model, const double *features,
                                     uint64_t allowed, double share, double min_confidence,
                                     nitro_decision *decision)
{
    if (!nitro_all_finite(features, model->schema->num_features))
        return NITRO_ERR_BAD_FEATURE;
    double columns[NITRO_MODEL_MAX_COLUMNS], scores[NITRO_MAX_VARIANTS];
    bool is_outside = nitro_model_is_outside(model, features);
    bool walks = model->tree && !is_outside && !(share > 0.0 && model->prepare_costs);
    const question asked = {.model = model,
                            .features = features,
                            .columns = columns,
                            .scores = scores,
                            .is_defined = walks ? nitro_model_walk(model, features, scores)
                                                : nitro_model_columns(model, features, columns),
                            .allowed = allowed,
                            .tried = nitro_model_tried(model, allowed),
                            .share = share,
                            .min_confidence = min_confidence};
    if (is_outside)
        nitro_model_move_inside(model, columns);
    if (!walks)
        score(&asked);
    decide(&asked, is_outside, decision);
    return NITRO_OK;
}

/** Does variant `v` come before one that is declared earlier? */
static bool is_better(const nitro_model *model, const double *scores, size_t v, size_t earlier)
{
    bool is_tried = !(model->untried >> v & 1), earlier_is_tried = !(model->untried >> earlier & 1);
    return is_tried == earlier_is_tried ? scores[v] > scores[earlier] : is_tried;
}

/** Variants by falling score, in declared order where equal; the untried ones last. */
static void rank(const nitro_model *model, const double *scores, size_t *ranking)
{
    for (size_t v = 0; v < model->schema->num_variants; v++) {
        size_t place = v;
        for (; place > 0 && is_better(model, scores, v, ranking[place - 1]); place--)
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
    NITRO_REQUIRE(model ? model->context : NULL, model && features && decision);
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
    double columns[NITRO_MODEL_MAX_COLUMNS], all_scores[NITRO_MAX_VARIANTS];
    const uint64_t all = UINT64_MAX >> (64 - num_variants);
    const question asked = {.model = model,
                            .features = features,
                            .columns = columns,
                            .scores = all_scores,
                            .is_defined = nitro_model_columns(model, features, columns),
                            .allowed = all,
                            .tried = nitro_model_tried(model, all),
                            .share = share};
    bool is_outside = nitro_model_is_outside(model, features);
    if (is_outside)
        nitro_model_move_inside(model, columns);
    score_columns(model, columns, all_scores);
    charge(model, columns, share, asked.tried, all_scores);
    if (!nitro_model_decide_few_uses(model, share, features, UINT64_MAX, decision))
        decide(&asked, is_outside, decision);
    if (ranking)
        rank(model, all_scores, ranking);
    if (scores)
        memcpy(scores, all_scores, num_variants * sizeof *scores);
    return NITRO_OK;
}
