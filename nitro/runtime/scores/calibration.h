/* calibration.h - from a decision's margin to its confidence. Internal to nitro/. */
#ifndef NITRO_RUNTIME_SCORES_CALIBRATION_H
#define NITRO_RUNTIME_SCORES_CALIBRATION_H

#include "nitro/nitro_backend.h"

/** Confidence is the probability of being within 5 % of the best. */
#define NITRO_GOOD_QUALITY          (1.0 / 1.05)
#define NITRO_CALIBRATION_MAX_KNOTS 48
#define NITRO_CALIBRATION_BIN_ROWS  12 /* held-out rows per bin of margins */

/**
 * Confidence as a non-decreasing function of the margin: linear between knots, constant outside. At
 * least one knot.
 */
typedef struct nitro_calibration {
    size_t num_knots;
    double margins[NITRO_CALIBRATION_MAX_KNOTS];     /* ascending */
    double confidences[NITRO_CALIBRATION_MAX_KNOTS]; /* in [0, 1], non-decreasing */
} nitro_calibration;

/** Difference of the two best scores, over the variants whose bit is set. */
double nitro_calibration_lead(const double *scores, size_t num_variants, uint64_t allowed);

/**
 * The margin that confidence depends on: the difference of the two best scores plus the best one,
 * over the variants whose bit is set in `allowed`. The second term makes ties between two regrets
 * near zero confident.
 */
double nitro_calibration_margin(const double *scores, size_t num_variants, uint64_t allowed);

/**
 * Interpolate two calibrations linearly: `share` 0 is the first, 1 the second, above 1
 * extrapolates. Confidences are clamped to [0, 1] and made non-decreasing.
 * @param[out] blend  may be one of the two.
 */
void nitro_calibration_blend(const nitro_calibration *first, const nitro_calibration *second,
                             double share, nitro_calibration *blend);

/** Are the knots as declared above? Their number is right. */
bool nitro_calibration_is_valid(const nitro_calibration *calibration);

double nitro_calibration_confidence(const nitro_calibration *calibration, double margin);

#endif
