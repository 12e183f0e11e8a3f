/* Several tuners of one device and one store share the work: each input is measured once, and
 * claims of a dead tuner expire. */
#include <sys/mman.h>
#include <sys/wait.h>

#include "store/redis/redis_slot.h"

#include "unit/redis_cluster.h"

enum { NUM_INPUTS = 30, NUM_TUNERS = 3 };

/** How often each input's reference ran; shared by all processes. */
static _Atomic int *num_loads;
static char names[NUM_INPUTS][16];
static nitro_input inputs[NUM_INPUTS];

/* What happens while the fourth input is measured, to this server; NULL: nothing. */
static const redis_server *to_be_changed;
static void (*change)(void);

static void change_the_password(void)
{
    redis_server_say(to_be_changed, "CONFIG SET requirepass x");
    redis_server_say(to_be_changed, "AUTH x\r\nCLIENT KILL TYPE normal SKIPME yes");
}

/* The one replica of its master has all that was acknowledged. */
static redis_replica replicas[REDIS_CLUSTER_NODES];
static int lost_master;

static void kill_the_master(void)
{
    for (int tries = 0; tries < 500; tries++) {
        if (redis_replica_is_level(&replicas[lost_master], to_be_changed))
            break;
        usleep(10000);
    }
    kill(to_be_changed->process, SIGKILL);
}

static nitro_status load(nitro_context *context, void *state, void **argument)
{
    (void)context;
    size_t index = (size_t)((const char(*)[16])state - names);
    num_loads[index]++;
    if (to_be_changed && index == 3)
        change();
    usleep(2000);
    *argument = state;
    return NITRO_OK;
}

static int evaluate(const void *argument, double *values, void *user)
{
    (void)user;
    values[0] = (double)((const char(*)[16])argument - names);
    return 0;
}

static void make_inputs(void)
{
    num_loads = mmap(NULL, NUM_INPUTS * sizeof *num_loads, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(num_loads != MAP_FAILED);
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        snprintf(names[i], sizeof names[i], "input-%zu", i);
        inputs[i] = (nitro_input){names[i], load, NULL, names[i]};
    }
}

static void forget_loads(void)
{
    for (size_t i = 0; i < NUM_INPUTS; i++)
        num_loads[i] = 0;
}

static nitro_computation *declare(nitro_context *context)
{
    nitro_computation *made = NULL;
    const nitro_feature feature = {.name = "index"};
    const nitro_variant one = {.name = "one", .run = run_nothing};
    const nitro_variant two = {.name = "two", .run = run_nothing};
    assert_ok(context, nitro_computation_create(context, "shared", &made));
    assert_ok(context, nitro_computation_add_features(made, &feature, 1, evaluate, NULL));
    assert_ok(context, nitro_computation_add_variant(made, &one));
    assert_ok(context, nitro_computation_add_variant(made, &two));
    return made;
}

typedef bool (*progress_function)(void *user, const nitro_tune_progress *progress);

static nitro_status tune_monitored_by(nitro_context *context, const char *url,
                                      progress_function progress, void *user)
{
    nitro_computation *computation = declare(context);
    nitro_store *store = NULL;
    nitro_tune_options options;
    nitro_tune_options_init(&options);
    options.progress = progress;
    options.progress_user = user;
    options.measure.warmups = 0;
    options.measure.min_repetitions = options.measure.max_repetitions = 1;
    options.measure.max_blocks = 1;
    nitro_status status = nitro_store_open(context, url, NITRO_STORE_WRITE, &store);
    if (status == NITRO_OK)
        status = nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options);
    nitro_store_close(store);
    nitro_computation_free(computation);
    return status;
}

static nitro_status tune_monitored(nitro_context *context, const char *url,
                                   progress_function progress)
{
    return tune_monitored_by(context, url, progress, NULL);
}

static nitro_status tune(nitro_context *context, const char *url)
{
    return tune_monitored(context, url, NULL);
}

static void assert_all_stored(nitro_context *context, const char *url)
{
    nitro_store *store = NULL;
    nitro_string_list devices = {0};
    size_t count = 0;
    assert_ok(context, nitro_store_open(context, url, NITRO_STORE_READ, &store));
    assert_ok(context, nitro_store_list_devices(store, "shared", &devices));
    assert_int_equal(devices.count, 1);
    assert_ok(context, nitro_store_count_samples(store, "shared", devices.items[0], &count));
    assert_int_equal(count, NUM_INPUTS);
    nitro_string_list_free(&devices);
    nitro_store_close(store);
}

