/* range_ends_fit.h - learns what a model does for inputs beyond its training range. Internal to
 * nitro/. */
#ifndef NITRO_LEARN_RANGE_ENDS_FIT_H
#define NITRO_LEARN_RANGE_ENDS_FIT_H

#include "nitro/learn/fit.h"

/**
 * Set model->ends. For each end of each input feature's range, the fifth of the inputs nearest to
 * it is held out of a training like the model's: if the mean quality of the new model's choices
 * there, extrapolated, is not clearly below that of the variant that its own nearest inputs
 * suggest, the model extrapolates beyond this end; else it takes the variant that its nearest
 * inputs suggest. Long data is thinned to some thousand rows, whole inputs drawn by the task's
 * seed.
 * @param[in] task   how the model was trained.
 * @return NITRO_OK; NITRO_ERR_NO_MEMORY.
 */
nitro_status nitro_range_ends_fit(nitro_context *context, const nitro_fit_task *task,
                                  nitro_model *model);

#endif
