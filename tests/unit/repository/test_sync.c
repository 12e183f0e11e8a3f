/* Sync of one store into another: conflicts, outdated and damaged records. */
#include <sqlite3.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *from, *to;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->from = temporary_store(f->context, &f->folder, "from");
    f->to = temporary_store(f->context, &f->folder, "to");
    records_put_names(f->from, "spmv", "K20");
    records_put_names(f->to, "spmv", "K20");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->from);
    nitro_store_close(f->to);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* One sample, identified by its time. */
static void put(fixture *f, nitro_store *store, const char *device, const char *input,
                int64_t time_s)
{
    nitro_sample *sample = records_sample(f->context, input);
    const nitro_sample *samples[] = {sample};
    sample->provenance.time_s = time_s;
    assert_ok(f->context, nitro_store_put_samples(store, "spmv", device, samples, 1, true));
    nitro_sample_free(sample);
}

/* The time of an input's sample; 0: none. */
static int64_t time_of(fixture *f, nitro_store *store, const char *device, const char *input)
{
    nitro_sample *sample = NULL;
    nitro_status status = nitro_store_get_sample(store, "spmv", device, input, &sample);
    if (status == NITRO_ERR_NOT_FOUND)
        return 0;
    assert_ok(f->context, status);
    int64_t time_s = sample->provenance.time_s;
    nitro_sample_free(sample);
    return time_s;
}

static void run_sql(fixture *f, const char *name, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(temporary_path(&f->folder, name), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_true(sqlite3_total_changes(db) > 0);
    sqlite3_close(db);
}

static nitro_copy_report sync_with(fixture *f, nitro_conflict conflict, const char *campaign)
{
    const nitro_sync_options options = {.conflict = conflict, .campaign = campaign};
    nitro_copy_report report = {0};
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
    records_assert_sound(f->to);
    return report;
}

/* one: the same in both; two: newer in FROM; three: newer in TO; four: only in FROM. */
static void put_conflicts(fixture *f)
{
    put(f, f->from, "K20", "one", 100);
    put(f, f->to, "K20", "one", 100);
    put(f, f->from, "K20", "two", 300);
    put(f, f->to, "K20", "two", 200);
    put(f, f->from, "K20", "three", 200);
    put(f, f->to, "K20", "three", 300);
    put(f, f->from, "K20", "four", 100);
}

static void test_keeping(void **state)
{
    fixture *f = *state;
    put_conflicts(f);
    nitro_copy_report report = sync_with(f, NITRO_CONFLICT_KEEP, NULL);
    assert_int_equal(report.samples, 1);
    assert_int_equal(report.samples_skipped, 3);
    assert_int_equal(report.samples_differing, 2);
    assert_int_equal(time_of(f, f->to, "K20", "two"), 200);
    assert_int_equal(time_of(f, f->to, "K20", "three"), 300);
    assert_int_equal(time_of(f, f->to, "K20", "four"), 100);
}

static void declare(fixture *f, nitro_store *store, size_t variant, const char *formula)
{
    nitro_schema *schema = records_schema(f->context, "spmv");
    schema->default_variant = variant;
    if (formula)
        assert_ok(f->context, nitro_schema_add_relative(
                                  f->context, schema,
                                  &(nitro_relative_feature){.name = "r", .formula = formula}));
    assert_ok(f->context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
}

static void assert_declared(fixture *f, size_t variant, const char *formula)
{
    nitro_schema *schema = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->to, "spmv", &schema));
    assert_int_equal(schema->default_variant, variant);
    assert_int_equal(schema->num_relative, 1);
    assert_string_equal(schema->relative[0].formula, formula);
    nitro_schema_free(schema);
}

/* Another store's default variant and relative features are taken where there are none, or if the
 * user asks for them. */
