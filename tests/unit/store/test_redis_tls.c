/* Redis over TLS: a real server and the test's own certificates. No server is trusted without a
 * valid certificate.
 */
#include <arpa/inet.h>

#include "unit/redis_tls_server.h"
#include "unit/store_records.h"

static redis_tls_server tls;

typedef struct fixture {
    nitro_context *context;
    char url[512];
    nitro_store *store;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    assert_string_equal(redis_server_say(&tls.server, "FLUSHALL"), "+OK\r\n");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    nitro_context_free(f->context);
    free(f);
    redis_server_say(&tls.server, "CONFIG SET tls-auth-clients no");
    redis_server_say(&tls.server, "CONFIG SET requirepass \"\"");
    return 0;
}

/* "rediss://HOST:PORT?ca=FILE" and what else the options say; "CERTS/" is the certificates' folder.
 */
static const char *url_of(fixture *f, const char *host, const char *options)
{
    int used = snprintf(f->url, sizeof(f->url), "rediss://%s:%d?timeout=5", host, tls.tls_port);
    for (const char *at = options; *at; at++) {
        bool place = strncmp(at, "CERTS/", 6) == 0;
        used += snprintf(f->url + used, sizeof(f->url) - (size_t)used, place ? "%s" : "%.1s",
                         place ? tls.folder.folder : at);
        at += place ? 4 : 0;
    }
    return f->url;
}

static void open_store(fixture *f, const char *options)
{
    assert_ok(f->context, nitro_store_open(f->context, url_of(f, "localhost", options),
                                           NITRO_STORE_WRITE, &f->store));
}

static void assert_refused(fixture *f, const char *url, nitro_status status, const char *why)
{
    nitro_store *store = NULL;
    assert_fails(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store), status,
                 why);
    assert_null(store);
}

#define TRUSTED "&ca=CERTS/ca.pem"

static void test_records_go_through(void **state)
{
    fixture *f = *state;
    size_t count = 0;
    open_store(f, TRUSTED);
    records_put_names(f->store, "spmv", "K20");
    for (size_t i = 0; i < 700; i += 50)
        assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", i, 50, false));
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, 700);
    records_assert_sound(f->store);
}

static void test_a_password_goes_through(void **state)
{
    fixture *f = *state;
    assert_string_equal(redis_server_say(&tls.server, "CONFIG SET requirepass open"), "+OK\r\n");
    setenv("NITRO_REDIS_PASSWORD", "open", 1);
    open_store(f, TRUSTED);
    setenv("NITRO_REDIS_PASSWORD", "shut", 1);
    assert_refused(f, f->url, NITRO_ERR_DENIED, "user or password is wrong");
    unsetenv("NITRO_REDIS_PASSWORD");
    redis_server_say(&tls.server, "AUTH open\r\nCONFIG SET requirepass \"\"");
    for (int tries = 0; tries < 1000 && redis_server_say(&tls.server, "PING")[0] != '+'; tries++)
        usleep(1000);
}

static void test_an_unknown_authority_is_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, url_of(f, "localhost", ""), NITRO_ERR_DENIED, "?ca=FILE");
    assert_refused(f, url_of(f, "localhost", "&ca=CERTS/stranger.pem"), NITRO_ERR_DENIED,
                   "is not accepted");
}

/* Signed by a trusted authority, but for another host. */
static void test_another_host_is_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, url_of(f, "127.0.0.1", TRUSTED), NITRO_ERR_DENIED,
                   "use a name that is in the certificate");
}

static void present(const char *name)
{
    char command[512];
    snprintf(command, sizeof(command), "CONFIG SET tls-cert-file %s/%s.pem tls-key-file %s/%s.key",
             tls.folder.folder, name, tls.folder.folder, name);
    assert_string_equal(redis_server_say(&tls.server, command), "+OK\r\n");
}

static void test_an_expired_certificate_is_refused(void **state)
{
    fixture *f = *state;
    present("expired");
    assert_refused(f, url_of(f, "localhost", TRUSTED), NITRO_ERR_DENIED, "expired");
    present("server");
    open_store(f, TRUSTED);
}

