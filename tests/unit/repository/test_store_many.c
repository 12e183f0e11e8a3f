/* What every kind of store must do with many samples, and for several processes at once. */
#include <math.h>
#include <sys/wait.h>

#include "nitro/models/model_file.h"
#include "unit/repository/store_places.h"
#include "unit/synthetic.h"

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

/* Also reads the store in the callback. */
static nitro_status check_order(void *user, const nitro_sample *sample)
{
    order_check *check = user;
    if (strcmp(check->last, sample->input) >= 0)
        fail_msg("'%s' follows '%s'", sample->input, check->last);
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

/* The same data give the same model, byte for byte, in every kind of store. */
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

/* A writer killed at any moment leaves only whole batches. */
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
        cmocka_unit_test_setup_teardown(test_many_samples_come_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_model_is_that_of_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_processes_write_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_killed_writer_leaves_whole_batches, setup, teardown),
    };
    return RUN_EVERYWHERE(tests);
}
