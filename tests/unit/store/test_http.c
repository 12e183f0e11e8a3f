/* test_http.c - downloads from a server that cuts, garbles, delays, redirects and misreports. */
#include "store/download/http_get.h"
#include "unit/certificates.h"
#include "unit/store/http_fixture.h"

#define SIZE 20000

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    http_server server;
    char content[SIZE + 1];
    char path[128];
} fixture;

/* Short limits keep the tests fast. */
static const nitro_http_limits limits = {
    .connect_s = 5, .stall_s = 1, .stall_bytes_s = 100, .attempts = 3, .pause_ms = 1};
static const nitro_http_limits once = {.stall_s = 1, .attempts = 1, .pause_ms = 1};

static void put_content(fixture *f, const char *name, char first)
{
    for (size_t i = 0; i < SIZE; i++)
        f->content[i] = (char)('a' + i % 23);
    f->content[0] = first;
    f->content[SIZE] = '\0';
    temporary_write(&f->folder, name, f->content);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    *state = f;
    return 0;
}

/* In the test: a setup cannot be skipped. */
static void start(fixture *f)
{
    f->server = http_start(&f->folder, NULL, NULL);
    put_content(f, "www/file", '1');
    snprintf(f->path, sizeof(f->path), "%s/got", f->folder.folder);
    nitro_status status = nitro_http_get(
        f->context,
        &(nitro_http_request){.url = "http://127.0.0.1:1/x", .path = f->path, .limits = &once});
    if (status == NITRO_ERR_NOT_BUILT) {
        print_message("SKIPPED: this build has no libcurl\n");
        skip();
    }
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

static nitro_status get_with(fixture *f, const char *where, nitro_http_request request)
{
    char url[512];
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/%s", f->server.port, where);
    request.url = url;
    request.path = f->path;
    request.max_bytes = request.max_bytes ? request.max_bytes : 1 << 20;
    request.limits = request.limits ? request.limits : &limits;
    return nitro_http_get(f->context, &request);
}

static nitro_status get(fixture *f, const char *where)
{
    return get_with(f, where, (nitro_http_request){0});
}

static void assert_got(fixture *f)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(f->context, nitro_file_read(f->context, f->path, 1 << 20, &text, &size));
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, f->content, SIZE);
    free(text);
    assert_int_equal(access(temporary_path(&f->folder, "got.part"), F_OK), -1);
}

static void assert_nothing(fixture *f)
{
    assert_int_equal(access(f->path, F_OK), -1);
}

static void test_a_whole_file(void **state)
{
    fixture *f = *state;
    start(f);
    assert_ok(f->context, get(f, "ok/file"));
    assert_got(f);
    assert_ok(f->context, get(f, "nolength/file"));
    assert_got(f);
    temporary_write(&f->folder, "www/empty", "");
    assert_ok(f->context, get(f, "ok/empty"));
    struct stat empty;
    assert_int_equal(stat(f->path, &empty), 0);
    assert_int_equal(empty.st_size, 0);
}

static void test_an_interrupted_download_resumes(void **state)
{
    fixture *f = *state;
    start(f);
    assert_ok(f->context, get(f, "cutonce/file"));
    assert_got(f);
    assert_int_equal(http_requests(&f->server, "/cutonce/file bytes=10000-"), 1);
}

static void test_a_killed_download_resumes(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get_with(f, "cutonce/file", (nitro_http_request){.limits = &once}),
                 NITRO_ERR_IO, "again to resume");
    assert_nothing(f);
    assert_ok(f->context, get(f, "cutonce/file"));
    assert_got(f);
    assert_int_equal(http_requests(&f->server, "bytes=10000-"), 1);
}

/* The file has changed: If-Range makes the server send all of it. */
static void test_a_changed_file_is_restarted(void **state)
{
    fixture *f = *state;
    start(f);
    assert_int_equal(get_with(f, "cutonce/file", (nitro_http_request){.limits = &once}),
                     NITRO_ERR_IO);
    put_content(f, "www/file", '2');
    assert_ok(f->context, get(f, "ok/file"));
    assert_got(f);
    assert_int_equal(http_requests(&f->server, "/ok/file bytes=10000-"), 1);
}

static void test_without_a_tag_the_whole_file_is_requested(void **state)
{
    fixture *f = *state;
    start(f);
    assert_ok(f->context, get(f, "notag/file"));
    assert_got(f);
    assert_int_equal(http_requests(&f->server, "/notag/file"), 2);
    assert_int_equal(http_requests(&f->server, "bytes="), 0);
}

