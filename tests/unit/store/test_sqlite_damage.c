/* Damaged and altered SQLite stores: never a crash, a wrong number or an unreported loss. */
#include <sqlite3.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

enum { NUM_SAMPLES = 48, NUM_RUNS = 5, NUM_FLIPS = 1500, NUM_BURSTS = 300, NUM_CUTS = 250 };

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char path[128];
    char *bytes; /* of the sound store */
    size_t size;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    nitro_store *store = NULL;
    f->context = unit_context();
    f->folder = temporary_make();
    snprintf(f->path, sizeof(f->path), "%s/store", f->folder.folder);
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
    records_put_names(store, "spmv", "K20");
    records_put_names(store, "sort", "K40");
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 0, NUM_SAMPLES, false));
    assert_ok(f->context, records_put_samples(store, "spmv", "K40", 0, 2, false));
    assert_ok(f->context, records_put_profiles(store, "K20", 0, NUM_RUNS, false));
    nitro_store_close(store);
    assert_ok(f->context, nitro_file_read(f->context, f->path, 1 << 24, &f->bytes, &f->size));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f->bytes);
    free(f);
    return 0;
}

/* A new file, without a journal that SQLite may have left beside the previous one. */
static void write_bytes(const fixture *f, const char *bytes, size_t size)
{
    static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
    char path[160];
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", f->path, suffixes[i]);
        unlink(path);
    }
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The result of reading the damaged store. */
typedef struct reading {
    bool opened, all_there;
    size_t num_problems;
} reading;

static bool names_and_device_are_there(fixture *f, nitro_store *store)
{
    nitro_schema *schema = NULL, *made = records_schema(f->context, "spmv");
    nitro_device *device = NULL;
    bool same = false;
    if (nitro_store_get_schema(store, "spmv", &schema) == NITRO_OK) {
        same = nitro_schema_require_same(f->context, schema, "a", made, "b") == NITRO_OK &&
               schema->default_variant == 1 && schema->features[0].scale == NITRO_SCALE_LOG;
        if (!same)
            fail_msg("other names than those stored were read");
    }
    if (nitro_store_get_device(store, "K20", &device) == NITRO_OK) {
        bool same_device = nitro_device_value(device, "peak_gbps") == 208.125 &&
                           device->features[0].spread == 0.25 && device->num_features == 1 &&
                           strcmp(device->kind, "recorded") == 0;
        if (!same_device)
            fail_msg("another device than the stored one was read");
        same = same && same_device;
    } else {
        same = false;
    }
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_schema_free(made);
    return same;
}

/* Fails if anything read differs from what was stored. */
static reading read_all(fixture *f)
{
    reading result = {0};
    nitro_store *store = NULL;
    nitro_string_list problems = {0};
    size_t count = 0;
    if (nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store) != NITRO_OK)
        return result;
    result.opened = true;
    result.all_there =
        nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count) == NITRO_OK;
    result.all_there = result.all_there && count == NUM_SAMPLES;
    result.all_there = names_and_device_are_there(f, store) && result.all_there;
    count = 0;
    result.all_there = result.all_there &&
                       nitro_store_each_profile(store, NULL, "spmv", records_count_same_profile,
                                                &count) == NITRO_OK &&
                       nitro_store_each_profile(store, "K20", NULL, records_count_same_profile,
                                                &count) == NITRO_OK &&
                       count == 4 * NUM_RUNS;
    nitro_status status = nitro_store_verify(store, records_keep_problem, &problems);
    result.num_problems = status == NITRO_OK ? 0 : problems.count + 1;
    assert_true(status != NITRO_OK || problems.count == 0);
    nitro_string_list_free(&problems);
    nitro_store_close(store);
    return result;
}

/* Damage may hit unused bytes; but missing records must be reported. */
static void assert_nothing_goes_unseen(fixture *f, const char *what, size_t where)
{
    reading result = read_all(f);
    if (result.opened && !result.all_there && result.num_problems == 0)
        fail_msg("%s at %zu: records are missing, and nothing reports it", what, where);
}

