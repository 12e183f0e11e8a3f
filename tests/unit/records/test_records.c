/* Names, texts, numbers, files, randomness, schemas, devices and samples. */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/unit.h"

static void test_names(void **state)
{
    (void)state;
    assert_true(nitro_name_is_valid("csr_vector-2.0+x"));
    assert_false(nitro_name_is_valid(""));
    assert_false(nitro_name_is_valid(NULL));
    assert_false(nitro_name_is_valid("a/b"));
    assert_false(nitro_name_is_valid("host:cpu"));
    assert_true(nitro_device_id_is_valid("host:cpu@lab"));
    char long_name[65];
    memset(long_name, 'a', 64);
    long_name[64] = '\0';
    assert_false(nitro_name_is_valid(long_name));
    assert_true(nitro_name_is_valid(long_name + 1));
}

static void test_input_names_are_utf8(void **state)
{
    (void)state;
    assert_true(nitro_input_name_is_valid("ACUSIM/Pres_Poisson (2), \"x\""));
    assert_true(nitro_input_name_is_valid("\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80"));
    const char *invalid[] = {"",         "tab\t",    "line\n",           "\x7f",
                             "\xc3",     "\xc0\x80", "\xe0\x80\x80",     "\xed\xa0\x80",
                             "\x80",     "\xc2\x85", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                             "a\xe2\x82"};
    for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
        assert_false(nitro_input_name_is_valid(invalid[i]));
}

static void test_numbers_round_trip(void **state)
{
    (void)state;
    const double values[] = {0.1, 1e308, 5e-324, -0.0, 1.0 / 3, 123456789012345680.0, 0.144633};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char text[32];
        double back;
        nitro_format_number(values[i], text, sizeof(text));
        assert_true(nitro_parse_number(text, &back));
        assert_memory_equal(&back, &values[i], sizeof(back));
    }
    char text[32];
    nitro_format_number(0.144633, text, sizeof(text));
    assert_string_equal(text, "0.144633");
    const char *refused[] = {"", " 1", "1 ", "1,5", "nan", "inf", "1e999", "x", "1.2.3", "0x"};
    double untouched = 42;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        assert_false(nitro_parse_number(refused[i], &untouched));
    assert_true(untouched == 42);
}

static void test_string_lists(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_string_list list = {0};
    assert_ok(context, nitro_string_list_split(context, &list, "delta,alpha,charlie"));
    assert_fails(context, nitro_string_list_split(context, &list, "x,,y"), NITRO_ERR_ARGUMENT,
                 "empty item");
    assert_fails(context, nitro_string_list_split(context, &list, "x,"), NITRO_ERR_ARGUMENT,
                 "empty item");
    assert_int_equal(list.count, 3);
    nitro_string_list_sort(&list);
    assert_string_equal(list.items[0], "alpha");
    assert_int_equal(nitro_string_list_find(&list, "delta"), 2);
    assert_true(nitro_string_list_find(&list, "x") == NITRO_NONE);
    nitro_string_list_free(&list);
    nitro_context_free(context);
}

