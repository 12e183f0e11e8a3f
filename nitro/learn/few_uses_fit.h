/* few_uses_fit.h - learn what to choose where features cost more than choosing gains. Internal to
 * nitro/learn. */
#ifndef NITRO_LEARN_FEW_USES_FIT_H
#define NITRO_LEARN_FEW_USES_FIT_H

#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/training_rows.h"

/**
 * Find the choice for few uses: one variant, or one on each side of a border of a feature that
 * costs next to nothing where that is clearly better; and up to how many uses it beats the held-out
 * choices, whose features are paid for.
 * @param[in]     sources  the dataset of the rows: features, and what they cost.
 * @param[in,out] costs    of preparing; gets the choices.
 */
nitro_status nitro_few_uses_fit(nitro_context *context, const nitro_dataset *sources,
                                const nitro_training_rows *rows, const double *held_out_scores,
                                nitro_prepare_costs *costs);

#endif
