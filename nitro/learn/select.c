/*
 * Selection: fit a model, validate it, and take another setting where validation shows that it is
 * clearly better. In this order: relative features, hyper-parameters, ensemble members, and whether
 * device features are used at all. For a device's own samples, see select_own.c.
 */
#include "nitro/learn/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/candidate.h"
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/device_range.h"
#include "nitro/learn/data/device_similarity.h"
#include "nitro/learn/data/source_checks.h"
#include "nitro/learn/data/source_weights.h"
#include "nitro/learn/feature_costs.h"
#include "nitro/learn/held_out.h"
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/prepare_costs_fit.h"
#include "nitro/learn/range_ends_fit.h"
#include "nitro/learn/relative_selection.h"
#include "nitro/learn/select_sources.h"

/* Without one source, LODO validation must still be able to use a constant relative feature. */
#define MIN_SOURCES_FOR_CONSTANTS (NITRO_MIN_DEVICE_VALUES + 1)

static bool has_lodo(const nitro_candidate *c, size_t least)
{
    const nitro_predicted_quality *predicted = c->model->predicted;
    return predicted && predicted->num_sources >= least;
}

void nitro_candidate_replace(nitro_candidate *c, const nitro_candidate *by)
{
    nitro_model_free(c->model);
    *c = *by;
}

/** Replace the candidate by one without some features if its LODO quality is clearly better. */
static void replace_if_better(const nitro_selection *s, nitro_log_level level, const char *features,
                              const nitro_candidate *without, nitro_candidate *c)
{
    const nitro_predicted_quality *with = c->model->predicted;
    if (!nitro_predicted_quality_is_better(without->model->predicted, with)) {
        nitro_model_free(without->model);
        return;
    }
    if (s->logs)
        nitro_log(s->context, level,
                  "%s are not used for target %s: LODO quality is %.1f %% with them and %.1f %% "
                  "without",
                  features, s->task->target->id, with->lodo_quality,
                  without->model->predicted->lodo_quality);
    nitro_candidate_replace(c, without);
}

/* ---- One candidate --------------------------------------------------------------------------- */

static void compare_members(const nitro_lodo *lodo, nitro_candidate *c)
{
    const nitro_predicted_quality *predicted = c->model->predicted;
    double best = 0.0;
    for (size_t mix = 1; mix < lodo->num_mixes; mix++) {
        double gain = nitro_predicted_quality_clear_gain(
            predicted, lodo->mix_gains + mix * c->fit.sources->num_devices);
        if (gain <= best)
            continue;
        best = gain;
        c->members = mix;
        c->members_quality = predicted->lodo_quality + gain;
    }
}

static nitro_status validate_by_lodo(const nitro_selection *s, double held_out_quality,
                                     nitro_candidate *c)
{
    nitro_lodo lodo = {0};
    nitro_status status = nitro_lodo_run(s->context, &c->fit, &lodo);
    bool is_possible = status != NITRO_ERR_NO_DATA;
    if (status == NITRO_OK || !is_possible)
        status = nitro_predicted_quality_find(s->context, &c->fit, held_out_quality,
                                              is_possible ? &lodo : NULL, c->model,
                                              &c->model->predicted);
    c->model->free_predicted = nitro_predicted_quality_free;
    if (status == NITRO_OK && has_lodo(c, NITRO_MIN_LODO_SOURCES))
        compare_members(&lodo, c);
    nitro_lodo_free(&lodo);
    return status;
}

/** Calibrate by held-out inputs, and for the target by LODO validation if that is wanted. */
static nitro_status validate(const nitro_selection *s, const nitro_fit_evidence *evidence,
                             nitro_candidate *c)
{
    const nitro_training_rows *rows = &evidence->rows;
    size_t num_variants = c->model->schema->num_variants;
    nitro_status status =
        nitro_calibration_fit(s->context, rows->times_ms, evidence->held_out_scores, NULL,
                              rows->num_rows, num_variants, &c->model->calibration);
    if (status == NITRO_OK) {
        c->model->held_out = nitro_calloc(s->context, 1, sizeof *c->model->held_out);
        status = c->model->held_out ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    }
    if (status == NITRO_OK)
        nitro_held_out_judge(rows, evidence->held_out_scores, c->model, c->model->held_out);
    if (status == NITRO_OK)
        status = nitro_prepare_costs_fit(s->context, c->fit.sources, rows,
                                         evidence->held_out_scores, c->model);
    if (status == NITRO_OK && (s->task->lodo || s->task->guards))
        status =
            validate_by_lodo(s,
                             100.0 * nitro_scores_quality(rows->times_ms, evidence->held_out_scores,
                                                          rows->num_rows, num_variants),
                             c);
    return status;
}

