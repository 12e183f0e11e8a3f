/* Measuring on a device with its own clock and caches: time sources, cache modes, state. */
#include "unit/measure/device_measuring.h"

static void test_the_devices_clock_counts(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "slow", .device_ms = 3});
    add(b, (script){.name = "fast", .device_ms = 2});
    measure(b);
    assert_measured(b, 0, 3);
    assert_measured(b, 1, 2);
    const fake_counts *counts = fake_device.counts;
    assert_int_equal(counts->opens, 1);
    assert_int_equal(counts->closes, 1);
    assert_int_equal(counts->starts, counts->stops);
    assert_int_equal(counts->starts, 2 * (1 + 1 + 1 + 5)); /* tried, warmed up, begun, counted */
    assert_ptr_equal(counts->stream, &a_stream);
    assert_int_equal(counts->flushes, 0);
    assert_null(b->sample->provenance.cache);
}

/* Kernels too short for events are timed several at a time. */
static void test_short_calls_are_timed_in_batches(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .device_ms = 0.001});
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_int_equal(b->sample->entries[0].count, 5);
    assert_true(fake_device.counts->starts < 20);
}

/* The variants take turns, and the cache holds the data of the one before: a turn begins with a
 * call that is not timed. */
static void test_calls_find_their_data_in_the_cache(void **state)
{
    bench *b = *state;
    b->options.measure.min_repetitions = b->options.measure.max_repetitions = 1;
    add(b, (script){.name = "short", .device_ms = 1, .cold_ms = 2});
    add(b, (script){.name = "other", .device_ms = 1.5, .cold_ms = 2});
    measure(b);
    assert_measured(b, 0, 1);
    assert_measured(b, 1, 1.5);
}

static void test_other_time_sources_work_on_a_device_too(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "synchronous", .device_ms = 3});
    declare_as(b, "fake", NITRO_TIME_WALL);
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_measured(b, 0, 0.001);
    assert_int_equal(fake_device.counts->starts, 0);
}

/* An author who says nothing gets the device's clock, and the wall's on the host. */
static void test_the_kind_decides_on_the_clock(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "asynchronous", .device_ms = 3});
    declare_as(b, "fake", NITRO_TIME_OF_KIND);
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_measured(b, 0, 3);
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, "host"));
    nitro_sample_free(b->sample);
    b->sample = NULL;
    int starts = fake_device.counts->starts;
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_measured(b, 0, 0.001);
    assert_int_equal(fake_device.counts->starts, starts);
}

static void test_a_device_without_a_clock_is_refused(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare_as(b, "host", NITRO_TIME_DEVICE);
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_ARGUMENT,
                 "toy: variant csr is timed by the device's clock (NITRO_TIME_DEVICE), "
                 "and devices of kind host have none");
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, "abacus"));
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_NOT_FOUND, "unknown device kind abacus");
}

static void test_a_device_that_cannot_be_opened_is_no_fault_of_the_input(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare(b);
    fake_device.refuses_to_open = true;
    assert_fails(b->context, nitro_measure(b->computation, &plain_input, NULL, &b->sample),
                 NITRO_ERR_IO, "toy: device fake cannot be opened: fake: all devices are busy");
}

static void test_cold_caches_are_flushed_before_each_call(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "short", .device_ms = 0.001});
    b->options.measure.cache = NITRO_CACHE_COLD;
    measure(b);
    assert_measured(b, 0, 0.001);
    assert_int_equal(fake_device.counts->flushes, 1 + 1 + 5); /* no batches */
    assert_ptr_equal(fake_device.counts->flushed, &a_stream);
    assert_string_equal(b->sample->provenance.cache, "cold");
}

static void test_caches_that_cannot_be_flushed_are_not_called_cold(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    declare(b);
    fake_access.flush = NULL;
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_ARGUMENT, "caches of devices of kind fake cannot be flushed here");
    b->options.measure.cache = (nitro_cache)7;
    assert_fails(b->context,
                 nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample),
                 NITRO_ERR_ARGUMENT, "nitro_cache 7");
}

static void test_hosts_have_cold_caches_too(void **state)
{
    bench *b = *state;
    double big = 12;
    const nitro_input input = {"small", load_size, NULL, &big};
    add(b, (script){.name = "csr", .device_ms = 3});
    declare_as(b, "host", NITRO_TIME_WALL);
    fake_device.counts->opens = 1; /* of load_size's */
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_ok(b->context, nitro_measure(b->computation, &input, &b->options.measure, &b->sample));
    assert_int_equal(b->sample->entries[0].outcome, NITRO_OUTCOME_MEASURED);
    assert_string_equal(b->sample->provenance.cache, "cold");
    assert_non_null(strstr(b->sample->provenance.device_state, "load "));
}

static void test_the_state_is_recorded(void **state)
{
    bench *b = *state;
    add(b, (script){.name = "csr", .device_ms = 3});
    measure(b);
    assert_string_equal(b->sample->provenance.device_state, "1980 MHz");
    nitro_sample_free(b->sample);
    b->sample = NULL;
    fake_device.states[1] = "1755 MHz, throttled:\npower";
    assert_ok(b->context,
              nitro_measure(b->computation, &plain_input, &b->options.measure, &b->sample));
    assert_string_equal(b->sample->provenance.device_state,
                        "1980 MHz; then 1755 MHz, throttled: power");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_the_devices_clock_counts),
        TEST(test_short_calls_are_timed_in_batches),
        TEST(test_calls_find_their_data_in_the_cache),
        TEST(test_other_time_sources_work_on_a_device_too),
        TEST(test_the_kind_decides_on_the_clock),
        TEST(test_a_device_without_a_clock_is_refused),
        TEST(test_a_device_that_cannot_be_opened_is_no_fault_of_the_input),
        TEST(test_cold_caches_are_flushed_before_each_call),
        TEST(test_caches_that_cannot_be_flushed_are_not_called_cold),
        TEST(test_hosts_have_cold_caches_too),
        TEST(test_the_state_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
