/* Models of a device's own samples: their strategy, and one variant for all. */
#include "nitro/backend/explain.h"
#include "nitro/learn/candidate.h"
#include "nitro/learn/feature_costs.h"
#include "nitro/learn/fit.h"
#include "nitro/learn/held_out.h"
#include "nitro/learn/select.h"
#include "nitro/models/strategy_find.h"
#include "nitro/runtime/model/model.h"
#include "nitro/runtime/scores/forest_tree.h"
#include "unit/synthetic.h"

enum { SIMPLE, WIDE, EVEN, NUM_INPUTS = 250 };

typedef void (*family)(const double *features, double *times_ms);

/* The best variant changes with every tenfold of the size. */
static void by_size(const double *features, double *times_ms)
{
    bool is_skewed = (features[1] > 0.5) != ((int)floor(log10(features[0])) % 2 == 1);
    times_ms[SIMPLE] = features[0] * (is_skewed ? 4.0 : 1.0);
    times_ms[WIDE] = features[0] * (is_skewed ? 1.0 : 4.0);
    times_ms[EVEN] = features[0] * 1.3;
}

/* EVEN is twice as fast as WIDE, and accepts half of the inputs; SIMPLE, five times slower, a
 * tenth. */
static void constrained(const double *features, double *times_ms)
{
    times_ms[SIMPLE] = features[1] < 0.1 ? features[0] * 5.0 : (double)NAN;
    times_ms[WIDE] = features[0];
    times_ms[EVEN] = features[1] > 0.5 ? features[0] * 0.5 : (double)NAN;
}

static nitro_dataset *make_dataset_of(nitro_context *context, family times, size_t num_inputs)
{
    nitro_device *device = synthetic_device(context, "here", 1.0);
    nitro_dataset *dataset = synthetic_dataset(context, &device, 1, num_inputs);
    for (size_t row = 0; row < dataset->num_rows; row++)
        times(nitro_dataset_features(dataset, row), dataset->times_ms + row * SYNTHETIC_VARIANTS);
    return dataset;
}

static nitro_dataset *make_dataset(nitro_context *context, family times)
{
    return make_dataset_of(context, times, NUM_INPUTS);
}

static nitro_model *learn(nitro_context *context, const nitro_dataset *dataset,
                          const char *strategy)
{
    const nitro_string_list none = {0};
    nitro_model *model = NULL;
    nitro_training_task task = {.sources = dataset,
                                .target = dataset->devices[0],
                                .device_features = &none,
                                .seed = 1,
                                .num_threads = 1};
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    assert_ok(context, nitro_model_train(context, &task, &model));
    return model;
}

static double cost_of(nitro_context *context, const nitro_dataset *dataset, const char *strategy)
{
    nitro_model *model = learn(context, dataset, strategy);
    double cost = sqrt(model->held_out->model.time) / model->held_out->model.quality;
    nitro_model_free(model);
    return cost;
}

