/* What a contributor can write with the shipped ACL rules, and nothing more, does not keep others
 * from reading: it is damage of that contributor's devices, named, skipped, and removed by gc. */
#include <stdatomic.h>
#include <sys/mman.h>

#include "unit/redis_server.h"
#include "unit/store_records.h"

#define OTHER "lab-b.k20" /* sound in every test */

typedef struct fixture {
    nitro_context *context;
    nitro_store *store; /* the administrator's */
    char log[UNIT_LOG_BYTES];
} fixture;

static redis_server server;

/* As the contributor, who may do this. */
static void say(const char *format, ...)
{
    char line[4096], answer[1024] = "";
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line) - 3, format, arguments);
    va_end(arguments);
    memcpy(line + length, "\r\n", 3);
    int descriptor = redis_server_connect(&server);
    const char login[] = "AUTH nitro-contributor change-me-contributor\r\n";
    assert_true(send(descriptor, login, strlen(login), MSG_NOSIGNAL) > 0);
    assert_int_equal(recv(descriptor, answer, 5, MSG_WAITALL), 5); /* +OK */
    assert_true(send(descriptor, line, (size_t)length + 2, MSG_NOSIGNAL) > 0);
    ssize_t size = recv(descriptor, answer, sizeof(answer) - 1, 0);
    close(descriptor);
    if (size <= 0 || answer[0] == '-')
        fail_msg("%s: %.*s", line, (int)size, answer);
}

/* As the administrator; for what would take many commands. */
static void script(const char *text)
{
    char line[2048];
    snprintf(line, sizeof(line), "EVAL \"%s\" 0", text);
    const char *answer = redis_server_say(&server, line);
    if (answer[0] == '-')
        fail_msg("%s: %s", text, answer);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    char url[160];
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    assert_string_equal(redis_server_say(&server, "FLUSHALL"), "+OK\r\n");
    snprintf(url, sizeof(url), "redis+unix://%s?timeout=5", server.socket);
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &f->store));
    records_put_names(f->store, "spmv", OTHER);
    records_put_names(f->store, "spmv", "lab-a.v100");
    assert_ok(f->context, records_put_samples(f->store, "spmv", OTHER, 0, 3, false));
    assert_ok(f->context, records_put_samples(f->store, "spmv", "lab-a.v100", 0, 5, false));
    assert_ok(f->context, records_put_profiles(f->store, OTHER, 0, 2, false));
    assert_ok(f->context, records_put_profiles(f->store, "lab-a.v100", 0, 2, false));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static size_t count_rows(fixture *f, const char *device)
{
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(f->store, "spmv", device, records_count_same, &count));
    return count;
}

static nitro_status count_profile(void *user, const char *device, const nitro_profile *profile)
{
    (void)device;
    (void)profile;
    ++*(size_t *)user;
    return NITRO_OK;
}

/* Everything of the store can be read, without what is damaged. */
static void assert_readable(fixture *f, size_t samples, size_t profiles)
{
    nitro_string_list devices = {0};
    size_t count = 0;
    assert_int_equal(count_rows(f, OTHER), 3);
    assert_int_equal(count_rows(f, "lab-a.v100"), samples);
    assert_ok(f->context, nitro_store_each_profile(f->store, NULL, "spmv", count_profile, &count));
    assert_int_equal(count, 2 * (2 + profiles));
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &devices));
    assert_int_equal(devices.count, 2);
    nitro_string_list_free(&devices);
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", OTHER, &count));
    assert_int_equal(count, 3);
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "lab-a.v100", &count));
}

/* `verify` names the problem, and gc repairs all. */
static void assert_repaired(fixture *f, const char *problem)
{
    nitro_string_list said = {0};
    bool named = false;
    assert_int_equal(nitro_store_verify(f->store, records_keep_problem, &said), NITRO_ERR_FORMAT);
    for (size_t i = 0; i < said.count; i++)
        named = named || strstr(said.items[i], problem);
    if (!named)
        fail_msg("no problem contains '%s'; the first of %zu: %s", problem, said.count,
                 said.items[0]);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, true, records_keep_problem, &said));
    assert_int_equal(nitro_store_verify(f->store, NULL, NULL), NITRO_ERR_FORMAT);
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    nitro_string_list_free(&said);
}

