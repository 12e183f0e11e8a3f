/* Inputs beyond the training range: made-up families on which extrapolation is right and wrong. */
#include "nitro/learn/select.h"
#include "nitro/models/strategy_find.h"
#include "nitro/runtime/model/model.h"
#include "unit/synthetic.h"

enum { SIMPLE, WIDE, EVEN, NUM_INPUTS = 250, NUM_BEYOND = 400 };

typedef void (*family)(const double *features, double *times_ms);

/* The skew decides, at every size. */
static void same_at_all_sizes(const double *features, double *times_ms)
{
    bool is_skewed = features[1] > 0.5;
    times_ms[SIMPLE] = features[0] * (is_skewed ? 2.0 : 1.0);
    times_ms[WIDE] = features[0] * (is_skewed ? 1.0 : 2.0);
    times_ms[EVEN] = features[0] * 1.6;
}

/* What the skew means changes; EVEN is never far from the best. */
static void times_of(const double *features, bool changes, double *times_ms)
{
    bool is_skewed = (features[1] > 0.5) != changes;
    times_ms[SIMPLE] = features[0] * (is_skewed ? 4.0 : 1.0);
    times_ms[WIDE] = features[0] * (is_skewed ? 1.0 : 4.0);
    times_ms[EVEN] = features[0] * 1.3;
}

/* With every tenfold size: it can be learnt, but not beyond the range. The last change is among the
 * inputs that validation holds out. */
static void other_at_each_size(const double *features, double *times_ms)
{
    times_of(features, (int)floor(log10(features[0]) + 0.6) % 2 == 1, times_ms);
}

/* With every doubling of the size: not even within the range. */
static void other_at_each_doubling(const double *features, double *times_ms)
{
    times_of(features, (int)floor(log2(features[0])) % 2 == 1, times_ms);
}

/* EVEN does not accept the inputs on which it would be needed most. */
static void with_constraints(const double *features, double *times_ms)
{
    other_at_each_size(features, times_ms);
    if (features[1] > 0.5)
        times_ms[EVEN] = NAN;
    times_ms[WIDE] = features[0] * 2.0;
}

static nitro_model *train_on(nitro_context *context, family times, const char *strategy)
{
    nitro_device *device = synthetic_device(context, "here", 1.0);
    nitro_dataset *dataset = synthetic_dataset(context, &device, 1, NUM_INPUTS);
    const nitro_string_list none = {0};
    nitro_training_task task = {.sources = dataset,
                                .target = device,
                                .device_features = &none,
                                .range_ends = true,
                                .seed = 1,
                                .num_threads = 1};
    nitro_model *model = NULL;
    for (size_t row = 0; row < dataset->num_rows; row++)
        times(nitro_dataset_features(dataset, row),
              dataset->times_ms + row * dataset->schema->num_variants);
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    assert_ok(context, nitro_model_train(context, &task, &model));
    assert_ok(context, nitro_model_compile(model));
    nitro_dataset_free(dataset);
    return model;
}

/* Total times beyond the range, by what chose. */
typedef struct totals {
    double best, decided, unguarded, fixed[SYNTHETIC_VARIANTS];
    size_t num_reasons[NITRO_REASON_NEAREST + 1];
    double last_confidence;
} totals;