static void test_a_sound_store_is_read_whole(void **state)
{
    fixture *f = *state;
    reading result = read_all(f);
    assert_true(result.opened && result.all_there && result.num_problems == 0);
}

static void test_a_store_cut_short(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < NUM_CUTS; i++) {
        size_t size = i < 40 ? 3 * i : f->size * i / NUM_CUTS;
        write_bytes(f, f->bytes, size);
        reading result = read_all(f);
        if (result.opened && result.num_problems == 0)
            fail_msg("cut to %zu of %zu bytes, and nothing reports it", size, f->size);
    }
}

static void test_bytes_flipped(void **state)
{
    fixture *f = *state;
    nitro_random random;
    nitro_random_seed(&random, 11);
    for (size_t i = 0; i < NUM_FLIPS; i++) {
        /* Every byte of the header in turn, then anywhere. */
        size_t place = i < 100 ? i : nitro_random_below(&random, f->size);
        char flip = (char)(1u << nitro_random_below(&random, 8));
        f->bytes[place] = (char)(f->bytes[place] ^ flip);
        write_bytes(f, f->bytes, f->size);
        f->bytes[place] = (char)(f->bytes[place] ^ flip);
        assert_nothing_goes_unseen(f, "a flipped bit", place);
    }
}

/* A lost sector: a range of zeros or noise. */
static void test_stretches_overwritten(void **state)
{
    fixture *f = *state;
    nitro_random random;
    char *copy = malloc(f->size);
    assert_non_null(copy);
    nitro_random_seed(&random, 12);
    for (size_t i = 0; i < NUM_BURSTS; i++) {
        memcpy(copy, f->bytes, f->size);
        size_t length = 1 + nitro_random_below(&random, i % 2 ? 64 : 4096);
        size_t place = nitro_random_below(&random, f->size - length);
        for (size_t k = 0; k < length; k++)
            copy[place + k] = i % 3 ? (char)nitro_random_next(&random) : 0;
        write_bytes(f, copy, f->size);
        assert_nothing_goes_unseen(f, "an overwritten stretch", place);
    }
    free(copy);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    assert_true(sqlite3_total_changes(db) > 0);
    sqlite3_close(db);
}

/* A record with another last byte, and with one more; test_record.c alters every byte. */
#define LAST_BYTE "CAST(substr(record, 1, length(record) - 1) || char(1) AS BLOB)"
#define ONE_MORE  "CAST(record || 'x' AS BLOB)"

