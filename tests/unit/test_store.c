/* What every kind of store must do: each test runs once in each place where a store can be. */
#include <math.h>
#include <sys/wait.h>

#include "nitro/model_file.h"
#include "unit/redis_cluster.h"
#include "unit/redis_tls.h"
#include "unit/store_records.h"
#include "unit/synthetic.h"
#include "unit/temporary.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    char url[128];
    nitro_store *store;
} fixture;

/* ---- Where stores are ------------------------------------------------------------------------ */

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

static bool begin_nothing(void)
{
    return true;
}

static void do_nothing(void)
{
}

static void sqlite_url(const fixture *f, const char *name, char *url, size_t size)
{
    snprintf(url, size, "sqlite:%s/%s", f->folder.folder, name);
}

static bool begin_server(void)
{
    if (!redis_server_possible())
        return false;
    redis_server_make(&server, NULL, true);
    return true;
}

static void empty_server(void)
{
    assert_string_equal(redis_server_say(&server, "FLUSHALL"), "+OK\r\n");
}

static void end_server(void)
{
    redis_server_remove(&server);
}

static void tcp_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis://127.0.0.1:%d/2?prefix=%s", server.port, name);
}

static void unix_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis+unix://%s?prefix=%s", server.socket, name);
}

static bool begin_cluster(void)
{
    if (!redis_server_possible())
        return false;
    redis_cluster_make(&cluster);
    return true;
}

static void empty_cluster(void)
{
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_cluster_say_ok(&cluster, i, "FLUSHALL");
}

static void end_cluster(void)
{
    redis_cluster_remove(&cluster);
}

static void cluster_url(const fixture *f, const char *name, char *url, size_t size)
{
    (void)f;
    snprintf(url, size, "redis://127.0.0.1:%d?prefix=%s", cluster.nodes[1].port, name);
}

static bool begin_tls(void)
{
    if (!redis_tls_possible())
        return false;
    redis_tls_make(&tls);
    return true;
}

static void empty_tls(void)
{
    assert_string_equal(redis_server_say(&tls.server, "FLUSHALL"), "+OK\r\n");
}

static void end_tls(void)
{
    redis_tls_remove(&tls);
}

static void tls_url(const fixture *f, const char *name, char *url, size_t size)
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

static void make_url(const fixture *f, const char *name, char *url, size_t size)
{
    place_under_test->make_url(f, name, url, size);
}

static int setup(void **state)
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

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void reopen(fixture *f, nitro_store_mode mode)
{
    nitro_store_close(f->store);
    f->store = NULL;
    assert_ok(f->context, nitro_store_open(f->context, f->url, mode, &f->store));
}

static void put_schema_and_device(fixture *f, const char *computation, const char *device_id)
{
    records_put_names(f->store, computation, device_id);
}

static nitro_sample *make_sample(fixture *f, const char *input)
{
    return records_sample(f->context, input);
}

static nitro_status put_samples(fixture *f, const char *device, size_t first, size_t count,
                                bool replace)
{
    return records_put_samples(f->store, "spmv", device, first, count, replace);
}

static size_t count_samples(fixture *f, const char *device)
{
    size_t count = 999;
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", device, &count));
    return count;
}

/* ---- What comes out is what went in ---------------------------------------------------------- */

static void test_names_come_back(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    nitro_schema *expected = records_schema(f->context, "spmv"), *read = NULL;
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &read));
    assert_ok(f->context, nitro_schema_require_same(f->context, read, "a", expected, "b"));
    assert_int_equal(read->default_variant, 1);
    assert_int_equal(read->features[0].scale, NITRO_SCALE_LOG);
    assert_string_equal(read->features[0].unit, "rows");
    nitro_schema_free(read);
    nitro_schema_free(expected);
    assert_fails(f->context, nitro_store_get_schema(f->store, "sort", &read), NITRO_ERR_NOT_FOUND,
                 "no computation 'sort' in this store; there is: spmv");
}