static bool begin(redis_server *server, char *url, size_t size)
{
    if (!redis_server_possible())
        return false;
    redis_server_make(server, NULL, false);
    snprintf(url, size, "redis+unix://%s", server->socket);
    forget_loads();
    return true;
}

static void test_each_input_is_measured_once(void **state)
{
    redis_server server = {0};
    char url[160];
    pid_t tuners[NUM_TUNERS];
    (void)state;
    if (!begin(&server, url, sizeof url))
        skip();
    for (size_t t = 0; t < NUM_TUNERS; t++) {
        tuners[t] = fork();
        assert_true(tuners[t] >= 0);
        if (tuners[t] == 0) {
            nitro_context *context = NULL;
            _exit(nitro_context_create(&context) == NITRO_OK ? (int)tune(context, url) : 99);
        }
    }
    for (size_t t = 0; t < NUM_TUNERS; t++) {
        int status = 0;
        assert_int_equal(waitpid(tuners[t], &status, 0), tuners[t]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), NITRO_OK);
    }
    for (size_t i = 0; i < NUM_INPUTS; i++)
        assert_int_equal(num_loads[i], 1);
    nitro_context *context = unit_context();
    assert_all_stored(context, url);
    nitro_context_free(context);
    redis_server_remove(&server);
}

/* Beside the tuner, another one that claims inputs of the host. */
typedef struct other_tuner {
    redis_server server;
    char url[160];
    nitro_context *context;
    nitro_store *store;
    nitro_device *host;
} other_tuner;

static other_tuner open_other_tuner(void)
{
    other_tuner r = {0};
    const nitro_device_kind *kind = NULL;
    if (!begin(&r.server, r.url, sizeof r.url))
        skip();
    r.context = unit_context();
    assert_ok(r.context, nitro_device_find(r.context, "host", false, &r.host, &kind));
    assert_ok(r.context, nitro_store_open(r.context, r.url, NITRO_STORE_WRITE, &r.store));
    return r;
}

static void close_other_tuner(other_tuner *r)
{
    nitro_store_close(r->store);
    nitro_device_free(r->host);
    nitro_context_free(r->context);
    redis_server_remove(&r->server);
}

/* Does a claim of the input for this long succeed? */
static bool claims(other_tuner *r, size_t input, const char *owner, uint32_t lease_ms)
{
    bool claimed = false;
    assert_ok(r->context, nitro_store_claim(r->store, "shared", r->host->id, names[input], owner,
                                            lease_ms, &claimed));
    return claimed;
}

static void test_what_a_dead_tuner_claimed_is_measured_by_another(void **state)
{
    (void)state;
    other_tuner r = open_other_tuner();
    assert_true(claims(&r, 3, "dead", 400));
    assert_false(claims(&r, 3, "other", 400));
    assert_true(claims(&r, 4, "other", 60000));
    assert_true(claims(&r, 4, "other", 1)); /* given back */
    assert_ok(r.context, tune(r.context, r.url));
    for (size_t i = 0; i < NUM_INPUTS; i++)
        assert_int_equal(num_loads[i], 1);
    assert_all_stored(r.context, r.url);
    close_other_tuner(&r);
}

static bool goes_on_unless_waiting(void *user, const nitro_tune_progress *progress)
{
    (void)user;
    return progress->input != NULL;
}

static void test_waiting_for_another_tuner_can_be_stopped(void **state)
{
    (void)state;
    other_tuner r = open_other_tuner();
    assert_true(claims(&r, 3, "other", 60000));
    assert_fails(r.context, tune_monitored(r.context, r.url, goes_on_unless_waiting),
                 NITRO_ERR_INTERRUPTED, "29 of 30 inputs are done");
    assert_int_equal(num_loads[3], 0);
    close_other_tuner(&r);
}

typedef struct rival {
    nitro_store *store;
    const char *device;
    size_t num_refused;
} rival;

