/* Importing and exporting recorded devices as CSV. */
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

static const char devices_text[] = "device,vendor,model,peak_gbps,shared_atomic\n"
                                   "K20,NVIDIA,\"Tesla \"\"K20\"\", 5 GB\",208,0.361\n"
                                   "K40,NVIDIA,Tesla K40,288.4,\n";

static const char samples_text[] = "input,rows,fill,time_ms:csr,time_ms:ell\n"
                                   "\"b, \"\"2\"\"\",10,1.5,0.25,\n"
                                   "a/1,20,,0.125,0.5\n"
                                   "c,1e6,-3,,\n";

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    const char *devices_path;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->devices_path = strdup(temporary_write(&f->folder, "devices.csv", devices_text));
    assert_ok(f->context, nitro_store_open(f->context, temporary_path(&f->folder, "store"),
                                           NITRO_STORE_WRITE, &f->store));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    free((char *)f->devices_path);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

typedef struct choice { /* options as the command line has them; NULL: not given */
    const char *device, *features, *variants, *logs;
    bool replace, without_devices;
} choice;

static nitro_status import_file(fixture *f, const char *path, const char *devices_path,
                                choice chosen, nitro_import_report *report)
{
    nitro_string_list features = {0}, variants = {0}, logs = {0};
    nitro_import_options options = {.computation = "spmv",
                                    .device = chosen.device ? chosen.device : "K20",
                                    .samples_path = path,
                                    .devices_path = devices_path,
                                    .replace = chosen.replace};
    if (chosen.features) {
        assert_ok(f->context, nitro_string_list_split(f->context, &features, chosen.features));
        options.features = &features;
    }
    if (chosen.variants) {
        assert_ok(f->context, nitro_string_list_split(f->context, &variants, chosen.variants));
        options.variants = &variants;
    }
    if (chosen.logs) {
        assert_ok(f->context, nitro_string_list_split(f->context, &logs, chosen.logs));
        options.log_features = &logs;
    }
    nitro_status status = nitro_store_import_csv(f->store, &options, report);
    nitro_string_list_free(&features);
    nitro_string_list_free(&variants);
    nitro_string_list_free(&logs);
    return status;
}

static nitro_status import(fixture *f, const char *text, choice chosen, nitro_import_report *report)
{
    const char *path = temporary_write(&f->folder, "samples.csv", text);
    return import_file(f, path, chosen.without_devices ? NULL : f->devices_path, chosen, report);
}

static size_t count_samples(fixture *f, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", device, &count));
    return count;
}

static void assert_holds_nothing(fixture *f)
{
    nitro_string_list names = {0};
    assert_ok(f->context, nitro_store_list_computations(f->store, &names));
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &names));
    assert_int_equal(names.count, 0);
}

static void assert_order(fixture *f, const char *features, const char *variants)
{
    nitro_schema *schema = NULL;
    char text[256] = "";
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &schema));
    for (size_t i = 0; i < schema->num_features; i++)
        strcat(strcat(text, i ? "," : ""), schema->features[i].name);
    assert_string_equal(text, features);
    text[0] = '\0';
    for (size_t i = 0; i < schema->num_variants; i++)
        strcat(strcat(text, i ? "," : ""), schema->variants[i]);
    assert_string_equal(text, variants);
    nitro_schema_free(schema);
}

/* ---- What is stored -------------------------------------------------------------------------- */

static nitro_status check_imported(void *user, const nitro_sample *sample)
{
    size_t *seen = user;
    static const char *const inputs[] = {"a/1", "b, \"2\"", "c"};
    static const double rows[] = {20, 10, 1e6}, fill[] = {NAN, 1.5, -3};
    static const double csr[] = {0.125, 0.25, NAN}, ell[] = {0.5, NAN, NAN};
    size_t i = (*seen)++;
    assert_true(i < 3);
    assert_string_equal(sample->input, inputs[i]);
    assert_true(sample->features[0] == rows[i]);
    assert_true(records_same_number(sample->features[1], fill[i]));
    assert_true(records_same_number(sample->entries[0].median_ms, csr[i]));
    assert_true(records_same_number(sample->entries[1].median_ms, ell[i]));
    for (size_t v = 0; v < 2; v++) {
        const nitro_entry *entry = &sample->entries[v];
        assert_int_equal(entry->outcome,
                         isnan(entry->median_ms) ? NITRO_OUTCOME_MISSING : NITRO_OUTCOME_MEASURED);
        assert_int_equal(entry->count, 0);
        assert_null(entry->version);
    }
    assert_string_equal(sample->provenance.origin, "imported from samples.csv");
    assert_string_equal(sample->provenance.library, nitro_version());
    assert_true(sample->provenance.time_s > 1500000000);
    return NITRO_OK;
}

