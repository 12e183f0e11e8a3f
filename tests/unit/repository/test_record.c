/* Encodings of records: what was encoded decodes to the same, and what was altered is refused. */
#include "nitro/nitro_backend.h"

#include "unit/store_records.h"

typedef struct fixture {
    nitro_context *context;
    nitro_schema *schema;
    nitro_sample *sample;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->schema = records_schema(f->context, "spmv");
    f->sample = records_sample(f->context, "a \"quoted\" \xc3\xa9");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_sample_free(f->sample);
    nitro_schema_free(f->schema);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void test_a_schema_comes_back(void **state)
{
    fixture *f = *state;
    const nitro_relative_feature relative = {.name = "rows_per_core",
                                             .unit = "rows",
                                             .scale = NITRO_SCALE_LOG,
                                             .formula = "rows / device.cuda_cores",
                                             .replaces = "rows"};
    char *text = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    nitro_schema *read = NULL;
    assert_ok(f->context, nitro_schema_add_relative(f->context, f->schema, &relative));
    assert_ok(f->context, nitro_record_encode_schema(f->context, f->schema, &text, &size));
    assert_ok(f->context, nitro_record_decode_schema(f->context, "test", text, size, &read));
    assert_int_equal(read->default_variant, 1);
    assert_int_equal(read->num_relative, 1);
    assert_ok(f->context, nitro_record_encode_schema(f->context, read, &again, &again_size));
    assert_string_equal(text, again);
    nitro_schema_free(read);
    free(text);
    free(again);
}

static void test_a_device_comes_back(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    char *text = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    assert_ok(f->context, nitro_device_set(f->context, device, "tiny", 4.9406564584124654e-324,
                                           NITRO_VALUE_QUERY, 0));
    assert_ok(f->context, nitro_record_encode_device(f->context, device, &text, &size));
    assert_ok(f->context, nitro_record_decode_device(f->context, "test", text, size, &read));
    assert_true(nitro_device_value(read, "tiny") == 4.9406564584124654e-324);
    assert_ok(f->context, nitro_record_encode_device(f->context, read, &again, &again_size));
    assert_string_equal(text, again);
    nitro_device_free(read);
    nitro_device_free(device);
    free(text);
    free(again);
}

static void test_a_sample_comes_back(void **state)
{
    fixture *f = *state;
    char *text = NULL;
    size_t size = 0;
    nitro_sample *read = NULL;
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, "spmv", "K20", f->sample, &text, &size));
    assert_null(strchr(text, '\n'));
    assert_ok(f->context,
              nitro_record_decode_sample(f->context, "test", f->schema, "K20", text, size, &read));
    assert_true(records_is_sample(f->context, read));
    nitro_sample_free(read);
    assert_fails(
        f->context,
        nitro_record_decode_sample(f->context, "test", f->schema, "K40", text, size, &read),
        NITRO_ERR_FORMAT, "of another computation or device");
    free(text);
}

/* The text with `from` replaced once by `to`; static storage. */
static const char *altered(const char *text, const char *from, const char *to)
{
    static char copy[4096];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(copy, sizeof(copy), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}

static void assert_refused(fixture *f, const char *text, nitro_status status, const char *why)
{
    nitro_sample *read = NULL;
    assert_fails(f->context,
                 nitro_record_decode_sample(f->context, "lab.bundle:7", f->schema, "K20", text,
                                            strlen(text), &read),
                 status, why);
    assert_fails(f->context,
                 nitro_record_decode_sample(f->context, "lab.bundle:7", f->schema, "K20", text,
                                            strlen(text), &read),
                 status, "lab.bundle:7: ");
}

static void test_what_was_altered_is_refused(void **state)
{
    fixture *f = *state;
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context,
              nitro_record_encode_sample(f->context, "spmv", "K20", f->sample, &text, &size));
    assert_refused(f, altered(text, ",15,", ",16,"), NITRO_ERR_FORMAT, "checksum");
    assert_refused(f, altered(text, "\"version\":1", "\"version\":2"), NITRO_ERR_NEWER,
                   "version 2");
    assert_refused(f, altered(text, "\"measured\"", "\"guessed\""), NITRO_ERR_FORMAT,
                   "no known outcome");
    assert_refused(f, altered(text, "\"entries\":[[", "\"entries\":[[],["), NITRO_ERR_FORMAT,
                   "other numbers of features or variants");
    assert_refused(f, altered(text, "null]", "1e999]"), NITRO_ERR_FORMAT, "not a sound sample");
    assert_refused(f, altered(text, "\"nitro\":\"sample\"", "\"nitro\":\"device\""),
                   NITRO_ERR_FORMAT, "of another sort");
    assert_refused(f, "", NITRO_ERR_FORMAT, "not a sound sample");
    assert_refused(f, "[]", NITRO_ERR_FORMAT, "not a sound sample");
    assert_refused(f, "{}", NITRO_ERR_FORMAT, "nitro");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_schema_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_device_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sample_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_altered_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
