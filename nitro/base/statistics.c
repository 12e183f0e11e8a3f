/* Order statistics of sorted values; nothing here allocates. */
#include "nitro/backend/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

void nitro_sort(double *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare);
}

double nitro_quantile(const double *sorted, size_t count, double fraction)
{
    if (count == 0)
        return NAN;
    double position = fraction * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double nitro_median(const double *sorted, size_t count)
{
    return nitro_quantile(sorted, count, 0.5);
}

double nitro_relative_spread(const double *sorted, size_t count)
{
    if (count < 2)
        return NAN;
    double range = nitro_quantile(sorted, count, 0.75) - nitro_quantile(sorted, count, 0.25);
    return range / 2 / nitro_median(sorted, count);
}

double nitro_median_uncertainty(const double *sorted, size_t count)
{
    if (count < 2)
        return INFINITY;
    /* The number of values below the true median is binomial(count, 1/2): 1.96 deviations of
     * sqrt(count)/2 about count/2 hold 95 % of it. */
    double rank = floor(((double)count - 1.96 * sqrt((double)count)) / 2);
    size_t low = rank > 0 ? (size_t)rank : 0;
    return (sorted[count - 1 - low] - sorted[low]) / 2 / nitro_median(sorted, count);
}