static void test_rows_become_samples(void **state)
{
    fixture *f = *state;
    nitro_import_report report = {0};
    nitro_device *device = NULL;
    size_t seen = 0;
    assert_ok(f->context, import(f, samples_text, (choice){0}, &report));
    assert_int_equal(report.added, 3);
    assert_int_equal(report.replaced, 0);
    assert_int_equal(report.holes, 3);
    assert_int_equal(report.without_times, 1);
    assert_ok(f->context, nitro_store_each_sample(f->store, "spmv", "K20", check_imported, &seen));
    assert_int_equal(seen, 3);
    assert_order(f, "rows,fill", "csr,ell");
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &device));
    assert_string_equal(device->kind, "recorded");
    assert_true(nitro_device_value(device, "shared_atomic") == 0.361);
    assert_string_equal(nitro_device_label(device, "model"), "Tesla \"K20\", 5 GB");
    nitro_device_free(device);
    records_assert_sound(f->store);
}

static void test_a_device_without_features(void **state)
{
    fixture *f = *state;
    nitro_device *device = NULL;
    choice chosen = {.device = "lab", .without_devices = true};
    assert_ok(f->context, import(f, samples_text, chosen, NULL));
    assert_ok(f->context, nitro_store_get_device(f->store, "lab", &device));
    assert_int_equal(device->num_features, 0);
    nitro_device_free(device);
    /* One that is known keeps what is known of it. */
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    chosen.device = "K20";
    assert_ok(f->context,
              import(f, "input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n", chosen, NULL));
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &device));
    assert_true(nitro_device_value(device, "peak_gbps") == 208);
    nitro_device_free(device);
}

static void test_more_rows_add_and_the_same_are_refused(void **state)
{
    fixture *f = *state;
    nitro_import_report report = {0};
    static const char more[] = "input,rows,fill,time_ms:csr,time_ms:ell\n"
                               "d,1,2,3,4\n"
                               "c,7,7,7,7\n";
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    assert_fails(f->context, import(f, more, (choice){0}, &report), NITRO_ERR_EXISTS,
                 "1 of its 2 inputs are in the store already for device K20 (c); nothing was "
                 "imported. Use --replace");
    assert_int_equal(count_samples(f, "K20"), 3);
    assert_ok(f->context, import(f, more, (choice){.replace = true}, &report));
    assert_int_equal(report.added, 1);
    assert_int_equal(report.replaced, 1);
    assert_int_equal(count_samples(f, "K20"), 4);
    assert_ok(f->context, import(f, more, (choice){.device = "K40"}, &report)); /* its own inputs */
    assert_int_equal(report.added, 2);
}

/* ---- Which columns --------------------------------------------------------------------------- */

static void test_options_choose_columns_and_their_order(void **state)
{
    fixture *f = *state;
    static const char text[] = "note,time_ms:dia,fill,input,time_ms:csr,rows,time_ms:ell\n"
                               "hot,9,,b,3,10,4\n";
    choice chosen = {.features = "rows,fill", .variants = "ell,csr"};
    assert_ok(f->context, import(f, text, chosen, NULL));
    assert_order(f, "rows,fill", "ell,csr");
    chosen.features = "rows,colour";
    assert_fails(f->context, import(f, text, chosen, NULL), NITRO_ERR_MISMATCH, "colour");
    chosen = (choice){.device = "K40", .features = "rows,fill"};
    assert_fails(f->context, import(f, text, chosen, NULL), NITRO_ERR_MISMATCH,
                 "import these alone with --variants ell,csr");
}

