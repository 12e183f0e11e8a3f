/* test_fetch.c - downloads of matrices: valid and hostile archives. */
#include "unit/store/http_fixture.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    http_server server;
    char url[160];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    setenv("XDG_CACHE_HOME", temporary_path(&f->folder, "cache"), 1);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    http_stop(&f->server);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void run(fixture *f, const char *commands)
{
    char *line =
        nitro_asprintf(f->context, "cd %s && { %s; } >/dev/null 2>&1", f->folder.folder, commands);
    if (system(line) != 0)
        fail_msg("'%s' failed", commands);
    free(line);
}

static void serve(fixture *f, const char *mode)
{
    if (!f->server.process)
        f->server = http_start(&f->folder, NULL, NULL);
    snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%u/%s/MM", f->server.port, mode);
}

static void start(fixture *f)
{
    char *path = NULL;
    bool cached;
    nitro_fetch_options options = {.base_url = "http://127.0.0.1:1", .max_bytes = 1};
    if (nitro_fetch_matrix(f->context, "a/b", &options, &path, &cached) == NITRO_ERR_NOT_BUILT) {
        print_message("SKIPPED: this build cannot download\n");
        skip();
    }
    serve(f, "ok");
    run(f, "mkdir -p www/MM/HB one/one two && cd one && printf '%%%%MatrixMarket matrix coordinate "
           "real general\\n2 2 1\\n1 1 3\\n' >one/one.mtx && echo x >one/one_b.mtx && "
           "tar czf ../www/MM/HB/one.tar.gz one");
}

static nitro_status fetch(fixture *f, const char *matrix, char **path, bool *cached)
{
    nitro_fetch_options options;
    nitro_fetch_options_init(&options);
    options.base_url = f->url;
    options.max_bytes = 1 << 20;
    return nitro_fetch_matrix(f->context, matrix, &options, path, cached);
}

static void assert_fetched(fixture *f, const char *matrix, bool from_cache)
{
    char *path = NULL, *text = NULL;
    size_t size = 0;
    bool cached = !from_cache;
    assert_ok(f->context, fetch(f, matrix, &path, &cached));
    assert_int_equal(cached, from_cache);
    assert_ok(f->context, nitro_file_read(f->context, path, 1000, &text, &size));
    assert_int_equal(strncmp(text, "%%MatrixMarket", 14), 0);
    free(path);
    free(text);
}

/* Files below the cache, as a sorted list of names. */
static size_t count_cached(fixture *f, const char *pattern)
{
    char *line =
        nitro_asprintf(f->context, "find %s/cache -name '%s' | wc -l", f->folder.folder, pattern);
    FILE *find = popen(line, "r");
    size_t count = 999;
    assert_int_equal(fscanf(find, "%zu", &count), 1);
    pclose(find);
    free(line);
    return count;
}

static void test_a_matrix_is_downloaded_once(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fetched(f, "HB/one", false);
    assert_fetched(f, "HB/one", true);
    assert_int_equal(http_requests(&f->server, "one.tar.gz"), 1);
    assert_int_equal(count_cached(f, "*.mtx"), 1); /* one_b.mtx stays in the archive */
    assert_int_equal(count_cached(f, "*.tar.gz*"), 0);
}

static void test_an_interrupted_download_resumes(void **state)
{
    fixture *f = *state;
    start(f);
    serve(f, "cutonce");
    assert_fetched(f, "HB/one", false);
    assert_int_equal(http_requests(&f->server, "bytes="), 1);
}

static void test_a_missing_matrix(void **state)
{
    char *path = NULL;
    bool cached;
    fixture *f = *state;
    start(f);
    assert_fails(f->context, fetch(f, "HB/none", &path, &cached), NITRO_ERR_NOT_FOUND,
                 "answers 404");
}

static void test_hostile_archives(void **state)
{
    static const struct {
        const char *make, *why;
    } bad[] = {
        {"mkdir -p two && cp one/one/one.mtx two/two.mtx && "
         "tar czPf www/MM/HB/two.tar.gz two ../../../../../../../../../../etc/hostname",
         "leads outside"},
        {"tar czPf www/MM/HB/two.tar.gz two /etc/hostname", "leads outside"},
        {"rm two/two.mtx && ln -s /etc/passwd two/two.mtx && tar czf www/MM/HB/two.tar.gz two",
         "is a link"},
        {"rm two/two.mtx && head -c 3000000 /dev/zero >two/two.mtx && tar czf "
         "www/MM/HB/two.tar.gz two",
         "more bytes than the limit"},
        {"echo hello >two/two.mtx && head -c 3000000 /dev/zero >two/x && tar czf "
         "www/MM/HB/two.tar.gz two",
         "more bytes than the limit"},
        {"rm two/x && tar czf www/MM/HB/two.tar.gz two", "not in Matrix Market format"},
        {"mv two/two.mtx two/other.mtx && tar czf www/MM/HB/two.tar.gz two",
         "the archive has no file two/two.mtx"},
        {"echo hello >www/MM/HB/two.tar.gz", "two.tar.gz"},
        {"head -c 60 www/MM/HB/one.tar.gz >www/MM/HB/two.tar.gz", "two.tar.gz"},
    };
    char *path = NULL;
    bool cached;
    fixture *f = *state;
    start(f);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        run(f, bad[i].make);
        assert_fails(f->context, fetch(f, "HB/two", &path, &cached), NITRO_ERR_FORMAT, bad[i].why);
        assert_int_equal(count_cached(f, "two*"), 0);
    }
}

static void test_names_that_are_paths(void **state)
{
    static const char *const names[] = {"one",      "HB/",   "/one",       "HB/../one",
                                        "../one",   "HB/.a", "HB/one two", "a/b/c",
                                        "HB/one?x", "",      "HB/%2e",     "HB/one\nHost"};
    char *path = NULL;
    bool cached;
    fixture *f = *state;
    snprintf(f->url, sizeof(f->url), "http://127.0.0.1:1");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_fails(f->context, fetch(f, names[i], &path, &cached), NITRO_ERR_ARGUMENT,
                     "GROUP/NAME");
}

static nitro_status refuse_all(void *user, const char *path)
{
    (void)path;
    return nitro_fail(user, NITRO_ERR_FORMAT, "not to my taste");
}

static void test_a_check_that_refuses(void **state)
{
    char *path = NULL;
    bool cached;
    fixture *f = *state;
    start(f);
    nitro_fetch_options options = {
        .base_url = f->url, .max_bytes = 1 << 20, .check = refuse_all, .user = f->context};
    assert_fails(f->context, nitro_fetch_matrix(f->context, "HB/one", &options, &path, &cached),
                 NITRO_ERR_FORMAT, "not to my taste");
    assert_int_equal(count_cached(f, "one*"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_matrix_is_downloaded_once),
        TEST(test_an_interrupted_download_resumes),
        TEST(test_a_missing_matrix),
        TEST(test_hostile_archives),
        TEST(test_names_that_are_paths),
        TEST(test_a_check_that_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
