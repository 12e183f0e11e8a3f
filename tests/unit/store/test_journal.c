/* Journals: writing to a reachable and to an unreachable store; where journals are kept. */
#include "unit/store/journal_fixture.h"

#include <time.h>

static double pauses_ms[32];
static size_t num_pauses;

/* In place of the C library's: no test waits. */
int nanosleep(const struct timespec *pause, struct timespec *rest)
{
    (void)rest;
    assert_in_range(pause->tv_nsec, 0, 999999999);
    assert_true(num_pauses < sizeof(pauses_ms) / sizeof(pauses_ms[0]));
    pauses_ms[num_pauses++] = 1000.0 * (double)pause->tv_sec + (double)pause->tv_nsec / 1e6;
    return 0;
}

static size_t read_all(fixture *f)
{
    size_t count = 0, counted = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "K20", &counted));
    assert_int_equal(count, counted);
    return count;
}

static void test_samples_go_up_at_once(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 3);
    put(f, 3, 1);
    assert_places(f, 4, 0);
    assert_int_equal(read_all(f), 4);
    assert_string_equal(f->log, "");
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
}

static void test_a_store_on_this_machine_has_no_journal(void **state)
{
    fixture *f = *state;
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_open_journaled(f->context, f->remote, &f->store));
    put_names(f);
    put(f, 0, 3);
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
    assert_places(f, 3, 0);
    assert_int_equal(access(f->journal, F_OK), -1);
}

static void test_samples_wait_while_it_is_away(void **state)
{
    fixture *f = *state;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    assert_non_null(strstr(f->log, "connection refused; unsent samples are kept"));
    put_names(f);
    put(f, 0, 3);
    assert_places(f, 0, 3);
    assert_int_equal(read_all(f), 3);
    assert_non_null(strstr(f->log, "cannot be read while it is unreachable"));
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 3, 1);
    assert_non_null(strstr(f->log, "is reachable again"));
    assert_places(f, 4, 0);
    assert_int_equal(read_all(f), 4);
}

/* Describe the device as another process does. */
static void describe_elsewhere(fixture *f, const nitro_device *device)
{
    nitro_store *other = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &other));
    if (device)
        assert_ok(f->context, nitro_store_put_device(other, device));
    else
        assert_ok(f->context, nitro_store_remove_device(other, "K20"));
    nitro_store_close(other);
}

static void assert_bandwidth(fixture *f, double gbps)
{
    nitro_store *remote = NULL;
    nitro_device *read = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_READ, &remote));
    assert_ok(f->context, nitro_store_get_device(remote, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == gbps);
    nitro_device_free(read);
    nitro_store_close(remote);
}

static void set_bandwidth(fixture *f, nitro_device *device, double gbps)
{
    assert_ok(f->context,
              nitro_device_set(f->context, device, "peak_gbps", gbps, NITRO_VALUE_STATIC, 0));
}

/* The device's newest description is not lost either, and goes up once. */
static void test_a_device_waits_too(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20");
    open_store(f);
    put_names(f);
    put(f, 0, 1);
    faulty->mode = FAULTY_AWAY;
    set_bandwidth(f, device, 300);
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    put(f, 1, 1);
    assert_bandwidth(f, 300);
    set_bandwidth(f, device, 400);
    describe_elsewhere(f, device);
    put(f, 2, 1);
    assert_bandwidth(f, 400);
    assert_places(f, 3, 0);
    nitro_device_free(device);
}

/* A device that was removed there comes back with the next sample. */
static void test_a_device_that_is_removed_there_is_described_again(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20");
    set_bandwidth(f, device, 300);
    open_store(f);
    put_names(f);
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    describe_elsewhere(f, NULL);
    put(f, 0, 1);
    assert_bandwidth(f, 300);
    assert_places(f, 1, 0);
    nitro_device_free(device);
}

static void assert_names(nitro_string_list *names, const char *first, const char *second)
{
    assert_int_equal(names->count, second ? 2 : 1);
    assert_string_equal(names->items[0], first);
    if (second)
        assert_string_equal(names->items[1], second);
    nitro_string_list_free(names);
}

