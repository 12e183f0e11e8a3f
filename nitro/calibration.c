/* From margin to confidence. */
#include "nitro/calibration.h"

#include <math.h>

double nitro_calibration_margin(const double *scores, size_t num_variants, uint64_t allowed)
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
    return best - other;
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
    while (margins[k] < margin)
        k++;
    double part = (margin - margins[k - 1]) / (margins[k] - margins[k - 1]);
    return confidences[k - 1] + part * (confidences[k] - confidences[k - 1]);
}
