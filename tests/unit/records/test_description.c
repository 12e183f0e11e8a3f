/* Description files: what they say of recorded computations, at import, and what is refused. */
#include "nitro/records/relative.h"
#include "unit/store_records.h"
#include "unit/temporary.h"

#define HEAD "{\"format\": \"nitro-computation\", \"version\": 1, \"computation\": \"spmv\",\n"
#define FEATURES                                                                                   \
    "\"features\": [{\"name\": \"rows\", \"unit\": \"rows\", \"scale\": \"log\"},\n"               \
    "  {\"name\": \"nnz\"}, {\"name\": \"fill\", \"scale\": \"signed-log\", \"about\": \"ELL\"}]"
#define RELATIVE                                                                                   \
    "\"relative_features\": [\n"                                                                   \
    "  {\"name\": \"rows_per_core\", \"unit\": \"rows\", \"scale\": \"log\",\n"                    \
    "   \"formula\": \"rows / device.cuda_cores\", \"replaces\": [\"rows\"]},\n"                   \
    "  {\"name\": \"bytes_per_l2\",\n"                                                             \
    "   \"formula\": \"(12 * nnz + 8 * rows) / (1024 * device.l2_cache_size)\",\n"                 \
    "   \"replaces\": [\"rows\", \"nnz\"]}]"
#define WHOLE HEAD FEATURES ",\n" RELATIVE ",\n\"default\": \"ell\"}"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    char log[2048];
} fixture;

static void keep_log(void *user, nitro_log_level level, const char *message)
{
    fixture *f = user;
    (void)level;
    snprintf(f->log, sizeof(f->log), "%s", message);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_log, f);
    f->folder = temporary_make();
    f->store = temporary_store(f->context, &f->folder, "s.db");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static nitro_status parse(fixture *f, const char *text, nitro_description **description)
{
    return nitro_description_parse(f->context, "d.json", text, strlen(text), description);
}

static void test_what_it_says(void **state)
{
    fixture *f = *state;
    nitro_description *description = NULL;
    assert_ok(f->context, parse(f, WHOLE, &description));
    const nitro_schema *names = description->names;
    assert_string_equal(names->computation, "spmv");
    assert_int_equal(names->num_features, 3);
    assert_string_equal(names->features[0].unit, "rows");
    assert_int_equal(names->features[0].scale, NITRO_SCALE_LOG);
    assert_string_equal(names->features[1].unit, "1");
    assert_int_equal(names->features[1].scale, NITRO_SCALE_AUTO);
    assert_int_equal(names->num_relative, 2);
    assert_int_equal(names->relative[1].scale, NITRO_SCALE_AUTO);
    assert_string_equal(names->relative[1].replaces, "rows,nnz");
    assert_string_equal(description->default_variant, "ell");
    nitro_description_free(description);
}

static void test_what_is_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text;
        nitro_status status;
        const char *error;
    } cases[] = {
        {"", NITRO_ERR_FORMAT, "d.json: line 1, column 0"},
        {"{\"format\":\n  oops}", NITRO_ERR_FORMAT, "d.json: line 2, column 6"},
        {HEAD FEATURES ", \"features\": []}", NITRO_ERR_FORMAT, "duplicate"},
        {"[]", NITRO_ERR_FORMAT, "d.json: field format"},
        {"{\"format\": \"nitro-model\"}", NITRO_ERR_FORMAT, "not a description of a computation"},
        {"{\"format\": \"nitro-computation\", \"version\": 2}", NITRO_ERR_NEWER, "version is 2"},
        {"{\"format\": \"nitro-computation\", \"version\": 0}", NITRO_ERR_FORMAT, "version is 0"},
        {HEAD FEATURES ", \"relative_feature\": []}", NITRO_ERR_FORMAT,
         "field relative_feature is unknown; did you mean relative_features?"},
        {HEAD "\"features\": 5}", NITRO_ERR_FORMAT, "field features must be an array"},
        {HEAD "\"features\": [{\"name\": \"a\"}, 5]}", NITRO_ERR_FORMAT,
         "field features[1] must be an object"},
        {HEAD "\"features\": [{\"name\": \"a b\"}]}", NITRO_ERR_FORMAT, "features[0]: "},
        {HEAD "\"features\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", NITRO_ERR_FORMAT,
         "features[1]: spmv: feature 'a' is declared twice"},
        {HEAD "\"features\": [{\"name\": \"a\", \"scale\": \"ln\"}]}", NITRO_ERR_FORMAT,
         "features[0].scale is 'ln': use linear"},
        {HEAD "\"features\": [{\"name\": \"a\", \"uint\": \"s\"}]}", NITRO_ERR_FORMAT,
         "field features[0].uint is unknown; did you mean unit?"},
        {HEAD "\"features\": [{\"name\": \"a\", \"unit\": \"\\u0001\"}]}", NITRO_ERR_FORMAT,
         "features[0].unit"},
        {HEAD FEATURES ", \"relative_features\": [{\"name\": \"r\"}]}", NITRO_ERR_FORMAT,
         "relative_features[0].formula is missing"},
        {HEAD FEATURES
         ", \"relative_features\": [{\"name\": \"r\", \"formula\": \"rows /\\n row\"}]}",
         NITRO_ERR_FORMAT,
         "d.json: field relative_features[0]: spmv: relative feature r: line 2, column 2: unknown "
         "name 'row'; did you mean 'rows'?"},
        {HEAD FEATURES ", \"relative_features\": [{\"name\": \"r\", \"formula\": \"1\", "
                       "\"replaces\": \"rows\"}]}",
         NITRO_ERR_FORMAT, "relative_features[0].replaces must be an array"},
        {HEAD FEATURES
         ", \"relative_features\": [{\"name\": \"r\", \"formula\": \"1\", \"replaces\": [5]}]}",
         NITRO_ERR_FORMAT, "relative_features[0].replaces[0] must be the name"},
        {HEAD FEATURES
         ", \"relative_features\": [{\"name\": \"r\", \"formula\": \"1\", \"replaces\": [\"x\"]}]}",
         NITRO_ERR_FORMAT, "replaces 'x', which is not an input feature"},
        {HEAD FEATURES ", \"default\": \"a b\"}", NITRO_ERR_FORMAT, "default is 'a b'"},
        {HEAD FEATURES ", \"work\": [{\"variants\": [\"csr\"]}]}", NITRO_ERR_FORMAT,
         "work[0].bytes is missing"},
        {HEAD FEATURES ", \"work\": [{\"bytes\": \"1\"}]}", NITRO_ERR_FORMAT,
         "work[0].variants is missing"},
        {HEAD FEATURES ", \"work\": [5]}", NITRO_ERR_FORMAT, "work[0] must be an object"},
        {HEAD FEATURES ", \"work\": [{\"variants\": [\"csr\", 1], \"bytes\": \"1\"}]}",
         NITRO_ERR_FORMAT, "work[0].variants[1] must be the name of a variant"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_description *description = NULL;
        assert_fails(f->context, parse(f, cases[i].text, &description), cases[i].status,
                     cases[i].error);
        assert_null(description);
    }
}

