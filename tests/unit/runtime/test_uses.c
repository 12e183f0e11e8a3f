/* The number of uses of an input: preparing counts, by costs that the model learnt. */
#include <inttypes.h>
#include <jansson.h>

#include "nitro/learn/select.h"
#include "nitro/models/binary.h"
#include "nitro/models/model_file.h"
#include "unit/synthetic.h"

typedef struct fixture {
    nitro_context *context;
    nitro_computation *computation;
    nitro_model *model; /* of the computation */
    unsigned num_evaluations;
} fixture;

typedef struct call {
    double features[SYNTHETIC_FEATURES];
    unsigned *num_evaluations;
    size_t ran;
    unsigned unready; /* variants that cannot be prepared, a bit each */
} call;

static int evaluate_features(const void *argument, double *values, void *user)
{
    const call *given = argument;
    (void)user;
    memcpy(values, given->features, sizeof given->features);
    ++*given->num_evaluations;
    return 0;
}

static int run_variant(void *argument, void *user)
{
    ((call *)argument)->ran = (size_t)user;
    return 0;
}

static bool allows_large(const double *features, const void *argument, void *user)
{
    (void)argument;
    (void)user;
    return features[0] > 1000.0;
}

/* `features_ms` is what features cost on every input; the first one is free where `has_groups`. */
static nitro_model *learn_groups(nitro_context *context, const char *strategy, bool prepares,
                                 double features_ms, bool has_groups)
{
    nitro_device *devices[] = {synthetic_device(context, "old", 4.0),
                               synthetic_device(context, "new", 1.0)};
    nitro_dataset *sources = synthetic_dataset(context, devices, 2, 150);
    nitro_device *target = synthetic_device(context, "next", 2.0);
    nitro_string_list device_features = {0};
    nitro_model *model = NULL;
    if (prepares)
        synthetic_add_prepare(sources);
    for (size_t row = 0; row < sources->num_rows; row++)
        sources->features_ms[row] = features_ms;
    for (size_t row = 0; row < sources->num_rows && has_groups; row++) {
        nitro_dataset_feature_costs(sources, row)[0] = 0.0;
        nitro_dataset_feature_costs(sources, row)[1] = features_ms;
    }
    assert_ok(context, nitro_string_list_add(context, &device_features, "launch"));
    nitro_training_task task = {.sources = sources,
                                .target = target,
                                .device_features = &device_features,
                                .seed = 3,
                                .num_threads = 1};
    assert_ok(context, nitro_strategy_find(context, strategy, &task.strategy));
    assert_ok(context, nitro_model_train(context, &task, &model));
    nitro_model_set_provenance(model, json_pack("{s:s}", "made", "for tests"));
    nitro_string_list_free(&device_features);
    nitro_device_free(target);
    nitro_dataset_free(sources);
    return model;
}

static nitro_model *learn_costs(nitro_context *context, const char *strategy, bool prepares,
                                double features_ms)
{
    return learn_groups(context, strategy, prepares, features_ms, false);
}

static nitro_model *learn(nitro_context *context, const char *strategy, bool prepares)
{
    return learn_costs(context, strategy, prepares, NAN);
}

static nitro_computation *declare(nitro_context *context, bool constrained)
{
    static const char *const names[] = {"simple", "wide", "even"};
    const nitro_feature features[] = {{.name = "size", .unit = "rows", .cost_ns = 1000.0},
                                      {.name = "skew", .scale = NITRO_SCALE_LINEAR}};
    nitro_computation *computation = NULL;
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    assert_ok(context, nitro_computation_add_features(computation, features, SYNTHETIC_FEATURES,
                                                      evaluate_features, NULL));
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++) {
        const nitro_variant variant = {.name = names[v],
                                       .run = run_variant,
                                       .allows = constrained && v == 0 ? allows_large : NULL,
                                       .user = (void *)v};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    return computation;
}

static void set_up(fixture *f, bool constrained)
{
    *f = (fixture){.context = unit_context()};
    f->computation = declare(f->context, constrained);
    f->model = learn(f->context, "auto", true);
    assert_ok(f->context, nitro_computation_attach_model(f->computation, f->model));
}