static void test_known_names_are_found_in_any_order(void **state)
{
    fixture *f = *state;
    size_t seen = 0;
    static const char shuffled[] = "time_ms:ell,fill,time_ms:csr,input,rows\n"
                                   ",-3,,c,1e6\n"
                                   "0.5,,0.125,a/1,20\n"
                                   ",1.5,0.25,\"b, \"\"2\"\"\",10\n";
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    assert_ok(f->context, import(f, shuffled, (choice){.device = "K40"}, NULL));
    assert_ok(f->context, nitro_store_each_sample(f->store, "spmv", "K40", check_imported, &seen));
    assert_int_equal(seen, 3);
    assert_order(f, "rows,fill", "csr,ell");
}

static void test_other_names_are_refused_with_both_and_a_way_out(void **state)
{
    fixture *f = *state;
    choice chosen = {.device = "K40"};
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    static const char more[] = "input,rows,fill,time_ms:csr,time_ms:dia,time_ms:ell\nx,1,2,3,4,5\n";
    assert_fails(f->context, import(f, more, chosen, NULL), NITRO_ERR_MISMATCH,
                 "the store has spmv with features (rows,fill) and variants (csr,ell); ");
    assert_fails(f->context, import(f, more, chosen, NULL), NITRO_ERR_MISMATCH,
                 "variants (csr,dia,ell). The order counts too. The file has the store's columns "
                 "too; import these alone with --variants csr,ell");
    static const char wide[] = "input,rows,nnz,fill,time_ms:csr,time_ms:ell\nx,1,2,3,4,5\n";
    assert_fails(f->context, import(f, wide, chosen, NULL), NITRO_ERR_MISMATCH,
                 "import these alone with --features rows,fill");
    static const char fewer[] = "input,rows,time_ms:csr\nx,1,2\n";
    assert_fails(f->context, import(f, fewer, chosen, NULL), NITRO_ERR_MISMATCH,
                 "The file has no column fill, time_ms:ell.");
    assert_int_equal(count_samples(f, "K40"), 0);
}

static void test_log_scales(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = NULL;
    assert_fails(f->context, import(f, samples_text, (choice){.logs = "fill"}, NULL),
                 NITRO_ERR_FORMAT, "samples.csv:4: column 3 ('fill'): '-3' is not above 0");
    assert_fails(f->context, import(f, samples_text, (choice){.logs = "nnz"}, NULL),
                 NITRO_ERR_ARGUMENT, "feature 'nnz' is to be scaled log, but is not among");
    assert_holds_nothing(f);
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    choice chosen = {.device = "K40", .logs = "rows"};
    assert_ok(f->context, import(f, samples_text, chosen, NULL)); /* was open, is log now */
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &schema));
    assert_int_equal(schema->features[0].scale, NITRO_SCALE_LOG);
    assert_int_equal(schema->features[1].scale, NITRO_SCALE_AUTO);
    nitro_schema_free(schema);
}

/* ---- Bad files ------------------------------------------------------------------------------- */