/** Grows with the total time, which few large inputs decide, and falls with the mean quality, to
 *  which all contribute and which therefore counts more. Scores that rank variants well may be too
 *  far apart, or too near, for costs of preparing: choices for fewer uses count too. */
static double held_out_cost(const nitro_fit_evidence *evidence, const nitro_model *model)
{
    static const double uses[] = {INFINITY, 100.0, 10.0};
    size_t count = model->prepare_costs ? sizeof uses / sizeof uses[0] : 1;
    double cost = 0.0;
    for (size_t i = 0; i < count; i++) {
        nitro_held_out_choice choice =
            nitro_held_out_choose(&evidence->rows, evidence->held_out_scores, model, uses[i]);
        cost += (0.5 * log(choice.time) - log(choice.quality / 100.0)) / (double)count;
    }
    return cost;
}

nitro_status nitro_candidate_evaluate(const nitro_selection *s, bool logs, nitro_candidate *c)
{
    nitro_fit_evidence evidence = {0};
    c->model = NULL;
    c->members = 0;
    nitro_status status = nitro_fit(s->context, &c->fit, &c->model, &evidence);
    if (status != NITRO_OK)
        return status;
    if (logs)
        nitro_training_rows_log_skipped(c->model, c->fit.sources, &evidence.rows);
    nitro_feature_costs_charge(c->fit.sources, nitro_model_used_features(c->model), &evidence.rows);
    c->total = nitro_feature_costs_total(&evidence.rows, evidence.held_out_scores,
                                         c->model->schema->num_variants);
    status = validate(s, &evidence, c);
    if (status == NITRO_OK)
        c->cost = held_out_cost(&evidence, c->model);
    nitro_fit_evidence_free(&evidence);
    if (status != NITRO_OK) {
        nitro_model_free(c->model);
        c->model = NULL;
    }
    return status;
}

/* ---- Hyper-parameters ------------------------------------------------------------------------ */

/** The settings of one strategy. */
typedef struct comparison {
    nitro_context *context;
    nitro_fit_task task; /* with that strategy, not the ensemble */
    const nitro_predicted_quality *predicted;
    nitro_lodo base;
    nitro_gain *gains; /* shape [num_devices] */
    bool logs;
} comparison;

static nitro_status compare_setting(comparison *c, size_t setting, double *gain)
{
    nitro_lodo other = {0};
    c->task.hyper_settings[0] = setting;
    nitro_status status = nitro_lodo_run(c->context, &c->task, &other);
    if (status != NITRO_OK)
        return status;
    nitro_lodo_compare(c->task.sources, &c->base, &other, c->gains);
    *gain = nitro_predicted_quality_clear_gain(c->predicted, c->gains);
    nitro_lodo_free(&other);
    return NITRO_OK;
}

static nitro_status compare_settings(comparison *c, size_t *chosen)
{
    const nitro_strategy *strategy = c->task.strategy;
    double best = 0.0;
    nitro_status status = nitro_lodo_run(c->context, &c->task, &c->base);
    for (size_t i = 1; i < strategy->num_hyper_settings && status == NITRO_OK; i++) {
        double gain = 0.0;
        status = compare_setting(c, i, &gain);
        if (gain > best) {
            best = gain;
            *chosen = i;
        }
    }
    if (status == NITRO_OK && *chosen > 0 && c->logs)
        nitro_log(
            c->context, NITRO_LOG_INFO,
            "strategy %s uses %s for target %s: LODO quality is %.1f points higher than with %s",
            strategy->name, strategy->hyper_settings[*chosen], c->task.target->id, best,
            strategy->hyper_settings[0]);
    return status;
}

static nitro_status select_setting(nitro_context *context, const nitro_fit_task *task,
                                   const nitro_strategy *strategy,
                                   const nitro_predicted_quality *predicted, bool logs,
                                   size_t *chosen)
{
    comparison c = {.context = context, .task = *task, .predicted = predicted, .logs = logs};
    c.task.strategy = strategy;
    c.task.members = 0;
    memset(c.task.hyper_settings, 0, sizeof c.task.hyper_settings);
    c.gains = nitro_calloc(context, task->sources->num_devices, sizeof *c.gains);
    nitro_status status = c.gains ? compare_settings(&c, chosen) : NITRO_ERR_NO_MEMORY;
    nitro_lodo_free(&c.base);
    free(c.gains);
    return status;
}

