/* Measuring on a device that a variant breaks, or with too little memory. */
#include <math.h>
#include <signal.h>

#include "unit/measure/device_measuring.h"

static void assert_without_time(const bench *b, size_t index, nitro_outcome outcome,
                                const char *detail)
{
    const nitro_entry *entry = &b->sample->entries[index];
    assert_string_equal(nitro_outcome_name(entry->outcome), nitro_outcome_name(outcome));
    assert_true(isnan(entry->median_ms));
    assert_string_equal(entry->detail ? entry->detail : "", detail);
}

/* csr before it and dia after it are measured whatever the one in the middle does. */
static void measure_among_good_ones(bench *b, action what, unsigned at_call)
{
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 4, .action = what, .at_call = at_call});
    add(b, (script){.name = "dia", .device_ms = 1});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 2, 1);
}

static void test_a_sticky_error_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_LATER, 1);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_int_equal(fake_device.counts->opens, 2); /* the first worker ended */
    assert_int_equal(fake_device.counts->closes, 1);
}

static void test_a_sticky_error_while_timing_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_LATER, 4);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 4 of run: fake: stopping: an illegal memory access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_sticky_error_of_the_reference_costs_one_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .action = FAULT_LATER});
    add(b, (script){.name = "ell", .device_ms = 2});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_measured(b, 1, 2);
    assert_string_equal(b->sample->entries[1].detail,
                        "unchecked: replaces reference csr, which has no result here");
}

static void test_each_of_two_sticky_errors_costs_one_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .action = FAULT_LATER, .at_call = 3});
    add(b, (script){.name = "ell", .device_ms = 2, .action = FAULT_LATER});
    add(b, (script){.name = "dia", .device_ms = 1});
    measure(b);
    assert_without_time(b, 0, NITRO_OUTCOME_FAILED,
                        "in call 3 of run: fake: stopping: an illegal memory access");
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED,
                        "in call 1 of run: fake: stopping: an illegal memory access");
    assert_measured(b, 2, 1);
    assert_int_equal(fake_device.counts->opens, 3);
}

static void test_what_run_returned_is_told_with_the_devices_words(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_AT_LAUNCH, 0);
    assert_without_time(
        b, 1, NITRO_OUTCOME_FAILED,
        "run returned 700 in call 1: the launch failed: fake: stopping: an illegal memory "
        "access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_fault_found_by_the_check_ends_the_worker(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_IN_CHECK, 0);
    assert_without_time(
        b, 1, NITRO_OUTCOME_WRONG_RESULT,
        "the result cannot be copied (after call 1 of run); then fake: asking: an illegal "
        "memory access");
    assert_int_equal(fake_device.counts->opens, 2);
}

static void test_a_device_that_gets_over_it_is_used_on(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, FAULT_ONCE, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "in call 3 of run: fake: the launch timed out");
    assert_int_equal(fake_device.counts->opens, 1);
}

static void test_a_refused_launch_is_no_broken_device(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, REFUSED_LAUNCH, 2);
    assert_without_time(b, 1, NITRO_OUTCOME_FAILED, "run returned 9 in call 2: the launch failed");
    assert_int_equal(fake_device.counts->opens, 1);
    assert_int_equal(fake_device.counts->starts, fake_device.counts->stops);
}

static void test_a_kernel_that_hangs_is_the_variants(void **state)
{
    bench *b = *state;
    b->options.measure.timeout_ms = 100;
    measure_among_good_ones(b, HANG_IN_STOP, 1);
    assert_without_time(b, 1, NITRO_OUTCOME_TIMED_OUT, "took longer than 100 ms in run, call 1");
}

static void test_a_driver_that_crashes_costs_one_entry(void **state)
{
    bench *b = *state;
    measure_among_good_ones(b, CRASH_IN_STOP, 2);
    assert_without_time(b, 1, NITRO_OUTCOME_CRASHED, "SIGSEGV in run, call 2");
}

static void test_a_format_that_does_not_fit_says_so(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 100});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 5000000});
    add(b, (script){.name = "ell", .device_ms = 1, .bytes = 200});
    fake_device.free_bytes = 2000000;
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 2, 1);
    assert_without_time(
        b, 1, NITRO_OUTCOME_OUT_OF_MEMORY,
        "prepare found too little memory, 2.0 MB were free: 5000000 bytes do not fit");
}

/* Each fits by itself: none is said not to. */
static void test_formats_that_do_not_fit_together_are_measured_apart(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 600});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 900});
    add(b, (script){.name = "ell", .device_ms = 1, .bytes = 500});
    add(b, (script){.name = "coo", .device_ms = 4, .bytes = 300});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 1, 2);
    assert_measured(b, 2, 1);
    assert_measured(b, 3, 4);
    assert_int_equal(fake_device.counts->opens, 3); /* csr and coo, dia, ell */
}

static void test_an_input_that_does_not_fit_is_each_variants_entry(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 2});
    input_fails = NITRO_ERR_NO_MEMORY;
    measure(b);
    for (size_t v = 0; v < 2; v++)
        assert_without_time(b, v, NITRO_OUTCOME_OUT_OF_MEMORY,
                            "prepare_input found too little memory: the numbers take 12 GB");
    assert_true(b->sample->features[0] == 12);
    nitro_sample_free(b->sample);
    b->sample = NULL;
    input_fails = 5;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_VARIANT_FAILED,
                 "input 'small': prepare_input returned 5: the numbers take 12 GB");
}

static void test_a_leak_ends_in_an_entry_not_in_a_loop(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3, .bytes = 600, .keeps = true});
    add(b, (script){.name = "dia", .device_ms = 2, .bytes = 900});
    measure(b);
    assert_measured(b, 0, 3);
    assert_without_time(b, 1, NITRO_OUTCOME_OUT_OF_MEMORY,
                        "prepare found too little memory, 0.0 MB were free: 900 bytes do not fit");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_sticky_error_costs_one_entry),
        TEST(test_a_sticky_error_while_timing_costs_one_entry),
        TEST(test_a_sticky_error_of_the_reference_costs_one_entry),
        TEST(test_each_of_two_sticky_errors_costs_one_entry),
        TEST(test_what_run_returned_is_told_with_the_devices_words),
        TEST(test_a_fault_found_by_the_check_ends_the_worker),
        TEST(test_a_device_that_gets_over_it_is_used_on),
        TEST(test_a_refused_launch_is_no_broken_device),
        TEST(test_a_kernel_that_hangs_is_the_variants),
        TEST(test_a_driver_that_crashes_costs_one_entry),
        TEST(test_a_format_that_does_not_fit_says_so),
        TEST(test_formats_that_do_not_fit_together_are_measured_apart),
        TEST(test_an_input_that_does_not_fit_is_each_variants_entry),
        TEST(test_a_leak_ends_in_an_entry_not_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