static void test_boosting_replaces_the_ensemble(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    double chosen = cost_of(context, dataset, "auto");
    assert_true(chosen < cost_of(context, dataset, "forest"));
    assert_true(chosen < cost_of(context, dataset, "kernel-ridge"));
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* WIDE is excluded from most inputs and the best on all others: its loss is small on both. */
static void test_boosting_forgets_what_is_excluded(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const double *features = nitro_dataset_features(dataset, row);
        double *times_ms = dataset->times_ms + row * SYNTHETIC_VARIANTS;
        times_ms[SIMPLE] = features[0] * 2.0;
        times_ms[EVEN] = features[0] * 3.0;
        times_ms[WIDE] = features[1] < 0.3 ? features[0] : (double)NAN;
        if (isnan(times_ms[WIDE]))
            dataset->row_allowed[row] &= ~(UINT64_C(1) << WIDE);
    }
    nitro_model *model = learn(context, dataset, "auto");
    assert_string_equal(model->strategy->name, "boosted");
    for (double skew = 0.1; skew < 1.0; skew += 0.3) {
        const double features[SYNTHETIC_FEATURES] = {100.0, skew};
        double scores[SYNTHETIC_VARIANTS];
        nitro_model_score(model, features, scores);
        assert_true(fabs(scores[WIDE]) < 0.01);
        assert_true(fabs(scores[SIMPLE] + (skew < 0.3 ? 0.5 : 0.0)) < 0.1);
    }
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* A feature that costs ten runs of each input is dropped, also if nobody wants the report. */
static void test_costly_features_are_dropped_without_a_report(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    for (size_t row = 0; row < dataset->num_rows; row++) {
        double *costs_ms = nitro_dataset_feature_costs(dataset, row);
        costs_ms[0] = 0.0;
        costs_ms[1] = 1000.0 * nitro_dataset_features(dataset, row)[0];
    }
    nitro_model *model = learn(context, dataset, "auto");
    assert_false(nitro_model_used_features(model) >> 1 & 1);
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* On inputs that take 40 ns, too, a feature whose evaluation takes no longer than reading the clock
 * is free; one of 60 ns is not. */
static void test_what_the_clock_cannot_tell_from_nothing_is_free(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    for (size_t row = 0; row < dataset->num_rows; row++) {
        double *costs_ms = nitro_dataset_feature_costs(dataset, row);
        costs_ms[0] = 3e-5;
        costs_ms[1] = 6e-5;
        for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
            dataset->times_ms[row * SYNTHETIC_VARIANTS + v] = 4e-5 * (double)(1 + v);
    }
    assert_int_equal(nitro_feature_costs_free(dataset), 1);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

static nitro_model *fit_boosted(nitro_context *context, const nitro_dataset *dataset)
{
    const nitro_string_list none = {0};
    nitro_model *model = NULL;
    nitro_fit_task task = {.sources = dataset,
                           .target = dataset->devices[0],
                           .device_features = &none,
                           .num_threads = 1};
    assert_ok(context, nitro_strategy_find(context, "boosted", &task.strategy));
    assert_ok(context, nitro_fit(context, &task, &model, NULL));
    return model;
}

static size_t most_leaves(nitro_context *context, size_t num_inputs)
{
    nitro_dataset *dataset = make_dataset_of(context, by_size, num_inputs);
    nitro_model *model = fit_boosted(context, dataset);
    size_t most = 0;
    const nitro_forest *forest = model->predictor;
    assert_int_equal(forest->num_trees, 60);
    for (size_t t = 0; t < forest->num_trees; t++)
        if (forest->trees[t].num_leaves > most)
            most = forest->trees[t].num_leaves;
    const double scores[SYNTHETIC_VARIANTS] = {0.0, -0.5, 0.0}; /* losses: ratios of times follow */
    assert_true(nitro_model_expected_ratio(model, scores, SIMPLE, WIDE) == 2.0);
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    return most;
}

/* Each tree has a depth of five, leaves of three rows, and 60 % of the rows, so that it repeats no
 * single input: of 14 inputs nine, which are three leaves. */
static void test_boosted_trees_are_small(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    assert_int_equal(most_leaves(context, 14), 3);
    assert_in_range(most_leaves(context, 1500), 17, 32);
    nitro_context_free(context);
}

/* SIMPLE takes twice the time of WIDE, and EVEN four times, whatever the input. */
static void in_ratio(const double *features, double *times_ms)
{
    times_ms[SIMPLE] = 2.0 * features[0];
    times_ms[WIDE] = features[0];
    times_ms[EVEN] = 4.0 * features[0];
}

/* Losses that are the same everywhere are learnt exactly: they are the mean that trees add to. */
static void test_boosting_begins_with_the_mean(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset_of(context, in_ratio, 16);
    const double features[SYNTHETIC_FEATURES] = {100.0, 0.5};
    double scores[SYNTHETIC_VARIANTS];
    nitro_model *model = fit_boosted(context, dataset);
    nitro_model_score(model, features, scores);
    assert_true(scores[SIMPLE] == -0.5 && scores[WIDE] == 0.0 && scores[EVEN] == -0.75);
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* What is compared: half the logarithm of the time on held-out inputs, less that of the quality;
 * the mean over unlimited uses, 100 and 10 where variants have to be prepared. */
static void test_few_uses_count_in_the_cost(void **state)
{
    static const double uses[] = {INFINITY, 100.0, 10.0};
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    const nitro_string_list none = {0};
    const nitro_training_task task = {.sources = dataset, .target = dataset->devices[0]};
    const nitro_selection selection = {context, &task, false};
    for (size_t prepares = 0; prepares < 2; prepares++) {
        nitro_candidate candidate = {.fit = {.sources = dataset,
                                             .target = dataset->devices[0],
                                             .device_features = &none,
                                             .num_threads = 1}};
        nitro_fit_evidence evidence = {0};
        nitro_model *model = NULL;
        double cost = 0.0;
        if (prepares)
            synthetic_add_prepare(dataset);
        assert_ok(context, nitro_strategy_find(context, "boosted", &candidate.fit.strategy));
        assert_ok(context, nitro_candidate_evaluate(&selection, false, &candidate));
        assert_ok(context, nitro_fit(context, &candidate.fit, &model, &evidence));
        assert_int_equal(candidate.model->prepare_costs != NULL, prepares);
        for (size_t i = 0; i < (prepares ? 3 : 1); i++) {
            nitro_held_out_choice choice = nitro_held_out_choose(
                &evidence.rows, evidence.held_out_scores, candidate.model, uses[i]);
            cost += 0.5 * log(choice.time) - log(choice.quality / 100.0);
        }
        assert_near(candidate.cost, prepares ? cost / 3.0 : cost, 1e-12);
        nitro_fit_evidence_free(&evidence);
        nitro_model_free(candidate.model);
        nitro_model_free(model);
    }
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* Speeds of variants that replace the fixed one count where it is not accepted: with other
 * variants' times there, SIMPLE seemed half as fast as the best. */
static void test_variants_behind_a_fixed_one_keep_their_speeds(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, constrained);
    const nitro_string_list none = {0};
    nitro_model *model = NULL;
    nitro_fit_task task = {.sources = dataset,
                           .target = dataset->devices[0],
                           .device_features = &none,
                           .dropped = UINT64_MAX,
                           .is_fixed = true,
                           .num_threads = 1};
    double features[SYNTHETIC_FEATURES] = {100.0, 0.2}, scores[SYNTHETIC_VARIANTS];
    dataset->schema->default_variant = WIDE;
    assert_ok(context, nitro_strategy_find(context, "auto", &task.strategy));
    assert_ok(context, nitro_fit(context, &task, &model, NULL));
    nitro_model_score(model, features, scores);
    assert_true(fabs(scores[EVEN]) < 0.01);
    assert_true(fabs(scores[WIDE]) < 0.02);
    assert_true(fabs(1.0 + scores[SIMPLE] - 0.2) < 0.01);
    assert_true(scores[EVEN] > scores[WIDE]);
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

/* WIDE is faster from `least` of size x skew on. */
static size_t formulas_used(const char *formula, double least)
{
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context, by_size);
    const nitro_string_list none = {0};
    const nitro_relative_feature volume = {
        .name = "volume", .unit = "rows", .scale = NITRO_SCALE_SIGNED_LOG, .formula = formula};
    nitro_model *model = NULL;
    nitro_training_task task = {.sources = dataset,
                                .target = dataset->devices[0],
                                .device_features = &none,
                                .seed = 1,
                                .num_threads = 1};
    for (size_t row = 0; row < dataset->num_rows; row++) {
        const double *features = nitro_dataset_features(dataset, row);
        double *times_ms = dataset->times_ms + row * SYNTHETIC_VARIANTS;
        bool is_wide = least > 0 ? features[0] * features[1] > least : features[0] > 1000.0;
        times_ms[SIMPLE] = is_wide ? 2.0 : 1.0;
        times_ms[WIDE] = is_wide ? 1.0 : 2.0;
        times_ms[EVEN] = 3.0;
    }
    assert_ok(context, nitro_schema_add_relative(context, dataset->schema, &volume));
    assert_ok(context, nitro_strategy_find(context, "auto", &task.strategy));
    assert_ok(context, nitro_model_train(context, &task, &model));
    size_t used = model->schema->num_relative;
    nitro_model_free(model);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
    return used;
}

static void test_formulas_are_used_where_they_decide(void **state)
{
    (void)state;
    assert_int_equal(formulas_used("size * skew / device.launch", 300.0), 1);
    assert_int_equal(formulas_used("size * skew / device.launch", 0.0), 0); /* size alone decides */
    assert_int_equal(formulas_used("size * skew / device.unknown", 300.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boosting_replaces_the_ensemble),
        cmocka_unit_test(test_boosting_forgets_what_is_excluded),
        cmocka_unit_test(test_costly_features_are_dropped_without_a_report),
        cmocka_unit_test(test_what_the_clock_cannot_tell_from_nothing_is_free),
        cmocka_unit_test(test_boosted_trees_are_small),
        cmocka_unit_test(test_boosting_begins_with_the_mean),
        cmocka_unit_test(test_few_uses_count_in_the_cost),
        cmocka_unit_test(test_variants_behind_a_fixed_one_keep_their_speeds),
        cmocka_unit_test(test_formulas_are_used_where_they_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
