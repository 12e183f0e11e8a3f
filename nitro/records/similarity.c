/* Cosine similarity of devices (the paper's Table 2), with each feature scaled to [-1, 1] over the
 * compared devices. */
#include <math.h>
#include <stdlib.h>

#include "nitro/nitro_backend.h"

static nitro_status gather(nitro_context *context, const nitro_device *const *devices,
                           size_t num_devices, const char *feature, double *values)
{
    for (size_t i = 0; i < num_devices; i++) {
        values[i] = nitro_device_value(devices[i], feature);
        if (isnan(values[i]))
            return nitro_fail(context, NITRO_ERR_NO_DATA,
                              "device %s has no feature '%s': name features that all devices have",
                              devices[i]->id, feature);
    }
    return NITRO_OK;
}

/* Halved before subtraction, which could overflow. */
static void scale_to_unit_range(double *values, size_t count)
{
    double low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    double middle = low / 2 + high / 2, half_width = high / 2 - low / 2;
    for (size_t i = 0; i < count; i++)
        values[i] = half_width > 0 ? (values[i] - middle) / half_width : 0;
}

/* 0 for a zero vector: every feature at mid-range. */
static double cosine(const double *scaled, size_t num_devices, size_t num_features, size_t a,
                     size_t b)
{
    double product = 0, squares_a = 0, squares_b = 0;
    for (size_t i = 0; i < num_features; i++) {
        double value_a = scaled[i * num_devices + a], value_b = scaled[i * num_devices + b];
        product += value_a * value_b;
        squares_a += value_a * value_a;
        squares_b += value_b * value_b;
    }
    double lengths = sqrt(squares_a) * sqrt(squares_b);
    return lengths > 0 ? fmax(-1, fmin(1, product / lengths)) : 0;
}

nitro_status nitro_device_similarity(nitro_context *context, const nitro_device *const *devices,
                                     size_t num_devices, const char *const *features,
                                     size_t num_features, double *matrix)
{
    if (num_devices < 2 || num_features < 1)
        return nitro_fail(context, NITRO_ERR_ARGUMENT,
                          "similarity needs at least two devices and one feature, not %zu and %zu",
                          num_devices, num_features);
    /* shape [num_features x num_devices] */
    double *scaled = nitro_calloc(context, num_features, num_devices * sizeof(*scaled));
    if (!scaled)
        return NITRO_ERR_NO_MEMORY;
    nitro_status status = NITRO_OK;
    for (size_t i = 0; i < num_features && status == NITRO_OK; i++) {
        double *values = scaled + i * num_devices;
        status = gather(context, devices, num_devices, features[i], values);
        if (status == NITRO_OK)
            scale_to_unit_range(values, num_devices);
    }
    for (size_t a = 0; a < num_devices && status == NITRO_OK; a++)
        for (size_t b = 0; b < num_devices; b++)
            matrix[a * num_devices + b] =
                a == b ? 1 : cosine(scaled, num_devices, num_features, a, b);
    free(scaled);
    return status;
}
