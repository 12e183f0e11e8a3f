/* The evaluation's protocol on small data whose answers are known, and its numbers on recorded
 * measurements of four GPUs. */
#include <math.h>

#include "unit/synthetic_store.h"

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_evaluate_options options;
    nitro_evaluate_result *results;
    size_t count;
    char log[UNIT_LOG_BYTES];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    f->folder = temporary_make();
    f->store = synthetic_store(f->context, &f->folder);
    nitro_evaluate_options_init(&f->options);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_evaluate_results_free(f->results, f->count);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

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

static void evaluate(fixture *f, const char *computation)
{
    nitro_evaluate_results_free(f->results, f->count);
    f->results = NULL;
    f->count = 0;
    assert_ok(f->context,
              nitro_evaluate(f->store, computation, &f->options, &f->results, &f->count));
}

static nitro_status try(fixture *f, const char *computation)
{
    return nitro_evaluate(f->store, computation, &f->options, &f->results, &f->count);
}

static const nitro_evaluate_result *find(const fixture *f, const char *target, const char *method)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->results[i].target, target) == 0 && strcmp(f->results[i].method, method) == 0)
            return &f->results[i];
    fail_msg("no result of %s on %s", method, target);
    return NULL;
}

static void split(fixture *f, nitro_string_list *list, const char *names)
{
    assert_ok(f->context, nitro_string_list_split(f->context, list, names));
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- Known answers ------------------------------------------------------------------------ */

/* Two devices; inputs a, b teach, c, d, e are tests; e has one time on the target. */
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

static void test_small(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, targets = {0}, methods = {0};
    put_small(f);
    split(f, &train, "a,b");
    split(f, &targets, "target");
    split(f, &methods, "fixed,random");
    f->options.train_inputs = &train;
    f->options.targets = &targets;
    f->options.methods = &methods;
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
    nitro_string_list_free(&train);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&methods);
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
static void test_only_training_inputs_of_sources_teach(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, targets = {0}, methods = {0};
    put_small(f);
    split(f, &train, "a,b");
    split(f, &targets, "target");
    split(f, &methods, "fixed,majority,pooled,full");
    f->options.train_inputs = &train;
    f->options.targets = &targets;
    f->options.methods = &methods;
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
    nitro_string_list_free(&train);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&methods);
}

/* What sources lose on the test inputs themselves; on others, what is best on all they measured. */
static void test_transfer_asks_sources_about_test_inputs(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, targets = {0}, methods = {0};
    put_small(f);
    split(f, &train, "a,b");
    split(f, &targets, "target");
    split(f, &methods, "transfer");
    f->options.train_inputs = &train;
    f->options.targets = &targets;
    f->options.methods = &methods;
    evaluate(f, "toy");
    const nitro_evaluate_result *transfer = find(f, "target", "transfer");
    assert_true(is_near(transfer->mean, 100.0)); /* c: 2, as on the source; d: 0, the best fixed */
    assert_true(isnan(transfer->sure));
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
    nitro_string_list_free(&train);
    nitro_string_list_free(&targets);
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
    assert_fails(f->context, try(f, "toy"), NITRO_ERR_NO_DATA, "0 to test on");
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

/* Targets without anything to judge or learn from cost their own results, not the run. */
static void test_what_cannot_be_had_is_said(void **state)
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
    const char *said = strstr(f->log, "no result of ");
    assert_non_null(said);
    assert_non_null(strstr(said, "majority, pooled, "));
    assert_non_null(strstr(said, " on source: target source has no source"));
    assert_null(strstr(said + 1, "has no source with samples of training inputs\nno result"));
    assert_int_equal(find(f, "source", "native")->inputs, 1);
    nitro_string_list_free(&train);
}

static void test_it_says_when_tests_were_learnt_from(void **state)
{
    fixture *f = *state;
    nitro_string_list train = {0}, test = {0};
    put_small(f);
    split(f, &train, "a,b");
    split(f, &test, "b,c");
    f->options.train_inputs = &train;
    f->options.test_inputs = &test;
    evaluate(f, "toy");
    assert_non_null(strstr(f->log, "1 inputs are both"));
    nitro_string_list_free(&train);
    nitro_string_list_free(&test);
}

