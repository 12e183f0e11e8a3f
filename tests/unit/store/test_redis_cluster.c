/* A Redis Cluster that changes: moving slots, migrating keys, lost servers. test_store.c tests a
 * cluster at rest. */
#include "store/redis/redis_slot.h"

#include "unit/redis_cluster.h"
#include "unit/store_records.h"

typedef struct fixture {
    nitro_context *context;
    nitro_store *store;
    int from, to;  /* nodes between which the slot of spmv moves */
    unsigned slot; /* of spmv */
    char ids[REDIS_CLUSTER_NODES][41];
} fixture;

static redis_cluster cluster;

#define KEY(what) "nitro:7:{spmv}:" what

static void say(int node, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(int node, const char *format, ...)
{
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    const char *answer = redis_server_say(&cluster.nodes[node], command);
    if (answer[0] == '-' || answer[0] == '\0')
        fail_msg("node %d: %s: %s", node, command, answer);
}

static nitro_store *open_at(fixture *f, int node, const char *options)
{
    char url[128];
    nitro_store *store = NULL;
    snprintf(url, sizeof(url), "redis://127.0.0.1:%d%s", cluster.nodes[node].port, options);
    assert_ok(f->context, nitro_store_open(f->context, url, NITRO_STORE_WRITE, &store));
    return store;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    f->slot = nitro_redis_slot(KEY("schema"));
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++) {
        redis_cluster_say_ok(&cluster, i, "FLUSHALL");
        const char *id = redis_server_say(&cluster.nodes[i], "CLUSTER MYID");
        snprintf(f->ids[i], sizeof(f->ids[i]), "%.40s", strchr(id, '\n') + 1);
        if (f->slot >= (unsigned)(i * 16384 / 3) && f->slot < (unsigned)((i + 1) * 16384 / 3))
            f->from = i;
    }
    f->to = (f->from + 1) % REDIS_CLUSTER_NODES;
    f->store = open_at(f, (f->from + 2) % REDIS_CLUSTER_NODES, "?timeout=5");
    records_put_names(f->store, "spmv", "K20");
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 0, 20, false));
    *state = f;
    return 0;
}

/* The slot goes back to where it was. */
static int teardown(void **state)
{
    fixture *f = *state;
    nitro_store_close(f->store);
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_cluster_say_ok(&cluster, i, "FLUSHALL");
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++) {
        say(i, "CLUSTER SETSLOT %u STABLE", f->slot);
        say(i, "CLUSTER SETSLOT %u NODE %s", f->slot, f->ids[f->from]);
    }
    nitro_context_free(f->context);
    free(f);
    return 0;
}

static void begin_move(fixture *f)
{
    say(f->to, "CLUSTER SETSLOT %u IMPORTING %s", f->slot, f->ids[f->from]);
    say(f->from, "CLUSTER SETSLOT %u MIGRATING %s", f->slot, f->ids[f->to]);
}

static void move_keys(fixture *f, const char *keys)
{
    say(f->from, "MIGRATE 127.0.0.1 %d \"\" 0 5000 KEYS %s", cluster.nodes[f->to].port, keys);
}

static void end_move(fixture *f)
{
    say(f->to, "CLUSTER SETSLOT %u NODE %s", f->slot, f->ids[f->to]);
    say(f->from, "CLUSTER SETSLOT %u NODE %s", f->slot, f->ids[f->to]);
}

static void assert_samples(fixture *f, nitro_store *store, size_t expected)
{
    size_t count = 0;
    assert_ok(f->context,
              nitro_store_each_sample(store, "spmv", "K20", records_count_same, &count));
    assert_int_equal(count, expected);
}

/* Our computation of slots agrees with the cluster's. */
static void test_slots_are_the_clusters(void **state)
{
    (void)state;
    const char *keys[] = {
        "nitro:layout", KEY("schema"), KEY("samples:K20"), "a{}b{c}",
        "{x",           "{}",          "123456789",        "nitro:7:{@devices}:record:model:k20c"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char command[128], expected[32];
        snprintf(command, sizeof(command), "CLUSTER KEYSLOT %s", keys[i]);
        snprintf(expected, sizeof(expected), ":%u\r\n", nitro_redis_slot(keys[i]));
        assert_string_equal(redis_server_say(&cluster.nodes[0], command), expected);
    }
}