static void test_the_declaration_stays(void **state)
{
    fixture *f = *state;
    const nitro_sync_options take = {.take_declaration = true};
    nitro_copy_report report = {0};
    declare(f, f->from, 1, "rows / 2");
    sync_with(f, NITRO_CONFLICT_NEWER, NULL);
    assert_declared(f, 1, "rows / 2");
    declare(f, f->from, 0, "rows / 3");
    for (size_t i = 0; i < 3; i++) {
        static const nitro_conflict rules[] = {NITRO_CONFLICT_KEEP, NITRO_CONFLICT_NEWER,
                                               NITRO_CONFLICT_BOTH};
        sync_with(f, rules[i], rules[i] == NITRO_CONFLICT_BOTH ? "lab2" : NULL);
        assert_declared(f, 1, "rows / 2");
    }
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &take, &report));
    assert_declared(f, 0, "rows / 3");
}

static void test_the_newer_counts(void **state)
{
    fixture *f = *state;
    put_conflicts(f);
    for (int again = 0; again < 2; again++) {
        nitro_copy_report report = sync_with(f, NITRO_CONFLICT_NEWER, NULL);
        assert_int_equal(report.samples, again ? 0 : 1);
        assert_int_equal(report.samples_replaced, again ? 0 : 1);
        assert_int_equal(report.samples_skipped, again ? 4 : 2);
        assert_int_equal(report.samples_differing, 1);
        assert_int_equal(time_of(f, f->to, "K20", "two"), 300);
        assert_int_equal(time_of(f, f->to, "K20", "three"), 300);
    }
}

static void test_both_are_kept(void **state)
{
    fixture *f = *state;
    put_conflicts(f);
    for (int again = 0; again < 2; again++) {
        nitro_copy_report report = sync_with(f, NITRO_CONFLICT_BOTH, "lab2");
        assert_int_equal(report.samples, again ? 0 : 3);
        assert_int_equal(report.samples_skipped, again ? 4 : 1);
        assert_int_equal(time_of(f, f->to, "K20", "one"), 100);
        assert_int_equal(time_of(f, f->to, "K20", "two"), 200);
        assert_int_equal(time_of(f, f->to, "K20", "three"), 300);
        assert_int_equal(time_of(f, f->to, "K20@lab2", "one"), 0); /* the same: there once */
        assert_int_equal(time_of(f, f->to, "K20@lab2", "two"), 300);
        assert_int_equal(time_of(f, f->to, "K20@lab2", "three"), 200);
        assert_int_equal(time_of(f, f->to, "K20@lab2", "four"), 100);
    }
    put(f, f->from, "K20", "two", 400); /* measured again there */
    nitro_copy_report report = sync_with(f, NITRO_CONFLICT_BOTH, "lab2");
    assert_int_equal(report.samples_replaced, 1);
    assert_int_equal(time_of(f, f->to, "K20@lab2", "two"), 400);
    assert_int_equal(time_of(f, f->to, "K20", "two"), 200);
}

static void test_a_campaign_is_the_same_device(void **state)
{
    fixture *f = *state;
    nitro_device *a = NULL, *b = NULL, *other = records_device(f->context, "K40");
    put_conflicts(f);
    sync_with(f, NITRO_CONFLICT_BOTH, "lab2");
    assert_ok(f->context, nitro_store_get_device(f->to, "K20", &a));
    assert_ok(f->context, nitro_store_get_device(f->to, "K20@lab2", &b));
    assert_string_equal(nitro_device_label(b, NITRO_LABEL_SAME_AS), "K20");
    assert_true(nitro_device_value(b, "peak_gbps") == nitro_device_value(a, "peak_gbps"));
    assert_true(nitro_device_is_same(a, b) && nitro_device_is_same(b, a));
    assert_false(nitro_device_is_same(a, other) || nitro_device_is_same(other, b));
    /* A campaign of the target is no source: without another device there are no sources. */
    nitro_learn_options options;
    nitro_model *model = NULL;
    nitro_learn_options_init(&options);
    assert_fails(f->context,
                 nitro_tune_from_source(f->context, f->to, "spmv", "K20", &options, &model),
                 NITRO_ERR_NO_DATA, "no samples of another device than the target");
    nitro_device_free(a);
    nitro_device_free(b);
    nitro_device_free(other);
}