/* What is only there, and what is only here, is listed once each and found. */
static void test_both_places_are_read(void **state)
{
    fixture *f = *state;
    nitro_store *remote = NULL;
    nitro_string_list names = {0};
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    nitro_schema *schema = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_WRITE, &remote));
    records_put_names(remote, "sort", "K40");
    assert_ok(f->context, records_put_samples(remote, "sort", "K40", 0, 2, true));
    nitro_store_close(remote);
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    put(f, 0, 1);
    assert_ok(f->context, nitro_store_list_computations(f->store, &names));
    assert_names(&names, "spmv", NULL);
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &names));
    assert_names(&names, "K20", NULL);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &device));
    nitro_device_free(device);
    assert_int_equal(nitro_store_get_device(f->store, "K40", &device), NITRO_ERR_NOT_FOUND);
    assert_int_equal(nitro_store_get_sample(f->store, "spmv", "K20", "input-009", &sample),
                     NITRO_ERR_NOT_FOUND);
    faulty->mode = FAULTY_WELL;
    clock_ms += 1000;
    assert_ok(f->context, nitro_store_list_computations(f->store, &names));
    assert_names(&names, "sort", "spmv");
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &names));
    assert_names(&names, "K20", "K40");
    assert_ok(f->context, nitro_store_list_devices(f->store, "sort", &names));
    assert_names(&names, "K40", NULL);
    assert_ok(f->context, nitro_store_list_inputs(f->store, "sort", "K40", &names));
    assert_names(&names, "input-000", "input-001");
    assert_ok(f->context, nitro_store_get_device(f->store, "K40", &device));
    nitro_device_free(device);
    assert_ok(f->context, nitro_store_get_schema(f->store, "sort", &schema));
    nitro_schema_free(schema);
    assert_ok(f->context, nitro_store_get_sample(f->store, "sort", "K40", "input-001", &sample));
    nitro_sample_free(sample);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-000", &sample));
    nitro_sample_free(sample);
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "sort", "K40", records_count_same, &count));
    assert_int_equal(count, 2);
    faulty->mode = FAULTY_DENIES; /* an error, and no reason to show only what is here */
    assert_int_equal(nitro_store_list_computations(f->store, &names), NITRO_ERR_DENIED);
    assert_int_equal(nitro_store_list_devices(f->store, NULL, &names), NITRO_ERR_DENIED);
    faulty->mode = FAULTY_AWAY; /* lost in the middle of a call: as if it had been away before */
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &names));
    assert_names(&names, "K20", NULL);
}

/* The journal has no limit of its own. */
static void test_many_samples_wait(void **state)
{
    fixture *f = *state;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    for (size_t i = 0; i < 9; i++)
        put(f, 50 * i, 50);
    assert_int_equal(read_all(f), 450);
    faulty->mode = FAULTY_WELL; /* they go up in batches of 200 */
    size_t unsent = 0;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &unsent));
    assert_int_equal(unsent, 0);
    assert_places(f, 450, 0);
}

/* A whole recording waits, and goes up, like a tune's samples. */
static void test_a_recording_waits(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_device *device = records_device(f->context, "K20");
    nitro_sample *samples[3];
    for (size_t i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "input-%03zu", i);
        samples[i] = records_sample(f->context, name);
    }
    for (size_t round = 0; round < 2; round++) {
        nitro_sample_array array = {(const nitro_sample *const *)samples + round, 2, 0};
        const nitro_sample_source source = {nitro_sample_array_next, &array};
        faulty->mode = round == 0 ? FAULTY_AWAY : FAULTY_WELL;
        clock_ms += 1000;
        if (round == 0)
            open_store(f);
        assert_fails(f->context,
                     nitro_store_put_stream(f->store, schema, device, "K20", &source, false),
                     NITRO_ERR_ARGUMENT, "with `replace`");
        array.next = 0;
        assert_ok(f->context,
                  nitro_store_put_stream(f->store, schema, device, "K20", &source, true));
        assert_places(f, round == 0 ? 0 : 3, round == 0 ? 2 : 0);
    }
    nitro_sample_array last = {(const nitro_sample *const *)samples, 1, 0};
    const nitro_sample_source source = {nitro_sample_array_next, &last};
    assert_ok(f->context, nitro_store_put_stream(f->store, schema, NULL, "K20", &source, true));
    assert_places(f, 3, 0);
    for (size_t i = 0; i < 3; i++)
        nitro_sample_free(samples[i]);
    nitro_device_free(device);
    nitro_schema_free(schema);
}