/* ---- Drawn splits ------------------------------------------------------------------------- */

static void put_synthetic(fixture *f, size_t num_inputs)
{
    synthetic_put_measured(f->store, "a", 1, 0, num_inputs);
    synthetic_put_measured(f->store, "b", 2, 0, num_inputs);
    synthetic_put_measured(f->store, "c", 4, 0, num_inputs);
}

static void test_all_methods_on_synthetic_devices(void **state)
{
    fixture *f = *state;
    put_synthetic(f, 120);
    f->options.train_fraction = 0.4;
    evaluate(f, "toy");
    /* Without profiles, methods that need them are left out. */
    const char *methods[32];
    size_t num_methods = 0;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++)
        if (!each->needs_profiles)
            methods[num_methods++] = each->name;
    assert_int_equal(f->count, 3 * num_methods);
    for (size_t i = 0; i < f->count; i++) {
        const nitro_evaluate_result *r = &f->results[i];
        assert_string_equal(r->method, methods[i % num_methods]);
        assert_int_equal(r->inputs, 72);
        assert_false(r->modelled);
        assert_true(r->min <= r->p5 && r->p5 <= 100.0 && r->geomean <= r->mean + 1e-9);
    }
    const char *targets[] = {"a", "b", "c"};
    for (size_t t = 0; t < 3; t++) {
        assert_true(find(f, targets[t], "native")->mean > find(f, targets[t], "fixed")->mean);
        assert_true(find(f, targets[t], "native")->mean > 95.0);
        assert_true(find(f, targets[t], "random")->mean < find(f, targets[t], "fixed")->mean);
    }
    assert_true(find(f, "b", "majority")->mean > 85.0);
}

static void put_profile(fixture *f, const char *device, const char *input, double intensity)
{
    nitro_profile *profile = NULL;
    if (input)
        assert_ok(f->context,
                  nitro_profile_create_of_variant(f->context, "toy", "wide", input, "k", &profile));
    else
        assert_ok(f->context,
                  nitro_profile_create_of_proxy(f->context, "MEM-BW", intensity, "k", &profile));
    assert_ok(f->context, nitro_profile_set(f->context, profile, "inst_issued", 1));
    assert_ok(f->context, nitro_profile_set(f->context, profile, "gld_transactions", intensity));
    const nitro_profile *batch[] = {profile};
    assert_ok(f->context, nitro_store_put_profiles(f->store, device, batch, 1, false));
    nitro_profile_free(profile);
}

/* The devices have none of the features that MEM-BW stands for: profiles choose none, as pooled. */
static void test_selection_by_profiles(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    put_synthetic(f, 60);
    split(f, &methods, "pooled,full,pdfs");
    f->options.methods = &methods;
    evaluate(f, "toy");
    assert_int_equal(f->count, 3 * 2); /* nothing to learn from, and no harm to the others */
    for (const char *const *device = (const char *const[]){"a", "b", "c", NULL}; *device;
         device++) {
        for (size_t i = 0; i < 60; i++) {
            char name[16];
            synthetic_input(i, name, (double[SYNTHETIC_FEATURES]){0});
            put_profile(f, *device, name, 4);
        }
        put_profile(f, *device, NULL, 0);
        put_profile(f, *device, NULL, 5);
    }
    evaluate(f, "toy");
    assert_int_equal(f->count, 3 * 3);
    assert_true(find(f, "b", "pdfs")->mean == find(f, "b", "pooled")->mean);
    assert_true(find(f, "b", "pdfs")->mean != find(f, "b", "full")->mean);
    f->options.methods = NULL;
    nitro_string_list_free(&methods);
}

