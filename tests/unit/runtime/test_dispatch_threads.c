/* Dispatch from many threads at once: every thread gets the decisions that one thread gets alone,
 * and the errors that some of them cause disturb nobody. Most telling under the thread sanitizer.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "unit/temporary.h"

enum { NUM_THREADS = 4, NUM_VALUES = 64, NUM_ROUNDS = 200 };

/** Small values are fastest by "small", large ones by "large"; negative ones only "large" takes. */
typedef struct argument {
    double value;
    double result;
} argument;

static int run_small(void *any, void *user)
{
    argument *a = any;
    (void)user;
    a->result = a->value + 1;
    return 0;
}

static int run_large(void *any, void *user)
{
    argument *a = any;
    (void)user;
    a->result = a->value + 2;
    return 0;
}

static bool not_negative(const double *features, const void *any, void *user)
{
    (void)any;
    (void)user;
    return features[0] >= 0;
}

static int evaluate(const void *any, double *values, void *user)
{
    (void)user;
    values[0] = ((const argument *)any)->value;
    return 0;
}

static void add_parts(nitro_context *context, nitro_computation *computation)
{
    const nitro_variant small = {.name = "small", .run = run_small, .allows = not_negative};
    const nitro_variant large = {.name = "large", .run = run_large};
    const nitro_feature value = {.name = "value", .scale = NITRO_SCALE_LINEAR};
    assert_ok(context, nitro_computation_add_variant(computation, &small));
    assert_ok(context, nitro_computation_add_variant(computation, &large));
    assert_ok(context, nitro_computation_add_features(computation, &value, 1, evaluate, NULL));
}

static nitro_computation *declare(nitro_context *context)
{
    nitro_computation *computation = NULL;
    assert_ok(context, nitro_computation_create(context, "threads", &computation));
    add_parts(context, computation);
    return computation;
}

static double value_of(size_t index)
{
    return index == 0 ? -1 : (double)index;
}

/** Times of a made-up device: the cross-over is in the middle of the values. */
static void fill_store(nitro_context *context, nitro_store *store, nitro_computation *computation,
                       bool inverted)
{
    nitro_schema *schema = NULL;
    nitro_device *device = NULL;
    assert_ok(context, nitro_schema_of(computation, &schema));
    assert_ok(context, nitro_device_create(context, "made-up", "recorded", &device));
    assert_ok(context, nitro_store_put_schema(store, schema));
    assert_ok(context, nitro_store_put_device(store, device));
    for (size_t i = 1; i < NUM_VALUES; i++) {
        nitro_sample *sample = NULL;
        char input[32];
        snprintf(input, sizeof input, "value %02zu", i);
        assert_ok(context, nitro_sample_create(context, input, 1, 2, &sample));
        sample->features[0] = value_of(i);
        for (size_t v = 0; v < 2; v++) {
            bool fast = ((i < NUM_VALUES / 2) == (v == 0)) != inverted;
            sample->entries[v].outcome = NITRO_OUTCOME_MEASURED;
            sample->entries[v].median_ms = fast ? 1 : 3;
        }
        const nitro_sample *samples[] = {sample};
        assert_ok(context, nitro_store_put_samples(store, "threads", "made-up", samples, 1, false));
        nitro_sample_free(sample);
    }
    nitro_device_free(device);
    nitro_schema_free(schema);
}

static nitro_model *learn(nitro_context *context, nitro_computation *computation, bool inverted)
{
    char folder[] = "/tmp/nitro-threads-XXXXXX", path[64];
    nitro_store *store = NULL;
    nitro_model *model = NULL;
    nitro_learn_options options;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/store.db", folder);
    assert_ok(context, nitro_store_open(context, path, NITRO_STORE_WRITE, &store));
    fill_store(context, store, computation, inverted);
    nitro_learn_options_init(&options);
    assert_ok(context, nitro_learn_own(context, store, "threads", "made-up", &options, &model));
    nitro_store_close(store);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    return model;
}

typedef struct expectation {
    const nitro_computation *computation;
    nitro_decision decisions[NUM_VALUES]; /* made before there were threads */
    size_t num_wrong[NUM_THREADS];
} expectation;