static const struct {
    const char *sql;
    const char *problem; /* part of what verify reports */
} alterations[] = {
    {"UPDATE samples SET record = " LAST_BYTE " WHERE id = 5", "input-004"},
    {"UPDATE samples SET record = " ONE_MORE " WHERE id = 5", "input-004"},
    {"UPDATE samples SET record = zeroblob(length(record)) WHERE id = 5", "input-004"},
    {"UPDATE samples SET record = x'' WHERE id = 5", "input-004"},
    {"UPDATE samples SET record = (SELECT record FROM samples WHERE id = 6) WHERE id = 5",
     "input-004"},
    {"UPDATE samples SET name = 'input-999' WHERE id = 5", "input-999"},
    {"UPDATE samples SET name = '' WHERE id = 5", "damaged"},
    {"UPDATE samples SET name = 'a' || char(10) WHERE id = 5", "damaged"},
    {"UPDATE samples SET name = 'a' || char(0) || 'b' WHERE id = 5", "damaged"},
    {"UPDATE samples SET device = 2 WHERE id = 5", "spmv on K40: input-004"},
    {"UPDATE samples SET device = 99 WHERE id = 5", "of samples"},
    {"UPDATE samples SET computation = 2 WHERE id = 5", "sort on K20: input-004"},
    {"UPDATE samples SET computation = 99 WHERE id = 5", "of samples"},
    {"UPDATE devices SET record = " LAST_BYTE " WHERE name = 'K20'", "device 'K20'"},
    {"UPDATE devices SET record = x'' WHERE name = 'K20'", "device 'K20'"},
    {"UPDATE devices SET name = 'K99' WHERE name = 'K20'", "device 'K99'"},
    {"UPDATE devices SET name = 'a b' WHERE name = 'K20'", "a b"},
    {"UPDATE computations SET record = " LAST_BYTE " WHERE name = 'spmv'", "schema 'spmv'"},
    {"UPDATE computations SET name = 'spmw' WHERE name = 'spmv'", "schema 'spmw'"},
    {"DELETE FROM computations WHERE name = 'spmv'", "of samples"},
    {"UPDATE profiles SET record = " LAST_BYTE " WHERE id = 1", "csr input-000  rows#2"},
    {"UPDATE profiles SET record = (SELECT record FROM profiles WHERE id = 3) WHERE id = 1",
     "csr input-000  rows#2"},
    {"UPDATE profiles SET name = replace(name, 'rows#2', 'x') WHERE id = 1",
     "spmv on K20: csr input-000  x"},
    {"UPDATE profiles SET name = char(10) WHERE id = 1", "spmv on K20: "},
    {"UPDATE profiles SET name = 'x' WHERE id = 2", "proxies on K20: x"},
    {"UPDATE profiles SET device = 2 WHERE id = 1", "spmv on K40: csr"},
    {"UPDATE profiles SET device = 99 WHERE id = 1", "of profiles"},
    {"UPDATE profiles SET computation = 2 WHERE id = 1", "sort on K20: csr"},
    {"UPDATE profiles SET computation = 99 WHERE id = 1", "of profiles"},
    {"UPDATE profiles SET computation = NULL WHERE id = 1", "proxies on K20: csr"},
};

static bool is_among(const nitro_string_list *problems, const char *text)
{
    for (size_t i = 0; i < problems->count; i++)
        if (strstr(problems->items[i], text))
            return true;
    return false;
}

static void test_verify_finds_what_was_altered(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof(alterations) / sizeof(alterations[0]); i++) {
        nitro_store *store = NULL;
        nitro_string_list problems = {0};
        write_bytes(f, f->bytes, f->size);
        run_sql(f->path, alterations[i].sql);
        assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store));
        if (nitro_store_verify(store, records_keep_problem, &problems) != NITRO_ERR_FORMAT)
            fail_msg("%s: not found", alterations[i].sql);
        if (!is_among(&problems, alterations[i].problem))
            fail_msg("%s: no problem names '%s', but: %s", alterations[i].sql,
                     alterations[i].problem, problems.count ? problems.items[0] : "nothing");
        nitro_string_list_free(&problems);
        nitro_store_close(store);
        read_all(f); /* what can be read equals what was stored */
    }
}

static void keep_warning(void *user, nitro_log_level level, const char *message)
{
    if (level == NITRO_LOG_WARNING)
        records_keep_problem(user, message);
}

/* Damaged records are skipped and reported; sound ones can still be read. */
static void test_an_altered_store_still_gives_what_is_sound(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    nitro_sample *sample = NULL;
    nitro_string_list warnings = {0};
    size_t count = 0;
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_warning, &warnings);
    write_bytes(f, f->bytes, f->size);
    run_sql(f->path, "UPDATE samples SET record = " LAST_BYTE " WHERE id = 5");
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, NUM_SAMPLES - 1);
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.items[0], "'spmv on K20: input-004' is damaged"));
    assert_fails(f->context, nitro_store_get_sample(store, "spmv", "K20", "input-004", &sample),
                 NITRO_ERR_FORMAT, "'spmv on K20: input-004' is damaged or was altered");
    /* Measuring again repairs it. */
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 4, 1, true));
    records_assert_sound(store);
    nitro_store_close(store);
    nitro_string_list_free(&warnings);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
}

