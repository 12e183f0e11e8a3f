/* Decisions of a model by hand: made-up scores, confidences, range ends and costs. */
#include "nitro/backend/explain.h"
#include "nitro/runtime/model/model.h"
#include "unit/synthetic.h"

typedef struct fixture {
    nitro_context *context;
    nitro_model *model;
    double scores[SYNTHETIC_VARIANTS]; /* what the strategy scores, in the middle of the range */
    nitro_range_end ends[2 * SYNTHETIC_FEATURES];
} fixture;

/** The first variant's score rises with the first feature, the last one's with the device's. */
static void score_made_up(const void *predictor, const double *columns, double *scores)
{
    memcpy(scores, predictor, SYNTHETIC_VARIANTS * sizeof *scores);
    scores[0] += 0.0625 * columns[0];
    scores[2] += columns[2] - 5.0;
}

static void free_nothing(void *predictor)
{
    (void)predictor;
}

static const nitro_strategy made_up = {
    .name = "made-up", .loss_per_score = 1.0, .score = score_made_up, .free = free_nothing};
static const nitro_strategy without_times = {
    .name = "made-up", .score = score_made_up, .free = free_nothing};

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->context = unit_context();
    nitro_schema *schema = synthetic_schema(f->context);
    schema->default_variant = 1;
    assert_ok(f->context, nitro_model_create(f->context, schema, "here", "recorded", &f->model));
    nitro_schema_free(schema);
    nitro_model *model = f->model;
    assert_ok(f->context, nitro_string_list_add(f->context, &model->device_features, "launch"));
    model->columns[0] = (nitro_scaler_column){NITRO_SCALE_LINEAR, 0.0, 100.0};
    model->columns[1] = (nitro_scaler_column){NITRO_SCALE_LINEAR, 0.0, 1.0};
    model->columns[2] = (nitro_scaler_column){NITRO_SCALE_LINEAR, 0.0, 1.0};
    model->device_columns[0] = 5.0; /* far from the sources: no input is moved because of it */
    nitro_model_choose_seen(model);
    model->strategy = &made_up;
    model->predictor = f->scores;
    model->calibration = (nitro_calibration){2, {0.0, 1.0}, {0.0, 1.0}}; /* the margin itself */
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->model->ends = NULL;
    nitro_model_free(f->model);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void set_scores(fixture *f, double first, double second, double third)
{
    f->scores[0] = first;
    f->scores[1] = second;
    f->scores[2] = third;
}

/** Beyond the end of large sizes: up to a full range's half the scores decide, then "wide". */
static void set_ends(fixture *f)
{
    f->ends[1] = (nitro_range_end){1.0, 0.5, 0.375, {-0.5, -0.25, -1.0}};
    f->model->ends = f->ends;
}

static void expect(fixture *f, double size, uint64_t allowed, double min_confidence, size_t variant,
                   nitro_reason reason, double confidence)
{
    const double features[] = {size, 0.5};
    nitro_decision made = {.variant = 77};
    assert_ok(f->context, nitro_model_decide(f->model, features, allowed, min_confidence, &made));
    assert_int_equal(made.variant, variant);
    assert_int_equal(made.reason, reason);
    assert_true(fabs(made.confidence - confidence) < 1e-12);
    assert_string_equal(made.variant_name, f->model->schema->variants[variant]);
}

static void test_the_best_score_is_taken_if_confident(void **state)
{
    fixture *f = *state;
    set_scores(f, 0.0, -0.25, -0.5);
    expect(f, 50.0, 7, 0.0, 0, NITRO_REASON_MODEL, 0.25);
    expect(f, 50.0, 7, 0.25, 0, NITRO_REASON_MODEL, 0.25);
    expect(f, 50.0, 7, 0.2501, 1, NITRO_REASON_LOW_CONFIDENCE, 0.25);
    expect(f, 50.0, 6, 0.0, 1, NITRO_REASON_MODEL, 0.0);
    expect(f, 50.0, 4, 2.0, 2, NITRO_REASON_LOW_CONFIDENCE, 1.0);
    set_scores(f, -0.25, -0.25, -1.0); /* ties go to the first declared */
    expect(f, 50.0, 7, 0.0, 0, NITRO_REASON_MODEL, 0.0);
    set_scores(f, -INFINITY, -INFINITY, -INFINITY);
    expect(f, 50.0, 7, 0.0, 1, NITRO_REASON_OUTSIDE, 0.0);
}

static void test_outside_the_range(void **state)
{
    fixture *f = *state;
    set_scores(f, 0.0, -0.5, -0.5);
    expect(f, 109.9, 7, 0.0, 0, NITRO_REASON_MODEL, 0.5 + 2.0 * 0.0625 * 1.198);
    expect(f, 110.1, 7, 0.0, 1, NITRO_REASON_OUTSIDE, 0.0);
    set_ends(f);
    expect(f, 120.0, 7, 0.0, 0, NITRO_REASON_EXTRAPOLATED, 0.5 / 1.4);
    expect(f, 120.0, 7, 0.5 / 1.4, 0, NITRO_REASON_EXTRAPOLATED, 0.5 / 1.4);
    expect(f, 120.0, 7, 0.36, 1, NITRO_REASON_NEAREST, 0.375 / 1.4);
    expect(f, 220.0, 7, 0.0, 1, NITRO_REASON_NEAREST, 0.375 / 3.4);
    expect(f, 220.0, 5, 0.0, 0, NITRO_REASON_NEAREST, 0.375 / 3.4);
    expect(f, 220.0, 4, 0.0, 2, NITRO_REASON_OUTSIDE, 0.0); /* it ran on none of the nearest */
    set_scores(f, 0.0, -0.125, -0.5);                       /* less confident than the end */
    expect(f, 120.0, 7, 0.0, 0, NITRO_REASON_EXTRAPOLATED, 0.125 + 2.0 * 0.0625 * 1.2);
}

