/* synthetic_store.h - the computation of synthetic.h in a store. */
#ifndef NITRO_TESTS_UNIT_SYNTHETIC_STORE_H
#define NITRO_TESTS_UNIT_SYNTHETIC_STORE_H

#include "unit/synthetic.h"
#include "unit/temporary.h"

/* A new store in the folder, with the computation's names. */
static inline nitro_store *synthetic_store(nitro_context *context, const temporary *folder)
{
    nitro_store *store = temporary_store(context, folder, "store");
    nitro_schema *schema = synthetic_schema(context);
    assert_ok(context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
    return store;
}

static inline void synthetic_put_device(nitro_store *store, const char *id, double launch)
{
    nitro_context *context = nitro_store_context(store);
    nitro_device *device = synthetic_device(context, id, launch);
    assert_ok(context, nitro_store_put_device(store, device));
    nitro_device_free(device);
}

/* `times_ms` may be NaN: no time. */
static inline nitro_sample *synthetic_sample(nitro_context *context, const char *input,
                                             const double *features, const double *times_ms)
{
    nitro_sample *sample = NULL;
    assert_ok(context,
              nitro_sample_create(context, input, SYNTHETIC_FEATURES, SYNTHETIC_VARIANTS, &sample));
    memcpy(sample->features, features, SYNTHETIC_FEATURES * sizeof(double));
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        if (!isnan(times_ms[v])) {
            sample->entries[v].outcome = NITRO_OUTCOME_MEASURED;
            sample->entries[v].median_ms = times_ms[v];
            sample->entries[v].count = 5;
        }
    return sample;
}

static inline void synthetic_put_sample(nitro_store *store, const char *device, const char *input,
                                        const double *features, const double *times_ms)
{
    nitro_context *context = nitro_store_context(store);
    nitro_sample *sample = synthetic_sample(context, input, features, times_ms);
    const nitro_sample *samples[] = {sample};
    assert_ok(context, nitro_store_put_samples(store, "toy", device, samples, 1, true));
    nitro_sample_free(sample);
}

/* Input number `index` with the times of a device with this launch cost. */
static inline void synthetic_put_input(nitro_store *store, const char *device, double launch,
                                       size_t index)
{
    char name[16];
    double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
    synthetic_input(index, name, features);
    synthetic_times(features, launch, times_ms);
    synthetic_put_sample(store, device, name, features, times_ms);
}

/* A device with inputs `first` and so on. */
static inline void synthetic_put_measured(nitro_store *store, const char *id, double launch,
                                          size_t first, size_t count)
{
    synthetic_put_device(store, id, launch);
    for (size_t i = first; i < first + count; i++)
        synthetic_put_input(store, id, launch, i);
}

#endif