/* Is the remote store asked when a sample is put at this moment? */
static bool asks_now(fixture *f, size_t input)
{
    size_t calls = faulty->num_calls;
    put(f, input, 1);
    return faulty->num_calls > calls;
}

/* Retried after one second, then two, at most a minute; at once after a success. */
static void test_it_is_asked_ever_more_seldom(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    for (size_t round = 0; round < 2; round++) {
        double pause_ms = 1000;
        faulty->mode = FAULTY_AWAY;
        assert_true(asks_now(f, 0));
        for (size_t i = 0; i < 10; i++) {
            assert_false(asks_now(f, 1));
            clock_ms += pause_ms - 1;
            assert_false(asks_now(f, 2));
            clock_ms += 1;
            assert_true(asks_now(f, 3));
            pause_ms = fmin(2 * pause_ms, 60000);
        }
        faulty->mode = FAULTY_WELL;
        clock_ms += 60000;
        put(f, 4, 1);
        assert_places(f, 5, 0);
    }
}

/* Sending takes at most a tenth of the time. */
static void test_a_slow_store_is_asked_more_seldom(void **state)
{
    fixture *f = *state;
    call_ms = 10;
    open_store(f);
    put_names(f);
    size_t calls = faulty->num_calls;
    put(f, 0, 1);
    double took_ms = call_ms * (double)(faulty->num_calls - calls);
    clock_ms += 9 * took_ms - 1;
    assert_false(asks_now(f, 1));
    clock_ms += 1;
    assert_true(asks_now(f, 2));
    assert_places(f, 3, 0);
}

/* Others write and remove the input again and again: it is compared eight times. */
static void test_an_input_that_others_change_is_left_in_the_end(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    faulty->num_exist = 1 + 7; /* the batch, and all of its sample's writes but the last */
    put(f, 0, 1);
    assert_places(f, 1, 0);
    faulty->num_exist = 1 + 8;
    assert_int_equal(records_put_samples(f->store, "spmv", "K20", 1, 1, true), NITRO_ERR_EXISTS);
    assert_int_equal(faulty->num_exist, 0);
    assert_places(f, 1, 1);
    put(f, 2, 1);
    assert_places(f, 3, 0);
}

static void test_a_store_that_takes_no_writes_is_still_read(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 1, 2); /* one is there already, as it is */
    assert_places(f, 2, 2);
    clock_ms += 5000;
    assert_int_equal(read_all(f), 3);
    faulty->mode = FAULTY_WELL;
    clock_ms += 60000;
    size_t waiting = 9;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &waiting));
    assert_int_equal(waiting, 0);
    assert_places(f, 3, 0);
}

/* The write succeeded and its reply was lost: it is sent again, and stored once. */
static void test_a_lost_answer_makes_no_second_sample(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    faulty->mode = FAULTY_LOSES_REPLY;
    put(f, 0, 3);
    assert_places(f, 3, 3);
    faulty->mode = FAULTY_WELL;
    size_t unsent = 9, writes = faulty->num_writes;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &unsent));
    assert_int_equal(unsent, 0);
    assert_int_equal(faulty->num_writes, writes + 1); /* of all; then each is found there */
    put(f, 3, 1);
    assert_places(f, 4, 0);
}

/* Measure all inputs of the journal anew, as a tuner with the same journal. */
static void measure_anew(void *user, const char *input)
{
    fixture *f = user;
    nitro_store *journal = NULL;
    (void)input;
    assert_ok(f->context, nitro_store_open(f->context, f->journal, NITRO_STORE_WRITE, &journal));
    for (size_t i = 0; i < 250; i++) {
        char name[16];
        snprintf(name, sizeof(name), "input-%03zu", i);
        nitro_sample *sample = records_sample(f->context, name);
        sample->provenance.time_s += 1000;
        assert_ok(f->context,
                  nitro_store_put_samples(journal, "spmv", "K20",
                                          (const nitro_sample *const *)&sample, 1, true));
        nitro_sample_free(sample);
    }
    nitro_store_close(journal);
}

