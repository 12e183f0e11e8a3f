/* clamp.h - fmin(fmax(value, low), high) without libm calls, which would dominate a decision's
 * time. NaN becomes `low`. Internal to nitro/. */
#ifndef NITRO_BASE_CLAMP_H
#define NITRO_BASE_CLAMP_H

static inline double nitro_clamp(double value, double low, double high)
{
    if (!(value > low))
        return low;
    return value < high ? value : high;
}

#endif
