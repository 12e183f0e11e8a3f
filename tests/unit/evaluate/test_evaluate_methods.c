/* Selection methods evaluated on synthetic devices and on four recorded GPUs. */
#include "unit/evaluate/evaluate_fixture.h"

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
    /* Without profiles, methods that need them are not listed; some are for extrapolation. */
    const char *methods[32];
    size_t num_methods = 0;
    for (const nitro_method_info *each = nitro_method_table(); each->name; each++)
        if (!each->needs_profiles && !each->only_named)
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

/* Training on the smaller inputs, a decision guarded as in a program loses little on the largest.
 */
static void test_the_largest_inputs_are_held_out(void **state)
{
    fixture *f = *state;
    put_synthetic(f, 120);
    f->options.extrapolate = true;
    evaluate(f, "toy");
    assert_int_equal(f->count, 3 * 6);
    for (size_t i = 0; i < f->count; i++)
        assert_int_equal(f->results[i].inputs, 24);
    const nitro_evaluate_result *guarded = find(f, "b", "own-guarded");
    assert_true(guarded->total >= 1.0 && guarded->total < 1.1);
    assert_true(guarded->total < find(f, "b", "default")->total);
    nitro_evaluate_result *none = NULL;
    size_t count = 0;
    f->options.size_feature = "weight";
    assert_fails(f->context, nitro_evaluate(f->store, "toy", &f->options, &none, &count),
                 NITRO_ERR_NOT_FOUND, "no input feature 'weight'");
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
 * Bands: a point and a half around what the data's README gives for five such devices (random 73.0,
 * fixed 87.9, majority 95.0, pooled 94.6, full 85.6, native 97.4), of which four are here. `random`
 * is exact and depends only on the devices, 71.0 on these four. `full` depends on one device
 * outside the others' range: its mean changes by some points with the draw, so only an upper bound
 * is checked.
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

/* Methods as published stay so: one variant for all inputs has a shorter total time on the MI100
 * than its SVM, by few large inputs, but 81 % of the quality. */
static void test_published_methods_are_not_replaced(void **state)
{
    fixture *f = *state;
    import(f, "MI100");
    import(f, "RadeonVII");
    f->options.targets = &(nitro_string_list){(char *[]){"MI100"}, 1, 1};
    f->options.methods = &(nitro_string_list){(char *[]){"native"}, 1, 1};
    f->options.group_separator = "/";
    f->options.seed = 1;
    evaluate(f, "spmv-ginkgo");
    assert_between(f, "native", 91.0, 96.0);
}

/** A measured device of this software stack. */
static void put_stack(fixture *f, const char *id, const char *software, double launch)
{
    nitro_device *device = NULL;
    synthetic_put_measured(f->store, id, launch, 0, 300);
    assert_ok(f->context, nitro_store_get_device(f->store, id, &device));
    assert_ok(f->context, nitro_device_set_label(f->context, device, "software", software));
    assert_ok(f->context, nitro_store_put_device(f->store, device));
    nitro_device_free(device);
}

static void put_two_stacks(fixture *f)
{
    put_stack(f, "a1", "lib v2018-09", 0.1);
    put_stack(f, "a2", "lib v2018-09", 0.12);
    put_stack(f, "b1", "lib v2019-06", 20.0);
    put_stack(f, "b2", "lib v2019-06", 22.0);
    put_stack(f, "b3", "lib v2019-06", 21.0);
}