static void test_keys_of_other_types(void **state)
{
    fixture *f = *state;
    const char *const keys[] = {"samples", "shared", "profiles"};
    for (size_t i = 0; i < 3; i++)
        say("SET nitro:7:{spmv}:%s:lab-a.v100 x", keys[i]);
    say("SET nitro:7:{@proxies}:profiles:lab-a.v100 x");
    assert_readable(f, 0, 0);
    assert_fails(f->context,
                 nitro_store_export_csv(f->store, "spmv", "lab-a.v100", "unwritten.csv", NULL),
                 NITRO_ERR_NOT_FOUND, "on device 'lab-a.v100' can be read; if");
    assert_repaired(f, "WRONGTYPE");
    size_t count = 0;
    assert_int_equal(count_rows(f, OTHER), 3);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "lab-a.v100", 0, 2, false));
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "lab-a.v100", &count));
    assert_int_equal(count, 2);
}

/* Set by another program, which no contributor is; gc makes these indexes again. */
static void test_indexes_of_other_types(void **state)
{
    fixture *f = *state;
    const char *const keys[] = {"{spmv}:devices", "{@devices}:index", "{@proxies}:devices"};
    for (size_t i = 0; i < 3; i++) {
        nitro_string_list said = {0};
        char command[96];
        snprintf(command, sizeof(command), "SET nitro:7:%s x", keys[i]);
        assert_string_equal(redis_server_say(&server, command), "+OK\r\n");
        assert_repaired(f, "WRONGTYPE");
        assert_readable(f, 5, 2);
        assert_ok(f->context,
                  nitro_store_remove_damaged(f->store, true, records_keep_problem, &said));
        assert_int_equal(said.count, 0);
        nitro_string_list_free(&said);
    }
}

static nitro_status read_names(fixture *f)
{
    nitro_string_list computations = {0};
    nitro_schema *schema = NULL;
    nitro_store *store = NULL;
    nitro_status status =
        nitro_store_open(f->context, nitro_store_url(f->store), NITRO_STORE_READ, &store);
    if (status == NITRO_OK)
        status = nitro_store_list_computations(store, &computations);
    if (status == NITRO_OK)
        status = nitro_store_get_schema(store, "spmv", &schema);
    nitro_schema_free(schema);
    nitro_string_list_free(&computations);
    nitro_store_close(store);
    return status;
}

/* What gc cannot make again; its error says how to, and that loses nothing. */
static void test_keys_that_all_readers_need(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *damages, *says, *restores[2];
    } rows[] = {
        {"SET nitro:layout x", "'redis-cli SET nitro:layout N'", {"SET nitro:layout 7"}},
        {"HSET nitro:layout x y", "'redis-cli SET nitro:layout N'", {"SET nitro:layout 7"}},
        {"SET nitro:7:{@computations}:index x",
         "'redis-cli SADD nitro:7:{@computations}:index NAME'",
         {"DEL nitro:7:{@computations}:index", "SADD nitro:7:{@computations}:index spmv"}},
        {"SET nitro:7:{spmv}:schema x",
         "damaged or was altered: it does not start as a record does; 'redis-cli DEL "
         "nitro:7:{spmv}:schema'",
         {"DEL nitro:7:{spmv}:schema"}},
        {"HSET nitro:7:{spmv}:schema x y",
         "'redis-cli DEL nitro:7:{spmv}:schema'",
         {"DEL nitro:7:{spmv}:schema"}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char key[64], removal[80];
        assert_int_equal(sscanf(rows[i].damages, "%*s %63s", key), 1);
        snprintf(removal, sizeof(removal), "DEL %s", key);
        redis_server_say(&server, removal);
        assert_int_not_equal(redis_server_say(&server, rows[i].damages)[0], '-');
        assert_fails(f->context, read_names(f), NITRO_ERR_FORMAT, rows[i].says);
        for (size_t r = 0; r < 2 && rows[i].restores[r]; r++)
            assert_int_not_equal(redis_server_say(&server, rows[i].restores[r])[0], '-');
        records_put_names(f->store, "spmv", OTHER);
        assert_ok(f->context, read_names(f));
        records_assert_sound(f->store);
        assert_readable(f, 5, 2);
    }
}

/* Terminals obey some characters. */
static void test_a_name_with_control_characters(void **state)
{
    fixture *f = *state;
    say("HSET nitro:7:{spmv}:samples:lab-a.v100 \"a\\x1b[mb\" x");
    assert_repaired(f, "a?[mb");
}