typedef struct worker {
    pthread_t thread;
    expectation *expected;
    size_t index;
} worker;

static bool same(const nitro_decision *a, const nitro_decision *b)
{
    return a->variant == b->variant && a->reason == b->reason && a->confidence == b->confidence &&
           strcmp(a->variant_name, b->variant_name) == 0;
}

static bool decides_alike(const expectation *expected, size_t index)
{
    argument a = {.value = value_of(index)};
    nitro_decision decision;
    if (nitro_run(expected->computation, &a, &decision) != NITRO_OK)
        return false;
    return same(&decision, &expected->decisions[index]) &&
           a.result == a.value + 1 + (double)decision.variant;
}

static bool falls_back_for_nan(const expectation *expected)
{
    argument a = {.value = NAN};
    nitro_decision decision;
    return nitro_run(expected->computation, &a, &decision) == NITRO_OK && decision.variant == 1 &&
           decision.reason == NITRO_REASON_BAD_FEATURE;
}

static void *work(void *any)
{
    worker *self = any;
    for (size_t round = 0; round < NUM_ROUNDS; round++) {
        for (size_t i = 0; i < NUM_VALUES; i++)
            self->expected->num_wrong[self->index] +=
                !decides_alike(self->expected, (i + self->index) % NUM_VALUES);
        self->expected->num_wrong[self->index] += !falls_back_for_nan(self->expected);
    }
    return NULL;
}

