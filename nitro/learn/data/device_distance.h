/* device_distance.h - distance between devices in some device features. Internal to nitro/. */
#ifndef NITRO_LEARN_DATA_DEVICE_DISTANCE_H
#define NITRO_LEARN_DATA_DEVICE_DISTANCE_H

#include "nitro/nitro_backend.h"

/**
 * Mean over the features of |ln(a / b)|: 0.69 is a factor of two in each. Features that are not
 * positive on both count as signed logarithms; those that one device lacks do not count.
 * @return NaN where no feature is left.
 */
double nitro_device_distance(const nitro_device *a, const nitro_device *b,
                             const nitro_string_list *features);

#endif