static void test_devices_come_back(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    nitro_device *read = NULL;
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_string_equal(read->kind, "recorded");
    assert_int_equal(read->num_features, 1);
    assert_true(read->features[0].value == 208.125 && read->features[0].spread == 0.25);
    assert_int_equal(read->features[0].source, NITRO_VALUE_MEASURED);
    assert_string_equal(nitro_device_label(read, "model"), "Tesla \"K20\", \xc3\xa9");
    nitro_device_free(read);
    assert_fails(f->context, nitro_store_get_device(f->store, "K40", &read), NITRO_ERR_NOT_FOUND,
                 "no device 'K40' in this store; there is: K20");
}

static void test_samples_come_back_in_byte_order(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    const char *names[] = {"b", "\xc3\xa9", "B", "a,\"x\" y", "aa"};
    nitro_sample *samples[5];
    for (int i = 0; i < 5; i++)
        samples[i] = make_sample(f, names[i]);
    assert_ok(f->context, nitro_store_put_samples(f->store, "spmv", "K20",
                                                  (const nitro_sample *const *)samples, 5, false));
    for (int i = 0; i < 5; i++)
        nitro_sample_free(samples[i]);
    reopen(f, NITRO_STORE_READ);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", "K20", records_count_same, &num_read));
    assert_int_equal(num_read, 5);
    nitro_string_list inputs = {0};
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &inputs));
    const char *sorted[] = {"B", "a,\"x\" y", "aa", "b", "\xc3\xa9"};
    assert_int_equal(inputs.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(inputs.items[i], sorted[i]);
    nitro_string_list_free(&inputs);
}

static nitro_status stop_at_second(void *user, const nitro_sample *sample)
{
    (void)sample;
    int *count = user;
    return ++*count == 2 ? NITRO_ERR_INTERRUPTED : NITRO_OK;
}

static void test_a_callback_ends_the_loop(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 5, false));
    int count = 0;
    assert_int_equal(nitro_store_each_sample(f->store, "spmv", "K20", stop_at_second, &count),
                     NITRO_ERR_INTERRUPTED);
    assert_int_equal(count, 2);
    assert_ok(f->context, put_samples(f, "K20", 5, 1, false)); /* nothing was left open */
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void test_other_names_are_refused_with_both_printed(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_schema *other = records_schema(f->context, "spmv");
    assert_ok(f->context, nitro_schema_add_variant(f->context, other, "dia"));
    assert_fails(f->context, nitro_store_put_schema(f->store, other), NITRO_ERR_MISMATCH,
                 "variants (csr,ell)");
    assert_fails(f->context, nitro_store_put_schema(f->store, other), NITRO_ERR_MISMATCH,
                 "variants (csr,ell,dia)");
    nitro_schema_free(other);
}

static void test_an_open_scale_is_filled_in_and_a_declared_one_kept(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_schema *schema = records_schema(f->context, "spmv"), *read = NULL;
    schema->features[1].scale = NITRO_SCALE_SIGNED_LOG;
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    schema->features[1].scale = NITRO_SCALE_AUTO;
    assert_ok(f->context, nitro_store_put_schema(f->store, schema));
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &read));
    assert_int_equal(read->features[1].scale, NITRO_SCALE_SIGNED_LOG);
    schema->features[1].scale = NITRO_SCALE_LINEAR;
    assert_fails(f->context, nitro_store_put_schema(f->store, schema), NITRO_ERR_MISMATCH,
                 "feature fill is scaled signed-log in the store, but declared linear");
    nitro_schema_free(read);
    nitro_schema_free(schema);
}

static void test_an_input_is_stored_once_or_replaced(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 10, false));
    assert_fails(f->context, put_samples(f, "K20", 8, 5, false), NITRO_ERR_EXISTS,
                 "2 of the 5 inputs are there already (input-008, input-009)");
    assert_int_equal(count_samples(f, "K20"), 10); /* nothing of the batch went in */
    assert_ok(f->context, put_samples(f, "K20", 8, 5, true));
    assert_int_equal(count_samples(f, "K20"), 13);
}

