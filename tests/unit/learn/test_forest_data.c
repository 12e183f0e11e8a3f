/* Forests of data with weights, of degenerate data, and of data that is refused. */
#include <float.h>
#include <math.h>

#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "unit/learn/forest_fixture.h"

/* ---- Weights --------------------------------------------------------------------------------- */

static void test_only_ratios_of_weights_count(void **state)
{
    (void)state;
    made_data *data = make_data(1);
    double *unweighted = trained_predictions(&data->view, 3);
    double weights[ROWS];
    nitro_forest_data view = data->view;
    view.weights = weights;
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = 1e300;
    assert_same_bytes(unweighted, trained_predictions(&view, 3), ROWS * OUTPUTS);
    double *weighted;
    view.weights = data->weights;
    weighted = trained_predictions(&view, 3);
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = data->weights[i] * 0x1p-900;
    view.weights = weights;
    assert_same_bytes(weighted, trained_predictions(&view, 3), ROWS * OUTPUTS);
    free(data);
}

static void test_weight_zero_is_absence(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1), *rest = make_data(1);
    size_t kept = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (i % 3 == 1) {
            data->weights[i] = 0;
            data->outputs[i * OUTPUTS] = 1e9;
            continue;
        }
        memcpy(rest->columns + kept * COLUMNS, data->columns + i * COLUMNS,
               COLUMNS * sizeof(double));
        memcpy(rest->outputs + kept * OUTPUTS, data->outputs + i * OUTPUTS,
               OUTPUTS * sizeof(double));
        rest->weights[kept++] = data->weights[i];
    }
    data->view.weights = data->weights;
    rest->view.weights = rest->weights;
    rest->view.num_rows = kept;
    nitro_forest_options options = few_trees();
    nitro_forest *a = train(context, &data->view, &options, 3);
    nitro_forest *b = train(context, &rest->view, &options, 3);
    assert_same_bytes(predictions(a, &rest->view), predictions(b, &rest->view), kept * OUTPUTS);
    nitro_forest_free(a);
    nitro_forest_free(b);
    free(data);
    free(rest);
    nitro_context_free(context);
}

/* Where a leaf may hold one row, weight 2 is the same row twice. */
static void test_weight_two_is_twice(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1), *twice = make_data(1);
    size_t half = ROWS / 2;
    for (size_t i = 0; i < half; i++)
        data->weights[i] = i % 2 == 0 ? 2 : 1;
    data->view.weights = data->weights;
    data->view.num_rows = half;
    size_t num_rows = half;
    for (size_t i = 0; i < half; i += 2, num_rows++) {
        memcpy(twice->columns + num_rows * COLUMNS, twice->columns + i * COLUMNS,
               COLUMNS * sizeof(double));
        memcpy(twice->outputs + num_rows * OUTPUTS, twice->outputs + i * OUTPUTS,
               OUTPUTS * sizeof(double));
    }
    twice->view.num_rows = num_rows;
    nitro_forest_options options = few_trees();
    options.min_leaf_rows = 1;
    options.max_depth = 4;
    nitro_forest *a = train(context, &data->view, &options, 3);
    nitro_forest *b = train(context, &twice->view, &options, 3);
    double *predicted_a = predictions(a, &data->view), *predicted_b = predictions(b, &data->view);
    for (size_t i = 0; i < half * OUTPUTS; i++)
        assert_true(fabs(predicted_a[i] - predicted_b[i]) < 1e-12);
    free(predicted_a);
    free(predicted_b);
    nitro_forest_free(a);
    nitro_forest_free(b);
    free(data);
    free(twice);
    nitro_context_free(context);
}

/* ---- Degenerate data ------------------------------------------------------------------------- */

static void test_one_row(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const double columns[] = {1, 2}, outputs[] = {0.1, -5, 7};
    nitro_forest_data data = {1, 2, 3, columns, outputs, NULL};
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data, &options, 3);
    const double far[] = {NAN, INFINITY};
    double predicted[3];
    nitro_forest_predict(forest, far, predicted);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(predicted[i] - outputs[i]) < 1e-14);
    nitro_forest_free(forest);
    nitro_context_free(context);
}

/* Rows that no cut can part: one leaf with their weighted mean. */
static void test_identical_rows(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    double columns[1000 * 2], outputs[1000], weights[1000];
    for (size_t i = 0; i < 1000; i++) {
        columns[2 * i] = 3;
        columns[2 * i + 1] = -1e300;
        outputs[i] = i % 2 == 0 ? 1 : 9;
        weights[i] = i % 2 == 0 ? 3 : 1;
    }
    nitro_forest_data data = {1000, 2, 1, columns, outputs, weights};
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data, &options, 3);
    double predicted;
    nitro_forest_predict(forest, columns, &predicted);
    assert_true(fabs(predicted - 3) < 1e-12);
    char *text = encoded(context, forest);
    assert_null(strstr(text, "\"thresholds\":[0"));
    assert_non_null(strstr(text, "{\"columns\":[-1],\"thresholds\":[],"));
    free(text);
    nitro_forest_free(forest);
    nitro_context_free(context);
}