/** Set task->hyper_settings, of the strategy or of each of an ensemble's members, to the best
 * setting that is clearly better than the default one in LODO validation of the strategy by itself.
 * @param[in]  predicted   of a model with the default settings: it has the weights of the sources.
 * @param[out] is_changed  not all settings are the default. */
static nitro_status choose_hyper_settings(nitro_context *context, nitro_fit_task *task,
                                          const nitro_predicted_quality *predicted, bool logs,
                                          bool *is_changed)
{
    const nitro_strategy *strategy = task->strategy;
    const nitro_strategy *const *choosers = strategy->num_members ? strategy->members : &strategy;
    size_t num_choosers = strategy->num_members ? strategy->num_members : 1;
    size_t settings[NITRO_MAX_MEMBERS] = {0};
    nitro_status status = NITRO_OK;
    bool is_any = false;
    for (size_t i = 0; i < num_choosers && status == NITRO_OK; i++) {
        if (choosers[i]->num_hyper_settings > 1)
            status = select_setting(context, task, choosers[i], predicted, logs, &settings[i]);
        is_any |= settings[i] > 0;
    }
    if (status != NITRO_OK && status != NITRO_ERR_NO_DATA) /* too few inputs for LODO validation */
        return status;
    if (is_any)
        memcpy(task->hyper_settings, settings, sizeof settings);
    *is_changed = is_any;
    return NITRO_OK;
}

/* ---- Choices --------------------------------------------------------------------------------- */

/** Relative features that are constant on each device are dropped if validation prefers it. */
static nitro_status select_relative(const nitro_selection *s, nitro_candidate *c)
{
    nitro_candidate without = {.fit = c->fit};
    size_t num_dropped = 0;
    if (!has_lodo(c, MIN_SOURCES_FOR_CONSTANTS))
        return NITRO_OK;
    nitro_status status = nitro_relative_drop_constant(s->context, c->fit.sources->schema,
                                                       without.fit.relative, &num_dropped);
    if (status != NITRO_OK || num_dropped == 0)
        return status;
    status = nitro_candidate_evaluate(s, false, &without);
    if (status == NITRO_OK)
        replace_if_better(s, NITRO_LOG_INFO, "relative features that are constant on each device",
                          &without, c);
    return status;
}

static nitro_status select_hyper_settings(const nitro_selection *s, nitro_candidate *c)
{
    nitro_candidate other = {.fit = c->fit};
    bool is_changed = false;
    if (!has_lodo(c, NITRO_MIN_LODO_SOURCES))
        return NITRO_OK;
    nitro_status status =
        choose_hyper_settings(s->context, &other.fit, c->model->predicted, s->logs, &is_changed);
    if (status == NITRO_OK && is_changed) {
        status = nitro_candidate_evaluate(s, false, &other);
        if (status == NITRO_OK)
            nitro_candidate_replace(c, &other);
    }
    return status;
}

static void log_members(const nitro_selection *s, const nitro_candidate *c)
{
    const nitro_strategy *strategy = s->task->strategy;
    char names[512] = "";
    for (size_t m = 0; m < strategy->num_members; m++)
        if (c->members >> m & 1)
            nitro_message_list_add(names, sizeof names, "%s", strategy->members[m]->name);
    if (s->logs)
        nitro_log(s->context, NITRO_LOG_INFO,
                  "strategy %s uses only %s for target %s: LODO quality is %.1f %% with all of its "
                  "members and %.1f %% with these",
                  strategy->name, names, s->task->target->id, c->model->predicted->lodo_quality,
                  c->members_quality);
}

static nitro_status select_members(const nitro_selection *s, nitro_candidate *c)
{
    nitro_candidate other = {.fit = c->fit};
    if (c->members == 0 || s->task->all_members)
        return NITRO_OK;
    log_members(s, c);
    other.fit.members = c->members;
    nitro_status status = nitro_candidate_evaluate(s, false, &other);
    if (status == NITRO_OK)
        nitro_candidate_replace(c, &other);
    return status;
}

extern const nitro_strategy nitro_strategy_boosted;

static bool is_own(const nitro_training_task *task)
{
    return !task->lodo && !task->guards && !task->as_published;
}

/** An ensemble is for other devices' samples; for a device's own ones boosting is better. */
static const nitro_strategy *choose_strategy(const nitro_training_task *task)
{
    bool is_ensemble = task->strategy->num_members > 0;
    return is_ensemble && is_own(task) && task->sources->num_devices == 1 ? &nitro_strategy_boosted
                                                                          : task->strategy;
}

