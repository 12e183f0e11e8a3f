/* test_ginkgo.c - imports of the Ginkgo project's benchmark data: layouts, units, campaigns and
 * skipped files; and the project's own files against tables that others made of them. */
#include <math.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_ginkgo_report *report;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "store");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_ginkgo_report_free(f->report);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* ---- Making a checkout ----------------------------------------------------------------------- */

static void make_folders(const fixture *f, const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", f->folder.folder, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static void put_file(const fixture *f, const char *name, const char *text)
{
    make_folders(f, name);
    temporary_write(&f->folder, name, text);
}

/* A measurement of GROUP/NAME with the times of two variants, as JSON has them. */
static void put_times(const fixture *f, const char *folder, const char *matrix, const char *csr,
                      const char *csr_time, const char *coo, const char *coo_time)
{
    char name[160], text[1024];
    snprintf(name, sizeof(name), "data/%s/SuiteSparse/G/%s.json", folder, matrix);
    snprintf(text, sizeof(text),
             "[{\"problem\": {\"group\": \"G\", \"name\": \"%s\", \"rows\": 4, \"cols\": 5, "
             "\"nonzeros\": 8, \"row_distribution\": {\"min\": 1, \"q1\": 1.5, \"median\": 2, "
             "\"q3\": 2.5, \"max\": 3, \"mean\": 2, \"variance\": 0.25, \"skewness\": 0.125}, "
             "\"col_distribution\": {\"max\": 4, \"variance\": 0.0625}}, "
             "\"spmv\": {\"%s\": {\"time\": %s, \"completed\": true}, \"%s\": {\"time\": %s}}}]",
             matrix, csr, csr_time, coo, coo_time);
    put_file(f, name, text);
}

static nitro_status import(fixture *f, const nitro_ginkgo_options *given)
{
    nitro_ginkgo_options options = given ? *given : (nitro_ginkgo_options){0};
    char path[256];
    snprintf(path, sizeof(path), "%s", temporary_path(&f->folder, "data"));
    if (!options.path)
        options.path = path;
    nitro_ginkgo_report_free(f->report);
    f->report = NULL;
    return nitro_store_import_ginkgo(f->store, &options, &f->report);
}

static const nitro_ginkgo_campaign *campaign(const fixture *f, const char *device)
{
    for (size_t i = 0; i < f->report->num_campaigns; i++)
        if (strcmp(f->report->campaigns[i].device, device) == 0)
            return &f->report->campaigns[i];
    fail_msg("no device %s in the report", device);
    return NULL;
}

static size_t skipped(const fixture *f, const char *reason)
{
    for (size_t i = 0; i < f->report->num_skipped; i++)
        if (strstr(f->report->skipped[i].reason, reason))
            return f->report->skipped[i].count;
    return 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static nitro_status check_values(void *user, const nitro_sample *sample)
{
    static const double features[] = {4,   5,    8, 1,   1.5, 2,   2.5, 3, 2,
                                      .25, .125, 2, .25, .5,  1.5, .4,  4, .25};
    size_t *seen = user;
    (*seen)++;
    assert_string_equal(sample->input, "G/m");
    assert_int_equal(sample->num_features, 18);
    for (size_t i = 0; i < 18; i++)
        assert_true(sample->features[i] == features[i]);
    assert_true(sample->entries[0].median_ms == 0.0625); /* coo */
    assert_true(sample->entries[1].median_ms == 0.03125);
    return NITRO_OK;
}

/* Nanoseconds with capitals and seconds without give the same names and milliseconds. */
static void test_layouts_become_one(void **state)
{
    fixture *f = *state;
    put_times(f, "old/cuda", "m", "Csr", "31250", "Coo", "62500");
    put_times(f, "new/hip", "m", "csr", "3.125e-5", "coo", "6.25e-5");
    assert_ok(f->context, import(f, NULL));
    assert_int_equal(f->report->num_campaigns, 2);
    assert_string_equal(campaign(f, "old")->unit, "ns");
    assert_true(campaign(f, "old")->capital);
    assert_string_equal(campaign(f, "new")->unit, "s");
    assert_false(campaign(f, "new")->capital);
    static const char *const devices[] = {"old", "new"};
    for (size_t i = 0; i < 2; i++) {
        size_t seen = 0;
        assert_ok(f->context, nitro_store_each_sample(f->store, "spmv-ginkgo", devices[i],
                                                      check_values, &seen));
        assert_int_equal(seen, 1);
    }
    records_assert_sound(f->store);
}

static void test_missing_values(void **state)
{
    fixture *f = *state;
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "0");
    put_times(f, "gpu/cuda", "b", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/cuda", "c", "csr", "0", "coo", "-1");
    put_times(f, "gpu/cuda", "d", "csr", "31250", "coo", "\"soon\"");
    assert_ok(f->context, import(f, NULL));
    assert_int_equal(campaign(f, "gpu")->added, 3);
    assert_int_equal(campaign(f, "gpu")->missing_values, 2);
    assert_int_equal(skipped(f, "no variant completed"), 1);
}

/* ---- Campaigns ------------------------------------------------------------------------------- */

static void test_campaigns_stay_apart(void **state)
{
    fixture *f = *state;
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/cuda", "b", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/cuda", "c", "csr", "3e-5", "coo", "6e-5");
    put_times(f, "gpu/cuda", "d", "Csr", "31250", "Coo", "62500");
    put_times(f, "gpu/omp", "a", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/reference", "a", "csr", "31250", "dense", "62500");
    assert_ok(f->context, import(f, NULL));
    assert_int_equal(campaign(f, "gpu")->added, 2);
    assert_int_equal(campaign(f, "gpu.cuda-lower-s")->added, 1);
    assert_int_equal(campaign(f, "gpu.cuda-capital-ns")->added, 1);
    assert_int_equal(campaign(f, "gpu.omp-lower-ns")->added, 1);
    assert_string_equal(campaign(f, "gpu.reference-lower-ns")->skip_reason,
                        "does not measure variant coo");
}

/* Another state of a checkout: refused under the same name, imported under another. */
static void test_second_state(void **state)
{
    fixture *f = *state;
    const nitro_ginkgo_options again = {.replace = true}, later = {.campaign = "2019"};
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "62500");
    assert_ok(f->context, import(f, NULL));
    put_times(f, "a-new-one/cuda", "a", "csr", "31250", "coo", "62500");
    assert_fails(f->context, import(f, NULL), NITRO_ERR_EXISTS, "the store already has");
    nitro_string_list devices = {0};
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &devices));
    assert_int_equal(devices.count, 1); /* nothing was written */
    nitro_string_list_free(&devices);
    assert_ok(f->context, import(f, &again));
    assert_int_equal(campaign(f, "gpu")->replaced, 1);
    assert_int_equal(campaign(f, "a-new-one")->added, 1);
    assert_ok(f->context, import(f, &later));
    assert_int_equal(campaign(f, "gpu_2019")->added, 1);
    nitro_device *device = NULL;
    assert_ok(f->context, nitro_store_get_device(f->store, "gpu_2019", &device));
    assert_string_equal(nitro_device_label(device, NITRO_LABEL_SAME_AS), "gpu");
    nitro_device_free(device);
}

