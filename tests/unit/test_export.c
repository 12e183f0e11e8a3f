/* Exporting a device: the form that import reads, and a table of devices that keeps the others. */
#include "unit/import_fixture.h"

/* ---- Export ---------------------------------------------------------------------------------- */

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

static void test_export_of_what_is_not_there(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_export_writes_the_same_form),
        IMPORT_TEST(test_a_table_of_devices_keeps_the_others),
        IMPORT_TEST(test_export_of_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
