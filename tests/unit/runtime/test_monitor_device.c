/* Monitoring of variants that a device's clock times, on a made-up stream: its work is done up to a
 * time that the test sets, and nothing may wait for it. */
#include <pthread.h>
#include <stdatomic.h>

#include "unit/runtime/monitor_fixture.h"

/* A stream is the world that its work is timed in: `now_ms` is when the work so far will be done.
 */
static double done_ms;
static atomic_size_t num_events;
static bool captures, fails;

static bool may_mark(void *stream)
{
    assert_non_null(stream);
    return !captures;
}

static int mark(void *stream, void **event)
{
    if (fails)
        return 1;
    if (!*event) {
        *event = malloc(sizeof(double));
        num_events++;
    }
    *(double *)*event = ((const world *)stream)->now_ms;
    return 0;
}

static int elapsed(void *begin, void *end, double *elapsed_ms)
{
    if (fails)
        return 700;
    if (*(double *)end > done_ms)
        return NITRO_STREAM_BUSY;
    *elapsed_ms = *(double *)end - *(double *)begin;
    return 0;
}

static void free_event(void *event)
{
    if (event)
        num_events--;
    free(event);
}

static void *stream(const void *any, void *user)
{
    (void)user;
    return ((const argument *)any)->world;
}

static const nitro_stream_clock stream_clock = {may_mark, mark, elapsed, free_event};

static void open_device(scene *s, const double *cost_ms, const nitro_monitor_options *options)
{
    const nitro_hooks hooks = {.stream = stream, .clock = &stream_clock};
    captures = fails = false;
    done_ms = 0;
    open_scene(s, cost_ms, NULL);
    nitro_computation_free(s->computation);
    s->computation = declare(s->context, NITRO_TIME_DEVICE);
    assert_fails(s->context, nitro_computation_monitor(s->computation, options), NITRO_ERR_ARGUMENT,
                 "set nitro_hooks.clock");
    assert_ok(s->context, nitro_computation_set_hooks(s->computation, &hooks));
    assert_ok(s->context, nitro_computation_monitor(s->computation, options));
}

static void close_device(scene *s)
{
    close_scene(s);
    assert_int_equal(num_events, 0);
}

static void test_times_are_known_once_the_work_is_done(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_device(&s, plain_ms, &options);
    for (size_t i = 0; i < 10; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 0); /* and nothing has waited */
    done_ms = 4;
    assert_int_equal(statistics(&s).num_timed, 4);
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 4);
    done_ms = 11;
    call(&s, 1); /* a later call finds them */
    assert_int_equal(statistics(&s).num_timed, 11);
    assert_true(fabs(statistics(&s).timed_ms - 11) < 1e-6);
    close_device(&s);
}

/* Not by the host's time of the call, which is 0 for all variants here. */
static void test_drift_is_the_devices(void **state)
{
    const nitro_monitor_options options = monitoring(1, 0);
    scene s;
    (void)state;
    open_device(&s, plain_ms, &options);
    done_ms = INFINITY;
    for (size_t i = 0; i < 50; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 0);
    s.world.cost_ms[0] = 2;
    for (size_t i = 0; i < 50; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_drifts, 1);
    close_device(&s);
}

static void test_too_many_pending_calls_are_not_timed(void **state)
{
    const nitro_monitor_options options = monitoring(1, 100);
    scene s;
    (void)state;
    open_device(&s, plain_ms, &options);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(call(&s, 1).variant, 0);
    assert_int_equal(statistics(&s).num_timed, 0);
    assert_int_equal(num_events, 2 * 64);
    done_ms = INFINITY;
    assert_int_equal(statistics(&s).num_timed, 64);
    for (size_t i = 0; i < 1000; i++)
        call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 64 + 1000);
    assert_int_equal(num_events, 2 * 64); /* used again */
    close_device(&s);
}

static void test_the_fastest_variant_is_found(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 0.5, 3};
    const nitro_monitor_options options = monitoring(0, 5);
    scene s;
    (void)state;
    open_device(&s, costs_ms, &options);
    for (size_t i = 0; i < 5000; i++) {
        call(&s, 1);
        done_ms = s.world.now_ms - 6; /* the device is a few calls behind */
    }
    assert_true(call(&s, 1).variant == 2);
    assert_true(statistics(&s).num_learnt > 3000);
    assert_true(s.world.made_ms < 0.8 * s.world.base_ms);
    close_device(&s);
}

