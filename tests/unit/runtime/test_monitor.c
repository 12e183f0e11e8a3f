/* Online monitoring, with a clock that the variants advance: drift is reported, observations go
 * into a store. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "nitro/runtime/online/buckets.h"
#include "unit/runtime/made_up_model.h"
#include "unit/runtime/monitor_fixture.h"

static void test_off_nothing_is_timed(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    assert_int_equal(statistics(&s).max_buckets, 0);
    close_scene(&s);
}

static void test_one_call_in_n_is_timed(void **state)
{
    const nitro_monitor_options options = monitoring(10, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 10);
    assert_true(fabs(statistics(&s).timed_ms - 10) < 1e-6);
    assert_int_equal(statistics(&s).num_buckets, 1);
    assert_int_equal(statistics(&s).num_drifts, 0);
    close_scene(&s);
}

static void test_drift_is_told_once_and_outliers_are_not_drift(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    s.world.noise = 0.05;
    s.world.outliers = 0.02;
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 0);
    s.world.cost_ms[0] = 1.5;
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 1);
    assert_non_null(strstr(s.log, "monitored: a takes 1."));
    assert_non_null(strstr(s.log, "inputs like size=1,"));
    s.world.cost_ms[0] = 0.9; /* faster is another time as well */
    for (size_t i = 0; i < 100; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 2);
    close_scene(&s);
}

static void test_features_and_decisions_of_sampled_calls_are_timed_apart(void **state)
{
    const nitro_monitor_options options = monitoring(4, 0);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, &options);
    s.world.feature_ms = 0.5;
    for (size_t i = 0; i < 40; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_decided, 10);
    assert_true(fabs(statistics(&s).decided_ms - 10 * 0.5) < 1e-6);
    assert_true(fabs(statistics(&s).timed_ms - 10) < 1e-6);
    close_scene(&s);
}

static void test_costs_of_exploring_and_gains_of_what_was_learnt_are_counted(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 3, 0.25, 2.5};
    const nitro_monitor_options options = monitoring(0, 5);
    double explored_ms = 0, saved_ms = 0, timed_ms = 0;
    size_t num_explorations = 0, num_learnt = 0;
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 3000; i++) {
        nitro_decision made = call(&s, 1);
        double time_ms = costs_ms[made.variant];
        timed_ms += time_ms;
        num_explorations += made.reason == NITRO_REASON_EXPLORATION;
        num_learnt += made.reason == NITRO_REASON_LEARNT;
        explored_ms += made.reason == NITRO_REASON_EXPLORATION ? time_ms - costs_ms[0] : 0;
        saved_ms += made.reason == NITRO_REASON_LEARNT ? costs_ms[0] - time_ms : 0;
    }
    const nitro_monitor_statistics counts = statistics(&s);
    assert_true(explored_ms > 0 && saved_ms > 1000);
    assert_int_equal(counts.num_explorations, num_explorations);
    assert_int_equal(counts.num_learnt, num_learnt);
    assert_true(fabs(counts.exploration_ms - explored_ms) < 1e-3);
    assert_true(fabs(counts.saved_ms - saved_ms) < 1e-3);
    assert_true(fabs(counts.timed_ms - timed_ms) < 1e-3);
    close_scene(&s);
}

static void test_gains_over_the_default_count_once_its_time_is_known(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 0.25, 3, 4};
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 10; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_compared, 10 - NITRO_SEEN_ENOUGH);
    assert_true(fabs(statistics(&s).gained_ms) < 1e-6);
    assert_ok(s.context, nitro_computation_force(s.computation, "b"));
    for (size_t i = 0; i < 20; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_compared, 30 - NITRO_SEEN_ENOUGH);
    assert_true(fabs(statistics(&s).gained_ms - 20 * 0.75) < 1e-6);
    close_scene(&s);
}

static void test_without_adaptation_no_choice_changes(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 0.25, 3, 4};
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    for (size_t i = 0; i < 20; i++)
        call(&s, 1);
    assert_ok(s.context, nitro_computation_force(s.computation, "b"));
    for (size_t i = 0; i < 20; i++)
        call(&s, 1);
    assert_ok(s.context, nitro_computation_force(s.computation, NULL));
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(call(&s, 1).variant, 0);
    close_scene(&s);
}

/* A thread that runs half of the time. */
static double half_of_now(void *state)
{
    return 0.5 * world_now(state);
}