static void tear_down(fixture *f)
{
    nitro_computation_free(f->computation);
    nitro_context_free(f->context);
}

static call input(fixture *f, size_t index)
{
    call given = {.num_evaluations = &f->num_evaluations, .ran = 99};
    synthetic_input(index, NULL, given.features);
    return given;
}

/* Of preparing once and `uses` runs, on the target. */
static double total_ms(const double *features, double uses, size_t variant)
{
    double times_ms[SYNTHETIC_VARIANTS], prepare_ms[SYNTHETIC_VARIANTS];
    synthetic_times(features, 2.0, times_ms);
    synthetic_prepare(features, prepare_ms);
    return (variant > 0 ? prepare_ms[variant] / uses : 0.0) + times_ms[variant];
}

static double quality(const double *features, double uses, size_t chosen)
{
    double best = INFINITY;
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        best = fmin(best, total_ms(features, uses, v));
    return best / total_ms(features, uses, chosen);
}

static void test_totals_are_minimised(void **state)
{
    (void)state;
    static const double uses[] = {1, 3, 10, 100, INFINITY};
    size_t num_changed = 0;
    fixture f;
    set_up(&f, false);
    for (size_t u = 0; u < sizeof uses / sizeof uses[0]; u++) {
        double sum = 0.0;
        for (size_t i = 200; i < 500; i++) {
            const nitro_call_options options = {.uses = uses[u]};
            nitro_decision decision, unlimited;
            call given = input(&f, i);
            assert_ok(f.context, nitro_run_with(f.computation, &given, &options, &decision));
            assert_int_equal(given.ran, decision.variant);
            assert_ok(f.context, nitro_select(f.computation, &given, &unlimited));
            num_changed += decision.variant != unlimited.variant;
            sum += quality(given.features, uses[u], decision.variant);
        }
        if (sum / 300.0 < 0.95)
            fail_msg("with %g uses, the quality is %.3f", uses[u], sum / 300.0);
    }
    assert_true(num_changed > 200); /* preparing mattered */
    tear_down(&f);
}

static void test_the_compiled_model_decides_alike(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, false);
    nitro_model *plain = learn(f.context, "auto", true);
    for (size_t i = 0; i < 600; i++) {
        double share = 1.0 / (1.0 + (double)(i % 50)), least = i % 3 == 0 ? 0.8 : 0.0;
        nitro_decision expected, decision;
        call given = input(&f, i);
        assert_ok(f.context,
                  nitro_model_decide_uses(plain, given.features, 7, share, least, &expected));
        assert_ok(f.context,
                  nitro_model_decide_uses(f.model, given.features, 7, share, least, &decision));
        assert_int_equal(decision.variant, expected.variant);
        assert_int_equal(decision.reason, expected.reason);
    }
    nitro_model_free(plain);
    tear_down(&f);
}

/* What no source ran needs no preparing either, as far as the model knows: it is not chosen. */
static void test_the_untried_are_not_chosen(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, false);
    f.model->untried = 1; /* simple, the only one that is ready at once */
    f.model->prepare_costs->few[0].uses = 0.0;
    for (size_t i = 0; i < 300; i++) {
        const nitro_call_options options = {.uses = 1.0 + (double)(i % 5)};
        nitro_decision decision, queried;
        size_t ranking[SYNTHETIC_VARIANTS];
        call given = input(&f, i);
        given.features[0] *= i % 3 ? 1.0 : 1e4; /* some are outside the training range */
        assert_ok(f.context, nitro_select_with(f.computation, &given, &options, &decision));
        assert_ok(f.context, nitro_model_predict_with(f.model, given.features, &options, &queried,
                                                      ranking, NULL));
        assert_int_equal(queried.variant, decision.variant);
        assert_int_not_equal(decision.variant, 0);
        if (decision.reason == NITRO_REASON_MODEL)
            assert_int_equal(decision.variant, ranking[0]);
    }
    tear_down(&f);
}

