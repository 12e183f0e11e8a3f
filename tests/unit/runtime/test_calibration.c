/* Calibrations: how differences of scores become confidences, and two of them blended. */
#include <math.h>

#include "nitro/learn/calibration_fit.h"
#include "nitro/runtime/scores/calibration.h"
#include "unit/model_fixture.h"
#include "unit/unit.h"

static void test_calibration(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    enum { ROWS = 2000 };
    double *times = calloc(ROWS * 2, sizeof(double)), *scores = calloc(ROWS * 2, sizeof(double));
    nitro_random random;
    nitro_random_seed(&random, 4);
    for (size_t row = 0; row < ROWS; row++) {
        double margin = nitro_random_uniform(&random);
        bool right = nitro_random_uniform(&random) < 0.5 + 0.5 * margin;
        scores[row * 2] = margin;
        times[row * 2] = right ? 1.0 : 2.0;
        times[row * 2 + 1] = right ? 2.0 : 1.0;
    }
    nitro_calibration calibration;
    assert_ok(context, nitro_calibration_fit(context, times, scores, NULL, ROWS, 2, &calibration));
    for (double margin = 0.1; margin < 0.95; margin += 0.1)
        assert_true(fabs(nitro_calibration_confidence(&calibration, 2.0 * margin) -
                         (0.5 + 0.5 * margin)) <= 0.08);
    double last = 0.0;
    for (double margin = -1.0; margin < 2.0; margin += 0.01) {
        double confidence = nitro_calibration_confidence(&calibration, margin);
        assert_true(confidence >= last && confidence <= 1.0);
        last = confidence;
    }
    for (size_t i = 0; i < ROWS * 2; i++)
        scores[i] = NAN;
    assert_ok(context, nitro_calibration_fit(context, times, scores, NULL, ROWS, 2, &calibration));
    assert_true(nitro_calibration_confidence(&calibration, 3.0) == 0.5);
    free(times);
    free(scores);
    nitro_context_free(context);
}

/* Where a constraint, or what sources measured, leaves one variant, its score has no margin. */
static void test_single_variants_are_no_decisions(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    nitro_context *context = unit_context();
    nitro_calibration with, without;
    double times[2 * ROWS][2], scores[2 * ROWS][2];
    for (size_t row = 0; row < 2 * ROWS; row++) {
        bool right = row < ROWS && row % 4 != 0;
        times[row][0] = right ? 1.0 : 2.0;
        times[row][1] = right ? 2.0 : 1.0;
        scores[row][0] = (double)row / ROWS;
        scores[row][1] = row < ROWS ? 0.0 : -INFINITY;
    }
    assert_ok(context,
              nitro_calibration_fit(context, times[0], scores[0], NULL, 2 * ROWS, 2, &with));
    assert_ok(context,
              nitro_calibration_fit(context, times[0], scores[0], NULL, ROWS, 2, &without));
    assert_int_equal(with.num_knots, without.num_knots);
    for (size_t k = 0; k < with.num_knots; k++) {
        assert_true(isfinite(with.margins[k]) && with.margins[k] == without.margins[k]);
        assert_true(with.confidences[k] == without.confidences[k]);
    }
    nitro_context_free(context);
}

/* Two devices of other scales, right in 20 of their 100 smallest margins, 50 of the next 100 and 90
 * of the largest ones; a third device has too few decisions. */
static void test_steps(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    enum { ROWS = 300, FEW = 20, ALL = 2 * ROWS + FEW, MARGINS = 100 };
    static const size_t hits[] = {20, 50, 90};
    double times[ALL * 2], scores[ALL * 2] = {0}, margins[MARGINS];
    size_t devices[ALL];
    for (size_t i = 0; i < ALL; i++) {
        size_t row = i % ROWS;
        bool right = i < 2 * ROWS && row * 37 % 100 < hits[row / 100];
        devices[i] = i / ROWS;
        scores[i * 2] = (1.0 + (double)row) * (i < ROWS ? 1.0 : 0.001);
        times[i * 2] = right ? 1.0 : 2.0;
        times[i * 2 + 1] = right ? 2.0 : 1.0;
    }
    for (size_t i = 0; i < MARGINS; i++)
        margins[i] = (double)i;
    const nitro_decisions decisions = {times, scores, devices, ALL, 3, 2};
    nitro_calibration calibration;
    assert_ok(context,
              nitro_calibration_fit_steps(context, &decisions, margins, MARGINS, &calibration));
    assert_int_equal(calibration.num_knots, 6);
    double last = nitro_calibration_confidence(&calibration, 99.0);
    assert_near(last, 0.9, 0.05); /* a step is a third of the decisions or so */
    assert_near(nitro_calibration_confidence(&calibration, 75.0), last, 1e-12);
    assert_near(nitro_calibration_confidence(&calibration, 50.0), 0.5, 0.05);
    assert_near(nitro_calibration_confidence(&calibration, 0.0), 0.2, 0.05);
    for (size_t i = 0; i < MARGINS; i++) /* equal margins on the target: one step */
        margins[i] = 1.0;
    assert_ok(context,
              nitro_calibration_fit_steps(context, &decisions, margins, MARGINS, &calibration));
    assert_int_equal(calibration.num_knots, 1);
    const nitro_decisions few = {
        times + 4 * ROWS, scores + 4 * ROWS, devices + 2 * ROWS, FEW, 3, 2};
    assert_ok(context, nitro_calibration_fit_steps(context, &few, margins, MARGINS, &calibration));
    assert_true(nitro_calibration_confidence(&calibration, 3.0) == 0.5);
    nitro_context_free(context);
}

static void test_blends(void **state)
{
    (void)state;
    const nitro_calibration confident = {2, {0.0, 1.0}, {0.5, 1.0}},
                            unconfident = {1, {0.5}, {0.25}};
    nitro_calibration blend;
    nitro_calibration_blend(&confident, &unconfident, 0.0, &blend);
    for (double margin = -1.0; margin < 2.0; margin += 0.125)
        assert_near(nitro_calibration_confidence(&blend, margin),
                    nitro_calibration_confidence(&confident, margin), 1e-12);
    nitro_calibration_blend(&confident, &unconfident, 0.5, &blend);
    assert_near(nitro_calibration_confidence(&blend, 1.0), 0.625, 1e-12);
    nitro_calibration_blend(&confident, &unconfident, 2.0, &blend);
    assert_near(nitro_calibration_confidence(&blend, 0.0), 0.0, 1e-12);
    assert_near(nitro_calibration_confidence(&blend, 1.0), 0.0, 1e-12);
    nitro_calibration_blend(&unconfident, &confident, 2.0, &blend);
    assert_near(nitro_calibration_confidence(&blend, 1.0), 1.0, 1e-12); /* 1.75, cut */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_single_variants_are_no_decisions),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_blends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