static void test_calls_are_timed_by_processor_time_if_all_variants_are(void **state)
{
    nitro_monitor_options options = monitoring(1, 0);
    (void)state;
    for (size_t wall = 0; wall <= NUM_VARIANTS;
         wall++) { /* the variant timed by wall clock, if any */
        scene s;
        open_scene(&s, plain_ms, NULL);
        const nitro_clock clock = {
            .wall_ms = world_now, .thread_cpu_ms = half_of_now, .state = &s.world};
        nitro_context_set_clock(s.context, &clock);
        nitro_computation *computation = NULL;
        assert_ok(s.context, nitro_computation_create(s.context, "clocks", &computation));
        for (size_t v = 0; v < NUM_VARIANTS; v++) {
            char name[] = {(char)('a' + v), '\0'};
            const nitro_variant variant = {.name = name,
                                           .run = run,
                                           .time_source =
                                               v == wall ? NITRO_TIME_WALL : NITRO_TIME_THREAD_CPU,
                                           .user = (void *)(uintptr_t)v};
            assert_ok(s.context, nitro_computation_add_variant(computation, &variant));
        }
        nitro_computation_free(s.computation);
        s.computation = computation;
        assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
        for (size_t i = 0; i < 10; i++)
            call(&s, 1);
        assert_true(fabs(statistics(&s).timed_ms - (wall < NUM_VARIANTS ? 10 : 5)) < 1e-6);
        close_scene(&s);
    }
}

static void test_defaults(void **state)
{
    nitro_monitor_options options;
    scene s;
    (void)state;
    nitro_monitor_options_init(&options);
    open_scene(&s, plain_ms, &options);
    for (size_t i = 0; i < 640; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 10); /* the first, the 65th ... the 577th */
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 11);
    assert_int_equal(statistics(&s).max_buckets, 512);
    assert_int_equal(statistics(&s).num_recorded, 0);
    assert_true(options.drift_bound == 0.25 && options.confident_from == 0.9);
    assert_true(options.adapt_percent == 0);
    close_scene(&s);
}

typedef struct limit {
    unsigned every;
    double drift_bound, adapt_percent, confident_from;
    bool is_good;
} limit;

static const limit limits[] = {
    {0, 0.25, 0, 0.9, true},
    {1000000000, 0.25, 0, 0.9, true},
    {1000000001, 0.25, 0, 0.9, false},
    {1, 0, 0, 0.9, false},
    {1, 1e-9, 0, 0.9, true},
    {1, 100, 0, 0.9, true},
    {1, 100.5, 0, 0.9, false},
    {1, 0.25, -0.5, 0.9, false},
    {1, 0.25, 100, 0.9, true},
    {1, 0.25, 100.5, 0.9, false},
    {1, 0.25, 0, 0, true},
    {1, 0.25, 0, -0.5, false},
    {1, 0.25, 0, 2, true},
    {1, 0.25, 0, 2.5, false},
};

static void test_limits_of_the_options(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        nitro_monitor_options options = monitoring(limits[i].every, limits[i].adapt_percent);
        options.drift_bound = limits[i].drift_bound;
        options.confident_from = limits[i].confident_from;
        if (limits[i].is_good)
            assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
        else
            assert_fails(s.context, nitro_computation_monitor(s.computation, &options),
                         NITRO_ERR_ARGUMENT, "monitored: monitoring every");
    }
    close_scene(&s);
}