static void run_threads(nitro_context *context, const nitro_computation *computation)
{
    expectation expected = {.computation = computation};
    worker workers[NUM_THREADS];
    for (size_t i = 0; i < NUM_VALUES; i++) {
        const double value = value_of(i);
        assert_ok(context, nitro_select_features(computation, &value, 1, &expected.decisions[i]));
    }
    for (size_t t = 0; t < NUM_THREADS; t++) {
        workers[t] = (worker){.expected = &expected, .index = t};
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (size_t t = 0; t < NUM_THREADS; t++)
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    for (size_t t = 0; t < NUM_THREADS; t++)
        assert_int_equal(expected.num_wrong[t], 0);
}

static void test_without_a_model(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    (void)state;
    run_threads(context, computation);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static void test_with_a_model(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    nitro_decision low, high;
    const double small = 5, large = NUM_VALUES - 5;
    (void)state;
    assert_ok(context,
              nitro_computation_attach_model(computation, learn(context, computation, false)));
    assert_ok(context, nitro_select_features(computation, &small, 1, &low));
    assert_ok(context, nitro_select_features(computation, &large, 1, &high));
    assert_string_equal(low.variant_name, "small");
    assert_string_equal(high.variant_name, "large");
    assert_int_equal(low.reason, NITRO_REASON_MODEL);
    run_threads(context, computation);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

typedef struct swapping {
    const nitro_computation *computation;
    nitro_decision either[2][NUM_VALUES]; /* by one model, and by the other */
    atomic_bool stop;
} swapping;

/** @return how many decisions were neither model's, as a pointer's value. */
static void *select_meanwhile(void *any)
{
    swapping *self = any;
    uintptr_t num_wrong = 0;
    while (!atomic_load(&self->stop))
        for (size_t i = 0; i < NUM_VALUES; i++) {
            argument a = {.value = value_of(i)};
            nitro_decision made;
            num_wrong += nitro_select(self->computation, &a, &made) != NITRO_OK ||
                         !(same(&made, &self->either[0][i]) || same(&made, &self->either[1][i]));
        }
    return (void *)num_wrong;
}

static void test_a_model_is_replaced_while_threads_select(void **state)
{
    enum { NUM_SWAPS = 100 };
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    swapping shared = {.computation = computation};
    temporary folder = temporary_make();
    const char *paths[2] = {temporary_path(&folder, "one.json"),
                            temporary_path(&folder, "two.json")};
    pthread_t threads[NUM_THREADS];
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        nitro_model *model = learn(context, computation, m == 1);
        assert_ok(context, nitro_model_save(model, paths[m]));
        assert_ok(context, nitro_computation_attach_model(computation, model));
        for (size_t i = 0; i < NUM_VALUES; i++) {
            const double value = value_of(i);
            assert_ok(context, nitro_select_features(computation, &value, 1, &shared.either[m][i]));
        }
    }
    assert_int_not_equal(shared.either[0][5].variant, shared.either[1][5].variant);
    for (size_t t = 0; t < NUM_THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, select_meanwhile, &shared), 0);
    for (size_t swap = 0; swap < NUM_SWAPS; swap++)
        assert_ok(context, nitro_computation_load_model(computation, paths[swap % 2]));
    atomic_store(&shared.stop, true);
    for (size_t t = 0; t < NUM_THREADS; t++) {
        void *num_wrong = NULL;
        assert_int_equal(pthread_join(threads[t], &num_wrong), 0);
        assert_ptr_equal(num_wrong, NULL);
    }
    temporary_remove(&folder);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

static nitro_memo_statistics count(const nitro_computation *computation)
{
    nitro_memo_statistics counts;
    nitro_computation_memo_statistics(computation, &counts);
    return counts;
}

static void test_decisions_are_remembered(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = declare(context);
    nitro_decision first, again;
    const double value = 5;
    (void)state;
    assert_int_equal(count(computation).num_entries, 0); /* nothing to remember without a model */
    assert_ok(context,
              nitro_computation_attach_model(computation, learn(context, computation, false)));
    assert_int_equal(count(computation).num_entries, NITRO_MEMO_DEFAULT_ENTRIES);
    assert_ok(context, nitro_select_features(computation, &value, 1, &first));
    assert_ok(context, nitro_select_features(computation, &value, 1, &again));
    assert_true(same(&first, &again));
    assert_int_equal(count(computation).misses, 1);
    assert_int_equal(count(computation).hits, 1);
    /* Another threshold, another model: nothing of before is told. */
    assert_ok(context, nitro_computation_set_min_confidence(computation, 1.0));
    assert_ok(context, nitro_select_features(computation, &value, 1, &again));
    assert_int_equal(again.reason, NITRO_REASON_LOW_CONFIDENCE);
    assert_ok(context,
              nitro_computation_attach_model(computation, learn(context, computation, false)));
    assert_ok(context, nitro_select_features(computation, &value, 1, &again));
    assert_int_equal(count(computation).misses, 3);
    assert_int_equal(count(computation).hits, 1);
    assert_ok(context, nitro_computation_set_memo_size(computation, 0));
    assert_ok(context, nitro_select_features(computation, &value, 1, &again));
    assert_int_equal(count(computation).num_entries + count(computation).misses, 0);
    assert_ok(context, nitro_computation_set_memo_size(computation, 3));
    assert_int_equal(count(computation).num_entries, 4);
    assert_fails(context, nitro_computation_set_memo_size(computation, SIZE_MAX),
                 NITRO_ERR_ARGUMENT, "the maximum is");
    assert_int_equal(count(computation).num_entries, 4);
    nitro_computation_free(computation);
    nitro_context_free(context);
}

/* A memo whose size is set first knows what is declared after that. */
static void test_the_memo_has_its_size_before_the_features(void **state)
{
    nitro_context *context = unit_context();
    nitro_computation *computation = NULL;
    const double values[] = {5, NUM_VALUES - 5};
    nitro_decision decision;
    (void)state;
    assert_ok(context, nitro_computation_create(context, "threads", &computation));
    assert_ok(context, nitro_computation_set_memo_size(computation, 64));
    add_parts(context, computation);
    assert_int_equal(count(computation).num_entries, 64);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(context, nitro_select_features(computation, values, 1, &decision));
        assert_int_equal(decision.variant, i);
        assert_ok(context, nitro_computation_set_default(computation, "large"));
    }
    assert_ok(context,
              nitro_computation_attach_model(computation, learn(context, computation, false)));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(context, nitro_select_features(computation, &values[i], 1, &decision));
        assert_int_equal(decision.variant, i);
    }
    nitro_computation_free(computation);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_model),
        cmocka_unit_test(test_with_a_model),
        cmocka_unit_test(test_a_model_is_replaced_while_threads_select),
        cmocka_unit_test(test_decisions_are_remembered),
        cmocka_unit_test(test_the_memo_has_its_size_before_the_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
