/* CSV tables, and devices read from them: what is taken, and the errors that name the place. */
#include <locale.h>
#include <math.h>

#include "unit/temporary.h"
#include "unit/unit.h"

static int setup(void **state)
{
    *state = unit_context();
    return 0;
}

static int teardown(void **state)
{
    nitro_context_free(*state);
    return 0;
}

static nitro_csv *parse_size(nitro_context *context, const char *text, size_t size)
{
    nitro_csv *csv = NULL;
    assert_ok(context, nitro_csv_parse(context, "t.csv", text, size, &csv));
    return csv;
}

static nitro_csv *parse(nitro_context *context, const char *text)
{
    return parse_size(context, text, strlen(text));
}

static void refuse_size(nitro_context *context, const char *text, size_t size, const char *error)
{
    nitro_csv *csv = NULL;
    assert_fails(context, nitro_csv_parse(context, "t.csv", text, size, &csv), NITRO_ERR_FORMAT,
                 error);
    assert_null(csv);
}

static void refuse(nitro_context *context, const char *text, const char *error)
{
    refuse_size(context, text, strlen(text), error);
}

static void test_fields_columns_and_lines(void **state)
{
    nitro_csv *csv = parse(*state, "input,rows,a b\n\nx,1,\n\r\ny,2,z\r\n,,\n");
    assert_string_equal(nitro_csv_origin(csv), "t.csv");
    assert_int_equal(nitro_csv_num_columns(csv), 3);
    assert_int_equal(nitro_csv_num_rows(csv), 3);
    assert_string_equal(nitro_csv_column_name(csv, 2), "a b");
    assert_int_equal(nitro_csv_column(csv, "rows"), 1);
    assert_true(nitro_csv_column(csv, "row") == NITRO_NONE);
    assert_string_equal(nitro_csv_field(csv, 0, 2), "");
    assert_string_equal(nitro_csv_field(csv, 1, 2), "z");
    assert_string_equal(nitro_csv_field(csv, 2, 0), "");
    assert_int_equal(nitro_csv_line(csv, 0), 3);
    assert_int_equal(nitro_csv_line(csv, 1), 5);
    assert_int_equal(nitro_csv_line(csv, 2), 6);
    nitro_csv_free(csv);
}

static void test_quotes(void **state)
{
    nitro_csv *csv =
        parse(*state, "\"input\",\"a \"\"b\"\"\"\r\n\"x,\r\ny\",\"\"\n\"\"\"\",1\nz,\"2\"");
    assert_string_equal(nitro_csv_column_name(csv, 1), "a \"b\"");
    assert_int_equal(nitro_csv_num_rows(csv), 3);
    assert_string_equal(nitro_csv_field(csv, 0, 0), "x,\r\ny");
    assert_string_equal(nitro_csv_field(csv, 0, 1), "");
    assert_string_equal(nitro_csv_field(csv, 1, 0), "\"");
    assert_string_equal(nitro_csv_field(csv, 2, 1), "2");
    assert_int_equal(nitro_csv_line(csv, 1), 4); /* the field above has a line end in it */
    nitro_csv_free(csv);
}

static void test_the_last_line_needs_no_end(void **state)
{
    nitro_csv *csv = parse(*state, "a,b\n1,");
    assert_int_equal(nitro_csv_num_rows(csv), 1);
    assert_string_equal(nitro_csv_field(csv, 0, 1), "");
    nitro_csv_free(csv);
    csv = parse(*state, "a");
    assert_int_equal(nitro_csv_num_rows(csv), 0);
    nitro_csv_free(csv);
    csv = parse(*state, "a\n\"\"\n"); /* one empty field is a row, an empty line is none */
    assert_int_equal(nitro_csv_num_rows(csv), 1);
    nitro_csv_free(csv);
}

static void test_a_byte_order_mark_is_no_part_of_the_name(void **state)
{
    nitro_csv *csv = parse(*state, "\xEF\xBB\xBFinput,b\nx,1\n");
    assert_int_equal(nitro_csv_column(csv, "input"), 0);
    nitro_csv_free(csv);
    refuse(*state, "\xEF\xBB\xBF", "the file is empty");
    refuse_size(*state, "\xFF\xFEi\0n\0", 6, "t.csv:1: a zero byte");
}

