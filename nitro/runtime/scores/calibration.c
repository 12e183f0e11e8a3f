/* Confidence of a margin, linear between knots, and monotonic blends of two calibrations. */
#include "nitro/runtime/scores/calibration.h"

#include <math.h>

/** The best score and the best other one; minus infinity where there is none. */
static void find_two(const double *scores, size_t num_variants, uint64_t allowed, double *first,
                     double *second)
{
    double best = -INFINITY, other = -INFINITY;
    for (size_t v = 0; v < num_variants; v++) {
        if (!(allowed >> v & 1))
            continue;
        if (scores[v] > best) {
            other = best;
            best = scores[v];
        } else if (scores[v] > other) {
            other = scores[v];
        }
    }
    *first = best;
    *second = other;
}

double nitro_calibration_lead(const double *scores, size_t num_variants, uint64_t allowed)
{
    double best, other;
    find_two(scores, num_variants, allowed, &best, &other);
    return best - other;
}

double nitro_calibration_margin(const double *scores, size_t num_variants, uint64_t allowed)
{
    double best, other;
    find_two(scores, num_variants, allowed, &best, &other);
    return best + (best - other);
}

bool nitro_calibration_is_valid(const nitro_calibration *calibration)
{
    size_t last = calibration->num_knots - 1;
    bool valid = calibration->confidences[0] >= 0.0 && calibration->confidences[last] <= 1.0;
    for (size_t k = 1; valid && k <= last; k++)
        valid = calibration->margins[k] > calibration->margins[k - 1] &&
                calibration->confidences[k] >= calibration->confidences[k - 1];
    return valid;
}

double nitro_calibration_confidence(const nitro_calibration *calibration, double margin)
{
    const double *margins = calibration->margins, *confidences = calibration->confidences;
    size_t last = calibration->num_knots - 1;
    if (!(margin > margins[0]))
        return confidences[0];
    if (margin >= margins[last])
        return confidences[last];
    size_t k = 1;
    for (size_t i = 1; i < last; i++) /* linear scan: a bisection would mispredict branches */
        k += margins[i] < margin;
    double part = (margin - margins[k - 1]) / (margins[k] - margins[k - 1]);
    return confidences[k - 1] + part * (confidences[k] - confidences[k - 1]);
}

/** Merge both lists of margins, ascending, without duplicates; truncated to the capacity. */
static size_t merge_margins(const nitro_calibration *a, const nitro_calibration *b, double *margins)
{
    size_t i = 0, j = 0, count = 0;
    while ((i < a->num_knots || j < b->num_knots) && count < NITRO_CALIBRATION_MAX_KNOTS) {
        bool is_first = j == b->num_knots || (i < a->num_knots && a->margins[i] <= b->margins[j]);
        double margin = is_first ? a->margins[i++] : b->margins[j++];
        if (count == 0 || margin > margins[count - 1])
            margins[count++] = margin;
    }
    return count;
}

void nitro_calibration_blend(const nitro_calibration *first, const nitro_calibration *second,
                             double share, nitro_calibration *blend)
{
    nitro_calibration made;
    double least = 0.0;
    made.num_knots = merge_margins(first, second, made.margins);
    for (size_t k = 0; k < made.num_knots; k++) {
        double a = nitro_calibration_confidence(first, made.margins[k]);
        double b = nitro_calibration_confidence(second, made.margins[k]);
        least = fmin(fmax(a + share * (b - a), least), 1.0);
        made.confidences[k] = least;
    }
    *blend = made;
}