/* What another process replaces in the journal while it is sent is left to that process. */
static void test_samples_replaced_while_they_are_sent_stay(void **state)
{
    fixture *f = *state;
    size_t unsent = 0;
    open_store(f);
    put_names(f);
    faulty->mode = FAULTY_AWAY;
    for (size_t i = 0; i < 250; i += 50)
        put(f, i, 50);
    faulty->mode = FAULTY_WELL;
    faulty->num_exist = 1;
    faulty_after_look = measure_anew;
    faulty_user = f;
    assert_ok(f->context, nitro_store_flush(f->store, 0, &unsent));
    assert_int_equal(unsent, 250);
    assert_ok(f->context, nitro_store_flush(f->store, 0, &unsent));
    assert_int_equal(unsent, 0);
}

/* Connection lost in a loop over its samples: unsent ones are still passed on. */
static void test_it_goes_away_while_it_is_read(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 20);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 30, 5);
    faulty->mode = FAULTY_WELL;
    clock_ms += 5000;
    faulty->away_after = faulty->num_calls + 8;
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    assert_true(count >= 5 && count < 25);
    assert_non_null(strstr(f->log, "cannot be read while it is unreachable"));
}

static nitro_status stop_at_once(void *user, const nitro_sample *sample)
{
    (void)user;
    (void)sample;
    return NITRO_ERR_IO;
}

/* A callback's failure is not taken for the store's. */
static void test_a_callback_that_fails_ends_the_loop(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 3);
    assert_int_equal(nitro_store_each_sample(f->store, "spmv", "K20", stop_at_once, NULL),
                     NITRO_ERR_IO);
    assert_string_equal(f->log, "");
}

static void test_what_waits_stands_in_order(void **state)
{
    fixture *f = *state;
    nitro_string_list inputs = {0};
    open_store(f);
    put_names(f);
    put(f, 2, 2);
    put(f, 6, 2);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 0, 3);
    put(f, 7, 3);
    clock_ms += 60000;
    assert_int_equal(read_all(f), 8);
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &inputs));
    for (size_t i = 1; i < inputs.count; i++)
        assert_true(strcmp(inputs.items[i - 1], inputs.items[i]) < 0);
    nitro_string_list_free(&inputs);
}

/* Profiles, repairs and removals need the remote store: nothing of them is kept here. */
static nitro_status try_each(fixture *f, size_t operation)
{
    nitro_store *store = f->store;
    nitro_profile *profile = NULL;
    nitro_sample *sample = NULL;
    size_t count = 9;
    int64_t version = 0;
    uint64_t bytes = 0;
    nitro_status status = NITRO_OK;
    switch (operation) {
    case 0:
        profile = records_profile(f->context, "input-000", NAN, "rows");
        status =
            nitro_store_put_profiles(store, "K20", (const nitro_profile *const *)&profile, 1, true);
        nitro_profile_free(profile);
        break;
    case 1:
        count = 0;
        status = nitro_store_each_profile(store, "K20", "spmv", records_count_same_profile, &count);
        assert_int_equal(count, status == NITRO_OK);
        break;
    case 2:
        status = nitro_store_count_profiles(store, "K20", "spmv", &count);
        assert_int_equal(count, status == NITRO_OK ? 1 : 9);
        break;
    case 3:
        status = nitro_store_remove_profiles(store, "K20", "spmv", &count);
        assert_int_equal(count, status == NITRO_OK ? 1 : 9);
        break;
    case 4:
        sample = records_sample(f->context, "input-000");
        status = nitro_store_remove_samples(store, "spmv", "K20",
                                            (const nitro_sample *const *)&sample, 1, &count);
        assert_int_equal(count, status == NITRO_OK ? 1 : 9);
        nitro_sample_free(sample);
        break;
    case 5:
        status = nitro_store_verify(store, NULL, NULL);
        break;
    case 6:
        status = nitro_store_remove_damaged(store, false, NULL, NULL);
        break;
    case 7:
        status = nitro_store_layout_version(store, &version);
        assert_int_equal(version, status == NITRO_OK ? NITRO_STORE_VERSION : 0);
        break;
    case 8:
        status = nitro_store_size_bytes(store, &bytes);
        assert_int_equal(bytes > 0, status == NITRO_OK);
        break;
    case 9:
        status = nitro_store_remove(store, "spmv", "K20", &count);
        assert_int_equal(count, status == NITRO_OK ? 2 : 9);
        break;
    default:
        status = nitro_store_remove_device(store, "K20");
    }
    return status;
}