static void test_the_memo_tells_uses_apart(void **state)
{
    (void)state;
    nitro_memo_statistics statistics;
    fixture f;
    set_up(&f, false);
    size_t num_different = 0;
    for (size_t i = 200; i < 300; i++) {
        nitro_decision first[2], again;
        call given = input(&f, i);
        for (size_t round = 0; round < 2; round++)
            for (size_t u = 0; u < 2; u++) {
                const nitro_call_options options = {.uses = u ? 1.0 : INFINITY};
                assert_ok(f.context, nitro_select_with(f.computation, &given, &options,
                                                       round ? &again : &first[u]));
                if (round)
                    assert_int_equal(again.variant, first[u].variant);
            }
        num_different += first[0].variant != first[1].variant;
    }
    nitro_computation_memo_statistics(f.computation, &statistics);
    assert_int_equal(statistics.hits, 200);
    assert_true(num_different > 20);
    tear_down(&f);
}

static void test_the_computation_declares_uses(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, false);
    call given = input(&f, 0);
    given.features[0] = 3e4;
    given.features[1] = 0.1;
    nitro_decision decision;
    assert_ok(f.context, nitro_select(f.computation, &given, &decision));
    assert_string_equal(decision.variant_name, "wide");
    assert_ok(f.context, nitro_computation_set_uses(f.computation, 1.0));
    assert_ok(f.context, nitro_select(f.computation, &given, &decision));
    assert_string_equal(decision.variant_name, "even");
    assert_ok(f.context, nitro_select_features_with(f.computation, given.features, 2,
                                                    &(nitro_call_options){0}, &decision));
    assert_string_equal(decision.variant_name, "even"); /* 0: as declared */
    assert_ok(f.context, nitro_prepare_with(f.computation, &given,
                                            &(nitro_call_options){.uses = 1e6}, &decision));
    assert_string_equal(decision.variant_name, "wide");
    assert_ok(f.context, nitro_computation_set_uses(f.computation, INFINITY));
    assert_ok(f.context, nitro_run(f.computation, &given, &decision));
    assert_string_equal(decision.variant_name, "wide");
    static const double bad[] = {0.5, -1.0, NAN, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const nitro_call_options options = {.uses = bad[i]};
        assert_fails(f.context, nitro_run_with(f.computation, &given, &options, &decision),
                     NITRO_ERR_ARGUMENT, "toy:");
        assert_fails(f.context, nitro_computation_set_uses(f.computation, bad[i]),
                     NITRO_ERR_ARGUMENT, "at least 1");
    }
    assert_fails(f.context, nitro_computation_set_uses(f.computation, 0.0), NITRO_ERR_ARGUMENT,
                 "toy: 0 uses of an input: give at least 1, or INFINITY for no limit");
    tear_down(&f);
}

/* What the model takes for few uses needs no features. */
static void check_few_uses(bool constrained)
{
    fixture f;
    set_up(&f, constrained);
    f.model->prepare_costs->few[0] = (nitro_few_uses){INFINITY, 5.0, 0, 0.75};
    nitro_decision decision, by_features;
    call given = input(&f, 0);
    given.features[0] = 3e4;
    assert_ok(f.context,
              nitro_run_with(f.computation, &given, &(nitro_call_options){.uses = 5.0}, &decision));
    if (constrained) { /* its constraint needs features */
        assert_int_equal(f.num_evaluations, 1);
        assert_int_not_equal(decision.reason, NITRO_REASON_FEW_USES);
    } else {
        assert_int_equal(f.num_evaluations, 0);
        assert_int_equal(given.ran, 0);
        assert_string_equal(decision.variant_name, "simple");
        assert_int_equal(decision.reason, NITRO_REASON_FEW_USES);
        assert_true(decision.confidence == 0.75);
        assert_ok(f.context,
                  nitro_select_features_with(f.computation, given.features, 2,
                                             &(nitro_call_options){.uses = 5.0}, &by_features));
        assert_int_equal(by_features.variant, decision.variant);
        assert_int_equal(by_features.reason, NITRO_REASON_FEW_USES);
    }
    assert_ok(f.context,
              nitro_run_with(f.computation, &given, &(nitro_call_options){.uses = 6.0}, &decision));
    assert_int_equal(f.num_evaluations, constrained ? 2 : 1);
    assert_int_equal(decision.reason, NITRO_REASON_MODEL);
    assert_ok(f.context, nitro_computation_force(f.computation, "wide"));
    assert_ok(f.context,
              nitro_run_with(f.computation, &given, &(nitro_call_options){.uses = 5.0}, &decision));
    assert_string_equal(decision.variant_name, "wide");
    assert_int_equal(decision.reason, NITRO_REASON_FORCED);
    tear_down(&f);
}

