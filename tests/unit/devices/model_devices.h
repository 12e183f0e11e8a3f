/* model_devices.h - modelled devices, and samples simulated on them. */
#ifndef NITRO_TESTS_UNIT_DEVICES_MODEL_DEVICES_H
#define NITRO_TESTS_UNIT_DEVICES_MODEL_DEVICES_H

#include "unit/modelled_inputs.h"

#define NUM_INPUTS 300

static inline const nitro_device_kind *model_kind(void)
{
    const nitro_device_kind *const *kind = nitro_builtin_device_kinds();
    while (strcmp((*kind)->name, "model") != 0)
        kind++;
    return *kind;
}

static inline nitro_device *gpu(nitro_context *context, const char *id)
{
    nitro_device *device;
    assert_ok(context, model_kind()->describe(context, id, false, &device));
    return device;
}

/* Simulates one input of a computation's test generator; NULL `values`: the generated ones. */
static inline nitro_sample *simulate(nitro_context *context, const nitro_device *device,
                                     const nitro_schema *schema, uint64_t seed, size_t index,
                                     const double *values)
{
    char name[32];
    snprintf(name, sizeof(name), "input-%zu", index);
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, name, schema->num_features,
                                           schema->num_variants, &sample));
    if (values)
        memcpy(sample->features, values, schema->num_features * sizeof(*values));
    else if (strcmp(schema->computation, "spmv") == 0)
        modelled_spmv_features(1, index, sample->features);
    else
        modelled_histogram_features(1, index, sample->features);
    assert_ok(context, model_kind()->simulate(context, device, schema, seed, sample));
    return sample;
}

#endif
