/* prepare_costs_fit.h - learn what preparing costs from samples. Internal to nitro/learn. */
#ifndef NITRO_LEARN_PREPARE_COSTS_FIT_H
#define NITRO_LEARN_PREPARE_COSTS_FIT_H

#include "nitro/learn/data/training_rows.h"

/**
 * Fit the costs of all variants that have some in the rows: a ridge regression of ln(cost / best
 * time) on the strategy's columns, each variant by itself.
 *
 * @param[in] sources          the dataset of the rows.
 * @param[in] held_out_scores  shape [num_rows x num_variants], as in nitro_strategy.train: they
 *                             tell up to how many uses choosing does not pay.
 * @param[in,out] model        gets the costs; none where no row has any, or where scores are not
 *                             related to times.
 */
nitro_status nitro_prepare_costs_fit(nitro_context *context, const nitro_dataset *sources,
                                     const nitro_training_rows *rows, const double *held_out_scores,
                                     nitro_model *model);

#endif