/* Cut anywhere, a file is refused and nothing leaks. */
static void test_cut_files(void **state)
{
    fixture *f = *state;
    for (size_t size = 0; size < strlen(WHOLE); size++) {
        nitro_description *description = NULL;
        assert_int_equal(nitro_description_parse(f->context, "d.json", WHOLE, size, &description),
                         NITRO_ERR_FORMAT);
    }
}

static void test_application(void **state)
{
    fixture *f = *state;
    nitro_description *description = NULL;
    nitro_schema *schema = records_schema(f->context, "mine"); /* rows, fill; csr, ell */
    assert_ok(f->context, parse(f, WHOLE, &description));
    schema->default_variant = 0;
    assert_ok(f->context, nitro_description_apply(f->context, description, schema));
    assert_int_equal(schema->features[1].scale, NITRO_SCALE_SIGNED_LOG);
    assert_int_equal(schema->default_variant, 1);
    assert_int_equal(schema->num_relative, 1); /* the other one needs nnz */
    assert_string_equal(schema->relative[0].name, "rows_per_core");
    assert_non_null(strstr(f->log, "relative feature bytes_per_l2 is omitted"));
    assert_non_null(strstr(f->log, "unknown name 'nnz'"));
    nitro_description_free(description);

    assert_ok(f->context, parse(f, HEAD FEATURES ", \"default\": \"dia\"}", &description));
    assert_fails(f->context, nitro_description_apply(f->context, description, schema),
                 NITRO_ERR_MISMATCH, "default variant dia is not a variant of mine");
    nitro_description_free(description);
    nitro_schema_free(schema);
}

static nitro_status import(fixture *f, const char *device, const char *describe,
                           const char *features)
{
    nitro_string_list list = {0};
    nitro_import_options options = {
        .computation = "spmv",
        .device = device,
        .samples_path = temporary_write(&f->folder, "samples.csv",
                                        "input,odd,rows,nnz,fill,time_ms:csr,time_ms:ell\n"
                                        "a,7,10,20,1,0.5,0.25\n"
                                        "b,8,20,60,2,0.5,0.75\n")};
    if (describe)
        options.description_path = temporary_write(&f->folder, "d.json", describe);
    if (features) {
        assert_ok(f->context, nitro_string_list_split(f->context, &list, features));
        options.features = &list;
    }
    nitro_status status = nitro_store_import_csv(f->store, &options, NULL);
    nitro_string_list_free(&list);
    return status;
}

static nitro_schema *stored(fixture *f)
{
    nitro_schema *schema = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &schema));
    return schema;
}

static void test_new_computation(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, import(f, "K20", WHOLE, NULL));
    nitro_schema *schema = stored(f);
    assert_int_equal(schema->num_features, 3); /* not odd: the description does not know it */
    assert_string_equal(schema->features[2].name, "fill");
    assert_int_equal(schema->features[0].scale, NITRO_SCALE_LOG);
    assert_string_equal(schema->features[0].unit, "rows");
    assert_int_equal(schema->num_relative, 2);
    assert_int_equal(schema->default_variant, 1);
    nitro_schema_free(schema);
    /* The next device: with it, without it where the columns are named. */
    assert_ok(f->context, import(f, "K40", WHOLE, NULL));
    assert_ok(f->context, import(f, "P100", NULL, "rows,nnz,fill"));
    schema = stored(f);
    assert_int_equal(schema->num_relative, 2);
    nitro_schema_free(schema);
}

