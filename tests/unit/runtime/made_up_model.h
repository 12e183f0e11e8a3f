/* made_up_model.h - a model for a computation under test, learnt from made-up times: what tests of
 * running a computation begin with. */
#ifndef NITRO_TESTS_UNIT_RUNTIME_MADE_UP_MODEL_H
#define NITRO_TESTS_UNIT_RUNTIME_MADE_UP_MODEL_H

#include "unit/temporary.h"

/* Fill in the features and times of input `index`; the shapes are the computation's. */
typedef void (*made_up_function)(const void *user, size_t index, double *features,
                                 double *times_ms);

static inline void made_up_put(nitro_store *store, const nitro_schema *schema, size_t index,
                               made_up_function fill, const void *user)
{
    nitro_context *context = nitro_store_context(store);
    nitro_sample *sample = NULL;
    char input[32];
    double times_ms[NITRO_MAX_VARIANTS];
    snprintf(input, sizeof input, "input %03zu", index);
    assert_ok(context, nitro_sample_create(context, input, schema->num_features,
                                           schema->num_variants, &sample));
    fill(user, index, sample->features, times_ms);
    for (size_t v = 0; v < schema->num_variants; v++) {
        sample->entries[v].outcome = NITRO_OUTCOME_MEASURED;
        sample->entries[v].median_ms = times_ms[v];
    }
    const nitro_sample *samples[] = {sample};
    assert_ok(context,
              nitro_store_put_samples(store, schema->computation, "made-up", samples, 1, false));
    nitro_sample_free(sample);
}

/* Learn from inputs `first` to `end` - 1 by this strategy. */
static inline nitro_model *made_up_learn_by(const char *strategy, nitro_context *context,
                                            const nitro_computation *computation, size_t first,
                                            size_t end, made_up_function fill, const void *user)
{
    temporary folder = temporary_make();
    nitro_store *store = temporary_store(context, &folder, "store.db");
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_model *model = NULL;
    nitro_learn_options options;
    assert_ok(context, nitro_schema_of(computation, &schema));
    assert_ok(context, nitro_device_create(context, "made-up", "recorded", &device));
    assert_ok(context, nitro_store_put_schema(store, schema));
    assert_ok(context, nitro_store_put_device(store, device));
    for (size_t i = first; i < end; i++)
        made_up_put(store, schema, i, fill, user);
    nitro_learn_options_init(&options);
    options.strategy = strategy;
    assert_ok(context,
              nitro_learn_own(context, store, schema->computation, "made-up", &options, &model));
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_store_close(store);
    temporary_remove(&folder);
    return model;
}

static inline nitro_model *made_up_learn(nitro_context *context,
                                         const nitro_computation *computation, size_t first,
                                         size_t end, made_up_function fill, const void *user)
{
    return made_up_learn_by("auto", context, computation, first, end, fill, user);
}

/* The same, and attach the model. */
static inline void made_up_attach(nitro_context *context, nitro_computation *computation,
                                  size_t first, size_t end, made_up_function fill, const void *user)
{
    nitro_model *model = made_up_learn(context, computation, first, end, fill, user);
    assert_ok(context, nitro_computation_attach_model(computation, model));
}

#endif
