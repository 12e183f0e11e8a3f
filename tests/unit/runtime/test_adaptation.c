/* Learning on, with a clock that the variants move: what is learnt is right and is paid for from
 * the budget, and constraints hold. */
#include <math.h>

#include "unit/runtime/made_up_model.h"
#include "unit/runtime/monitor_fixture.h"

static double best_ms(const world *w, double size)
{
    double best = INFINITY;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        if (size < 100 || v < NUM_VARIANTS - 1)
            best = fmin(best, w->cost_ms[v]);
    return best * size;
}

typedef struct phase {
    double cost_ms[NUM_VARIANTS];
    size_t num_calls;
} phase;

/**
 * Play phases with inputs of several sizes in turn. Everywhere on the way no more time was spent
 * than the budget allows beyond that of the first variant, exploration included; in the last 2000
 * calls of each phase what is chosen is within 1 % of the best fixed choice, on average, and
 * explorations are few.
 */
static void play(scene *s, const phase *phases, size_t num_phases, double percent)
{
    static const double sizes[] = {1, 8, 300};
    for (size_t p = 0; p < num_phases; p++) {
        double late_ms = 0, late_best_ms = 0;
        size_t num_explorations = 0;
        memcpy(s->world.cost_ms, phases[p].cost_ms, sizeof s->world.cost_ms);
        for (size_t i = 0; i < phases[p].num_calls; i++) {
            double size = sizes[i % 3];
            nitro_decision made = call(s, size);
            assert_int_equal(made.variant, s->world.last);
            assert_true(size < 100 || made.variant != NUM_VARIANTS - 1);
            double most_ms = s->world.base_ms * (1 + percent / 100);
            if (s->world.made_ms > most_ms)
                fail_msg("phase %zu, call %zu: %g ms, but at most %g", p, i, s->world.made_ms,
                         most_ms);
            num_explorations +=
                i + 2000 >= phases[p].num_calls && made.reason == NITRO_REASON_EXPLORATION;
            if (i + 2000 < phases[p].num_calls || made.reason == NITRO_REASON_EXPLORATION)
                continue;
            late_ms += size * s->world.cost_ms[made.variant];
            late_best_ms += best_ms(&s->world, size);
        }
        if (late_ms > 1.01 * late_best_ms)
            fail_msg("phase %zu: %g %% above the best", p, 100 * (late_ms / late_best_ms - 1));
        if (num_explorations > 100)
            fail_msg("phase %zu: %zu explorations in the last 2000 calls", p, num_explorations);
    }
}

static void test_adaptation_finds_the_best_within_its_budget(void **state)
{
    static const phase phases[] = {
        {{1, 1.05, 0.7, 0.5}, 20000}, /* the default is not the best */
        {{1, 1.05, 1.4, 0.5}, 20000}, /* what was learnt for large inputs becomes wrong */
        {{2, 2.1, 2.8, 1}, 20000},    /* everything slows down alike */
        {{1, 0.6, 1.4, 3}, 30000},    /* and another one is the best everywhere */
        {{1, 5, 30, 40}, 20000},      /* the default is the best by far */
    };
    const nitro_monitor_options options = monitoring(0, 2);
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double noise = 0.05 * (double)(seed % 3);
        scene s;
        open_scene(&s, phases[0].cost_ms, &options);
        nitro_random_seed(&s.world.random, seed);
        s.world.noise = noise;
        s.world.outliers = noise > 0 ? 0.002 : 0;
        play(&s, phases, sizeof phases / sizeof phases[0], options.adapt_percent);
        nitro_monitor_statistics counts = statistics(&s);
        assert_true(counts.num_explorations > 0 && counts.num_learnt > 0 && counts.num_drifts > 0);
        assert_true(counts.saved_ms > 0);
        close_scene(&s);
    }
}

static void test_adaptation_costs_no_more_than_its_budget_where_nothing_is_to_be_won(void **state)
{
    static const phase phases[] = {{{1, 3, 9.5, 200}, 30000}};
    const nitro_monitor_options options = monitoring(0, 2);
    scene s;
    (void)state;
    open_scene(&s, phases[0].cost_ms, &options);
    s.world.noise = 0.05;
    for (size_t i = 0; i < phases[0].num_calls; i++)
        call(&s, 1 + (double)(i % 2));
    assert_true(s.world.made_ms < 1.02 * s.world.base_ms);
    assert_int_equal(statistics(&s).num_learnt, 0);
    close_scene(&s);
}

