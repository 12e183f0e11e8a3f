/* Forests: what they learn, what options do, and what must not change them. */
#include <math.h>

#include "nitro/learn/forest/forest_train.h"
#include "nitro/models/score_json.h"
#include "unit/learn/forest_fixture.h"

/* Share of the outputs' variance that predictions of unseen rows leave, for one output. */
static double unexplained(const double *predicted, const double *expected, size_t output)
{
    double mean = 0, error = 0, variance = 0;
    for (size_t i = output; i < ROWS * OUTPUTS; i += OUTPUTS)
        mean += expected[i] / ROWS;
    for (size_t i = output; i < ROWS * OUTPUTS; i += OUTPUTS) {
        error += (predicted[i] - expected[i]) * (predicted[i] - expected[i]);
        variance += (expected[i] - mean) * (expected[i] - mean);
    }
    return error / variance;
}

static void test_learns_a_function(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *seen = make_data(1), *unseen = make_data(2);
    nitro_forest_options options = few_trees();
    options.num_trees = 150;
    nitro_forest *forest = train(context, &seen->view, &options, 7);
    assert_int_equal(nitro_forest_num_trees(forest), 150);
    double *predicted = predictions(forest, &unseen->view);
    for (size_t output = 0; output < OUTPUTS; output++)
        assert_true(unexplained(predicted, unseen->outputs, output) < 0.1);
    free(predicted);
    nitro_forest_free(forest);
    free(seen);
    free(unseen);
    nitro_context_free(context);
}

/* Leaves of single rows reproduce the training set. */
static void test_reproduces_rows(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    options.min_leaf_rows = 1;
    nitro_forest *forest = train(context, &data->view, &options, 7);
    double *predicted = predictions(forest, &data->view);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++)
        assert_true(fabs(predicted[i] - data->outputs[i]) < 1e-14);
    free(predicted);
    nitro_forest_free(forest);
    free(data);
    nitro_context_free(context);
}

static void test_predicts_mean_of_leaves(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data->view, &options, 7);
    double sums[OUTPUTS] = {0}, predicted[OUTPUTS];
    for (size_t tree = 0; tree < options.num_trees; tree++)
        for (size_t i = 0; i < OUTPUTS; i++)
            sums[i] += nitro_forest_leaf(forest, tree, data->columns)[i];
    nitro_forest_predict(forest, data->columns, predicted);
    for (size_t i = 0; i < OUTPUTS; i++)
        assert_true(predicted[i] == sums[i] / 30);
    nitro_forest_free(forest);
    free(data);
    nitro_context_free(context);
}

/* How many training rows share the leaf of row `row`. */
static size_t leaf_rows(const nitro_forest *forest, size_t tree, const made_data *data, size_t row)
{
    const double *leaf = nitro_forest_leaf(forest, tree, data->columns + row * COLUMNS);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        count += nitro_forest_leaf(forest, tree, data->columns + i * COLUMNS) == leaf;
    return count;
}

static void test_leaves_hold_enough_rows(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    options.min_leaf_rows = 17;
    nitro_forest *forest = train(context, &data->view, &options, 7);
    bool is_cut = false;
    for (size_t row = 0; row < ROWS; row++) {
        size_t count = leaf_rows(forest, row % options.num_trees, data, row);
        assert_true(count >= 17);
        is_cut = is_cut || count < 2 * 17;
    }
    assert_true(is_cut);
    nitro_forest_free(forest);
    free(data);
    nitro_context_free(context);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    char *texts[3];
    for (unsigned i = 0; i < 3; i++) {
        options.num_threads = i == 2 ? 5 : i;
        nitro_forest *forest = train(context, &data->view, &options, 7);
        texts[i] = encoded(context, forest);
        nitro_forest_free(forest);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
    for (size_t i = 0; i < 3; i++)
        free(texts[i]);
    free(data);
    nitro_context_free(context);
}

/* A neighbouring seed gives another forest, not the same trees moved by one. */
static void test_seeds_matter(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    nitro_forest *a = train(context, &data->view, &options, 7);
    nitro_forest *b = train(context, &data->view, &options, 8);
    json_t *json_a, *json_b;
    assert_ok(context, nitro_forest_encode(context, a, &json_a));
    assert_ok(context, nitro_forest_encode(context, b, &json_b));
    const json_t *trees_a = json_object_get(json_a, "trees");
    const json_t *trees_b = json_object_get(json_b, "trees");
    for (size_t i = 0; i < options.num_trees; i++)
        for (size_t j = 0; j < options.num_trees; j++)
            assert_false(json_equal(json_array_get(trees_a, i), json_array_get(trees_b, j)));
    json_decref(json_a);
    json_decref(json_b);
    nitro_forest_free(a);
    nitro_forest_free(b);
    free(data);
    nitro_context_free(context);
}

/* Cuts are uniform between extremes, so a column's unit does not matter (here: exactly). */
static void test_units_of_columns_do_not_matter(void **state)
{
    (void)state;
    made_data *data = make_data(1), *scaled = make_data(1);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        scaled->columns[i] *= i % COLUMNS == 1 ? 0x1p-30 : 0x1p+70;
    assert_same_bytes(trained_predictions(&data->view, 3), trained_predictions(&scaled->view, 3),
                      ROWS * OUTPUTS);
    free(data);
    free(scaled);
}

static void test_constant_columns_do_not_matter(void **state)
{
    (void)state;
    made_data *data = make_data(1);
    double wide[ROWS * (COLUMNS + 1)];
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(wide + i * (COLUMNS + 1), data->columns + i * COLUMNS, COLUMNS * sizeof(double));
        wide[i * (COLUMNS + 1) + COLUMNS] = 48;
    }
    nitro_forest_data view = data->view;
    view.columns = wide;
    view.num_columns++;
    assert_same_bytes(trained_predictions(&data->view, 3), trained_predictions(&view, 3),
                      ROWS * OUTPUTS);
    free(data);
}

/* Cuts are scored by variance, so an offset of all outputs only shifts the predictions. */
static void test_offset_of_outputs_does_not_matter(void **state)
{
    (void)state;
    made_data *data = make_data(1), *moved = make_data(1);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++)
        moved->outputs[i] += 1e6;
    double *a = trained_predictions(&data->view, 3), *b = trained_predictions(&moved->view, 3);
    for (size_t i = 0; i < ROWS * OUTPUTS; i++)
        assert_true(fabs(a[i] - (b[i] - 1e6)) < 1e-8);
    free(a);
    free(b);
    free(data);
    free(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns_a_function),
        cmocka_unit_test(test_reproduces_rows),
        cmocka_unit_test(test_predicts_mean_of_leaves),
        cmocka_unit_test(test_leaves_hold_enough_rows),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_units_of_columns_do_not_matter),
        cmocka_unit_test(test_constant_columns_do_not_matter),
        cmocka_unit_test(test_offset_of_outputs_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
