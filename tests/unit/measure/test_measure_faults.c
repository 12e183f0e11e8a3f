/* Measuring failing variants: each only costs its own entry. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "unit/measure/scripted_computation.h"

static void test_not_allowed(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.forbidden = true, .action = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_NOT_ALLOWED, NULL);
}

static void test_failing_prepare(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.on_prepare = RETURN_FAILURE});
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "prepare returned 7");
}

static void test_crashing_prepare(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.on_prepare = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in prepare");
}

static void test_failing_run(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = RETURN_FAILURE, .at_call = 4});
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "run returned 7 in call 4");
}

/* The time until then is kept. */
static void test_breakdown(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = BREAK_DOWN});
    const nitro_entry *entry = &b->sample->entries[1];
    assert_string_equal(nitro_outcome_name(entry->outcome), "breakdown");
    assert_true(entry->median_ms >= 0 && isfinite(entry->median_ms));
    assert_int_equal(entry->count, 0);
    assert_non_null(strstr(entry->detail, "run returned 1002 in call 1"));
}

static void test_wrong_result(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = WRONG_RESULT});
    assert_without_time(b, 1, NITRO_OUTCOME_WRONG_RESULT,
                        "got 41 instead of 42 (after call 1 of run)");
}

/* Right at first and wrong later, as a variant that adds to its result would be. */
static void test_wrong_result_later(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = WRONG_RESULT, .at_call = 8});
    assert_without_time(b, 1, NITRO_OUTCOME_WRONG_RESULT, "after call 8 of run");
}

/* The others are measured on an input that is loaded again. */
static void test_changed_input(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = CHANGE_INPUT});
    assert_without_time(b, 1, NITRO_OUTCOME_WRONG_RESULT, "the input is 43 (after call 1 of run)");
}

static void test_crash(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = CRASH});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 1");
}

static void test_crash_in_third_call(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = CRASH, .at_call = 3});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 3");
}

static void test_abort(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = ABORT, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGABRT in run, call 2");
}

static void test_killed_from_outside(void **state)
{
    bench *b = *state;
    measure_among_good(b, (script){.action = KILL_ITSELF, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED,
                        "SIGKILL (not sent by Nitro: is the system out");
}

static void on_parent_exit(void)
{
    trace_add(marks, '!');
}

/* exit() in a worker runs none of the program's own exit handlers. */
static void test_exit(void **state)
{
    bench *b = *state;
    marks = trace_open();
    atexit(on_parent_exit);
    measure_among_good(b, (script){.action = EXIT, .at_call = 2});
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "ended with exit status 3 in run, call 2");
    assert_string_equal(marks->marks, "");
}

static void test_hang(void **state)
{
    bench *b = *state;
    b->options.timeout_ms = 400;
    measure_among_good(b, (script){.action = HANG, .at_call = 3});
    assert_without_time(b, 1, NITRO_OUTCOME_TIMED_OUT, "took longer than 400 ms in run, call 3");
}

static void test_memory_eater(void **state)
{
    bench *b = *state;
    b->options.memory_limit_bytes = resident_bytes() + ((size_t)100 << 20);
    measure_among_good(b, (script){.action = EAT_MEMORY});
    assert_without_time(b, 1, NITRO_OUTCOME_OUT_OF_MEMORY, "over the limit of");
}

static bool has_children_files(void)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
    return access(path, R_OK) == 0;
}

/* Processes that a variant starts count, also in a session of their own. */
static void test_memory_eating_child(void **state)
{
    bench *b = *state;
    if (!has_children_files()) {
        print_message("SKIPPED: this kernel does not list a process's children\n");
        return;
    }
    b->options.memory_limit_bytes = 2 * resident_bytes() + ((size_t)100 << 20);
    measure_among_good(b, (script){.action = EAT_IN_A_CHILD});
    assert_without_time(b, 1, NITRO_OUTCOME_OUT_OF_MEMORY, "over the limit of");
}

/* What a variant forks goes when its worker goes. */
static void assert_nothing_left_behind(bench *b, action leave)
{
    marks = trace_open();
    measure_among_good(b, (script){.action = leave, .at_call = 1});
    usleep(50000); /* for a signal that is on its way */
    size_t ticks = marks->length;
    usleep(50000);
    assert_int_equal(marks->length, ticks);
}