/** A second variant whose time depends on how often it has run; the others take 1 ms. */
typedef struct adversary {
    const char *name;
    double fast_ms, slow_ms;
    size_t num_first;        /* of its runs are fast */
    size_t period, num_fast; /* then the first `num_fast` of each period */
    size_t num_buckets;
    double slack_ms; /* excess of one call, where it is more than exploration reserves */
} adversary;

static const adversary adversaries[] = {
    {"slow, but no slower than the reservation", 9.5, 9.5, 0, 1, 1, 24, 0},
    {"slower than the reservation in every bucket", 200, 200, 0, 1, 1, 24, 199},
    {"fast in 20 runs, slow in the next 20", 0.5, 50, 0, 40, 20, 4, 49},
    {"slow as soon as it is learnt", 0.5, 50, 0, 16, 8, 1, 49},
    {"fast by the median, slow on average", 0.5, 50, 32, 8, 5, 1, 49},
    {"fast by the median, a little slow on average", 0.5, 3, 32, 8, 5, 1, 2},
};

/** Input sizes of different buckets, 1 to 7.5. */
static double size_of_bucket(size_t index)
{
    return ldexp(1 + (double)(index % 8) / 8, (int)(index / 8));
}

static void resist(const adversary *other)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 1, 1, 1};
    const nitro_monitor_options options = monitoring(0, 2);
    size_t num_runs = 0;
    scene s;
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 40000; i++) {
        bool is_fast = num_runs < other->num_first || num_runs % other->period < other->num_fast;
        s.world.cost_ms[1] = is_fast ? other->fast_ms : other->slow_ms;
        call(&s, size_of_bucket(i % other->num_buckets));
        num_runs += s.world.last == 1;
        double most_ms =
            1.02 * s.world.base_ms + other->slack_ms * size_of_bucket(other->num_buckets - 1);
        if (s.world.made_ms > most_ms)
            fail_msg("%s: call %zu: %g ms, but at most %g", other->name, i, s.world.made_ms,
                     most_ms);
    }
    assert_true(num_runs >= 4);
    close_scene(&s);
}

static void test_a_variant_slower_than_it_looked_again_and_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof adversaries / sizeof adversaries[0]; i++)
        resist(&adversaries[i]);
}

static void test_a_confident_model_and_a_forced_variant_are_left_alone(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 0.1, 0.1, 0.1};
    nitro_monitor_options options = monitoring(0, 50);
    scene s;
    (void)state;
    options.confident_from = 0; /* all are sure */
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(call(&s, 1).variant, 0);
    options.confident_from = 2;
    assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
    assert_ok(s.context, nitro_computation_force(s.computation, "a"));
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(call(&s, 1).reason, NITRO_REASON_FORCED);
    assert_ok(s.context, nitro_computation_force(s.computation, NULL));
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    nitro_decision made = call(&s, 1);
    assert_int_not_equal(made.variant, 0);
    close_scene(&s);
}

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    const scene *s = user;
    features[0] = (double)index;
    for (size_t v = 0; v < NUM_VARIANTS; v++)
        times_ms[v] = (double)index * s->world.cost_ms[v];
}

/** A model from times as they are in this world. */
static void attach_model(scene *s)
{
    made_up_attach(s->context, s->computation, 1, 60, fill, s);
}

static void test_adaptation_mends_a_model_that_is_wrong(void **state)
{
    nitro_monitor_options options = monitoring(0, 2);
    scene s;
    (void)state;
    options.confident_from = 2;
    open_scene(&s, plain_ms, &options);
    attach_model(&s);
    assert_int_equal(call(&s, 10).reason, NITRO_REASON_MODEL);
    s.world.noise = 0.05;
    s.world.cost_ms[1] = 0.8; /* the model says 2, and knows nothing of today */
    for (size_t i = 0; i < 5000; i++)
        call(&s, 10);
    assert_int_equal(call(&s, 10).variant, 1);
    assert_true(statistics(&s).num_unlike_model > 0);
    assert_int_equal(statistics(&s).num_drifts, 0);
    assert_true(statistics(&s).num_explorations < 100);
    assert_true(s.world.made_ms < s.world.base_ms);
    close_scene(&s);
}

