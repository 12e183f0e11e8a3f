/*
 * Calibration by inputs measured on the target: the mean of all calibrations that it may need, each
 * weighted by the likelihood of the measured outcomes.
 */
#include <math.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/learn/predicted_quality.h"

#define NUM_SHARES   22   /* the first is that by distance, the others are evenly spread */
#define TRUST        0.9  /* prior of the share by distance; all others are equally likely */
#define NUM_SHIFTS   13   /* of the log odds of a good decision, from those on the sources */
#define SHIFT_STEP   0.5  /* between them; the middle one is 0 */
#define SHIFT_SPREAD 1.0  /* their prior's standard deviation */
#define LEAST_CHANCE 0.01 /* least probability of an outcome, whatever the prediction */

static double share_at(const nitro_predicted_quality *predicted, size_t i)
{
    return i == 0 ? predicted->share
                  : (double)(i - 1) / (NUM_SHARES - 2) * NITRO_PREDICTED_QUALITY_MAX_SHARE;
}

static double shift_at(size_t j)
{
    return ((double)j - (NUM_SHIFTS - 1) / 2.0) * SHIFT_STEP;
}

static double apply_shift(double confidence, double shift)
{
    double chance = fmin(fmax(confidence, LEAST_CHANCE), 1.0 - LEAST_CHANCE);
    double odds = chance / (1.0 - chance) * exp(shift);
    return odds / (1.0 + odds);
}

/** Log prior of one share with each shift. */
static void begin_logs(size_t share, double *logs)
{
    for (size_t j = 0; j < NUM_SHIFTS; j++) {
        double deviation = shift_at(j) / SHIFT_SPREAD;
        logs[j] = log(share == 0 ? TRUST : (1.0 - TRUST) / (NUM_SHARES - 1)) -
                  0.5 * deviation * deviation;
    }
}

/** Add the log likelihood of one decision. */
static void add_outcome(double confidence, bool good, double *logs)
{
    for (size_t j = 0; j < NUM_SHIFTS; j++) {
        double chance = apply_shift(confidence, shift_at(j));
        logs[j] += log(good ? chance : 1.0 - chance);
    }
}

/** From logarithms to weights of sum 1. */
static void normalize(double *weights, size_t count)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, weights[i]);
    for (size_t i = 0; i < count; i++) {
        weights[i] = exp(weights[i] - most);
        sum += weights[i];
    }
    for (size_t i = 0; i < count; i++)
        weights[i] /= sum;
}

static void find_weights(const nitro_predicted_quality *predicted, const double *times_ms,
                         const double *scores, size_t num_rows, size_t num_variants,
                         double weights[][NUM_SHIFTS])
{
    for (size_t i = 0; i < NUM_SHARES; i++) {
        nitro_calibration blend;
        begin_logs(i, weights[i]);
        nitro_calibration_blend(&predicted->held_out, &predicted->lodo, share_at(predicted, i),
                                &blend);
        for (size_t row = 0; row < num_rows; row++) {
            const double *own = scores + row * num_variants;
            double margin = nitro_calibration_margin(own, num_variants, UINT64_MAX);
            add_outcome(nitro_calibration_confidence(&blend, margin),
                        nitro_calibration_is_good(times_ms + row * num_variants, own, num_variants),
                        weights[i]);
        }
    }
    normalize(weights[0], (size_t)NUM_SHARES * NUM_SHIFTS);
}

void nitro_predicted_quality_weigh_measured(nitro_predicted_quality *predicted,
                                            const double *times_ms, const double *scores,
                                            size_t num_rows, size_t num_variants,
                                            nitro_calibration *calibration)
{
    double weights[NUM_SHARES][NUM_SHIFTS], share = 0.0;
    nitro_calibration made = {0}, blend;
    find_weights(predicted, times_ms, scores, num_rows, num_variants, weights);
    for (size_t i = 0; i < NUM_SHARES; i++) {
        nitro_calibration_blend(&predicted->held_out, &predicted->lodo, share_at(predicted, i),
                                &blend);
        for (size_t j = 0; j < NUM_SHIFTS; j++) {
            share += weights[i][j] * share_at(predicted, i);
            for (size_t k = 0; k < blend.num_knots; k++)
                made.confidences[k] +=
                    weights[i][j] * apply_shift(blend.confidences[k], shift_at(j));
        }
    }
    nitro_predicted_quality_weigh(predicted, share, &blend); /* the same knots */
    for (size_t k = 0; k < blend.num_knots; k++)
        blend.confidences[k] = made.confidences[k];
    *calibration = blend;
    predicted->lacks_stack = false;
    nitro_predicted_quality_warn(predicted);
}
