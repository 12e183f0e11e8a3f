/* test_export.c - exports that import reads back, and tables of devices that keep other rows. */
#include "unit/store/import_fixture.h"

static void assert_file_is(import_fixture *f, const char *path, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_file_read(f->context, path, 1 << 20, &text, &size));
    assert_string_equal(text, expected);
    free(text);
}

static void test_export_writes_the_same_form(void **state)
{
    import_fixture *f = *state;
    const char *samples = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", samples, devices));
    assert_file_is(f, samples,
                   "input,rows,fill,time_ms:csr,time_ms:ell\n"
                   "a/1,20,,0.125,0.5\n"
                   "\"b, \"\"2\"\"\",10,1.5,0.25,\n"
                   "c,1000000,-3,,\n");
    assert_file_is(f, devices,
                   "device,kind,vendor,model,peak_gbps,shared_atomic\n"
                   "K20,recorded,NVIDIA,\"Tesla \"\"K20\"\", 5 GB\",208,0.361\n");
}

/* Models must not learn that a variant is slow where a constraint excludes it. */
static void test_reasons_without_a_time(void **state)
{
    import_fixture *f = *state;
    static const char text[] = "input,rows,fill,time_ms:csr,time_ms:ell\n"
                               "a,1,2,3,not-allowed\n"
                               "b,1,2,crashed,4\n"
                               "c,1,2,3,\n";
    static const nitro_outcome expected[] = {NITRO_OUTCOME_NOT_ALLOWED, NITRO_OUTCOME_CRASHED,
                                             NITRO_OUTCOME_MISSING};
    const char *out = temporary_path(&f->folder, "out.csv");
    nitro_import_report report;
    nitro_sample *sample = NULL;
    assert_ok(f->context, import_text(f, text, (import_choice){0}, &report));
    assert_int_equal(report.missing_values, 1);
    for (size_t i = 0; i < 3; i++) {
        const char input[] = {(char)('a' + i), '\0'};
        assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", input, &sample));
        assert_int_equal(sample->entries[i == 1 ? 0 : 1].outcome, expected[i]);
        nitro_sample_free(sample);
    }
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL));
    assert_file_is(f, out, text);
}

/* Costs decide for few uses; one that no sample has gets no column. */
static void test_costs(void **state)
{
    import_fixture *f = *state;
    static const char text[] = "input,rows,fill,time_ms:csr,time_ms:ell,prepare_ms:ell,"
                               "feature_ms:fill\n"
                               "a,1,2,3,not-allowed,,0.25\n"
                               "b,1,2,3,4,0,\n"
                               "c,1,2,3,4,7.5,0.5\n";
    const char *out = temporary_path(&f->folder, "out.csv");
    nitro_sample *sample = NULL;
    assert_ok(f->context, import_text(f, text, (import_choice){0}, NULL));
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "c", &sample));
    assert_true(isnan(sample->entries[0].prepare_ms));
    assert_float_equal(sample->entries[1].prepare_ms, 7.5, 0);
    assert_int_equal(sample->num_feature_costs, 2);
    assert_true(isnan(sample->feature_costs_ms[0]));
    assert_float_equal(nitro_sample_features_ms(sample), 0.5, 0);
    nitro_sample_free(sample);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "b", &sample));
    assert_int_equal(sample->num_feature_costs, 0);
    nitro_sample_free(sample);
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL));
    assert_file_is(f, out, text);
}

static void test_costs_of_what_is_not_imported(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const import_choice chosen = {.features = "rows", .variants = "csr"};
    assert_ok(f->context, import_text(f,
                                      "input,rows,fill,time_ms:csr,time_ms:ell,prepare_ms:ell,"
                                      "feature_ms:fill,prepare_ms:csr\n"
                                      "a,1,2,3,4,5,6,7\n",
                                      chosen, NULL));
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL));
    assert_file_is(f, out, "input,rows,time_ms:csr,prepare_ms:csr\na,1,3,7\n");
}

typedef struct other_process {
    nitro_store *store;
    const char *text;
    import_fixture *f;
    size_t num_reads;
} other_process;

/* Another process adds a sample once all samples were read for the first time. */
static nitro_status read_and_add(void *state, const char *computation, const char *device,
                                 nitro_sample_function function, void *user,
                                 nitro_problem_function damaged, void *damaged_user)
{
    other_process *other = state;
    nitro_status status = nitro_store_read_samples(other->store, computation, device, function,
                                                   user, damaged, damaged_user);
    if (other->num_reads++ == 0)
        assert_ok(other->f->context, import_text(other->f, other->text, (import_choice){0}, NULL));
    return status;
}