static void test_a_wrong_range_is_refused(void **state)
{
    fixture *f = *state;
    start(f);
    assert_ok(f->context, get(f, "elsewhere/file"));
    assert_got(f);
}

/* The partial file has the full length: it is downloaded again. */
static void test_a_partial_file_of_full_length(void **state)
{
    fixture *f = *state;
    start(f);
    assert_int_equal(get_with(f, "cutonce/file", (nitro_http_request){.limits = &once}),
                     NITRO_ERR_IO);
    temporary_write(&f->folder, "got.part", f->content);
    assert_ok(f->context, get(f, "cutonce/file"));
    assert_got(f);
}

static void test_always_interrupted(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get(f, "cut/file"), NITRO_ERR_IO, "/cut/file");
    assert_nothing(f);
    assert_int_equal(http_requests(&f->server, "/cut/file"), 3);
}

static void test_wrong_lengths(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get(f, "short/file"), NITRO_ERR_IO, "/short/file");
    assert_nothing(f);
}

static void test_too_large(void **state)
{
    static const char *const modes[] = {"ok/file", "nolength/file"};
    fixture *f = *state;
    start(f);
    for (size_t i = 0; i < 2; i++) {
        assert_fails(f->context, get_with(f, modes[i], (nitro_http_request){.max_bytes = SIZE - 1}),
                     NITRO_ERR_FORMAT, "larger than the limit of 19999 bytes");
        assert_nothing(f);
        assert_int_equal(access(temporary_path(&f->folder, "got.part"), F_OK), -1);
    }
    assert_ok(f->context, get_with(f, "ok/file", (nitro_http_request){.max_bytes = SIZE}));
}

static void test_too_slow(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get(f, "slow/file"), NITRO_ERR_IO, "too slow");
    assert_nothing(f);
}

static void test_error_responses(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get(f, "ok/none"), NITRO_ERR_NOT_FOUND, "answers 404");
    assert_fails(f->context, get(f, "403/"), NITRO_ERR_IO, "access denied");
    assert_fails(f->context, get(f, "500/"), NITRO_ERR_IO, "answers 500");
    assert_int_equal(http_requests(&f->server, "/500/"), 3);
    assert_int_equal(http_requests(&f->server, "/403/"), 1);
    assert_nothing(f);
    assert_ok(f->context, get(f, "busyonce/file"));
    assert_got(f);
}

static void test_redirects(void **state)
{
    static const char *const others[] = {"to/file:///etc/passwd", "to/ftp://127.0.0.1/x",
                                         "to/https://127.0.0.1/x", "to/gopher://127.0.0.1/x"};
    char same[128];
    fixture *f = *state;
    start(f);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_fails(f->context, get(f, others[i]), NITRO_ERR_IO, "redirects to another scheme");
        assert_nothing(f);
    }
    assert_fails(f->context, get(f, "loop/file"), NITRO_ERR_IO, "redirects followed");
    snprintf(same, sizeof(same), "to/http://127.0.0.1:%u/ok/file", f->server.port);
    assert_ok(f->context, get(f, same));
    assert_got(f);
}

static void test_what_is_no_answer(void **state)
{
    fixture *f = *state;
    start(f);
    assert_fails(f->context, get(f, "binary/"), NITRO_ERR_IO, "is this a web server's address?");
    assert_nothing(f);
    assert_fails(f->context, get(f, "304/"), NITRO_ERR_IO, "the server answers 304");
    assert_nothing(f);
}

static void test_no_server(void **state)
{
    fixture *f = *state;
    start(f);
    http_stop(&f->server);
    f->server.process = 0;
    assert_fails(f->context, get(f, "ok/file"), NITRO_ERR_IO, "check the network connection");
    assert_nothing(f);
}

static void test_an_unchanged_file_is_not_downloaded_again(void **state)
{
    const nitro_http_request again = {.revalidate = true};
    fixture *f = *state;
    start(f);
    assert_ok(f->context, get_with(f, "ok/file", again));
    assert_ok(f->context, get_with(f, "ok/file", again));
    assert_got(f);
    assert_int_equal(http_requests(&f->server, "/ok/file - - \""), 1);
    put_content(f, "www/file", '2');
    assert_ok(f->context, get_with(f, "ok/file", again));
    assert_got(f);
    assert_ok(f->context, get_with(f, "garble/file", again)); /* 304 as well: nothing to garble */
    assert_got(f);
}