static void test_processes_left_behind(void **state)
{
    assert_nothing_left_behind(*state, LEAVE_A_CHILD);
    assert_measured(*state, 1, 1);
}

static void test_sessions_left_behind(void **state)
{
    if (!has_children_files())
        return;
    assert_nothing_left_behind(*state, LEAVE_A_SESSION);
    assert_measured(*state, 1, 1);
}

static void test_sessions_left_behind_by_a_crash(void **state)
{
    if (!has_children_files())
        return;
    assert_nothing_left_behind(*state, LEAVE_A_SESSION_AND_CRASH);
    assert_without_time(*state, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 1");
}

/* A variant comes back twice, the second time in a process of its own: only the first counts. */
static void test_variant_that_splits(void **state)
{
    bench *b = *state;
    logged[0] = '\0';
    nitro_context_set_log(b->context, NITRO_LOG_INFO, keep_log, NULL);
    measure_among_good(b, (script){.action = SPLIT, .at_call = 3});
    assert_measured(b, 1, 1);
    assert_string_equal(logged, "");
}

/* Each failing variant costs one entry; the others still get theirs. */
static void test_all_kinds_at_once(void **state)
{
    bench *b = *state;
    b->options.timeout_ms = 400;
    add(b, (script){.name = "crash", .action = CRASH, .at_call = 4});
    add(b, (script){.name = "good", .time_ms = 2});
    add(b, (script){.name = "hang", .time_ms = 1, .action = HANG, .at_call = 2});
    add(b, (script){.name = "exit", .time_ms = 1, .action = EXIT});
    add(b, (script){.name = "wrong", .time_ms = 1, .action = WRONG_RESULT});
    b->scripts[0].time_ms = 1;
    declare(b);
    assert_ok(b->context, nitro_computation_set_reference(b->computation, "good"));
    assert_ok(b->context, nitro_measure(b->computation, &plain_input, &b->options, &b->sample));
    assert_without_time(b, 0, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 4");
    assert_measured(b, 1, 2);
    assert_without_time(b, 2, NITRO_OUTCOME_TIMED_OUT, "in run, call 2");
    assert_without_time(b, 3, NITRO_OUTCOME_CRASHED, "exit status 3");
    assert_without_time(b, 4, NITRO_OUTCOME_WRONG_RESULT, "got 41");
}

/* The reference itself fails: another one stands in, and the entries say so. */
static void test_failing_reference(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "reference", .time_ms = 1, .action = CRASH});
    add(b, (script){.name = "second", .time_ms = 2});
    add(b, (script){.name = "third", .time_ms = 3});
    add(b, (script){.name = "wrong", .time_ms = 3, .action = WRONG_RESULT});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_CRASHED, "SIGSEGV");
    assert_measured(b, 1, 2);
    assert_string_equal(b->sample->entries[1].detail,
                        "unchecked: replaces reference reference, which has no result here");
    assert_measured(b, 2, 3);
    assert_string_equal(b->sample->entries[2].detail,
                        "checked against second, since reference reference has no result here");
    assert_without_time(b, 3, NITRO_OUTCOME_WRONG_RESULT, "got 41");
}

static void test_nothing_works(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "a", .action = CRASH});
    add(b, (script){.name = "b", .forbidden = true});
    add(b, (script){.name = "c", .action = RETURN_FAILURE});
    measure(b);
    assert_int_equal(nitro_sample_best(b->sample), NITRO_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_not_allowed),
        CASE(test_failing_prepare),
        CASE(test_crashing_prepare),
        CASE(test_failing_run),
        CASE(test_breakdown),
        CASE(test_wrong_result),
        CASE(test_wrong_result_later),
        CASE(test_changed_input),
        CASE(test_crash),
        CASE(test_crash_in_third_call),
        CASE(test_abort),
        CASE(test_killed_from_outside),
        CASE(test_exit),
        CASE(test_hang),
        CASE(test_memory_eater),
        CASE(test_memory_eating_child),
        CASE(test_processes_left_behind),
        CASE(test_sessions_left_behind),
        CASE(test_sessions_left_behind_by_a_crash),
        CASE(test_variant_that_splits),
        CASE(test_all_kinds_at_once),
        CASE(test_failing_reference),
        CASE(test_nothing_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