static void test_without_a_name_both_are_refused(void **state)
{
    fixture *f = *state;
    const nitro_sync_options options = {.conflict = NITRO_CONFLICT_BOTH};
    nitro_copy_report report = {0};
    put(f, f->from, "K20", "one", 100);
    sync_with(f, NITRO_CONFLICT_BOTH, NULL); /* nothing is in conflict yet */
    put(f, f->from, "K20", "one", 200);
    assert_fails(f->context, nitro_store_sync(f->from, f->to, &options, &report), NITRO_ERR_EXISTS,
                 "spmv on K20: both stores have measurements of the same inputs");
}

/* A machine of its own may have the id that a campaign would get. */
/* The file's change counter. */
static uint32_t count_commits(fixture *f, const char *name)
{
    unsigned char bytes[4];
    FILE *file = fopen(temporary_path(&f->folder, name), "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 24, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, 4, file), 4);
    fclose(file);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Each commit waits for the disk. */
static void test_many_devices_are_few_commits(void **state)
{
    fixture *f = *state;
    enum { NUM_DEVICES = 50 };
    char id[16];
    for (size_t i = 0; i < NUM_DEVICES; i++) {
        snprintf(id, sizeof(id), "gpu%zu", i);
        records_put_names(f->from, "spmv", id);
        put(f, f->from, id, "one", 100);
    }
    uint32_t before = count_commits(f, "to");
    nitro_copy_report report = sync_with(f, NITRO_CONFLICT_KEEP, NULL);
    assert_int_equal(report.samples, NUM_DEVICES);
    assert_true(count_commits(f, "to") - before < NUM_DEVICES);
    for (size_t i = 0; i < NUM_DEVICES; i++) {
        snprintf(id, sizeof(id), "gpu%zu", i);
        assert_int_equal(time_of(f, f->to, id, "one"), 100);
    }
}

static void test_what_was_copied_before_a_failure_stays(void **state)
{
    fixture *f = *state;
    const nitro_sync_options both = {.conflict = NITRO_CONFLICT_BOTH};
    nitro_copy_report report = {0};
    records_put_names(f->from, "spmv", "A100");
    put(f, f->from, "A100", "one", 100);
    put_conflicts(f); /* on K20, which comes later */
    assert_fails(f->context, nitro_store_sync(f->from, f->to, &both, &report), NITRO_ERR_EXISTS,
                 "spmv on K20: both stores have measurements of the same inputs");
    assert_int_equal(report.samples, 1);
    assert_int_equal(time_of(f, f->to, "A100", "one"), 100);
    records_assert_sound(f->to);
}

static void test_a_write_that_fails_in_a_group_is_taken_back_alone(void **state)
{
    fixture *f = *state;
    const nitro_store_kind *const *kind = nitro_builtin_stores();
    nitro_sample *samples[3];
    void *sqlite = NULL;
    size_t count = 0;
    while (strcmp((*kind)->scheme, "sqlite") != 0)
        kind++;
    for (size_t i = 0; i < 3; i++)
        samples[i] = records_sample(f->context, (const char *[]){"one", "two", "three"}[i]);
    const nitro_sample *first[] = {samples[0]}, *last[] = {samples[1], samples[0]},
                       *third[] = {samples[2]};
    assert_ok(f->context, (*kind)->open(f->context, temporary_path(&f->folder, "to"),
                                        NITRO_STORE_WRITE, &sqlite));
    assert_ok(f->context, (*kind)->begin(sqlite));
    assert_ok(f->context, (*kind)->put_samples(sqlite, "spmv", "K20", first, 1, false));
    assert_int_equal((*kind)->put_samples(sqlite, "spmv", "K20", last, 2, false), NITRO_ERR_EXISTS);
    assert_ok(f->context, (*kind)->put_samples(sqlite, "spmv", "K20", third, 1, false));
    assert_ok(f->context, (*kind)->end(sqlite, NITRO_OK));
    assert_ok(f->context, (*kind)->count_samples(sqlite, "spmv", "K20", &count));
    assert_int_equal(count, 2); /* not "two" */
    (*kind)->close(sqlite);
    for (size_t i = 0; i < 3; i++)
        nitro_sample_free(samples[i]);
}

static void test_a_campaign_takes_no_other_device(void **state)
{
    fixture *f = *state;
    const nitro_sync_options options = {.conflict = NITRO_CONFLICT_BOTH, .campaign = "node7"};
    nitro_copy_report report = {0};
    nitro_device *after = NULL;
    put_conflicts(f);
    records_put_names(f->to, "spmv", "K20@node7");
    put(f, f->to, "K20@node7", "two", 100);
    assert_fails(f->context, nitro_store_sync(f->from, f->to, &options, &report), NITRO_ERR_EXISTS,
                 "device K20@node7 is no campaign of K20");
    assert_int_equal(time_of(f, f->to, "K20@node7", "two"), 100);
    assert_ok(f->context, nitro_store_get_device(f->to, "K20@node7", &after));
    assert_null(nitro_device_label(after, NITRO_LABEL_SAME_AS));
    nitro_device_free(after);
}

static void put_other_names(fixture *f, nitro_store *store, const char *computation)
{
    nitro_schema *schema = records_schema(f->context, computation);
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "dia"));
    assert_ok(f->context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
}

/* What is copied does not depend on the order of the computations. */
static void test_other_names_keep_only_their_computation_back(void **state)
{
    fixture *f = *state;
    const nitro_sync_options options = {.conflict = NITRO_CONFLICT_NEWER};
    nitro_copy_report report = {0};
    for (int i = 0; i < 2; i++) {
        records_put_names(f->from, i ? "bfs" : "sort", "K20");
        put_other_names(f, f->to, i ? "bfs" : "sort");
    }
    assert_ok(f->context, records_put_samples(f->from, "bfs", "K20", 0, 3, false));
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K20", 0, 4, false));
    assert_fails(f->context, nitro_store_sync(f->from, f->to, &options, &report),
                 NITRO_ERR_MISMATCH,
                 "/to has bfs with features (rows,fill) and variants "
                 "(csr,ell,dia)");
    assert_fails(f->context, nitro_store_sync(f->from, f->to, &options, &report),
                 NITRO_ERR_MISMATCH,
                 "Not copied: bfs, sort; everything else was. 'nitro tune' with the newer ");
    assert_int_equal(report.samples_skipped, 4);
}

/* SQLite reads no further than a damaged page, or a value that is too large. */
static void test_a_damaged_page_keeps_no_other_device_back(void **state)
{
    fixture *f = *state;
    nitro_string_list problems = {0};
    nitro_copy_report report = {0};
    nitro_sync_options options = {.damaged = records_keep_problem, .user = &problems};
    records_put_names(f->from, "spmv", "K40");
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K20", 0, 4, false));
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K40", 0, 3, false));
    run_sql(f, "from",
            "UPDATE samples SET record = zeroblob(17000000) WHERE id = 3 AND name = 'input-002'");
    for (options.conflict = NITRO_CONFLICT_KEEP; options.conflict <= NITRO_CONFLICT_BOTH;
         options.conflict++) {
        bool again = options.conflict > NITRO_CONFLICT_KEEP;
        assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
        assert_int_equal(report.samples, again ? 0 : 5); /* two and three */
        assert_int_equal(report.damaged, 1);
    }
    assert_int_equal(problems.count, 3);
    assert_non_null(strstr(problems.items[0], "larger than any that Nitro writes; no further "
                                              "samples of spmv on K20 were read"));
    records_assert_sound(f->to);
    nitro_string_list_free(&problems);
}

/* Each kernel that cannot be read is named, and those after a damaged page are not silent. */
static void test_damaged_profiles_keep_no_other_device_back(void **state)
{
    fixture *f = *state;
    nitro_string_list problems = {0};
    nitro_copy_report report = {0};
    const nitro_sync_options options = {.damaged = records_keep_problem, .user = &problems};
    size_t count = 0;
    records_put_names(f->from, "spmv", "K40");
    assert_ok(f->context, records_put_profiles(f->from, "K20", 0, 3, false));
    assert_ok(f->context, records_put_profiles(f->from, "K40", 0, 3, false));
    run_sql(f, "from",
            "UPDATE profiles SET record = zeroblob(17000000) WHERE id IN (SELECT id FROM profiles "
            "WHERE device = 1 AND computation = 1 ORDER BY name LIMIT 1 OFFSET 3)");
    run_sql(f, "from",
            "UPDATE profiles SET record = x'' WHERE id = (SELECT max(id) FROM profiles)");
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
    assert_int_equal(report.profiles, 2 + 6 + 6 + 5); /* of the run that is cut, none */
    assert_int_equal(report.damaged, 2);
    assert_int_equal(problems.count, 2);
    assert_non_null(strstr(problems.items[0], "no further profiles of spmv on K20 were read"));
    assert_non_null(strstr(problems.items[1], "is damaged"));
    assert_ok(f->context, nitro_store_count_profiles(f->to, "K40", "spmv", &count));
    assert_int_equal(count, 6);
    records_assert_sound(f->to);
    nitro_string_list_free(&problems);
}

/* Overwrite the first page of a table, not of an index, that holds the text. */
static void damage_page(const fixture *f, const char *name, const char *text)
{
    enum { PAGE_BYTES = 4096, TABLE_LEAF = 0x0D };
    unsigned char page[PAGE_BYTES];
    FILE *file = fopen(temporary_path(&f->folder, name), "r+b");
    assert_non_null(file);
    long at = 0;
    do {
        assert_int_equal(fread(page, 1, sizeof page, file), sizeof page);
        at += PAGE_BYTES;
    } while (page[0] != TABLE_LEAF || !memmem(page, sizeof page, text, strlen(text)));
    memset(page, 0xFF, sizeof page);
    assert_int_equal(fseek(file, at - PAGE_BYTES, SEEK_SET), 0);
    assert_int_equal(fwrite(page, 1, sizeof page, file), sizeof page);
    assert_int_equal(fclose(file), 0);
}

/* SQLite reads a device's first sample to see which devices have samples. */
static void test_a_damaged_first_page_keeps_no_other_device_back(void **state)
{
    fixture *f = *state;
    nitro_string_list problems = {0};
    nitro_copy_report report = {0};
    const nitro_sync_options options = {.damaged = records_keep_problem, .user = &problems};
    records_put_names(f->from, "spmv", "K40");
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K20", 0, 64, false));
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K40", 0, 64, false));
    nitro_store_close(f->from);
    damage_page(f, "from", "input-000");
    f->from = temporary_store(f->context, &f->folder, "from");
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
    assert_int_equal(report.samples, 64);
    assert_int_equal(problems.count, 1);
    assert_non_null(strstr(problems.items[0], "no further samples of spmv on K20 were read"));
    records_assert_sound(f->to);
    nitro_string_list_free(&problems);
}

static void keep_warning(void *user, nitro_log_level level, const char *message)
{
    if (level == NITRO_LOG_WARNING)
        records_keep_problem(user, message);
}

/* The target keeps its description of a device; what is only in the other one is named. */
static void test_other_features_of_a_device_are_named(void **state)
{
    fixture *f = *state;
    nitro_string_list warnings = {0};
    nitro_device *device = records_device(f->context, "K20");
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_warning, &warnings);
    assert_ok(f->context, /* measured values vary */
              nitro_device_set(f->context, device, "peak_gbps", 199, NITRO_VALUE_MEASURED, 0.5));
    assert_ok(f->context, nitro_store_put_device(f->from, device));
    sync_with(f, NITRO_CONFLICT_NEWER, NULL);
    assert_int_equal(warnings.count, 0);
    assert_ok(f->context, nitro_device_set(f->context, device, "shared_atomic", 0.5,
                                           NITRO_VALUE_MEASURED, 0.01));
    assert_ok(f->context, nitro_store_put_device(f->from, device));
    sync_with(f, NITRO_CONFLICT_NEWER, NULL);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.items[0], "which keeps its own: shared_atomic ("));
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
    nitro_string_list_free(&warnings);
    nitro_device_free(device);
}