static void test_files_are_checked(void **state)
{
    fixture *f = *state;
    assert_refused(f, url_of(f, "localhost", "&ca=CERTS/none.pem"), NITRO_ERR_DENIED, "none.pem");
    assert_refused(f, url_of(f, "localhost", "&ca=CERTS/names"), NITRO_ERR_DENIED, "?ca=");
    assert_refused(f, url_of(f, "localhost", TRUSTED "&cert=CERTS/names"), NITRO_ERR_DENIED,
                   "?cert=");
    assert_refused(f, url_of(f, "localhost", TRUSTED "&cert=CERTS/client.pem&key=CERTS/server.key"),
                   NITRO_ERR_DENIED, "?key=");
    assert_refused(f, url_of(f, "localhost", TRUSTED "&key=CERTS/client.key"), NITRO_ERR_ARGUMENT,
                   "?cert=");
}

static void test_a_server_may_want_certificates(void **state)
{
    fixture *f = *state;
    assert_string_equal(redis_server_say(&tls.server, "CONFIG SET tls-auth-clients yes"),
                        "+OK\r\n");
    assert_refused(f, url_of(f, "localhost", TRUSTED), NITRO_ERR_DENIED, "?cert=FILE&key=FILE");
    assert_refused(
        f, url_of(f, "localhost", TRUSTED "&cert=CERTS/stranger.pem&key=CERTS/stranger.key"),
        NITRO_ERR_DENIED, "?cert=FILE&key=FILE");
    open_store(f, TRUSTED "&cert=CERTS/client.pem&key=CERTS/client.key");
}

/* The side that does not understand may answer, hang up or be silent. */
static void assert_told(fixture *f, const char *why)
{
    nitro_store *store = NULL;
    char message[1024];
    nitro_status status = nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store);
    assert_true(status == NITRO_ERR_DENIED || status == NITRO_ERR_FORMAT || status == NITRO_ERR_IO);
    nitro_context_last_error(f->context, message, sizeof(message));
    if (!strstr(message, why))
        fail_msg("no '%s' in: %s", why, message);
}

static void test_one_side_without_tls_is_told(void **state)
{
    fixture *f = *state;
    snprintf(f->url, sizeof(f->url), "redis://localhost:%d?timeout=2", tls.tls_port);
    assert_told(f, "rediss://");
    snprintf(f->url, sizeof(f->url), "rediss://localhost:%d?timeout=0.3", tls.server.port);
    assert_told(f, "begins with redis://");
}

/* A server that accepts the connection and sends nothing. */
static void test_silence_ends(void **state)
{
    fixture *f = *state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 16), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    snprintf(f->url, sizeof(f->url), "rediss://127.0.0.1:%d?timeout=0.1", ntohs(address.sin_port));
    assert_refused(f, f->url, NITRO_ERR_IO, "no answer");
    close(listening);
}

static void test_a_server_comes_back(void **state)
{
    fixture *f = *state;
    open_store(f, TRUSTED);
    records_put_names(f->store, "spmv", "K20");
    redis_server_kill(&tls.server);
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 0, 2, false),
                 NITRO_ERR_IO, "localhost");
    redis_server_start(&tls.server);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 0, 2, false));
    records_assert_sound(f->store);
}

int main(void)
{
#define TLS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TLS_TEST(test_records_go_through),
        TLS_TEST(test_a_password_goes_through),
        TLS_TEST(test_an_unknown_authority_is_refused),
        TLS_TEST(test_another_host_is_refused),
        TLS_TEST(test_an_expired_certificate_is_refused),
        TLS_TEST(test_files_are_checked),
        TLS_TEST(test_a_server_may_want_certificates),
        TLS_TEST(test_one_side_without_tls_is_told),
        TLS_TEST(test_silence_ends),
        TLS_TEST(test_a_server_comes_back),
    };
    if (!redis_tls_possible())
        return 0;
    redis_tls_make(&tls);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    redis_tls_remove(&tls);
    return failures;
}
