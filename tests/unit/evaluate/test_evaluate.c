/* The evaluation's protocol on small data whose answers are known. */
#include <math.h>

#include "unit/evaluate/evaluate_fixture.h"

static void put_device(fixture *f, const char *id, const char *kind)
{
    nitro_device *device = NULL;
    assert_ok(f->context, nitro_device_create(f->context, id, kind, &device));
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    nitro_device_free(device);
}

/* One input with the times "T0 T1 T2"; 0 is no time. */
static void put_times(fixture *f, const char *device, const char *input, double a, double b,
                      double c)
{
    const double features[] = {(double)strlen(input), 0.5};
    const double times_ms[] = {a > 0 ? a : NAN, b > 0 ? b : NAN, c > 0 ? c : NAN};
    synthetic_put_sample(f->store, device, input, features, times_ms);
}

static nitro_status try(fixture *f, const char *computation)
{
    return nitro_evaluate(f->store, computation, &f->options, &f->results, &f->count);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Two devices; a, b are training inputs, c, d, e tests; e has one time on the target. */
static void put_small(fixture *f)
{
    put_device(f, "source", "recorded");
    put_device(f, "target", "model");
    put_times(f, "source", "a", 1, 2, 4);
    put_times(f, "source", "b", 3, 2, 4);
    put_times(f, "source", "c", 9, 9, 1);
    put_times(f, "target", "a", 1, 2, 3);
    put_times(f, "target", "b", 1, 2, 3);
    put_times(f, "target", "c", 2, 4, 1);
    put_times(f, "target", "d", 5, 0, 5);
    put_times(f, "target", "e", 0, 0, 7);
}

/* How these methods choose on "target", having learnt from a and b. */
typedef struct query {
    nitro_string_list train, targets, methods;
} query;

static void run_query(fixture *f, query *q, const char *methods)
{
    *q = (query){0};
    split(f, &q->train, "a,b");
    split(f, &q->targets, "target");
    split(f, &q->methods, methods);
    f->options.train_inputs = &q->train;
    f->options.targets = &q->targets;
    f->options.methods = &q->methods;
}

static void forget(query *q)
{
    nitro_string_list_free(&q->train);
    nitro_string_list_free(&q->targets);
    nitro_string_list_free(&q->methods);
}

static void test_small(void **state)
{
    fixture *f = *state;
    query q;
    put_small(f);
    run_query(f, &q, "fixed,random");
    evaluate(f, "toy");
    assert_int_equal(f->count, 2);
    /* Declared order, whatever the order of the names. */
    assert_string_equal(f->results[0].method, "random");
    const nitro_evaluate_result *random = find(f, "target", "random");
    assert_int_equal(random->inputs, 2);
    assert_true(random->modelled);
    /* c: 50, 25, 100; d: 100, 0, 100. */
    assert_true(is_near(random->mean, 375.0 / 6.0));
    assert_true(is_near(random->accuracy, 50.0));
    assert_true(random->min == 0.0);
    assert_true(is_near(random->p5, 0.25 * 25.0));
    assert_true(is_near(random->geomean, pow(50.0 * 25.0 * 1e6 * 0.1, 1.0 / 6.0)));
    /* On the source's a, b: variant 0 has 100, 67; variant 1 has 50, 100. So 0: 50 and 100. */
    const nitro_evaluate_result *fixed = find(f, "target", "fixed");
    assert_true(is_near(fixed->mean, 75.0));
    assert_true(is_near(fixed->accuracy, 50.0));
    assert_true(is_near(fixed->geomean, sqrt(5000.0)));
    assert_true(is_near(fixed->min, 50.0));
    forget(&q);
}

static void test_a_choice_without_time_counts_nothing(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, test = {0}, targets = {0}, methods = {0};
    put_small(f);
    put_times(f, "source", "z", 7, 1, 8); /* variant 1 is the best fixed one now */
    split(f, &train, "b,z");
    split(f, &test, "d,nowhere");
    split(f, &targets, "target");
    split(f, &methods, "fixed");
    f->options.train_inputs = &train;
    f->options.test_inputs = &test;
    f->options.targets = &targets;
    f->options.methods = &methods;
    evaluate(f, "toy");
    const nitro_evaluate_result *fixed = find(f, "target", "fixed");
    assert_true(fixed->mean == 0.0 && fixed->min == 0.0 && fixed->accuracy == 0.0);
    assert_true(is_near(fixed->geomean, 0.1));
    assert_non_null(strstr(f->log, "1 of the 2 test inputs have no samples"));
    nitro_string_list_free(&train);
    nitro_string_list_free(&test);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&methods);
}