/* Damaged records of FROM are skipped; those of TO are replaced. */
static void test_damage_stays_behind(void **state)
{
    fixture *f = *state;
    nitro_string_list problems = {0};
    nitro_copy_report report = {0};
    const nitro_sync_options options = {
        .conflict = NITRO_CONFLICT_NEWER, .damaged = records_keep_problem, .user = &problems};
    records_put_names(f->from, "spmv", "K40");
    records_put_names(f->from, "sort", "K20");
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K20", 0, 4, false));
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K40", 0, 2, false));
    assert_ok(f->context, records_put_samples(f->from, "sort", "K20", 0, 2, false));
    assert_ok(f->context, records_put_samples(f->to, "spmv", "K20", 0, 1, false));
    run_sql(f, "from", "UPDATE samples SET record = x'' WHERE name = 'input-002'");
    run_sql(f, "from", "UPDATE devices SET record = x'' WHERE name = 'K40'");
    run_sql(f, "from", "UPDATE computations SET record = x'' WHERE name = 'sort'");
    run_sql(f, "to", "UPDATE samples SET record = x'' WHERE name = 'input-000'");
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
    assert_int_equal(report.samples, 3);
    assert_int_equal(report.damaged, 3);
    assert_int_equal(problems.count, 3);
    nitro_string_list_sort(&problems);
    assert_non_null(strstr(problems.items[2], "sample 'spmv on K20: input-002'"));
    for (size_t i = 0; i < 2; i++) /* the device, and the computation */
        assert_non_null(strstr(problems.items[i], "; none of its samples is copied"));
    records_assert_sound(f->to);
    nitro_string_list_free(&problems);
}