/* What a tuner with cold caches would be told meanwhile. */
static bool request_cold_caches(void *user, const nitro_tune_progress *progress)
{
    rival *self = user;
    bool claimed = true;
    (void)progress;
    if (nitro_store_claim(self->store, "shared", self->device, "(caches)", "cold", 1, &claimed) ==
        NITRO_OK)
        self->num_refused += !claimed;
    return true;
}

/* Times of warm and cold caches must not meet, whoever comes first. */
static void test_tuners_have_the_same_caches(void **state)
{
    redis_server server = {0};
    char url[160];
    rival cold = {0};
    nitro_device *host = NULL;
    const nitro_device_kind *kind = NULL;
    bool claimed = false;
    (void)state;
    if (!begin(&server, url, sizeof url))
        skip();
    nitro_context *context = unit_context();
    assert_ok(context, nitro_device_find(context, "host", false, &host, &kind));
    assert_ok(context, nitro_store_open(context, url, NITRO_STORE_WRITE, &cold.store));
    cold.device = host->id;
    assert_ok(context, nitro_store_claim(cold.store, "shared", host->id, "(caches)", "cold", 60000,
                                         &claimed));
    assert_true(claimed);
    assert_fails(context, tune(context, url), NITRO_ERR_MISMATCH, "measures with cold caches");
    assert_int_equal(num_loads[0], 0);
    assert_ok(context,
              nitro_store_claim(cold.store, "shared", host->id, "(caches)", "cold", 1, &claimed));
    usleep(20000);
    assert_ok(context, tune_monitored_by(context, url, request_cold_caches, &cold));
    assert_int_equal(cold.num_refused, NUM_INPUTS);
    usleep(20000);
    assert_ok(context,
              nitro_store_claim(cold.store, "shared", host->id, "(caches)", "cold", 1, &claimed));
    assert_true(claimed); /* the tune is over */
    nitro_store_close(cold.store);
    nitro_device_free(host);
    nitro_context_free(context);
    redis_server_remove(&server);
}

/* In the middle of a tune: said as what it is, what was measured waits, and goes up later. */
static void test_a_password_that_changes(void **state)
{
    redis_server server = {0};
    char url[160];
    temporary home = temporary_make();
    size_t waiting = 0;
    nitro_store *store = NULL;
    nitro_computation *computation = NULL;
    (void)state;
    if (!begin(&server, url, sizeof url))
        skip();
    nitro_context *context = unit_context();
    setenv("XDG_DATA_HOME", home.folder, 1);
    computation = declare(context);
    nitro_tune_options options;
    nitro_tune_options_init(&options);
    to_be_changed = &server;
    change = change_the_password;
    options.measure.max_repetitions = options.measure.min_repetitions = 1;
    options.measure.max_blocks = 1;
    assert_ok(context, nitro_store_open_journaled(context, url, &store));
    assert_fails(context, nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options),
                 NITRO_ERR_DENIED,
                 "was measured on"); /* which one: a journal sends several at once */
    to_be_changed = NULL;
    assert_ok(context, nitro_store_count_unsent(store, &waiting));
    assert_true(waiting > 0);
    nitro_store_close(store);
    setenv("NITRO_REDIS_PASSWORD", "x", 1);
    assert_ok(context, nitro_store_open_journaled(context, url, &store));
    assert_ok(context, nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options));
    assert_ok(context, nitro_store_count_unsent(store, &waiting));
    assert_int_equal(waiting, 0);
    nitro_store_close(store);
    assert_all_stored(context, url);
    for (size_t i = 0; i < NUM_INPUTS; i++)
        assert_int_equal(num_loads[i], 1); /* none was measured twice */
    unsetenv("NITRO_REDIS_PASSWORD");
    unsetenv("XDG_DATA_HOME");
    nitro_computation_free(computation);
    nitro_context_free(context);
    redis_server_remove(&server);
    temporary_remove(&home);
}

static bool put_cold_sample(void *user, const nitro_tune_progress *progress)
{
    rival *self = user;
    nitro_context *context = nitro_store_context(self->store);
    nitro_sample *sample = NULL;
    if (progress->done > 1)
        return true;
    assert_ok(context, nitro_sample_create(context, "elsewhere", 1, 2, &sample));
    sample->features[0] = 1;
    sample->provenance.origin = strdup("measured");
    sample->provenance.cache = strdup("cold");
    const nitro_sample *samples[] = {sample};
    assert_ok(context,
              nitro_store_put_samples(self->store, "shared", self->device, samples, 1, false));
    nitro_sample_free(sample);
    return true;
}

