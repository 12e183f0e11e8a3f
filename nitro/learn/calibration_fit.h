/* calibration_fit.h - confidences from held-out rows. Internal to nitro/learn. */
#ifndef NITRO_LEARN_CALIBRATION_FIT_H
#define NITRO_LEARN_CALIBRATION_FIT_H

#include "nitro/runtime/scores/calibration.h"

/** Is the best score's variant within 5 % of the best time? */
bool nitro_calibration_is_good(const double *times_ms, const double *scores, size_t num_variants);

/**
 * Estimate from held-out rows how often a decision of some margin is within 5 % of the best
 * variant: rows ordered by margin in bins of equal count, neighbours merged until fractions ascend
 * (isotonic regression), each fraction with Laplace's correction. Without held-out rows: 1 /
 * num_variants.
 *
 * @param[in] times_ms  shape [num_rows x num_variants]
 * @param[in] scores    shape [num_rows x num_variants]; rows of NaN are not held out
 * @param[in] weights   shape [num_rows], positive; NULL: 1
 */
nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, const double *weights, size_t num_rows,
                                   size_t num_variants, nitro_calibration *calibration);

/**
 * The same in at most three steps: a third of the rows each, with one confidence over all its
 * margins. On another device, the third of a margin tells more than the margin itself. As
 * nitro_calibration_fit.
 */
nitro_status nitro_calibration_fit_steps(nitro_context *context, const double *times_ms,
                                         const double *scores, const double *weights,
                                         size_t num_rows, size_t num_variants,
                                         nitro_calibration *calibration);

#endif
