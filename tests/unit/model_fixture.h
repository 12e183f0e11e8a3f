/* model_fixture.h - a model of the synthetic computation, and its training set. */
#ifndef NITRO_TESTS_UNIT_MODEL_FIXTURE_H
#define NITRO_TESTS_UNIT_MODEL_FIXTURE_H

#include <jansson.h>

#include "nitro/learn/select.h"
#include "nitro/models/model_file.h"
#include "unit/synthetic.h"

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *dataset;
    nitro_device *target;
    nitro_string_list device_features;
    nitro_model *model;
    char *text; /* of the model's file */
    size_t size;
} fixture;

static inline nitro_status train(fixture *f, unsigned num_threads, nitro_model **model)
{
    nitro_training_task task = {.sources = f->dataset,
                                .target = f->target,
                                .device_features = &f->device_features,
                                .seed = 3,
                                .num_threads = num_threads};
    assert_ok(f->context, nitro_strategy_find(f->context, "svm", &task.strategy));
    nitro_status status = nitro_model_train(f->context, &task, model);
    if (status == NITRO_OK)
        nitro_model_set_provenance(*model, json_pack("{s:s}", "made", "for tests"));
    return status;
}

static inline int setup_sized(void **state, size_t num_inputs)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_device *devices[] = {synthetic_device(f->context, "old", 4.0),
                               synthetic_device(f->context, "new", 1.0)};
    f->dataset = synthetic_dataset(f->context, devices, 2, num_inputs);
    f->target = synthetic_device(f->context, "next", 2.0);
    assert_ok(f->context, nitro_string_list_add(f->context, &f->device_features, "launch"));
    assert_ok(f->context, nitro_string_list_add(f->context, &f->device_features, "sockets"));
    assert_ok(f->context, train(f, 1, &f->model));
    assert_ok(f->context, nitro_model_format(f->model, &f->text, &f->size));
    *state = f;
    return 0;
}

static inline int setup(void **state)
{
    return setup_sized(state, 150);
}

static inline int setup_small(void **state)
{
    return setup_sized(state, 8);
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    free(f->text);
    nitro_model_free(f->model);
    nitro_string_list_free(&f->device_features);
    nitro_device_free(f->target);
    nitro_dataset_free(f->dataset);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

#endif