/* Nothing to gain from a cut: none is made. */
static void test_equal_outputs_are_one_leaf(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++)
        data->outputs[i] = 0.1;
    data->view.weights = data->weights;
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data->view, &options, 3);
    for (size_t row = 1; row < ROWS; row++)
        assert_ptr_equal(nitro_forest_leaf(forest, 0, data->columns + row * COLUMNS),
                         nitro_forest_leaf(forest, 0, data->columns));
    nitro_forest_free(forest);
    free(data);
    nitro_context_free(context);
}

static void test_extreme_numbers(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const double columns[] = {-DBL_MAX, DBL_MAX, DBL_MIN, -DBL_MIN, 0, 1};
    const double outputs[] = {-1e100, 1e100, 1e100, 1e100, 1e100, 1e-100};
    const double weights[] = {DBL_MAX, 1, DBL_MIN, 1e200, 5, 5};
    nitro_forest_data data = {6, 1, 1, columns, outputs, NULL};
    nitro_forest_options options = few_trees();
    options.min_leaf_rows = 1;
    for (size_t i = 0; i < 2; i++) {
        nitro_forest *forest = train(context, &data, &options, 3), *back = NULL;
        double predicted;
        for (size_t row = 0; row < 6; row++) {
            nitro_forest_predict(forest, &columns[row], &predicted);
            assert_true(fabs(predicted) <= 1e100 * (1 + 1e-12));
        }
        json_t *json;
        nitro_json_place place = {context, "file", "predictor"};
        assert_ok(context, nitro_forest_encode(context, forest, &json));
        assert_ok(context, nitro_forest_decode(&place, json, 1, 1, &back));
        json_decref(json);
        nitro_forest_free(back);
        nitro_forest_free(forest);
        data.weights = weights;
    }
    nitro_context_free(context);
}

static void assert_not_trained(const nitro_forest_data *data, const nitro_forest_options *options,
                               nitro_status status, const char *error)
{
    nitro_context *context = unit_context();
    nitro_forest *forest = NULL;
    assert_fails(context, nitro_forest_train(context, data, options, 3, &forest), status, error);
    assert_null(forest);
    nitro_context_free(context);
}

static void test_bad_numbers_are_refused(void **state)
{
    (void)state;
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    data->view.weights = data->weights;
    const struct {
        double *number;
        double bad;
        const char *error;
    } cases[] = {
        {&data->columns[5 * COLUMNS + 2], NAN, "column 2 of row 5 is nan"},
        {&data->columns[5 * COLUMNS + 2], -INFINITY, "column 2 of row 5 is -inf"},
        {&data->outputs[6 * OUTPUTS + 1], NAN, "output 1 of row 6 is nan"},
        {&data->outputs[6 * OUTPUTS + 1], 1e101, "output 1 of row 6 is 1e+101"},
        {&data->weights[7], -1, "weight 0 of row 7 is -1"},
        {&data->weights[7], INFINITY, "weight 0 of row 7 is inf"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double good = *cases[i].number;
        *cases[i].number = cases[i].bad;
        assert_not_trained(&data->view, &options, NITRO_ERR_ARGUMENT, cases[i].error);
        *cases[i].number = good;
    }
    memset(data->weights, 0, sizeof(data->weights));
    assert_not_trained(&data->view, &options, NITRO_ERR_NO_DATA, "all of 400 rows have weight 0");
    free(data);
}

static void test_bad_counts_are_refused(void **state)
{
    (void)state;
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    nitro_forest_data view = data->view;
    view.num_rows = 0;
    assert_not_trained(&view, &options, NITRO_ERR_NO_DATA, "no row");
    view = data->view;
    view.num_columns = 0;
    assert_not_trained(&view, &options, NITRO_ERR_ARGUMENT, "400 rows of 0 columns");
    view = data->view;
    view.num_outputs = 0;
    assert_not_trained(&view, &options, NITRO_ERR_ARGUMENT, "0 outputs");
    options.num_trees = 0;
    assert_not_trained(&data->view, &options, NITRO_ERR_ARGUMENT, "0 trees");
    options.num_trees = NITRO_FOREST_MAX_TREES + 1;
    assert_not_trained(&data->view, &options, NITRO_ERR_ARGUMENT, "10001 trees");
    options = few_trees();
    options.min_leaf_rows = 0;
    assert_not_trained(&data->view, &options, NITRO_ERR_ARGUMENT, "leaf of no rows");
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_ratios_of_weights_count),
        cmocka_unit_test(test_weight_zero_is_absence),
        cmocka_unit_test(test_weight_two_is_twice),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_identical_rows),
        cmocka_unit_test(test_equal_outputs_are_one_leaf),
        cmocka_unit_test(test_extreme_numbers),
        cmocka_unit_test(test_bad_numbers_are_refused),
        cmocka_unit_test(test_bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
