/* The recorded measurements that stand beside the project, imported and exported whole. */
#include "unit/import_fixture.h"

/* ---- The recorded devices -------------------------------------------------------------------- */

static const char all_features[] = "rows,cols,nnz,row_min,row_q1,row_median,row_q3,row_max,"
                                   "row_mean,row_variance,row_skewness,avg_nz_per_row,rlsd,"
                                   "max_deviation,ell_fillin,density,col_max,col_sd";

typedef struct pair {
    nitro_sample **samples;
    size_t count, capacity, compared;
} pair;

static nitro_status keep_sample(void *user, const nitro_sample *sample)
{
    pair *kept = user;
    nitro_context *context = unit_context();
    if (kept->count == kept->capacity) {
        kept->capacity = 2 * kept->capacity + 16;
        kept->samples = realloc(kept->samples, kept->capacity * sizeof(*kept->samples));
    }
    assert_ok(context, nitro_sample_copy(context, sample, &kept->samples[kept->count++]));
    nitro_context_free(context);
    return NITRO_OK;
}

static nitro_status compare_sample(void *user, const nitro_sample *sample)
{
    pair *kept = user;
    assert_true(kept->compared < kept->count);
    const nitro_sample *other = kept->samples[kept->compared++];
    assert_string_equal(sample->input, other->input);
    for (size_t i = 0; i < sample->num_features; i++)
        assert_true(records_same_number(sample->features[i], other->features[i]));
    for (size_t i = 0; i < sample->num_entries; i++)
        assert_true(records_same_entry(&sample->entries[i], &other->entries[i]));
    return NITRO_OK;
}

/* Import, export and import again: the same samples. */
static void round_trip(import_fixture *f, const char *device, import_choice chosen)
{
    char *devices_path = strdup(unit_shared_data("spmv/devices.csv"));
    char name[64];
    snprintf(name, sizeof(name), "spmv/%s.csv", device);
    pair kept = {0};
    nitro_import_report report = {0}, again = {0};
    assert_ok(f->context, import_file(f, unit_shared_data(name), devices_path, chosen, &report));
    assert_true(report.added > 1800);
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", chosen.device, keep_sample, &kept));
    assert_int_equal(kept.count, report.added);
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_ok(f->context, nitro_store_export_csv(f->store, "spmv", chosen.device, out,
                                                 temporary_path(&f->folder, "devices-out.csv")));
    chosen.replace = true;
    assert_ok(f->context,
              import_file(f, out, temporary_path(&f->folder, "devices-out.csv"), chosen, &again));
    assert_int_equal(again.replaced, report.added);
    assert_int_equal(again.holes, report.holes);
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", chosen.device, compare_sample, &kept));
    assert_int_equal(kept.compared, kept.count);
    for (size_t i = 0; i < kept.count; i++)
        nitro_sample_free(kept.samples[i]);
    free(kept.samples);
    free(devices_path);
}

static void test_the_campaign_of_2018(void **state)
{
    import_fixture *f = *state;
    static const struct {
        const char *file, *device;
    } campaign[] = {{"K20Xm", "K20Xm"},
                    {"K40m_2018sep", "K40m"},
                    {"titanV_2018sep", "titanV"},
                    {"V100_SXM2", "V100_SXM2"}};
    for (size_t i = 0; i < 4; i++)
        round_trip(f, campaign[i].file,
                   (import_choice){.device = campaign[i].device,
                                   .features = all_features,
                                   .variants = "coo,csr,ell,hybrid,sellp",
                                   .logs = "rows,cols,nnz"});
    records_assert_sound(f->store);
}

/* Each file with all that it holds, as a computation of its own. */
static void test_every_recorded_file(void **state)
{
    import_fixture *f = *state;
    static const struct {
        const char *file, *device;
    } files[] = {{"K20Xm", "K20Xm"},
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
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        round_trip(f, files[i].file, (import_choice){.device = files[i].device});
        size_t removed = 0;
        assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
        assert_true(removed > 1800);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_the_campaign_of_2018),
        IMPORT_TEST(test_every_recorded_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
