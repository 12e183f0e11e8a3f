/*
 * How unlike its sources a target is, by inputs measured on it. Hides the rule: device features say
 * what the share of left-out sources is likely to be, decisions on measured inputs what it is.
 */
#include <math.h>

#include "nitro/dataset.h"
#include "nitro/promise.h"

#define NUM_STEPS      20   /* between a target like the sources and the most unlike one */
#define TRUST          0.5  /* the chance that distance tells the share: else any is as likely */
#define LEAST_SURPRISE 0.01 /* no outcome is less likely than this, whatever was promised */

/** How likely it is that decisions went as they did, were the share this: its logarithm. */
static double log_likelihood(const nitro_promise *promise, double share, const double *times_ms,
                             const double *scores, size_t num_rows, size_t num_variants)
{
    nitro_calibration calibration;
    double sum = 0.0;
    nitro_calibration_blend(&promise->within, &promise->left_out, share, &calibration);
    for (size_t row = 0; row < num_rows; row++) {
        const double *row_scores = scores + row * num_variants;
        double sure = nitro_calibration_confidence(
            &calibration, nitro_calibration_margin(row_scores, num_variants, UINT64_MAX));
        bool good =
            nitro_calibration_is_good(times_ms + row * num_variants, row_scores, num_variants);
        sum += log(fmax(good ? sure : 1.0 - sure, LEAST_SURPRISE));
    }
    return sum;
}

/** What to expect of the share: its mean over all there may be, the one by distance first. */
static double expect_share(const nitro_promise *promise, const double *times_ms,
                           const double *scores, size_t num_rows, size_t num_variants)
{
    double shares[NUM_STEPS + 2], logs[NUM_STEPS + 2], most = -INFINITY, sum = 0.0, weights = 0.0;
    for (size_t i = 0; i < NUM_STEPS + 2; i++) {
        shares[i] = i == 0 ? promise->share : (double)(i - 1) / NUM_STEPS * NITRO_PROMISE_MAX_SHARE;
        logs[i] = log(i == 0 ? TRUST : (1.0 - TRUST) / (NUM_STEPS + 1)) +
                  log_likelihood(promise, shares[i], times_ms, scores, num_rows, num_variants);
        most = fmax(most, logs[i]);
    }
    for (size_t i = 0; i < NUM_STEPS + 2; i++) {
        double weight = exp(logs[i] - most);
        sum += weight * shares[i];
        weights += weight;
    }
    return sum / weights;
}

void nitro_promise_weigh_measured(nitro_promise *promise, const double *times_ms,
                                  const double *scores, size_t num_rows, size_t num_variants,
                                  nitro_calibration *calibration)
{
    nitro_promise_weigh(promise, expect_share(promise, times_ms, scores, num_rows, num_variants),
                        calibration);
}