/* Device features by id or by folder, but not by that of another device. */
static void test_device_features(void **state)
{
    fixture *f = *state;
    static const char table[] = "device,peak_gbps\ngpu,100\ngpu_x,200\nother,300\n";
    char *path = strdup(temporary_write(&f->folder, "devices.csv", table));
    const nitro_string_list tables = {.items = &path, .count = 1};
    const nitro_ginkgo_options plain = {.tables = &tables},
                               named = {.tables = &tables, .campaign = "x"};
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/omp", "a", "csr", "31250", "coo", "62500");
    put_times(f, "other/cuda", "a", "csr", "31250", "coo", "62500");
    assert_ok(f->context, import(f, &plain));
    assert_ok(f->context, import(f, &named));
    static const struct {
        const char *id;
        double gbps;
    } expected[] = {{"gpu", 100}, {"gpu_x", 200}, {"other_x", 300}, {"gpu.omp-lower-ns", NAN}};
    for (size_t i = 0; i < 4; i++) {
        nitro_device *device = NULL;
        assert_ok(f->context, nitro_store_get_device(f->store, expected[i].id, &device));
        assert_true(records_same_number(nitro_device_value(device, "peak_gbps"), expected[i].gbps));
        nitro_device_free(device);
    }
    free(path);
}

/* Folders called as in the public checkout, and the rows of the shipped tables that they mean. */
static void test_folders_named_after_cards(void **state)
{
    static const struct {
        const char *folder, *card, *other; /* one of the other rows that fit as well */
    } expected[] = {
        {"K20Xm", "k20x", NULL},
        {"K40m", "k40c", NULL},
        {"K40m_2018sep", "k40c", NULL},
        {"GTX1080", "gtx-1080", NULL},
        {"gtx-980_Ti", "gtx-980-ti", NULL},
        {"P100", "p100-pcie-12gb", "p100-sxm2-16gb"},
        {"titanV", "titan-v", NULL},
        {"titanV_2018sep", "titan-v", NULL},
        {"TitanX", "gtx-titan-x", NULL},
        {"V100", "v100-pcie-16gb", "v100-sxm2-16gb"},
        {"V100_SXM2", "v100-sxm2-16gb", "v100-sxm2-32gb"},
        {"V100_summit", "v100-pcie-16gb", "v100-sxm2-16gb"},
        {"T4", "t4", NULL},
        {"RTX2080Ti", "rtx-2080-ti", NULL},
        {"A100", "a100-pcie-40gb", "a100-sxm4-80gb"},
        {"RadeonVII", "radeon-vii", NULL},
        {"MI50", "mi50", NULL},
        {"MI100", "mi100", NULL},
    };
    fixture *f = *state;
    char folder[96];
    const nitro_string_list tables = {.items = (char *[]){SOURCE_DIR "/data/devices/nvidia.csv",
                                                          SOURCE_DIR "/data/devices/amd.csv"},
                                      .count = 2};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        snprintf(folder, sizeof folder, "%s/cuda", expected[i].folder);
        put_times(f, folder, "a", "csr", "31250", "coo", "62500");
    }
    put_times(f, "Xeon_Gold_6230/omp", "a", "csr", "31250", "coo", "62500");
    assert_ok(f->context, import(f, &(nitro_ginkgo_options){.tables = &tables}));
    for (size_t i = 0; i < f->report->num_campaigns; i++) {
        const nitro_ginkgo_campaign *its = &f->report->campaigns[i];
        size_t e = 0;
        while (e < sizeof expected / sizeof expected[0] &&
               strcmp(expected[e].folder, its->folder) != 0)
            e++;
        if (e == sizeof expected / sizeof expected[0]) {
            assert_string_equal(its->folder, "Xeon_Gold_6230");
            assert_null(its->card);
            continue;
        }
        assert_non_null(its->card);
        assert_string_equal(its->card, expected[e].card);
        assert_int_equal(its->other_cards != NULL, expected[e].other != NULL);
        if (expected[e].other)
            assert_non_null(strstr(its->other_cards, expected[e].other));
        nitro_device *device = NULL;
        assert_ok(f->context, nitro_store_get_device(f->store, its->folder, &device));
        assert_true(nitro_device_value(device, "peak_gbps") > 0);
        nitro_device_free(device);
    }
    assert_int_equal(f->report->num_campaigns, 1 + sizeof expected / sizeof expected[0]);
}