static void test_what_needs_the_remote_store(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 3);
    for (size_t operation = 0; operation < 11; operation++) {
        faulty->mode = FAULTY_AWAY;
        nitro_store_close(f->store);
        open_store(f);
        assert_fails(f->context, try_each(f, operation), NITRO_ERR_IO, "connection refused");
        faulty->mode = FAULTY_WELL;
        clock_ms += 60000;
        assert_ok(f->context, try_each(f, operation));
    }
    nitro_store *remote = NULL;
    nitro_device *device = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->remote, NITRO_STORE_READ, &remote));
    assert_fails(f->context, nitro_store_get_device(remote, "K20", &device), NITRO_ERR_NOT_FOUND,
                 "K20");
    nitro_store_close(remote);
}

/* Unsent samples of what is removed do not come back. */
static void test_what_is_removed_waits_no_longer(void **state)
{
    fixture *f = *state;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_READ_ONLY;
    put(f, 2, 3);
    faulty->mode = FAULTY_WELL;
    clock_ms += 60000;
    size_t removed = 0;
    nitro_sample *sample = records_sample(f->context, "input-004"); /* it waits */
    assert_ok(f->context,
              nitro_store_remove_samples(f->store, "spmv", "K20",
                                         (const nitro_sample *const *)&sample, 1, &removed));
    nitro_sample_free(sample);
    assert_int_equal(removed, 1);
    assert_places(f, 2, 2);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed));
    assert_int_equal(removed, 2);
    assert_places(f, 0, 0);
}

/* While the remote store is away every input may be measured: twice is harmless. */
static void test_claims_are_the_remote_stores(void **state)
{
    fixture *f = *state;
    bool first = false, second = true;
    open_store(f);
    put_names(f);
    put(f, 0, 1);
    faulty_claimed_elsewhere = "input-001";
    assert_ok(f->context,
              nitro_store_claim(f->store, "spmv", "K20", "input-000", "me", 1000, &first));
    assert_ok(f->context,
              nitro_store_claim(f->store, "spmv", "K20", "input-001", "me", 1000, &second));
    faulty_claimed_elsewhere = NULL;
    assert_true(first && !second);
    faulty->mode = FAULTY_AWAY;
    assert_ok(f->context,
              nitro_store_claim(f->store, "spmv", "K20", "input-001", "me", 1000, &second));
    assert_true(second);
    second = false; /* it is known to be away */
    assert_ok(f->context,
              nitro_store_claim(f->store, "spmv", "K20", "input-001", "me", 1000, &second));
    assert_true(second);
    faulty->mode = FAULTY_DENIES;
    clock_ms += 60000;
    assert_ok(f->context,
              nitro_store_claim(f->store, "spmv", "K20", "input-001", "me", 1000, &second));
    assert_true(second);
}

/* The pauses of flushing a store that stays away. */
static void assert_pauses(fixture *f, double patience_ms, const double *expected_ms, size_t count)
{
    size_t unsent = 0, calls = faulty->num_calls;
    num_pauses = 0;
    assert_ok(f->context, nitro_store_flush(f->store, patience_ms, &unsent));
    assert_int_equal(unsent, 2);
    assert_int_equal(faulty->num_calls, calls + 1 + count);
    assert_int_equal(num_pauses, count);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(pauses_ms[i] - expected_ms[i]) < 1e-3);
}

/* Patience is counted in pauses; the clock stands still. */
static void test_flushing_has_patience(void **state)
{
    fixture *f = *state;
    size_t unsent = 0;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    assert_pauses(f, 0, NULL, 0);
    assert_pauses(f, 1, (const double[]){1}, 1);
    assert_pauses(f, 100, (const double[]){100}, 1);
    assert_pauses(f, 250, (const double[]){100, 150}, 2);
    assert_pauses(f, 20000, (const double[]){100, 200, 400, 800, 1600, 3200, 5000, 5000, 3700}, 9);
    faulty->mode = FAULTY_WELL;
    num_pauses = 0;
    assert_ok(f->context, nitro_store_flush(f->store, 100000, &unsent));
    assert_int_equal(unsent, 0);
    assert_int_equal(num_pauses, 0);
    assert_places(f, 2, 0);
}

