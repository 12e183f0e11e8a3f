/* store_places.h - every kind of place of a store, and a test that runs once in each. */
#ifndef NITRO_TESTS_UNIT_REPOSITORY_STORE_PLACES_H
#define NITRO_TESTS_UNIT_REPOSITORY_STORE_PLACES_H

#include "unit/redis_cluster.h"
#include "unit/redis_tls_server.h"
#include "unit/store_records.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char url[128];
    nitro_store *store;
} fixture;

static redis_server server;
static redis_cluster cluster;
static redis_tls_server tls;

/* A place for any number of stores, told apart by name. */
typedef struct place {
    const char *scheme;
    const char *description;
    bool (*begin)(void); /* before the tests; false: not on this machine */
    void (*empty)(void); /* before each test */
    void (*end)(void);
    void (*make_url)(const fixture *f, const char *name, char *url, size_t size);
} place;

static inline bool begin_nothing(void)
{
    return true;
}

static inline void do_nothing(void)
{
}

static inline void sqlite_url(const fixture *f, const char *name, char *url, size_t size)
{
    snprintf(url, size, "sqlite:%s/%s", f->folder.folder, name);
}

static inline bool begin_server(void)
{
    if (!redis_server_possible())
        return false;
    redis_server_make(&server, NULL, true);
    return true;
}

static inline void empty_server(void)
{
    assert_string_equal(redis_server_say(&server, "FLUSHALL"), "+OK\r\n");
}

static inline void end_server(void)
{
    redis_server_remove(&server);
}

static inline void tcp_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis://127.0.0.1:%d/2?prefix=%s", server.port, name);
}

static inline void unix_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis+unix://%s?prefix=%s", server.socket, name);
}

static inline bool begin_cluster(void)
{
    if (!redis_server_possible())
        return false;
    redis_cluster_make(&cluster);
    return true;
}

static inline void empty_cluster(void)
{
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_cluster_say_ok(&cluster, i, "FLUSHALL");
}

static inline void end_cluster(void)
{
    redis_cluster_remove(&cluster);
}

static inline void cluster_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis://127.0.0.1:%d?prefix=%s", cluster.nodes[1].port, name);
}

static inline bool begin_tls(void)
{
    if (!redis_tls_possible())
        return false;
    redis_tls_make(&tls);
    return true;
}

static inline void empty_tls(void)
{
    assert_string_equal(redis_server_say(&tls.server, "FLUSHALL"), "+OK\r\n");
}

static inline void end_tls(void)
{
    redis_tls_remove(&tls);
}

static inline void tls_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "rediss://localhost:%d?ca=%s/ca.pem&prefix=%s", tls.tls_port,
             tls.folder.folder, name);
}

static const place places[] = {
    {"sqlite", "a file", begin_nothing, do_nothing, do_nothing, sqlite_url},
    {"redis", "a server", begin_server, empty_server, end_server, tcp_url},
    {"redis+unix", "a server's socket", begin_server, empty_server, end_server, unix_url},
    {"rediss", "a server over TLS", begin_tls, empty_tls, end_tls, tls_url},
    {"redis", "a cluster of three", begin_cluster, empty_cluster, end_cluster, cluster_url},
};

#define NUM_PLACES (sizeof(places) / sizeof(places[0]))

static const place *place_under_test;

static inline void make_url(const fixture *f, const char *name, char *url, size_t size)
{
    place_under_test->make_url(f, name, url, size);
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->folder = temporary_make();
    place_under_test->empty();
    make_url(f, "store", f->url, sizeof(f->url));
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &f->store));
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static inline void reopen(fixture *f, nitro_store_mode mode)
{
    nitro_store_close(f->store);
    f->store = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->url, mode, &f->store));
}

static inline void put_schema_and_device(fixture *f, const char *computation, const char *device_id)
{
    records_put_names(f->store, computation, device_id);
}

static inline nitro_sample *make_sample(fixture *f, const char *input)
{
    return records_sample(f->context, input);
}

static inline nitro_status put_samples(fixture *f, const char *device, size_t first, size_t count,
                                       bool replace)
{
    return records_put_samples(f->store, "spmv", device, first, count, replace);
}

static inline size_t count_samples(fixture *f, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", device, &count));
    return count;
}

static inline int run_everywhere(const struct CMUnitTest *tests, size_t count)
{
    int failures = 0;
    for (size_t i = 0; i < NUM_PLACES; i++) {
        print_message("store in %s: %s\n", places[i].scheme, places[i].description);
        place_under_test = &places[i];
        if (!places[i].begin())
            continue;
        failures += _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
        places[i].end();
    }
    return failures;
}

/* As cmocka_run_group_tests, once in each place. */
#define RUN_EVERYWHERE(tests) run_everywhere(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
