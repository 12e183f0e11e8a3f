/* Recorded calls reach a store when the computation is freed, at intervals and at exit; the next
 * start begins with their times. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nitro/measure/observed_device.h"
#include "unit/runtime/made_up_model.h"

static int run(void *argument, void *user)
{
    *(int *)argument += user != NULL;
    return 0;
}

static double size = 7;

static int evaluate(const void *argument, double *values, void *user)
{
    (void)argument;
    (void)user;
    values[0] = size;
    return 0;
}

static const nitro_declaration toy = {
    .name = "toy",
    .variants = {{.name = "first", .run = run}, {.name = "second", .run = run}},
    .features = {{.name = "size"}},
    .evaluate = evaluate};

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    const char *url;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->context = unit_context();
    f->folder = temporary_make();
    f->url = strdup(temporary_path(&f->folder, "store.db"));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nitro_context_free(f->context);
    temporary_remove(&f->folder);
    free((char *)f->url);
    free(f);
    return 0;
}

static nitro_computation *declare(nitro_context *context, double adapt_percent)
{
    nitro_computation *made = NULL;
    nitro_monitor_options options;
    nitro_monitor_options_init(&options);
    options.every = 1;
    options.num_recorded = 100;
    options.adapt_percent = adapt_percent;
    assert_ok(context, nitro_computation_declare(context, &toy, &made));
    assert_ok(context, nitro_computation_monitor(made, &options));
    return made;
}

static void call(nitro_context *context, const nitro_computation *computation, int times,
                 nitro_decision *decision)
{
    for (int i = 0; i < times; i++)
        assert_ok(context, nitro_run(computation, &(int){0}, decision));
}

static nitro_status count(void *user, const nitro_sample *sample)
{
    assert_string_equal(sample->provenance.origin, "observed");
    *(size_t *)user += sample->entries[0].count;
    return NITRO_OK;
}

/* Number of stored calls of the first variant on this host. */
static size_t count_stored(const fixture *f)
{
    nitro_store *store = NULL;
    nitro_device *device = NULL;
    size_t calls = 0;
    if (nitro_store_open(f->context, f->url, NITRO_STORE_READ, &store) != NITRO_OK)
        return 0;
    assert_ok(f->context, nitro_device_find(f->context, "host", false, &device, NULL));
    nitro_status status = nitro_store_each_sample(store, "toy", device->id, count, &calls);
    assert_true(status == NITRO_OK || status == NITRO_ERR_NOT_FOUND);
    nitro_device_free(device);
    nitro_store_close(store);
    return calls;
}

static void test_freeing_stores_what_is_left(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 20, NULL);
    assert_int_equal(count_stored(f), 0);
    nitro_computation_free(computation);
    assert_int_equal(count_stored(f), 20);
}

static void test_calls_are_stored_at_intervals(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 0.01));
    call(f->context, computation, 5, NULL);
    for (int i = 0; i < 2000 && count_stored(f) == 0; i++)
        usleep(10000);
    assert_true(count_stored(f) > 0);
    nitro_computation_free(computation);
}

static void test_exit_stores_what_is_left(void **state)
{
    fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        nitro_context *context = unit_context();
        nitro_computation *computation = declare(context, 0);
        if (nitro_computation_record_to(computation, f->url, 1000) != NITRO_OK)
            _exit(1);
        call(context, computation, 9, NULL);
        exit(0); /* nothing is freed */
    }
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_int_equal(count_stored(f), 9);
}

static void test_a_forked_child_records_nothing(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 3, NULL);
    usleep(100000); /* the thread has started: sanitizers may hold locks meanwhile that no fork
                       opens */
    pid_t child = fork();
    if (child == 0) {
        call(f->context, computation, 3, NULL);
        nitro_computation_free(computation); /* waits for no thread */
        exit(0);
    }
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    assert_int_equal(count_stored(f), 0);
    nitro_computation_free(computation);
    assert_int_equal(count_stored(f), 3);
}

/* Store calls as an earlier process would have. */
static void put_earlier_calls(const fixture *f, const double *times_ms, uint32_t count)
{
    nitro_computation *computation = declare(f->context, 0);
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    nitro_sample *sample = NULL;
    nitro_store *store = NULL;
    assert_ok(f->context, nitro_schema_of(computation, &schema));
    assert_ok(f->context, nitro_device_find(f->context, "host", false, &device, NULL));
    assert_ok(f->context, nitro_sample_create(f->context, "observed-1", 1, 2, &sample));
    assert_ok(f->context,
              nitro_provenance_of_device(f->context, device, "observed", &sample->provenance));
    sample->features[0] = 7;
    for (size_t v = 0; v < 2; v++) {
        sample->entries[v].outcome = NITRO_OUTCOME_MEASURED;
        sample->entries[v].median_ms = times_ms[v];
        sample->entries[v].count = count;
    }
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_put_recording(store, schema, device, device->id,
                                                    (const nitro_sample *const *)&sample, 1, true));
    nitro_store_close(store);
    nitro_sample_free(sample);
    nitro_device_free(device);
    nitro_schema_free(schema);
    nitro_computation_free(computation);
}

static void test_the_next_start_begins_there(void **state)
{
    fixture *f = *state;
    nitro_decision decision;
    nitro_computation *computation = declare(f->context, 5);
    put_earlier_calls(f, (const double[]){10, 2}, 50);
    call(f->context, computation, 1, &decision);
    assert_string_equal(decision.variant_name, "first"); /* nothing is known here */
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 1, &decision);
    assert_string_equal(decision.variant_name, "second");
    assert_int_equal(decision.reason, NITRO_REASON_LEARNT);
    nitro_computation_free(computation);
}