/* Names, device and samples in one: what is refused for one of them changes none of them. */
static void test_a_recording_goes_in_whole_or_not_at_all(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_device *device = records_device(f->context, "K20"), *read = NULL;
    nitro_sample *sample = records_sample(f->context, "input-000");
    const nitro_sample *batch[] = {sample};
    assert_ok(f->context,
              nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, false));
    assert_ok(f->context,
              nitro_device_set(f->context, device, "peak_gbps", 1, NITRO_VALUE_RECORDED, 0));
    schema->default_variant = 0;
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, false),
                 NITRO_ERR_EXISTS, "input-000");
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, NULL, "K40", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no device 'K40'");
    assert_fails(f->context,
                 nitro_store_put_recording(f->store, schema, device, "K40", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "samples of device K40 come with the features of K20");
    nitro_schema_free(schema);
    assert_ok(f->context, nitro_store_get_schema(f->store, "spmv", &schema));
    assert_int_equal(schema->default_variant, 1);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == 208.125);
    assert_ok(f->context,
              nitro_store_put_recording(f->store, schema, device, "K20", batch, 1, true));
    nitro_device_free(read);
    assert_ok(f->context, nitro_store_get_device(f->store, "K20", &read));
    assert_true(nitro_device_value(read, "peak_gbps") == 1);
    nitro_device_free(read);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_sample_free(sample);
}

static void test_unclean_records_are_refused(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_sample *sample = make_sample(f, "input");
    const nitro_sample *batch[] = {sample, sample};
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 2, false),
                 NITRO_ERR_ARGUMENT, "'input' comes twice");
    sample->entries[0].median_ms = -1;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "variant csr counts as measured without a time above 0");
    sample->entries[0].median_ms = NAN;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "variant csr counts as measured without a time above 0");
    sample->entries[0].median_ms = 1;
    sample->features[1] = INFINITY;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K20", batch, 1, false),
                 NITRO_ERR_ARGUMENT, "feature fill is infinite");
    sample->features[1] = 1;
    assert_fails(f->context, nitro_store_put_samples(f->store, "spmv", "K40", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no device 'K40'");
    assert_fails(f->context, nitro_store_put_samples(f->store, "sort", "K20", batch, 1, false),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort'");
    nitro_sample_free(sample);
    assert_int_equal(count_samples(f, "K20"), 0);
}

static void test_a_store_open_for_reading_is_not_written(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    reopen(f, NITRO_STORE_READ);
    assert_fails(f->context, put_samples(f, "K20", 0, 1, false), NITRO_ERR_ARGUMENT,
                 "open for reading");
    char url[128];
    nitro_store *none = NULL;
    make_url(f, "none", url, sizeof(url));
    assert_fails(f->context, nitro_store_open(f->context, url, NITRO_STORE_READ, &none),
                 NITRO_ERR_NOT_FOUND, "no such store");
}

/* ---- Removing, copying, verifying ------------------------------------------------------------ */

static void test_removing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, put_samples(f, "K20", 0, 3, false));
    assert_ok(f->context, put_samples(f, "K40", 0, 4, false));
    size_t removed = 0;
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed));
    assert_int_equal(removed, 3);
    assert_fails(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed),
                 NITRO_ERR_NOT_FOUND, "no samples of spmv on device 'K20'");
    nitro_string_list ids = {0};
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_int_equal(ids.count, 1);
    assert_string_equal(ids.items[0], "K40");
    nitro_string_list_free(&ids);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
    assert_int_equal(removed, 4);
    assert_ok(f->context, nitro_store_list_computations(f->store, &ids));
    assert_int_equal(ids.count, 0);
    nitro_string_list_free(&ids);
    assert_fails(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed),
                 NITRO_ERR_NOT_FOUND, "no computation 'spmv'");
}

static void test_copying_adds_what_is_missing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 30, false));
    char url[128];
    nitro_store *to = NULL;
    nitro_copy_report report = {0};
    make_url(f, "other", url, sizeof(url));
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &to));
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.samples, 30);
    assert_int_equal(report.samples_skipped, 0);
    assert_ok(f->context, put_samples(f, "K20", 30, 5, false));
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.samples, 5);
    assert_int_equal(report.samples_skipped, 30);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_sample(to, "spmv", "K20", records_count_same, &num_read));
    assert_int_equal(num_read, 35);
    nitro_store_close(to);
}

/* ---- One by one ------------------------------------------------------------------------------ */

