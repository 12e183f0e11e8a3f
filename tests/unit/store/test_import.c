/* test_import.c - imports of recorded devices from CSV: choice of columns; refusals leave no trace.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "unit/store/import_fixture.h"

static void assert_order(import_fixture *f, const char *features, const char *variants)
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
    import_fixture *f = *state;
    nitro_import_report report = {0};
    nitro_device *device = NULL;
    size_t seen = 0;
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, &report));
    assert_int_equal(report.added, 3);
    assert_int_equal(report.replaced, 0);
    assert_int_equal(report.missing_values, 3);
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
    import_fixture *f = *state;
    nitro_device *device = NULL;
    import_choice chosen = {.device = "lab", .without_devices = true};
    assert_ok(f->context, import_text(f, import_samples_text, chosen, NULL));
    assert_ok(f->context, nitro_store_get_device(f->store, "lab", &device));
    assert_int_equal(device->num_features, 0);
    nitro_device_free(device);
    /* A known device keeps its features. */
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    chosen.device = "K20";
    assert_ok(f->context,
              import_text(f, "input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n", chosen, NULL));
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &device));
    assert_true(nitro_device_value(device, "peak_gbps") == 208);
    nitro_device_free(device);
}

static void test_new_rows_are_added_and_known_ones_refused(void **state)
{
    import_fixture *f = *state;
    nitro_import_report report = {0};
    static const char more[] = "input,rows,fill,time_ms:csr,time_ms:ell\n"
                               "d,1,2,3,4\n"
                               "c,7,7,7,7\n";
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_fails(f->context, import_text(f, more, (import_choice){0}, &report), NITRO_ERR_EXISTS,
                 "the store already has 1 of the 2 inputs for device K20 (c); nothing was "
                 "imported. Use --replace");
    assert_int_equal(import_count(f, "K20"), 3);
    assert_ok(f->context, import_text(f, more, (import_choice){.replace = true}, &report));
    assert_int_equal(report.added, 1);
    assert_int_equal(report.replaced, 1);
    assert_int_equal(import_count(f, "K20"), 4);
    assert_ok(f->context,
              import_text(f, more, (import_choice){.device = "K40"}, &report)); /* its own inputs */
    assert_int_equal(report.added, 2);
}

/* ---- Which columns --------------------------------------------------------------------------- */

static void test_options_choose_columns_and_their_order(void **state)
{
    import_fixture *f = *state;
    static const char text[] = "note,time_ms:dia,fill,input,time_ms:csr,rows,time_ms:ell\n"
                               "hot,9,,b,3,10,4\n";
    import_choice chosen = {.features = "rows,fill", .variants = "ell,csr"};
    assert_ok(f->context, import_text(f, text, chosen, NULL));
    assert_order(f, "rows,fill", "ell,csr");
    chosen.features = "rows,colour";
    assert_fails(f->context, import_text(f, text, chosen, NULL), NITRO_ERR_MISMATCH, "colour");
    chosen = (import_choice){.device = "K40", .features = "rows,fill"};
    assert_fails(f->context, import_text(f, text, chosen, NULL), NITRO_ERR_MISMATCH,
                 "import these alone with --variants ell,csr");
}

static void test_columns_of_a_known_schema_in_any_order(void **state)
{
    import_fixture *f = *state;
    size_t seen = 0;
    static const char shuffled[] = "time_ms:ell,fill,time_ms:csr,input,rows\n"
                                   ",-3,,c,1e6\n"
                                   "0.5,,0.125,a/1,20\n"
                                   ",1.5,0.25,\"b, \"\"2\"\"\",10\n";
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_ok(f->context, import_text(f, shuffled, (import_choice){.device = "K40"}, NULL));
    assert_ok(f->context, nitro_store_each_sample(f->store, "spmv", "K40", check_imported, &seen));
    assert_int_equal(seen, 3);
    assert_order(f, "rows,fill", "csr,ell");
}

