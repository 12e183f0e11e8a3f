/* training_memo.h - trains on each training set once. Internal to nitro/learn. */
#ifndef NITRO_LEARN_TRAINING_MEMO_H
#define NITRO_LEARN_TRAINING_MEMO_H

#include "nitro/nitro_backend.h"

/**
 * As strategy->train, or what an earlier call with the same set and strategy gave.
 * @param[in]  memo         NULL: train.
 * @param[out] is_borrowed  the predictor is the memo's: do not free it, nor use it after the memo.
 */
nitro_status nitro_training_memo_train(nitro_training_memo *memo, nitro_context *context,
                                       const nitro_strategy *strategy,
                                       const nitro_training_set *set, void **predictor,
                                       double *held_out_scores, bool *is_borrowed);

#endif