/** The best model with these device features. */
static nitro_status select_with(const nitro_selection *s, const nitro_string_list *device_features,
                                nitro_candidate *c)
{
    const nitro_training_task *task = s->task;
    *c = (nitro_candidate){.fit = {.sources = task->sources,
                                   .target = task->target,
                                   .device_features = device_features,
                                   .lacks_architecture = task->lacks_architecture,
                                   .clamps_device = task->guards,
                                   .strategy = choose_strategy(task),
                                   .memo = task->memo,
                                   .listener = task->listener,
                                   .seed = task->seed,
                                   .num_threads = task->num_threads}};
    for (size_t i = 0; i < NITRO_MAX_FEATURES; i++)
        c->fit.relative[i] = task->use_relative;
    nitro_status status = nitro_relative_select(s->context, task->sources, NITRO_NONE, task->target,
                                                s->logs, c->fit.relative);
    if (status == NITRO_OK)
        status = nitro_candidate_evaluate(s, s->logs, c);
    if (status == NITRO_OK)
        status = select_relative(s, c);
    if (status == NITRO_OK)
        status = select_hyper_settings(s, c);
    if (status == NITRO_OK)
        status = select_members(s, c);
    if (status == NITRO_OK && is_own(task))
        status = nitro_select_own(s, c);
    if (status != NITRO_OK) {
        nitro_model_free(c->model);
        c->model = NULL;
    }
    return status;
}

/** No device features if validation prefers it. */
static nitro_status select_device_features(const nitro_selection *s, nitro_candidate *c)
{
    static const nitro_string_list none = {0};
    const nitro_selection quiet = {s->context, s->task, false};
    nitro_candidate without;
    if (c->model->device_features.count == 0 || !has_lodo(c, NITRO_MIN_LODO_SOURCES))
        return NITRO_OK;
    nitro_status status = select_with(&quiet, &none, &without);
    if (status == NITRO_OK)
        replace_if_better(s, NITRO_LOG_WARNING, "device features", &without, c);
    return status;
}

static bool may_weigh(const nitro_training_task *task)
{
    return task->weighs_sources && task->device_features->count == 0 &&
           !task->strategy->without_relative;
}

static bool have_one_stack(const nitro_dataset *sources)
{
    for (size_t d = 1; d < sources->num_devices; d++)
        if (!nitro_device_same_stack(sources->devices[0], sources->devices[d]))
            return false;
    return true;
}

static nitro_status train_together(nitro_context *context, const nitro_training_task *task,
                                   nitro_model **model)
{
    const nitro_selection s = {context, task, !task->quiet};
    nitro_candidate c;
    nitro_status status = select_with(&s, task->device_features, &c);
    if (status != NITRO_OK)
        return status;
    if (task->guards && s.logs)
        nitro_device_range_log_clamped(c.model, task->target);
    if (task->guards)
        status = select_device_features(&s, &c);
    if (status == NITRO_OK && task->range_ends)
        status = nitro_range_ends_fit(context, &c.fit, c.model);
    if (status == NITRO_OK)
        *model = c.model;
    else
        nitro_model_free(c.model);
    return status;
}

/** Train on all sources that are not set aside. */
static nitro_status train_kept(nitro_context *context, const nitro_training_task *task,
                               const nitro_source_weighing *weighing, nitro_model **model)
{
    const bool *set_aside = nitro_source_weighing_set_aside(weighing);
    nitro_training_task own = *task;
    nitro_dataset *kept = NULL;
    bool *keeps = nitro_calloc(context, task->sources->num_devices, sizeof *keeps);
    nitro_status status = keeps ? NITRO_OK : NITRO_ERR_NO_MEMORY;
    for (size_t d = 0; d < task->sources->num_devices && status == NITRO_OK; d++)
        keeps[d] = !set_aside[d];
    if (status == NITRO_OK)
        status = nitro_dataset_select(context, task->sources, keeps, NULL, &kept);
    own.sources = kept;
    own.lacks_architecture = nitro_source_weighing_lacks_architecture(weighing);
    if (status == NITRO_OK)
        status = train_together(context, &own, model);
    if (status == NITRO_OK)
        status = nitro_predicted_quality_restore(context, keeps, set_aside,
                                                 task->sources->num_devices, (*model)->predicted);
    nitro_dataset_free(kept);
    free(keeps);
    return status;
}

