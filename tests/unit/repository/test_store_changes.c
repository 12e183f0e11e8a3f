/* What every kind of store must do when samples are removed, copied, found one by one, verified. */
#include "unit/repository/store_places.h"

static void test_removing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, put_samples(f, "K20", 0, 3, false));
    assert_ok(f->context, put_samples(f, "K40", 0, 4, false));
    size_t removed = 0;
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed));
    assert_int_equal(removed, 3);
    assert_fails(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed),
                 NITRO_ERR_NOT_FOUND, "no samples of spmv on device 'K20'");
    nitro_string_list ids = {0};
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_int_equal(ids.count, 1);
    assert_string_equal(ids.items[0], "K40");
    nitro_string_list_free(&ids);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
    assert_int_equal(removed, 4);
    assert_ok(f->context, nitro_store_list_computations(f->store, &ids));
    assert_int_equal(ids.count, 0);
    nitro_string_list_free(&ids);
    assert_fails(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed),
                 NITRO_ERR_NOT_FOUND, "no computation 'spmv'");
}

static void test_names_are_added_to_a_list(void **state)
{
    fixture *f = *state;
    nitro_string_list ids = {0};
    put_schema_and_device(f, "sort", "K40");
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 1, false));
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_ok(f->context, nitro_store_list_devices(f->store, "sort", &ids));
    assert_int_equal(ids.count, 1);
    assert_string_equal(ids.items[0], "K20");
    nitro_string_list_free(&ids);
}

static void test_copying_adds_what_is_missing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 30, false));
    char url[128];
    nitro_store *to = NULL;
    nitro_copy_report report = {0};
    make_url(f, "other", url, sizeof(url));
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &to));
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.samples, 30);
    assert_int_equal(report.samples_skipped, 0);
    assert_ok(f->context, put_samples(f, "K20", 30, 5, false));
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.samples, 5);
    assert_int_equal(report.samples_skipped, 30);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_sample(to, "spmv", "K20", records_count_same, &num_read));
    assert_int_equal(num_read, 35);
    nitro_store_close(to);
}

static void test_one_sample_by_its_name(void **state)
{
    fixture *f = *state;
    nitro_sample *read = NULL;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 3, false));
    reopen(f, NITRO_STORE_READ);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-001", &read));
    assert_string_equal(read->input, "input-001");
    assert_true(records_is_sample(f->context, read));
    nitro_sample_free(read);
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-009", &read),
                 NITRO_ERR_NOT_FOUND, "spmv on K20: no sample of input 'input-009'");
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K99", "input-001", &read),
                 NITRO_ERR_NOT_FOUND, "spmv on K99: no sample");
    assert_fails(f->context, nitro_store_get_sample(f->store, "sort", "K20", "input-001", &read),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort'");
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "a\nb", &read),
                 NITRO_ERR_ARGUMENT, "is no valid input name");
}

/* `alone`: no other variant was measured. */
static void put_version(fixture *f, nitro_store *store, const char *input, int64_t time_s,
                        const char *version, bool alone)
{
    nitro_sample *sample = make_sample(f, input);
    const nitro_sample *samples[] = {sample};
    sample->provenance.time_s = time_s;
    free(sample->entries[0].version);
    sample->entries[0].version = strdup(version);
    for (size_t v = 1; v < sample->num_entries && alone; v++) {
        free(sample->entries[v].version);
        free(sample->entries[v].detail);
        sample->entries[v] = (nitro_entry){
            .outcome = NITRO_OUTCOME_MISSING, .median_ms = NAN, .spread = NAN, .prepare_ms = NAN};
    }
    assert_ok(f->context, nitro_store_put_samples(store, "spmv", "K20", samples, 1, true));
    nitro_sample_free(sample);
}

typedef struct tuning {
    fixture *f;
    nitro_store *store;
} tuning;

static void measure_again(void *user, const nitro_outdated *outdated)
{
    const tuning *other = user;
    assert_string_equal(outdated->variant, "csr");
    put_version(other->f, other->store, "again", 300, "2", false);
    put_version(other->f, other->store, "alone again", 300, "2", true);
}

/* Another process measures an input again after its outdated sample was read. */
static void test_what_was_measured_again_is_not_outdated(void **state)
{
    fixture *f = *state;
    nitro_sample *again = NULL, *old = NULL;
    nitro_string_list left = {0};
    tuning other = {.f = f};
    put_schema_and_device(f, "spmv", "K20");
    put_version(f, f->store, "again", 100, "1", false);
    put_version(f, f->store, "alone", 100, "1", true);
    put_version(f, f->store, "alone again", 100, "1", true);
    put_version(f, f->store, "new", 200, "2", false);
    put_version(f, f->store, "old", 100, "1", false);
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &other.store));
    assert_ok(f->context,
              nitro_store_remove_outdated(f->store, "spmv", NULL, false, measure_again, &other));
    nitro_store_close(other.store);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "again", &again));
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "old", &old));
    assert_int_equal(again->provenance.time_s, 300);
    assert_string_equal(again->entries[0].version, "2");
    assert_int_equal(old->entries[0].outcome, NITRO_OUTCOME_MISSING);
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &left));
    assert_int_equal(left.count, 4);
    assert_string_equal(left.items[1], "alone again");
    nitro_string_list_free(&left);
    nitro_sample_free(again);
    nitro_sample_free(old);
}

