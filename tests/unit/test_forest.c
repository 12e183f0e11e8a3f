/* Forests: what they learn, what must not change them, weights, degenerate data, JSON and back. */
#include <float.h>
#include <math.h>

#include "nitro/forest.h"
#include "unit.h"

enum { ROWS = 400, COLUMNS = 4, OUTPUTS = 3 };

/* Data of a known truth: outputs of columns 0 to 2; column 3 is noise. */
typedef struct made_data {
    double columns[ROWS * COLUMNS];
    double outputs[ROWS * OUTPUTS];
    double weights[ROWS];
    nitro_forest_data view;
} made_data;

static void truth(const double *columns, double *outputs)
{
    outputs[0] = sin(3 * columns[0]);
    outputs[1] = columns[1] > 0 ? 2 + columns[2] : -columns[2];
    outputs[2] = columns[0] * columns[1];
}

static made_data *make_data(uint64_t seed)
{
    made_data *data = calloc(1, sizeof(*data));
    nitro_random random;
    assert_non_null(data);
    nitro_random_seed(&random, seed);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        data->columns[i] = 2 * nitro_random_uniform(&random) - 1;
    for (size_t i = 0; i < ROWS; i++) {
        truth(data->columns + i * COLUMNS, data->outputs + i * OUTPUTS);
        data->weights[i] = 0.5 + nitro_random_uniform(&random);
    }
    data->view = (nitro_forest_data){ROWS, COLUMNS, OUTPUTS, data->columns, data->outputs, NULL};
    return data;
}

static nitro_forest_options few_trees(void)
{
    nitro_forest_options options;
    nitro_forest_options_init(&options);
    options.num_trees = 30;
    return options;
}

static nitro_forest *train(nitro_context *context, const nitro_forest_data *data,
                           const nitro_forest_options *options, uint64_t seed)
{
    nitro_forest *forest = NULL;
    assert_ok(context, nitro_forest_train(context, data, options, seed, &forest));
    return forest;
}

/* Predictions for all rows of a data set, shape [num_rows x num_outputs]; free() them. */
static double *predictions(const nitro_forest *forest, const nitro_forest_data *data)
{
    double *all = calloc(data->num_rows * data->num_outputs, sizeof(*all));
    assert_non_null(all);
    for (size_t i = 0; i < data->num_rows; i++)
        nitro_forest_predict(forest, data->columns + i * data->num_columns,
                             all + i * data->num_outputs);
    return all;
}

static double *trained_predictions(const nitro_forest_data *data, uint64_t seed)
{
    nitro_context *context = unit_context();
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, data, &options, seed);
    double *all = predictions(forest, data);
    nitro_forest_free(forest);
    nitro_context_free(context);
    return all;
}

static void assert_same_bytes(double *a, double *b, size_t count)
{
    assert_memory_equal(a, b, count * sizeof(*a));
    free(a);
    free(b);
}

/* ---- Learning ----------------------------------------------------------------------------- */

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
    nitro_forest_options options;
    nitro_forest_options_init(&options);
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

/* Single rows in leaves: a forest then knows its training rows by heart. */
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

/* ---- Options ------------------------------------------------------------------------------ */

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

static void test_depth_is_bounded(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    options.max_depth = 2;
    nitro_forest *forest = train(context, &data->view, &options, 7);
    const double *leaves[ROWS];
    size_t num_leaves = 0;
    for (size_t row = 0; row < ROWS; row++) {
        const double *leaf = nitro_forest_leaf(forest, 0, data->columns + row * COLUMNS);
        size_t known = 0;
        while (known < num_leaves && leaves[known] != leaf)
            known++;
        if (known == num_leaves)
            leaves[num_leaves++] = leaf;
    }
    assert_int_equal(num_leaves, 4);
    nitro_forest_free(forest);
    free(data);
    nitro_context_free(context);
}

/* With one candidate a cut is blind: the noise column takes its share, and the fit suffers. */
static void test_candidates(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *seen = make_data(1), *unseen = make_data(2);
    nitro_forest_options options = few_trees();
    double left[3];
    const size_t candidates[] = {0, COLUMNS, 1};
    for (size_t i = 0; i < 3; i++) {
        options.num_candidates = candidates[i];
        nitro_forest *forest = train(context, &seen->view, &options, 7);
        double *predicted = predictions(forest, &unseen->view);
        left[i] = unexplained(predicted, unseen->outputs, 1);
        free(predicted);
        nitro_forest_free(forest);
    }
    assert_true(left[0] == left[1]);
    assert_true(left[2] > 2 * left[0]);
    free(seen);
    free(unseen);
    nitro_context_free(context);
}

/* ---- What must not matter, and what must -------------------------------------------------- */