/* The target's training inputs and the sources' test inputs must not matter to the others. */
static void test_only_training_inputs_of_sources_train(void **state)
{
    fixture *f = *state;
    query q;
    put_small(f);
    run_query(f, &q, "fixed,majority,pooled,full");
    evaluate(f, "toy");
    double before[4];
    for (size_t i = 0; i < 4; i++)
        before[i] = f->results[i].mean;
    size_t removed;
    assert_ok(f->context, nitro_store_remove(f->store, "toy", "source", &removed));
    put_times(f, "source", "a", 1, 2, 4);
    put_times(f, "source", "b", 3, 2, 4);
    for (char name[2] = "f"; name[0] < 'z'; name[0]++)
        put_times(f, "source", name, 50, 100, 1); /* all tests: variant 2 is best */
    evaluate(f, "toy");
    for (size_t i = 0; i < 4; i++)
        assert_true(f->results[i].mean == before[i]);
    forget(&q);
}

/* What sources lose on the test inputs themselves; on others, what is best on all they measured. */
static void test_transfer_uses_test_inputs_of_sources(void **state)
{
    fixture *f = *state;
    query q;
    put_small(f);
    run_query(f, &q, "transfer");
    evaluate(f, "toy");
    const nitro_evaluate_result *transfer = find(f, "target", "transfer");
    assert_true(is_near(transfer->mean, 100.0)); /* c: 2, as on the source; d: 0, the best fixed */
    assert_true(isnan(transfer->confident));
    put_device(f, "second", "recorded");
    put_times(f, "second", "a", 1, 2, 4);
    put_times(f, "second", "c", 1, 10, 2); /* 0 loses 8/9 on one source, 2 half on the other */
    evaluate(f, "toy");
    assert_true(is_near(find(f, "target", "transfer")->mean, 100.0));
    size_t removed;
    assert_ok(f->context, nitro_store_remove(f->store, "toy", "second", &removed));
    put_times(f, "second", "a", 1, 2, 4);
    put_times(f, "second", "c", 1, 10, 9); /* 8/9 each: the first declared */
    evaluate(f, "toy");
    assert_true(is_near(find(f, "target", "transfer")->mean, 75.0));
    forget(&q);
}

/* The target cannot be told to use what it lacks: of its own variants the sources' best counts. */
static void test_a_variant_that_the_target_lacks(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    put_device(f, "source", "recorded");
    put_device(f, "target", "recorded");
    for (size_t i = 0; i < 12; i++) {
        char input[16];
        snprintf(input, sizeof input, "input%zu", i);
        put_times(f, "source", input, 2, 1, 4);
        put_times(f, "target", input, 3, 0, 6);
    }
    f->options.targets = &(nitro_string_list){(char *[]){"target"}, 1, 1};
    split(f, &methods, "fixed,transfer,mixture,auto");
    f->options.methods = &methods;
    evaluate(f, "toy");
    assert_int_equal(f->count, 4);
    for (size_t i = 0; i < f->count; i++)
        assert_true(is_near(f->results[i].mean, 100.0));
    nitro_string_list_free(&methods);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    nitro_string_list list = {0};
    put_small(f);
    split(f, &list, "oracle");
    f->options.methods = &list;
    assert_fails(f->context, try(f, "toy"), NITRO_ERR_NOT_FOUND, "'oracle'");
    f->options.methods = NULL;
    f->options.targets = &list;
    assert_fails(f->context, try(f, "toy"), NITRO_ERR_NOT_FOUND, "oracle");
    f->options.targets = NULL;
    f->options.sources = &list;
    assert_fails(f->context, try(f, "toy"), NITRO_ERR_NOT_FOUND, "oracle");
    f->options.sources = NULL;
    f->options.test_inputs = &list;
    assert_fails(f->context, try(f, "toy"), NITRO_ERR_NO_DATA, "0 for tests");
    f->options.test_inputs = NULL;
    const double fractions[] = {0.0, 1.0, -0.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
        f->options.train_fraction = fractions[i];
        assert_fails(f->context, try(f, "toy"), NITRO_ERR_ARGUMENT, "between 0 and 1");
    }
    f->options.train_fraction = 0.5;
    assert_int_not_equal(try(f, "nothing"), NITRO_OK);
    assert_null(f->results);
    nitro_string_list_free(&list);
}

/* Targets without samples to test on or learn from cost their own results, not the run. */
static void test_missing_results_are_logged(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0};
    put_small(f);
    put_device(f, "empty", "recorded");
    put_times(f, "empty", "c", 0, 0, 2);
    split(f, &train, "a,b");
    f->options.train_inputs = &train;
    evaluate(f, "toy");
    for (size_t i = 0; i < f->count; i++)
        assert_string_not_equal(f->results[i].target, "empty");
    assert_non_null(strstr(f->log, "no results on empty"));
    assert_int_equal(find(f, "target", "native")->inputs, 2);
    f->log[0] = '\0';
    f->options.sources = &(nitro_string_list){(char *[]){"source"}, 1, 1};
    evaluate(f, "toy");
    const char *found = strstr(f->log, "no result of ");
    assert_non_null(found);
    assert_non_null(strstr(found, "majority, pooled, "));
    assert_non_null(strstr(found, " on source: target source has no source"));
    assert_null(strstr(found + 1, "has no source with samples of training inputs\nno result"));
    assert_int_equal(find(f, "source", "native")->inputs, 1);
    nitro_string_list_free(&train);
}