static void test_one_sample_by_its_name(void **state)
{
    fixture *f = *state;
    nitro_sample *read = NULL;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 3, false));
    reopen(f, NITRO_STORE_READ);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-001", &read));
    assert_string_equal(read->input, "input-001");
    assert_true(records_is_sample(f->context, read));
    nitro_sample_free(read);
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-009", &read),
                 NITRO_ERR_NOT_FOUND, "spmv on K20: no sample of input 'input-009'");
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K99", "input-001", &read),
                 NITRO_ERR_NOT_FOUND, "spmv on K99: no sample");
    assert_fails(f->context, nitro_store_get_sample(f->store, "sort", "K20", "input-001", &read),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort'");
    assert_fails(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "a\nb", &read),
                 NITRO_ERR_ARGUMENT, "is no input's name");
}

/* What made a sample: all of it comes back, and its absence too. */
static void test_provenance_comes_back(void **state)
{
    fixture *f = *state;
    nitro_sample *sample = make_sample(f, "one"), *read = NULL;
    nitro_provenance *made = &sample->provenance;
    const nitro_sample *samples[] = {sample};
    put_schema_and_device(f, "spmv", "K20");
    made->library = strdup("0.1.0");
    made->compiler = strdup("GCC 12.2.0");
    made->host = strdup("node7");
    made->driver = strdup("550.54.15");
    made->toolkit = strdup("CUDA 12.4");
    made->device_digest = strdup("0123456789abcdef");
    made->device_state = strdup("1980 MHz; then 1755 MHz, throttled: power");
    made->cache = strdup("cold");
    assert_ok(f->context, nitro_store_put_samples(f->store, "spmv", "K20", samples, 1, false));
    assert_ok(f->context, put_samples(f, "K20", 0, 1, false));
    reopen(f, NITRO_STORE_READ);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "one", &read));
    assert_string_equal(read->provenance.compiler, "GCC 12.2.0");
    assert_string_equal(read->provenance.driver, "550.54.15");
    assert_string_equal(read->provenance.toolkit, "CUDA 12.4");
    assert_string_equal(read->provenance.device_digest, "0123456789abcdef");
    assert_string_equal(read->provenance.device_state, "1980 MHz; then 1755 MHz, throttled: power");
    assert_string_equal(read->provenance.cache, "cold");
    nitro_sample_free(read);
    assert_ok(f->context, nitro_store_get_sample(f->store, "spmv", "K20", "input-000", &read));
    assert_null(read->provenance.driver);
    assert_null(read->provenance.toolkit);
    assert_null(read->provenance.device_digest);
    assert_null(read->provenance.device_state);
    assert_null(read->provenance.cache);
    nitro_sample_free(read);
    nitro_sample_free(sample);
    records_assert_sound(f->store);
}

/* What another process replaced meanwhile is not what was to go. */
static void test_samples_go_as_they_are_known(void **state)
{
    fixture *f = *state;
    nitro_sample *samples[3];
    size_t removed = 99;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 4, false));
    for (size_t i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof(name), "input-%03zu", i == 2 ? 9 : i);
        samples[i] = make_sample(f, name);
    }
    samples[1]->provenance.time_s++;
    assert_ok(f->context,
              nitro_store_remove_samples(f->store, "spmv", "K20",
                                         (const nitro_sample *const *)samples, 3, &removed));
    assert_int_equal(removed, 1);
    assert_int_equal(count_samples(f, "K20"), 3);
    records_assert_sound(f->store);
    for (size_t i = 0; i < 3; i++)
        nitro_sample_free(samples[i]);
}

static void test_a_device_goes_when_nothing_is_of_it(void **state)
{
    fixture *f = *state;
    nitro_device *device = NULL;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, put_samples(f, "K20", 0, 1, false));
    assert_fails(f->context, nitro_store_remove_device(f->store, "K20"), NITRO_ERR_EXISTS,
                 "samples or profiles of device K20");
    assert_ok(f->context, nitro_store_remove_device(f->store, "K40"));
    assert_fails(f->context, nitro_store_get_device(f->store, "K40", &device), NITRO_ERR_NOT_FOUND,
                 "K40");
    assert_fails(f->context, nitro_store_remove_device(f->store, "K40"), NITRO_ERR_NOT_FOUND,
                 "no device 'K40'");
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", NULL));
    assert_ok(f->context, nitro_store_remove_device(f->store, "K20"));
    records_assert_sound(f->store);
}