static void test_empty_files_are_refused(void **state)
{
    refuse(*state, "", "t.csv:1: the file is empty; it needs a header line");
    refuse(*state, "\n\r\n\n", "the file is empty");
    nitro_csv *csv = NULL;
    assert_fails(*state, nitro_csv_read(*state, "/nonexistent/t.csv", &csv), NITRO_ERR_NOT_FOUND,
                 "/nonexistent/t.csv");
    assert_fails(*state, nitro_csv_read(*state, "/", &csv), NITRO_ERR_IO, "/: ");
}

static void test_ragged_rows_are_refused(void **state)
{
    refuse(*state, "a,b,c\n1,2,3\n1,2\n", "t.csv:3: 2 fields, but the header has 3 columns");
    refuse(*state, "a,b,c\n1,2,3\n\n1,2,3,\n", "t.csv:4: more than 3 fields");
    refuse(*state, "a,b\n\"x\ny\",1\nz\n", "t.csv:4: 1 field, but");
}

static void test_headers_that_cannot_be_told_apart_are_refused(void **state)
{
    refuse(*state, "a,b,a\n1,2,3\n", "t.csv:1: columns 1 and 3 are both named 'a'");
    refuse(*state, "a,\n1,2\n", "t.csv:1: column 2 has no name in the header");
    refuse(*state, "\n\n,a\n1,2\n", "t.csv:3: column 1 has no name");
}

static void test_broken_quotes_are_refused(void **state)
{
    refuse(*state, "a,b\n1,\"x\n2,3\n", "t.csv:2: column 2 ('b'): a quote is opened here");
    refuse(*state, "a,b\n1,\"", "t.csv:2: column 2 ('b'): a quote is opened here");
    refuse(*state, "a,b\n1,\"\"\"", "a quote is opened here");
    refuse(*state, "a,b\n\"x\"y,1\n", "t.csv:2: column 1 ('a'): text after a closing quote");
    refuse(*state, "a,b\n\"x\" ,1\n", "text after a closing quote");
    refuse(*state, "a,b\nx\"y\",1\n", "t.csv:2: column 1 ('a'): a quote in the middle");
    refuse(*state, "a\"", "t.csv:1: column 1: a quote in the middle");
}

static void test_other_line_ends_and_zero_bytes_are_refused(void **state)
{
    refuse(*state, "a,b\r1,2\r", "t.csv:1: column 2: a carriage return");
    refuse(*state, "a,b\n1,2\r", "t.csv:2: column 2 ('b'): a carriage return");
    refuse_size(*state, "a,b\n1,\0\n", 8, "t.csv:2: a zero byte");
    refuse_size(*state, "\0", 1, "t.csv:1: a zero byte");
}

static void test_huge_fields_and_rows(void **state)
{
    size_t size = 3 << 20;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "a,b\n", 4);
    text[size - 1] = '\n';
    text[size - 3] = ',';
    nitro_csv *csv = parse_size(*state, text, size);
    assert_int_equal(strlen(nitro_csv_field(csv, 0, 0)), size - 7);
    double value = 42;
    assert_fails(*state, nitro_csv_number(csv, 0, 0, &value), NITRO_ERR_FORMAT,
                 "is not a finite number");
    assert_true(value == 42);
    nitro_csv_free(csv);
    memset(text, ',', size); /* three million fields */
    refuse_size(*state, text, size, "t.csv:1: more than 4096 fields");
    memset(text, '\n', size);
    text[size - 1] = 'a';
    csv = parse_size(*state, text, size);
    assert_int_equal(nitro_csv_num_columns(csv), 1);
    nitro_csv_free(csv);
    free(text);
}

