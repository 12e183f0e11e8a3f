/* What counts as a drift, what is said of it, and what is remembered after it, with a clock that
 * the variants move. */
#include <math.h>

#include "nitro/runtime/online/buckets.h"
#include "unit/runtime/made_up_model.h"
#include "unit/runtime/monitor_fixture.h"

static void make_calls(scene *s, size_t count, double size)
{
    for (size_t i = 0; i < count; i++)
        call(s, size);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) {
        count++;
        text += strlen(part);
    }
    return count;
}

typedef struct change {
    double bound, cost_ms; /* that 1 ms becomes */
    bool is_drift;
} change;

static const change changes[] = {
    {0.25, 1.24, false}, {0.25, 1.26, true},   {0.25, 0.81, false}, {0.25, 0.79, true},
    {1, 1.9, false},     {1, 2.1, true},       {1, 0.6, false},     {1, 0.4, true},
    {1, 2, false},       {1, 0.5, false},      {100, 90, false},    {100, 102, true},
    {0.01, 1.02, true},  {0.01, 1.005, false},
};

static void test_a_drift_is_a_median_beyond_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        nitro_monitor_options options = monitoring(1, 0);
        scene s;
        options.drift_bound = changes[i].bound;
        open_scene(&s, plain_ms, &options);
        make_calls(&s, 100, 1);
        s.world.cost_ms[0] = changes[i].cost_ms;
        make_calls(&s, 20, 1);
        if (statistics(&s).num_drifts != changes[i].is_drift)
            fail_msg("%g ms within %g: %zu drifts", changes[i].cost_ms, changes[i].bound,
                     (size_t)statistics(&s).num_drifts);
        close_scene(&s);
    }
}

/* Free the computation, but not its context, and keep what is logged then alone. */
static void free_computation(scene *s)
{
    s->log[0] = '\0';
    nitro_computation_free(s->computation);
    s->computation = NULL;
}

static void drift_to(scene *s, const char *variant, size_t index, double cost_ms)
{
    assert_ok(s->context, nitro_computation_force(s->computation, variant));
    make_calls(s, 100, 1);
    s->world.cost_ms[index] = cost_ms;
    make_calls(s, 100, 1);
}

static void test_further_drifts_of_a_variant_are_counted_and_told_at_the_end(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    drift_to(&s, "a", 0, 2);
    drift_to(&s, "a", 0, 4);
    drift_to(&s, "a", 0, 1);
    drift_to(&s, "b", 1, 5);
    drift_to(&s, "d", 3, 9);
    drift_to(&s, "d", 3, 1);
    assert_int_equal(count_of(s.log, "a takes"), 1);
    assert_int_equal(count_of(s.log, "b takes"), 1);
    assert_int_equal(count_of(s.log, "d takes"), 1);
    assert_int_equal(statistics(&s).num_drifts, 6);
    assert_int_equal(statistics(&s).num_unlike_model, 0);
    free_computation(&s);
    assert_string_equal(s.log,
                        "monitored: in total a took another time than was expected from earlier "
                        "times 3 times\n"
                        "monitored: in total d took another time than was expected from earlier "
                        "times 2 times\n");
    close_scene(&s);
}

static void test_a_message_of_a_drift_has_both_times(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    make_calls(&s, 100, 3);
    s.world.cost_ms[0] = 4;
    make_calls(&s, 100, 3);
    assert_string_equal(s.log, "monitored: a takes 7.5 ms for inputs like size=3, but 3 ms were "
                               "expected from earlier times\n"); /* half of the newest times */
    close_scene(&s);
}

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    const double *cost_ms = user;
    features[0] = (double)index;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        times_ms[v] = (double)index * cost_ms[v];
}