static void test_the_layout_has_a_version(void **state)
{
    fixture *f = *state;
    int64_t version = 0;
    assert_ok(f->context, nitro_store_layout_version(f->store, &version));
    assert_true(version >= 1);
}

static void test_a_sound_store_verifies(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, put_samples(f, "K20", 0, 20, false));
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    reopen(f, NITRO_STORE_READ);
    records_assert_sound(f->store);
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static size_t count_profiles(fixture *f, const char *device, const char *computation)
{
    size_t count = 999, num_read = 0;
    assert_ok(f->context, nitro_store_count_profiles(f->store, device, computation, &count));
    assert_ok(f->context, nitro_store_each_profile(f->store, device, computation,
                                                   records_count_same_profile, &num_read));
    assert_int_equal(num_read, count);
    return count;
}

static nitro_status append_description(void *user, const char *device, const nitro_profile *profile)
{
    nitro_context *context = unit_context();
    char text[256];
    snprintf(text, sizeof(text), "%s %s %s %g %s", device, profile->name,
             profile->input ? profile->input : "-", profile->intensity, profile->kernel);
    assert_ok(context, nitro_string_list_add(context, user, text));
    nitro_context_free(context);
    return NITRO_OK;
}

static void assert_profiles(fixture *f, const char *device, const char *computation,
                            const char *const *expected, size_t count)
{
    nitro_string_list read = {0};
    assert_ok(f->context,
              nitro_store_each_profile(f->store, device, computation, append_description, &read));
    assert_int_equal(read.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(read.items[i], expected[i]);
    nitro_string_list_free(&read);
}

static void test_profiles_come_back_in_order(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K40");
    put_schema_and_device(f, "spmv", "K20");
    const struct {
        const char *input;
        double intensity;
        const char *kernel;
    } given[] = {{NULL, 5, "k"},    {NULL, 0.5, "k"}, {NULL, 1e-7, "k"},
                 {NULL, -0.0, "k"}, {"b", NAN, "k"},  {"a b", NAN, "k"},
                 {"a", NAN, "k#2"}, {"a", NAN, "k"},  {"\xc3\xa9", NAN, "f<A, B>(int)"}};
    nitro_profile *profiles[9];
    for (size_t i = 0; i < 9; i++)
        profiles[i] =
            records_profile(f->context, given[i].input, given[i].intensity, given[i].kernel);
    assert_ok(f->context, nitro_store_put_profiles(
                              f->store, "K20", (const nitro_profile *const *)profiles, 9, false));
    assert_ok(f->context, nitro_store_put_profiles(
                              f->store, "K40", (const nitro_profile *const *)profiles, 1, false));
    for (size_t i = 0; i < 9; i++)
        nitro_profile_free(profiles[i]);
    reopen(f, NITRO_STORE_READ);
    const char *proxies[] = {"K20 ATOMIC - 0 k", "K20 ATOMIC - 1e-07 k", "K20 ATOMIC - 0.5 k",
                             "K20 ATOMIC - 5 k", "K40 ATOMIC - 5 k"};
    assert_profiles(f, NULL, NULL, proxies, 5);
    assert_profiles(f, "K40", NULL, proxies + 4, 1);
    const char *variants[] = {"K20 csr a nan k", "K20 csr a nan k#2", "K20 csr a b nan k",
                              "K20 csr b nan k", "K20 csr \xc3\xa9 nan f<A, B>(int)"};
    assert_profiles(f, NULL, "spmv", variants, 5);
    assert_profiles(f, "K40", "spmv", NULL, 0);
    assert_int_equal(count_profiles(f, "K20", NULL), 4);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 5);
    assert_int_equal(count_profiles(f, "K99", NULL), 0);
    nitro_string_list none = {0};
    assert_fails(f->context,
                 nitro_store_each_profile(f->store, NULL, "sort", append_description, &none),
                 NITRO_ERR_NOT_FOUND, "no computation 'sort' in this store; there is: spmv");
    assert_fails(f->context, records_put_profiles(f->store, "K20", 0, 1, false), NITRO_ERR_ARGUMENT,
                 "open for reading");
}

