/* calibration_fit.h - learning how confidence depends on a decision's margin. Internal to nitro/.
 */
#ifndef NITRO_LEARN_CALIBRATION_FIT_H
#define NITRO_LEARN_CALIBRATION_FIT_H

#include "nitro/runtime/scores/calibration.h"

/** Is the best score's variant within 5 % of the best time? */
bool nitro_calibration_is_good(const double *times_ms, const double *scores, size_t num_variants);

/**
 * Learn from held-out rows how often a decision of some margin is within 5 % of the best variant:
 * rows in order of their margins, in bins of equal count, neighbours merged until no bin falls
 * below the one before (isotonic regression), each fraction drawn a little towards a half
 * (Laplace). Without held-out rows: the chance of a blind guess, 1 / num_variants.
 *
 * @param[in] times_ms  shape [num_rows x num_variants]
 * @param[in] scores    shape [num_rows x num_variants]; rows of NaN are not held out
 * @param[in] weights   shape [num_rows]: how many rows each counts for, positive; NULL: one
 */
nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, const double *weights, size_t num_rows,
                                   size_t num_variants, nitro_calibration *calibration);

#endif