static void test_bad_rows_import_nothing(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"name,rows,time_ms:csr\na,1,2\n", "samples.csv:1: there is no column 'input'"},
        {"input,rows,csr\na,1,2\n", "samples.csv:1: no column of times"},
        {"input,rows,time_ms:csr\n", "samples.csv: there is no row below the header"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,2\na,3,4\n",
         "samples.csv:4: input 'a' has a row on line 2 already"},
        {"input,rows,time_ms:csr\na,1,2\nb,many,2\n",
         "samples.csv:3: column 2 ('rows'): 'many' is not a finite number"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,fast\n",
         "samples.csv:3: column 3 ('time_ms:csr'): 'fast' is not a finite number"},
        {"input,rows,time_ms:csr\na,inf,2\n", "samples.csv:2: column 2 ('rows'): 'inf'"},
        {"input,rows,time_ms:csr\na,1,1e999\n", "samples.csv:2: column 3 ('time_ms:csr')"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,0\n",
         "samples.csv:3: column 3 ('time_ms:csr'): '0' is no time"},
        {"input,rows,time_ms:csr\na,1,-2\n", "samples.csv:2: column 3 ('time_ms:csr'): '-2' is no"},
        {"input,rows,time_ms:csr\na,1,2\n,1,2\n",
         "samples.csv:3: column 1 ('input'): '' is no input name"},
        {"input,rows,time_ms:csr\n\"a\tb\",1,2\n", "samples.csv:2: column 1 ('input')"},
        {"input,rows,time_ms:csr\n\xff,1,2\n", "samples.csv:2: column 1 ('input')"},
        {"input,rows,time_ms:csr\na,1,2\nb,1\n", "samples.csv:3: 2 fields, but the header has 3"},
        {"input,my rows,time_ms:csr\na,1,2\n",
         "samples.csv:1: column 2: 'my rows' is no name of a feature"},
        {"input,rows,time_ms:\na,1,2\n", "samples.csv:1: column 3: '' is no name of a variant"},
        {"", "samples.csv:1: the file is empty"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_fails(f->context, import(f, cases[i].text, (choice){0}, NULL), NITRO_ERR_FORMAT,
                     cases[i].error);
    choice chosen = {.features = "rows,nnz"};
    assert_fails(f->context, import(f, samples_text, chosen, NULL), NITRO_ERR_FORMAT,
                 "samples.csv:1: there is no column 'nnz'");
    chosen = (choice){.variants = "csr,dia"};
    assert_fails(f->context, import(f, samples_text, chosen, NULL), NITRO_ERR_FORMAT,
                 "samples.csv:1: there is no column 'time_ms:dia'");
    assert_holds_nothing(f);
}

static void test_too_many_columns_are_refused(void **state)
{
    fixture *f = *state;
    char text[2000] = "input";
    for (int i = 0; i <= NITRO_MAX_VARIANTS; i++)
        sprintf(text + strlen(text), ",time_ms:v%d", i);
    strcat(text, "\na");
    for (int i = 0; i <= NITRO_MAX_VARIANTS; i++)
        strcat(text, ",1");
    assert_fails(f->context, import(f, text, (choice){0}, NULL), NITRO_ERR_ARGUMENT,
                 "64 is the limit");
    assert_holds_nothing(f);
}

static void test_bad_devices_import_nothing(void **state)
{
    fixture *f = *state;
    assert_fails(f->context, import(f, samples_text, (choice){.device = "K80"}, NULL),
                 NITRO_ERR_NOT_FOUND, "devices.csv: no device 'K80' in it; there is: K20, K40");
    assert_fails(f->context, import(f, samples_text, (choice){.device = "K 20"}, NULL),
                 NITRO_ERR_ARGUMENT, "'K 20' is no device id");
    temporary_write(&f->folder, "devices.csv", "device,peak_gbps\nK20,208\nK40,fast\n");
    assert_fails(f->context, import(f, samples_text, (choice){0}, NULL), NITRO_ERR_FORMAT,
                 "devices.csv:3: column 2 ('peak_gbps'): 'fast'");
    assert_holds_nothing(f);
}

static void test_modelled_and_measured_do_not_mix(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    temporary_write(&f->folder, "devices.csv", "device,kind,peak_gbps\nK20,model,1\n");
    choice chosen = {.replace = true};
    assert_fails(f->context, import(f, samples_text, chosen, NULL), NITRO_ERR_MISMATCH,
                 "device K20 is of kind 'recorded' in the store, but of kind 'model' in");
}