static void test_a_profile_is_stored_once_or_its_run_replaced(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    assert_fails(f->context, records_put_profiles(f->store, "K20", 2, 2, false), NITRO_ERR_EXISTS,
                 "4 of the 8 profiles on K20 are there already (csr on input-002: rows#2, "
                 "ATOMIC on 0.2: rows#2");
    assert_int_equal(count_profiles(f, "K20", "spmv"), 6); /* nothing of the batch went in */
    assert_ok(f->context, records_put_profiles(f->store, "K20", 2, 2, true));
    assert_int_equal(count_profiles(f, "K20", "spmv"), 8);
    assert_int_equal(count_profiles(f, "K20", NULL), 8);
    /* A run that is profiled again may launch other kernels: the old ones are gone. */
    nitro_profile *profile = records_profile(f->context, "input-000", NAN, "other");
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(f->store, "K20", batch, 1, true));
    assert_int_equal(count_profiles(f, "K20", "spmv"), 7);
    nitro_profile_free(profile);
    records_assert_sound(f->store);
}

static void test_unclean_profiles_are_refused(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_profile *profile = records_profile(f->context, "input", NAN, "k");
    const nitro_profile *batch[] = {profile, profile};
#define ASSERT_REFUSED(device, count, status, text)                                                \
    assert_fails(f->context, nitro_store_put_profiles(f->store, device, batch, count, false),      \
                 status, text)
    ASSERT_REFUSED("K20", 2, NITRO_ERR_ARGUMENT, "kernel 'k' of one run comes twice");
    ASSERT_REFUSED("K40", 1, NITRO_ERR_NOT_FOUND, "no device 'K40' in this store; there is: K20");
    profile->intensity = 1;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "a variant has no intensity");
    profile->intensity = NAN;
    profile->metrics[1].value = INFINITY;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "kernel 'k': metric 1 has no clean name");
    profile->metrics[1].value = NAN;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "or no finite value");
    profile->metrics[1].value = 1;
    profile->metrics[1].name[0] = '/';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "metric 1 has no clean name");
    profile->metrics[1].name[0] = 'a'; /* before the one before it */
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "in byte order");
    profile->metrics[1].name[0] = 'i';
    profile->name[0] = 'x';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_MISMATCH, "computation spmv has no variant 'xsr'");
    profile->name[0] = 'c';
    profile->computation[0] = 'x';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_NOT_FOUND, "no computation 'xpmv'");
    profile->computation[0] = 's';
    profile->kernel[0] = '\n';
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "kernel's name is not clean");
    nitro_profile_free(profile);
    profile = records_profile(f->context, NULL, 5, "k");
    batch[0] = profile;
    profile->intensity = 5.5;
    ASSERT_REFUSED("K20", 1, NITRO_ERR_ARGUMENT, "a proxy's intensity is in 0 to 5");
    nitro_profile_free(profile);
    assert_int_equal(count_profiles(f, NULL, "spmv") + count_profiles(f, NULL, NULL), 0);
#undef ASSERT_REFUSED
}

static void test_removing_profiles(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    put_schema_and_device(f, "spmv", "K40");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    assert_ok(f->context, records_put_profiles(f->store, "K40", 0, 2, false));
    assert_ok(f->context, put_samples(f, "K40", 0, 4, false));
    size_t removed = 0;
    assert_ok(f->context, nitro_store_remove_profiles(f->store, "K20", NULL, &removed));
    assert_int_equal(removed, 6);
    assert_fails(f->context, nitro_store_remove_profiles(f->store, "K20", NULL, &removed),
                 NITRO_ERR_NOT_FOUND, "no profiles of proxies on K20 to remove");
    assert_fails(f->context, nitro_store_remove_profiles(f->store, NULL, "sort", &removed),
                 NITRO_ERR_NOT_FOUND, "no profiles of sort to remove");
    assert_int_equal(count_profiles(f, NULL, NULL), 4);
    /* With a device's samples its profiles go; where there are profiles alone, they are it. */
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K40", &removed));
    assert_int_equal(removed, 4);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 6);
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", "K20", &removed));
    assert_int_equal(removed, 0);
    assert_int_equal(count_profiles(f, NULL, "spmv"), 0);
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 1, false));
    assert_ok(f->context, nitro_store_remove(f->store, "spmv", NULL, &removed));
    records_assert_sound(f->store);
    assert_int_equal(count_profiles(f, NULL, NULL), 6); /* proxies are no computation's */
}

