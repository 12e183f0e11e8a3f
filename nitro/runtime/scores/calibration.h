/* calibration.h - from a decision's margin to its confidence. Internal to nitro/. */
#ifndef NITRO_RUNTIME_SCORES_CALIBRATION_H
#define NITRO_RUNTIME_SCORES_CALIBRATION_H

#include "nitro/nitro_backend.h"

/** Within 5 % of the best: what confidence is about. */
#define NITRO_GOOD_QUALITY          (1.0 / 1.05)
#define NITRO_CALIBRATION_MAX_KNOTS 48
#define NITRO_CALIBRATION_BIN_ROWS  12 /* held-out rows per bin of margins */

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

/**
 * A line through two calibrations: `share` 0 is the first, 1 the second, more goes on beyond it.
 * Confidences are cut to [0, 1] and made to never fall.
 * @param[out] blend  may be one of the two.
 */
void nitro_calibration_blend(const nitro_calibration *first, const nitro_calibration *second,
                             double share, nitro_calibration *blend);

double nitro_calibration_confidence(const nitro_calibration *calibration, double margin);

#endif
