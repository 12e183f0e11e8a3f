/* finite.h - are numbers finite? Checked in every decision, therefore without a branch per number.
 * Internal to nitro/. */
#ifndef NITRO_BASE_FINITE_H
#define NITRO_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** An exponent of all ones (infinity, NaN) carries into the sign when 1 is added. */
static inline bool nitro_all_finite(const double *values, size_t count)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
    uint64_t carried = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carried |= (bits & exponent) + one;
    }
    return carried >> 63 == 0;
}

#endif