/* A device without the others' variants does not take part in choosing them. */
static void test_chosen_names(void **state)
{
    fixture *f = *state;
    nitro_string_list variants = {0}, folders = {0};
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "62500");
    put_times(f, "odd/cuda", "a", "dense", "31250", "coo", "62500");
    assert_fails(f->context, import(f, NULL), NITRO_ERR_NO_DATA,
                 "fewer than two variants that most of them measured");
    assert_ok(f->context, nitro_string_list_split(f->context, &variants, "csr,coo"));
    assert_ok(f->context, nitro_string_list_split(f->context, &folders, "odd"));
    const nitro_ginkgo_options chosen = {.variants = &variants},
                               nothing = {.variants = &variants, .folders = &folders};
    assert_ok(f->context, import(f, &chosen));
    assert_int_equal(campaign(f, "gpu")->added, 1);
    assert_non_null(campaign(f, "odd")->skip_reason);
    assert_fails(f->context, import(f, &nothing), NITRO_ERR_NO_DATA, "does not measure variant");
    nitro_string_list_free(&variants);
    nitro_string_list_free(&folders);
}

/* ---- What is skipped --------------------------------------------------------------------------
 */

static void put_bad_files(fixture *f)
{
    static const char *const files[][2] = {
        {"empty", ""},
        {"conflict", "<<<<<<< HEAD\n[{}]"},
        {"list", "[\"a\", \"b\"]"},
        {"no-sizes", "[{\"problem\": {}, \"spmv\": {\"csr\": {\"time\": 1000}}}]"},
        {"unclear", "[{\"problem\": {\"rows\": 1, \"cols\": 1, \"nonzeros\": 1}, "
                    "\"spmv\": {\"csr\": {\"time\": 1e300}}}]"},
        {"two-units", "[{\"problem\": {\"rows\": 1, \"cols\": 1, \"nonzeros\": 1}, "
                      "\"spmv\": {\"csr\": {\"time\": 1e-5}, \"coo\": {\"time\": 10000}}}]"},
        {"giant", "[{\"problem\": {\"rows\": 1e999}}]"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char name[160];
        snprintf(name, sizeof(name), "data/gpu/cuda/SuiteSparse/G/%s.json", files[i][0]);
        put_file(f, name, files[i][1]);
    }
}

static void put_bad_entries(fixture *f)
{
    char *nested = malloc(100001), *huge = malloc((5 << 20) + 1);
    memset(nested, '[', 100000);
    memset(huge, ' ', 5 << 20);
    nested[100000] = huge[5 << 20] = '\0';
    put_file(f, "data/gpu/cuda/SuiteSparse/G/nested.json", nested);
    put_file(f, "data/gpu/cuda/SuiteSparse/G/huge.json", huge);
    put_file(f, "data/README.md", "hello");
    put_file(f, "data/list.json", "[\"gpu\"]");
    put_file(f, "data/.git/x/cuda/SuiteSparse/G/m.json", "no");
    put_file(f, "data/a/b/c/d/e/f/g/h/i/j/k/l/m.json", "no");
    assert_int_equal(symlink(".", temporary_path(&f->folder, "data/gpu/loop")), 0);
    assert_int_equal(
        symlink("/etc/passwd", temporary_path(&f->folder, "data/gpu/cuda/SuiteSparse/G/l.json")),
        0);
    assert_int_equal(mkfifo(temporary_path(&f->folder, "data/gpu/cuda/SuiteSparse/G/f.json"), 0666),
                     0);
    free(nested);
    free(huge);
}

static void test_bad_files_are_counted(void **state)
{
    fixture *f = *state;
    put_times(f, "gpu/cuda", "good", "csr", "31250", "coo", "62500");
    put_times(f, "gpu/cuda", "zz-good-again", "csr", "31250", "coo", "62500");
    put_file(f, "data/gpu/cuda/SuiteSparse/H/good.json",
             "[{\"problem\": {\"group\": \"G\", \"name\": \"good\", \"rows\": 1, \"cols\": 1, "
             "\"nonzeros\": 1}, \"spmv\": {\"csr\": {\"time\": 999}}}]");
    put_bad_files(f);
    put_bad_entries(f);
    assert_ok(f->context, import(f, NULL));
    assert_int_equal(campaign(f, "gpu")->added, 2);
    static const struct {
        const char *reason;
        size_t count;
    } expected[] = {{"not JSON", 4}, /* empty, conflict, giant, nested */
                    {"no measurement of spmv", 2},
                    {"rows, columns", 1},
                    {"neither in seconds nor", 1},
                    {"different units", 1},
                    {"larger than 4 MiB", 1},
                    {"not named *.json", 1},
                    {"not at DEVICE", 1},
                    {"symbolic link", 3},
                    {"below the expected depth", 1},
                    {"a repeated matrix", 1}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        if (skipped(f, expected[i].reason) != expected[i].count)
            fail_msg("%zu skipped as '%s', not %zu", skipped(f, expected[i].reason),
                     expected[i].reason, expected[i].count);
    assert_int_equal(f->report->num_skipped, sizeof(expected) / sizeof(expected[0]));
}

static void test_nothing_to_import(void **state)
{
    fixture *f = *state;
    const nitro_ginkgo_options missing = {.path = "/no/such/folder"},
                               file = {.path = "/etc/passwd"}, bad = {.campaign = "a b"};
    assert_fails(f->context, import(f, &missing), NITRO_ERR_NOT_FOUND, "/no/such/folder");
    assert_fails(f->context, import(f, &file), NITRO_ERR_ARGUMENT, "not a folder");
    put_file(f, "data/x.json", "{}");
    assert_fails(f->context, import(f, NULL), NITRO_ERR_NO_DATA, "no measurement found");
    put_times(f, "gpu/cuda", "a", "csr", "31250", "coo", "62500");
    assert_fails(f->context, import(f, &bad), NITRO_ERR_ARGUMENT, "invalid device id");
}

/* ---- The project's own files ----------------------------------------------------------------- */

/* Six significant digits are what the tables have. */
static void assert_close(double ours, double theirs, const char *input, const char *column)
{
    if (isnan(ours) != isnan(theirs) || fabs(ours - theirs) > 6e-6 * fabs(theirs))
        fail_msg("%s: %s is %.9g, and %.9g in the table", input, column, ours, theirs);
}

/* The row of the table that has this input; NITRO_NONE. */
static size_t find_row(const nitro_csv *csv, const char *input)
{
    for (size_t row = 0; row < nitro_csv_num_rows(csv); row++)
        if (strcmp(nitro_csv_field(csv, row, 0), input) == 0)
            return row;
    return NITRO_NONE;
}

typedef struct comparison {
    nitro_context *context;
    const nitro_schema *schema;
    const nitro_csv *table;
    bool times; /* the table is of the same campaign */
    size_t compared;
} comparison;

static double table_value(const comparison *with, size_t row, const char *column)
{
    double value = NAN;
    size_t index = nitro_csv_column(with->table, column);
    assert_true(index != NITRO_NONE);
    assert_ok(with->context, nitro_csv_number(with->table, row, index, &value));
    return value;
}

static nitro_status compare_sample(void *user, const nitro_sample *sample)
{
    comparison *with = user;
    size_t row = find_row(with->table, sample->input);
    assert_true(row != NITRO_NONE);
    for (size_t i = 0; i < with->schema->num_features; i++) {
        const char *name = with->schema->features[i].name;
        assert_close(sample->features[i], table_value(with, row, name), sample->input, name);
    }
    for (size_t i = 0; with->times && i < with->schema->num_variants; i++) {
        char name[96];
        snprintf(name, sizeof(name), "time_ms:%s", with->schema->variants[i]);
        assert_close(sample->entries[i].median_ms, table_value(with, row, name), sample->input,
                     name);
    }
    with->compared++;
    return NITRO_OK;
}

/* The files of V100_SXM2 and MI100 are of other campaigns than the tables: only their features are
 * the same. */
static void test_files_against_tables(void **state)
{
    static const struct {
        const char *device;
        bool times;
    } devices[] = {{"K20Xm", true},
                   {"titanV", true},
                   {"Xeon_Gold_6230", true},
                   {"V100_SXM2", false},
                   {"MI100", false}};
    fixture *f = *state;
    nitro_schema *schema = NULL;
    char path[4096];
    snprintf(path, sizeof(path), "%s", unit_shared_data("ginkgo-sample/README.md"));
    *strrchr(path, '/') = '\0';
    assert_ok(f->context, import(f, &(nitro_ginkgo_options){.path = path}));
    assert_int_equal(f->report->num_campaigns, 5);
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv-ginkgo", &schema));
    assert_int_equal(schema->num_variants, 5);
    for (size_t i = 0; i < 5; i++) {
        nitro_csv *table = NULL;
        char name[128];
        snprintf(name, sizeof(name), "spmv/%s.csv", devices[i].device);
        assert_ok(f->context, nitro_csv_read(f->context, unit_shared_data(name), &table));
        comparison with = {f->context, schema, table, devices[i].times, 0};
        assert_ok(f->context, nitro_store_each_sample(f->store, "spmv-ginkgo", devices[i].device,
                                                      compare_sample, &with));
        assert_int_equal(with.compared, 4);
        nitro_csv_free(table);
    }
    nitro_schema_free(schema);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_layouts_become_one),   TEST(test_missing_values),
        TEST(test_campaigns_stay_apart), TEST(test_second_state),
        TEST(test_device_features),      TEST(test_folders_named_after_cards),
        TEST(test_chosen_names),         TEST(test_bad_files_are_counted),
        TEST(test_nothing_to_import),    TEST(test_files_against_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