static nitro_status get_others_schema(void *state, const char *computation, nitro_schema **schema)
{
    return nitro_store_get_schema(((other_process *)state)->store, computation, schema);
}

static nitro_status count_others_samples(void *state, const char *computation, const char *device,
                                         size_t *count)
{
    return nitro_store_count_samples(((other_process *)state)->store, computation, device, count);
}

static void leave_open(void *state)
{
    (void)state;
}

static void test_a_cost_that_comes_meanwhile(void **state)
{
    import_fixture *f = *state;
    other_process other = {
        f->store, "input,rows,fill,time_ms:csr,time_ms:ell,prepare_ms:csr\nb,1,2,3,4,5\n", f, 0};
    const nitro_store_kind kind = {.scheme = "other",
                                   .close = leave_open,
                                   .get_schema = get_others_schema,
                                   .count_samples = count_others_samples,
                                   .each_sample = read_and_add};
    const char *out = temporary_path(&f->folder, "out.csv");
    nitro_store *store = NULL;
    assert_ok(f->context, import_text(f,
                                      "input,rows,fill,time_ms:csr,time_ms:ell,prepare_ms:ell\n"
                                      "a,1,2,3,4,6\n",
                                      (import_choice){0}, NULL));
    assert_ok(f->context,
              nitro_store_create(f->context, &kind, NITRO_STORE_READ, "other:", &other, &store));
    assert_ok(f->context, nitro_store_export_csv(store, "spmv", "K20", out, NULL));
    assert_file_is(f, out,
                   "input,rows,fill,time_ms:csr,time_ms:ell,prepare_ms:csr,prepare_ms:ell\n"
                   "a,1,2,3,4,,6\n"
                   "b,1,2,3,4,5,\n");
    nitro_store_close(store);
}

/* A stranger's input name must not become a formula in a spreadsheet, and reads back as it was. */
static void test_no_formulas(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    nitro_csv *csv = NULL;
    assert_ok(f->context, import_text(f,
                                      "input,rows,fill,time_ms:csr,time_ms:ell\n"
                                      "\"=HYPERLINK(\"\"http://x\"\")\",-1,2,3,4\n"
                                      "'=a,-1,2,3,4\n-5,1,2,3,4\n",
                                      (import_choice){0}, NULL));
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL));
    assert_file_is(f, out,
                   "input,rows,fill,time_ms:csr,time_ms:ell\n"
                   "-5,1,2,3,4\n"
                   "\"'=HYPERLINK(\"\"http://x\"\")\",-1,2,3,4\n"
                   "'=a,-1,2,3,4\n");
    assert_ok(f->context, nitro_csv_read(f->context, out, &csv));
    assert_string_equal(nitro_csv_field(csv, 1, 0), "=HYPERLINK(\"http://x\")");
    assert_string_equal(nitro_csv_field(csv, 2, 0), "=a");
    nitro_csv_free(csv);
}

static void test_a_table_of_devices_keeps_the_others(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    temporary_write(&f->folder, "devices-out.csv",
                    "device,year,kind,peak_gbps\nX1,1999,model,0.5\nK20,2013,,1\n");
    for (int i = 0; i < 2; i++) /* twice: the second time changes nothing */
        assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, devices));
    assert_file_is(f, devices,
                   "device,kind,vendor,model,year,peak_gbps,shared_atomic\n"
                   "X1,model,,,1999,0.5,\n"
                   "K20,recorded,NVIDIA,\"Tesla \"\"K20\"\", 5 GB\",,208,0.361\n");
}

static void test_unknown_names(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_fails(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL),
                 NITRO_ERR_NOT_FOUND, "no computation 'spmv'");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_fails(f->context, nitro_store_export_csv(f->store, "spmv", "K40", out, NULL),
                 NITRO_ERR_NOT_FOUND, "no samples of spmv on device 'K40'");
    assert_int_not_equal(access(out, F_OK), 0);
    assert_fails(f->context,
                 nitro_store_export_csv(f->store, "spmv", "K20", "/nowhere/out.csv", NULL),
                 NITRO_ERR_IO, "/nowhere/out.csv");
}

