/* Scales: their names, how one is chosen, and columns to [-1, 1] at all their edges. */
#include <float.h>
#include <math.h>

#include "nitro/records/scaler.h"
#include "unit/unit.h"

static void test_names(void **state)
{
    (void)state;
    const nitro_scale scales[] = {NITRO_SCALE_AUTO, NITRO_SCALE_LINEAR, NITRO_SCALE_LOG,
                                  NITRO_SCALE_SIGNED_LOG};
    for (size_t i = 0; i < 4; i++) {
        nitro_scale back = NITRO_SCALE_AUTO;
        assert_true(nitro_scale_from_name(nitro_scale_name(scales[i]), &back));
        assert_int_equal(back, scales[i]);
    }
    nitro_scale untouched = NITRO_SCALE_LOG;
    assert_false(nitro_scale_from_name("Log", &untouched));
    assert_false(nitro_scale_from_name("", &untouched));
    assert_false(nitro_scale_from_name(NULL, &untouched));
    assert_int_equal(untouched, NITRO_SCALE_LOG);
}

/* Values `first`, `first` * `factor`, ...: a column that spans as much as one likes. */
static void fill(double *values, size_t count, double first, double factor)
{
    values[0] = first;
    for (size_t i = 1; i < count; i++)
        values[i] = values[i - 1] * factor;
}

static void test_choice(void **state)
{
    (void)state;
    double values[100];
    fill(values, 100, 1.0, 1.1);
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LOG);
    values[50] = 0.0;
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_SIGNED_LOG);
    values[50] = -3.0;
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_SIGNED_LOG);
    fill(values, 100, 1.0, 1.01);
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LINEAR);
    values[7] = 1e-12; /* one odd value does not decide */
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LINEAR);
    values[7] = 1e4; /* but a long tail does */
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LOG);
    for (size_t i = 0; i < 100; i++)
        values[i] = i % 10 == 0;
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LINEAR);
    fill(values, 100, 0.0, 1.0);
    assert_int_equal(nitro_scale_choose(values, 100), NITRO_SCALE_LINEAR);
    assert_int_equal(nitro_scale_choose(values, 0), NITRO_SCALE_LINEAR);
    const double devices[] = {768, 6144, 512, 1536};
    assert_int_equal(nitro_scale_choose(devices, 4), NITRO_SCALE_LINEAR);
    const double few[] = {1, 10, 100, 100000};
    assert_int_equal(nitro_scale_choose(few, 4), NITRO_SCALE_LOG);
}

static nitro_scaler_column fit(const double *values, size_t count, nitro_scale scale)
{
    nitro_context *context = unit_context();
    nitro_scaler_column column;
    assert_ok(context, nitro_scaler_fit(context, values, count, 1, &scale, &column));
    nitro_context_free(context);
    return column;
}

static void test_range(void **state)
{
    (void)state;
    const double values[] = {1, 100, 10};
    nitro_scaler_column linear = fit(values, 3, NITRO_SCALE_LINEAR);
    assert_true(nitro_scaler_apply(&linear, 1) == -1.0);
    assert_true(nitro_scaler_apply(&linear, 100) == 1.0);
    assert_true(fabs(nitro_scaler_apply(&linear, 50.5)) <= 1e-15);
    nitro_scaler_column log_column = fit(values, 3, NITRO_SCALE_LOG);
    assert_true(fabs(nitro_scaler_apply(&log_column, 10)) <= 1e-15);
    assert_true(fabs(nitro_scaler_apply(&log_column, 1000) - 2.0) <= 1e-12);
    const double signs[] = {-9, 9, 0};
    nitro_scaler_column signed_log = fit(signs, 3, NITRO_SCALE_SIGNED_LOG);
    assert_true(fabs(nitro_scaler_apply(&signed_log, 0)) <= 1e-15);
    assert_true(fabs(nitro_scaler_apply(&signed_log, 99) - 2.0) <= 1e-12);
    assert_true(fabs(nitro_scaler_apply(&signed_log, -99) - -2.0) <= 1e-12);
}

static void test_columns_are_apart(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const double values[] = {1, 5, 1, 2, 5, 1e6, 3, 5, 1e3};
    const nitro_scale scales[] = {NITRO_SCALE_LINEAR, NITRO_SCALE_AUTO, NITRO_SCALE_AUTO};
    nitro_scaler_column columns[3];
    assert_ok(context, nitro_scaler_fit(context, values, 3, 3, scales, columns));
    assert_true(nitro_scaler_apply(&columns[0], 2) == 0.0);
    assert_int_equal(columns[1].scale, NITRO_SCALE_LINEAR);
    assert_true(nitro_scaler_apply(&columns[1], 5) == 0.0);
    assert_int_equal(columns[2].scale, NITRO_SCALE_LOG);
    assert_true(fabs(nitro_scaler_apply(&columns[2], 1e3)) <= 1e-12);
    nitro_context_free(context);
}