/** Scores see an input outside as one at the border; what stands for the device stays. */
static void test_scores_outside_are_those_of_the_border(void **state)
{
    fixture *f = *state;
    const double above[] = {220.0, 0.5}, below[] = {-120.0, 0.5};
    double scores[SYNTHETIC_VARIANTS];
    size_t ranking[SYNTHETIC_VARIANTS];
    nitro_decision decision;
    set_scores(f, -0.5, 0.0, -0.5);
    assert_ok(f->context, nitro_model_predict(f->model, above, &decision, ranking, scores));
    assert_true(fabs(scores[0] - (-0.5 + 0.0625 * 1.2)) < 1e-12);
    assert_true(scores[1] == 0.0 && scores[2] == -0.5);
    assert_ok(f->context, nitro_model_predict(f->model, below, &decision, NULL, scores));
    assert_true(fabs(scores[0] - (-0.5 - 0.0625 * 1.2)) < 1e-12);
    const double middle[] = {50.0, 0.5};
    assert_ok(f->context, nitro_model_predict(f->model, middle, &decision, ranking, scores));
    assert_true(ranking[0] == 1 && ranking[1] == 0 && ranking[2] == 2);
}

static void test_expected_ratios(void **state)
{
    fixture *f = *state;
    const double scores[] = {-0.5, -0.75, -1.0};
    assert_true(nitro_model_expected_ratio(f->model, scores, 0, 1) == 2.0);
    f->model->strategy = &without_times;
    assert_true(isnan(nitro_model_expected_ratio(f->model, scores, 0, 1)));
}

static void test_names_of_a_model(void **state)
{
    fixture *f = *state;
    assert_string_equal(nitro_model_variant_name(f->model, 2), "even");
    assert_null(nitro_model_variant_name(f->model, 3));
    assert_null(nitro_model_variant_name(NULL, 0));
    assert_string_equal(nitro_model_feature_name(f->model, 1), "skew");
    assert_null(nitro_model_feature_name(f->model, 2));
    assert_null(nitro_model_feature_name(NULL, 0));
    assert_int_equal(nitro_model_num_variants(NULL), 0);
    assert_int_equal(nitro_model_num_features(NULL), 0);
    assert_null(nitro_model_computation(NULL));
    assert_null(nitro_model_target(NULL));
    assert_null(nitro_model_strategy(NULL));
}

static void test_shares_of_uses(void **state)
{
    fixture *f = *state;
    static const struct {
        double uses;
        float share; /* negative: refused */
    } cases[] = {{1.0, 1.0F},  {2.0, 0.5F},   {INFINITY, 0.0F}, {0.0, 9.0F},
                 {0.5, -1.0F}, {-3.0, -1.0F}, {NAN, -1.0F}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float share = 9.0F;
        nitro_status status = nitro_share_of_uses(f->context, "toy", cases[i].uses, &share);
        assert_int_equal(status, cases[i].share < 0.0F ? NITRO_ERR_ARGUMENT : NITRO_OK);
        assert_true(share == (status == NITRO_OK ? cases[i].share : 9.0F));
    }
}

/** Up to its number of uses the cheap choice holds, that number included. */
static void test_few_uses(void **state)
{
    fixture *f = *state;
    const double features[] = {50.0, 0.5};
    nitro_decision made;
    assert_int_equal(nitro_model_first_features(f->model), 0);
    assert_false(nitro_model_decide_few_uses(f->model, 1.0, features, 3, &made));
    assert_ok(f->context, nitro_prepare_costs_create(f->context, f->model->num_seen,
                                                     SYNTHETIC_VARIANTS, &f->model->prepare_costs));
    nitro_prepare_costs *costs = f->model->prepare_costs;
    costs->num_few = 1;
    costs->few[0] = (nitro_few_uses){INFINITY, 4.0, 2, 0.5};
    assert_int_equal(nitro_model_first_features(f->model), 0);
    assert_true(nitro_model_decide_few_uses(f->model, 0.25, features, 3, &made));
    assert_int_equal(made.variant, 2);
    assert_int_equal(made.reason, NITRO_REASON_FEW_USES);
    assert_true(made.confidence == 0.5);
    assert_string_equal(made.variant_name, "even");
    assert_false(nitro_model_decide_few_uses(f->model, 0.2, features, 3, &made));
    costs->few_feature = 1;
    assert_int_equal(nitro_model_first_features(f->model), 2);
}

static void test_a_strategy_without_terms_is_not_compiled(void **state)
{
    fixture *f = *state;
    nitro_score_terms terms;
    assert_fails(f->context, nitro_model_parts(f->model, &terms), NITRO_ERR_UNSUPPORTED,
                 "strategy made-up cannot be compiled");
    set_scores(f, 0.0, -0.25, -0.5);
    assert_ok(f->context, nitro_model_compile(f->model));
    assert_null(f->model->compiled);
    expect(f, 50.0, 7, 0.0, 0, NITRO_REASON_MODEL, 0.25);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_the_best_score_is_taken_if_confident),
        TEST(test_outside_the_range),
        TEST(test_scores_outside_are_those_of_the_border),
        TEST(test_expected_ratios),
        TEST(test_names_of_a_model),
        TEST(test_shares_of_uses),
        TEST(test_few_uses),
        TEST(test_a_strategy_without_terms_is_not_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
