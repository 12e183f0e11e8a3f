/* synthetic.h - a synthetic computation with known best variants: datasets and devices. */
#ifndef NITRO_TESTS_UNIT_SYNTHETIC_H
#define NITRO_TESTS_UNIT_SYNTHETIC_H

#include <math.h>

#include "nitro/learn/data/dataset.h"
#include "unit/unit.h"

#define SYNTHETIC_FEATURES 2
#define SYNTHETIC_VARIANTS 3

static inline nitro_schema *synthetic_schema(nitro_context *context)
{
    nitro_schema *schema = NULL;
    assert_ok(context, nitro_schema_create(context, "toy", &schema));
    assert_ok(context, nitro_schema_add_feature(context, schema, "size", "rows", NITRO_SCALE_AUTO));
    assert_ok(context, nitro_schema_add_feature(context, schema, "skew", "1", NITRO_SCALE_LINEAR));
    assert_ok(context, nitro_schema_add_variant(context, schema, "simple"));
    assert_ok(context, nitro_schema_add_variant(context, schema, "wide"));
    assert_ok(context, nitro_schema_add_variant(context, schema, "even"));
    return schema;
}

/* A device whose launch cost decides from which size on "wide" is worth it. */
static inline nitro_device *synthetic_device(nitro_context *context, const char *id, double launch)
{
    nitro_device *device = NULL;
    assert_ok(context, nitro_device_create(context, id, "recorded", &device));
    assert_ok(context,
              nitro_device_set(context, device, "launch", launch, NITRO_VALUE_RECORDED, 0));
    assert_ok(context, nitro_device_set(context, device, "sockets", 1.0, NITRO_VALUE_RECORDED, 0));
    assert_ok(context,
              nitro_device_set(context, device, "year", 2000 + launch, NITRO_VALUE_RECORDED, 0));
    return device;
}

/* Input number `index`: features[0] size from 10 to 10^5, features[1] skew in [0, 1). */
static inline void synthetic_input(size_t index, char *name, double *features)
{
    nitro_random random;
    nitro_random_seed(&random, 1000 + index);
    if (name)
        snprintf(name, 16, "input%04zu", index);
    features[0] = round(10.0 * pow(10.0, 4.0 * nitro_random_uniform(&random)));
    features[1] = nitro_random_uniform(&random);
}

/* Times of the variants: small inputs are for "simple", skewed large ones for "even". */
static inline void synthetic_times(const double *features, double launch, double *times_ms)
{
    double size = features[0], skew = features[1];
    times_ms[0] = size / 100.0;
    times_ms[1] = launch + size / 1000.0 * (1.0 + 4.0 * skew);
    times_ms[2] = 1.5 * launch + size / 500.0;
}

/* All inputs on all devices; takes over `devices`. */
static inline nitro_dataset *synthetic_dataset(nitro_context *context, nitro_device **devices,
                                               size_t num_devices, size_t num_inputs)
{
    nitro_dataset *dataset = calloc(1, sizeof(*dataset));
    assert_non_null(dataset);
    dataset->schema = synthetic_schema(context);
    dataset->num_devices = num_devices;
    dataset->devices = calloc(num_devices, sizeof(*dataset->devices));
    dataset->num_inputs = num_inputs;
    dataset->inputs = calloc(num_inputs, sizeof(*dataset->inputs));
    assert_true(dataset->devices && dataset->inputs);
    memcpy(dataset->devices, devices, num_devices * sizeof(*devices));
    assert_ok(context, nitro_dataset_allocate(context, num_devices * num_inputs, dataset));
    for (size_t i = 0; i < num_inputs; i++) {
        char name[16];
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        synthetic_input(i, name, features);
        dataset->inputs[i] = strdup(name);
        for (size_t d = 0; d < num_devices; d++) {
            synthetic_times(features, nitro_device_value(devices[d], "launch"), times_ms);
            nitro_dataset_append(dataset, d, i, features, times_ms);
        }
    }
    return dataset;
}

/* Preparing costs nothing for "simple", much for "wide", some for "even"; it grows with size. */
static inline void synthetic_prepare(const double *features, double *prepare_ms)
{
    prepare_ms[0] = NAN;
    prepare_ms[1] = 4.0 + features[0] / 50.0;
    prepare_ms[2] = 1.0 + features[0] / 200.0;
}

static inline void synthetic_add_prepare(nitro_dataset *dataset)
{
    for (size_t row = 0; row < dataset->num_rows; row++)
        synthetic_prepare(nitro_dataset_features(dataset, row),
                          nitro_dataset_prepare(dataset, row));
}

#endif