static char *encoded(nitro_context *context, const nitro_forest *forest)
{
    json_t *json = NULL;
    assert_ok(context, nitro_forest_encode(context, forest, &json));
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    json_decref(json);
    return text;
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    options.num_candidates = 2;
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

/* Outputs are judged by their variance: what is added to them all only comes out again. */
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

/* ---- Weights ------------------------------------------------------------------------------ */

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

/* ---- Degenerate data ---------------------------------------------------------------------- */

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

/* ---- JSON --------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    made_data *data = make_data(1);
    nitro_forest_options options = few_trees();
    nitro_forest *forest = train(context, &data->view, &options, 7), *back = NULL;
    char *text = encoded(context, forest);
    json_t *json = json_loads(text, 0, NULL);
    nitro_json_place place = {context, "model.json", "predictor"};
    assert_ok(context, nitro_forest_decode(&place, json, COLUMNS, OUTPUTS, &back));
    json_decref(json);
    char *again = encoded(context, back);
    assert_string_equal(text, again);
    assert_same_bytes(predictions(forest, &data->view), predictions(back, &data->view),
                      ROWS * OUTPUTS);
    free(text);
    free(again);
    nitro_forest_free(forest);
    nitro_forest_free(back);
    free(data);
    nitro_context_free(context);
}

static nitro_status decode_text(nitro_context *context, const char *text, nitro_forest **forest)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    nitro_json_place place = {context, "model.json", "predictor"};
    nitro_status status = nitro_forest_decode(&place, json, 2, 1, forest);
    json_decref(json);
    return status;
}

static void test_decoded_tree_decides(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_forest *forest = NULL;
    assert_ok(context, decode_text(context,
                                   "{\"trees\": [{\"columns\": [0, -1, 1, -1, -1], "
                                   "\"thresholds\": [0.5, 10], \"outputs\": [1, 2, 3.5]}]}",
                                   &forest));
    const double rows[][3] = {{0.5, 99, 1}, {0.6, 10, 2}, {0.6, 10.1, 3.5}, {NAN, NAN, 3.5}};
    for (size_t i = 0; i < 4; i++) {
        double predicted;
        nitro_forest_predict(forest, rows[i], &predicted);
        assert_true(predicted == rows[i][2]);
    }
    nitro_forest_free(forest);
    nitro_context_free(context);
}

static void test_hostile_json_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *error;
    } cases[] = {
        {"3", "model.json: field predictor.trees is missing"},
        {"{\"trees\": 3}", "field predictor.trees must be an array"},
        {"{\"trees\": []}", "field predictor.trees has 0 items"},
        {"{\"trees\": [1]}", "field predictor.trees[0].columns is missing"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": []}]}", "trees[0].outputs is missing"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [1]}, {}]}",
         "field predictor.trees[1].columns is missing"},
        {"{\"trees\": [{\"columns\": [], \"thresholds\": [], \"outputs\": []}]}",
         "trees[0].columns describes no tree"},
        {"{\"trees\": [{\"columns\": [2, -1, -1], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "trees[0].columns[0] must be -1 or the index of one of 2 columns"},
        {"{\"trees\": [{\"columns\": [-2], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        {"{\"trees\": [{\"columns\": [0.0], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        {"{\"trees\": [{\"columns\": [4294967295], \"thresholds\": [], \"outputs\": [1]}]}",
         "columns[0] must be -1"},
        /* Too few leaves, too many leaves, and nodes that would be their own children. */
        {"{\"trees\": [{\"columns\": [0, 0, -1], \"thresholds\": [1, 2], \"outputs\": [1]}]}",
         "describes no tree"},
        {"{\"trees\": [{\"columns\": [-1, -1], \"thresholds\": [], \"outputs\": [1, 2]}]}",
         "describes no tree"},
        {"{\"trees\": [{\"columns\": [-1, 0, -1], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "describes no tree"},
        {"{\"trees\": [{\"columns\": [-1, -1, 0], \"thresholds\": [1], \"outputs\": [1, 2]}]}",
         "describes no tree"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [], \"outputs\": [1, 2]}]}",
         "trees[0].thresholds must be an array of 1 numbers"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [1], \"outputs\": [1]}]}",
         "trees[0].outputs has 1 numbers, but must have 1 for each of 2 leaves"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [null]}]}",
         "trees[0].outputs holds something that is no finite number"},
        {"{\"trees\": [{\"columns\": [-1], \"thresholds\": [], \"outputs\": [-1e101]}]}",
         "trees[0].outputs holds a number that is too large"},
        {"{\"trees\": [{\"columns\": [0, -1, -1], \"thresholds\": [\"x\"], \"outputs\": [1, 2]}]}",
         "trees[0].thresholds holds something that is no finite number"},
    };
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_forest *forest = NULL;
        assert_fails(context, decode_text(context, cases[i].text, &forest), NITRO_ERR_FORMAT,
                     cases[i].error);
        assert_null(forest);
    }
    nitro_forest_free(NULL);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns_a_function),
        cmocka_unit_test(test_reproduces_rows),
        cmocka_unit_test(test_predicts_mean_of_leaves),
        cmocka_unit_test(test_leaves_hold_enough_rows),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_seeds_matter),
        cmocka_unit_test(test_units_of_columns_do_not_matter),
        cmocka_unit_test(test_constant_columns_do_not_matter),
        cmocka_unit_test(test_offset_of_outputs_does_not_matter),
        cmocka_unit_test(test_only_ratios_of_weights_count),
        cmocka_unit_test(test_weight_zero_is_absence),
        cmocka_unit_test(test_weight_two_is_twice),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_identical_rows),
        cmocka_unit_test(test_equal_outputs_are_one_leaf),
        cmocka_unit_test(test_extreme_numbers),
        cmocka_unit_test(test_bad_numbers_are_refused),
        cmocka_unit_test(test_bad_counts_are_refused),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_decoded_tree_decides),
        cmocka_unit_test(test_hostile_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
