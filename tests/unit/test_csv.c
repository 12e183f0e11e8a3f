/* CSV tables, and devices read from them. */
#include <math.h>

#include "unit/temporary.h"

static nitro_status parse(nitro_context *context, const char *text, nitro_csv **csv)
{
    return nitro_csv_parse(context, "t.csv", text, strlen(text), csv);
}

static void test_quotes_line_ends_and_byte_order_mark(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_csv *csv = NULL;
    assert_ok(context, parse(context,
                             "\xEF\xBB\xBF"
                             "name,\"a \"\"b\"\"\",c\r\n"
                             "\"x, y\",,\"two\nlines\"\r\n"
                             "\n"
                             "  ,\"\",3",
                             &csv));
    assert_int_equal(nitro_csv_num_columns(csv), 3);
    assert_int_equal(nitro_csv_num_rows(csv), 2);
    assert_string_equal(nitro_csv_origin(csv), "t.csv");
    assert_int_equal(nitro_csv_column(csv, "name"), 0);
    assert_int_equal(nitro_csv_column(csv, "a \"b\""), 1);
    assert_int_equal(nitro_csv_column(csv, "none"), NITRO_NONE);
    assert_string_equal(nitro_csv_field(csv, 0, 0), "x, y");
    assert_string_equal(nitro_csv_field(csv, 0, 1), "");
    assert_string_equal(nitro_csv_field(csv, 0, 2), "two\nlines");
    assert_string_equal(nitro_csv_field(csv, 1, 0), "  ");
    assert_int_equal(nitro_csv_line(csv, 0), 2);
    assert_int_equal(nitro_csv_line(csv, 1), 5);
    nitro_csv_free(csv);
    nitro_context_free(context);
}

static void test_malformed_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "t.csv:1: the file is empty"},
        {"\n\r\n\n", "t.csv:1: the file is empty"},
        {"\xEF\xBB\xBF", "t.csv:1: the file is empty"},
        {"a,b\n1,2\n3\n", "t.csv:3: 1 fields, but the header has 2 columns"},
        {"a,b\n1,2,3\n", "t.csv:2: more than 2 fields, the number of columns in the header"},
        {"a,b\n1,\n\n,2,\n", "t.csv:4: more than 2 fields"},
        {"a,,b\n", "t.csv:1: column 2 has no name"},
        {"a,b,c,b\n", "t.csv:1: columns 2 and 4 are both named 'b'"},
        {"a,b\n1,\"2\n3,4\n", "t.csv:2: column 2 ('b'): a quote is opened here and never closed"},
        {"a,b\n1,\"2\"3\n", "t.csv:2: column 2 ('b'): text after a closing quote"},
        {"a,b\n\"1\n2\",3\n4,5\"6\n", "t.csv:4: column 2 ('b'): a quote in the middle"},
        {"a,b\n1\r2,3\n", "t.csv:2: column 1 ('a'): a carriage return in the middle"},
    };
    nitro_context *context = unit_context();
    nitro_csv *csv = NULL;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_fails(context, parse(context, cases[i].text, &csv), NITRO_ERR_FORMAT,
                     cases[i].error);
    assert_fails(context, nitro_csv_parse(context, "t.csv", "a,b\n1,\0\n", 8, &csv),
                 NITRO_ERR_FORMAT, "t.csv:2: a zero byte");
    char *wide = calloc(10000, 1);
    memset(wide, ',', 9999);
    assert_fails(context, parse(context, wide, &csv), NITRO_ERR_FORMAT, "more than 4096 fields");
    free(wide);
    assert_null(csv);
    assert_fails(context, nitro_csv_read(context, "/nowhere/t.csv", &csv), NITRO_ERR_NOT_FOUND,
                 "/nowhere/t.csv");
    nitro_context_free(context);
}

static void test_numbers_and_holes(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_csv *csv = NULL;
    double value = 0;
    assert_ok(context, parse(context, "x,y\n1.5e3,\n12x,inf\n 1,1e999\n", &csv));
    assert_ok(context, nitro_csv_number(csv, 0, 0, &value));
    assert_true(value == 1500);
    assert_ok(context, nitro_csv_number(csv, 0, 1, &value));
    assert_true(isnan(value));
    value = 42;
    assert_fails(context, nitro_csv_number(csv, 1, 0, &value), NITRO_ERR_FORMAT,
                 "t.csv:3: column 1 ('x'): '12x' is not a finite number");
    assert_fails(context, nitro_csv_number(csv, 1, 1, &value), NITRO_ERR_FORMAT,
                 "t.csv:3: column 2 ('y'): 'inf'");
    assert_fails(context, nitro_csv_number(csv, 2, 0, &value), NITRO_ERR_FORMAT, "' 1'");
    assert_fails(context, nitro_csv_number(csv, 2, 1, &value), NITRO_ERR_FORMAT, "'1e999'");
    assert_true(value == 42);
    nitro_csv_free(csv);
    nitro_context_free(context);
}

