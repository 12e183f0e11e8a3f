/* The SQLite backend: which files it accepts, and which file a URL names. */
#include <limits.h>
#include <sqlite3.h>

#include "unit/store_records.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char *previous_folder, *data_home, *home;
} fixture;

static char *copy_or_null(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void restore_variable(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    f->previous_folder = getcwd(NULL, 0);
    f->data_home = copy_or_null(getenv("XDG_DATA_HOME"));
    f->home = copy_or_null(getenv("HOME"));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    restore_variable("XDG_DATA_HOME", f->data_home);
    restore_variable("HOME", f->home);
    assert_int_equal(chdir(f->previous_folder), 0);
    free(f->previous_folder);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

static void make_store(fixture *f, const char *url)
{
    nitro_store *store = NULL;
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store));
    records_put_names(store, "spmv", "K20");
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 0, 3, false));
    nitro_store_close(store);
}

static void assert_is_store(fixture *f, const char *url)
{
    nitro_store *store = NULL;
    size_t count = 0;
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &store));
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, 3);
    nitro_store_close(store);
}

/* Both modes of opening fail with this error, and the file does not change. */
static void assert_refused(fixture *f, const char *path, nitro_status status, const char *text)
{
    static const nitro_store_mode modes[] = {NITRO_STORE_READ, NITRO_STORE_WRITE};
    char *before, *after;
    size_t size_before, size_after;
    assert_ok(f->context, nitro_file_read(f->context, path, 1 << 20, &before, &size_before));
    for (int i = 0; i < 2; i++) {
        nitro_store *store = NULL;
        assert_fails(f->context, nitro_store_open(f->context, path, modes[i], &store), status,
                     text);
        assert_fails(f->context, nitro_store_open(f->context, path, modes[i], &store), status,
                     path);
        assert_null(store);
    }
    assert_ok(f->context, nitro_file_read(f->context, path, 1 << 20, &after, &size_after));
    assert_int_equal(size_after, size_before);
    assert_memory_equal(before, after, size_before);
    free(before);
    free(after);
}

static void test_another_version_is_refused_with_both_versions(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "store");
    make_store(f, path);
    run_sql(path, "PRAGMA user_version = 8");
    assert_refused(f, path, NITRO_ERR_NEWER, "is of version 8, and this Nitro");
    assert_refused(f, path, NITRO_ERR_NEWER, "up to version 7; use a newer Nitro");
    run_sql(path, "PRAGMA user_version = 4");
    assert_refused(f, path, NITRO_ERR_FORMAT, "is of version 4, and this Nitro");
    assert_refused(f, path, NITRO_ERR_FORMAT, "export its samples as CSV");
    run_sql(path, "PRAGMA user_version = -1");
    assert_refused(f, path, NITRO_ERR_FORMAT, "is of version -1");
    run_sql(path, "PRAGMA user_version = 7");
    assert_is_store(f, path);
}

/* A store of an earlier version is read as it is; who opens it to write keeps its records, and
 * makes it one of this version, which the earlier Nitros refuse. */
static void check_earlier_version(fixture *f, int version, const unsigned char *record,
                                  size_t record_size)
{
    const char *path = temporary_path(&f->folder, "old");
    nitro_store *store = NULL;
    nitro_sample *sample = NULL;
    int64_t found = 0;
    char sql[1024];
    make_store(f, path);
    size_t length = (size_t)snprintf(sql, sizeof(sql),
                                     "PRAGMA user_version = %d; INSERT INTO samples (computation, "
                                     "device, name, record) VALUES (1, 1, '%s', x'",
                                     version, RECORDS_EARLIER_INPUT);
    for (size_t i = 0; i < record_size; i++)
        length += (size_t)snprintf(sql + length, sizeof(sql) - length, "%02X", record[i]);
    snprintf(sql + length, sizeof(sql) - length, "')");
    run_sql(path, sql);
    for (int writing = 0; writing < 2; writing++) {
        assert_ok(f->context,
                  nitro_store_open(f->context, path, writing ? NITRO_STORE_WRITE : NITRO_STORE_READ,
                                   &store));
        assert_ok(f->context, nitro_store_layout_version(store, &found));
        assert_int_equal(found, writing ? NITRO_STORE_VERSION : version);
        assert_ok(f->context,
                  nitro_store_get_sample(store, "spmv", "K20", RECORDS_EARLIER_INPUT, &sample));
        nitro_sample_free(sample);
        if (writing)
            assert_ok(f->context, records_put_samples(store, "spmv", "K20", 50, 2, false));
        records_assert_sound(store);
        nitro_store_close(store);
    }
    unlink(path);
}