/* Of two stacks that disagree, the target's own speaks for it: by weights, and as the nearest. */
static void test_sources_of_two_stacks(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0}, targets = {0};
    put_two_stacks(f);
    split(f, &methods, "pooled,nearest,auto,mixture");
    split(f, &targets, "b3");
    f->options.methods = &methods;
    f->options.targets = &targets;
    f->options.train_fraction = 0.5;
    evaluate(f, "toy");
    assert_true(find(f, "b3", "nearest")->mean > find(f, "b3", "pooled")->mean + 1.0);
    assert_int_equal(find(f, "b3", "nearest")->num_source_shares, 0);
    const nitro_evaluate_result *weighted = find(f, "b3", "auto");
    assert_true(find(f, "b3", "mixture")->mean >= find(f, "b3", "nearest")->mean);
    assert_true(find(f, "b3", "mixture")->mean > weighted->mean - 0.5); /* other scales */
    assert_int_equal(weighted->num_source_shares, 4);
    double sum = 0.0, own = 0.0;
    for (size_t i = 0; i < 4; i++) {
        sum += weighted->source_shares[i].weight;
        own += weighted->source_shares[i].device[0] == 'b' ? weighted->source_shares[i].weight : 0;
    }
    assert_near(sum, 1.0, 1e-9);
    assert_near(own, 1.0, 1e-9);
    nitro_string_list_free(&methods);
    nitro_string_list_free(&targets);
}

/* Three sources of the target's own stack decide alone, whatever others say. */
static void test_sources_of_the_own_stack(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0}, targets = {0}, own = {0};
    put_two_stacks(f);
    put_stack(f, "b4", "lib v2019-06", 19.0);
    split(f, &methods, "auto");
    split(f, &targets, "b4");
    split(f, &own, "b1,b2,b3");
    f->options.methods = &methods;
    f->options.targets = &targets;
    f->options.train_fraction = 0.5;
    evaluate(f, "toy");
    const nitro_evaluate_result *of_all = find(f, "b4", "auto");
    double mean = of_all->mean, predicted = of_all->predicted;
    assert_int_equal(of_all->num_source_shares, 5);
    for (size_t i = 0; i < 5; i++)
        assert_near(of_all->source_shares[i].weight,
                    of_all->source_shares[i].device[0] == 'b' ? 1.0 / 3.0 : 0.0, 1e-9);
    f->options.sources = &own;
    evaluate(f, "toy");
    assert_true(find(f, "b4", "auto")->mean == mean);
    assert_true(find(f, "b4", "auto")->predicted == predicted);
    nitro_string_list_free(&methods);
    nitro_string_list_free(&targets);
    nitro_string_list_free(&own);
}

/* GPUs of four stacks and two vendors as sources, nearest first: quality never falls by more than
 * 0.3. Where the labels mislead, it may (docs/quality.md). */
static void test_curves_on_recorded_gpus(void **state)
{
    fixture *f = *state;
    const char *devices[] = {"K40m", "titanV", "V100_summit", "V100", "RadeonVII", "MI100"};
    for (size_t d = 0; d < 6; d++)
        import(f, devices[d]);
    f->options.targets = &(nitro_string_list){(char *[]){"RadeonVII"}, 1, 1};
    f->options.methods = &(nitro_string_list){(char *[]){"auto"}, 1, 1};
    f->options.source_curve = true;
    f->options.train_fraction = 0.15;
    f->options.group_separator = "/";
    evaluate(f, "spmv-ginkgo");
    size_t num_steps = 0;
    for (size_t i = 1; i < f->count; i++) {
        const nitro_evaluate_result *before = &f->results[i - 1], *after = &f->results[i];
        if (strcmp(after->order, "nearest") != 0 || after->num_sources != before->num_sources + 1)
            continue;
        num_steps++;
        if (!(after->mean > before->mean - 0.3))
            fail_msg("%s falls from %.2f to %.2f with source %s", after->target, before->mean,
                     after->mean, after->added);
    }
    assert_int_equal(num_steps, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_methods_on_synthetic_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_largest_inputs_are_held_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sources_of_two_stacks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sources_of_the_own_stack, setup, teardown),
        cmocka_unit_test_setup_teardown(test_selection_by_profiles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_recorded_gpus, setup, teardown),
        cmocka_unit_test_setup_teardown(test_published_methods_are_not_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_curves_on_recorded_gpus, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