/** Sources of one stack are learnt together, unless validation shows that weights are clearly
 *  better: on recorded SpMV data of one campaign the mean quality is 96.5, with weights 96.1. */
static nitro_status train_one_stack(nitro_context *context, const nitro_training_task *task,
                                    nitro_model **model)
{
    nitro_source_weighing *weighing = NULL;
    nitro_model *made = NULL;
    nitro_status status = task->sources->num_devices < 2
                              ? NITRO_ERR_NO_DATA
                              : nitro_source_weighing_run(context, task, &weighing);
    if (status == NITRO_ERR_NO_DATA)
        return train_together(context, task, model);
    if (status == NITRO_OK)
        status = train_kept(context, task, weighing, &made);
    if (status == NITRO_OK && made->predicted &&
        nitro_source_weighing_is_better(weighing, made->predicted)) {
        nitro_model_free(made);
        made = NULL;
        status = nitro_source_weighing_train(weighing, &made);
    }
    nitro_source_weighing_free(weighing);
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}

/** Show that the model learnt from these sources alone. */
static nitro_status show_own_stack(nitro_context *context, const bool *kept, const bool *set_aside,
                                   size_t num_devices, nitro_predicted_quality *predicted)
{
    if (predicted && !predicted->rule) {
        predicted->rule = nitro_source_rule_name(NITRO_SOURCES_BY_STACK);
        size_t num_used = 0;
        for (size_t i = 0; i < predicted->num_sources; i++)
            num_used += !predicted->sources[i].is_set_aside;
        for (size_t i = 0; i < predicted->num_sources; i++)
            if (!predicted->sources[i].is_set_aside)
                predicted->sources[i].weight = 1.0 / (double)num_used;
    }
    return nitro_predicted_quality_restore(context, kept, set_aside, num_devices, predicted);
}

/** Mark the sources of the target's software stack that can be learnt from. How many. */
static size_t mark_own_stack(const nitro_training_task *task, const bool *set_aside, bool *marks)
{
    const nitro_dataset *sources = task->sources;
    size_t count = 0;
    for (size_t d = 0; d < sources->num_devices; d++) {
        marks[d] = !set_aside[d] && !isnan(nitro_source_fixed_loss(sources, d)) &&
                   nitro_device_same_stack(sources->devices[d], task->target);
        count += marks[d];
    }
    return count;
}

/** Sources of the target's own stack, if there are enough for LODO validation, are learnt from as
 * if there were no others: these add less than weights cost. NITRO_ERR_NO_DATA: there are too few.
 */
static nitro_status train_own_stack(nitro_context *context, const nitro_training_task *task,
                                    const nitro_source_weighing *weighing, nitro_model **model)
{
    const bool *set_aside = nitro_source_weighing_set_aside(weighing);
    const size_t num_devices = task->sources->num_devices;
    nitro_training_task own = *task;
    nitro_dataset *kept = NULL;
    bool *keeps = nitro_calloc(context, num_devices, sizeof *keeps);
    nitro_status status = !keeps ? NITRO_ERR_NO_MEMORY
                          : mark_own_stack(task, set_aside, keeps) < NITRO_MIN_LODO_SOURCES
                              ? NITRO_ERR_NO_DATA
                              : NITRO_OK;
    if (status == NITRO_OK)
        status = nitro_dataset_select(context, task->sources, keeps, NULL, &kept);
    own.sources = kept;
    if (status == NITRO_OK)
        status = train_one_stack(context, &own, model);
    if (status == NITRO_OK)
        status = show_own_stack(context, keeps, set_aside, num_devices, (*model)->predicted);
    nitro_dataset_free(kept);
    free(keeps);
    return status;
}

static nitro_status train_weighted(nitro_context *context, const nitro_training_task *task,
                                   nitro_model **model)
{
    nitro_source_weighing *weighing = NULL;
    nitro_status status = nitro_source_weighing_run(context, task, &weighing);
    if (status == NITRO_OK) {
        status = train_own_stack(context, task, weighing, model);
        if (status == NITRO_ERR_NO_DATA)
            status = nitro_source_weighing_train(weighing, model);
    }
    nitro_source_weighing_free(weighing);
    return status == NITRO_ERR_NO_DATA ? train_together(context, task, model) : status;
}

nitro_status nitro_model_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model)
{
    if (!may_weigh(task))
        return train_together(context, task, model);
    return have_one_stack(task->sources) ? train_one_stack(context, task, model)
                                         : train_weighted(context, task, model);
}