static void test_stores_of_earlier_versions_go_on(void **state)
{
    check_earlier_version(*state, 5, records_version_5, sizeof(records_version_5));
    check_earlier_version(*state, 6, records_version_6, sizeof(records_version_6));
}

static void test_another_programs_file_is_refused(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "other.db");
    run_sql(path, "CREATE TABLE samples (id INTEGER)");
    assert_refused(f, path, NITRO_ERR_FORMAT, "another program's SQLite file");
    run_sql(path, "PRAGMA application_id = 1; PRAGMA user_version = 1");
    assert_refused(f, path, NITRO_ERR_FORMAT, "another program's SQLite file");
    /* No tables yet, but marked as someone's own. */
    path = temporary_path(&f->folder, "marked.db");
    run_sql(path, "PRAGMA user_version = 4");
    assert_refused(f, path, NITRO_ERR_FORMAT, "another program's SQLite file");
}

static char made[PATH_MAX], being_made[PATH_MAX];

/* Another process makes the store between two statements of one that opens it, as far as locks let
 * it. */
static int make_meanwhile(unsigned event, void *unused, void *statement, void *sql)
{
    sqlite3 *from = NULL, *to = NULL;
    (void)event;
    (void)unused;
    (void)statement;
    if (!strstr(sql, "user_version"))
        return 0;
    assert_int_equal(sqlite3_open(made, &from), SQLITE_OK);
    assert_int_equal(sqlite3_open(being_made, &to), SQLITE_OK);
    sqlite3_backup *copy = sqlite3_backup_init(to, "main", from, "main");
    assert_non_null(copy);
    sqlite3_backup_step(copy, -1);
    sqlite3_backup_finish(copy);
    sqlite3_close(from);
    sqlite3_close(to);
    return 0;
}

static int watch_first(sqlite3 *db, const char **unused, const void *unused_too)
{
    (void)unused;
    (void)unused_too;
    sqlite3_reset_auto_extension(); /* the other process's connections are not watched */
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, make_meanwhile, NULL);
}

static void test_a_store_that_another_is_making_is_accepted(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    snprintf(made, sizeof(made), "%s", temporary_path(&f->folder, "made"));
    make_store(f, made);
    snprintf(being_made, sizeof(being_made), "%s", temporary_write(&f->folder, "new", ""));
    sqlite3_auto_extension((void (*)(void))watch_first);
    assert_ok(f->context, nitro_store_open(f->context, being_made, NITRO_STORE_WRITE, &store));
    nitro_store_close(store);
}

static void test_tables_of_another_shape_are_refused(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "store");
    make_store(f, path);
    run_sql(path, "DROP TABLE samples");
    nitro_store *store = NULL;
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_READ, &store),
                 NITRO_ERR_FORMAT, "not those of a Nitro store");
    nitro_store_close(store);
}

static void test_text_and_fragments_are_refused(void **state)
{
    fixture *f = *state;
    char long_text[9000];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    const char *texts[] = {"input,rows\na,1\n", "xy", "SQLite format 3", long_text};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_refused(f, temporary_write(&f->folder, "text", texts[i]), NITRO_ERR_FORMAT,
                       "not a Nitro store");
}

static void test_an_empty_file_is_only_good_for_a_new_store(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    const char *path = temporary_write(&f->folder, "empty", "");
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_READ, &store),
                 NITRO_ERR_FORMAT, "the file is empty");
    make_store(f, path);
    assert_is_store(f, path);
}

static void test_places_where_no_file_can_be(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    const char *path = f->folder.folder;
    for (int i = 0; i < 2; i++)
        assert_fails(
            f->context,
            nitro_store_open(f->context, path, i ? NITRO_STORE_WRITE : NITRO_STORE_READ, &store),
            NITRO_ERR_IO, "this is a folder: name a file");
    path = temporary_path(&f->folder, "missing/store");
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_READ, &store),
                 NITRO_ERR_NOT_FOUND, path);
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_IO, "No such file or directory");
    temporary_write(&f->folder, "file", "text");
    path = temporary_path(&f->folder, "file/store");
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_IO, "Not a directory");
    assert_null(store);
}