static void test_twin_rows_are_found(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_csv *csv = NULL;
    assert_ok(context, parse(context, "id,n\nc,1\na,2\nb,3\n\na,4\n", &csv));
    assert_fails(context, nitro_csv_require_unique(csv, 0), NITRO_ERR_FORMAT,
                 "t.csv:6: id 'a' has a row on line 3 already");
    assert_ok(context, nitro_csv_require_unique(csv, 1));
    nitro_csv_free(csv);
    nitro_context_free(context);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static nitro_status devices_of(nitro_context *context, const char *text, nitro_device ***devices,
                               size_t *count)
{
    nitro_csv *csv = NULL;
    assert_ok(context, parse(context, text, &csv));
    nitro_status status = nitro_devices_from_csv(context, csv, devices, count);
    nitro_csv_free(csv);
    return status;
}

static void free_devices(nitro_device **devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
    free(devices);
}

static void test_devices_from_a_table(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_device **devices = NULL;
    size_t count = 0;
    assert_ok(context, devices_of(context,
                                  "device,model,kind,peak_gbps,shared_atomic,note,mine\n"
                                  "K20,980,,208.5,,hot,1\n"
                                  "lab@host:1,,model,,,,2e3\n",
                                  &devices, &count));
    assert_int_equal(count, 2);
    assert_string_equal(devices[0]->kind, "recorded");
    assert_string_equal(devices[1]->kind, "model");
    assert_true(nitro_device_value(devices[0], "peak_gbps") == 208.5);
    assert_true(isnan(nitro_device_value(devices[1], "peak_gbps")));
    assert_true(isnan(nitro_device_value(devices[0], "shared_atomic")));
    assert_true(nitro_device_value(devices[1], "mine") == 2000);
    assert_string_equal(nitro_device_label(devices[0], "note"), "hot");
    assert_string_equal(nitro_device_label(devices[0], "model"), "980"); /* text by its name */
    assert_null(nitro_device_label(devices[1], "model"));
    assert_int_equal(devices[0]->features[0].source, NITRO_VALUE_RECORDED);
    free_devices(devices, count);
    nitro_context_free(context);
}

static void test_bad_device_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"id,peak_gbps\nK20,1\n", "t.csv: no column named 'device'"},
        {"device,peak_gbps\nK 20,1\n", "t.csv:2: column 1 ('device'): 'K 20' is no device id"},
        {"device,peak_gbps\n\"\",1\n", "t.csv:2: column 1 ('device'): '' is no device id"},
        {"device,peak_gbps\nK20,1\nK40,2\nK20,3\n", "t.csv:4: device 'K20' has a row on line 2"},
        {"device,peak_gbps\nK20,1\nK40,fast\n",
         "t.csv:3: column 2 ('peak_gbps'): 'fast' is not a finite number"},
        {"device,mine\nK20,1\nK40,inf\n", "t.csv:3: column 2 ('mine'): 'inf'"},
        {"device,mine\nK20,1\nK40,nan\n", "t.csv:3: column 2 ('mine'): 'nan'"},
        {"device,my mine\nK20,1\n", "t.csv: column 2: 'my mine' is no feature name"},
        {"device,kind\nK20,a b\n", "t.csv:2: column 2 ('kind'): 'a b' is no device kind"},
    };
    nitro_context *context = unit_context();
    nitro_device **devices = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_fails(context, devices_of(context, cases[i].text, &devices, &count),
                     NITRO_ERR_FORMAT, cases[i].error);
    assert_null(devices);
    nitro_context_free(context);
}

static void test_the_recorded_devices(void **state)
{
    (void)state;
    const char *path = unit_shared_data("spmv/devices.csv");
    nitro_context *context = unit_context();
    nitro_csv *csv = NULL;
    nitro_device **devices = NULL;
    size_t count = 0;
    assert_ok(context, nitro_csv_read(context, path, &csv));
    assert_ok(context, nitro_devices_from_csv(context, csv, &devices, &count));
    nitro_csv_free(csv);
    assert_true(count >= 9);
    for (size_t i = 0; i < count; i++) {
        assert_true(nitro_device_value(devices[i], "peak_gbps") > 100);
        assert_true(isnan(nitro_device_value(devices[i], "shared_atomic")));
        assert_true(isnan(nitro_device_value(devices[i], "model")));
        assert_non_null(nitro_device_label(devices[i], "model"));
    }
    free_devices(devices, count);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotes_line_ends_and_byte_order_mark),
        cmocka_unit_test(test_malformed_tables_are_refused),
        cmocka_unit_test(test_numbers_and_holes),
        cmocka_unit_test(test_twin_rows_are_found),
        cmocka_unit_test(test_devices_from_a_table),
        cmocka_unit_test(test_bad_device_tables_are_refused),
        cmocka_unit_test(test_the_recorded_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
