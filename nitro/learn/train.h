/*
 * train.h - the steps from a lesson to a model, of which nitro_model_train (model.h) is the whole.
 * Internal to nitro/train*.c.
 */
#ifndef NITRO_LEARN_TRAIN_H
#define NITRO_LEARN_TRAIN_H

#include "nitro/learn/training_task.h"

/**
 * How many values of a number that is constant on each device the sources must have, if it is to be
 * learnt from: two but name two sources, and a target is taken for the one or the other.
 */
#define NITRO_MIN_DEVICE_VALUES 3

/**
 * Set what the model knows of the target: the relative features that all devices have what is
 * needed for and that can be learnt from (the others are logged, and dropped from the schema), the
 * lesson's device features, and the target's values of both.
 * @param[in,out] model  as nitro_model_create made it.
 * @return NITRO_OK; NITRO_ERR_ARGUMENT (too many device features); NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_set_device(nitro_context *context, const nitro_training_task *task,
                                    nitro_model *model);

/** Move the target's device values into the sources' range: the model file then holds what the
 *  model takes for them.
 *  @param[in,out] model  its device columns are scaled. */
void nitro_model_clamp_device(nitro_model *model);

/**
 * Let left-out sources choose hyper-parameters: another recipe of the lesson's strategy, or of
 * those that it averages, where that serves them clearly better than the usual one.
 * @param[in,out] lesson  gets the recipes; unchanged on errors.
 * @param[in]     model   what the lesson made so far, and its promise: without one, or of too few
 *                        sources, nothing is chosen.
 * @param[out]    is_changed  the lesson now asks for other recipes.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_model_choose_hyper_settings(nitro_context *context, nitro_training_task *task,
                                               const nitro_model *model, bool *is_changed);

/** As nitro_model_train, but once and as the lesson says: left-out sources are asked for evidence
 *  and not for a better lesson. The model's `judged` is not set. */
nitro_status nitro_model_train_as_told(nitro_context *context, const nitro_training_task *task,
                                       nitro_model **model);

#endif
