/* Distances on a logarithmic scale: a factor counts the same whatever the magnitude. */
#include "nitro/learn/data/device_distance.h"

#include <math.h>

static double feature_distance(double a, double b)
{
    if (a > 0.0 && b > 0.0)
        return fabs(log(a) - log(b));
    return fabs(copysign(log1p(fabs(a)), a) - copysign(log1p(fabs(b)), b));
}

double nitro_device_distance(const nitro_device *a, const nitro_device *b,
                             const nitro_string_list *features)
{
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < features->count; i++) {
        double in_a = nitro_device_value(a, features->items[i]);
        double in_b = nitro_device_value(b, features->items[i]);
        if (isnan(in_a) || isnan(in_b))
            continue;
        sum += feature_distance(in_a, in_b);
        count += 1.0;
    }
    return count > 0.0 ? sum / count : (double)NAN;
}