static void test_known_computation(void **state)
{
    fixture *f = *state;
    assert_ok(f->context, import(f, "K20", NULL, NULL));
    assert_ok(f->context, import(f, "K40", WHOLE, NULL)); /* the known columns, odd among them */
    nitro_schema *schema = stored(f);
    assert_int_equal(schema->num_features, 4);
    assert_int_equal(schema->features[1].scale, NITRO_SCALE_LOG);
    assert_int_equal(schema->num_relative, 2);
    nitro_schema_free(schema);
}

static void test_bad_description_imports_nothing(void **state)
{
    fixture *f = *state;
    nitro_string_list names = {0};
    assert_fails(f->context, import(f, "K20", HEAD FEATURES ",}", NULL), NITRO_ERR_FORMAT,
                 "d.json: line ");
    assert_fails(f->context, import(f, "K20", HEAD FEATURES ", \"default\": \"dia\"}", NULL),
                 NITRO_ERR_MISMATCH, "dia");
    assert_ok(f->context, nitro_store_list_computations(f->store, &names));
    assert_int_equal(names.count, 0);
}

/* The file that the project ships, read as it is. */
static void test_shipped_description(void **state)
{
    fixture *f = *state;
    nitro_description *description = NULL;
    nitro_relative *compiled;
    assert_ok(f->context,
              nitro_description_read(f->context, SOURCE_DIR "/data/computations/spmv-ginkgo.json",
                                     &description));
    size_t replaced = 0;
    for (size_t i = 0; i < description->names->num_features; i++)
        for (size_t r = 0; r < description->names->num_relative; r++)
            replaced += nitro_relative_info_replaces(&description->names->relative[r],
                                                     description->names->features[i].name);
    /* The study's sixteen columns, the longest row, and what tells devices apart. */
    assert_int_equal(description->names->num_features - replaced + description->names->num_relative,
                     18);
    assert_ok(f->context, nitro_relative_compile(f->context, description->names, &compiled));
    assert_int_equal(nitro_relative_num_device_values(compiled), 4);
    for (size_t i = 0; i < 4; i++)
        assert_non_null(nitro_device_feature_lookup(nitro_relative_device_feature(compiled, i)));
    nitro_relative_free(compiled);
    nitro_description_free(description);
}

/* It fits the recorded measurements: every formula is defined on every matrix of each device. */
static void test_recorded_data(void **state)
{
    fixture *f = *state;
    static const char *const devices[] = {"K20Xm", "V100_SXM2", "MI100"};
    const char *table = strdup(unit_shared_data("spmv/devices.csv"));
    for (size_t d = 0; d < 3; d++) {
        char name[64];
        snprintf(name, sizeof(name), "spmv/%s.csv", devices[d]);
        nitro_string_list variants = {0};
        assert_ok(f->context,
                  nitro_string_list_split(f->context, &variants, "coo,csr,ell,hybrid,sellp"));
        const nitro_import_options options = {.computation = "spmv",
                                              .device = devices[d],
                                              .samples_path = unit_shared_data(name),
                                              .devices_path = table,
                                              .variants = &variants,
                                              .description_path =
                                                  SOURCE_DIR "/data/computations/spmv-ginkgo.json"};
        assert_ok(f->context, nitro_store_import_csv(f->store, &options, NULL));
        nitro_string_list_free(&variants);
    }
    free((char *)table);
    nitro_dataset *dataset = NULL;
    nitro_relative *relative = NULL;
    assert_ok(f->context, nitro_dataset_load(f->store, "spmv", devices, 3, &dataset));
    assert_int_equal(dataset->schema->num_features, 14);
    assert_int_equal(dataset->schema->num_relative, 7);
    assert_ok(f->context, nitro_relative_compile(f->context, dataset->schema, &relative));
    for (size_t row = 0; row < dataset->num_rows; row++) {
        double values[NITRO_RELATIVE_MAX_DEVICE_VALUES], columns[NITRO_MAX_FEATURES];
        const nitro_device *device = dataset->devices[dataset->row_device[row]];
        for (size_t i = 0; i < nitro_relative_num_device_values(relative); i++)
            values[i] = nitro_device_value(device, nitro_relative_device_feature(relative, i));
        nitro_relative_evaluate(relative, dataset->features + row * 14, values, columns);
        for (size_t i = 0; i < 5; i++)
            assert_true(columns[i] > 0);
    }
    nitro_relative_free(relative);
    nitro_dataset_free(dataset);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_it_says),
        TEST(test_what_is_refused),
        TEST(test_cut_files),
        TEST(test_application),
        TEST(test_new_computation),
        TEST(test_known_computation),
        TEST(test_bad_description_imports_nothing),
        TEST(test_shipped_description),
        TEST(test_recorded_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
