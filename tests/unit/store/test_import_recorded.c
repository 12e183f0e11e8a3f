/* test_import_recorded.c - imports and exports the recorded measurements beside the project; the
 * exports are compared with the files, without the code of import. */
#include "unit/store/import_fixture.h"

static const struct {
    const char *file, *device;
} campaigns[] = {{"K20Xm", "K20Xm"},
                 {"K40m", "K40m"},
                 {"K40m_2018sep", "K40m"},
                 {"titanV", "titanV"},
                 {"titanV_2018sep", "titanV"},
                 {"V100", "V100"},
                 {"V100_SXM2", "V100_SXM2"},
                 {"V100_summit", "V100_summit"},
                 {"RadeonVII", "RadeonVII"},
                 {"MI100", "MI100"},
                 {"Xeon_Gold_6230", "Xeon_Gold_6230"}};

static const char all_features[] = "rows,cols,nnz,row_min,row_q1,row_median,row_q3,row_max,"
                                   "row_mean,row_variance,row_skewness,avg_nz_per_row,rlsd,"
                                   "max_deviation,ell_fillin,density,col_max,col_sd";

static const char *campaign_path(size_t campaign)
{
    char name[64];
    snprintf(name, sizeof(name), "spmv/%s.csv", campaigns[campaign].file);
    return unit_shared_data(name);
}

/* Both files are in almost the same order: search from the last row found. */
static size_t find_row(const nitro_csv *csv, const char *input, size_t start)
{
    size_t count = nitro_csv_num_rows(csv), column = nitro_csv_column(csv, "input");
    for (size_t i = 0; i < count; i++) {
        size_t row = (start + i) % count;
        if (strcmp(nitro_csv_field(csv, row, column), input) == 0)
            return row;
    }
    fail_msg("input '%s' is not in %s", input, nitro_csv_origin(csv));
    return NITRO_NONE;
}

/* Every number of the exported file is the number of that name in the original. */
static void assert_same_numbers(import_fixture *f, const char *original_path,
                                const char *exported_path)
{
    nitro_csv *original = NULL, *exported = NULL;
    assert_ok(f->context, nitro_csv_read(f->context, original_path, &original));
    assert_ok(f->context, nitro_csv_read(f->context, exported_path, &exported));
    /* Two matrices of some recordings have impossible statistics, and are refused. */
    assert_in_range(nitro_csv_num_rows(exported), nitro_csv_num_rows(original) - 2,
                    nitro_csv_num_rows(original));
    assert_string_equal(nitro_csv_column_name(exported, 0), "input");
    size_t place = 0;
    for (size_t row = 0; row < nitro_csv_num_rows(exported); row++) {
        place = find_row(original, nitro_csv_field(exported, row, 0), place);
        for (size_t column = 1; column < nitro_csv_num_columns(exported); column++) {
            const char *name = nitro_csv_column_name(exported, column);
            double was, is;
            assert_ok(f->context,
                      nitro_csv_number(original, place, nitro_csv_column(original, name), &was));
            assert_ok(f->context, nitro_csv_number(exported, row, column, &is));
            assert_true(records_same_number(was, is));
        }
    }
    nitro_csv_free(original);
    nitro_csv_free(exported);
}

static void assert_same_bytes(import_fixture *f, const char *a, const char *b)
{
    char *texts[2];
    size_t sizes[2];
    assert_ok(f->context, nitro_file_read(f->context, a, 1 << 26, &texts[0], &sizes[0]));
    assert_ok(f->context, nitro_file_read(f->context, b, 1 << 26, &texts[1], &sizes[1]));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(texts[0], texts[1], sizes[0]);
    free(texts[0]);
    free(texts[1]);
}