static void test_another_schema_is_refused_with_a_remedy(void **state)
{
    import_fixture *f = *state;
    import_choice chosen = {.device = "K40"};
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    static const char more[] = "input,rows,fill,time_ms:csr,time_ms:dia,time_ms:ell\nx,1,2,3,4,5\n";
    assert_fails(f->context, import_text(f, more, chosen, NULL), NITRO_ERR_MISMATCH,
                 "the store has spmv with features (rows,fill) and variants (csr,ell); ");
    assert_fails(f->context, import_text(f, more, chosen, NULL), NITRO_ERR_MISMATCH,
                 "variants (csr,dia,ell). Their order matters. The file also has the store's "
                 "columns; import these alone with --variants csr,ell");
    static const char wide[] = "input,rows,nnz,fill,time_ms:csr,time_ms:ell\nx,1,2,3,4,5\n";
    assert_fails(f->context, import_text(f, wide, chosen, NULL), NITRO_ERR_MISMATCH,
                 "import these alone with --features rows,fill");
    static const char fewer[] = "input,rows,time_ms:csr\nx,1,2\n";
    assert_fails(f->context, import_text(f, fewer, chosen, NULL), NITRO_ERR_MISMATCH,
                 "The file has no column fill, time_ms:ell.");
    assert_int_equal(import_count(f, "K40"), 0);
}

static void test_log_scales(void **state)
{
    import_fixture *f = *state;
    nitro_schema *schema = NULL;
    assert_fails(f->context,
                 import_text(f, import_samples_text, (import_choice){.logs = "fill"}, NULL),
                 NITRO_ERR_FORMAT, "samples.csv:4: column 3 ('fill'): '-3' is not above 0");
    assert_fails(f->context,
                 import_text(f, import_samples_text, (import_choice){.logs = "nnz"}, NULL),
                 NITRO_ERR_ARGUMENT, "no feature 'nnz' to scale logarithmically");
    import_assert_nothing(f);
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    import_choice chosen = {.device = "K40", .logs = "rows"};
    assert_ok(f->context,
              import_text(f, import_samples_text, chosen, NULL)); /* was auto, is log now */
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
        {"name,rows,time_ms:csr\na,1,2\n", "samples.csv:1: no column 'input'"},
        {"input,rows,csr\na,1,2\n", "samples.csv:1: no column of times"},
        {"input,rows,time_ms:csr\n", "samples.csv: the table has no rows"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,2\na,3,4\n",
         "samples.csv:4: input 'a' has a row on line 2 already"},
        {"input,rows,time_ms:csr\na,1,2\nb,many,2\n",
         "samples.csv:3: column 2 ('rows'): 'many' is not a finite number"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,fast\n",
         "samples.csv:3: column 3 ('time_ms:csr'): 'fast' is not a time"},
        {"input,rows,time_ms:csr\na,inf,2\n", "samples.csv:2: column 2 ('rows'): 'inf'"},
        {"input,rows,time_ms:csr\na,1,1e999\n", "samples.csv:2: column 3 ('time_ms:csr')"},
        {"input,rows,time_ms:csr\na,1,2\nb,1,0\n",
         "samples.csv:3: column 3 ('time_ms:csr'): '0' is not a time"},
        {"input,rows,time_ms:csr,prepare_ms:csr\na,1,2,-1\n",
         "samples.csv:2: column 4 ('prepare_ms:csr'): '-1' is not a cost"},
        {"input,rows,feature_ms:rows,time_ms:csr\na,1,,2\nb,1,nan,2\n",
         "samples.csv:3: column 3 ('feature_ms:rows'): 'nan' is not a cost"},
        {"input,rows,time_ms:csr,prepare_ms:csrr\na,1,2,1\n",
         "samples.csv:1: column 4 ('prepare_ms:csrr') is the cost of 'time_ms:csrr', but there is "
         "no such column"},
        {"input,rows,feature_ms:nnz,time_ms:csr\na,1,1,2\n",
         "samples.csv:1: column 3 ('feature_ms:nnz') is the cost of 'nnz', but there is no"},
        {"input,rows,feature_ms:input,time_ms:csr\na,1,1,2\n",
         "samples.csv:1: column 3 ('feature_ms:input') is the cost of 'input', but that column has "
         "the names of inputs"},
        {"input,rows,time_ms:csr\na,1,measured\n",
         "samples.csv:2: column 3 ('time_ms:csr'): 'measured' is not a time"},
        {"input,rows,time_ms:csr\na,1,-2\n", "samples.csv:2: column 3 ('time_ms:csr'): '-2' is no"},
        {"input,rows,time_ms:csr\na,1,2\n,1,2\n",
         "samples.csv:3: column 1 ('input'): '' is not a valid input name"},
        {"input,rows,time_ms:csr\n\"a\tb\",1,2\n", "samples.csv:2: column 1 ('input')"},
        {"input,rows,time_ms:csr\n\xff,1,2\n", "samples.csv:2: column 1 ('input')"},
        {"input,rows,time_ms:csr\na,1,2\nb,1\n", "samples.csv:3: 2 fields, but the header has 3"},
        {"input,my rows,time_ms:csr\na,1,2\n",
         "samples.csv:1: column 2: invalid feature name 'my rows'"},
        {"input,rows,time_ms:\na,1,2\n", "samples.csv:1: column 3: invalid variant name ''"},
        {"", "samples.csv:1: the file is empty"},
    };
    import_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_fails(f->context, import_text(f, cases[i].text, (import_choice){0}, NULL),
                     NITRO_ERR_FORMAT, cases[i].error);
    import_choice chosen = {.features = "rows,nnz"};
    assert_fails(f->context, import_text(f, import_samples_text, chosen, NULL), NITRO_ERR_FORMAT,
                 "samples.csv:1: no column 'nnz'");
    chosen = (import_choice){.variants = "csr,dia"};
    assert_fails(f->context, import_text(f, import_samples_text, chosen, NULL), NITRO_ERR_FORMAT,
                 "samples.csv:1: no column 'time_ms:dia'");
    import_assert_nothing(f);
}