static void test_earlier_calls_count_as_often_as_they_were_seen(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    nitro_monitor_statistics counts;
    put_earlier_calls(f, (const double[]){10, 2}, 2);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 5, NULL);
    nitro_computation_monitor_statistics(computation, &counts);
    assert_int_equal(counts.num_compared, 3); /* a mean takes four times */
    nitro_computation_free(computation);
}

/* Known sets of features are still updated when there is no room for others. */
static void test_sets_of_features_are_bounded(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    nitro_store *store = NULL;
    size_t room = 2, stored = 0;
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store));
    for (size = 10; size < 13; size++)
        call(f->context, computation, 4, NULL);
    assert_ok(f->context, nitro_flush_observations_into(computation, store, &room, &stored));
    assert_int_equal(stored, 2);
    assert_int_equal(room, 0);
    assert_int_equal(count_stored(f), 8);
    for (size = 10; size < 13; size++)
        call(f->context, computation, 5, NULL);
    size = 7;
    assert_ok(f->context, nitro_flush_observations_into(computation, store, &room, &stored));
    assert_int_equal(stored, 2);
    assert_int_equal(count_stored(f), 10);
    nitro_store_close(store);
    nitro_computation_free(computation);
}

static void test_settings_turn_it_on(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = NULL;
    assert_ok(f->context, nitro_computation_declare(f->context, &toy, &computation));
    assert_ok(f->context, nitro_context_set(f->context, NULL, "record_to", f->url));
    assert_ok(f->context, nitro_context_set(f->context, "toy", "monitor", "1"));
    assert_ok(f->context, nitro_computation_configure(computation));
    call(f->context, computation, 4, NULL);
    nitro_computation_free(computation);
    assert_int_equal(count_stored(f), 4);
}

static void test_what_cannot_be_recorded_is_refused(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0), *other = NULL;
    nitro_declaration larger = toy;
    larger.variants[2] = (nitro_variant){.name = "third", .run = run};
    assert_fails(f->context, nitro_computation_record_to(computation, f->url, 0),
                 NITRO_ERR_ARGUMENT, "every 0 s: use more than 0");
    put_earlier_calls(f, (const double[]){10, 2}, 50);
    assert_ok(f->context, nitro_computation_declare(f->context, &larger, &other));
    assert_fails(f->context, nitro_computation_record_to(other, f->url, 1), NITRO_ERR_MISMATCH,
                 "this program has toy with features (size) and variants (first,second,third)");
    nitro_computation_free(other);
    nitro_computation_free(computation);
}

static void fill(const void *user, size_t index, double *features, double *times_ms)
{
    (void)user;
    features[0] = (double)index;
    times_ms[0] = 1;
    times_ms[1] = 2;
}

/* As a model that ships: calls are those of this host, also where the store has the target. */
static void test_a_model_of_another_machine(void **state)
{
    fixture *f = *state;
    nitro_computation *computation = declare(f->context, 0);
    nitro_store *store = NULL;
    nitro_device *target = NULL;
    made_up_attach(f->context, computation, 1, 30, fill, NULL);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 20, NULL);
    nitro_computation_free(computation);
    assert_int_equal(count_stored(f), 20);

    assert_ok(f->context, nitro_device_create(f->context, "made-up", "host", &target));
    assert_ok(f->context, nitro_store_open(f->context, f->url, NITRO_STORE_WRITE, &store));
    assert_ok(f->context, nitro_store_put_device(store, target));
    nitro_store_close(store);
    nitro_device_free(target);
    computation = declare(f->context, 0);
    made_up_attach(f->context, computation, 1, 30, fill, NULL);
    assert_ok(f->context, nitro_computation_record_to(computation, f->url, 1000));
    call(f->context, computation, 30, NULL);
    nitro_computation_free(computation);
    assert_int_equal(count_stored(f), 30); /* in place of the 20 */
}

static nitro_computation *last;
static const char *last_url;

/** The last flush waits for this message's reader, and the exit for the flush. */
static void fork_and_free(void *user, nitro_log_level level, const char *message)
{
    (void)level;
    (void)message;
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        nitro_context_set_log(user, NITRO_LOG_WARNING, NULL, NULL);
        sigset_t none; /* blocked: of the recorder's thread */
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        alarm(10);
        if (nitro_computation_record_to(last, last_url, 1000) != NITRO_OK)
            _exit(1);
        _exit(0);
    }
    if (waitpid(child, &code, 0) != child || code != 0)
        _exit(1);
    _exit(7);
}

static void test_a_child_forked_at_exit_records(void **state)
{
    fixture *f = *state;
    int code = -1;
    pid_t child = fork();
    if (child == 0) {
        nitro_context *context = unit_context();
        nitro_computation *computation = declare(context, 0);
        last = declare(context, 0);
        last_url = temporary_path(&f->folder, "other.db");
        if (nitro_computation_record_to(computation, f->url, 1000) != NITRO_OK)
            _exit(1);
        call(context, computation, 9, NULL);
        if (mkdir(f->url, 0755) != 0) /* no store can be there */
            _exit(1);
        nitro_context_set_log(context, NITRO_LOG_WARNING, fork_and_free, context);
        exit(2);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(WEXITSTATUS(code), 7);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_freeing_stores_what_is_left),
        TEST(test_calls_are_stored_at_intervals),
        TEST(test_exit_stores_what_is_left),
        TEST(test_a_forked_child_records_nothing),
        TEST(test_the_next_start_begins_there),
        TEST(test_settings_turn_it_on),
        TEST(test_earlier_calls_count_as_often_as_they_were_seen),
        TEST(test_sets_of_features_are_bounded),
        TEST(test_what_cannot_be_recorded_is_refused),
        TEST(test_a_model_of_another_machine),
        TEST(test_a_child_forked_at_exit_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
