/* Measuring one input: which timings count. All times are synthetic. */
#include <math.h>
#include <time.h>

#include "unit/measure/scripted_computation.h"

static void test_medians(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "constant", .time_ms = 3});
    /* Check run, warm-up, then 5 counted ones: 7 5 6 1 9, whose faster half is 1 5 6. */
    double jumpy[] = {100, 50, 7, 5, 6, 1, 9, 6, 6, 6, 6};
    add(b, (script){.name = "jumpy", .times_ms = jumpy});
    b->options.max_repetitions = 5;
    measure(b);
    assert_measured(b, 0, 3);
    near(b->sample->entries[0].spread, 0);
    near(b->sample->entries[0].prepare_ms, 0.5);
    assert_measured(b, 1, 5);
    near(b->sample->entries[1].spread, 0.3); /* (5.5 - 3) / 2 / 5, to one digit */
    assert_int_equal(b->sample->entries[1].count, 5);
    assert_null(b->sample->entries[1].detail);
}

/* The first call may pay for new memory, or find what another variant has prepared. Later ones are
 * repeated until two agree or they took a second. */
static void test_preparing(void **state)
{
    bench *b = *state;
    double slow_ms[] = {900, 1000, 1}, fast_ms[] = {2, 1.5, 1, 1.25, 2},
           shared_ms[] = {0.25, 1, 1, 0.5}, noisy_ms[] = {950, 233, 46, 45, 1};
    add(b, (script){.name = "slow", .time_ms = 1, .prepare_times_ms = slow_ms});
    add(b, (script){.name = "fast", .time_ms = 1, .prepare_times_ms = fast_ms});
    add(b, (script){.name = "shared", .time_ms = 1, .prepare_times_ms = shared_ms});
    add(b, (script){.name = "noisy", .time_ms = 1, .prepare_times_ms = noisy_ms});
    measure(b);
    near(b->sample->entries[0].prepare_ms, 1000);
    near(b->sample->entries[1].prepare_ms, 1);
    near(b->sample->entries[2].prepare_ms, 1);
    near(b->sample->entries[3].prepare_ms, 45);
}

static void test_time_source(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "wall", .time_ms = 3, .idle_ms = 2});
    add(b,
        (script){.name = "cpu", .time_ms = 3, .idle_ms = 2, .time_source = NITRO_TIME_THREAD_CPU});
    measure(b);
    assert_measured(b, 0, 5);
    assert_measured(b, 1, 3);
}

/* The reference goes first; then all take turns of several calls, so that drift hits all alike. */
static void test_interleaving(void **state)
{
    bench *b = *state;
    marks = trace_open();
    add(b, (script){.name = "a", .time_ms = 8, .mark = 'a'});
    add(b, (script){.name = "b", .time_ms = 8, .mark = 'b'});
    add(b, (script){.name = "c", .time_ms = 8, .mark = 'c'});
    declare(b);
    assert_ok(b->context, nitro_computation_set_reference(b->computation, "c"));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_string_equal(marks->marks, "cab"          /* first runs, checked */
                                      "abc"          /* a warm-up */
                                      "aaaabbbbcccc" /* a call for the caches, and three in 20 ms */
                                      "aaabbbccc");  /* up to the least number: times are steady */
}

static void test_steady_stop(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "steady", .time_ms = 2});
    add(b, (script){.name = "drifting", .time_ms = 2, .drift_ms = 0.5});
    measure(b);
    assert_int_equal(b->sample->entries[0].count, 5);
    assert_int_equal(b->sample->entries[1].count, 9);
}

static void test_budget_stop(void **state)
{
    bench *b = *state;
    b->options.budget_ms = 100;
    b->options.max_repetitions = 50;
    add(b, (script){.name = "quick", .time_ms = 1, .drift_ms = 0.3}); /* 1 to 16 ms: up to 18 */
    add(b, (script){.name = "middling", .time_ms = 30}); /* over budget, yet min_repetitions */
    add(b, (script){.name = "slow", .time_ms = 100});    /* one run takes it all */
    b->options.steady_spread = 0;
    marks = trace_open();
    b->scripts[2].mark = 's';
    measure(b);
    assert_in_range(b->sample->entries[0].count, 15, 25);
    assert_int_equal(b->sample->entries[1].count, 5);
    assert_int_equal(b->sample->entries[2].count, 1);
    assert_measured(b, 2, 100);
    assert_true(isnan(b->sample->entries[2].spread)); /* of one time */
    assert_string_equal(marks->marks, "ss"); /* the checked run and the counted one: no warm-up */
}

static void test_short_calls_are_batched(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .time_ms = 0.001});
    add(b, (script){.name = "shorter", .time_ms = 0.00001});
    add(b, (script){.name = "long", .time_ms = 1});
    marks = trace_open();
    b->scripts[2].mark = 'l';
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_measured(b, 1, 0.00001);
    assert_measured(b, 2, 1);
    assert_string_equal(marks->marks, "llllllll");
}

static int restored;

static int restore_input(void *argument, void *user)
{
    (void)argument;
    (void)user;
    fake.wall_ms += 1000; /* outside the timed part */
    restored++;
    return 0;
}

static int run_in_place(void *argument, void *user)
{
    (void)argument;
    (void)user;
    if (restored != 1)
        return 5;
    restored = 0;
    fake.wall_ms += 0.001;
    return 0;
}

static void test_restore_before_every_run(void **state)
{
    bench *b = *state;
    b->hooks.restore_input = restore_input;
    declare(b);
    const nitro_variant variant = {.name = "in-place", .run = run_in_place};
    assert_ok(b->context, nitro_computation_add_variant(b->computation, &variant));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_int_equal(b->sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    near(b->sample->entries[0].median_ms, 0.001);
}

static void test_broken_clock(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "good", .time_ms = 3});
    add(b, (script){.name = "standing"});
    add(b, (script){.name = "backwards", .time_ms = 500, .action = TURN_CLOCK_BACK, .at_call = 4});
    measure(b);
    assert_measured(b, 0, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "did not advance");
    assert_without_time(b, 2, NITRO_OUTCOME_FAILED, "-500 ms for call 4");
}

static void test_clock_without_value(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "nan", .time_ms = 1, .action = BREAK_CLOCK, .at_call = 3});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED, "nan ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_medians),
        CASE(test_preparing),
        CASE(test_time_source),
        CASE(test_interleaving),
        CASE(test_steady_stop),
        CASE(test_budget_stop),
        CASE(test_short_calls_are_batched),
        CASE(test_restore_before_every_run),
        CASE(test_broken_clock),
        CASE(test_clock_without_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