static void test_copying_adds_runs_that_are_missing(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    char url[128];
    nitro_store *to = NULL;
    nitro_copy_report report;
    make_url(f, "other", url, sizeof(url));
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &to));
    records_put_names(to, "spmv", "K20");
    nitro_profile *profile = records_profile(f->context, "input-001", NAN, "older");
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(to, "K20", batch, 1, false));
    nitro_profile_free(profile);
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.profiles, 10); /* the run that is there stays as it is */
    assert_int_equal(report.profiles_skipped, 2);
    assert_ok(f->context, nitro_store_copy(f->store, to, &report));
    assert_int_equal(report.profiles, 0);
    assert_int_equal(report.profiles_skipped, 12);
    size_t num_read = 0;
    assert_ok(f->context,
              nitro_store_each_profile(to, NULL, "spmv", records_count_same_profile, &num_read));
    assert_int_equal(num_read, 5);
    nitro_store_close(to);
}

/* ---- Many samples ---------------------------------------------------------------------------- */

static void put_many(fixture *f, size_t count)
{
    for (size_t first = 0; first < count; first += 50)
        assert_ok(f->context, put_samples(f, "K20", first, 50, false));
}

typedef struct order_check {
    fixture *f;
    char last[64];
    size_t count;
} order_check;

/* Also reads the store in between. */
static nitro_status check_order(void *user, const nitro_sample *sample)
{
    order_check *check = user;
    if (strcmp(check->last, sample->input) >= 0)
        fail_msg("'%s' comes after '%s'", sample->input, check->last);
    snprintf(check->last, sizeof(check->last), "%s", sample->input);
    if (check->count++ % 200 == 0)
        assert_int_equal(count_samples(check->f, "K20"), 1050);
    return records_count_same(&(size_t){0}, sample);
}

static void test_many_samples_come_in_order(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    put_many(f, 1050);
    order_check check = {.f = f};
    assert_ok(f->context, nitro_store_each_sample(f->store, "spmv", "K20", check_order, &check));
    assert_int_equal(check.count, 1050);
    nitro_string_list inputs = {0};
    assert_ok(f->context, nitro_store_list_inputs(f->store, "spmv", "K20", &inputs));
    assert_int_equal(inputs.count, 1050);
    nitro_string_list_free(&inputs);
}

static void put_toy(nitro_store *store)
{
    nitro_context *context = nitro_store_context(store);
    nitro_schema *schema = synthetic_schema(context);
    const struct {
        const char *id;
        double launch;
        size_t count;
    } given[] = {{"alpha", 1, 40}, {"beta", 4, 30}, {"gamma", 2, 0}};
    assert_ok(context, nitro_store_put_schema(store, schema));
    for (size_t d = 0; d < 3; d++) {
        nitro_device *device = synthetic_device(context, given[d].id, given[d].launch);
        assert_ok(context, nitro_store_put_device(store, device));
        for (size_t i = 0; i < given[d].count && i < 100; i++) {
            nitro_sample *sample = NULL;
            char name[16];
            double times_ms[SYNTHETIC_VARIANTS];
            assert_ok(context, nitro_sample_create(context, "x", SYNTHETIC_FEATURES,
                                                   SYNTHETIC_VARIANTS, &sample));
            synthetic_input(i, name, sample->features);
            free(sample->input);
            sample->input = strdup(name);
            synthetic_times(sample->features, given[d].launch, times_ms);
            for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
                sample->entries[v] = (nitro_entry){.outcome = NITRO_OUTCOME_MEASURED,
                                                   .median_ms = times_ms[v],
                                                   .spread = NAN,
                                                   .prepare_ms = NAN};
            const nitro_sample *batch[] = {sample};
            assert_ok(context, nitro_store_put_samples(store, "toy", given[d].id, batch, 1, false));
            nitro_sample_free(sample);
        }
        nitro_device_free(device);
    }
    nitro_schema_free(schema);
}

static char *learn_toy(nitro_store *store)
{
    nitro_context *context = nitro_store_context(store);
    nitro_learn_options options;
    nitro_model *model = NULL;
    char *text = NULL;
    size_t size = 0;
    nitro_learn_options_init(&options);
    assert_ok(context, nitro_tune_from_source(context, store, "toy", "gamma", &options, &model));
    assert_ok(context, nitro_model_format(model, &text, &size));
    nitro_model_free(model);
    return text;
}

