/* calibration.h - from a decision's margin to its confidence. Internal to nitro/. */
#ifndef NITRO_CALIBRATION_H
#define NITRO_CALIBRATION_H

#include "nitro/nitro_backend.h"

#define NITRO_CALIBRATION_MAX_KNOTS 16

/**
 * A confidence that never falls as the margin grows: linear between knots, constant beyond the
 * first and last. At least one knot.
 */
typedef struct nitro_calibration {
    size_t num_knots;
    double margins[NITRO_CALIBRATION_MAX_KNOTS];     /* ascending */
    double confidences[NITRO_CALIBRATION_MAX_KNOTS]; /* in [0, 1], never falling */
} nitro_calibration;

/** Best score less the best other one, over the variants whose bit is set in `allowed`. */
double nitro_calibration_margin(const double *scores, size_t num_variants, uint64_t allowed);

/**
 * Learn from held-out rows how often a decision of some margin is within 5 % of the best variant:
 * rows in order of their margins, in bins of equal count, neighbours merged until no bin falls
 * below the one before (isotonic regression), each fraction drawn a little towards a half
 * (Laplace). Without held-out rows: the chance of a blind guess, 1 / num_variants.
 *
 * @param[in] times_ms  shape [num_rows x num_variants]
 * @param[in] scores    shape [num_rows x num_variants]; rows of NaN are not held out
 */
nitro_status nitro_calibration_fit(nitro_context *context, const double *times_ms,
                                   const double *scores, size_t num_rows, size_t num_variants,
                                   nitro_calibration *calibration);

double nitro_calibration_confidence(const nitro_calibration *calibration, double margin);

#endif