/* Nothing is written half. */
static void test_a_batch_beside_a_key_of_another_type(void **state)
{
    fixture *f = *state;
    size_t count = 0;
    say("SET nitro:7:{spmv}:shared:lab-a.v100 x");
    assert_fails(f->context, records_put_samples(f->store, "spmv", "lab-a.v100", 7, 2, true),
                 NITRO_ERR_FORMAT, "shared:lab-a.v100");
    say("HLEN nitro:7:{spmv}:samples:lab-a.v100");
    const char *length = redis_server_say(&server, "HLEN nitro:7:{spmv}:samples:lab-a.v100");
    assert_string_equal(length, ":5\r\n");
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", OTHER, &count));
    assert_int_equal(count, 3);
}

static void test_a_device_of_another_type(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0};
    redis_server_say(&server, "DEL nitro:7:{@devices}:record:lab-a.v100");
    say("HSET nitro:7:{@devices}:record:lab-a.v100 a b");
    assert_int_equal(count_rows(f, OTHER), 3);
    assert_int_equal(nitro_store_verify(f->store, NULL, NULL), NITRO_ERR_FORMAT);
    records_put_names(f->store, "spmv", "lab-a.v100"); /* its owner can replace it */
    records_assert_sound(f->store);
    say("SET nitro:7:{@devices}:record:lab-a.v100 x");
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    assert_int_equal(count_rows(f, OTHER), 3);
    nitro_string_list_free(&said);
}

/* One record that makes a page too large: the others of that page are read. */
static void test_a_huge_record(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0};
    script("redis.call('HSET', 'nitro:7:{spmv}:samples:lab-a.v100', 'input-002', "
           "string.rep('x', 70 * 1024 * 1024))");
    assert_int_equal(count_rows(f, "lab-a.v100"), 4);
    assert_non_null(strstr(f->log, "input-002"));
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    assert_readable(f, 4, 2);
    nitro_string_list_free(&said);
}

static void test_a_huge_name(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0};
    script("redis.call('HSET', 'nitro:7:{spmv}:samples:lab-a.v100', "
           "string.rep('x', 70 * 1024 * 1024), 'y')");
    assert_int_equal(count_rows(f, "lab-a.v100"), 0);
    assert_non_null(strstr(f->log, "a larger name"));
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    records_assert_sound(f->store);
    assert_int_equal(count_rows(f, OTHER), 3);
    nitro_string_list_free(&said);
}

/* Devices that nobody described, and names that are none. */
static void test_many_devices(void **state)
{
    fixture *f = *state;
    script("for i = 1, 30000 do redis.call('SADD', 'nitro:7:{spmv}:devices', 'fake-' .. i) "
           "redis.call('SADD', 'nitro:7:{@devices}:index', 'fake-' .. i) end");
    say("SADD nitro:7:{spmv}:devices \"no name\"");
    say("SADD nitro:7:{@devices}:index \"a\\x00b\"");
    assert_readable(f, 5, 2);
    assert_repaired(f, "1 name in the index of spmv is not valid");
    assert_readable(f, 5, 2);
    assert_string_equal(redis_server_say(&server, "SCARD nitro:7:{spmv}:devices"), ":2\r\n");
    assert_string_equal(redis_server_say(&server, "SCARD nitro:7:{@devices}:index"), ":2\r\n");
}

/* A device whose owner put it, but has no samples yet, stays. */
static void test_gc_keeps_described_devices(void **state)
{
    fixture *f = *state;
    nitro_string_list said = {0}, devices = {0};
    records_put_names(f->store, "spmv", "lab-c.new");
    say("SADD nitro:7:{spmv}:devices lab-c.new");
    assert_ok(f->context, nitro_store_remove_damaged(f->store, false, records_keep_problem, &said));
    assert_int_equal(said.count, 0);
    assert_string_equal(redis_server_say(&server, "SCARD nitro:7:{spmv}:devices"), ":3\r\n");
    assert_ok(f->context, nitro_store_list_devices(f->store, NULL, &devices));
    assert_int_equal(devices.count, 3);
    nitro_string_list_free(&devices);
    nitro_string_list_free(&said);
}