static void test_few_uses_need_no_features(void **state)
{
    (void)state;
    check_few_uses(false);
    check_few_uses(true);
}

static int fail_cleanly(void *argument, void *user)
{
    (void)argument;
    (void)user;
    return 1;
}

static int cannot_prepare(void *argument, void *user)
{
    (void)argument;
    return (int)(size_t)user;
}

static bool allows_nothing(const double *features, const void *argument, void *user)
{
    (void)features;
    (void)argument;
    (void)user;
    return false;
}

static nitro_computation *declare_one_bad(nitro_context *context, const nitro_variant *even)
{
    const nitro_feature features[] = {{.name = "size"}, {.name = "skew"}};
    const nitro_variant variants[] = {
        {.name = "simple", .run = run_variant, .allows = allows_large},
        {.name = "wide", .run = run_variant, .user = (void *)1},
        *even};
    nitro_computation *computation = NULL;
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    assert_ok(context, nitro_computation_add_features(computation, features, SYNTHETIC_FEATURES,
                                                      evaluate_features, NULL));
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        assert_ok(context, nitro_computation_add_variant(computation, &variants[v]));
    nitro_model *model = learn(context, "auto", true);
    model->prepare_costs->few[0] = (nitro_few_uses){INFINITY, 5.0, 2, 0.75};
    assert_ok(context, nitro_computation_attach_model(computation, model));
    return computation;
}

/* Where the choice for few uses fails, the others are what they are where it is not allowed. */
static void check_failed_early_choice(bool is_unprepared)
{
    fixture f = {.context = unit_context()};
    const nitro_variant failing = {.name = "even",
                                   .run = fail_cleanly,
                                   .prepare = cannot_prepare,
                                   .fails_cleanly = true,
                                   .user = (void *)(size_t)is_unprepared},
                        refused = {.name = "even", .run = run_variant, .allows = allows_nothing};
    nitro_computation *computation = declare_one_bad(f.context, &failing),
                      *other = declare_one_bad(f.context, &refused);
    const nitro_call_options options = {.uses = 5.0};
    size_t num_ran[SYNTHETIC_VARIANTS] = {0};
    for (size_t i = 0; i < 100; i++) {
        nitro_decision decision, wanted;
        call given = input(&f, i);
        assert_ok(f.context, nitro_select_with(other, &given, &options, &wanted));
        if (is_unprepared) /* then the default one is taken */
            wanted.variant = given.features[0] > 1000.0 ? 0 : 1;
        assert_ok(f.context, nitro_run_with(computation, &given, &options, &decision));
        assert_int_equal(decision.reason,
                         is_unprepared ? NITRO_REASON_UNPREPARED : NITRO_REASON_RUN_FAILED);
        assert_int_equal(decision.variant, wanted.variant);
        assert_int_equal(given.ran, wanted.variant);
        num_ran[given.ran]++;
    }
    assert_true(num_ran[0] > 0 && num_ran[1] > 0);
    nitro_computation_free(computation);
    nitro_computation_free(other);
    nitro_context_free(f.context);
}

static void test_a_failed_choice_for_few_uses(void **state)
{
    (void)state;
    check_failed_early_choice(false);
    check_failed_early_choice(true);
}

/* Of two groups of features, the free one alone is evaluated first. */
static int evaluate_size(const void *argument, double *values, void *user)
{
    values[0] = ((const call *)argument)->features[0];
    ++*(unsigned *)user;
    return 0;
}

static int evaluate_skew(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = ((const call *)argument)->features[1];
    ++*((const call *)argument)->num_evaluations;
    return 0;
}

static int prepare_variant(void *argument, void *user)
{
    return ((call *)argument)->unready >> (size_t)user & 1;
}