static void test_a_constant_says_nothing(void **state)
{
    (void)state;
    const double values[] = {48, 48, 48};
    nitro_scaler_column column = fit(values, 3, NITRO_SCALE_LINEAR);
    const double probes[] = {48, 64, -1e300, 0};
    for (size_t i = 0; i < 4; i++)
        assert_true(nitro_scaler_apply(&column, probes[i]) == 0.0);
    assert_true(nitro_scaler_excess(&column, 48) == 0.0);
    assert_true(fabs(nitro_scaler_excess(&column, 52.8) - 0.2) <= 1e-12);
    const double zeros[] = {0, 0};
    column = fit(zeros, 2, NITRO_SCALE_LINEAR);
    assert_true(nitro_scaler_excess(&column, 0) == 0.0);
    assert_true(nitro_scaler_excess(&column, 1e-9) > 1.0);
}

static void test_extremes_stay_finite(void **state)
{
    (void)state;
    const double ranges[][2] = {
        {1, 2}, {5e-324, 1}, {-DBL_MAX, DBL_MAX}, {1, 1 + DBL_EPSILON}, {DBL_MIN, DBL_MAX}};
    const double probes[] = {0, -0.0, 1, -1, 5e-324, DBL_MAX, -DBL_MAX, DBL_MIN, 1e-300};
    const nitro_scale scales[] = {NITRO_SCALE_LINEAR, NITRO_SCALE_LOG, NITRO_SCALE_SIGNED_LOG};
    for (size_t s = 0; s < 3; s++)
        for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
            if (scales[s] == NITRO_SCALE_LOG && ranges[r][0] < 0)
                continue;
            nitro_scaler_column column = fit(ranges[r], 2, scales[s]);
            for (size_t p = 0; p < sizeof(probes) / sizeof(probes[0]); p++) {
                double scaled = nitro_scaler_apply(&column, probes[p]);
                double excess = nitro_scaler_excess(&column, probes[p]);
                assert_true(fabs(scaled) <= 1000.0);
                assert_true(excess >= 0.0 && excess <= 1000.0);
            }
        }
}

static void test_inverse(void **state)
{
    (void)state;
    const double values[] = {2, 700};
    const nitro_scale scales[] = {NITRO_SCALE_LINEAR, NITRO_SCALE_LOG, NITRO_SCALE_SIGNED_LOG};
    for (size_t s = 0; s < 3; s++) {
        nitro_scaler_column column = fit(values, 2, scales[s]);
        for (double value = 1; value < 1000; value *= 1.7) {
            double back = nitro_scaler_invert(&column, nitro_scaler_apply(&column, value));
            assert_true(fabs(back - value) <= 1e-9 * value);
        }
    }
}

static void test_outside(void **state)
{
    (void)state;
    const double values[] = {1, 100};
    nitro_scaler_column column = fit(values, 2, NITRO_SCALE_LOG);
    assert_true(nitro_scaler_excess(&column, 1) == 0.0);
    assert_true(nitro_scaler_excess(&column, 37) == 0.0);
    assert_true(fabs(nitro_scaler_excess(&column, 1000) - 1.0) <= 1e-12);
    assert_true(nitro_scaler_apply(&column, 0) == -3.0);
    assert_true(nitro_scaler_apply(&column, -5) == -3.0);
    assert_true(nitro_scaler_excess(&column, 0) == 2.0);
    const double ones[] = {1, 1};
    column = fit(ones, 2, NITRO_SCALE_LOG);
    assert_true(nitro_scaler_excess(&column, -1) > 1.0);
    assert_true(nitro_scaler_apply(&column, -1) == 0.0);
}

/* The interval's ends are the last values inside, to the last bit, for every scale. */
static void test_interval_is_where_the_excess_is_small(void **state)
{
    (void)state;
    const double linear[] = {-3, 5}, positive[] = {1e-3, 1e6}, around[] = {-40, 1e4};
    const struct {
        const double *values;
        nitro_scale scale;
    } cases[] = {{linear, NITRO_SCALE_LINEAR},
                 {positive, NITRO_SCALE_LOG},
                 {around, NITRO_SCALE_SIGNED_LOG}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        nitro_scaler_column column = fit(cases[i].values, 2, cases[i].scale);
        double low, high;
        assert_true(nitro_scaler_interval(&column, 0.2, &low, &high));
        assert_true(low < cases[i].values[0] && high > cases[i].values[1]);
        assert_true(nitro_scaler_excess(&column, low) <= 0.2);
        assert_true(nitro_scaler_excess(&column, high) <= 0.2);
        assert_true(nitro_scaler_excess(&column, nextafter(low, -INFINITY)) > 0.2);
        assert_true(nitro_scaler_excess(&column, nextafter(high, INFINITY)) > 0.2);
    }
    const double same[] = {7, 7};
    nitro_scaler_column constant = fit(same, 2, NITRO_SCALE_LINEAR);
    double low, high;
    assert_false(nitro_scaler_interval(&constant, 0.2, &low, &high));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_columns_are_apart),
        cmocka_unit_test(test_a_constant_says_nothing),
        cmocka_unit_test(test_extremes_stay_finite),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_interval_is_where_the_excess_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
