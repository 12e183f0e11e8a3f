/* Forests of degenerate data, and of data that is refused. */
#include <float.h>
#include <math.h>

#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "unit/learn/forest_fixture.h"

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

/* Rows that no cut can part: one leaf with their mean. */
static void test_identical_rows(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    double columns[1000 * 2], outputs[1000];
    for (size_t i = 0; i < 1000; i++) {
        columns[2 * i] = 3;
        columns[2 * i + 1] = -1e300;
        outputs[i] = i % 4 == 0 ? 9 : 1;
    }
    nitro_forest_data data = {1000, 2, 1, columns, outputs, NULL};
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
    nitro_forest_data data = {6, 1, 1, columns, outputs, NULL};
    nitro_forest_options options = few_trees();
    options.min_leaf_rows = 1;
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
    const struct {
        double *number;
        double bad;
        const char *error;
    } cases[] = {
        {&data->columns[5 * COLUMNS + 2], NAN, "column 2 of row 5 is nan"},
        {&data->columns[5 * COLUMNS + 2], -INFINITY, "column 2 of row 5 is -inf"},
        {&data->outputs[6 * OUTPUTS + 1], NAN, "output 1 of row 6 is nan"},
        {&data->outputs[6 * OUTPUTS + 1], 1e101, "output 1 of row 6 is 1e+101"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double good = *cases[i].number;
        *cases[i].number = cases[i].bad;
        assert_not_trained(&data->view, &options, NITRO_ERR_ARGUMENT, cases[i].error);
        *cases[i].number = good;
    }
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
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_identical_rows),
        cmocka_unit_test(test_equal_outputs_are_one_leaf),
        cmocka_unit_test(test_extreme_numbers),
        cmocka_unit_test(test_bad_numbers_are_refused),
        cmocka_unit_test(test_bad_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