/* The last failure is told, not the first. */
static void test_a_store_that_is_back_but_denies(void **state)
{
    fixture *f = *state;
    size_t unsent = 0;
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    faulty->mode = FAULTY_DENIES;
    assert_fails(f->context, nitro_store_flush(f->store, 0, &unsent), NITRO_ERR_DENIED,
                 "WRONGPASS; unsent samples are kept in");
    assert_places(f, 0, 2);
}

static void test_a_journal_is_found_by_its_url(void **state)
{
    fixture *f = *state;
    char *path = NULL, *again = NULL, *other = NULL, *note = NULL, *text = NULL, *url;
    size_t size = 0;
    nitro_string_list urls = {0};
    setenv("XDG_DATA_HOME", f->folder.folder, 1);
    assert_ok(f->context, nitro_store_list_unsent(f->context, &urls));
    assert_int_equal(urls.count, 0);
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/0", true, &path));
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/0", false, &again));
    assert_ok(f->context, nitro_journal_path(f->context, "redis://host:6379/1", true, &other));
    assert_string_equal(path, again);
    assert_string_not_equal(path, other);
    assert_non_null(strstr(path, "/nitro/journals/redis-host-6379-0-"));
    free(path);
    url = nitro_journal_url(f->context, &faulty_kind, f->remote);
    assert_ok(f->context, nitro_journal_path(f->context, url, true, &path));
    assert_int_equal(asprintf(&note, "%.*s.url", (int)strlen(path) - 3, path), strlen(path) + 1);
    snprintf(f->journal, sizeof(f->journal), "%s", path);
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    assert_int_equal(access(path, F_OK), -1); /* nothing to keep so far */
    assert_int_equal(access(note, F_OK), -1);
    put_names(f);
    put(f, 0, 2);
    assert_ok(f->context, nitro_file_read(f->context, note, 4096, &text, &size));
    assert_int_equal(strcspn(text, "\n"), strlen(url));
    assert_ok(f->context, nitro_store_list_unsent(f->context, &urls));
    assert_int_equal(urls.count, 1);
    assert_string_equal(urls.items[0], url);
    nitro_string_list_free(&urls);
    assert_ok(f->context, nitro_file_write(f->context, note, "redis://other/0\n", 16));
    assert_fails(f->context, nitro_store_list_unsent(f->context, &urls), NITRO_ERR_FORMAT,
                 "altered: its URL is not that of the journal");
    url[strlen(url) - 1] ^= 1; /* of the same length */
    assert_ok(f->context, nitro_file_write(f->context, note, url, strlen(url)));
    assert_fails(f->context, nitro_store_list_unsent(f->context, &urls), NITRO_ERR_FORMAT,
                 "altered: its URL is not that of the journal");
    nitro_string_list_free(&urls);
    temporary_write(&f->folder, "file", "no folder");
    setenv("XDG_DATA_HOME", temporary_path(&f->folder, "file"), 1);
    assert_fails(f->context, nitro_store_list_unsent(f->context, &urls), NITRO_ERR_IO,
                 "cannot list it");
    free(path);
    free(again);
    free(other);
    free(note);
    free(text);
    free(url);
    unsetenv("XDG_DATA_HOME");
}

/* Another store's journal, and the note beside it. */
static void write_journal(fixture *f, int database, const char *text)
{
    char url[64], *path = NULL;
    snprintf(url, sizeof url, "redis://host:6379/%d", database);
    assert_ok(f->context, nitro_journal_path(f->context, url, true, &path));
    assert_ok(f->context, nitro_journal_note(f->context, path, url));
    assert_ok(f->context, nitro_file_write(f->context, path, text, strlen(text)));
    free(path);
}

static void keep_message(void *user, nitro_log_level level, const char *message)
{
    (void)level;
    records_keep_problem(user, message);
}

