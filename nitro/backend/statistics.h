/* statistics.h - order statistics of measured times: medians, quantiles and their uncertainty. */
#ifndef NITRO_BACKEND_STATISTICS_H
#define NITRO_BACKEND_STATISTICS_H

#include "nitro/nitro.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sort in place, ascending. Values must not be NaN. */
NITRO_API void nitro_sort(double *values, size_t count);

/**
 * Quantile of ascending values, linear between neighbours (Hyndman and Fan's type 7, the default of
 * R and NumPy); `fraction` in [0, 1]. NaN when there are none.
 */
NITRO_API double nitro_quantile(const double *sorted, size_t count, double fraction);

/** Median of ascending values. NaN when there are none. */
NITRO_API double nitro_median(const double *sorted, size_t count);

/**
 * Half the interquartile range over the median, of ascending positive values: 0: all equal. NaN for
 * fewer than two values.
 */
NITRO_API double nitro_relative_spread(const double *sorted, size_t count);

/**
 * Relative uncertainty of the median of ascending positive values: half the width of its
 * distribution-free 95 % confidence interval (from order statistics), over the median. For up to
 * five values the interval is their range. Infinity for fewer than two values.
 */
NITRO_API double nitro_median_uncertainty(const double *sorted, size_t count);

#ifdef __cplusplus
}
#endif

#endif
