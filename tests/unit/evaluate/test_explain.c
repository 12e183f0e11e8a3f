/* Explanations: columns, features outside the training range, expected ratios, nearest samples. */
#include <math.h>

#include "nitro/backend/explain.h"
#include "nitro/learn/select.h"
#include "unit/synthetic.h"

enum { DEVICES = 2, INPUTS = 60 };

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *dataset;
    nitro_device *target;
    nitro_model *model;
} fixture;

/* The same skew everywhere: there is nothing to learn from it. */
static void flatten_skew(nitro_dataset *dataset)
{
    for (size_t row = 0; row < dataset->num_rows; row++)
        dataset->features[row * SYNTHETIC_FEATURES + 1] = 0.25;
}

/* Learnt from two devices, for a third between them, with a relative feature and a device feature.
 */
static fixture make_of(const char *strategy_name, const char *device_features, bool flat)
{
    fixture f = {.context = unit_context()};
    nitro_device *devices[] = {synthetic_device(f.context, "gpu0", 1.0),
                               synthetic_device(f.context, "gpu1", 4.0)};
    nitro_string_list chosen = {0};
    const nitro_strategy *strategy = NULL;
    f.dataset = synthetic_dataset(f.context, devices, DEVICES, INPUTS);
    if (flat)
        flatten_skew(f.dataset);
    f.target = synthetic_device(f.context, "new", 3.0);
    const nitro_relative_feature relative = {.name = "size_per_launch",
                                             .unit = "rows",
                                             .scale = NITRO_SCALE_LOG,
                                             .formula = "size / device.launch",
                                             .replaces = "size"};
    assert_ok(f.context, nitro_schema_add_relative(f.context, f.dataset->schema, &relative));
    if (*device_features)
        assert_ok(f.context, nitro_string_list_split(f.context, &chosen, device_features));
    assert_ok(f.context, nitro_strategy_find(f.context, strategy_name, &strategy));
    const nitro_training_task task = {.sources = f.dataset,
                                      .target = f.target,
                                      .device_features = &chosen,
                                      .strategy = strategy,
                                      .use_relative = !strategy->without_relative,
                                      .num_threads = 1};
    assert_ok(f.context, nitro_model_train(f.context, &task, &f.model));
    nitro_string_list_free(&chosen);
    return f;
}

static fixture make(const char *strategy_name, const char *device_features)
{
    return make_of(strategy_name, device_features, false);
}

static void drop(fixture *f)
{
    nitro_model_free(f->model);
    nitro_device_free(f->target);
    nitro_dataset_free(f->dataset);
    nitro_context_free(f->context);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1.0, fabs(b));
}

/* The least and the largest value of an input feature in the dataset. */
static void range_of(const nitro_dataset *dataset, size_t feature, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t row = 0; row < dataset->num_rows; row++) {
        double value = dataset->features[row * SYNTHETIC_FEATURES + feature];
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static void test_columns(void **state)
{
    (void)state;
    fixture f = make("forest", "launch");
    nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
    size_t count = 0;
    double low, high;
    const double features[] = {300.0, 0.25};
    assert_ok(f.context, nitro_model_explain(f.model, features, columns, &count));
    assert_int_equal(count, 4);
    assert_string_equal(columns[0].name, "size");
    assert_string_equal(columns[0].unit, "rows");
    assert_int_equal(columns[0].kind, NITRO_COLUMN_INPUT);
    assert_false(columns[0].is_seen); /* replaced */
    range_of(f.dataset, 0, &low, &high);
    assert_true(columns[0].value == 300.0 && columns[0].excess == 0.0);
    assert_true(is_near(columns[0].low, low) && is_near(columns[0].high, high));
    assert_true(columns[1].is_seen && columns[1].value == 0.25);
    assert_string_equal(columns[2].name, "size_per_launch");
    assert_int_equal(columns[2].kind, NITRO_COLUMN_RELATIVE);
    assert_true(columns[2].is_seen && is_near(columns[2].value, 100.0));
    assert_string_equal(columns[3].name, "launch");
    assert_int_equal(columns[3].kind, NITRO_COLUMN_DEVICE);
    assert_true(columns[3].value == 3.0 && columns[3].excess == 0.0);
    assert_true(is_near(columns[3].low, 1.0) && is_near(columns[3].high, 4.0));
    drop(&f);
}

static void test_outside(void **state)
{
    (void)state;
    fixture f = make("forest", "");
    nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
    size_t count = 0;
    double low, high;
    range_of(f.dataset, 1, &low, &high);
    const double beyond[] = {300.0, high + 0.5 * (high - low)}, zero[] = {0.0, 0.25};
    const double wrong[] = {300.0, NAN};
    assert_ok(f.context, nitro_model_explain(f.model, beyond, columns, &count));
    assert_true(columns[0].excess == 0.0 && is_near(columns[1].excess, 0.5));
    /* ln 0: undefined, as the relative feature's scale is a logarithm; the formula itself is 0. */
    assert_ok(f.context, nitro_model_explain(f.model, zero, columns, &count));
    assert_true(columns[0].excess > 0.0 && columns[2].excess > 0.0);
    assert_fails(f.context, nitro_model_explain(f.model, wrong, columns, &count),
                 NITRO_ERR_BAD_FEATURE, "skew");
    drop(&f);
}

/* What the model makes no use of leads to no default variant, and to no warning. */
static void test_unused_features_are_not_checked(void **state)
{
    (void)state;
    static const char *const strategies[] = {"svm", "forest", "auto"};
    const double odd[] = {300.0, 9.0}, far[] = {1e9, 0.25};
    for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
        fixture f = make_of(strategies[s], "", true);
        nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
        nitro_decision decision;
        size_t count = 0;
        assert_ok(f.context, nitro_model_predict(f.model, odd, &decision, NULL, NULL));
        assert_int_equal(decision.reason, NITRO_REASON_MODEL);
        assert_ok(f.context, nitro_model_explain(f.model, odd, columns, &count));
        assert_true(columns[0].is_used);
        assert_false(columns[1].is_used);
        f.model->columns[1] = nitro_scaler_ignored();
        assert_ok(f.context, nitro_model_explain(f.model, odd, columns, &count));
        assert_true(isnan(columns[1].low) && isnan(columns[1].high));
        assert_ok(f.context, nitro_model_predict(f.model, far, &decision, NULL, NULL));
        assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
        drop(&f);
    }
}