static void test_too_many_columns_are_refused(void **state)
{
    import_fixture *f = *state;
    char text[2000] = "input";
    for (int i = 0; i <= NITRO_MAX_VARIANTS; i++)
        sprintf(text + strlen(text), ",time_ms:v%d", i);
    strcat(text, "\na");
    for (int i = 0; i <= NITRO_MAX_VARIANTS; i++)
        strcat(text, ",1");
    assert_fails(f->context, import_text(f, text, (import_choice){0}, NULL), NITRO_ERR_ARGUMENT,
                 "64 is the limit; join variants");
    sprintf(text, "input,time_ms:v");
    for (int i = 0; i <= NITRO_MAX_FEATURES; i++)
        sprintf(text + strlen(text), ",f%d", i);
    strcat(text, "\na,1");
    for (int i = 0; i <= NITRO_MAX_FEATURES; i++)
        strcat(text, ",1");
    assert_fails(f->context, import_text(f, text, (import_choice){0}, NULL), NITRO_ERR_ARGUMENT,
                 "64 is the limit; leave out features that say little");
    import_assert_nothing(f);
}

static void test_bad_devices_import_nothing(void **state)
{
    import_fixture *f = *state;
    assert_fails(
        f->context, import_text(f, import_samples_text, (import_choice){.device = "K80"}, NULL),
        NITRO_ERR_NOT_FOUND, "devices.csv: no row of device 'K80'; the table has: K20, K40");
    assert_fails(f->context,
                 import_text(f, import_samples_text, (import_choice){.device = "K"}, NULL),
                 NITRO_ERR_NOT_FOUND, "no row of device 'K'; did you mean one of these: K20, K40");
    assert_fails(f->context,
                 import_text(f, import_samples_text, (import_choice){.device = "K 20"}, NULL),
                 NITRO_ERR_ARGUMENT, "invalid device id 'K 20'");
    temporary_write(&f->folder, "devices.csv", "device,peak_gbps\nK20,208\nK40,fast\n");
    assert_fails(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL),
                 NITRO_ERR_FORMAT, "devices.csv:3: column 2 ('peak_gbps'): 'fast'");
    import_assert_nothing(f);
}

static void test_modelled_and_measured_do_not_mix(void **state)
{
    import_fixture *f = *state;
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    temporary_write(&f->folder, "devices.csv", "device,kind,peak_gbps\nK20,model,1\n");
    import_choice chosen = {.replace = true};
    assert_fails(f->context, import_text(f, import_samples_text, chosen, NULL), NITRO_ERR_MISMATCH,
                 "device K20 is of kind 'recorded' in the store, but of kind 'model' in");
}