static void test_options_are_checked(void **state)
{
    nitro_monitor_options options = monitoring(1, 101);
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    assert_fails(s.context, nitro_computation_monitor(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "adapting by 101 %");
    options = monitoring(1, NAN);
    assert_fails(s.context, nitro_computation_monitor(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "adapting by");
    options = monitoring(1, 2);
    options.num_buckets = 0;
    assert_fails(s.context, nitro_computation_monitor(s.computation, &options), NITRO_ERR_ARGUMENT,
                 "0 buckets");
    options.num_buckets = 1;
    assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 1);
    assert_ok(s.context, nitro_computation_monitor(s.computation, NULL));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    close_scene(&s);
}

static void flush(scene *s, nitro_store *store, size_t expected)
{
    size_t num_samples = 99;
    assert_ok(s->context,
              nitro_computation_flush_observations(s->computation, store, &num_samples));
    assert_int_equal(num_samples, expected);
}

static void test_what_was_seen_goes_into_a_store(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 3, 0.5};
    nitro_monitor_options options = monitoring(1, 0);
    temporary folder = temporary_make();
    scene s;
    (void)state;
    open_scene(&s, costs_ms, &options);
    nitro_store *store = temporary_store(s.context, &folder, "store.db");
    assert_fails(s.context, nitro_computation_flush_observations(s.computation, store, NULL),
                 NITRO_ERR_ARGUMENT, "no observations are recorded");
    options.num_recorded = 100;
    assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
    flush(&s, store, 0);
    for (size_t i = 0; i < 20; i++)
        call(&s, i % 2 ? 5 : 7);
    flush(&s, store, 2);
    flush(&s, store, 0); /* each once */
    assert_ok(s.context, nitro_computation_force(s.computation, "d"));
    call(&s, 7);
    flush(&s, store, 1);
    nitro_string_list devices = {0}, inputs = {0};
    assert_ok(s.context, nitro_store_list_devices(store, "monitored", &devices));
    assert_int_equal(devices.count, 1);
    assert_ok(s.context, nitro_store_list_inputs(store, "monitored", devices.items[0], &inputs));
    assert_int_equal(inputs.count, 2);
    for (size_t i = 0; i < 2; i++) {
        nitro_sample *sample = NULL;
        assert_ok(s.context, nitro_store_get_sample(store, "monitored", devices.items[0],
                                                    inputs.items[i], &sample));
        assert_memory_equal(sample->input, "observed-", 9);
        assert_string_equal(sample->provenance.origin, "observed");
        assert_true(fabs(sample->entries[0].median_ms - sample->features[0]) < 1e-9);
        assert_int_equal(sample->entries[0].count, 10);
        assert_int_equal(sample->entries[1].outcome, NITRO_OUTCOME_MISSING);
        bool is_seven = sample->features[0] == 7;
        assert_int_equal(sample->entries[3].outcome,
                         is_seven ? NITRO_OUTCOME_MEASURED : NITRO_OUTCOME_MISSING);
        if (is_seven)
            assert_true(fabs(sample->entries[3].median_ms - 3.5) < 1e-9);
        nitro_sample_free(sample);
    }
    nitro_string_list_free(&devices);
    nitro_string_list_free(&inputs);
    nitro_store_close(store);
    temporary_remove(&folder);
    close_scene(&s);
}

static void test_a_full_ring_keeps_the_newest(void **state)
{
    nitro_monitor_options options = monitoring(1, 0);
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    assert_ok(s.context, nitro_store_open(s.context, temporary_path(&folder, "store.db"),
                                          NITRO_STORE_WRITE, &store));
    for (size_t size = 4; size > 0; size /= 4) { /* 4 and 1 */
        options.num_recorded = size;
        assert_ok(s.context, nitro_computation_monitor(s.computation, &options));
        for (size_t i = 0; i < 50; i++)
            call(&s, (double)size + (double)i);
        assert_int_equal(statistics(&s).num_recorded, 50);
        flush(&s, store, size);
    }
    nitro_store_close(store);
    temporary_remove(&folder);
    close_scene(&s);
}

typedef struct runner {
    pthread_t thread;
    const nitro_computation *computation;
    size_t num_failed;
    size_t first;               /* of the sizes of its calls, where each has its own */
    atomic_size_t *num_running; /* threads */
} runner;

static int evaluate_double(const void *any, double *values, void *user)
{
    (void)user;
    values[0] = *(const double *)any;
    return 0;
}

static void *run_many(void *any)
{
    runner *self = any;
    for (size_t i = 0; i < 5000; i++) {
        double size = 1 + (double)(i % 7);
        self->num_failed += nitro_run(self->computation, &size, NULL) != NITRO_OK;
    }
    return NULL;
}

