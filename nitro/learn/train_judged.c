/*
 * Learning, and learning again as left-out sources say: without relative features that only tell
 * devices, with other hyper-parameters, by some members of a strategy. Hides in which order.
 */
#include <stdio.h>

#include "nitro/learn/predicted_quality.h"
#include "nitro/learn/train.h"

#define MIN_DEVICE_JUDGES (NITRO_MIN_DEVICE_VALUES + 1) /* with one left out, so many remain */

static bool has_device_alone(const nitro_model *model)
{
    for (size_t i = 0; i < model->relative->count; i++)
        if (!nitro_relative_needs_input(model->relative, i))
            return true;
    return false;
}

/** Relative features that only tell devices stay, unless left-out sources are clearly better served
 *  without: the lesson then asks for none, and the model has none. */
static nitro_status judge_device_alone(nitro_context *context, nitro_training_task *task,
                                       nitro_model **model)
{
    nitro_training_task other = *task;
    nitro_model *without = NULL;
    const nitro_predicted_quality *predicted = (*model)->predicted;
    if (!predicted || predicted->num_sources < MIN_DEVICE_JUDGES || !has_device_alone(*model))
        return NITRO_OK;
    other.without_device_alone = other.quiet = true;
    nitro_status status = nitro_model_train_as_told(context, &other, &without);
    if (status != NITRO_OK)
        return status;
    if (nitro_predicted_quality_is_better(without->predicted, predicted)) {
        if (!task->quiet)
            nitro_log(context, NITRO_LOG_INFO,
                      "relative features that only tell devices are left out for target %s: on "
                      "sources that were left out, quality is %.1f %% with them and %.1f %% "
                      "without",
                      task->target->id, predicted->lodo_quality, without->predicted->lodo_quality);
        task->without_device_alone = true;
        nitro_model *with = *model;
        *model = without;
        without = with;
    }
    nitro_model_free(without);
    return NITRO_OK;
}

static void say_members(nitro_context *context, const nitro_training_task *task,
                        const nitro_predicted_quality *predicted)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t m = 0; m < task->strategy->num_members && used < sizeof names; m++)
        if (predicted->members >> m & 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     task->strategy->members[m]->name);
    if (!task->quiet)
        nitro_log(context, NITRO_LOG_INFO,
                  "strategy %s is %s alone for target %s: on sources that were left out, quality "
                  "is %.1f %% with all of its strategies and %.1f %% so",
                  task->strategy->name, names, task->target->id, predicted->lodo_quality,
                  predicted->members_quality);
}

/** Put what this lesson makes in the model's place. */
static nitro_status train_again(nitro_context *context, const nitro_training_task *task,
                                nitro_model **model)
{
    nitro_training_task quiet = *task;
    nitro_model *made = NULL;
    quiet.quiet = true; /* it was said the first time */
    nitro_status status = nitro_model_train_as_told(context, &quiet, &made);
    if (status != NITRO_OK)
        return status;
    nitro_model_free(*model);
    *model = made;
    return NITRO_OK;
}

static nitro_status judge_hyper_settings(nitro_context *context, nitro_training_task *task,
                                         nitro_model **model)
{
    bool is_changed = false;
    nitro_status status = nitro_model_choose_hyper_settings(context, task, *model, &is_changed);
    return status == NITRO_OK && is_changed ? train_again(context, task, model) : status;
}

/** Left-out sources are served better by some members of the strategy: let those alone speak. */
static nitro_status judge_members(nitro_context *context, nitro_training_task *task,
                                  nitro_model **model)
{
    const nitro_predicted_quality *predicted = (*model)->predicted;
    if (!predicted || !predicted->members || task->is_adapted)
        return NITRO_OK;
    say_members(context, task, predicted);
    task->members = predicted->members;
    return train_again(context, task, model);
}

nitro_status nitro_model_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model)
{
    nitro_model *made = NULL;
    nitro_training_task chosen = *task;
    nitro_status status = nitro_model_train_as_told(context, &chosen, &made);
    if (status == NITRO_OK)
        status = judge_device_alone(context, &chosen, &made);
    if (status == NITRO_OK)
        status = judge_hyper_settings(context, &chosen, &made);
    if (status == NITRO_OK)
        status = judge_members(context, &chosen, &made);
    if (status == NITRO_OK)
        nitro_model_judge(made, nitro_model_used_features(made));
    if (status == NITRO_OK)
        *model = made;
    else
        nitro_model_free(made);
    return status;
}
