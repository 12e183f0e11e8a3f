/* Models: what they decide and why, and what they learn from. */
#include <math.h>

#include "unit/model_fixture.h"
#include "unit/temporary.h"

static void test_it_learns(void **state)
{
    fixture *f = *state;
    double quality = 0.0;
    size_t num_inside = 0;
    for (size_t i = 1000; i < 1300; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        synthetic_times(features, 2.0, times_ms);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, NULL));
        assert_true(decision.confidence >= 0.0 && decision.confidence <= 1.0);
        num_inside += decision.reason == NITRO_REASON_MODEL;
        quality += nitro_times_quality(times_ms, SYNTHETIC_VARIANTS, decision.variant) / 300.0;
    }
    assert_true(quality > 0.95);
    assert_true(num_inside > 290);
}

static void test_ranking_follows_scores(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < 50; i++) {
        double features[SYNTHETIC_FEATURES], scores[SYNTHETIC_VARIANTS];
        size_t ranking[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, ranking, scores));
        assert_int_equal(decision.variant, ranking[0]);
        assert_string_equal(decision.variant_name, nitro_model_variant_name(f->model, ranking[0]));
        for (size_t r = 1; r < SYNTHETIC_VARIANTS; r++)
            assert_true(scores[ranking[r - 1]] >= scores[ranking[r]]);
    }
}

static void test_bad_features(void **state)
{
    fixture *f = *state;
    nitro_decision decision = {.variant = 77};
    const double nan_features[] = {NAN, 0.5}, infinite[] = {10.0, INFINITY};
    assert_fails(f->context, nitro_model_predict(f->model, nan_features, &decision, NULL, NULL),
                 NITRO_ERR_BAD_FEATURE, "feature size");
    assert_fails(f->context, nitro_model_predict(f->model, infinite, &decision, NULL, NULL),
                 NITRO_ERR_BAD_FEATURE, "feature skew");
    assert_int_equal(nitro_model_decide(f->model, infinite, 7, 0.0, &decision),
                     NITRO_ERR_BAD_FEATURE);
    assert_int_equal(decision.variant, 77);
}

static void test_outside_takes_the_default(void **state)
{
    fixture *f = *state;
    const double probes[][2] = {{1e9, 0.5}, {0.0, 0.5}, {-5.0, 0.5}, {1000.0, 1.5}, {1000.0, -9}};
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        nitro_decision decision;
        assert_ok(f->context, nitro_model_predict(f->model, probes[i], &decision, NULL, NULL));
        assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
        assert_int_equal(decision.variant, f->model->schema->default_variant);
        assert_true(decision.confidence == 0.0);
    }
    /* A tenth of the range is near enough. */
    const double near[] = {1000.0, 1.05};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_predict(f->model, near, &decision, NULL, NULL));
    assert_int_equal(decision.reason, NITRO_REASON_MODEL);
}

static void test_constraints(void **state)
{
    fixture *f = *state;
    f->model->schema->default_variant = 1;
    for (size_t i = 0; i < 50; i++) {
        double features[SYNTHETIC_FEATURES], scores[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_model_predict(f->model, features, &decision, NULL, scores));
        assert_ok(f->context, nitro_model_decide(f->model, features, 5, 0.0, &decision));
        assert_int_equal(decision.variant, scores[2] > scores[0] ? 2 : 0);
    }
    /* The default variant is not allowed: the first allowed one. */
    const double outside[] = {1e9, 0.5};
    nitro_decision decision;
    assert_ok(f->context, nitro_model_decide(f->model, outside, 6, 0.0, &decision));
    assert_int_equal(decision.variant, 1);
    assert_ok(f->context, nitro_model_decide(f->model, outside, 5, 0.0, &decision));
    assert_int_equal(decision.variant, 0);
    assert_ok(f->context, nitro_model_decide(f->model, outside, 4, 0.0, &decision));
    assert_int_equal(decision.variant, 2);
}

static void test_low_confidence(void **state)
{
    fixture *f = *state;
    const double features[] = {100.0, 0.5};
    nitro_decision confident, unconfident;
    assert_ok(f->context, nitro_model_decide(f->model, features, 7, 0.0, &confident));
    assert_int_equal(confident.reason, NITRO_REASON_MODEL);
    assert_ok(f->context,
              nitro_model_decide(f->model, features, 7, confident.confidence, &unconfident));
    assert_int_equal(unconfident.reason, NITRO_REASON_MODEL);
    assert_ok(f->context, nitro_model_decide(f->model, features, 7, 1.0, &unconfident));
    assert_int_equal(unconfident.reason, NITRO_REASON_LOW_CONFIDENCE);
    assert_int_equal(unconfident.variant, f->model->schema->default_variant);
    assert_true(unconfident.confidence == confident.confidence);
}

static void test_default_is_the_best_fixed(void **state)
{
    fixture *f = *state;
    assert_int_equal(f->model->schema->default_variant,
                     nitro_dataset_best_fixed(f->dataset, UINT64_MAX));
    f->dataset->schema->default_variant = 2;
    nitro_model *model = NULL;
    assert_ok(f->context, train(f, 1, &model));
    assert_int_equal(model->schema->default_variant, 2);
    nitro_model_free(model);
}