static void test_numbers_name_their_place(void **state)
{
    nitro_csv *csv = parse(*state, "a,b\n-0,1e-300\n 1,\n0x10,1e999\nnan,\"1,5\"\n1 ,inf\n+5,.5\n");
    double value = 42;
    assert_ok(*state, nitro_csv_number(csv, 0, 0, &value));
    assert_true(value == 0 && signbit(value));
    assert_ok(*state, nitro_csv_number(csv, 0, 1, &value));
    assert_true(value == 1e-300);
    assert_ok(*state, nitro_csv_number(csv, 1, 1, &value)); /* missing */
    assert_true(isnan(value));
    assert_ok(*state, nitro_csv_number(csv, 5, 1, &value));
    assert_true(value == 0.5);
    static const size_t refused[][2] = {{1, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 0}, {4, 1}};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        char place[64];
        size_t row = refused[i][0], column = refused[i][1];
        snprintf(place, sizeof(place), "t.csv:%zu: column %zu ('%s'): '", row + 2, column + 1,
                 column ? "b" : "a");
        value = 42;
        assert_fails(*state, nitro_csv_number(csv, row, column, &value), NITRO_ERR_FORMAT, place);
        assert_true(value == 42);
    }
    nitro_csv_free(csv);
}

static void test_numbers_do_not_depend_on_the_locale(void **state)
{
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found) {
        print_message("SKIPPED: no locale with a decimal comma is installed\n");
        skip();
    }
    nitro_csv *csv = parse(*state, "a,b\n1.5,\"1,5\"\n");
    double value = 0;
    nitro_status point = nitro_csv_number(csv, 0, 0, &value);
    nitro_status comma = nitro_csv_number(csv, 0, 1, &value);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(point, NITRO_OK);
    assert_true(value == 1.5);
    assert_int_equal(comma, NITRO_ERR_FORMAT);
    nitro_csv_free(csv);
}

static void test_twins_are_named_with_both_lines(void **state)
{
    nitro_csv *csv = parse(*state, "input,k\nx,1\ny,2\nz,3\n\ny,4\n");
    assert_fails(*state, nitro_csv_require_unique(csv, 0), NITRO_ERR_FORMAT,
                 "t.csv:6: input 'y' has a row on line 3 already");
    assert_ok(*state, nitro_csv_require_unique(csv, 1));
    nitro_csv_free(csv);
}

static void read_devices(nitro_context *context, const char *text, nitro_device ***devices,
                         size_t expected)
{
    size_t count = 99;
    nitro_csv *csv = parse(context, text);
    assert_ok(context, nitro_devices_from_csv(context, csv, devices, &count));
    nitro_csv_free(csv);
    assert_int_equal(count, expected);
}

static void free_devices(nitro_device **devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nitro_device_free(devices[i]);
    free(devices);
}

static void refuse_devices(nitro_context *context, const char *text, const char *error)
{
    nitro_device **devices = NULL;
    size_t count = 99;
    nitro_csv *csv = parse(context, text);
    assert_fails(context, nitro_devices_from_csv(context, csv, &devices, &count), NITRO_ERR_FORMAT,
                 error);
    assert_null(devices);
    assert_int_equal(count, 99);
    nitro_csv_free(csv);
}

static void test_devices_with_features_labels_and_holes(void **state)
{
    nitro_device **devices = NULL;
    read_devices(*state,
                 "model,device,kind,peak_gbps,mine,empty,uncertain\n"
                 "A 1,K20,,208,1.5,,peak_gbps\n"
                 "A 2,K40:0,cuda,,-2,,\n"
                 ",K80,host,480,,,7\n",
                 &devices, 3);
    assert_string_equal(devices[0]->id, "K20");
    assert_string_equal(devices[0]->kind, "recorded");
    assert_string_equal(devices[1]->kind, "cuda");
    assert_true(nitro_device_value(devices[0], "peak_gbps") == 208);
    assert_true(isnan(nitro_device_value(devices[1], "peak_gbps")));
    assert_true(nitro_device_value(devices[1], "mine") == -2);
    assert_int_equal(devices[0]->features[0].source, NITRO_VALUE_RECORDED);
    assert_true(isnan(nitro_device_value(devices[0], "empty")));
    assert_string_equal(nitro_device_label(devices[0], "model"), "A 1");
    assert_null(nitro_device_label(devices[2], "model"));
    /* A column that is text by its meaning, whatever stands in it. */
    assert_string_equal(nitro_device_label(devices[2], "uncertain"), "7");
    free_devices(devices, 3);
    read_devices(*state, "device,peak_gbps\n", &devices, 0);
    free_devices(devices, 0);
}

