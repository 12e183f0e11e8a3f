/* select_sources.h - train a model whose sources count by their likeness to the target. Internal to
 * nitro/learn. */
#ifndef NITRO_LEARN_SELECT_SOURCES_H
#define NITRO_LEARN_SELECT_SOURCES_H

#include "nitro/learn/select.h"

/**
 * Weigh the task's sources (source_choice.h), and train on those that count: each by itself, and
 * their scores averaged. Predicts the quality, and calibrates for the target.
 * @return as nitro_model_train; NITRO_ERR_NO_DATA also where fewer than two sources speak for
 * others.
 */
nitro_status nitro_model_train_weighted(nitro_context *context, const nitro_training_task *task,
                                        nitro_model **model);

#endif