static void test_training_inputs_as_tests_are_logged(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, test = {0};
    put_small(f);
    split(f, &train, "a,b");
    split(f, &test, "b,c");
    f->options.train_inputs = &train;
    f->options.test_inputs = &test;
    evaluate(f, "toy");
    assert_non_null(strstr(f->log, "both training and test inputs: 1, so"));
    nitro_string_list_free(&train);
    nitro_string_list_free(&test);
}

/* A device by itself: each fifth of its inputs is held out. */
static void test_one_device_is_cross_validated(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    synthetic_put_measured(f->store, "only", 2.0, 0, 80);
    split(f, &methods, "fixed,forest,auto,transfer,native");
    f->options.methods = &methods;
    evaluate(f, "toy");
    assert_int_equal(f->count, 4); /* transfer needs other devices */
    assert_non_null(strstr(f->log, "no other device to transfer choices from"));
    for (size_t i = 0; i < f->count; i++) {
        assert_int_equal(f->results[i].inputs, 80);
        assert_true(f->results[i].mean <= 100.0);
    }
    assert_true(find(f, "only", "auto")->mean > find(f, "only", "fixed")->mean + 5.0);
    assert_true(find(f, "only", "forest")->mean > 90.0);
    assert_true(find(f, "only", "native")->mean > 90.0);
    assert_true(find(f, "only", "auto")->confident >= 0.0);
    nitro_string_list_free(&methods);
}

/* Inputs of one group are never on both sides: all have the same best variant, another per group.
 */
static void test_groups_are_held_out_whole(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    put_device(f, "only", "recorded");
    for (size_t group = 0; group < 10; group++)
        for (size_t i = 0; i < 4; i++) {
            char input[32];
            const double features[] = {1000.0 + (double)group, 0.5};
            const double times_ms[] = {group % 2 ? 1.0 : 2.0, group % 2 ? 2.0 : 1.0, 3.0};
            snprintf(input, sizeof input, "group%zu/input%zu", group, i);
            synthetic_put_sample(f->store, "only", input, features, times_ms);
        }
    split(f, &methods, "forest");
    f->options.methods = &methods;
    evaluate(f, "toy");
    double apart = find(f, "only", "forest")->mean;
    f->options.group_separator = "/";
    evaluate(f, "toy");
    double whole = find(f, "only", "forest")->mean;
    if (!(whole < apart - 10.0)) /* others of the group tell */
        fail_msg("quality %.1f %% by inputs and %.1f %% by groups", apart, whole);
    nitro_string_list_free(&methods);
}

/* With few uses, preparing counts in the times of choices and of the best variant. */
static void test_uses_count_preparing(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    put_device(f, "only", "recorded");
    for (size_t i = 0; i < 20; i++) {
        char input[16];
        double features[] = {10.0 + (double)i, 0.5}, times_ms[] = {4.0, 1.0, 8.0};
        snprintf(input, sizeof input, "input%zu", i);
        nitro_sample *sample = synthetic_sample(f->context, input, features, times_ms);
        sample->entries[1].prepare_ms = 12.0;
        const nitro_sample *samples[] = {sample};
        assert_ok(f->context, nitro_store_put_samples(f->store, "toy", "only", samples, 1, true));
        nitro_sample_free(sample);
    }
    split(f, &methods, "random,fixed,auto,mixture,native");
    f->options.methods = &methods;
    evaluate(f, "toy");
    assert_true(is_near(find(f, "only", "auto")->mean, 100.0));
    f->options.uses = 2.0; /* 4, 7 and 8 ms a run */
    evaluate(f, "toy");
    assert_true(is_near(find(f, "only", "fixed")->mean, 100.0));
    assert_true(is_near(find(f, "only", "auto")->mean, 100.0));
    assert_true(is_near(find(f, "only", "mixture")->mean, 100.0));
    assert_true(is_near(find(f, "only", "native")->mean, 100.0 * 4 / 7)); /* knows no costs */
    assert_true(is_near(find(f, "only", "random")->mean, 100.0 * (1 + 4.0 / 7 + 0.5) / 3));
    f->options.uses = 100.0; /* 4, 1.12 and 8 ms */
    evaluate(f, "toy");
    assert_true(is_near(find(f, "only", "auto")->mean, 100.0));
    f->options.uses = 0.5;
    assert_int_equal(try(f, "toy"), NITRO_ERR_ARGUMENT);
    nitro_string_list_free(&methods);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_choice_without_time_counts_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_only_training_inputs_of_sources_train, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_transfer_uses_test_inputs_of_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_variant_that_the_target_lacks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_device_is_cross_validated, setup, teardown),
        cmocka_unit_test_setup_teardown(test_groups_are_held_out_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_uses_count_preparing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_missing_results_are_logged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_training_inputs_as_tests_are_logged, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