/* Only the first ten are listed; the others are counted. */
static void test_much_damage_is_counted(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    nitro_string_list warnings = {0};
    size_t count = 0;
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, keep_warning, &warnings);
    write_bytes(f, f->bytes, f->size);
    run_sql(f->path, "UPDATE samples SET record = x'' WHERE id BETWEEN 2 AND 26");
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store));
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, NUM_SAMPLES - 25);
    assert_int_equal(warnings.count, 11);
    assert_non_null(strstr(warnings.items[10], "15 more records are damaged"));
    nitro_store_close(store);
    nitro_string_list_free(&warnings);
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, NULL, NULL);
}

static const struct {
    const char *sql;
    const char *named;
    size_t samples_left; /* of spmv on K20 */
} removals[] = {
    {"UPDATE samples SET record = " LAST_BYTE " WHERE id = 5", "spmv on K20: input-004",
     NUM_SAMPLES - 1},
    {"UPDATE samples SET name = 'a' || char(10) WHERE id = 5", "is damaged", NUM_SAMPLES - 1},
    {"UPDATE samples SET device = 99 WHERE id = 5", "samples of no computation or no device: 1",
     NUM_SAMPLES - 1},
    {"UPDATE profiles SET record = x'' WHERE id = 1", "profile '", NUM_SAMPLES},
    {"UPDATE devices SET record = x'' WHERE name = 'K20'", "of device 'K20', which is damaged", 0},
};

/* First a dry run, then removal; afterwards the store is sound and has all sound records. */
static void test_damaged_records_are_removed(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof(removals) / sizeof(removals[0]); i++) {
        nitro_store *store = NULL;
        nitro_string_list said = {0}, done = {0};
        size_t count = 0;
        write_bytes(f, f->bytes, f->size);
        run_sql(f->path, removals[i].sql);
        assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
        assert_ok(f->context, nitro_store_remove_damaged(store, true, records_keep_problem, &said));
        assert_int_equal(nitro_store_verify(store, NULL, NULL), NITRO_ERR_FORMAT);
        assert_ok(f->context,
                  nitro_store_remove_damaged(store, false, records_keep_problem, &done));
        records_assert_sound(store);
        if (!is_among(&said, removals[i].named) || !is_among(&done, removals[i].named))
            fail_msg("%s: '%s' is not reported, but: %s", removals[i].sql, removals[i].named,
                     said.count ? said.items[0] : "nothing");
        assert_ok(f->context, nitro_store_count_samples(store, "spmv", "K20", &count));
        assert_int_equal(count, removals[i].samples_left);
        nitro_string_list_free(&said);
        nitro_string_list_free(&done);
        nitro_store_close(store);
    }
}

/* A record of a newer Nitro is skipped and reported, but not removed. */
static void test_a_newer_record_is_not_removed(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    nitro_sample *sample = NULL;
    nitro_string_list removed = {0}, problems = {0};
    size_t count = 0;
    write_bytes(f, f->bytes, f->size);
    run_sql(f->path, "UPDATE samples SET record = x'4E080000000000000000' WHERE id = 5");
    run_sql(f->path, "UPDATE profiles SET record = x'4E070000000000000000' WHERE id = 1");
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_remove_damaged(store, false, records_keep_problem, &removed));
    assert_int_equal(removed.count, 0);
    assert_ok(f->context, nitro_store_count_samples(store, "spmv", "K20", &count));
    assert_int_equal(count, NUM_SAMPLES);
    assert_int_equal(nitro_store_verify(store, records_keep_problem, &problems), NITRO_ERR_FORMAT);
    assert_int_equal(problems.count, 2);
    assert_true(is_among(&problems, "'spmv on K20: input-004' was written by a newer Nitro"));
    assert_fails(f->context, nitro_store_get_sample(store, "spmv", "K20", "input-004", &sample),
                 NITRO_ERR_NEWER, "written by a newer Nitro");
    nitro_string_list_free(&problems);
    nitro_store_close(store);
}