/* Import, export, import what was exported, export again. Returns the number of columns written. */
static size_t round_trip(import_fixture *f, size_t campaign, import_choice chosen)
{
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *again = temporary_path(&f->folder, "again.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    char *devices_path = strdup(unit_shared_data("spmv/devices.csv"));
    char *path = strdup(campaign_path(campaign));
    nitro_import_report first = {0}, second = {0};
    chosen.device = campaigns[campaign].device;
    assert_ok(f->context, import_file(f, path, devices_path, chosen, &first));
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", chosen.device, out, devices));
    assert_same_numbers(f, path, out);
    chosen.replace = true;
    assert_ok(f->context, import_file(f, out, devices, chosen, &second));
    assert_int_equal(second.added, 0);
    assert_int_equal(second.replaced, first.added);
    assert_int_equal(second.missing_values, first.missing_values);
    assert_int_equal(import_count(f, chosen.device), first.added);
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", chosen.device, again, devices));
    assert_same_bytes(f, out, again);
    nitro_csv *csv = NULL;
    assert_ok(f->context, nitro_csv_read(f->context, out, &csv));
    size_t num_columns = nitro_csv_num_columns(csv);
    nitro_csv_free(csv);
    free(path);
    free(devices_path);
    return num_columns;
}

/* Devices of one computation; each file has variants that the others lack. */
static void test_the_campaign_of_2018(void **state)
{
    import_fixture *f = *state;
    static const size_t campaign[] = {0, 2, 4, 6};
    for (size_t i = 0; i < 4; i++) {
        size_t num_columns = round_trip(f, campaign[i],
                                        (import_choice){.features = all_features,
                                                        .variants = "coo,csr,ell,hybrid,sellp",
                                                        .logs = "rows,cols,nnz"});
        assert_int_equal(num_columns, 1 + 18 + 5);
    }
    nitro_string_list ids = {0};
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_int_equal(ids.count, 4);
    nitro_string_list_free(&ids);
    records_assert_sound(f->store);
}

/* Each file with all columns, as a computation of its own. */
static void test_every_recorded_file(void **state)
{
    import_fixture *f = *state;
    for (size_t i = 0; i < sizeof(campaigns) / sizeof(campaigns[0]); i++) {
        nitro_csv *csv = NULL;
        size_t removed = 0;
        assert_ok(f->context, nitro_csv_read(f->context, campaign_path(i), &csv));
        size_t num_columns = round_trip(f, i, (import_choice){0});
        assert_int_equal(num_columns, nitro_csv_num_columns(csv));
        assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
        assert_in_range(removed, nitro_csv_num_rows(csv) - 2, nitro_csv_num_rows(csv));
        nitro_csv_free(csv);
    }
}

/* Ids and features survive a round trip of the table of devices. */
static void test_the_table_of_devices(void **state)
{
    import_fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    char *devices_path = strdup(unit_shared_data("spmv/devices.csv"));
    nitro_csv *csv = NULL;
    assert_ok(f->context, nitro_csv_read(f->context, devices_path, &csv));
    const char *path = temporary_write(&f->folder, "samples.csv", import_samples_text);
    for (size_t row = 0; row < nitro_csv_num_rows(csv); row++) {
        nitro_device *first = NULL, *second = NULL;
        import_choice chosen = {.device =
                                    nitro_csv_field(csv, row, nitro_csv_column(csv, "device"))};
        assert_ok(f->context, import_file(f, path, devices_path, chosen, NULL));
        assert_ok(f->context, nitro_store_get_device(f->store, chosen.device, &first));
        assert_ok(f->context,
                  nitro_store_export_csv(f->store, "spmv", chosen.device, out, devices));
        chosen.replace = true;
        assert_ok(f->context, import_file(f, path, devices, chosen, NULL));
        assert_ok(f->context, nitro_store_get_device(f->store, chosen.device, &second));
        assert_int_equal(first->num_features, second->num_features);
        for (size_t i = 0; i < first->num_features; i++)
            assert_true(first->features[i].value ==
                        nitro_device_value(second, first->features[i].name));
        for (size_t i = 0; i < first->num_labels; i++)
            assert_string_equal(first->labels[i].text,
                                nitro_device_label(second, first->labels[i].name));
        if (strcmp(chosen.device, "K40m_2018sep") == 0) /* two stacks of one card */
            assert_string_equal(nitro_device_label(first, NITRO_LABEL_SAME_AS), "K40m");
        if (strcmp(chosen.device, "MI100") == 0)
            assert_null(nitro_device_label(first, NITRO_LABEL_SAME_AS));
        nitro_device_free(first);
        nitro_device_free(second);
    }
    nitro_csv_free(csv);
    free(devices_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_the_campaign_of_2018),
        IMPORT_TEST(test_every_recorded_file),
        IMPORT_TEST(test_the_table_of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