static nitro_computation *declare_groups(nitro_context *context, unsigned *num_sizes)
{
    static const char *const names[] = {"simple", "wide", "even"};
    const nitro_feature size = {.name = "size", .unit = "rows"};
    const nitro_feature skew = {.name = "skew", .scale = NITRO_SCALE_LINEAR, .cost_ns = 1000.0};
    nitro_computation *computation = NULL;
    assert_ok(context, nitro_computation_create(context, "toy", &computation));
    assert_ok(context,
              nitro_computation_add_features(computation, &size, 1, evaluate_size, num_sizes));
    assert_ok(context, nitro_computation_add_features(computation, &skew, 1, evaluate_skew, NULL));
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++) {
        const nitro_variant variant = {
            .name = names[v], .run = run_variant, .prepare = prepare_variant, .user = (void *)v};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    return computation;
}

static void test_a_free_feature_decides_for_few_uses(void **state)
{
    (void)state;
    fixture f = {.context = unit_context()};
    unsigned num_sizes = 0;
    f.computation = declare_groups(f.context, &num_sizes);
    f.model = learn(f.context, "auto", true);
    nitro_prepare_costs *costs = f.model->prepare_costs;
    costs->few_feature = 0;
    costs->num_few = 3;
    costs->few[0] = (nitro_few_uses){100.0, 5.0, 2, 0.5};
    costs->few[1] = (nitro_few_uses){1e4, 0.0, 0, 0.0};
    costs->few[2] = (nitro_few_uses){INFINITY, 20.0, 1, 1.0};
    assert_ok(f.context, nitro_computation_attach_model(f.computation, f.model));
    static const struct {
        double size, uses;
        size_t variant; /* 99: by all features */
    } cases[] = {{100.0, 5.0, 2},   {100.0, 6.0, 99},  {101.0, 5.0, 99}, {1e4, 1.0, 99},
                 {10001.0, 5.0, 1}, {10001.0, 21, 99}, {50.0, 0.0, 99}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        call given = input(&f, 0);
        given.features[0] = cases[i].size;
        unsigned before = f.num_evaluations, sizes_before = num_sizes;
        const nitro_call_options options = {.uses = cases[i].uses};
        nitro_decision decision, by_features;
        assert_ok(f.context, nitro_run_with(f.computation, &given, &options, &decision));
        bool is_early = cases[i].variant != 99;
        assert_int_equal(f.num_evaluations - before, !is_early);
        assert_true(num_sizes > sizes_before);
        if (cases[i].uses == 0.0)
            assert_int_equal(num_sizes, sizes_before + 1); /* not first, and again with the other */
        assert_int_equal(decision.reason == NITRO_REASON_FEW_USES, is_early);
        if (is_early)
            assert_int_equal(given.ran, cases[i].variant);
        assert_ok(f.context, nitro_select_features_with(f.computation, given.features, 2, &options,
                                                        &by_features));
        assert_int_equal(by_features.variant, decision.variant);
        assert_int_equal(by_features.reason, decision.reason);
    }
    call given = input(&f, 0);
    given.features[0] = 100.0;
    given.unready = 1u << 2;
    nitro_decision decision;
    assert_ok(f.context,
              nitro_run_with(f.computation, &given, &(nitro_call_options){.uses = 5.0}, &decision));
    assert_int_equal(decision.reason, NITRO_REASON_UNPREPARED);
    assert_int_not_equal(given.ran, 2);
    tear_down(&f);
}

/* The dearer the features, the more uses they need to pay. */
static void test_features_pay_from_some_uses_on(void **state)
{
    (void)state;
    static const double costs_ms[] = {0.0, 1e2, 1e4};
    double before = 0.0;
    nitro_context *context = unit_context();
    for (size_t i = 0; i < sizeof costs_ms / sizeof costs_ms[0]; i++) {
        nitro_model *model = learn_costs(context, "forest", true, costs_ms[i]);
        double few_uses = model->prepare_costs->few[0].uses;
        if (i > 0 && !(few_uses > before))
            fail_msg("features of %g ms pay after %g uses, cheaper ones after %g", costs_ms[i],
                     few_uses, before);
        if (few_uses > 0.0)
            assert_true(model->prepare_costs->few[0].confidence > 0.0);
        before = few_uses;
        nitro_model_free(model);
    }
    assert_true(before >= 100.0);
    /* A computation without preparing pays for features too. */
    nitro_model *plain = learn_costs(context, "forest", false, 1e4);
    assert_non_null(plain->prepare_costs);
    assert_true(plain->prepare_costs->prepared == 0 && plain->prepare_costs->few[0].uses >= 100.0);
    nitro_model_free(plain);
    nitro_context_free(context);
}

