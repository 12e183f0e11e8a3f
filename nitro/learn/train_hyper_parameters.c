/*
 * Recipes by left-out sources. Hides how hyper-parameters are compared: a strategy by itself, also
 * where another averages it, with all sources left out in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/train.h"

/** One strategy's recipes, and what was seen of them. */
typedef struct hyper_parameter_trials {
    nitro_context *context;
    nitro_training_task task; /* the strategy's own */
    const nitro_model *model;
    nitro_lodo usual;
    nitro_gain *gains; /* shape [num_devices] */
} hyper_parameter_trials;

static nitro_status try_hyper_setting(hyper_parameter_trials *t, size_t hyper_setting, double *gain)
{
    nitro_lodo other = {0};
    t->task.hyper_settings[0] = hyper_setting;
    nitro_status status = nitro_lodo_run(t->context, &t->task, t->model, &other);
    if (status != NITRO_OK)
        return status;
    nitro_lodo_compare(t->task.sources, &t->usual, &other, t->gains);
    *gain = nitro_predicted_quality_clear_gain(t->model->predicted, t->gains);
    nitro_lodo_free(&other);
    return NITRO_OK;
}

static void log_hyper_setting(const hyper_parameter_trials *t, size_t hyper_setting, double gain)
{
    if (!t->task.quiet)
        nitro_log(
            t->context, NITRO_LOG_INFO,
            "strategy %s learns with %s for target %s: on sources that were left out, quality "
            "is %.1f %% better than with %s",
            t->task.strategy->name, t->task.strategy->hyper_settings[hyper_setting],
            t->task.target->id, gain, t->task.strategy->hyper_settings[0]);
}

/** The best of those that are clearly better than the usual one, or that. */
static nitro_status try_hyper_settings(hyper_parameter_trials *t, size_t *chosen)
{
    double best = 0.0;
    nitro_status status = nitro_lodo_run(t->context, &t->task, t->model, &t->usual);
    for (size_t r = 1; r < t->task.strategy->num_hyper_settings && status == NITRO_OK; r++) {
        double gain = 0.0;
        status = try_hyper_setting(t, r, &gain);
        if (gain > best) {
            best = gain;
            *chosen = r;
        }
    }
    if (status == NITRO_OK && *chosen > 0)
        log_hyper_setting(t, *chosen, best);
    return status;
}

static nitro_status choose_hyper_settings(nitro_context *context, const nitro_training_task *task,
                                          const nitro_strategy *strategy, const nitro_model *model,
                                          size_t *chosen)
{
    hyper_parameter_trials t = {.context = context, .task = *task, .model = model};
    t.task.strategy = strategy;
    t.task.members = 0;
    memset(t.task.hyper_settings, 0, sizeof t.task.hyper_settings);
    t.gains = nitro_calloc(context, task->sources->num_devices, sizeof *t.gains);
    nitro_status status = t.gains ? try_hyper_settings(&t, chosen) : NITRO_ERR_NO_MEMORY;
    nitro_lodo_free(&t.usual);
    free(t.gains);
    return status;
}

nitro_status nitro_model_choose_hyper_settings(nitro_context *context, nitro_training_task *task,
                                               const nitro_model *model, bool *is_changed)
{
    const nitro_strategy *strategy = task->strategy;
    const nitro_strategy *const *choosers = strategy->num_members ? strategy->members : &strategy;
    size_t num_choosers = strategy->num_members ? strategy->num_members : 1;
    size_t hyper_settings[NITRO_MAX_MEMBERS] = {0};
    nitro_status status = NITRO_OK;
    bool is_any = false;
    if (!model->predicted || model->predicted->num_sources < NITRO_MIN_JUDGES)
        num_choosers = 0;
    for (size_t i = 0; i < num_choosers && status == NITRO_OK; i++) {
        if (choosers[i]->num_hyper_settings > 1)
            status = choose_hyper_settings(context, task, choosers[i], model, &hyper_settings[i]);
        is_any |= hyper_settings[i] > 0;
    }
    if (status == NITRO_ERR_NO_DATA) /* too few inputs to leave some of them out */
        status = NITRO_OK;
    if (status != NITRO_OK)
        return status;
    if (is_any)
        memcpy(task->hyper_settings, hyper_settings, sizeof hyper_settings);
    *is_changed = is_any;
    return NITRO_OK;
}
