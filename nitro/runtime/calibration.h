/* calibration.h - from a decision's margin to its confidence. Internal to nitro/. */
#ifndef NITRO_RUNTIME_CALIBRATION_H
#define NITRO_RUNTIME_CALIBRATION_H

#include "nitro/nitro_backend.h"

/** Within 5 % of the best: what confidence is about. */
#define NITRO_GOOD_QUALITY          (1.0 / 1.05)
#define NITRO_CALIBRATION_MAX_KNOTS 48
#define NITRO_CALIBRATION_BIN_ROWS  12 /* held-out rows that say what one margin is worth */

/**
 * A confidence that never falls as the margin grows: linear between knots, constant beyond the
 * first and last. At least one knot.
 */
typedef struct nitro_calibration {
    size_t num_knots;
    double margins[NITRO_CALIBRATION_MAX_KNOTS];     /* ascending */
    double confidences[NITRO_CALIBRATION_MAX_KNOTS]; /* in [0, 1], never falling */
} nitro_calibration;

/** How far the best score is ahead of the best other one, over the variants whose bit is set. */
double nitro_calibration_lead(const double *scores, size_t num_variants, uint64_t allowed);

/**
 * What confidence grows with: how far the best score is ahead of the best other one, plus the best
 * score itself, over the variants whose bit is set in `allowed`. Where scores are regrets, two that
 * are both near zero are a tie in which nothing can go wrong, which the lead alone would not tell.
 */
double nitro_calibration_margin(const double *scores, size_t num_variants, uint64_t allowed);

/** Is the best score's variant within 5 % of the best time? That is what confidence is about.
 *  (calibration_fit.c) */
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

/**
 * A line through two calibrations: `share` 0 is the first, 1 the second, more goes on beyond it.
 * Confidences are cut to [0, 1] and made to never fall.
 * @param[out] blend  may be one of the two.
 */
void nitro_calibration_blend(const nitro_calibration *first, const nitro_calibration *second,
                             double share, nitro_calibration *blend);

double nitro_calibration_confidence(const nitro_calibration *calibration, double margin);

#endif
