/* clamp.h - fmin(fmax(value, low), high) without calls into libm, which cost more than what stands
 * around them on the way to a decision. NaN becomes `low`, as there. Internal to nitro/. */
#ifndef NITRO_BASE_CLAMP_H
#define NITRO_BASE_CLAMP_H

static inline double nitro_clamp(double value, double low, double high)
{
    if (!(value > low))
        return low;
    return value < high ? value : high;
}

#endif
