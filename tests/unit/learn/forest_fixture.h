/* forest_fixture.h - data of a known truth, and forests of it. */
#ifndef NITRO_TESTS_UNIT_LEARN_FOREST_FIXTURE_H
#define NITRO_TESTS_UNIT_LEARN_FOREST_FIXTURE_H

#include <math.h>

#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "nitro/runtime/scores/forest.h"
#include "unit/unit.h"

enum { ROWS = 400, COLUMNS = 4, OUTPUTS = 3 };

/* Data of a known truth: outputs of columns 0 to 2; column 3 is noise. */
typedef struct made_data {
    double columns[ROWS * COLUMNS];
    double outputs[ROWS * OUTPUTS];
    nitro_forest_data view;
} made_data;

static inline void truth(const double *columns, double *outputs)
{
    outputs[0] = sin(3 * columns[0]);
    outputs[1] = columns[1] > 0 ? 2 + columns[2] : -columns[2];
    outputs[2] = columns[0] * columns[1];
}

static inline made_data *make_data(uint64_t seed)
{
    made_data *data = calloc(1, sizeof(*data));
    nitro_random random;
    assert_non_null(data);
    nitro_random_seed(&random, seed);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        data->columns[i] = 2 * nitro_random_uniform(&random) - 1;
    for (size_t i = 0; i < ROWS; i++)
        truth(data->columns + i * COLUMNS, data->outputs + i * OUTPUTS);
    data->view = (nitro_forest_data){ROWS, COLUMNS, OUTPUTS, data->columns, data->outputs, NULL};
    return data;
}

static inline nitro_forest_options few_trees(void)
{
    return (nitro_forest_options){.num_trees = 30, .min_leaf_rows = 3};
}

static inline nitro_forest *train(nitro_context *context, const nitro_forest_data *data,
                                  const nitro_forest_options *options, uint64_t seed)
{
    nitro_forest *forest = NULL;
    assert_ok(context, nitro_forest_train(context, data, options, seed, &forest));
    return forest;
}

/* Predictions for all rows of a data set, shape [num_rows x num_outputs]; free() them. */
static inline double *predictions(const nitro_forest *forest, const nitro_forest_data *data)
{
    double *all = calloc(data->num_rows * data->num_outputs, sizeof(*all));
    assert_non_null(all);
    for (size_t i = 0; i < data->num_rows; i++)
        nitro_forest_predict(forest, data->columns + i * data->num_columns,
                             all + i * data->num_outputs);
    return all;
}

static inline double *trained_predictions(const nitro_forest_data *data, uint64_t seed)
{
    nitro_context *context = unit_context();
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, data, &options, seed);
    double *all = predictions(forest, data);
    nitro_forest_free(forest);
    nitro_context_free(context);
    return all;
}

static inline void assert_same_bytes(double *a, double *b, size_t count)
{
    assert_memory_equal(a, b, count * sizeof(*a));
    free(a);
    free(b);
}

static inline char *encoded(nitro_context *context, const nitro_forest *forest)
{
    json_t *json = NULL;
    assert_ok(context, nitro_forest_encode(context, forest, &json));
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    json_decref(json);
    return text;
}

#endif