static void test_expected_ratios(void **state)
{
    (void)state;
    fixture f = make("forest", ""), svm = make("svm", "");
    const double scores[] = {-0.5, -0.1, -1.0};
    assert_true(is_near(nitro_model_expected_ratio(f.model, scores, 1, 0), 0.9 / 0.5));
    assert_true(nitro_model_expected_ratio(f.model, scores, 0, 2) == 5.0); /* a tenth, at least */
    assert_true(nitro_model_expected_ratio(f.model, scores, 1, 1) == 1.0);
    assert_true(isnan(nitro_model_expected_ratio(svm.model, scores, 1, 0)));
    /* The forest's ratios are about those of the synthetic device. */
    double said[SYNTHETIC_VARIANTS], times_ms[SYNTHETIC_VARIANTS];
    const double features[] = {20000.0, 0.1};
    nitro_decision decision;
    assert_ok(f.context, nitro_model_predict(f.model, features, &decision, NULL, said));
    synthetic_times(features, 3.0, times_ms);
    assert_int_equal(decision.variant, 1);
    double ratio = nitro_model_expected_ratio(f.model, said, 1, 2);
    assert_true(ratio > 0.5 * times_ms[2] / times_ms[1] && ratio < 2.0 * times_ms[2] / times_ms[1]);
    drop(&f);
    drop(&svm);
}

static void test_neighbours(void **state)
{
    (void)state;
    fixture f = make("forest", "launch");
    nitro_neighbour nearest[7], all[DEVICES * INPUTS];
    size_t count = 0, num_all = 0;
    const double features[] = {300.0, 0.25};
    assert_ok(f.context,
              nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, nearest, 7, &count));
    assert_ok(f.context, nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, all,
                                                (size_t)DEVICES * INPUTS, &num_all));
    assert_int_equal(count, 7);
    assert_int_equal(num_all, DEVICES * INPUTS);
    for (size_t i = 0; i < num_all; i++) {
        assert_true(i == 0 || all[i].distance >= all[i - 1].distance);
        if (i < count)
            assert_true(all[i].row == nearest[i].row && all[i].distance == nearest[i].distance);
    }
    assert_ok(f.context, nitro_model_neighbours(f.model, f.dataset, 1, features, all, 7, &num_all));
    for (size_t i = 0; i < num_all; i++)
        assert_int_equal(f.dataset->row_device[all[i].row], 1);
    assert_ok(f.context,
              nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, all, 0, &num_all));
    assert_int_equal(num_all, 0);
    drop(&f);
}

/* By hand: the columns seen are skew, ln(size / launch) and launch, each 2 wide in training. */
static void test_distance(void **state)
{
    (void)state;
    fixture f = make("forest", "launch");
    nitro_neighbour all[DEVICES * INPUTS];
    nitro_column columns[NITRO_EXPLAIN_MAX_COLUMNS];
    size_t count = 0;
    const double features[] = {300.0, 0.25};
    assert_ok(f.context, nitro_model_explain(f.model, features, columns, &count));
    double skew = columns[1].high - columns[1].low;
    double ratio = log(columns[2].high / columns[2].low);
    assert_ok(f.context, nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, all,
                                                (size_t)DEVICES * INPUTS, &count));
    for (size_t i = 0; i < count; i++) {
        const double *row = f.dataset->features + all[i].row * SYNTHETIC_FEATURES;
        double launch = f.dataset->row_device[all[i].row] ? 4.0 : 1.0;
        double a = 2.0 * (row[1] - 0.25) / skew;
        double b = 2.0 * log(row[0] / launch / 100.0) / ratio;
        double c = 2.0 * (launch - 3.0) / 3.0;
        assert_true(is_near(all[i].distance, sqrt((a * a + b * b + c * c) / 3.0)));
    }
    drop(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    fixture f = make("forest", "");
    nitro_neighbour nearest[3];
    size_t count = 99;
    const double features[] = {300.0, 0.25}, wrong[] = {INFINITY, 0.25};
    assert_fails(f.context,
                 nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, wrong, nearest, 3, &count),
                 NITRO_ERR_BAD_FEATURE, "size");
    nitro_schema *schema = f.dataset->schema;
    nitro_schema *other = NULL;
    assert_ok(f.context, nitro_schema_create(f.context, "toy", &other));
    f.dataset->schema = other;
    assert_fails(
        f.context,
        nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, nearest, 3, &count),
        NITRO_ERR_MISMATCH, "the model");
    f.dataset->schema = schema;
    nitro_schema_free(other);
    assert_int_equal(count, 99);
    /* Rows without two times are no neighbours. */
    for (size_t i = 0; i < f.dataset->num_rows * SYNTHETIC_VARIANTS; i++)
        if (i % SYNTHETIC_VARIANTS != 0)
            f.dataset->times_ms[i] = NAN;
    assert_ok(f.context,
              nitro_model_neighbours(f.model, f.dataset, NITRO_NONE, features, nearest, 3, &count));
    assert_int_equal(count, 0);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_unused_features_are_not_checked),
        cmocka_unit_test(test_expected_ratios),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
