/* Poor training sets: every strategy makes a sensible model, with a warning where one is due, or
 * fails with a message that names the problem. */
#include <math.h>

#include "unit/learn/learning_fixture.h"

typedef learning_fixture fixture;

static int setup(void **state)
{
    *state = learning_setup(NITRO_LOG_WARNING);
    return 0;
}

static const char *name_input(size_t index, char name[16])
{
    snprintf(name, 16, "input%04zu", index);
    return name;
}

static void put(fixture *f, const char *device, size_t index, const double *features,
                const double *times_ms)
{
    char name[16];
    synthetic_put_sample(f->store, device, name_input(index, name), features, times_ms);
}

/* Learn for device "new" with every strategy; of each, how many of the usual inputs get the variant
 * that is best on a device with this launch cost (0: not checked), and that results are sane. */
static void learn_all(fixture *f, double launch, double least_quality)
{
    for (const nitro_strategy *const *each = nitro_builtin_strategies(); *each; each++) {
        nitro_model *model = NULL;
        double sum = 0.0;
        f->options.strategy = (*each)->name;
        assert_ok(f->context,
                  nitro_tune_from_source(f->context, f->store, "toy", "new", &f->options, &model));
        for (size_t i = 0; i < 100; i++) {
            double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
            double scores[SYNTHETIC_VARIANTS];
            nitro_decision decision;
            synthetic_input(i, NULL, features);
            synthetic_times(features, launch, times_ms);
            assert_ok(f->context, nitro_model_predict(model, features, &decision, NULL, scores));
            assert_true(decision.variant < SYNTHETIC_VARIANTS);
            assert_true(decision.confidence >= 0.0 && decision.confidence <= 1.0);
            for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
                assert_true(isfinite(scores[v]));
            sum += nitro_times_quality(times_ms, SYNTHETIC_VARIANTS, decision.variant);
        }
        if (sum / 100.0 < least_quality)
            fail_msg("%s: quality %.3f", (*each)->name, sum / 100.0);
        nitro_model_free(model);
    }
}

/* Learn for device "new" with every strategy: for these inputs "wide" is chosen. */
static void expect_wide(fixture *f, const double (*inputs)[SYNTHETIC_FEATURES], size_t count)
{
    for (const nitro_strategy *const *each = nitro_builtin_strategies(); *each; each++) {
        nitro_model *model = NULL;
        f->options.strategy = (*each)->name;
        assert_ok(f->context,
                  nitro_tune_from_source(f->context, f->store, "toy", "new", &f->options, &model));
        for (size_t i = 0; i < count; i++) {
            nitro_decision decision;
            assert_ok(f->context, nitro_model_predict(model, inputs[i], &decision, NULL, NULL));
            assert_int_equal(decision.variant, 1);
        }
        nitro_model_free(model);
    }
}

static void test_one_source(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 100);
    synthetic_put_device(f->store, "new", 2.0);
    learn_all(f, 1.0, 0.9);
    assert_non_null(strstr(f->log, "only one source"));
    assert_null(strstr(f->log, "fastest on every input")); /* these samples are in order */
    assert_null(strstr(f->log, "never measured"));
}

static void test_all_labels_equal(void **state)
{
    fixture *f = *state;
    const double times_ms[] = {3.0, 1.0, 2.0};
    synthetic_put_device(f->store, "a", 1.0);
    synthetic_put_device(f->store, "b", 2.0);
    synthetic_put_device(f->store, "new", 1.5);
    double inputs[60][SYNTHETIC_FEATURES];
    for (size_t i = 0; i < 60; i++) {
        synthetic_input(i, NULL, inputs[i]);
        put(f, "a", i, inputs[i], times_ms);
        put(f, "b", i, inputs[i], times_ms);
    }
    expect_wide(f, inputs, 60);
    assert_non_null(strstr(f->log, "is the fastest variant on every input"));
}

/* A variant that one source never measured is not bad: the other source's times decide. */
static void test_a_variant_never_measured_on_one_source(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 100);
    synthetic_put_device(f->store, "b", 1.1);
    synthetic_put_device(f->store, "new", 1.05);
    for (size_t i = 0; i < 100; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        synthetic_input(i, NULL, features);
        synthetic_times(features, 1.1, times_ms);
        times_ms[1] = NAN;
        put(f, "b", i, features, times_ms);
    }
    learn_all(f, 1.05, 0.7);
    assert_non_null(strstr(f->log, "was never measured on b: models learn of it from the other "
                                   "devices only"));
}

static void test_no_device_feature_in_common(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 80);
    synthetic_put_measured(f->store, "b", 1.5, 0, 80);
    nitro_device *device = NULL;
    assert_ok(f->context, nitro_device_create(f->context, "new", "recorded", &device));
    assert_ok(f->context,
              nitro_device_set(f->context, device, "blinkenlights", 3.0, NITRO_VALUE_RECORDED, 0));
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    nitro_device_free(device);
    learn_all(f, 1.25, 0.9);
    assert_non_null(strstr(f->log, "shares no device feature"));
}