/* A call that was timed has paid for itself: what was reserved for it is given back once. */
static void test_exploring_stays_within_its_budget(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 9.5, 9.5, 9.5};
    const nitro_monitor_options options = monitoring(0, 2);
    scene s;
    (void)state;
    open_device(&s, costs_ms, &options);
    done_ms = INFINITY;
    for (size_t i = 0; i < 40000; i++) {
        call(&s, ldexp(1 + (double)(i % 8) / 8, (int)(i / 8 % 3)));
        if (s.world.made_ms > 1.02 * s.world.base_ms)
            fail_msg("call %zu: %g ms instead of %g", i, s.world.made_ms, s.world.base_ms);
    }
    assert_true(statistics(&s).num_explorations > 20);
    close_device(&s);
}

/* While a graph is captured, the model's choice alone runs, and nothing is noted. */
static void test_captured_calls_are_neither_timed_nor_adapted(void **state)
{
    static const double costs_ms[NUM_VARIANTS] = {1, 2, 0.5, 3};
    const nitro_monitor_options options = monitoring(1, 100);
    scene s;
    (void)state;
    open_device(&s, costs_ms, &options);
    done_ms = INFINITY;
    for (size_t i = 0; i < 2000; i++)
        call(&s, 1);
    assert_int_equal(call(&s, 1).variant, 2);
    uint64_t before = statistics(&s).num_timed;
    captures = true;
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(call(&s, 1).variant, 0);
    assert_int_equal(statistics(&s).num_timed, before);
    captures = false;
    assert_int_equal(call(&s, 1).variant, 2);
    close_device(&s);
}

static void test_a_device_that_fails_gives_no_times(void **state)
{
    const nitro_monitor_options options = monitoring(1, 100);
    scene s;
    (void)state;
    open_device(&s, plain_ms, &options);
    for (size_t i = 0; i < 10; i++)
        call(&s, 1);
    fails = true;
    assert_int_equal(statistics(&s).num_timed, 0);
    call(&s, 1);
    fails = false;
    done_ms = INFINITY;
    assert_int_equal(statistics(&s).num_timed, 0);
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 1);
    s.world.run_fails = true; /* of the last variant: its place is free again */
    assert_ok(s.context, nitro_computation_force(s.computation, "d"));
    for (size_t i = 0; i < 100; i++) {
        argument a = {.size = 1, .world = &s.world};
        assert_fails(s.context, nitro_run(s.computation, &a, NULL), NITRO_ERR_VARIANT_FAILED, "d");
    }
    s.world.run_fails = false;
    call(&s, 1);
    assert_int_equal(statistics(&s).num_timed, 2);
    close_device(&s);
}

/* Each on a stream of its own. */
static void *call_often(void *state)
{
    scene own = *(scene *)state;
    for (size_t i = 0; i < 2000; i++)
        call(&own, 1 + (double)(i % 3));
    return NULL;
}

static void test_threads_share_the_places(void **state)
{
    const nitro_monitor_options options = monitoring(1, 10);
    pthread_t threads[NUM_THREADS];
    scene s;
    (void)state;
    open_device(&s, plain_ms, &options);
    done_ms = INFINITY;
    for (size_t t = 0; t < NUM_THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, call_often, &s), 0);
    for (size_t t = 0; t < NUM_THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    assert_int_equal(statistics(&s).num_timed, NUM_THREADS * 2000);
    close_device(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_are_known_once_the_work_is_done),
        cmocka_unit_test(test_drift_is_the_devices),
        cmocka_unit_test(test_too_many_pending_calls_are_not_timed),
        cmocka_unit_test(test_the_fastest_variant_is_found),
        cmocka_unit_test(test_exploring_stays_within_its_budget),
        cmocka_unit_test(test_captured_calls_are_neither_timed_nor_adapted),
        cmocka_unit_test(test_a_device_that_fails_gives_no_times),
        cmocka_unit_test(test_threads_share_the_places),
    };
    return cmocka_run_group_tests_name("monitor_device", tests, NULL, NULL);
}