static void test_a_column_with_any_text_is_a_label(void **state)
{
    nitro_device **devices = NULL;
    read_devices(*state, "device,board\nK20,12\nK40,rev b\n", &devices, 2);
    assert_string_equal(nitro_device_label(devices[0], "board"), "12");
    assert_true(isnan(nitro_device_value(devices[0], "board")));
    free_devices(devices, 2);
}

static void test_tables_that_are_no_devices(void **state)
{
    refuse_devices(*state, "id,peak_gbps\nK20,208\n", "t.csv: no column 'device'");
    refuse_devices(*state, "device,peak_gbps\nK20,208\nK20,209\n",
                   "t.csv:3: device 'K20' has a row on line 2 already");
    refuse_devices(*state, "device,peak_gbps\nK 20,208\n", "t.csv:2: column 1 ('device'): 'K 20'");
    refuse_devices(*state, "device,peak_gbps\n,208\n", "t.csv:2: column 1 ('device'): ''");
    refuse_devices(*state, "device,peak gbps\nK20,208\n", "t.csv: column 2: 'peak gbps'");
    refuse_devices(*state, "device,kind\nK20,a b\n", "t.csv:2: column 2 ('kind'): 'a b'");
    refuse_devices(*state, "device,peak_gbps\nK20,208\nK40,fast\n",
                   "t.csv:3: column 2 ('peak_gbps'): 'fast' is not a finite number");
    refuse_devices(*state, "device,mine\nK20,2\nK40,inf\n",
                   "t.csv:3: column 2 ('mine'): 'inf' is not a finite number");
    refuse_devices(*state, "device,mine\nK20,1e999\nK40,3\n",
                   "t.csv:2: column 2 ('mine'): '1e999' is not a finite number");
}

/* About 6 MB: rows over several lines, of both line ends, and one of 3 MB. */
static const char *write_long_table(temporary *folder, const char *last)
{
    enum { ROWS = 100000, LONG_FIELD = 3 << 20, ROW_BYTES = 64 };
    char *text = malloc((size_t)ROWS * ROW_BYTES + LONG_FIELD + 1024), *at = text;
    at += sprintf(at, "\xEF\xBB\xBFinput,\"no\nte\",n\n");
    for (int i = 0; i < ROWS; i++) {
        at += sprintf(at, i % 3 ? "input-%d,\"a\n\"\"%d\"\",\",%d\r\n\n" : "input-%d,%d,%d\n", i, i,
                      i);
        if (i == ROWS / 2) {
            memcpy(at, "long,", 5);
            memset(at + 5, 'x', LONG_FIELD);
            memcpy(at + 5 + LONG_FIELD, ",0\n", 3);
            at += LONG_FIELD + 8;
        }
    }
    strcpy(at, last);
    const char *path = temporary_write(folder, "long.csv", text);
    free(text);
    return path;
}

/* Reads all pieces from the first; their number, which is 0 after an error. */
static size_t read_pieces(nitro_context *context, nitro_csv *pieces, const nitro_csv *whole)
{
    size_t count = 0, row = 0;
    bool more = false;
    assert_ok(context, nitro_csv_rewind(pieces));
    while (nitro_csv_next(pieces, &more) == NITRO_OK && more) {
        count++;
        for (size_t i = 0; i < nitro_csv_num_rows(pieces); i++, row++) {
            assert_int_equal(nitro_csv_line(pieces, i), nitro_csv_line(whole, row));
            for (size_t c = 0; c < 3; c++)
                assert_string_equal(nitro_csv_field(pieces, i, c), nitro_csv_field(whole, row, c));
        }
    }
    assert_int_equal(row, nitro_csv_num_rows(whole));
    return count;
}

