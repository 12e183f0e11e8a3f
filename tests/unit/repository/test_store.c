/* What every kind of store must do with schemas, devices and samples: read back what was written,
 * and refuse invalid records. */
#include <math.h>

#include "unit/repository/store_places.h"

static void test_names_come_back(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    nitro_schema *expected = records_schema(f->context, "spmv"), *read = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &read));
    assert_ok(f->context, nitro_schema_require_same(f->context, read, "a", expected, "b"));
    assert_int_equal(read->default_variant, 1);
    assert_int_equal(read->features[0].scale, NITRO_SCALE_LOG);
    assert_string_equal(read->features[0].unit, "rows");
    nitro_schema_free(read);
    nitro_schema_free(expected);
    assert_fails(f->context, nitro_store_get_schema(f->store, "sort", &read), NITRO_ERR_NOT_FOUND,
                 "no computation 'sort' in this store; known: spmv");
}

static void test_devices_come_back(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    nitro_device *read = NULL;
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_string_equal(read->kind, "recorded");
    assert_int_equal(read->num_features, 1);
    assert_true(read->features[0].value == 208.125 && read->features[0].spread == 0.25);
    assert_int_equal(read->features[0].source, NITRO_VALUE_MEASURED);
    assert_string_equal(nitro_device_label(read, "model"), "Tesla \"K20\", \xc3\xa9");
    nitro_device_free(read);
    assert_fails(f->context, nitro_store_get_device(f->store, "K40", &read), NITRO_ERR_NOT_FOUND,
                 "no device 'K40' in this store; known: K20");
}

static void test_samples_come_back_in_byte_order(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    const char *names[] = {"b", "\xc3\xa9", "B", "a,\"x\" y", "aa"};
    nitro_sample *samples[5];
    for (int i = 0; i < 5; i++)
        samples[i] = make_sample(f, names[i]);
    assert_ok(f->context, nitro_store_put_samples(f->store, "spmv", "K20",
                                                  (const nitro_sample *const *)samples, 5, false));
    for (int i = 0; i < 5; i++)
        nitro_sample_free(samples[i]);
    reopen(f, NITRO_STORE_READ);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &num_read));
    assert_int_equal(num_read, 5);
    nitro_string_list inputs = {0};
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &inputs));
    const char *sorted[] = {"B", "a,\"x\" y", "aa", "b", "\xc3\xa9"};
    assert_int_equal(inputs.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(inputs.items[i], sorted[i]);
    nitro_string_list_free(&inputs);
}

static nitro_status stop_at_second(void *user, const nitro_sample *sample)
{
    (void)sample;
    int *count = user;
    return ++*count == 2 ? NITRO_ERR_INTERRUPTED : NITRO_OK;
}

static void test_a_callback_ends_the_loop(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 5, false));
    int count = 0;
    assert_int_equal(nitro_store_each_sample(f->store, "spmv", "K20", stop_at_second, &count),
                     NITRO_ERR_INTERRUPTED);
    assert_int_equal(count, 2);
    assert_ok(f->context, put_samples(f, "K20", 5, 1, false)); /* nothing was left open */
}

static void test_other_names_are_refused_with_both_printed(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_schema *other = records_schema(f->context, "spmv");
    assert_ok(f->context, nitro_schema_add_variant(f->context, other, "dia"));
    assert_fails(f->context, nitro_store_put_schema(f->store, other), NITRO_ERR_MISMATCH,
                 "variants (csr,ell)");
    assert_fails(f->context, nitro_store_put_schema(f->store, other), NITRO_ERR_MISMATCH,
                 "variants (csr,ell,dia)");
    nitro_schema_free(other);
}

static void test_an_open_scale_is_filled_in_and_a_declared_one_kept(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_schema *schema = records_schema(f->context, "spmv"), *read = NULL;
    schema->features[1].scale = NITRO_SCALE_SIGNED_LOG;
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    schema->features[1].scale = NITRO_SCALE_AUTO;
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &read));
    assert_int_equal(read->features[1].scale, NITRO_SCALE_SIGNED_LOG);
    schema->features[1].scale = NITRO_SCALE_LINEAR;
    assert_fails(f->context, nitro_store_put_schema(f->store, schema), NITRO_ERR_MISMATCH,
                 "feature fill is scaled signed-log in the store, but declared linear");
    nitro_schema_free(read);
    nitro_schema_free(schema);
}

static void test_an_input_is_stored_once_or_replaced(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 10, false));
    assert_fails(f->context, put_samples(f, "K20", 8, 5, false), NITRO_ERR_EXISTS,
                 "2 of the 5 inputs exist already (input-008, input-009)");
    assert_int_equal(count_samples(f, "K20"), 10); /* nothing of the batch was written */
    assert_ok(f->context, put_samples(f, "K20", 8, 5, true));
    assert_int_equal(count_samples(f, "K20"), 13);
}