/* A sample of a newer Nitro in TO is neither read nor replaced. */
static void test_a_newer_record_is_not_replaced(void **state)
{
    fixture *f = *state;
    nitro_sample *sample = NULL;
    nitro_copy_report report = {0};
    const nitro_sync_options options = {.conflict = NITRO_CONFLICT_NEWER};
    assert_ok(f->context, records_put_samples(f->from, "spmv", "K20", 0, 2, false));
    assert_ok(f->context, records_put_samples(f->to, "spmv", "K20", 0, 1, false));
    run_sql(f, "to", "UPDATE samples SET record = x'4E080000000000000000'");
    assert_ok(f->context, nitro_store_sync(f->from, f->to, &options, &report));
    assert_int_equal(report.samples, 1);
    assert_int_equal(report.samples_skipped, 1);
    assert_fails(f->context, nitro_store_get_sample(f->to, "spmv", "K20", "input-000", &sample),
                 NITRO_ERR_NEWER, "written by a newer Nitro");
}

typedef struct found {
    char text[2048];
} found;

static void note_outdated(void *user, const nitro_outdated *outdated)
{
    found *self = user;
    size_t used = strlen(self->text);
    snprintf(self->text + used, sizeof(self->text) - used, "%s/%s/%s: %s %s -> %s, %zu\n",
             outdated->computation, outdated->device, outdated->variant ? outdated->variant : "*",
             outdated->what, strcmp(outdated->what, "device") ? outdated->was : "?",
             strcmp(outdated->what, "device") ? outdated->now : "?", outdated->samples);
}