/* From a server that has this certificate of the folder, by this host name. */
static nitro_status get_secured(fixture *f, const char *certificate, const char *host)
{
    char url[128], name[2][160];
    snprintf(name[0], sizeof(name[0]), "%s/%s.pem", f->folder.folder, certificate);
    snprintf(name[1], sizeof(name[1]), "%s/%s.key", f->folder.folder, certificate);
    http_server tls = http_start(&f->folder, name[0], name[1]);
    snprintf(url, sizeof(url), "https://%s:%u/ok/file", host, tls.port);
    const nitro_http_request request = {
        .url = url, .path = f->path, .max_bytes = 1 << 20, .limits = &limits};
    nitro_status status = nitro_http_get(f->context, &request);
    http_stop(&tls);
    bool answered = http_requests(&tls, "GET") > 0;
    unlink(tls.log_path);
    if (status != NITRO_OK) {
        assert_nothing(f);
        assert_false(answered); /* the server did not even learn what was asked for */
    }
    return status;
}

/* An authority of our own signs for localhost alone. */
static void test_certificates(void **state)
{
    fixture *f = *state;
    start(f);
    if (!certificates_possible())
        skip();
    certificates_make_authority(&f->folder, "ca");
    certificates_make_authority(&f->folder, "stranger");
    certificates_make(&f->folder, "right", 2);
    certificates_make(&f->folder, "expired", 0);
    assert_fails(f->context, get_secured(f, "right", "localhost"), NITRO_ERR_IO, "https_ca");
    setenv("NITRO_HTTPS_CA", temporary_path(&f->folder, "stranger.pem"), 1);
    assert_fails(f->context, get_secured(f, "right", "localhost"), NITRO_ERR_IO, "is not trusted");
    setenv("NITRO_HTTPS_CA", temporary_path(&f->folder, "none.pem"), 1);
    assert_fails(f->context, get_secured(f, "right", "localhost"), NITRO_ERR_IO, "none.pem");
    setenv("NITRO_HTTPS_CA", temporary_path(&f->folder, "ca.pem"), 1);
    assert_fails(f->context, get_secured(f, "right", "127.0.0.1"), NITRO_ERR_IO, "127.0.0.1");
    assert_fails(f->context, get_secured(f, "expired", "localhost"), NITRO_ERR_IO, "expired");
    assert_ok(f->context, get_secured(f, "right", "localhost"));
    assert_got(f);
    unsetenv("NITRO_HTTPS_CA");
}

static void test_urls(void **state)
{
    static const char *const good[] = {"https://example.org", "http://[::1]:80/a/b%20c/"};
    static const struct {
        const char *url, *error;
    } bad[] = {{"ftp://example.org", "invalid URL"}, {"https://", "invalid URL"},
               {"https:///x", "invalid URL"},        {"http:example.org", "invalid URL"},
               {"https://a:secret@b/x", ".netrc"},   {"https://a/x?y", "special characters"},
               {"https://a/x y", "special"},         {"https://a/\nHost:b", "special"},
               {"https://a/x#y", "special"},         {"https://a/{1,2}", "special"}};
    fixture *f = *state;
    char message[1024];
    for (size_t i = 0; i < 2; i++)
        assert_ok(f->context, nitro_http_check_url(f->context, good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_fails(f->context, nitro_http_check_url(f->context, bad[i].url), NITRO_ERR_ARGUMENT,
                     bad[i].error);
    nitro_http_check_url(f->context, "https://a:secret@b/x");
    nitro_context_last_error(f->context, message, sizeof(message));
    assert_null(strstr(message, "secret"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    unsetenv("http_proxy");
    unsetenv("https_proxy");
    unsetenv("ALL_PROXY");
    const struct CMUnitTest tests[] = {
        TEST(test_a_whole_file),
        TEST(test_an_interrupted_download_resumes),
        TEST(test_a_killed_download_resumes),
        TEST(test_a_changed_file_is_restarted),
        TEST(test_without_a_tag_the_whole_file_is_requested),
        TEST(test_a_wrong_range_is_refused),
        TEST(test_a_partial_file_of_full_length),
        TEST(test_always_interrupted),
        TEST(test_wrong_lengths),
        TEST(test_too_large),
        TEST(test_too_slow),
        TEST(test_error_responses),
        TEST(test_redirects),
        TEST(test_what_is_no_answer),
        TEST(test_no_server),
        TEST(test_an_unchanged_file_is_not_downloaded_again),
        TEST(test_certificates),
        TEST(test_urls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
