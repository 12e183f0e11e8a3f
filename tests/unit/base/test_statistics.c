/* Order statistics against values known by hand (or from R's quantile()). */
#include <math.h>

#include "nitro/backend/statistics.h"
#include "unit/unit.h"

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * (1 + fabs(want))))
        fail_msg("got %.17g, want %.17g", got, want);
}

static void test_sort(void **state)
{
    (void)state;
    double values[] = {3, -1, 2, 2, 1e300};
    nitro_sort(values, 5);
    const double want[] = {-1, 2, 2, 3, 1e300};
    assert_memory_equal(values, want, sizeof want);
    nitro_sort(NULL, 0);
}

static void test_quantiles(void **state)
{
    (void)state;
    const double even[] = {1, 2, 4, 8};
    near(nitro_median(even, 4), 3);
    near(nitro_quantile(even, 4, 0), 1);
    near(nitro_quantile(even, 4, 0.25), 1.75);
    near(nitro_quantile(even, 4, 0.05), 1.15);
    near(nitro_quantile(even, 4, 1), 8);
    near(nitro_median(even, 3), 2);
    near(nitro_median(even, 1), 1);
    near(nitro_quantile(even, 1, 0.9), 1);
    assert_true(isnan(nitro_median(even, 0)));
}

static void test_spread(void **state)
{
    (void)state;
    const double values[] = {1, 2, 4, 8};
    near(nitro_relative_spread(values, 4), (5 - 1.75) / 2 / 3);
    assert_true(isnan(nitro_relative_spread(values, 1)));
    assert_true(isnan(nitro_relative_spread(values, 0)));
}

static void test_uncertainty(void **state)
{
    (void)state;
    double values[101];
    for (size_t i = 0; i < 101; i++)
        values[i] = 1000 + (double)i;
    assert_true(isinf(nitro_median_uncertainty(values, 0)));
    assert_true(isinf(nitro_median_uncertainty(values, 1)));
    near(nitro_median_uncertainty(values, 3), 1.0 / 1001);
    near(nitro_median_uncertainty(values, 5), 2.0 / 1002);
    /* 101 values: 101/2 - 0.98 sqrt(101) = 40.65: ranks 40 and 60 from zero. */
    near(nitro_median_uncertainty(values, 101), 10.0 / 1050);
}

/* The interval holds the true median about 95 times in 100, whatever the values' distribution. */
static void test_uncertainty_covers(void **state)
{
    (void)state;
    nitro_random random;
    nitro_random_seed(&random, 1);
    int covered = 0;
    enum { REPETITIONS = 2000, COUNT = 25 };
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        double values[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            values[i] = exp(nitro_random_normal(&random));
        nitro_sort(values, COUNT);
        /* Ranks 7 and 17 from zero: 25/2 - 0.98 * 5 = 7.6. */
        double half = nitro_median_uncertainty(values, COUNT) * nitro_median(values, COUNT);
        near(half, (values[17] - values[7]) / 2);
        covered += values[7] <= 1 && 1 <= values[17];
    }
    assert_in_range(covered, REPETITIONS * 93 / 100, REPETITIONS * 98 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_uncertainty),
        cmocka_unit_test(test_uncertainty_covers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