static void test_a_scheme_and_a_plain_path_mean_the_same_file(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    const char *path = temporary_path(&f->folder, "store");
    char url[300];
    snprintf(url, sizeof(url), "sqlite:%s", path);
    make_store(f, url);
    assert_is_store(f, path);
    assert_ok(f->context, nitro_store_open(f->context, path, NITRO_STORE_READ, &store));
    assert_string_equal(nitro_store_url(store), url);
    nitro_store_close(store);
}

static void test_unknown_schemes_are_refused_with_the_known_ones(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    const char *urls[] = {"mysql:store", "gopher://example.org/store", "sqlite3:store", "c:store"};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
        assert_fails(f->context, nitro_store_open(f->context, urls[i], NITRO_STORE_WRITE, &store),
                     NITRO_ERR_NOT_FOUND, "known: sqlite");
    assert_fails(f->context, nitro_store_open(f->context, "sqlite:", NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "names no file");
    assert_fails(f->context, nitro_store_open(f->context, "", NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "names no file");
    assert_null(store);
}

/* Names with a meaning in SQLite are plain file names for a store. */
static void test_odd_names_are_names_of_files(void **state)
{
    fixture *f = *state;
    assert_int_equal(chdir(f->folder.folder), 0);
    const char *names[] = {":memory:",    "a store.db", "100%25.db",  "what?mode=memory",
                           "#x",          "./file:x",   "-o",         "Z:x",
                           "\xc3\xa9.db", "./s:x",      "a'b\";--.db"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        make_store(f, names[i]);
        assert_int_equal(access(names[i], F_OK), 0);
        assert_is_store(f, names[i]);
    }
    make_store(f, "sqlite:file:y?mode=memory");
    assert_int_equal(access("file:y?mode=memory", F_OK), 0);
    assert_is_store(f, "sqlite:file:y?mode=memory");
}

static void test_a_very_long_path_is_refused(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    char path[6000];
    memset(path, 'x', sizeof(path) - 1);
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "a path of 5999 bytes is too long");
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_READ, &store),
                 NITRO_ERR_ARGUMENT, "a path of 5999 bytes is too long");
    path[490] = '\0'; /* not too long for SQLite, but for the file system */
    assert_fails(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_IO, "File name too long");
    path[200] = '\0';
    assert_int_equal(chdir(f->folder.folder), 0);
    for (int i = 0; i < 3; i++)
        assert_true(mkdir(path + 1, 0700) == 0 && chdir(path + 1) == 0);
    assert_fails(f->context, nitro_store_open(f->context, "s.db", NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "its folder's included, is too long for a store");
}

static void test_the_first_write_makes_the_file(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "new.db");
    nitro_store *store = NULL;
    nitro_string_list names = {0};
    uint64_t bytes = 1;
    assert_ok(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_list_computations(store, &names));
    assert_ok(f->context, nitro_store_verify(store, NULL, NULL));
    assert_ok(f->context, nitro_store_size_bytes(store, &bytes));
    assert_int_equal(names.count, 0);
    assert_int_equal(bytes, 0);
    assert_int_not_equal(access(path, F_OK), 0);
    records_put_names(store, "spmv", "K20");
    assert_int_equal(access(path, F_OK), 0);
    assert_ok(f->context, records_put_samples(store, "spmv", "K20", 0, 3, false));
    assert_is_store(f, path);
    nitro_store_close(store);
}

static void test_what_another_made_meanwhile_is_seen(void **state)
{
    fixture *f = *state;
    const char *path = temporary_path(&f->folder, "new.db");
    nitro_store *reader = NULL, *writer = NULL;
    size_t count = 0;
    assert_ok(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &reader));
    assert_ok(f->context, nitro_store_open(f->context, path, NITRO_STORE_WRITE, &writer));
    make_store(f, path);
    assert_ok(f->context,
              nitro_store_each_sample(reader, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, 3);
    assert_ok(f->context, records_put_samples(writer, "spmv", "K20", 3, 2, false));
    assert_ok(f->context, nitro_store_count_samples(reader, "spmv", "K20", &count));
    assert_int_equal(count, 5);
    nitro_store_close(writer);
    nitro_store_close(reader);
}