static void test_rows_that_are_not_usable(void **state)
{
    fixture *f = *state;
    nitro_model *model = NULL;
    for (size_t row = 0; row < f->dataset->num_rows; row++)
        f->dataset->times_ms[row * 3] = f->dataset->times_ms[row * 3 + 1] = NAN;
    assert_fails(f->context, train(f, 1, &model), NITRO_ERR_NO_DATA, "at least two variants");
    assert_null(model);
    f->dataset->times_ms[0] = 1.0;
    assert_ok(f->context, train(f, 1, &model));
    nitro_model_free(model);
}

static void keep_message(void *user, nitro_log_level level, const char *message)
{
    if (level == NITRO_LOG_WARNING)
        snprintf(user, 512, "%s", message);
}

static void test_a_log_scale_takes_positive_values(void **state)
{
    fixture *f = *state;
    char message[512] = "";
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_message, message);
    f->dataset->schema->features[0].scale = NITRO_SCALE_LOG;
    f->dataset->features[5 * SYNTHETIC_FEATURES] = 0.0;
    f->dataset->features[9 * SYNTHETIC_FEATURES] = -1.0;
    nitro_model *model = NULL;
    assert_ok(f->context, train(f, 1, &model));
    assert_non_null(strstr(message, "2 samples are not used"));
    assert_non_null(strstr(message, "feature size of input input0002 on device new"));
    nitro_model_free(model);
}

static void test_a_constant_device_feature_is_ignored(void **state)
{
    fixture *f = *state;
    const double features[] = {700.0, 0.3};
    double scores[SYNTHETIC_VARIANTS], changed[SYNTHETIC_VARIANTS];
    nitro_model_score(f->model, features, scores);
    f->model->device_values[1] = 1e6; /* sockets: 1 on all sources */
    nitro_model_scale_device(f->model);
    nitro_model_score(f->model, features, changed);
    assert_memory_equal(scores, changed, sizeof(scores));
    f->model->device_values[0] = 4.0; /* launch is not constant */
    nitro_model_scale_device(f->model);
    nitro_model_score(f->model, features, changed);
    assert_memory_not_equal(scores, changed, sizeof(scores));
}

static void test_same_bytes_whatever_the_threads(void **state)
{
    fixture *f = *state;
    for (unsigned num_threads = 2; num_threads <= 4; num_threads += 2) {
        nitro_model *model = NULL;
        char *text = NULL;
        size_t size = 0;
        assert_ok(f->context, train(f, num_threads, &model));
        assert_ok(f->context, nitro_model_format(model, &text, &size));
        assert_int_equal(size, f->size);
        assert_memory_equal(text, f->text, size);
        free(text);
        nitro_model_free(model);
    }
}

static int read_features(const void *argument, double *values, void *user)
{
    (void)user;
    memcpy(values, argument, SYNTHETIC_FEATURES * sizeof(*values));
    return 0;
}

static nitro_computation *make_computation(nitro_context *context)
{
    nitro_computation *computation = NULL;
    const char *names[] = {"simple", "wide", "even"};
    const nitro_feature features[] = {{"size", "rows", NITRO_SCALE_AUTO, 0},
                                      {"skew", "1", NITRO_SCALE_LINEAR, 0}};
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    for (size_t v = 0; v < 3; v++) {
        nitro_variant variant = {.name = names[v], .run = run_nothing};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    assert_ok(context,
              nitro_computation_add_features(computation, features, 2, read_features, NULL));
    return computation;
}

static void test_attached(void **state)
{
    fixture *f = *state;
    temporary folder = temporary_make();
    const char *path = temporary_path(&folder, "toy.model");
    assert_ok(f->context, nitro_model_save(f->model, path));
    nitro_computation *computation = make_computation(f->context);
    assert_ok(f->context, nitro_computation_load_model(computation, path));
    for (size_t i = 0; i < 100; i++) {
        double features[SYNTHETIC_FEATURES];
        nitro_decision selected, predicted;
        synthetic_input(i, NULL, features);
        assert_ok(f->context, nitro_select(computation, features, &selected));
        assert_ok(f->context, nitro_model_predict(f->model, features, &predicted, NULL, NULL));
        assert_int_equal(selected.variant, predicted.variant);
        assert_int_equal(selected.reason, NITRO_REASON_MODEL);
    }
    nitro_model *model = NULL;
    nitro_computation *other = make_computation(f->context);
    assert_ok(f->context, nitro_model_load(f->context, path, &model));
    assert_ok(f->context, nitro_computation_attach_model(computation, model));
    assert_fails(f->context, nitro_computation_attach_model(computation, model), NITRO_ERR_ARGUMENT,
                 "attached already");
    assert_fails(f->context, nitro_computation_attach_model(other, model), NITRO_ERR_ARGUMENT,
                 "attached already");
    nitro_computation_free(other);
    nitro_computation_free(computation);
    temporary_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_learns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ranking_follows_scores, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_features, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outside_takes_the_default, setup, teardown),
        cmocka_unit_test_setup_teardown(test_constraints, setup, teardown),
        cmocka_unit_test_setup_teardown(test_low_confidence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_default_is_the_best_fixed, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_rows_that_are_not_usable, setup_small, teardown),
        cmocka_unit_test_setup_teardown(test_a_log_scale_takes_positive_values, setup_small,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_constant_device_feature_is_ignored, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_bytes_whatever_the_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_attached, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
