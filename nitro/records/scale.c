/*
 * Scales: their names, and the rule that chooses one from values. It compares percentiles, so that
 * one outlier does not decide.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nitro/backend/statistics.h"
#include "nitro/records/scaler.h"

#define WIDE_RATIO 100.0 /* above this ratio, a logarithmic scale */

static const struct {
    nitro_scale scale;
    const char *name;
} scale_names[] = {
    {NITRO_SCALE_AUTO, "auto"},
    {NITRO_SCALE_LINEAR, "linear"},
    {NITRO_SCALE_LOG, "log"},
    {NITRO_SCALE_SIGNED_LOG, "signed-log"},
};

#define NUM_SCALES (sizeof scale_names / sizeof scale_names[0])

const char *nitro_scale_name(nitro_scale scale)
{
    for (size_t i = 0; i < NUM_SCALES; i++)
        if (scale_names[i].scale == scale)
            return scale_names[i].name;
    return "unknown";
}

bool nitro_scale_from_name(const char *name, nitro_scale *scale)
{
    for (size_t i = 0; i < NUM_SCALES; i++)
        if (name && strcmp(scale_names[i].name, name) == 0) {
            *scale = scale_names[i].scale;
            return true;
        }
    return false;
}

/** Do sorted, positive magnitudes span orders of magnitude? */
static bool is_wide(const double *sorted, size_t count)
{
    double last = (double)(count - 1);
    double low = sorted[(size_t)floor(0.05 * last)];
    double high = sorted[(size_t)ceil(0.95 * last)];
    double median = sorted[count / 2];
    return high / low >= WIDE_RATIO || sorted[count - 1] / median >= WIDE_RATIO;
}

nitro_scale nitro_scale_choose_in_place(double *values, size_t count)
{
    size_t num_nonzero = 0;
    bool all_positive = true;
    for (size_t i = 0; i < count; i++) {
        all_positive = all_positive && values[i] > 0.0;
        if (values[i] != 0.0)
            values[num_nonzero++] = fabs(values[i]);
    }
    nitro_sort(values, num_nonzero);
    if (num_nonzero == 0 || !is_wide(values, num_nonzero))
        return NITRO_SCALE_LINEAR;
    return all_positive ? NITRO_SCALE_LOG : NITRO_SCALE_SIGNED_LOG;
}

nitro_scale nitro_scale_choose(const double *values, size_t count)
{
    double *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (!copy)
        return NITRO_SCALE_LINEAR;
    memcpy(copy, values, count * sizeof *copy);
    nitro_scale chosen = nitro_scale_choose_in_place(copy, count);
    free(copy);
    return chosen;
}