static void test_pieces_have_the_rows_of_the_whole(void **state)
{
    temporary folder = temporary_make();
    nitro_csv *whole = NULL, *pieces = NULL;
    bool more = false;
    const char *path = write_long_table(&folder, "end,,"); /* its line does not end */
    assert_ok(*state, nitro_csv_read(*state, path, &whole));
    assert_ok(*state, nitro_csv_open(*state, path, &pieces));
    assert_int_equal(nitro_csv_num_rows(pieces), 0);
    assert_int_equal(nitro_csv_column(pieces, "no\nte"), 1);
    assert_ok(*state, nitro_csv_next(pieces, &more)); /* then from the first again */
    assert_true(more);
    assert_true(read_pieces(*state, pieces, whole) > 2);
    assert_true(read_pieces(*state, pieces, whole) > 2); /* larger ones, after the long row */
    assert_int_equal(read_pieces(*state, whole, whole), 1);
    nitro_csv_free(pieces);
    nitro_csv_free(whole);
    temporary_remove(&folder);
}

static void test_an_error_in_a_later_piece_names_its_line(void **state)
{
    temporary folder = temporary_make();
    static const char *const last[] = {"a,b\n", "a,\"b,c\n", "a\"b,c,d\n", "a,b,c\rd\n"};
    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
        char expected[1024], found[1024];
        nitro_csv *csv = NULL;
        nitro_status status = NITRO_OK;
        const char *path = write_long_table(&folder, last[i]);
        assert_int_equal(nitro_csv_read(*state, path, &csv), NITRO_ERR_FORMAT);
        nitro_context_last_error(*state, expected, sizeof(expected));
        assert_ok(*state, nitro_csv_open(*state, path, &csv));
        for (bool more = true; more && status == NITRO_OK;)
            status = nitro_csv_next(csv, &more);
        assert_int_equal(status, NITRO_ERR_FORMAT);
        nitro_context_last_error(*state, found, sizeof(found));
        assert_string_equal(found, expected);
        nitro_csv_free(csv);
    }
    temporary_remove(&folder);
}

/* The short way and the C library's give the same number. */
static void test_short_numbers_are_rounded_as_long_ones(void **state)
{
    (void)state;
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (int i = 0; i < 200000; i++) {
        char text[64];
        double value = 0;
        snprintf(text, sizeof(text), "%s%.*f", i % 2 ? "-" : "", i % 17,
                 nitro_random_uniform(&random) * pow(10, i % 13));
        assert_true(nitro_parse_number(text, &value));
        assert_true(value == strtod(text, NULL));
    }
    static const char *const forms[] = {"0",
                                        "-0",
                                        ".5",
                                        "5.",
                                        "-.25",
                                        "000000000000001",
                                        "1e3",
                                        "999999999999999",
                                        "0.000000000000001"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        double value = NAN;
        assert_true(nitro_parse_number(forms[i], &value));
        assert_true(value == strtod(forms[i], NULL) && signbit(value) == (forms[i][0] == '-'));
    }
    static const char *const others[] = {"",   "-",  ".",   "-.",   "1.2.3", "1-",
                                         " 1", "1 ", "--1", "0x10", "0X1p3"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(nitro_parse_number(others[i], &(double){0}));
}

int main(void)
{
#define CSV_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CSV_TEST(test_fields_columns_and_lines),
        CSV_TEST(test_quotes),
        CSV_TEST(test_the_last_line_needs_no_end),
        CSV_TEST(test_a_byte_order_mark_is_no_part_of_the_name),
        CSV_TEST(test_empty_files_are_refused),
        CSV_TEST(test_ragged_rows_are_refused),
        CSV_TEST(test_headers_that_cannot_be_told_apart_are_refused),
        CSV_TEST(test_broken_quotes_are_refused),
        CSV_TEST(test_other_line_ends_and_zero_bytes_are_refused),
        CSV_TEST(test_huge_fields_and_rows),
        CSV_TEST(test_numbers_name_their_place),
        CSV_TEST(test_numbers_do_not_depend_on_the_locale),
        CSV_TEST(test_twins_are_named_with_both_lines),
        CSV_TEST(test_devices_with_features_labels_and_holes),
        CSV_TEST(test_a_column_with_any_text_is_a_label),
        CSV_TEST(test_tables_that_are_no_devices),
        CSV_TEST(test_pieces_have_the_rows_of_the_whole),
        CSV_TEST(test_an_error_in_a_later_piece_names_its_line),
        CSV_TEST(test_short_numbers_are_rounded_as_long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