/* Sizes of 5e5 to 5e7, ascending, where training ends at 1e5. */
static void decide_beyond(const nitro_model *model, family times, totals *sums)
{
    *sums = (totals){0};
    for (size_t i = 0; i < NUM_BEYOND; i++) {
        double features[SYNTHETIC_FEATURES], times_ms[SYNTHETIC_VARIANTS];
        double scores[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        features[0] = 5e5 * pow(100.0, (double)i / NUM_BEYOND);
        times(features, times_ms);
        assert_int_equal(nitro_model_decide(model, features, 7, 0.0, &decision), NITRO_OK);
        nitro_model_score(model, features, scores);
        sums->best += times_ms[nitro_times_best(times_ms, SYNTHETIC_VARIANTS)];
        sums->decided += times_ms[decision.variant];
        sums->unguarded += times_ms[nitro_scores_best(scores, SYNTHETIC_VARIANTS)];
        for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
            sums->fixed[v] += times_ms[v];
        sums->num_reasons[decision.reason]++;
        sums->last_confidence = decision.confidence;
    }
}

static const char *const strategies[] = {"auto", "forest", "kernel-ridge", "svm"};
enum { NUM_STRATEGIES = sizeof strategies / sizeof strategies[0] };

static void test_it_extrapolates_where_that_is_right(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t s = 0; s < NUM_STRATEGIES; s++) {
        totals sums;
        nitro_model *model = train_on(context, same_at_all_sizes, strategies[s]);
        decide_beyond(model, same_at_all_sizes, &sums);
        assert_int_equal(sums.num_reasons[NITRO_REASON_EXTRAPOLATED], NUM_BEYOND);
        assert_true(sums.decided < 1.05 * sums.best);
        for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
            assert_true(sums.decided < 0.8 * sums.fixed[v]);
        assert_true(sums.last_confidence > 0.0 && sums.last_confidence < 0.8);
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

/* All inputs that validation holds out at the end of the range are of one tenfold, within which svm
 * extrapolates well: it has no warning here. */
static void test_it_falls_back_where_extrapolation_is_wrong(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t s = 0; s < NUM_STRATEGIES - 1; s++) {
        totals sums;
        nitro_model *model = train_on(context, other_at_each_size, strategies[s]);
        decide_beyond(model, other_at_each_size, &sums);
        assert_int_equal(sums.num_reasons[NITRO_REASON_NEAREST], NUM_BEYOND);
        assert_true(sums.decided <= sums.fixed[EVEN]);
        assert_true(sums.unguarded > 1.2 * sums.decided);
        /* The declared default would lose more. */
        model->schema->default_variant = SIMPLE;
        assert_true(sums.fixed[SIMPLE] > 1.5 * sums.decided);
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

static void test_what_cannot_be_learnt_is_one_variant(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    for (size_t s = 0; s < NUM_STRATEGIES; s++) {
        totals sums;
        nitro_model *model = train_on(context, other_at_each_doubling, strategies[s]);
        decide_beyond(model, other_at_each_doubling, &sums);
        assert_true(sums.decided == sums.fixed[EVEN]);
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

static void test_confidence_falls_with_distance(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const family families[] = {same_at_all_sizes, other_at_each_size};
    for (size_t f = 0; f < 2; f++) {
        nitro_model *model = train_on(context, families[f], "auto");
        double before = 1.0;
        for (double size = 1e6; size < 1e20; size *= 1e3) {
            nitro_decision decision;
            const double features[] = {size, 0.2};
            assert_int_equal(nitro_model_decide(model, features, 7, 0.0, &decision), NITRO_OK);
            assert_true(decision.confidence > 0.0 && decision.confidence < before);
            before = decision.confidence;
        }
        nitro_model_free(model);
    }
    nitro_context_free(context);
}

static void test_constraints_hold_beyond_the_range(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = train_on(context, with_constraints, "auto");
    const double features[] = {1e7, 0.7};
    nitro_decision decision;
    model->schema->default_variant = SIMPLE;
    /* Without EVEN, WIDE loses less than SIMPLE. */
    assert_int_equal(nitro_model_decide(model, features, 1 << SIMPLE | 1 << WIDE, 0.99, &decision),
                     NITRO_OK);
    assert_int_equal(decision.reason, NITRO_REASON_NEAREST);
    assert_int_equal(decision.variant, WIDE);
    /* A model without range ends takes the default. */
    free(model->ends);
    model->ends = NULL;
    assert_int_equal(nitro_model_decide(model, features, 7, 0.0, &decision), NITRO_OK);
    assert_int_equal(decision.reason, NITRO_REASON_OUTSIDE);
    assert_int_equal(decision.variant, SIMPLE);
    nitro_model_free(model);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_extrapolates_where_that_is_right),
        cmocka_unit_test(test_it_falls_back_where_extrapolation_is_wrong),
        cmocka_unit_test(test_what_cannot_be_learnt_is_one_variant),
        cmocka_unit_test(test_confidence_falls_with_distance),
        cmocka_unit_test(test_constraints_hold_beyond_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