/* Where a free feature tells, there are several choices; they are good without the other one, which
 * is dear for one use and pays for many. */
static void test_ranges_of_a_free_feature_are_learnt(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *one = learn_costs(context, "forest", true, 1e1);
    nitro_model *model = learn_groups(context, "forest", true, 1e1, true);
    const nitro_prepare_costs *costs = model->prepare_costs;
    double sum = 0.0, sum_of_one = 0.0;
    assert_int_equal(one->prepare_costs->num_few, 1);
    assert_int_equal(costs->few_feature, 0);
    assert_true(costs->num_few > 1);
    for (size_t i = 200; i < 500; i++) {
        double features[SYNTHETIC_FEATURES];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_false(nitro_model_decide_few_uses(model, 1.0, features, 2, &decision));
        assert_true(nitro_model_decide_few_uses(model, 1.0, features, 1, &decision));
        sum += quality(features, 1.0, decision.variant);
        sum_of_one += quality(features, 1.0, one->prepare_costs->few[0].variant);
    }
    if (!(sum > sum_of_one + 300.0 * 0.02))
        fail_msg("quality %.3f with ranges, %.3f without", sum / 300.0, sum_of_one / 300.0);
    nitro_model_free(one);
    nitro_model_free(model);
    nitro_context_free(context);
}

/* Models of recorded samples, and those that only rank, know no costs. */
static void test_without_costs_uses_do_not_matter(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *recorded = learn(context, "auto", false);
    nitro_model *ranking = learn(context, "svm", true);
    assert_null(recorded->prepare_costs);
    assert_null(ranking->prepare_costs);
    for (size_t i = 200; i < 260; i++) {
        double features[2], scores[SYNTHETIC_VARIANTS], same[SYNTHETIC_VARIANTS];
        nitro_decision decision;
        synthetic_input(i, NULL, features);
        assert_ok(context,
                  nitro_model_predict_with(recorded, features, &(nitro_call_options){.uses = 1.0},
                                           &decision, NULL, scores));
        assert_ok(context, nitro_model_predict(recorded, features, &decision, NULL, same));
        assert_memory_equal(scores, same, sizeof same);
    }
    nitro_model_free(recorded);
    nitro_model_free(ranking);
    nitro_context_free(context);
}

static void check_same_choices(const nitro_prepare_costs *a, const nitro_prepare_costs *b)
{
    assert_int_equal(a->few_feature, b->few_feature);
    assert_int_equal(a->num_few, b->num_few);
    for (size_t i = 0; i < a->num_few; i++) {
        assert_true(a->few[i].up_to == b->few[i].up_to && a->few[i].uses == b->few[i].uses);
        assert_true(a->few[i].confidence == b->few[i].confidence);
        assert_int_equal(a->few[i].variant, b->few[i].variant);
    }
}

/** A tree's thresholds give its own scores only: with a share of the cost all are charged. */
static void test_a_tree_is_charged_too(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = learn(context, "tree", true);
    size_t num_moved = 0;
    assert_ok(context, nitro_model_compile(model));
    assert_non_null(model->tree);
    for (size_t i = 0; i < 200; i++) {
        double features[SYNTHETIC_FEATURES], scores[SYNTHETIC_VARIANTS];
        nitro_decision once, often;
        synthetic_input(i, NULL, features);
        assert_ok(context, nitro_model_decide_uses(model, features, 7, 1.0, 0.0, &once));
        assert_ok(context, nitro_model_decide_uses(model, features, 7, 0.0, 0.0, &often));
        nitro_model_score_uses(model, features, 1.0, scores);
        if (once.reason == NITRO_REASON_MODEL)
            for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
                assert_true(scores[v] <= scores[once.variant]);
        num_moved += once.variant != often.variant;
    }
    assert_true(num_moved > 0);
    nitro_model_free(model);
    nitro_context_free(context);
}