static void put_made(fixture *f, const char *input, int64_t time_s, const char *version,
                     const char *compiler, const char *driver, const char *digest)
{
    nitro_sample *sample = records_sample(f->context, input);
    const nitro_sample *samples[] = {sample};
    sample->provenance.time_s = time_s;
    free(sample->entries[0].version);
    sample->entries[0].version = version ? strdup(version) : NULL;
    sample->provenance.compiler = compiler ? strdup(compiler) : NULL;
    sample->provenance.driver = driver ? strdup(driver) : NULL;
    sample->provenance.device_digest = digest ? strdup(digest) : NULL;
    assert_ok(f->context, nitro_store_put_samples(f->from, "spmv", "K20", samples, 1, true));
    nitro_sample_free(sample);
}

static void put_a_history(fixture *f, char digest[NITRO_DIGEST_SIZE])
{
    nitro_device *device = records_device(f->context, "K20");
    nitro_device_digest(device, digest);
    nitro_device_free(device);
    put_made(f, "a", 100, "1", "GCC 11", "535", digest);
    put_made(f, "b", 100, "1", "GCC 12", "535", digest);
    put_made(f, "c", 300, "2", "GCC 12", "550", digest);
    put_made(f, "d", 200, "2", "GCC 12", "550", "0123456789abcdef");
    put_made(f, "e", 400, NULL, NULL, NULL, NULL); /* imported: unknown */
}

