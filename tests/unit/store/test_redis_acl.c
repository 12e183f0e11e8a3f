/* The ACL example that ships (data/redis/nitro.acl): what contributors and consumers may do; the
 * server refuses everything else. */
#include "unit/redis_server.h"
#include "unit/store_records.h"

#define CONTRIBUTOR "nitro-contributor", "change-me-contributor"
#define CONSUMER    "nitro-consumer", "change-me-consumer"

typedef struct fixture {
    nitro_context *context;
    nitro_store *admin, *contributor, *consumer;
} fixture;

static redis_server server;

static nitro_store *open_as(fixture *f, const char *user, const char *password,
                            nitro_store_mode mode)
{
    char url[256];
    nitro_store *store = NULL;
    snprintf(url, sizeof(url), "redis+unix://%s%s%s%s%s", user, *user ? ":" : "", password,
             *user ? "@" : "", server.socket);
    assert_ok(f->context, nitro_store_open(f->context, url, mode, &store));
    return store;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    assert_string_equal(redis_server_say(&server, "FLUSHALL"), "+OK\r\n");
    f->admin = open_as(f, "", "", NITRO_STORE_WRITE);
    records_put_names(f->admin, "spmv", "lab-b.k20");
    assert_ok(f->context, records_put_samples(f->admin, "spmv", "lab-b.k20", 0, 3, false));
    f->contributor = open_as(f, CONTRIBUTOR, NITRO_STORE_WRITE);
    f->consumer = open_as(f, CONSUMER, NITRO_STORE_WRITE);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    records_assert_sound(f->admin);
    nitro_store_close(f->consumer);
    nitro_store_close(f->contributor);
    nitro_store_close(f->admin);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static size_t count_samples(fixture *f, nitro_store *store, const char *device)
{
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", device, records_count_same, &count));
    return count;
}

static void put_own_device(fixture *f)
{
    nitro_device *device = records_device(f->context, "lab-a.v100");
    assert_ok(f->context, nitro_store_put_device(f->contributor, device));
    nitro_device_free(device);
}

static void test_contributors_add_to_their_own_devices(void **state)
{
    fixture *f = *state;
    nitro_schema *schema = records_schema(f->context, "spmv");
    put_own_device(f);
    assert_ok(f->context, nitro_store_put_schema(f->contributor, schema)); /* nothing new */
    assert_ok(f->context, records_put_samples(f->contributor, "spmv", "lab-a.v100", 0, 5, false));
    assert_ok(f->context, records_put_samples(f->contributor, "spmv", "lab-a.v100", 3, 4, true));
    assert_ok(f->context, records_put_profiles(f->contributor, "lab-a.v100", 0, 2, false));
    assert_ok(f->context, records_put_profiles(f->contributor, "lab-a.v100", 1, 2, true));
    assert_int_equal(count_samples(f, f->contributor, "lab-a.v100"), 7);
    assert_int_equal(count_samples(f, f->contributor, "lab-b.k20"), 3);
    records_assert_sound(f->contributor);
    nitro_schema_free(schema);
}

#define REFUSED(call) assert_fails(f->context, call, NITRO_ERR_DENIED, "this user may not do that")

static void test_contributors_change_nothing_else(void **state)
{
    fixture *f = *state;
    nitro_device *other = records_device(f->context, "lab-b.k20");
    nitro_schema *schema = records_schema(f->context, "sort");
    assert_ok(f->context,
              nitro_device_set(f->context, other, "peak_gbps", 1, NITRO_VALUE_RECORDED, 0));
    REFUSED(nitro_store_put_device(f->contributor, other));
    REFUSED(records_put_samples(f->contributor, "spmv", "lab-b.k20", 3, 2, false));
    REFUSED(records_put_samples(f->contributor, "spmv", "lab-b.k20", 0, 2, true));
    REFUSED(records_put_profiles(f->contributor, "lab-b.k20", 0, 2, false));
    REFUSED(nitro_store_put_schema(f->contributor, schema));
    REFUSED(nitro_store_remove(f->contributor, "spmv", "lab-b.k20", NULL));
    REFUSED(nitro_store_remove(f->contributor, "spmv", NULL, NULL));
    assert_int_equal(count_samples(f, f->admin, "lab-b.k20"), 3);
    nitro_schema_free(schema);
    nitro_device_free(other);
}

static void test_consumers_read(void **state)
{
    fixture *f = *state;
    nitro_device *device = records_device(f->context, "lab-a.v100");
    uint64_t bytes = 0;
    assert_int_equal(count_samples(f, f->consumer, "lab-b.k20"), 3);
    records_assert_sound(f->consumer);
    assert_ok(f->context, nitro_store_size_bytes(f->consumer, &bytes));
    assert_true(bytes > 0);
    REFUSED(nitro_store_put_device(f->consumer, device));
    REFUSED(records_put_samples(f->consumer, "spmv", "lab-b.k20", 3, 2, false));
    REFUSED(nitro_store_remove(f->consumer, "spmv", NULL, NULL));
    nitro_device_free(device);
}

/* The reply to a command of this user, over its own connection. Static storage. */
static const char *say_as(const char *user, const char *password, const char *command)
{
    static char answer[4096];
    char line[1024];
    int descriptor = redis_server_connect(&server);
    assert_true(descriptor >= 0);
    int length = snprintf(line, sizeof(line), "AUTH %s %s\r\n", user, password);
    assert_int_equal(send(descriptor, line, (size_t)length, MSG_NOSIGNAL), length);
    assert_int_equal(recv(descriptor, answer, 5, MSG_WAITALL), 5); /* +OK */
    length = snprintf(line, sizeof(line), "%s\r\n", command);
    assert_int_equal(send(descriptor, line, (size_t)length, MSG_NOSIGNAL), length);
    ssize_t size = recv(descriptor, answer, sizeof(answer) - 1, 0);
    answer[size > 0 ? size : 0] = '\0';
    close(descriptor);
    return answer;
}

/* Refused by the ACL rules, not for another reason; scripts have a different message. */
static void assert_refused(const char *who, const char *command, const char *answer)
{
    bool by_rule = strstr(answer, "NOPERM") || strstr(answer, "ACL failure") ||
                   strstr(answer, "The user executing the script can't");
    if (answer[0] != '-' || !by_rule)
        fail_msg("%s: %s: %s", who, command, answer);
}

/* Commands sent without nitro are refused too. */
static void test_the_server_refuses_the_rest(void **state)
{
    (void)state;
    const char *const commands[] = {
        "FLUSHALL",
        "CONFIG GET requirepass",
        "ACL LIST",
        "KEYS *",
        "SAVE",
        "SHUTDOWN",
        "DEL nitro:7:{spmv}:samples:lab-b.k20",
        "RENAME nitro:7:{spmv}:samples:lab-b.k20 nitro:7:{spmv}:samples:lab-a.x",
        "HSET nitro:7:{spmv}:samples:lab-b.k20 input-000 x",
        "HDEL nitro:7:{spmv}:samples:lab-b.k20 input-000",
        "HSET nitro:7:{spmv}:shared:lab-b.k20 x y",
        "SET nitro:layout 9",
        "SET nitro:7:{spmv}:schema x",
        "SET nitro:7:{@devices}:record:lab-b.k20 x",
        "SREM nitro:7:{spmv}:devices lab-b.k20",
        "SADD nitro:7:{@computations}:index x",
        "SET another:key x",
        "GET another:key",
        "EVAL \"return redis.call('SET', KEYS[1], 'x')\" 1 nitro:7:{spmv}:schema",
        "EVAL \"return redis.call('HDEL', 'nitro:7:{spmv}:samples:lab-b.k20', 'input-000')\" 0",
        "EVAL \"return redis.call('FLUSHALL')\" 0",
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        assert_refused("contributor", commands[i], say_as(CONTRIBUTOR, commands[i]));
        assert_refused("consumer", commands[i], say_as(CONSUMER, commands[i]));
    }
}

int main(void)
{
    static const char *const options[] = {"--aclfile", SOURCE_DIR "/data/redis/nitro.acl", NULL};
    const struct CMUnitTest tests[] = {
#define ACL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        ACL_TEST(test_contributors_add_to_their_own_devices),
        ACL_TEST(test_contributors_change_nothing_else),
        ACL_TEST(test_consumers_read),
        ACL_TEST(test_the_server_refuses_the_rest),
    };
    REDIS_SERVER_RUN_TESTS(&server, options, tests);
}