/* A file has no claims: that another tune went on with other caches comes out at the end. */
/* A master dies in the middle of a tune, and its replica takes over. */
static void test_a_cluster_that_fails_over(void **state)
{
    redis_cluster cluster = {0};
    temporary home = temporary_make();
    char url[160];
    size_t unsent = 99;
    nitro_store *store = NULL;
    nitro_tune_options options;
    (void)state;
    if (!redis_server_possible())
        skip();
    forget_loads();
    setenv("XDG_DATA_HOME", home.folder, 1);
    redis_cluster_make_with(&cluster, "1000");
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_cluster_add_replica(&cluster, i, "1000", &replicas[i]);
    lost_master = (int)((nitro_redis_slot("nitro:7:{shared}:schema") * 3 + 2) / 16384);
    to_be_changed = &cluster.nodes[lost_master];
    change = kill_the_master;
    int other = (lost_master + 1) % REDIS_CLUSTER_NODES;
    snprintf(url, sizeof url, "redis://127.0.0.1:%d?timeout=1", cluster.nodes[other].port);
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    nitro_tune_options_init(&options);
    options.measure.max_repetitions = options.measure.min_repetitions = 1;
    options.measure.max_blocks = 1;
    assert_ok(context, nitro_store_open_journaled(context, url, &store));
    assert_ok(context, nitro_tune(computation, store, "host", inputs, NUM_INPUTS, &options));
    to_be_changed = NULL;
    assert_ok(context, nitro_store_flush(store, 30000, &unsent));
    assert_int_equal(unsent, 0);
    nitro_store_close(store);
    assert_all_stored(context, url);
    for (size_t i = 0; i < NUM_INPUTS; i++)
        assert_int_equal(num_loads[i], 1);
    assert_non_null(
        strstr(redis_server_say(&replicas[lost_master].server, "INFO replication"), "role:master"));
    for (int i = 0; i < REDIS_CLUSTER_NODES; i++)
        redis_server_remove(&replicas[i].server);
    redis_cluster_remove(&cluster);
    unsetenv("XDG_DATA_HOME");
    nitro_computation_free(computation);
    nitro_context_free(context);
    temporary_remove(&home);
}

static void test_other_caches_in_a_file_are_told(void **state)
{
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    const char *url = temporary_path(&folder, "s.db");
    rival cold = {0};
    nitro_device *host = NULL;
    const nitro_device_kind *kind = NULL;
    (void)state;
    forget_loads();
    assert_ok(context, nitro_device_find(context, "host", false, &host, &kind));
    assert_ok(context, nitro_store_open(context, url, NITRO_STORE_WRITE, &cold.store));
    cold.device = host->id;
    assert_fails(context, tune_monitored_by(context, url, put_cold_sample, &cold),
                 NITRO_ERR_MISMATCH, "holds 1 sample of shared");
    nitro_store_close(cold.store);
    nitro_device_free(host);
    temporary_remove(&folder);
    nitro_context_free(context);
}

static void test_a_file_has_no_claims(void **state)
{
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_store *store = NULL;
    bool claimed = false;
    (void)state;
    store = temporary_store(context, &folder, "s.db");
    assert_false(nitro_store_has_claims(store));
    assert_fails(context,
                 nitro_store_claim(store, "shared", "host:x", "input", "me", 1000, &claimed),
                 NITRO_ERR_UNSUPPORTED, "cannot be claimed");
    nitro_store_close(store);
    temporary_remove(&folder);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_input_is_measured_once),
        cmocka_unit_test(test_what_a_dead_tuner_claimed_is_measured_by_another),
        cmocka_unit_test(test_waiting_for_another_tuner_can_be_stopped),
        cmocka_unit_test(test_tuners_have_the_same_caches),
        cmocka_unit_test(test_a_password_that_changes),
        cmocka_unit_test(test_a_cluster_that_fails_over),
        cmocka_unit_test(test_other_caches_in_a_file_are_told),
        cmocka_unit_test(test_a_file_has_no_claims),
    };
    make_inputs();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