static void test_constant_features(void **state)
{
    fixture *f = *state;
    const double features[] = {1000.0, 0.5}, times_ms[] = {2.0, 1.0, 3.0};
    synthetic_put_device(f->store, "a", 1.0);
    synthetic_put_device(f->store, "b", 1.0);
    synthetic_put_device(f->store, "new", 1.0);
    for (size_t i = 0; i < 30; i++) {
        put(f, "a", i, features, times_ms);
        put(f, "b", i, features, times_ms);
    }
    expect_wide(f, &features, 1);
}

/* The best variant varies, but no feature does. */
static void test_constant_features_with_other_times(void **state)
{
    fixture *f = *state;
    const double features[] = {1000.0, 0.5}, times_ms[2][3] = {{2.0, 1.0, 3.0}, {2.0, 6.0, 3.0}};
    synthetic_put_device(f->store, "a", 1.0);
    synthetic_put_device(f->store, "b", 1.0);
    synthetic_put_device(f->store, "new", 1.0);
    for (size_t i = 0; i < 30; i++) {
        put(f, "a", i, features, times_ms[i % 2]);
        put(f, "b", i, features, times_ms[i % 2]);
    }
    learn_all(f, 1.0, 0.0);
    assert_non_null(strstr(f->log, "all inputs have the same features"));
}

static void test_two_inputs(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 2);
    synthetic_put_measured(f->store, "b", 1.2, 0, 2);
    synthetic_put_device(f->store, "new", 1.1);
    learn_all(f, 1.1, 0.0);
    assert_non_null(strstr(f->log, "only 2 inputs measured"));
}

/* Such as what a program recorded that seldom runs another variant than its choice. */
static void test_inputs_of_one_time(void **state)
{
    fixture *f = *state;
    const double features[] = {1000.0, 0.5}, times_ms[] = {2.0, NAN, NAN};
    synthetic_put_measured(f->store, "a", 1.0, 0, 2);
    synthetic_put_device(f->store, "new", 1.1);
    for (size_t i = 2; i < 20; i++)
        put(f, "a", i, features, times_ms);
    learn_all(f, 1.1, 0.0);
    assert_non_null(strstr(f->log, "only 2 of 20 inputs have times of two variants"));
}

static void test_one_input(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 1);
    synthetic_put_measured(f->store, "b", 1.2, 0, 1);
    synthetic_put_device(f->store, "new", 1.1);
    learn_all(f, 1.1, 0.0);
    assert_non_null(strstr(f->log, "too few inputs"));
}

static void test_ten_thousand_identical_rows(void **state)
{
    fixture *f = *state;
    enum { ROWS = 5000 };
    const double features[] = {1000.0, 0.5}, times_ms[] = {2.0, 1.0, 3.0};
    nitro_sample **samples = calloc(ROWS, sizeof(*samples));
    char name[16];
    for (size_t i = 0; i < ROWS; i++)
        samples[i] = synthetic_sample(f->context, name_input(i, name), features, times_ms);
    synthetic_put_device(f->store, "a", 1.0);
    synthetic_put_device(f->store, "b", 2.0);
    synthetic_put_device(f->store, "new", 1.5);
    for (size_t d = 0; d < 2; d++)
        assert_ok(f->context,
                  nitro_store_put_samples(f->store, "toy", d ? "b" : "a",
                                          (const nitro_sample *const *)samples, ROWS, true));
    expect_wide(f, &features, 1);
    for (size_t i = 0; i < ROWS; i++)
        nitro_sample_free(samples[i]);
    free(samples);
}

/* Values that are no numbers are refused by the store, or skipped and logged. */
static void test_nan_and_infinity(void **state)
{
    fixture *f = *state;
    synthetic_put_measured(f->store, "a", 1.0, 0, 60);
    synthetic_put_measured(f->store, "b", 1.2, 0, 60);
    synthetic_put_device(f->store, "new", 1.1);
    const double bad[] = {INFINITY, -INFINITY};
    for (size_t i = 0; i < 2; i++) {
        const double features[] = {bad[i], 0.5}, times_ms[] = {1.0, 2.0, 3.0};
        char name[16];
        nitro_sample *sample =
            synthetic_sample(f->context, name_input(9000 + i, name), features, times_ms);
        const nitro_sample *samples[] = {sample};
        assert_fails(f->context, nitro_store_put_samples(f->store, "toy", "a", samples, 1, true),
                     NITRO_ERR_ARGUMENT, "input900");
        nitro_sample_free(sample);
    }
    const double missing[] = {NAN, 0.5}, times_ms[] = {1.0, 2.0, 3.0};
    put(f, "a", 9002, missing, times_ms); /* NaN is a missing value */
    learn_all(f, 1.1, 0.85);
    assert_non_null(strstr(f->log, "missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_source, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_all_labels_equal, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_a_variant_never_measured_on_one_source, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_no_device_feature_in_common, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_constant_features, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_constant_features_with_other_times, setup,
                                        learning_teardown),
        cmocka_unit_test_setup_teardown(test_two_inputs, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_inputs_of_one_time, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_one_input, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_ten_thousand_identical_rows, setup, learning_teardown),
        cmocka_unit_test_setup_teardown(test_nan_and_infinity, setup, learning_teardown),
    };
    return cmocka_run_group_tests_name("bad_sources", tests, NULL, NULL);
}