/* A disk that fills up while rows are written: neither names, nor a device, nor a row is there. */
static void test_a_full_disk_imports_nothing(void **state)
{
    fixture *f = *state;
    FILE *file = fopen(temporary_path(&f->folder, "many.csv"), "w");
    assert_non_null(file);
    fprintf(file, "input,rows,time_ms:csr,time_ms:ell\n");
    for (int i = 0; i < 5000; i++)
        fprintf(file, "input-%d,%d,1.5,2.5\n", i, i);
    fclose(file);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = 200000, .rlim_max = 200000};
        char message[1024];
        fixture own = *f; /* an open database must not be used across a fork */
        signal(SIGXFSZ, SIG_IGN);
        if (nitro_store_open(f->context, temporary_path(&f->folder, "store"), NITRO_STORE_WRITE,
                             &own.store) != NITRO_OK ||
            setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(3);
        nitro_status status = import_file(&own, temporary_path(&f->folder, "many.csv"),
                                          f->devices_path, (choice){0}, NULL);
        nitro_context_last_error(f->context, message, sizeof(message));
        _exit(status == NITRO_ERR_IO && strstr(message, "nothing of a write that failed was kept")
                  ? 0
                  : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_holds_nothing(f);
    records_assert_sound(f->store);
    assert_ok(f->context, import_file(f, temporary_path(&f->folder, "many.csv"), f->devices_path,
                                      (choice){0}, NULL));
    assert_int_equal(count_samples(f, "K20"), 5000);
}

/* ---- Export ---------------------------------------------------------------------------------- */

static void assert_file_is(fixture *f, const char *path, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_file_read(f->context, path, 1 << 20, &text, &size));
    assert_string_equal(text, expected);
    free(text);
}

static void test_export_writes_the_same_form(void **state)
{
    fixture *f = *state;
    const char *samples = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
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
    fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    const char *devices = temporary_path(&f->folder, "devices-out.csv");
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
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
    fixture *f = *state;
    const char *out = temporary_path(&f->folder, "out.csv");
    assert_fails(f->context, nitro_store_export_csv(f->store, "spmv", "K20", out, NULL),
                 NITRO_ERR_NOT_FOUND, "no computation 'spmv'");
    assert_ok(f->context, import(f, samples_text, (choice){0}, NULL));
    assert_fails(f->context, nitro_store_export_csv(f->store, "spmv", "K40", out, NULL),
                 NITRO_ERR_NOT_FOUND, "no samples of spmv on device 'K40'");
    assert_int_not_equal(access(out, F_OK), 0);
    assert_fails(f->context,
                 nitro_store_export_csv(f->store, "spmv", "K20", "/nowhere/out.csv", NULL),
                 NITRO_ERR_IO, "/nowhere/out.csv");
}

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
static void round_trip(fixture *f, const char *device, choice chosen)
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
    fixture *f = *state;
    static const struct {
        const char *file, *device;
    } campaign[] = {{"K20Xm", "K20Xm"},
                    {"K40m_2018sep", "K40m"},
                    {"titanV_2018sep", "titanV"},
                    {"V100_SXM2", "V100_SXM2"}};
    for (size_t i = 0; i < 4; i++)
        round_trip(f, campaign[i].file,
                   (choice){.device = campaign[i].device,
                            .features = all_features,
                            .variants = "coo,csr,ell,hybrid,sellp",
                            .logs = "rows,cols,nnz"});
    records_assert_sound(f->store);
}

/* Each file with all that it holds, as a computation of its own. */
static void test_every_recorded_file(void **state)
{
    fixture *f = *state;
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
        round_trip(f, files[i].file, (choice){.device = files[i].device});
        size_t removed = 0;
        assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
        assert_true(removed > 1800);
    }
}

#define IMPORT_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_rows_become_samples),
        IMPORT_TEST(test_a_device_without_features),
        IMPORT_TEST(test_more_rows_add_and_the_same_are_refused),
        IMPORT_TEST(test_options_choose_columns_and_their_order),
        IMPORT_TEST(test_known_names_are_found_in_any_order),
        IMPORT_TEST(test_other_names_are_refused_with_both_and_a_way_out),
        IMPORT_TEST(test_log_scales),
        IMPORT_TEST(test_bad_rows_import_nothing),
        IMPORT_TEST(test_too_many_columns_are_refused),
        IMPORT_TEST(test_bad_devices_import_nothing),
        IMPORT_TEST(test_modelled_and_measured_do_not_mix),
        IMPORT_TEST(test_a_full_disk_imports_nothing),
        IMPORT_TEST(test_export_writes_the_same_form),
        IMPORT_TEST(test_a_table_of_devices_keeps_the_others),
        IMPORT_TEST(test_export_of_what_is_not_there),
        IMPORT_TEST(test_the_campaign_of_2018),
        IMPORT_TEST(test_every_recorded_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