/* The disk fills up while rows are written: no schema, device or row is stored. */
static void test_a_full_disk_imports_nothing(void **state)
{
    import_fixture *f = *state;
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
        import_fixture own = *f; /* an open database must not be used across a fork */
        signal(SIGXFSZ, SIG_IGN);
        if (nitro_store_open(f->context, temporary_path(&f->folder, "store"), NITRO_STORE_WRITE,
                             &own.store) != NITRO_OK ||
            setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(3);
        nitro_status status = import_file(&own, temporary_path(&f->folder, "many.csv"),
                                          f->devices_path, (import_choice){0}, NULL);
        nitro_context_last_error(f->context, message, sizeof(message));
        _exit(status == NITRO_ERR_IO && strstr(message, "the failed write was undone") ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    import_assert_nothing(f);
    records_assert_sound(f->store);
    assert_ok(f->context, import_file(f, temporary_path(&f->folder, "many.csv"), f->devices_path,
                                      (import_choice){0}, NULL));
    assert_int_equal(import_count(f, "K20"), 5000);
}

/* ---- Nothing is left behind ------------------------------------------------------------------ */

/* A file with one invalid field. */
static const struct refusal {
    const char *text;
    import_choice chosen;
    nitro_status status;
} refusals[] = {
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\nc,7,7,7,7\n", {0}, NITRO_ERR_EXISTS},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nc,1,2,3,4\nd,7,7,x,7\n",
     {.replace = true},
     NITRO_ERR_FORMAT},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\nd,1,2,3,4\n",
     {.replace = true},
     NITRO_ERR_FORMAT},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,-1,2,3,4\n", {0}, NITRO_ERR_FORMAT},
    {"input,rows,fill,time_ms:csr\nd,1,2,3\n", {0}, NITRO_ERR_MISMATCH},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n",
     {.features = "rows"},
     NITRO_ERR_MISMATCH},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n",
     {.features = "rows,rows"},
     NITRO_ERR_EXISTS},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n",
     {.variants = "csr,e l"},
     NITRO_ERR_ARGUMENT},
    {"input,rows,fill,time_ms:csr,time_ms:ell\nd,1,2,3,4\n",
     {.device = "K80"},
     NITRO_ERR_NOT_FOUND},
    {"input,rows,fill,time_ms:csr,time_ms:ell\n\"d\n\",1,2,3,4\n", {0}, NITRO_ERR_FORMAT},
    {"input,rows,fill,time_ms:csr,time_ms:ell\n", {0}, NITRO_ERR_FORMAT},
};

static char *read_store(import_fixture *f, size_t *size)
{
    char *bytes = NULL;
    assert_ok(f->context, nitro_file_read(f->context, temporary_path(&f->folder, "store"), 1 << 24,
                                          &bytes, size));
    return bytes;
}

static void test_a_refused_import_leaves_the_store_byte_for_byte(void **state)
{
    import_fixture *f = *state;
    size_t size, size_after;
    assert_ok(f->context,
              import_text(f, import_samples_text, (import_choice){.logs = "rows"}, NULL));
    char *before = read_store(f, &size);
    /* Everything that an import changes besides rows. */
    temporary_write(&f->folder, "devices.csv", "device,peak_gbps\nK20,1\nK40,2\n");
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        nitro_import_report report = {.added = 77};
        const struct refusal *refusal = &refusals[i];
        nitro_status status = import_text(f, refusal->text, refusal->chosen, &report);
        if (status != refusal->status)
            fail_msg("refusal %zu: %s", i, nitro_status_name(status));
        assert_int_equal(report.added, 77);
        char *after = read_store(f, &size_after);
        if (size_after != size || memcmp(before, after, size) != 0)
            fail_msg("refusal %zu changed the store", i);
        free(after);
    }
    free(before);
    records_assert_sound(f->store);
}