static void test_arrays_grow(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    size_t *items = NULL, count = 0, capacity = 0;
    while (count < 1000) {
        size_t *grown = nitro_grow(context, items, count, &capacity, sizeof *items, "numbers");
        assert_non_null(grown);
        assert_true(capacity > count && capacity <= 2 * count + 16);
        items = grown;
        items[count] = count;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(items[i], i);
    free(items);
    nitro_context_free(context);
}

static void test_files_are_written_whole(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    char folder[] = "/tmp/nitro-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64], missing[64];
    snprintf(path, sizeof(path), "%s/file", folder);
    snprintf(missing, sizeof(missing), "%s/no/file", folder);
    assert_ok(context, nitro_file_write(context, path, "first", 5));
    assert_ok(context, nitro_file_write(context, path, "se\0ond", 6));
    assert_fails(context, nitro_file_write(context, missing, "x", 1), NITRO_ERR_IO, missing);
    char *text;
    size_t size;
    assert_ok(context, nitro_file_read(context, path, 100, &text, &size));
    assert_int_equal(size, 6);
    assert_memory_equal(text, "se\0ond", 7);
    free(text);
    assert_ok(context, nitro_file_read(context, path, 6, &text, &size));
    free(text);
    assert_fails(context, nitro_file_read(context, path, 5, &text, &size), NITRO_ERR_FORMAT,
                 "limit of 5 bytes");
    assert_fails(context, nitro_file_read(context, missing, 5, &text, &size), NITRO_ERR_NOT_FOUND,
                 "cannot open");
    assert_fails(context, nitro_file_read(context, folder, 5, &text, &size), NITRO_ERR_IO, folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file was left behind */
    nitro_context_free(context);
}

static void test_random_numbers_never_change(void **state)
{
    (void)state;
    nitro_random a, b;
    nitro_random_seed(&a, 1);
    nitro_random_seed(&b, 2);
    assert_true(nitro_random_next(&a) == UINT64_C(0xb3f2af6d0fc710c5));
    assert_true(nitro_random_next(&a) != nitro_random_next(&b));
    double sum = 0, squares = 0;
    for (int i = 0; i < 100000; i++) {
        double drawn = nitro_random_normal(&a);
        sum += drawn;
        squares += drawn * drawn;
        assert_in_range(nitro_random_below(&a, 7), 0, 6);
        double uniform = nitro_random_uniform(&a);
        assert_true(uniform >= 0 && uniform < 1);
    }
    assert_true(fabs(sum / 100000) < 0.02 && fabs(squares / 100000 - 1) < 0.03);
    assert_true(nitro_hash("nitro", 5, 0) == nitro_hash("nitro", 5, 0));
    assert_true(nitro_hash("nitro", 5, 0) != nitro_hash("nitro", 5, 1));
}

static void test_schemas_compare_with_both_sets_printed(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_schema *a, *b;
    assert_ok(context, nitro_schema_create(context, "spmv", &a));
    assert_ok(context, nitro_schema_add_feature(context, a, "rows", "rows", NITRO_SCALE_LOG));
    assert_ok(context, nitro_schema_add_variant(context, a, "csr"));
    assert_ok(context, nitro_schema_copy(context, a, &b));
    assert_ok(context, nitro_schema_require_same(context, a, "the store", b, "this program"));
    assert_ok(context, nitro_schema_add_variant(context, b, "ell"));
    assert_fails(context, nitro_schema_require_same(context, a, "the store", b, "this program"),
                 NITRO_ERR_MISMATCH,
                 "the store has spmv with features (rows) and variants (csr); this program has "
                 "spmv with features (rows) and variants (csr,ell)");
    nitro_schema_free(a);
    nitro_schema_free(b);
    nitro_context_free(context);
}

static void test_devices_have_holes(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device *device, *copy;
    assert_ok(context, nitro_device_create(context, "K20", "recorded", &device));
    assert_ok(context, nitro_device_set(context, device, "peak_gbps", 208, NITRO_VALUE_STATIC, 0));
    assert_ok(context, nitro_device_set(context, device, "sm_count", 13, NITRO_VALUE_QUERY, 0));
    assert_ok(context, nitro_device_set(context, device, "peak_gbps", NAN, NITRO_VALUE_QUERY, 0));
    assert_true(isnan(nitro_device_value(device, "peak_gbps")));
    assert_true(nitro_device_value(device, "sm_count") == 13);
    assert_fails(context, nitro_device_set(context, device, "year", INFINITY, NITRO_VALUE_QUERY, 0),
                 NITRO_ERR_ARGUMENT, "year is infinite");
    assert_ok(context, nitro_device_set_label(context, device, "vendor", "Nvidia"));
    assert_ok(context, nitro_device_set_label(context, device, "vendor", "NVIDIA"));
    assert_ok(context, nitro_device_copy(context, device, &copy));
    nitro_device_free(device);
    assert_string_equal(nitro_device_label(copy, "vendor"), "NVIDIA");
    assert_int_equal(copy->num_labels, 1);
    assert_int_equal(copy->num_features, 1);
    assert_null(nitro_device_label(copy, "model"));
    nitro_device_free(copy);
    assert_fails(context, nitro_device_create(context, "a,b", "recorded", &device),
                 NITRO_ERR_ARGUMENT, "'a,b' is not a valid device id");
    nitro_context_free(context);
}

static void test_best_variant_of_a_sample(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, "input", 1, 3, &sample));
    assert_true(nitro_sample_best(sample) == NITRO_NONE);
    sample->entries[1].outcome = sample->entries[2].outcome = NITRO_OUTCOME_MEASURED;
    sample->entries[0].median_ms = 1;
    sample->entries[1].median_ms = sample->entries[2].median_ms = 5;
    assert_int_equal(nitro_sample_best(sample), 1); /* the tie goes to the first; 0 has no time */
    nitro_sample_free(sample);
    nitro_context_free(context);
}

static void test_costs_of_features_add_up(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_sample *sample;
    assert_ok(context, nitro_sample_create(context, "m", 3, 1, &sample));
    assert_true(isnan(nitro_sample_features_ms(sample)));
    assert_ok(context,
              nitro_sample_set_feature_costs(context, sample, (const double[]){NAN, NAN, NAN}, 3));
    assert_true(isnan(nitro_sample_features_ms(sample)));
    assert_ok(context,
              nitro_sample_set_feature_costs(context, sample, (const double[]){0.5, NAN, 0.25}, 3));
    assert_true(nitro_sample_features_ms(sample) == 0.75);
    sample->features_ms = 0.7; /* of earlier samples */
    assert_true(nitro_sample_features_ms(sample) == 0.7);
    nitro_sample_free(sample);
    nitro_context_free(context);
}

static void test_words_go_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i <= NITRO_OUTCOME_OUT_OF_MEMORY; i++) {
        nitro_outcome outcome;
        assert_true(nitro_outcome_from_name(nitro_outcome_name((nitro_outcome)i), &outcome));
        assert_int_equal(outcome, i);
    }
    nitro_value_source source;
    assert_true(nitro_value_source_from_name("measured", &source));
    assert_int_equal(source, NITRO_VALUE_MEASURED);
    assert_false(nitro_value_source_from_name("guessed", &source));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_input_names_are_utf8),
        cmocka_unit_test(test_numbers_round_trip),
        cmocka_unit_test(test_string_lists),
        cmocka_unit_test(test_arrays_grow),
        cmocka_unit_test(test_files_are_written_whole),
        cmocka_unit_test(test_random_numbers_never_change),
        cmocka_unit_test(test_schemas_compare_with_both_sets_printed),
        cmocka_unit_test(test_devices_have_holes),
        cmocka_unit_test(test_best_variant_of_a_sample),
        cmocka_unit_test(test_costs_of_features_add_up),
        cmocka_unit_test(test_words_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