/* One sample after another; the fourth fails, or is the first one again. */
typedef struct failing_source {
    nitro_context *context;
    nitro_sample *sample;
    int next;
    bool repeats;
} failing_source;

static nitro_status next_of_failing(void *user, const nitro_sample **sample)
{
    failing_source *self = user;
    if (self->next == 3 && !self->repeats)
        return nitro_fail(self->context, NITRO_ERR_IO, "the source dries up");
    nitro_sample_free(self->sample);
    self->sample = NULL;
    if (self->next < 4) {
        char input[32];
        snprintf(input, sizeof(input), "stream-%d", self->next++ % 3);
        self->sample = records_sample(self->context, input);
    }
    *sample = self->sample;
    return NITRO_OK;
}

static nitro_status put_failing(fixture *f, bool repeats, bool replace)
{
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_device *device = records_device(f->context, "K40");
    failing_source failing = {.context = f->context, .repeats = repeats};
    const nitro_sample_source source = {next_of_failing, &failing};
    nitro_status status = nitro_store_put_stream(f->store, schema, device, "K40", &source, replace);
    nitro_sample_free(failing.sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    return status;
}

static void test_a_stream_that_fails_leaves_nothing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_fails(f->context, put_failing(f, false, false), NITRO_ERR_IO, "the source dries up");
    assert_int_equal(count_samples(f, "K40"), 0);
}

/* Redis writes what is given twice twice, which ends the same. */
static void test_a_stream_is_written_as_it_comes(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_failing(f, true, true));
    assert_int_equal(count_samples(f, "K40"), 3);
}

/* Schema, device and samples in one call: if one of them is refused, none is written. */
static void test_a_recording_goes_in_whole_or_not_at_all(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    nitro_sample *sample = records_sample(f->context, "input-000");
    const nitro_sample *batch[] = {sample};
    assert_ok(f->context,
              nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, false));
    assert_ok(f->context,
              nitro_device_set(f->context, device, "peak_gbps", 1, NITRO_VALUE_RECORDED, 0));
    schema->default_variant = 0;
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, false),
                 NITRO_ERR_EXISTS, "input-000");
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, NULL, "K40", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no device 'K40'");
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, device, "K40", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "samples of device K40 come with the features of K20");
    nitro_schema_free(schema);
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &schema));
    assert_int_equal(schema->default_variant, 1);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == 208.125);
    assert_ok(f->context,
              nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, true));
    nitro_device_free(read);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == 1);
    nitro_device_free(read);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_sample_free(sample);
}

static void test_unclean_records_are_refused(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_sample *sample = make_sample(f, "input");
    const nitro_sample *batch[] = {sample, sample};
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 2, false),
                 NITRO_ERR_ARGUMENT, "'input' is given twice");
    sample->entries[0].median_ms = -1;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "variant csr is 'measured' without a time above 0");
    sample->entries[0].median_ms = NAN;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "variant csr is 'measured' without a time above 0");
    sample->entries[0].median_ms = 1;
    sample->features[1] = INFINITY;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "feature fill is infinite");
    sample->features[1] = 1;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K40", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no device 'K40'");
    assert_fails(f->context, nitro_store_put_samples(f->store, "sort", "K20", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort'");
    nitro_sample_free(sample);
    assert_int_equal(count_samples(f, "K20"), 0);
}

static void test_a_store_open_for_reading_is_not_written(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    assert_fails(f->context, put_samples(f, "K20", 0, 1, false), NITRO_ERR_ARGUMENT,
                 "open for reading");
    char url[128];
    nitro_store *none = NULL;
    make_url(f, "none", url, sizeof(url));
    assert_fails(f->context, nitro_store_open(f->context, url, (nitro_store_mode)5, &none),
                 NITRO_ERR_ARGUMENT, "with the mode 5: use NITRO_STORE_READ");
    assert_fails(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &none),
                 NITRO_ERR_NOT_FOUND, "no such store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_devices_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_come_back_in_byte_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_callback_ends_the_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_names_are_refused_with_both_printed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_open_scale_is_filled_in_and_a_declared_one_kept,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_input_is_stored_once_or_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_stream_that_fails_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_stream_is_written_as_it_comes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_recording_goes_in_whole_or_not_at_all, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_unclean_records_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_store_open_for_reading_is_not_written, setup,
                                        teardown),
    };
    return RUN_EVERYWHERE(tests);
}