static void test_the_scale_in_the_store_applies(void **state)
{
    import_fixture *f = *state;
    static const char below[] = "input,rows,fill,time_ms:csr,time_ms:ell\nd,0,2,3,4\n";
    assert_ok(f->context,
              import_text(f, import_samples_text, (import_choice){.logs = "rows"}, NULL));
    assert_fails(f->context, import_text(f, below, (import_choice){0}, NULL), NITRO_ERR_FORMAT,
                 "samples.csv:2: column 2 ('rows'): '0' is not above 0, but the store scales "
                 "this feature logarithmically");
    import_choice chosen = {.logs = "rows"};
    assert_fails(f->context, import_text(f, below, chosen, NULL), NITRO_ERR_FORMAT,
                 "import it without --log");
}

static void test_the_column_of_inputs_is_not_a_feature(void **state)
{
    import_fixture *f = *state;
    import_choice chosen = {.features = "rows,input"};
    assert_fails(f->context, import_text(f, import_samples_text, chosen, NULL), NITRO_ERR_ARGUMENT,
                 "the column 'input' has the names of inputs");
    import_assert_nothing(f);
}

static void test_a_computation_without_features(void **state)
{
    import_fixture *f = *state;
    nitro_import_report report = {0};
    assert_ok(f->context,
              import_text(f, "time_ms:a,input\n1,x\n,y\n", (import_choice){0}, &report));
    assert_int_equal(report.added, 2);
    assert_int_equal(report.without_times, 1);
    assert_order(f, "", "a");
    records_assert_sound(f->store);
}

/* ---- What the log says ----------------------------------------------------------------------- */

typedef struct heard {
    const char *wanted; /* others are ignored */
    size_t warnings;
    char last[512];
} heard;

static void hear(void *user, nitro_log_level level, const char *message)
{
    heard *log = user;
    if (level != NITRO_LOG_WARNING || !strstr(message, log->wanted))
        return;
    log->warnings++;
    snprintf(log->last, sizeof(log->last), "%s", message);
}

static void test_an_unknown_device_is_logged(void **state)
{
    import_fixture *f = *state;
    heard log = {.wanted = "has no device features"};
    import_choice chosen = {.device = "lab", .without_devices = true};
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, hear, &log);
    assert_ok(f->context, import_text(f, import_samples_text, chosen, NULL));
    assert_int_equal(log.warnings, 1);
    assert_non_null(strstr(log.last, "device lab has no device features"));
    chosen.replace = true; /* known by now, without features */
    assert_ok(f->context, import_text(f, import_samples_text, chosen, NULL));
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_int_equal(log.warnings, 1);
}

static void test_missing_features_are_logged(void **state)
{
    import_fixture *f = *state;
    heard log = {.wanted = "1 of 3 inputs lack a feature"};
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, hear, &log);
    assert_ok(f->context, import_text(f, import_samples_text, (import_choice){0}, NULL));
    assert_int_equal(log.warnings, 1);
    assert_non_null(strstr(log.last, "first: fill of input 'a/1'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IMPORT_TEST(test_rows_become_samples),
        IMPORT_TEST(test_a_device_without_features),
        IMPORT_TEST(test_new_rows_are_added_and_known_ones_refused),
        IMPORT_TEST(test_options_choose_columns_and_their_order),
        IMPORT_TEST(test_columns_of_a_known_schema_in_any_order),
        IMPORT_TEST(test_another_schema_is_refused_with_a_remedy),
        IMPORT_TEST(test_log_scales),
        IMPORT_TEST(test_missing_features_are_logged),
        IMPORT_TEST(test_bad_rows_import_nothing),
        IMPORT_TEST(test_too_many_columns_are_refused),
        IMPORT_TEST(test_bad_devices_import_nothing),
        IMPORT_TEST(test_modelled_and_measured_do_not_mix),
        IMPORT_TEST(test_a_full_disk_imports_nothing),
        IMPORT_TEST(test_a_refused_import_leaves_the_store_byte_for_byte),
        IMPORT_TEST(test_the_scale_in_the_store_applies),
        IMPORT_TEST(test_the_column_of_inputs_is_not_a_feature),
        IMPORT_TEST(test_a_computation_without_features),
        IMPORT_TEST(test_an_unknown_device_is_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
