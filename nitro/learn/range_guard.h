/* range_guard.h - device features that would mislead a model on its target. Internal to nitro/. */
#ifndef NITRO_LEARN_RANGE_GUARD_H
#define NITRO_LEARN_RANGE_GUARD_H

#include "nitro/learn/training_task.h"

/**
 * Learn as nitro_model_train does, with evidence of left-out sources and two guards: where the
 * target lies outside the sources' range of a device feature, the near end of that range stands for
 * it (an RBF kernel knows nothing farther out); and where left-out sources are chosen for better
 * without any device feature, none is used. Says in the log what it did.
 * @param[in] lesson  its evidence and its `clamps` are the guard's affair.
 */
nitro_status nitro_guard_train(nitro_context *context, const nitro_training_task *task,
                               nitro_model **model);

#endif