static void test_a_damaged_journal_keeps_no_other_back(void **state)
{
    fixture *f = *state;
    char *path = NULL, last[2048];
    nitro_string_list said = {0};
    nitro_string_list urls = {0};
    setenv("XDG_DATA_HOME", f->folder.folder, 1);
    char *url = nitro_journal_url(f->context, &faulty_kind, f->remote);
    assert_ok(f->context, nitro_journal_path(f->context, url, true, &path));
    snprintf(f->journal, sizeof(f->journal), "%s", path);
    faulty->mode = FAULTY_AWAY;
    open_store(f);
    put_names(f);
    put(f, 0, 2);
    for (int i = 0; i < 4; i++)
        write_journal(f, i, ""); /* the disk was full */
    assert_ok(f->context, nitro_store_list_unsent(f->context, &urls));
    assert_int_equal(urls.count, 1);
    nitro_string_list_free(&urls);
    for (int i = 0; i < 4; i++)
        write_journal(f, i, "cut");
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_message, &said);
    assert_fails(f->context, nitro_store_list_unsent(f->context, &urls), NITRO_ERR_FORMAT,
                 "/nitro/journals/redis-host-6379-");
    nitro_context_last_error(f->context, last, sizeof last);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
    records_keep_problem(&said, last);
    for (int i = 0; i < 4; i++) { /* each is named once */
        size_t times = 0;
        snprintf(last, sizeof last, "/nitro/journals/redis-host-6379-%d", i);
        for (size_t k = 0; k < said.count; k++)
            times += strstr(said.items[k], last) != NULL;
        assert_int_equal(times, 1);
    }
    nitro_string_list_free(&said);
    assert_int_equal(urls.count, 1);
    assert_string_equal(urls.items[0], url);
    nitro_string_list_free(&urls);
    unsetenv("XDG_DATA_HOME");
    free(path);
    free(url);
}

static void test_journals_know_no_passwords(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *address, *shown;
    } cases[] = {
        {"//user:secret@host:1/0", "faulty://host:1/0"},
        {"//:se@cret@host/0", "faulty://host/0"},
        {"//host/0", "faulty://host/0"},
        {"///path/x", "faulty:///path/x"},
        {"file", "faulty:file"},
        {"//host/0?timeout=1", "faulty://host/0"},
        {"//host/0?timeout=1&prefix=a", "faulty://host/0?prefix=a"},
        {"//host/0?prefix=a&ca=x&database=3&key=y", "faulty://host/0?prefix=a&database=3"},
        {"//u:p@host/0?", "faulty://host/0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *shown = nitro_journal_url(f->context, &faulty_kind, cases[i].address);
        assert_string_equal(shown, cases[i].shown);
        free(shown);
    }
}

int main(void)
{
#define JOURNAL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        JOURNAL_TEST(test_samples_go_up_at_once),
        JOURNAL_TEST(test_a_store_on_this_machine_has_no_journal),
        JOURNAL_TEST(test_samples_wait_while_it_is_away),
        JOURNAL_TEST(test_a_device_waits_too),
        JOURNAL_TEST(test_a_device_that_is_removed_there_is_described_again),
        JOURNAL_TEST(test_both_places_are_read),
        JOURNAL_TEST(test_many_samples_wait),
        JOURNAL_TEST(test_a_recording_waits),
        JOURNAL_TEST(test_it_is_asked_ever_more_seldom),
        JOURNAL_TEST(test_a_slow_store_is_asked_more_seldom),
        JOURNAL_TEST(test_an_input_that_others_change_is_left_in_the_end),
        JOURNAL_TEST(test_a_store_that_takes_no_writes_is_still_read),
        JOURNAL_TEST(test_a_lost_answer_makes_no_second_sample),
        JOURNAL_TEST(test_samples_replaced_while_they_are_sent_stay),
        JOURNAL_TEST(test_it_goes_away_while_it_is_read),
        JOURNAL_TEST(test_a_callback_that_fails_ends_the_loop),
        JOURNAL_TEST(test_what_waits_stands_in_order),
        JOURNAL_TEST(test_what_needs_the_remote_store),
        JOURNAL_TEST(test_what_is_removed_waits_no_longer),
        JOURNAL_TEST(test_claims_are_the_remote_stores),
        JOURNAL_TEST(test_flushing_has_patience),
        JOURNAL_TEST(test_a_store_that_is_back_but_denies),
        JOURNAL_TEST(test_a_journal_is_found_by_its_url),
        JOURNAL_TEST(test_a_damaged_journal_keeps_no_other_back),
        JOURNAL_TEST(test_journals_know_no_passwords),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
