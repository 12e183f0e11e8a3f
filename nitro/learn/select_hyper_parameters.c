/* Hyper-parameters by LODO validation: each setting of a strategy against its default one. */
#include "nitro/learn/select_hyper_parameters.h"

#include <stdlib.h>
#include <string.h>

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
        nitro_log(c->context, NITRO_LOG_INFO,
                  "strategy %s uses %s for target %s: LODO quality is %.1f %% better than with %s",
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

nitro_status nitro_hyper_settings_select(nitro_context *context, nitro_fit_task *task,
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