/* What somebody else put into the file: it is not opened. */
static void test_a_foreign_schema_is_refused(void **state)
{
    fixture *f = *state;
#define REWRITE(table, from, to)                                                                   \
    "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, '" from "', '" to     \
    "') WHERE name = '" table "'"
    static const char *const additions[] = {
        "CREATE TRIGGER more AFTER INSERT ON samples BEGIN DELETE FROM devices; END",
        "CREATE VIEW more AS SELECT * FROM samples",
        "CREATE TABLE more (x)",
        "CREATE INDEX more ON samples (length(hex(zeroblob(8000000))))",
        "DROP INDEX samples_by_name",
        "DROP TABLE profiles",
        "ALTER TABLE devices ADD COLUMN more ANY",
        REWRITE("samples", ") STRICT", ", CHECK (length(hex(zeroblob(8000000))) > 0)) STRICT"),
        REWRITE("samples_by_name", "UNIQUE ", ""),
        REWRITE("computations", "NOT NULL UNIQUE", "COLLATE NOCASE NOT NULL UNIQUE")};
    for (size_t i = 0; i < sizeof(additions) / sizeof(additions[0]); i++) {
        sqlite3 *db = NULL;
        nitro_store *store = NULL;
        write_bytes(f, f->bytes, f->size);
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, additions[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        assert_fails(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store),
                     NITRO_ERR_FORMAT, "tables are not those of a Nitro store");
        assert_fails(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store),
                     NITRO_ERR_FORMAT, "tables are not those of a Nitro store");
    }
}

/* A schema of any size is refused after a bounded number of steps. */
static void test_a_huge_schema_is_refused(void **state)
{
    fixture *f = *state;
    sqlite3 *db = NULL;
    nitro_store *store = NULL;
    char sql[64];
    write_bytes(f, f->bytes, f->size);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < 3000; i++) {
        snprintf(sql, sizeof(sql), "CREATE TABLE more%zu (x)", i);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    }
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_fails(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_READ, &store),
                 NITRO_ERR_FORMAT, "schema is larger than that of any Nitro store");
}

/* What ANALYZE adds is an administrator's choice. */
static void test_statistics_are_no_alteration(void **state)
{
    fixture *f = *state;
    write_bytes(f, f->bytes, f->size);
    run_sql(f->path, "UPDATE samples SET name = name; ANALYZE; VACUUM");
    reading sound = read_all(f);
    assert_true(sound.opened && sound.all_there);
}

/* ---- A page that is lost ---- */

/* Both kernels of a run, one after the other. */
static nitro_status check_run(void *user, const char *device, const nitro_profile *profile)
{
    char *last = user;
    char run[128];
    (void)device;
    snprintf(run, sizeof(run), "%s %g", profile->input ? profile->input : "", profile->intensity);
    if (last[0] && strcmp(last, run) != 0)
        fail_msg("the run of %s is incomplete", last);
    snprintf(last, sizeof(run), "%s", last[0] ? "" : run);
    return NITRO_OK;
}

static void assert_whole_runs(fixture *f, nitro_store *store)
{
    static const char *const computations[] = {"spmv", NULL};
    for (size_t i = 0; i < 2; i++) {
        char last[128] = "";
        nitro_status status =
            nitro_store_each_profile(store, "K20", computations[i], check_run, last);
        if (status != NITRO_ERR_NOT_FOUND)
            assert_ok(f->context, status);
        if (last[0])
            fail_msg("the run of %s is incomplete", last);
    }
}

static size_t count_profiles(nitro_store *store)
{
    size_t count = 0, of_proxies = 0;
    nitro_store_count_profiles(store, "K20", "spmv", &count);
    nitro_store_count_profiles(store, "K20", NULL, &of_proxies);
    return count + of_proxies;
}