/* Text for one device and a number for another is one column of labels. */
static void test_a_column_is_text_or_numbers_for_all(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    temporary_write(&f->folder, "devices.csv", "device,board,mine\nK20,7,x\nK40,8,y\n");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    temporary_write(&f->folder, "devices-out.csv", "device,board,mine\nX1,rev b,3\n");
    for (int i = 0; i < 2; i++)
        assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, devices));
    assert_file_is(f, devices,
                   "device,kind,board,mine\n"
                   "X1,recorded,rev b,3\n"
                   "K20,recorded,7,x\n");
}

/* Also where the table is read to add a device. */
static void test_a_label_with_leading_zeros(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    temporary_write(&f->folder, "devices.csv", "device,serial,mem_bus_width\nK20,007,0384\n");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    for (int i = 0; i < 2; i++)
        assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, devices));
    assert_file_is(f, devices,
                   "device,kind,serial,mem_bus_width\n"
                   "K20,recorded,007,384\n");
}

static void hear(void *user, nitro_log_level level, const char *message)
{
    if (level == NITRO_LOG_WARNING)
        snprintf(user, 512, "%s", message);
}

static void test_a_label_that_import_reads_as_a_number(void **state)
{
    import_fixture *f = *state;
    char heard[512] = "";
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    temporary_write(&f->folder, "devices.csv", "device,board,model\nK20,7,980\nK40,rev b,970\n");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, hear, heard);
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, devices));
    assert_non_null(strstr(heard, "devices-out.csv: device K20: the label board is '7'"));
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
}

static void test_a_feature_called_input_cannot_be_exported(void **state)
{
    import_fixture *f = *state;
    nitro_schema *schema = records_schema(f->context, "odd");
    nitro_device *device = records_device(f->context, "K20");
    nitro_sample *sample = NULL;
    assert_ok(f->context,
              nitro_schema_add_feature(f->context, schema, "input", "1", NITRO_SCALE_AUTO));
    assert_ok(f->context, nitro_sample_create(f->context, "a", 3, 2, &sample));
    const nitro_sample *samples[] = {sample};
    assert_ok(f->context,
              nitro_store_put_recording(f->store, schema, device, "K20", samples, 1, false));
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_fails(f->context, nitro_store_export_csv(f->store, "odd", "K20", out, NULL),
                 NITRO_ERR_ARGUMENT, "computation odd cannot be exported: its feature 'input'");
    assert_int_not_equal(access(out, F_OK), 0);
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
}

/* As root, a rename over /dev/null would replace it for the whole machine. */
static void test_devices_are_written_to_and_never_replaced(void **state)
{
    import_fixture *f = *state;
    struct stat status;
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_int_equal(symlink("/dev/null", out), 0);
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, out));
    assert_int_equal(lstat(out, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(out, &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_fails(f->context,
                 nitro_store_export_csv(f->store, "spmv", "K20", f->folder.folder, NULL),
                 NITRO_ERR_IO, "Is a directory");
}

static void test_a_bad_table_of_devices_is_left_as_it_was(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    const char *path = temporary_write(&f->folder, "notes.csv", "what,why\na,b\n");
    assert_fails(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, path),
                 NITRO_ERR_FORMAT, "notes.csv: no column 'device'");
    assert_file_is(f, path, "what,why\na,b\n");
    path = temporary_write(&f->folder, "empty.csv", ""); /* as mktemp leaves one */
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_export_writes_the_same_form),
        IMPORT_TEST(test_reasons_without_a_time),
        IMPORT_TEST(test_costs),
        IMPORT_TEST(test_a_cost_that_comes_meanwhile),
        IMPORT_TEST(test_costs_of_what_is_not_imported),
        IMPORT_TEST(test_no_formulas),
        IMPORT_TEST(test_a_table_of_devices_keeps_the_others),
        IMPORT_TEST(test_unknown_names),
        IMPORT_TEST(test_a_column_is_text_or_numbers_for_all),
        IMPORT_TEST(test_a_label_with_leading_zeros),
        IMPORT_TEST(test_a_label_that_import_reads_as_a_number),
        IMPORT_TEST(test_a_feature_called_input_cannot_be_exported),
        IMPORT_TEST(test_devices_are_written_to_and_never_replaced),
        IMPORT_TEST(test_a_bad_table_of_devices_is_left_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
