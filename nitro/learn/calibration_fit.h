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
 * @param[in] scores    shape [num_rows x num_variants]; rows of NaN are not held out, and those
 * with a single finite score are no decisions
 * @param[in] weights   shape [num_rows], positive; NULL: 1
 */
nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, const double *weights, size_t num_rows,
                                   size_t num_variants, nitro_calibration *calibration);

/** Decisions on several devices. All borrowed. */
typedef struct nitro_decisions {
    const double *times_ms;   /* shape [num_rows x num_variants] */
    const double *scores;     /* shape [num_rows x num_variants]; rows of NaN are not held out */
    const size_t *row_device; /* shape [num_rows] */
    size_t num_rows, num_devices, num_variants;
} nitro_decisions;

/**
 * Estimate for another device, in at most three steps, how often a decision is within 5 % of the
 * best variant: of each device's decisions those of the largest margins, of the middle ones, and of
 * the others; the median over devices. A decision's place among those of its device tells more than
 * its margin, which has another scale on every device.
 *
 * @param[in] margins  shape [num_margins], ascending: of the other device's decisions; at least
 * one.
 */
nitro_status nitro_calibration_fit_steps(nitro_context *context, const nitro_decisions *decisions,
                                         const double *margins, size_t num_margins,
                                         nitro_calibration *calibration);

#endif