static void test_a_confident_model_is_discounted_once_times_drift(void **state)
{
    nitro_monitor_options options = monitoring(0, 2);
    scene s;
    (void)state;
    options.confident_from = 0;
    open_scene(&s, plain_ms, &options);
    attach_model(&s);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(call(&s, 10).reason, NITRO_REASON_MODEL);
    s.world.cost_ms[0] = 5; /* the next best takes 2 */
    for (size_t i = 0; i < 2000; i++)
        call(&s, 10);
    assert_int_equal(call(&s, 10).variant, 1);
    assert_int_equal(statistics(&s).num_drifts, 1);
    assert_true(s.world.made_ms < s.world.base_ms);
    close_scene(&s);
}

static void test_an_exploration_that_fails_is_not_repeated(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 3, 0.5};
    const nitro_monitor_options options = monitoring(0, 10);
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    s.world.prepare_fails = true; /* the call is made all the same */
    for (size_t i = 0; i < 3000; i++)
        assert_int_not_equal((call(&s, 1), s.world.last), NUM_VARIANTS - 1);
    assert_int_equal(s.world.num_prepared, 1);
    close_scene(&s);
    open_scene(&s, costs_ms, &options);
    s.world.run_fails = true;
    size_t num_failed = 0;
    for (size_t i = 0; i < 3000; i++) {
        argument a = {.size = 1, .world = &s.world};
        num_failed += nitro_run(s.computation, &a, NULL) != NITRO_OK;
    }
    assert_int_equal(num_failed, 1);
    close_scene(&s);
}

/* A caller who allows adaptation does not have a call fail for each kind of input. */
static void test_an_exploration_that_fails_is_not_made_elsewhere(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 3, 0.5};
    const nitro_monitor_options options = monitoring(0, 10);
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 1000; i++)
        call(&s, 1);
    assert_int_equal(s.world.last, NUM_VARIANTS - 1); /* known to be the fastest here */
    s.world.run_fails = true;
    size_t num_failed = 0;
    for (size_t i = 0; i < 6000; i++) {
        argument a = {.size = (double)(2 << i % 5), .world = &s.world};
        num_failed += nitro_run(s.computation, &a, NULL) != NITRO_OK;
    }
    assert_int_equal(num_failed, 1);
    s.world.run_fails = false;
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(s.world.last, NUM_VARIANTS - 1); /* as before */
    close_scene(&s);
}

static void test_more_buckets_than_there_is_room_for(void **state)
{
    nitro_monitor_options options = monitoring(0, 2);
    scene s;
    (void)state;
    options.num_buckets = 16;
    open_scene(&s, plain_ms, &options);
    for (size_t i = 0; i < 20000; i++)
        call(&s, 1 + (double)(i % 90));
    assert_true(statistics(&s).num_buckets <= statistics(&s).max_buckets);
    assert_int_equal(statistics(&s).max_buckets, 16);
    assert_true(s.world.made_ms < 1.02 * s.world.base_ms);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaptation_finds_the_best_within_its_budget),
        cmocka_unit_test(test_adaptation_costs_no_more_than_its_budget_where_nothing_is_to_be_won),
        cmocka_unit_test(test_a_variant_slower_than_it_looked_again_and_again),
        cmocka_unit_test(test_a_confident_model_and_a_forced_variant_are_left_alone),
        cmocka_unit_test(test_adaptation_mends_a_model_that_is_wrong),
        cmocka_unit_test(test_a_confident_model_is_discounted_once_times_drift),
        cmocka_unit_test(test_an_exploration_that_fails_is_not_repeated),
        cmocka_unit_test(test_an_exploration_that_fails_is_not_made_elsewhere),
        cmocka_unit_test(test_more_buckets_than_there_is_room_for),
    };
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