/* The folder may be gone by the first write: an error, and the store remains usable. */
static void test_a_file_that_cannot_be_made_is_said(void **state)
{
    fixture *f = *state;
    char folder[160];
    nitro_store *store = NULL;
    nitro_schema *schema = NULL;
    snprintf(folder, sizeof(folder), "%s", temporary_path(&f->folder, "lab"));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_ok(f->context, nitro_store_open(f->context, temporary_path(&f->folder, "lab/new.db"),
                                           NITRO_STORE_WRITE, &store));
    assert_int_equal(rmdir(folder), 0);
    assert_ok(f->context, nitro_schema_create(f->context, "spmv", &schema));
    assert_ok(f->context, nitro_schema_add_variant(f->context, schema, "csr"));
    assert_fails(f->context, nitro_store_put_schema(store, schema), NITRO_ERR_IO, "lab/new.db");
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_ok(f->context, nitro_store_put_schema(store, schema));
    nitro_schema_free(schema);
    nitro_store_close(store);
}

static void test_the_default_store_is_the_users_own(void **state)
{
    fixture *f = *state;
    nitro_store *store = NULL;
    setenv("HOME", temporary_path(&f->folder, "home"), 1);
    setenv("XDG_DATA_HOME", temporary_path(&f->folder, "data home"), 1);
    assert_fails(f->context, nitro_store_open(f->context, NULL, NITRO_STORE_READ, &store),
                 NITRO_ERR_NOT_FOUND, "data home/nitro/store.db: no such store");
    assert_int_not_equal(access(temporary_path(&f->folder, "data home"), F_OK), 0);
    make_store(f, NULL); /* makes the folders */
    assert_is_store(f, temporary_path(&f->folder, "data home/nitro/store.db"));
    assert_is_store(f, NULL);

    setenv("XDG_DATA_HOME", "relative", 1); /* ignored */
    make_store(f, NULL);
    assert_is_store(f, temporary_path(&f->folder, "home/.local/share/nitro/store.db"));
    unsetenv("XDG_DATA_HOME");
    assert_is_store(f, NULL);

    setenv("HOME", "", 1);
    assert_fails(f->context, nitro_store_open(f->context, NULL, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_ARGUMENT, "neither XDG_DATA_HOME nor HOME");
    unsetenv("HOME");
    assert_fails(f->context, nitro_store_open(f->context, NULL, NITRO_STORE_READ, &store),
                 NITRO_ERR_ARGUMENT, "neither XDG_DATA_HOME nor HOME");
    assert_fails(f->context, nitro_store_open_journaled(f->context, "redis://nowhere", &store),
                 NITRO_ERR_ARGUMENT, "no folder for journal");
    temporary_write(&f->folder, "file", "text");
    setenv("XDG_DATA_HOME", temporary_path(&f->folder, "file"), 1);
    assert_fails(f->context, nitro_store_open(f->context, NULL, NITRO_STORE_WRITE, &store),
                 NITRO_ERR_IO, "file/nitro");
}

int main(void)
{
#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_another_version_is_refused_with_both_versions),
        STORE_TEST(test_stores_of_earlier_versions_go_on),
        STORE_TEST(test_another_programs_file_is_refused),
        STORE_TEST(test_a_store_that_another_is_making_is_accepted),
        STORE_TEST(test_tables_of_another_shape_are_refused),
        STORE_TEST(test_text_and_fragments_are_refused),
        STORE_TEST(test_an_empty_file_is_only_good_for_a_new_store),
        STORE_TEST(test_places_where_no_file_can_be),
        STORE_TEST(test_a_scheme_and_a_plain_path_mean_the_same_file),
        STORE_TEST(test_unknown_schemes_are_refused_with_the_known_ones),
        STORE_TEST(test_odd_names_are_names_of_files),
        STORE_TEST(test_a_very_long_path_is_refused),
        STORE_TEST(test_the_first_write_makes_the_file),
        STORE_TEST(test_what_another_made_meanwhile_is_seen),
        STORE_TEST(test_a_file_that_cannot_be_made_is_said),
        STORE_TEST(test_the_default_store_is_the_users_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