/* Provenance is read back, absent fields too. */
static void test_provenance_comes_back(void **state)
{
    fixture *f = *state;
    nitro_sample *sample = make_sample(f, "one"), *read = NULL;
    nitro_provenance *made = &sample->provenance;
    const nitro_sample *samples[] = {sample};
    put_schema_and_device(f, "spmv", "K20");
    made->library = strdup("0.1.0");
    made->compiler = strdup("GCC 12.2.0");
    made->host = strdup("node7");
    made->driver = strdup("550.54.15");
    made->toolkit = strdup("CUDA 12.4");
    made->device_digest = strdup("0123456789abcdef");
    made->device_state = strdup("1980 MHz; then 1755 MHz, throttled: power");
    made->cache = strdup("cold");
    assert_ok(f->context, nitro_store_put_samples(f->store, "spmv", "K20", samples, 1, false));
    assert_ok(f->context, put_samples(f, "K20", 0, 1, false));
    reopen(f, NITRO_STORE_READ);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "one", &read));
    assert_string_equal(read->provenance.compiler, "GCC 12.2.0");
    assert_string_equal(read->provenance.driver, "550.54.15");
    assert_string_equal(read->provenance.toolkit, "CUDA 12.4");
    assert_string_equal(read->provenance.device_digest, "0123456789abcdef");
    assert_string_equal(read->provenance.device_state, "1980 MHz; then 1755 MHz, throttled: power");
    assert_string_equal(read->provenance.cache, "cold");
    nitro_sample_free(read);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-000", &read));
    assert_null(read->provenance.driver);
    assert_null(read->provenance.toolkit);
    assert_null(read->provenance.device_digest);
    assert_null(read->provenance.device_state);
    assert_null(read->provenance.cache);
    nitro_sample_free(read);
    nitro_sample_free(sample);
    records_assert_sound(f->store);
}

/* A sample that another process has replaced is not removed. */
static void test_samples_go_as_they_are_known(void **state)
{
    fixture *f = *state;
    nitro_sample *samples[3];
    size_t removed = 99;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 4, false));
    for (size_t i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof(name), "input-%03zu", i == 2 ? 9 : i);
        samples[i] = make_sample(f, name);
    }
    samples[1]->provenance.time_s++;
    assert_ok(f->context,
              nitro_store_remove_samples(f->store, "spmv", "K20",
                                         (const nitro_sample *const *)samples, 3, &removed));
    assert_int_equal(removed, 1);
    assert_int_equal(count_samples(f, "K20"), 3);
    records_assert_sound(f->store);
    for (size_t i = 0; i < 3; i++)
        nitro_sample_free(samples[i]);
}

static void test_a_device_goes_when_nothing_is_of_it(void **state)
{
    fixture *f = *state;
    nitro_device *device = NULL;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, put_samples(f, "K20", 0, 1, false));
    assert_fails(f->context, nitro_store_remove_device(f->store, "K20"), NITRO_ERR_EXISTS,
                 "samples or profiles of device K20");
    assert_ok(f->context, nitro_store_remove_device(f->store, "K40"));
    assert_fails(f->context, nitro_store_get_device(f->store, "K40", &device), NITRO_ERR_NOT_FOUND,
                 "K40");
    assert_fails(f->context, nitro_store_remove_device(f->store, "K40"), NITRO_ERR_NOT_FOUND,
                 "no device 'K40'");
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", NULL));
    assert_ok(f->context, nitro_store_remove_device(f->store, "K20"));
    records_assert_sound(f->store);
}

static void test_the_layout_has_a_version(void **state)
{
    fixture *f = *state;
    int64_t version = 0;
    assert_ok(f->context, nitro_store_layout_version(f->store, &version));
    assert_true(version >= 1);
}

static void test_a_sound_store_verifies(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 20, false));
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    reopen(f, NITRO_STORE_READ);
    records_assert_sound(f->store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_removing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_are_added_to_a_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copying_adds_what_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_sample_by_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_measured_again_is_not_outdated, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_provenance_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_go_as_they_are_known, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_device_goes_when_nothing_is_of_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_layout_has_a_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sound_store_verifies, setup, teardown),
    };
    return RUN_EVERYWHERE(tests);
}
