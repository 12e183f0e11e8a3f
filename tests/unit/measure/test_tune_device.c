/* Tuning a device with its own clock, caches and state. */
#include "unit/measure/device_measuring.h"

static void open_store(bench *b)
{
    b->store = temporary_store(b->context, &b->folder, "store");
}

static void declare_and_open_store(bench *b)
{
    add(b, (script){.name = "csr", .device_ms = 3});
    add(b, (script){.name = "ell", .device_ms = 2});
    declare(b);
    open_store(b);
}

static nitro_status tune(bench *b, const char *device)
{
    return nitro_tune(b->computation, b->store, device, &plain_input, 1, &b->options);
}

static void test_samples_tell_the_state_of_the_device(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_get_sample(b->store, "toy", "fake:one", "small", &b->sample));
    assert_measured(b, 1, 2);
    assert_string_equal(b->sample->provenance.origin, "measured");
    assert_string_equal(b->sample->provenance.device_state, "1980 MHz");
    assert_string_equal(b->sample->provenance.cache, "cold");
}

/* Two machines with a card of one name share a store: their samples do not meet. */
static void test_devices_are_called_after_their_machine(void **state)
{
    bench *b = *state;
    size_t count = 0;
    nitro_string_list ids = {0};
    declare_and_open_store(b);
    setenv("NITRO_MACHINE", "lab2", 1);
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, tune(b, "fake:one@lab2"));
    assert_fails(b->context, tune(b, "fake:one"), NITRO_ERR_NOT_FOUND, "this one is called lab2");
    assert_fails(b->context, tune(b, "fake:one@lab3"), NITRO_ERR_NOT_FOUND, "NITRO_MACHINE");
    assert_ok(b->context, nitro_device_list(b->context, &ids));
    assert_string_equal(ids.items[0], "fake:one@lab2");
    nitro_string_list_free(&ids);
    setenv("NITRO_MACHINE", "a-name-that-is-so-long-that-no-id-holds-it-with-the-devices-own", 1);
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_ARGUMENT, "shorten the machine's name");
    setenv("NITRO_MACHINE", "lab:2", 1);
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_FORMAT, "NITRO_MACHINE");
    unsetenv("NITRO_MACHINE");
    assert_fails(b->context, tune(b, "fake:one@lab2"), NITRO_ERR_NOT_FOUND, "has no name");
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_list_devices(b->store, NULL, &ids));
    assert_int_equal(ids.count, 2);
    nitro_string_list_free(&ids);
    assert_ok(b->context,
              nitro_store_count_samples(b->store, nitro_computation_name(b->computation),
                                        "fake:one@lab2", &count));
    assert_int_equal(count, 1);
}

static void test_a_device_of_another_kind_is_refused(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    assert_fails(b->context, tune(b, "host"), NITRO_ERR_ARGUMENT,
                 "is of kind host, and the variants of this toy run on devices of kind fake");
    assert_ok(b->context, nitro_computation_set_device_kind(b->computation, "host"));
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_ARGUMENT,
                 "device fake:one is of kind fake, and the variants of this toy run on devices of "
                 "kind host");
}

/* Warm and cold samples do not stand side by side unless all are measured again. */
static void test_cold_and_warm_samples_are_kept_apart(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    assert_ok(b->context, tune(b, "fake"));
    b->options.measure.cache = NITRO_CACHE_COLD;
    assert_fails(
        b->context, tune(b, "fake"), NITRO_ERR_MISMATCH,
        "holds 1 sample of toy on fake:one with warm caches, and this tune uses cold ones");
    b->options.again = true;
    assert_ok(b->context, tune(b, "fake"));
    b->options.again = false;
    assert_ok(b->context, tune(b, "fake")); /* nothing to do */
    b->options.measure.cache = NITRO_CACHE_WARM;
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_MISMATCH,
                 "with cold caches, and this tune uses warm");
    const nitro_input other = {"other", load_size, NULL, &input_size};
    b->options.again = true;
    assert_fails(b->context, nitro_tune(b->computation, b->store, "fake", &other, 1, &b->options),
                 NITRO_ERR_MISMATCH,
                 "with cold caches, and this tune uses warm"); /* it would stay beside */
}

static size_t num_told;

static void count_log(void *user, nitro_log_level level, const char *message)
{
    (void)user;
    num_told += level == NITRO_LOG_WARNING && strstr(message, "measured with cold caches");
}

static void test_learning_from_both_is_said(void **state)
{
    bench *b = *state;
    nitro_dataset *dataset = NULL;
    nitro_device *device = NULL;
    declare_and_open_store(b);
    assert_ok(b->context, tune(b, "fake"));
    assert_ok(b->context, nitro_store_get_sample(b->store, "toy", "fake:one", "small", &b->sample));
    b->sample->provenance.cache = strdup("cold");
    assert_ok(b->context, nitro_device_create(b->context, "fake:two", "fake", &device));
    assert_ok(b->context, nitro_store_put_device(b->store, device));
    nitro_device_free(device);
    const nitro_sample *samples[] = {b->sample};
    assert_ok(b->context, nitro_store_put_samples(b->store, "toy", "fake:two", samples, 1, false));
    nitro_context_set_log(b->context, NITRO_LOG_WARNING, count_log, NULL);
    const char *devices[] = {"fake:one", "fake:two"};
    num_told = 0;
    assert_ok(b->context, nitro_dataset_load(b->store, "toy", devices, 1, &dataset));
    nitro_dataset_free(dataset);
    assert_int_equal(num_told, 0);
    assert_ok(b->context, nitro_dataset_load(b->store, "toy", devices, 2, &dataset));
    nitro_dataset_free(dataset);
    assert_int_equal(num_told, 1);
}

/* The tune ends: the inputs are not to blame, and the next ones would fare no better. */
static void test_a_tune_ends_where_the_device_is_gone(void **state)
{
    bench *b = *state;
    declare_and_open_store(b);
    fake_device.refuses_to_open = true;
    assert_fails(b->context, tune(b, "fake"), NITRO_ERR_IO,
                 "device fake:one cannot be opened: fake: all devices are busy");
}

/* As NVIDIA's compute mode "exclusive process": a kept input's worker holds the device. */
static void test_an_exclusive_device_has_one_worker_at_a_time(void **state)
{
    bench *b = *state;
    double sizes[] = {12, 13, 14};
    const nitro_input inputs[] = {{"a", load_size, NULL, &sizes[0]},
                                  {"b", load_size, NULL, &sizes[1]},
                                  {"c", load_size, NULL, &sizes[2]}};
    size_t count = 0;
    declare_and_open_store(b);
    fake_device.is_exclusive = true;
    assert_ok(b->context, nitro_tune(b->computation, b->store, "fake", inputs, 3, &b->options));
    assert_int_equal(fake_device.counts->refusals, 1);
    assert_ok(b->context, nitro_store_count_samples(b->store, "toy", "fake:one", &count));
    assert_int_equal(count, 3);
    assert_ok(b->context, nitro_store_get_sample(b->store, "toy", "fake:one", "b", &b->sample));
    assert_measured(b, 1, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_samples_tell_the_state_of_the_device),
        TEST(test_devices_are_called_after_their_machine),
        TEST(test_a_device_of_another_kind_is_refused),
        TEST(test_cold_and_warm_samples_are_kept_apart),
        TEST(test_learning_from_both_is_said),
        TEST(test_a_tune_ends_where_the_device_is_gone),
        TEST(test_an_exclusive_device_has_one_worker_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