static void test_what_is_outdated_and_why(void **state)
{
    fixture *f = *state;
    char digest[NITRO_DIGEST_SIZE];
    found all = {""}, given = {""};
    static const char *const versions[] = {"3", NULL};
    put_a_history(f, digest);
    assert_ok(f->context, nitro_store_find_outdated(f->from, "spmv", NULL, note_outdated, &all));
    assert_string_equal(all.text, "spmv/K20/*: compiler GCC 11 -> GCC 12, 1\n"
                                  "spmv/K20/*: driver 535 -> 550, 2\n"
                                  "spmv/K20/csr: version 1 -> 2, 2\n"
                                  "spmv/K20/*: device ? -> ?, 1\n");
    assert_ok(f->context,
              nitro_store_find_outdated(f->from, "spmv", versions, note_outdated, &given));
    assert_non_null(strstr(given.text, "csr: version 1 -> 3, 2\n"));
    assert_non_null(strstr(given.text, "csr: version 2 -> 3, 2\n"));
}

/* The driver in the device's description is current, even without a sample made with it.
 */
static void test_a_new_driver_makes_all_samples_outdated(void **state)
{
    fixture *f = *state;
    char digest[NITRO_DIGEST_SIZE];
    found all = {""};
    nitro_device *device = records_device(f->context, "K20");
    put_a_history(f, digest);
    assert_ok(f->context, nitro_device_set_label(f->context, device, "driver", "560"));
    assert_ok(f->context, nitro_store_put_device(f->from, device));
    assert_ok(f->context, nitro_store_find_outdated(f->from, "spmv", NULL, note_outdated, &all));
    assert_non_null(strstr(all.text, "driver 535 -> 560, 2\n"));
    assert_non_null(strstr(all.text, "driver 550 -> 560, 2\n"));
    nitro_device_free(device);
}

static void test_outdated_times_are_taken_back(void **state)
{
    fixture *f = *state;
    char digest[NITRO_DIGEST_SIZE];
    found said = {""}, done = {""}, left = {""};
    nitro_sample *sample = NULL;
    size_t count = 0;
    put_a_history(f, digest);
    assert_ok(f->context,
              nitro_store_remove_outdated(f->from, "spmv", NULL, true, note_outdated, &said));
    assert_ok(f->context,
              nitro_store_remove_outdated(f->from, "spmv", NULL, false, note_outdated, &done));
    assert_string_equal(said.text, done.text);
    assert_ok(f->context, nitro_store_find_outdated(f->from, "spmv", NULL, note_outdated, &left));
    assert_null(strstr(left.text, "version"));
    assert_ok(f->context, nitro_store_get_sample(f->from, "spmv", "K20", "a", &sample));
    assert_int_equal(sample->entries[0].outcome, NITRO_OUTCOME_MISSING);
    assert_null(sample->entries[0].version);
    assert_int_equal(sample->entries[1].outcome,
                     NITRO_OUTCOME_CRASHED); /* the other variant's stays */
    assert_int_equal(sample->provenance.time_s, 100);
    nitro_sample_free(sample);
    assert_ok(f->context, nitro_store_count_samples(f->from, "spmv", "K20", &count));
    assert_int_equal(count, 5);
    records_assert_sound(f->from);
}