/* All keys of the computation are on one server only. */
static void test_a_computation_is_on_one_server(void **state)
{
    fixture *f = *state;
    char command[64], answer[64];
    assert_ok(f->context, records_put_profiles(f->store, "K20", 0, 3, false));
    snprintf(command, sizeof(command), "CLUSTER COUNTKEYSINSLOT %u", f->slot);
    snprintf(answer, sizeof(answer), "%s", redis_server_say(&cluster.nodes[f->from], command));
    assert_string_equal(answer,
                        ":5\r\n"); /* schema, devices, samples and their shared parts, profiles */
}

/* During a migration the old server answers for its remaining keys, and ASK redirects for the
 * others. */
static void test_keys_on_their_way_are_found(void **state)
{
    fixture *f = *state;
    begin_move(f);
    move_keys(f, KEY("samples:K20") " " KEY("shared:K20"));
    assert_samples(f, f->store, 20);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 20, 5, false));
    move_keys(f, KEY("schema") " " KEY("devices"));
    assert_samples(f, f->store, 25);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 25, 5, false));
    assert_fails(f->context, records_put_samples(f->store, "spmv", "K20", 29, 2, false),
                 NITRO_ERR_EXISTS, "input-029");
    end_move(f);
    assert_samples(f, f->store, 30);
    assert_ok(f->context, records_put_samples(f->store, "spmv", "K20", 30, 5, false));
    assert_samples(f, f->store, 35);
    records_assert_sound(f->store);
}

/* A table split between two servers: no script can run. It is retried, then reported. */
static void test_a_table_torn_apart_is_waited_for(void **state)
{
    fixture *f = *state;
    nitro_store *hasty = open_at(f, 0, "?timeout=0.2");
    begin_move(f);
    move_keys(f, KEY("samples:K20"));
    assert_fails(f->context, records_put_samples(hasty, "spmv", "K20", 20, 5, false), NITRO_ERR_IO,
                 "moving these keys");
    move_keys(f, KEY("shared:K20"));
    assert_ok(f->context, records_put_samples(hasty, "spmv", "K20", 20, 5, false));
    assert_samples(f, hasty, 25);
    nitro_store_close(hasty);
}

static void test_a_slot_that_moved_is_found(void **state)
{
    fixture *f = *state;
    begin_move(f);
    move_keys(f, KEY("samples:K20") " " KEY("shared:K20") " " KEY("schema") " " KEY("devices"));
    end_move(f);
    assert_samples(f, f->store, 20);
    nitro_store *fresh = open_at(f, f->to, "");
    assert_samples(f, fresh, 20);
    nitro_store_close(fresh);
}

/* Without their server the keys are unreachable; the error names the server. */
static void test_a_server_that_is_gone_is_named(void **state)
{
    fixture *f = *state;
    nitro_store *hasty = open_at(f, f->to, "?timeout=0.3");
    char address[32];
    assert_samples(f, hasty, 20);
    kill(cluster.nodes[f->from].process, SIGSTOP);
    snprintf(address, sizeof(address), "127.0.0.1:%d", cluster.nodes[f->from].port);
    assert_fails(f->context,
                 nitro_store_each_sample(hasty, "spmv", "K20", records_count_same, &(size_t){0}),
                 NITRO_ERR_IO, address);
    kill(cluster.nodes[f->from].process, SIGCONT);
    for (int tries = 0; tries < 1000 && !redis_cluster_is_whole(&cluster); tries++)
        usleep(10000);
    assert_samples(f, hasty, 20);
    nitro_store_close(hasty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CLUSTER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        CLUSTER_TEST(test_slots_are_the_clusters),
        CLUSTER_TEST(test_a_computation_is_on_one_server),
        CLUSTER_TEST(test_keys_on_their_way_are_found),
        CLUSTER_TEST(test_a_table_torn_apart_is_waited_for),
        CLUSTER_TEST(test_a_slot_that_moved_is_found),
        CLUSTER_TEST(test_a_server_that_is_gone_is_named),
    };
    if (!redis_server_possible())
        return 0;
    redis_cluster_make(&cluster);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    redis_cluster_remove(&cluster);
    return failures;
}