/** On the system's clock: whatever is learnt, no call fails, and each is counted. */
static void test_many_threads_monitor_at_once(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    nitro_monitor_options options = monitoring(1, 5);
    const nitro_feature size = {.name = "size"};
    runner runners[NUM_THREADS];
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    (void)state;
    options.num_buckets = 4;
    options.num_recorded = 64;
    assert_ok(context, nitro_computation_create(context, "threads", &computation));
    for (size_t v = 0; v < 2; v++) {
        const nitro_variant variant = {.name = v ? "b" : "a", .run = run_nothing};
        assert_ok(context, nitro_computation_add_variant(computation, &variant));
    }
    assert_ok(context,
              nitro_computation_add_features(computation, &size, 1, evaluate_double, NULL));
    assert_ok(context, nitro_computation_monitor(computation, &options));
    store = temporary_store(context, &folder, "store.db");
    for (size_t t = 0; t < NUM_THREADS; t++) {
        runners[t] = (runner){.computation = computation};
        assert_int_equal(pthread_create(&runners[t].thread, NULL, run_many, &runners[t]), 0);
    }
    assert_ok(context, nitro_computation_flush_observations(computation, store, NULL));
    for (size_t t = 0; t < NUM_THREADS; t++) {
        assert_int_equal(pthread_join(runners[t].thread, NULL), 0);
        assert_int_equal(runners[t].num_failed, 0);
    }
    nitro_monitor_statistics counts;
    nitro_computation_monitor_statistics(computation, &counts);
    assert_int_equal(counts.num_timed, NUM_THREADS * 5000);
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

enum { NUM_WRITERS = 8, CALLS_OF_WRITER = 1000 };

static void *run_once_each(void *any)
{
    runner *self = any;
    for (size_t i = 0; i < CALLS_OF_WRITER; i++) {
        double size = (double)(self->first + i);
        self->num_failed += nitro_run(self->computation, &size, NULL) != NITRO_OK;
    }
    atomic_fetch_sub(self->num_running, 1);
    return NULL;
}

/** Whatever is being written while observations are stored is stored by a later time. More threads
 * than processors: one is often stopped while it writes. */
static void test_no_call_is_lost_while_others_are_stored(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    nitro_monitor_options options = monitoring(1, 0);
    const nitro_feature size = {.name = "size"};
    const nitro_variant only = {.name = "a", .run = run_nothing};
    runner runners[NUM_WRITERS];
    atomic_size_t num_running = NUM_WRITERS;
    temporary folder = temporary_make();
    size_t num_stored = 0;
    bool is_last = false;
    (void)state;
    options.num_recorded = NUM_WRITERS * CALLS_OF_WRITER;
    assert_ok(context, nitro_computation_create(context, "writers", &computation));
    assert_ok(context, nitro_computation_add_variant(computation, &only));
    assert_ok(context,
              nitro_computation_add_features(computation, &size, 1, evaluate_double, NULL));
    assert_ok(context, nitro_computation_monitor(computation, &options));
    nitro_store *store = temporary_store(context, &folder, "store.db");
    for (size_t t = 0; t < NUM_WRITERS; t++) {
        runners[t] = (runner){.computation = computation,
                              .first = 1 + t * CALLS_OF_WRITER,
                              .num_running = &num_running};
        assert_int_equal(pthread_create(&runners[t].thread, NULL, run_once_each, &runners[t]), 0);
    }
    while (!is_last) {
        size_t num_samples = 0;
        is_last = atomic_load(&num_running) == 0;
        assert_ok(context, nitro_computation_flush_observations(computation, store, &num_samples));
        num_stored += num_samples;
    }
    for (size_t t = 0; t < NUM_WRITERS; t++) {
        assert_int_equal(pthread_join(runners[t].thread, NULL), 0);
        assert_int_equal(runners[t].num_failed, 0);
    }
    nitro_string_list devices = {0}, inputs = {0};
    assert_ok(context, nitro_store_list_devices(store, "writers", &devices));
    assert_ok(context, nitro_store_list_inputs(store, "writers", devices.items[0], &inputs));
    assert_int_equal(inputs.count, NUM_WRITERS * CALLS_OF_WRITER);
    assert_int_equal(num_stored, NUM_WRITERS * CALLS_OF_WRITER); /* none twice */
    nitro_string_list_free(&devices);
    nitro_string_list_free(&inputs);
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void test_settings_turn_it_on(void **state)
{
    scene s;
    (void)state;
    open_scene(&s, plain_ms, NULL);
    assert_ok(s.context, nitro_computation_configure(s.computation));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0);
    assert_ok(s.context, nitro_context_set(s.context, NULL, "adapt", "2"));
    assert_ok(s.context, nitro_context_set(s.context, "monitored", "record", "10"));
    assert_ok(s.context, nitro_computation_configure(s.computation));
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 1);
    assert_int_equal(statistics(&s).num_recorded, 1);
    assert_fails(s.context, nitro_context_set(s.context, NULL, "adapt", "-1"), NITRO_ERR_ARGUMENT,
                 "adapt: the value is not a number in [0, 100]");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off_nothing_is_timed),
        cmocka_unit_test(test_one_call_in_n_is_timed),
        cmocka_unit_test(test_drift_is_told_once_and_outliers_are_not_drift),
        cmocka_unit_test(test_features_and_decisions_of_sampled_calls_are_timed_apart),
        cmocka_unit_test(test_costs_of_exploring_and_gains_of_what_was_learnt_are_counted),
        cmocka_unit_test(test_gains_over_the_default_count_once_its_time_is_known),
        cmocka_unit_test(test_without_adaptation_no_choice_changes),
        cmocka_unit_test(test_calls_are_timed_by_processor_time_if_all_variants_are),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_limits_of_the_options),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_what_was_seen_goes_into_a_store),
        cmocka_unit_test(test_a_full_ring_keeps_the_newest),
        cmocka_unit_test(test_many_threads_monitor_at_once),
        cmocka_unit_test(test_no_call_is_lost_while_others_are_stored),
        cmocka_unit_test(test_settings_turn_it_on),
    };
    assert_int_equal(setenv("NITRO_CONFIG", "/dev/null", 1), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