static void test_learning_from_two_versions_is_said(void **state)
{
    fixture *f = *state;
    char digest[NITRO_DIGEST_SIZE];
    nitro_string_list warnings = {0};
    nitro_dataset *dataset = NULL;
    const char *const devices[] = {"K20"};
    put_a_history(f, digest);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_warning, &warnings);
    assert_ok(f->context, nitro_dataset_load(f->from, "spmv", devices, 1, &dataset));
    assert_int_equal(warnings.count, 2); /* the other warning: missing feature values */
    assert_string_equal(
        warnings.items[0],
        "spmv: variant csr was measured in several versions (1, and 2 on K20); "
        "'nitro store list --outdated' lists the samples, and tuning measures them again");
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
    nitro_string_list_free(&warnings);
    nitro_dataset_free(dataset);
}

/* A digest does not depend on the order of features or on microbenchmark results. */
static void test_digests_of_devices(void **state)
{
    fixture *f = *state;
    nitro_device *a = NULL, *b = NULL;
    char digest_a[NITRO_DIGEST_SIZE], digest_b[NITRO_DIGEST_SIZE];
    assert_ok(f->context, nitro_device_create(f->context, "a", "cuda", &a));
    assert_ok(f->context, nitro_device_create(f->context, "b", "cuda", &b));
    assert_ok(f->context, nitro_device_set(f->context, a, "x", 1, NITRO_VALUE_QUERY, 0));
    assert_ok(f->context, nitro_device_set(f->context, a, "y", 2, NITRO_VALUE_STATIC, 0));
    assert_ok(f->context, nitro_device_set(f->context, b, "y", 2, NITRO_VALUE_QUERY, 0));
    assert_ok(f->context, nitro_device_set(f->context, b, "x", 1, NITRO_VALUE_QUERY, 0));
    assert_ok(f->context, nitro_device_set(f->context, b, "z", 3, NITRO_VALUE_MEASURED, 0.1));
    nitro_device_digest(a, digest_a);
    nitro_device_digest(b, digest_b);
    assert_string_equal(digest_a, digest_b);
    assert_ok(f->context, nitro_device_set(f->context, b, "x", 2, NITRO_VALUE_QUERY, 0));
    assert_ok(f->context, nitro_device_set(f->context, b, "y", 1, NITRO_VALUE_QUERY, 0));
    nitro_device_digest(b, digest_b);
    assert_string_not_equal(digest_a, digest_b);
    nitro_device_free(a);
    nitro_device_free(b);
}

int main(void)
{
#define SYNC_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        SYNC_TEST(test_keeping),
        SYNC_TEST(test_the_declaration_stays),
        SYNC_TEST(test_the_newer_counts),
        SYNC_TEST(test_both_are_kept),
        SYNC_TEST(test_a_campaign_is_the_same_device),
        SYNC_TEST(test_without_a_name_both_are_refused),
        SYNC_TEST(test_many_devices_are_few_commits),
        SYNC_TEST(test_what_was_copied_before_a_failure_stays),
        SYNC_TEST(test_a_write_that_fails_in_a_group_is_taken_back_alone),
        SYNC_TEST(test_a_campaign_takes_no_other_device),
        SYNC_TEST(test_other_names_keep_only_their_computation_back),
        SYNC_TEST(test_a_damaged_page_keeps_no_other_device_back),
        SYNC_TEST(test_damaged_profiles_keep_no_other_device_back),
        SYNC_TEST(test_a_damaged_first_page_keeps_no_other_device_back),
        SYNC_TEST(test_other_features_of_a_device_are_named),
        SYNC_TEST(test_damage_stays_behind),
        SYNC_TEST(test_a_newer_record_is_not_replaced),
        SYNC_TEST(test_what_is_outdated_and_why),
        SYNC_TEST(test_a_new_driver_makes_all_samples_outdated),
        SYNC_TEST(test_outdated_times_are_taken_back),
        SYNC_TEST(test_learning_from_two_versions_is_said),
        SYNC_TEST(test_digests_of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