static void test_first_times_unlike_the_models_are_told_as_information(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    nitro_context_set_log(s.context, NITRO_LOG_INFO, keep_log, &s);
    made_up_attach(s.context, s.computation, 1, 60, fill, plain_ms);
    s.world.cost_ms[1] = 8; /* the model's ratio to a is 2 */
    s.log[0] = '\0';
    for (size_t size = 10; size <= 20; size += 10) {
        assert_ok(s.context, nitro_computation_force(s.computation, "a"));
        make_calls(&s, 20, (double)size); /* as the model says, but nothing to compare with */
        assert_int_equal(statistics(&s).num_unlike_model, size == 10 ? 0 : 1);
        assert_ok(s.context, nitro_computation_force(s.computation, "b"));
        make_calls(&s, 20, (double)size);
    }
    assert_ok(s.context, nitro_computation_force(s.computation, "c"));
    make_calls(&s, 20, 30); /* as good to compare with, though a was not seen */
    assert_ok(s.context, nitro_computation_force(s.computation, "d"));
    make_calls(&s, 20, 30); /* as the model says */
    assert_int_equal(statistics(&s).num_unlike_model, 2);
    assert_ok(s.context, nitro_computation_force(s.computation, "b"));
    make_calls(&s, 20, 30);
    assert_int_equal(statistics(&s).num_unlike_model, 3);
    assert_ok(s.context, nitro_computation_force(s.computation, "a"));
    make_calls(&s, NITRO_SEEN_RECENT, 40); /* as many as it takes */
    assert_ok(s.context, nitro_computation_force(s.computation, "b"));
    make_calls(&s, 20, 40);
    assert_int_equal(statistics(&s).num_unlike_model, 4);
    assert_int_equal(statistics(&s).num_drifts, 0);
    assert_int_equal(count_of(s.log, "b takes 80 ms for inputs like size=10, but 2"), 1);
    assert_int_equal(count_of(s.log, "were expected by the model"), 1);
    assert_int_equal(count_of(s.log, "takes"), 1);
    free_computation(&s);
    assert_string_equal(s.log, "monitored: in total b took another time than was expected by the "
                               "model 4 times\n");
    close_scene(&s);
}

/* How often was a variant explored in this many calls of size 1? */
static size_t explorations_of(scene *s, size_t variant, size_t num_calls)
{
    size_t count = 0;
    for (size_t i = 0; i < num_calls; i++) {
        nitro_decision made = call(s, 1);
        count += made.reason == NITRO_REASON_EXPLORATION && made.variant == variant;
    }
    return count;
}

/* The call of size 1, among the next 3000, in which each variant is chosen first. */
static void find_first_calls(scene *s, size_t *first)
{
    memset(first, 0, NUM_VARIANTS * sizeof *first);
    for (size_t i = 1; i <= 3000; i++) {
        size_t variant = call(s, 1).variant;
        if (first[variant] == 0)
            first[variant] = i;
    }
}

static void slow_down(scene *s, double factor)
{
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        s->world.cost_ms[v] *= factor;
    size_t before = statistics(s).num_drifts, num_calls = 0;
    while (statistics(s).num_drifts == before && num_calls++ < 100)
        call(s, 1);
    assert_int_equal(statistics(s).num_drifts, before + 1);
}

static void test_after_a_drift_of_all_the_fastest_are_tried_first(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 1.1, 1.05, 1.15};
    const nitro_monitor_options options = monitoring(0, 5);
    size_t first[NUM_VARIANTS];
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    find_first_calls(&s, first);
    assert_true(first[0] == 1 && first[1] > 1 && first[2] > first[1] && first[3] > first[2]);
    slow_down(&s, 2);
    find_first_calls(&s, first);
    assert_true(first[0] == 1 && first[2] > 1 && first[1] > first[2] && first[3] > first[1]);
    close_scene(&s);
}

static void
test_after_a_drift_what_slowed_down_is_tried_again_if_it_may_be_the_fastest(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 0.5, 30, 30};
    static const double slow_ms[] = {6, 10}; /* of b: estimates may be four times too high */
    const nitro_monitor_options options = monitoring(0, 5);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene s;
        open_scene(&s, costs_ms, &options);
        make_calls(&s, 6000, 1);
        assert_int_equal(call(&s, 1).variant, 1);
        s.world.cost_ms[1] = slow_ms[i];
        size_t explorations = explorations_of(&s, 1, 2000);
        assert_int_equal(statistics(&s).num_drifts, 1);
        assert_int_equal(call(&s, 1).variant, 0);
        assert_int_equal(explorations, i == 0 ? 1 : 0);
        slow_down(&s, 2); /* which says nothing new of their ratios */
        assert_int_equal(explorations_of(&s, 1, 2000), i == 0 ? 1 : 0);
        close_scene(&s);
    }
}

static void test_after_a_drift_the_models_ratios_still_count(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 1, 0.5, 3};
    nitro_monitor_options options = monitoring(0, 5);
    scene s;
    (void)state;
    options.confident_from = 2;
    open_scene(&s, costs_ms, &options);
    made_up_attach(s.context, s.computation, 1, 60, fill, costs_ms);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(explorations_of(&s, 3, 2000), 0); /* six times as slow as c */
        assert_int_equal(call(&s, 1).variant, 2);
        slow_down(&s, 2);
    }
    close_scene(&s);
}