static void test_costs_are_in_the_file(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_model *model = learn(context, "forest", true), *again = NULL;
    char *text = NULL, *second = NULL, *bad = NULL;
    size_t size = 0, second_size = 0;
    model->prepare_costs->few_feature = 1;
    model->prepare_costs->num_few = 2;
    model->prepare_costs->few[0] = (nitro_few_uses){0.25, 2.5, 2, 0.5};
    model->prepare_costs->few[1] = (nitro_few_uses){INFINITY, 7.0, 1, 0.75};
    assert_ok(context, nitro_model_format(model, &text, &size));
    assert_ok(context, nitro_model_parse(context, "m.json", text, size, &again));
    assert_ok(context, nitro_model_format(again, &second, &second_size));
    assert_string_equal(text, second);
    assert_int_equal(again->prepare_costs->prepared, 6);
    assert_int_equal(again->prepare_costs->few_feature, 1);
    check_same_choices(model->prepare_costs, again->prepare_costs);
    nitro_model *binary = NULL;
    char *bytes = NULL;
    size_t num_bytes = 0;
    assert_ok(context, nitro_binary_format(model, &bytes, &num_bytes));
    assert_ok(context, nitro_binary_parse(context, "m.bin", bytes, num_bytes, &binary));
    check_same_choices(model->prepare_costs, binary->prepare_costs);
    nitro_model_free(binary);
    free(bytes);
    static const struct {
        const char *from, *to, *error;
    } cases[] = {
        {"\"variant\":2", "\"variant\":3", "variant"},
        {"\"uses\":2.5", "\"uses\":-2 ", "preparing"},
        {"\"few_feature\":1", "\"few_feature\":2", "few_feature"},
        {"\"few_feature\":1", "\"few_featurs\":1", "1 to 1"},
        {"\"up_to\":", "\"up_ti\":", "up_to"},
        {"\"variants\":[1,2]", "\"variants\":[1,1]", "variants"},
        {"\"variants\":[1,2]", "\"variants\":[1,9]", "variants"},
        {"\"variants\":[1,2]", "\"variants\":[1]  ", "weights"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char field[NITRO_MODEL_CHECKSUM_SIZE + 1];
        bad = strdup(text);
        char *place = strstr(bad, "\"preparing\"");
        place = place ? strstr(place, cases[i].from) : NULL;
        assert_non_null(place);
        memcpy(place, cases[i].to, strlen(cases[i].to));
        snprintf(field, sizeof field, NITRO_MODEL_CHECKSUM, nitro_model_checksum(bad, size));
        memcpy(bad, field, NITRO_MODEL_CHECKSUM_SIZE);
        nitro_model *refused = NULL;
        assert_fails(context, nitro_model_parse(context, "m.json", bad, size, &refused),
                     NITRO_ERR_FORMAT, cases[i].error);
        free(bad);
    }
    free(text);
    free(second);
    nitro_model_free(model);
    nitro_model_free(again);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals_are_minimised),
        cmocka_unit_test(test_the_compiled_model_decides_alike),
        cmocka_unit_test(test_the_untried_are_not_chosen),
        cmocka_unit_test(test_the_memo_tells_uses_apart),
        cmocka_unit_test(test_the_computation_declares_uses),
        cmocka_unit_test(test_few_uses_need_no_features),
        cmocka_unit_test(test_a_failed_choice_for_few_uses),
        cmocka_unit_test(test_a_free_feature_decides_for_few_uses),
        cmocka_unit_test(test_features_pay_from_some_uses_on),
        cmocka_unit_test(test_ranges_of_a_free_feature_are_learnt),
        cmocka_unit_test(test_without_costs_uses_do_not_matter),
        cmocka_unit_test(test_a_tree_is_charged_too),
        cmocka_unit_test(test_costs_are_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