/* Opens the store with each of its pages zeroed in turn. @return false: it was the last one. */
static bool open_without_page(const fixture *f, size_t page, nitro_store **store)
{
    enum { PAGE_BYTES = 4096 };
    char *copy = malloc(f->size);
    assert_non_null(copy);
    *store = NULL;
    if ((page + 1) * PAGE_BYTES <= f->size) {
        memcpy(copy, f->bytes, f->size);
        memset(copy + page * PAGE_BYTES, 0, PAGE_BYTES);
        write_bytes(f, copy, f->size);
        nitro_store_open(f->context, f->path, NITRO_STORE_READ, store);
    }
    free(copy);
    return (page + 1) * PAGE_BYTES <= f->size;
}

static void store_many_runs(fixture *f)
{
    nitro_store *store = NULL;
    write_bytes(f, f->bytes, f->size);
    assert_ok(f->context, nitro_store_open(f->context, f->path, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, records_put_profiles(store, "K20", NUM_RUNS, 30, false));
    nitro_store_close(store);
    free(f->bytes);
    assert_ok(f->context, nitro_file_read(f->context, f->path, 1 << 24, &f->bytes, &f->size));
}

static void test_runs_are_copied_whole_from_a_store_without_a_page(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    size_t num_partial = 0;
    store_many_runs(f);
    for (size_t page = 1; open_without_page(f, page, &store); page++) {
        char path[160];
        nitro_store *copy = NULL;
        nitro_copy_report report;
        snprintf(path, sizeof(path), "%s-copy-%zu", f->path, page);
        assert_ok(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &copy));
        if (store)
            nitro_store_copy(store, copy, &report);
        assert_whole_runs(f, copy);
        size_t count = count_profiles(copy);
        num_partial += count > 0 && count < 4 * (NUM_RUNS + 30);
        nitro_store_close(copy);
        nitro_store_close(store);
    }
    assert_true(num_partial > 0);
}

static void test_what_is_readable_without_a_page_is_published(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    size_t num_partial = 0;
    store_many_runs(f);
    for (size_t page = 1; open_without_page(f, page, &store); page++) {
        char folder[160];
        nitro_store *published = NULL;
        nitro_publish_report report = {0};
        snprintf(folder, sizeof(folder), "%s/published-%zu", f->folder.folder, page);
        const nitro_publish_options options = {.folder = folder};
        nitro_status status = store ? nitro_store_publish(store, &options, &report) : NITRO_OK;
        nitro_store_close(store);
        if (status == NITRO_ERR_NOT_BUILT)
            skip();
        if (report.bundles == 0)
            continue;
        memmove(folder + strlen("file:"), folder, strlen(folder) + 1);
        memcpy(folder, "file:", strlen("file:"));
        assert_ok(f->context, nitro_store_open(f->context, folder, NITRO_STORE_READ, &published));
        assert_whole_runs(f, published);
        num_partial += status == NITRO_ERR_FORMAT && report.samples > 0;
        nitro_store_close(published);
    }
    assert_true(num_partial > 0);
}

int main(void)
{
#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_sound_store_is_read_whole),
        STORE_TEST(test_a_foreign_schema_is_refused),
        STORE_TEST(test_a_huge_schema_is_refused),
        STORE_TEST(test_statistics_are_no_alteration),
        STORE_TEST(test_a_store_cut_short),
        STORE_TEST(test_bytes_flipped),
        STORE_TEST(test_stretches_overwritten),
        STORE_TEST(test_verify_finds_what_was_altered),
        STORE_TEST(test_an_altered_store_still_gives_what_is_sound),
        STORE_TEST(test_much_damage_is_counted),
        STORE_TEST(test_damaged_records_are_removed),
        STORE_TEST(test_a_newer_record_is_not_removed),
        STORE_TEST(test_runs_are_copied_whole_from_a_store_without_a_page),
        STORE_TEST(test_what_is_readable_without_a_page_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