/* The same data give the same model, byte for byte, whatever keeps them. */
static void test_the_model_is_that_of_a_file(void **state)
{
    fixture *f = *state;
    nitro_store *file = NULL;
    file = temporary_store(f->context, &f->folder, "file");
    put_toy(file);
    put_toy(f->store);
    char *from_file = learn_toy(file), *from_here = learn_toy(f->store);
    assert_string_equal(from_file, from_here);
    free(from_file);
    free(from_here);
    nitro_store_close(file);
}

/* ---- Several processes ----------------------------------------------------------------------- */

static void write_in_child(fixture *f, size_t first)
{
    nitro_store *store = NULL;
    nitro_context *context = NULL;
    if (nitro_context_create(&context) != NITRO_OK ||
        nitro_store_open(context, f->url, NITRO_STORE_WRITE, &store) != NITRO_OK)
        _exit(1);
    for (size_t i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof(name), "input-%03zu", first + i);
        nitro_sample *sample = make_sample(f, name);
        const nitro_sample *batch[] = {sample};
        if (nitro_store_put_samples(store, "spmv", "K20", batch, 1, false) != NITRO_OK)
            _exit(2);
        nitro_sample_free(sample);
    }
    _exit(0);
}

static void test_two_processes_write_at_once(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    pid_t children[2];
    for (size_t i = 0; i < 2; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            write_in_child(f, 100 * i);
    }
    for (size_t i = 0; i < 2; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_samples(f, "K20"), 40);
    records_assert_sound(f->store);
}

static void write_for_ever(fixture *f)
{
    nitro_store *store = NULL;
    if (nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store) != NITRO_OK)
        _exit(1);
    for (size_t i = 0;; i++) {
        char name[32];
        snprintf(name, sizeof(name), "pair-%zu-%zu", (size_t)getpid(), i);
        nitro_sample *samples[2];
        for (int k = 0; k < 2; k++) {
            char half[48];
            snprintf(half, sizeof(half), "%s-%d", name, k);
            samples[k] = make_sample(f, half);
        }
        if (nitro_store_put_samples(store, "spmv", "K20", (const nitro_sample *const *)samples, 2,
                                    false) != NITRO_OK)
            _exit(2);
        for (int k = 0; k < 2; k++)
            nitro_sample_free(samples[k]);
    }
}

/* A writer killed at any moment leaves whole batches only. */
static void test_a_killed_writer_leaves_whole_batches(void **state)
{
    fixture *f = *state;
    put_schema_and_device(f, "spmv", "K20");
    nitro_random random;
    nitro_random_seed(&random, 3);
    for (int round = 0; round < 8; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_for_ever(f);
        usleep((useconds_t)(5000 + nitro_random_below(&random, 60000)));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(count_samples(f, "K20") % 2, 0);
    }
    assert_true(count_samples(f, "K20") > 0);
    records_assert_sound(f->store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_devices_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_come_back_in_byte_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_callback_ends_the_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_names_are_refused_with_both_printed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_an_open_scale_is_filled_in_and_a_declared_one_kept,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_input_is_stored_once_or_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_recording_goes_in_whole_or_not_at_all, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_unclean_records_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_store_open_for_reading_is_not_written, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_removing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copying_adds_what_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_sample_by_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_provenance_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_samples_go_as_they_are_known, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_device_goes_when_nothing_is_of_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_layout_has_a_version, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_sound_store_verifies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_profiles_come_back_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_profile_is_stored_once_or_its_run_replaced, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_unclean_profiles_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removing_profiles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copying_adds_runs_that_are_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_samples_come_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_model_is_that_of_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_processes_write_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_killed_writer_leaves_whole_batches, setup, teardown),
    };
    int failures = 0;
    for (size_t i = 0; i < NUM_PLACES; i++) {
        print_message("store in %s: %s\n", places[i].scheme, places[i].description);
        place_under_test = &places[i];
        if (!places[i].begin())
            continue;
        failures += cmocka_run_group_tests(tests, NULL, NULL);
        places[i].end();
    }
    return failures;
}