/* d is the best for large inputs. */
static void fill_by_size(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        times_ms[v] = 5;
    times_ms[index < 30 ? 0 : 3] = 1;
}

/* b and d are the best for larger inputs, a is the best for small ones alone. */
static void fill_a_worse(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        times_ms[v] = 5;
    times_ms[index < 20 ? 0 : index < 40 ? 1 : 3] = 1;
}

/* The computation before c and d were added. */
static nitro_computation *declare_two(nitro_context *context)
{
    const nitro_feature size = {.name = "size", .scale = NITRO_SCALE_LOG};
    nitro_computation *made = NULL;
    assert_ok(context, nitro_computation_create(context, "monitored", &made));
    for (size_t v = 0; v < 2; v++) {
        const nitro_variant variant = {.name = v == 0 ? "a" : "b", .run = run};
        assert_ok(context, nitro_computation_add_variant(made, &variant));
    }
    assert_ok(context, nitro_computation_add_features(made, &size, 1, evaluate, NULL));
    return made;
}

/* By a model that votes, and predicts no times. */
static void test_variants_are_tried_in_the_models_order_and_unknown_ones_as_declared(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 5, 5, 5};
    nitro_monitor_options options = monitoring(0, 50);
    (void)state;
    options.confident_from = 2;
    for (size_t i = 0; i < 2; i++) {
        size_t first[NUM_VARIANTS];
        scene s;
        open_scene(&s, costs_ms, &options);
        nitro_computation *before = declare_two(s.context);
        nitro_model *model = made_up_learn_by("svm", s.context, i == 0 ? s.computation : before, 1,
                                              60, i == 0 ? fill_by_size : fill, costs_ms);
        assert_ok(s.context, nitro_computation_attach_model(s.computation, model));
        find_first_calls(&s, first);
        if (i == 0)
            assert_true(first[3] > first[0] && first[1] > first[3] && first[2] > first[1]);
        else
            assert_true(first[1] > first[0] && first[2] > first[1] && first[3] > first[2]);
        nitro_computation_free(before);
        close_scene(&s);
    }
}

static void test_the_first_variant_has_its_place_in_the_models_order(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {5, 5, 5, 1};
    nitro_monitor_options options = monitoring(0, 50);
    size_t first[NUM_VARIANTS] = {0};
    scene s;
    (void)state;
    options.confident_from = 2;
    open_scene(&s, costs_ms, &options);
    nitro_model *model =
        made_up_learn_by("svm", s.context, s.computation, 1, 60, fill_a_worse, NULL);
    assert_ok(s.context, nitro_computation_attach_model(s.computation, model));
    for (size_t i = 1; i <= 3000; i++) {
        size_t variant = call(&s, 50).variant;
        first[variant] = first[variant] ? first[variant] : i;
    }
    assert_true(first[3] == 1 && first[1] > 1 && first[0] > first[1]);
    close_scene(&s);
}

static void test_a_rarely_explored_variant_that_became_fast_is_tried_again_soon(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 1.5, 30, 30};
    const nitro_monitor_options options = monitoring(0, 5);
    size_t num_calls = 0;
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    assert_true(explorations_of(&s, 1, 40000) < 20);
    s.world.cost_ms[1] = 0.25;
    while (call(&s, 1).reason != NITRO_REASON_LEARNT && num_calls < 5000)
        num_calls++;
    assert_true(num_calls < 5000);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_drift_is_a_median_beyond_the_bound),
        cmocka_unit_test(test_further_drifts_of_a_variant_are_counted_and_told_at_the_end),
        cmocka_unit_test(test_a_message_of_a_drift_has_both_times),
        cmocka_unit_test(test_first_times_unlike_the_models_are_told_as_information),
        cmocka_unit_test(test_after_a_drift_of_all_the_fastest_are_tried_first),
        cmocka_unit_test(
            test_after_a_drift_what_slowed_down_is_tried_again_if_it_may_be_the_fastest),
        cmocka_unit_test(test_after_a_drift_the_models_ratios_still_count),
        cmocka_unit_test(test_variants_are_tried_in_the_models_order_and_unknown_ones_as_declared),
        cmocka_unit_test(test_the_first_variant_has_its_place_in_the_models_order),
        cmocka_unit_test(test_a_rarely_explored_variant_that_became_fast_is_tried_again_soon),
    };
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