/* Two writers of one device at once: every sample of both arrives, once. */
static void test_writers_at_the_same_time(void **state)
{
    fixture *f = *state;
    pid_t writers[3];
    size_t count = 0;
    for (size_t w = 0; w < 3; w++) {
        writers[w] = fork();
        if (writers[w] != 0)
            continue;
        nitro_context *context = unit_context();
        nitro_store *store = NULL;
        char url[160];
        snprintf(url, sizeof(url), "redis+unix://%s?timeout=20", server.socket);
        nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
        for (size_t i = 0; i < 100 && status == NITRO_OK; i++)
            status = records_put_samples(store, "spmv", "lab-a.v100", 100 + 100 * w + i, 1, false);
        _exit(status == NITRO_OK ? 0 : 1);
    }
    for (size_t w = 0; w < 3; w++) {
        int ended = 0;
        waitpid(writers[w], &ended, 0);
        assert_int_equal(ended, 0);
    }
    assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", "lab-a.v100", &count));
    assert_int_equal(count, 305);
    records_assert_sound(f->store);
}

enum { NUM_NEW = 120 };

/* An administrator's gc, without a pause. */
static void remove_unused(const atomic_bool *stop)
{
    nitro_context *context = unit_context();
    nitro_store *store = NULL;
    char url[160], id[32];
    snprintf(url, sizeof(url), "redis+unix://%s?timeout=20", server.socket);
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
    while (status == NITRO_OK && !*stop) {
        nitro_string_list said = {0};
        for (size_t i = 0; i < NUM_NEW; i++) {
            snprintf(id, sizeof(id), "lab-c.%zu", i);
            nitro_store_remove_device(store, id);
        }
        status = nitro_store_remove_damaged(store, false, records_keep_problem, &said);
        nitro_string_list_free(&said);
    }
    _exit(status == NITRO_OK ? 0 : 1);
}

/* Devices are removed that have no samples yet, and samples that then have no device: what a writer
 * was told is stored is there all the same. */
static void test_new_devices_beside_gc(void **state)
{
    fixture *f = *state;
    atomic_bool *stop =
        mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(stop != MAP_FAILED);
    nitro_schema *schema = records_schema(f->context, "spmv");
    nitro_sample *sample = records_sample(f->context, "one");
    const nitro_sample *samples[] = {sample};
    pid_t remover = fork();
    if (remover == 0)
        remove_unused(stop);
    for (size_t i = 0; i < NUM_NEW; i++) {
        char id[32];
        nitro_device *device = NULL;
        snprintf(id, sizeof(id), "lab-c.%zu", i);
        assert_ok(f->context, nitro_device_create(f->context, id, "recorded", &device));
        assert_ok(f->context,
                  nitro_store_put_recording(f->store, schema, device, id, samples, 1, false));
        nitro_device_free(device);
    }
    int ended = 0;
    *stop = true;
    waitpid(remover, &ended, 0);
    assert_int_equal(ended, 0);
    nitro_string_list ids = {0};
    size_t count = 0;
    assert_ok(f->context, nitro_store_list_devices(f->store, "spmv", &ids));
    assert_int_equal(ids.count, 2 + NUM_NEW);
    for (size_t i = 0; i < NUM_NEW; i++) {
        char id[32];
        snprintf(id, sizeof(id), "lab-c.%zu", i);
        assert_ok(f->context, nitro_store_count_samples(f->store, "spmv", id, &count));
        assert_int_equal(count, 1);
    }
    records_assert_sound(f->store);
    nitro_string_list_free(&ids);
    nitro_sample_free(sample);
    nitro_schema_free(schema);
    munmap((void *)(uintptr_t)stop, sizeof(*stop));
}

int main(void)
{
    static const char *const options[] = {"--aclfile", SOURCE_DIR "/data/redis/nitro.acl", NULL};
    const struct CMUnitTest tests[] = {
#define NEIGHBOUR_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        NEIGHBOUR_TEST(test_keys_of_other_types),
        NEIGHBOUR_TEST(test_indexes_of_other_types),
        NEIGHBOUR_TEST(test_keys_that_all_readers_need),
        NEIGHBOUR_TEST(test_a_name_with_control_characters),
        NEIGHBOUR_TEST(test_a_batch_beside_a_key_of_another_type),
        NEIGHBOUR_TEST(test_a_device_of_another_type),
        NEIGHBOUR_TEST(test_a_huge_record),
        NEIGHBOUR_TEST(test_a_huge_name),
        NEIGHBOUR_TEST(test_many_devices),
        NEIGHBOUR_TEST(test_gc_keeps_described_devices),
        NEIGHBOUR_TEST(test_writers_at_the_same_time),
        NEIGHBOUR_TEST(test_new_devices_beside_gc),
    };
    REDIS_SERVER_RUN_TESTS(&server, options, tests);
}