static void test_same_answers(void **state)
{
    fixture *f = *state;
    put_synthetic(f, 60);
    f->options.num_threads = 1;
    evaluate(f, "toy");
    size_t count = f->count;
    nitro_evaluate_result *first = f->results;
    f->results = NULL;
    f->count = 0;
    f->options.num_threads = 3;
    f->options.targets = &(nitro_string_list){(char *[]){"c", "a", "b", "a"}, 4, 4};
    evaluate(f, "toy");
    assert_int_equal(f->count, count);
    assert_string_equal(f->results[0].target, "c");
    for (size_t i = 0; i < count; i++) {
        const nitro_evaluate_result *again = find(f, first[i].target, first[i].method);
        assert_true(again->mean == first[i].mean && again->geomean == first[i].geomean &&
                    again->p5 == first[i].p5 && again->accuracy == first[i].accuracy);
    }
    double mean = find(f, "a", "fixed")->mean;
    f->options.seed = 1;
    evaluate(f, "toy");
    assert_true(find(f, "a", "fixed")->mean != mean); /* another draw */
    nitro_evaluate_results_free(first, count);
}

/* ---- Recorded GPUs ------------------------------------------------------------------------ */

static void import(fixture *f, const char *device)
{
    char name[64], samples[4096], devices[4096];
    snprintf(name, sizeof(name), "spmv/%s.csv", device);
    snprintf(samples, sizeof(samples), "%s", unit_shared_data(name));
    snprintf(devices, sizeof(devices), "%s", unit_shared_data("spmv/devices.csv"));
    nitro_string_list variants = {0};
    split(f, &variants, "coo,csr,ell,hybrid,sellp");
    nitro_import_options options = {.computation = "spmv-ginkgo",
                                    .device = device,
                                    .samples_path = samples,
                                    .devices_path = devices,
                                    .variants = &variants};
    nitro_import_report report;
    nitro_status status = nitro_store_import_csv(f->store, &options, &report);
    nitro_string_list_free(&variants);
    assert_ok(f->context, status);
}

static double mean_of(const fixture *f, const char *method)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->results[i].method, method) == 0) {
            sum += f->results[i].mean;
            count++;
        }
    return sum / (double)count;
}

static void assert_between(const fixture *f, const char *method, double low, double high)
{
    double mean = mean_of(f, method);
    if (!(mean >= low && mean <= high))
        fail_msg("%s has mean quality %.2f, outside %.1f to %.1f", method, mean, low, high);
}

/*
 * Bands: a point and a half around what the data's README says of five such devices (random 73.0,
 * fixed 87.9, majority 95.0, pooled 94.6, full 85.6, native 97.4), of which four are here. `random`
 * is exact and a matter of the devices alone, 71.0 on these four. `full` hangs by one device
 * outside the others' range: its mean moves by some points with the draw, so only the failure is
 * asked for.
 */
static void test_recorded_gpus(void **state)
{
    fixture *f = *state;
    const char *devices[] = {"K20Xm", "K40m_2018sep", "titanV_2018sep", "V100_SXM2"};
    for (size_t d = 0; d < 4; d++)
        import(f, devices[d]);
    nitro_string_list reference_methods = {0};
    assert_ok(f->context, nitro_string_list_split(f->context, &reference_methods,
                                                  "random,fixed,majority,pooled,full,native"));
    f->options.methods = &reference_methods;
    f->options.seed = 1;
    evaluate(f, "spmv-ginkgo");
    nitro_string_list_free(&reference_methods);
    assert_int_equal(f->count, 24);
    assert_between(f, "random", 70.0, 72.5);
    assert_between(f, "fixed", 87.9 - 1.5, 87.9 + 1.5);
    assert_between(f, "majority", 95.0 - 2.0, 95.0 + 1.5);
    assert_between(f, "pooled", 94.6 - 1.5, 94.6 + 1.5);
    assert_between(f, "native", 97.4 - 1.5, 97.4 + 1.5);
    assert_between(f, "full", 78.0, 91.0);
    /* K20Xm has half the memory and a third of the copy engines of any other, and fails for it. */
    assert_true(find(f, "K20Xm", "full")->mean < 85.0);
    assert_true(find(f, "K20Xm", "pooled")->mean > 92.0);
    assert_true(find(f, "K40m_2018sep", "full")->mean > 92.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_small, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_choice_without_time_counts_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_only_training_inputs_of_sources_teach, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_transfer_asks_sources_about_test_inputs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_had_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(test_it_says_when_tests_were_learnt_from, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_methods_on_synthetic_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_selection_by_profiles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recorded_gpus, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
