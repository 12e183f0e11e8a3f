/* The paper's evaluation on small data with known results. */
#include <math.h>

#include "nitro/backend/study.h"
#include "unit/synthetic_store.h"

enum { DEVICES = 3, INPUTS = 5 };

/* Times of three variants: shape [INPUTS][DEVICES][3]; 0 is no time. */
static const double times[INPUTS][DEVICES][3] = {
    {{1, 2, 3}, {1, 2, 3}, {5, 6, 9}},         /* 0 everywhere */
    {{1, 1.04, 3}, {1.02, 1, 3}, {2, 1.9, 4}}, /* 1 on two; on one 4 %, so on all with 5 % */
    {{1, 2, 3}, {2, 1, 3}, {3, 2, 1}},         /* each another, whatever is tolerated */
    {{1, 1, 2}, {2, 1, 2}, {1, 0, 0}},         /* a tie; a single time does not count */
    {{1, 1, 2}, {2, 1, 2}, {1, 3, 2}},         /* a tie is shared with either side: 2 devices */
};

static nitro_dataset *make_dataset(nitro_context *context)
{
    nitro_dataset *dataset = calloc(1, sizeof(*dataset));
    assert_non_null(dataset);
    dataset->schema = synthetic_schema(context);
    dataset->num_devices = DEVICES;
    dataset->devices = calloc(DEVICES, sizeof(*dataset->devices));
    dataset->num_inputs = INPUTS;
    dataset->inputs = calloc(INPUTS, sizeof(*dataset->inputs));
    for (size_t d = 0; d < DEVICES; d++) {
        char id[8];
        snprintf(id, sizeof(id), "gpu%zu", d);
        dataset->devices[d] = synthetic_device(context, id, (double)(d + 1));
    }
    assert_ok(context, nitro_dataset_allocate(context, (size_t)DEVICES * INPUTS, dataset));
    for (size_t i = 0; i < INPUTS; i++) {
        char name[16];
        double features[SYNTHETIC_FEATURES];
        synthetic_input(i, name, features);
        dataset->inputs[i] = strdup(name);
        for (size_t d = 0; d < DEVICES; d++) {
            double row[3];
            for (size_t v = 0; v < 3; v++)
                row[v] = times[i][d][v] > 0 ? times[i][d][v] : NAN;
            nitro_dataset_append(dataset, d, i, features, row);
        }
    }
    return dataset;
}

static void test_wins(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context);
    static const size_t expected[DEVICES][4] = {{5, 5, 0, 0}, {5, 1, 4, 0}, {4, 2, 1, 1}};
    for (size_t d = 0; d < DEVICES; d++) {
        nitro_study_wins wins;
        nitro_study_count_wins(dataset, d, &wins);
        assert_int_equal(wins.inputs, expected[d][0]);
        for (size_t v = 0; v < 3; v++)
            assert_int_equal(wins.wins[v], expected[d][1 + v]);
    }
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

static void assert_shared(nitro_context *context, const nitro_dataset *dataset, const bool *devices,
                          double tolerance, const size_t *expected, size_t expected_inputs)
{
    size_t counts[DEVICES + 1], inputs;
    assert_ok(context, nitro_study_share(context, dataset, devices, tolerance, counts, &inputs));
    assert_int_equal(inputs, expected_inputs);
    for (size_t n = 0; n <= DEVICES; n++)
        if (counts[n] != expected[n])
            fail_msg("%zu inputs on %zu devices instead of %zu", counts[n], n, expected[n]);
}

static void test_sharing(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context);
    const bool first_two[] = {true, true, false}, last[] = {false, false, true},
               none[DEVICES] = {0};
    assert_shared(context, dataset, NULL, 0.0, (size_t[]){0, 1, 2, 1}, 4);
    assert_shared(context, dataset, NULL, 0.05, (size_t[]){0, 1, 1, 2}, 4);
    /* Between two devices the fourth input counts as well. */
    assert_shared(context, dataset, first_two, 0.0, (size_t[]){0, 2, 3, 0}, 5);
    assert_shared(context, dataset, first_two, 0.05, (size_t[]){0, 1, 4, 0}, 5);
    assert_shared(context, dataset, last, 0.0, (size_t[]){0, 4, 0, 0}, 4);
    size_t counts[DEVICES + 1], inputs;
    assert_fails(context, nitro_study_share(context, dataset, none, 0.0, counts, &inputs),
                 NITRO_ERR_ARGUMENT, "no devices");
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

static void test_common_features(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_dataset *dataset = make_dataset(context);
    nitro_string_list features = {0};
    assert_ok(context, nitro_device_set(context, dataset->devices[1], "extra", 7.0,
                                        NITRO_VALUE_RECORDED, 0));
    assert_ok(context, nitro_study_common_features(context, dataset, &features));
    assert_int_equal(features.count, 2); /* neither "year", descriptive, nor "extra" */
    assert_string_equal(features.items[0], "launch");
    assert_string_equal(features.items[1], "sockets");
    nitro_string_list_free(&features);
    nitro_dataset_free(dataset);
    nitro_context_free(context);
}

typedef struct fixture {
    nitro_context *context;
    temporary folder;
    nitro_store *store;
    nitro_study_options options;
    nitro_string_list methods;
    double now_ms;      /* of the clock; every reading takes a second */
    size_t last, total; /* of progress */
    bool stop;
} fixture;

static double tick(void *state)
{
    fixture *f = state;
    f->now_ms += 1000.0;
    return f->now_ms;
}

static bool monitor(void *user, size_t done, size_t total, const char *target, const char *method)
{
    fixture *f = user;
    assert_true(target && method);
    assert_int_equal(done, f->last + 1);
    f->last = done;
    f->total = total;
    return !f->stop;
}

/* Three devices, forty inputs on each. */
static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->context = unit_context();
    f->folder = temporary_make();
    f->store = synthetic_store(f->context, &f->folder);
    for (size_t d = 0; d < DEVICES; d++) {
        char id[8];
        snprintf(id, sizeof(id), "gpu%zu", d);
        synthetic_put_measured(f->store, id, pow(10.0, (double)d), 0, 40);
    }
    nitro_study_options_init(&f->options);
    assert_ok(f->context, nitro_string_list_split(f->context, &f->methods, "random,fixed"));
    f->options.methods = &f->methods;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    nitro_string_list_free(&f->methods);
    nitro_store_close(f->store);
    temporary_remove(&f->folder);
    nitro_context_free(f->context);
    free(f);
    return 0;
}

/* By hand: every seed's evaluation, the plain mean of their numbers. */
static void test_seeds_are_averaged(void **state)
{
    fixture *f = *state;
    nitro_evaluate_result *results = NULL, *one = NULL;
    size_t count = 0, count_one = 0;
    f->options.num_seeds = 3;
    f->options.seed = 11;
    f->options.progress = monitor;
    f->options.progress_user = f;
    assert_ok(f->context,
              nitro_study_quality(f->store, "toy", &f->options, NULL, &results, &count));
    assert_int_equal(count, 2 * DEVICES);
    assert_int_equal(f->last, 3 * 2 * DEVICES);
    assert_int_equal(f->total, 3 * 2 * DEVICES);
    double mean = 0.0, p5 = 0.0;
    size_t inputs = 0;
    for (uint64_t seed = 11; seed < 14; seed++) {
        nitro_evaluate_options how;
        nitro_evaluate_options_init(&how);
        how.seed = seed;
        how.methods = &f->methods;
        assert_ok(f->context, nitro_evaluate(f->store, "toy", &how, &one, &count_one));
        const nitro_evaluate_result *found = nitro_study_find(one, count_one, "gpu1", "fixed");
        mean += found->mean / 3.0;
        p5 += found->p5 / 3.0;
        inputs += found->inputs;
        nitro_evaluate_results_free(one, count_one);
    }
    const nitro_evaluate_result *found = nitro_study_find(results, count, "gpu1", "fixed");
    assert_non_null(found);
    assert_true(fabs(found->mean - mean) < 1e-9 && fabs(found->p5 - p5) < 1e-9);
    assert_int_equal(found->inputs, inputs);
    assert_true(isnan(found->confident) &&
                isnan(found->confident_precision)); /* it has no confidences */
    assert_null(nitro_study_find(results, count, "gpu1", "auto"));
    nitro_study_point over_targets;
    assert_true(nitro_study_mean_at(results, count, "fixed", 0, &over_targets));
    mean = 0.0;
    for (size_t i = 1; i < count; i += 2)
        mean += results[i].mean / DEVICES;
    assert_true(fabs(over_targets.mean.mean - mean) < 1e-9);
    assert_false(nitro_study_mean_at(results, count, "auto", 0, &over_targets));
    nitro_evaluate_results_free(results, count);
}

/* A target that has fewer inputs than were to be measured counts in the mean with all it has. */
static void test_curves_are_averaged(void **state)
{
    static char a[] = "a", b[] = "b", c[] = "c";
    const nitro_evaluate_result results[] = {
        {.target = a, .method = "auto", .mean = 90.0},
        {.target = a, .method = "auto", .mean = 94.0, .measured = 10},
        {.target = a, .method = "auto", .mean = 95.0, .measured = 17},
        {.target = b, .method = "auto", .mean = 80.0},
        {.target = b, .method = "auto", .mean = 84.0, .measured = 10},
        {.target = b, .method = "auto", .mean = 86.0, .measured = 20},
        {.target = b, .method = "auto", .mean = 87.0, .measured = 40},
        {.target = b, .method = "fixed", .mean = 50.0},
        {.target = c, .method = "fixed", .mean = 60.0},
    };
    static const struct {
        double mean;
        size_t least, most;
    } expected[] = {{85.0, 0, 0}, {89.0, 10, 10}, {90.5, 17, 20}, {91.0, 17, 40}};
    size_t count = sizeof results / sizeof results[0];
    nitro_study_point point;
    (void)state;
    for (size_t place = 0; place < 4; place++) {
        assert_true(nitro_study_mean_at(results, count, "auto", place, &point));
        assert_true(fabs(point.mean.mean - expected[place].mean) < 1e-9);
        assert_int_equal(point.least_measured, expected[place].least);
        assert_int_equal(point.mean.measured, expected[place].most);
        assert_int_equal(point.targets, 2);
    }
    assert_false(nitro_study_mean_at(results, count, "auto", 4, &point));
    assert_true(nitro_study_mean_at(results, count, "fixed", 0, &point));
    assert_true(point.targets == 2 && fabs(point.mean.mean - 55.0) < 1e-9);
    assert_false(nitro_study_mean_at(results, count, "fixed", 1, &point));
}

/* The share of confident decisions is a plain mean; their precision is weighted by that share. */
static void test_confident_decisions_are_averaged(void **state)
{
    fixture *f = *state;
    nitro_string_list methods = {0};
    nitro_evaluate_result *results = NULL, *one = NULL;
    size_t count = 0, count_one = 0;
    double confident = 0.0, good = 0.0;
    assert_ok(f->context, nitro_string_list_add(f->context, &methods, "forest"));
    f->options.methods = &methods;
    f->options.num_seeds = 2;
    f->options.num_threads = 1;
    assert_ok(f->context,
              nitro_study_quality(f->store, "toy", &f->options, NULL, &results, &count));
    for (uint64_t seed = 0; seed < 2; seed++) {
        nitro_evaluate_options how;
        nitro_evaluate_options_init(&how);
        how.seed = seed;
        how.methods = &methods;
        how.num_threads = 1;
        assert_ok(f->context, nitro_evaluate(f->store, "toy", &how, &one, &count_one));
        const nitro_evaluate_result *found = nitro_study_find(one, count_one, "gpu1", "forest");
        confident += found->confident / 2.0;
        good += found->confident > 0.0 ? found->confident * found->confident_precision / 2.0 : 0.0;
        nitro_evaluate_results_free(one, count_one);
    }
    const nitro_evaluate_result *found = nitro_study_find(results, count, "gpu1", "forest");
    assert_true(fabs(found->confident - confident) < 1e-9);
    if (confident > 0.0)
        assert_true(fabs(found->confident_precision - good / confident) < 1e-9);
    else
        assert_true(isnan(found->confident_precision));
    nitro_evaluate_results_free(results, count);
    nitro_string_list_free(&methods);
}

/* "fixed" for gpu0 from only gpu1 is the result without gpu2; gpu2 is no target then. */
static void test_one_source_less(void **state)
{
    fixture *f = *state;
    nitro_evaluate_result *less = NULL, *named = NULL;
    size_t count = 0, count_named = 0;
    nitro_string_list sources = {0};
    assert_ok(f->context, nitro_study_quality(f->store, "toy", &f->options, "gpu2", &less, &count));
    assert_int_equal(count, 2 * (DEVICES - 1));
    assert_null(nitro_study_find(less, count, "gpu2", "fixed"));
    assert_ok(f->context, nitro_string_list_add(f->context, &sources, "gpu1"));
    f->options.sources = &sources;
    assert_ok(f->context,
              nitro_study_quality(f->store, "toy", &f->options, NULL, &named, &count_named));
    assert_true(nitro_study_find(less, count, "gpu0", "fixed")->mean ==
                nitro_study_find(named, count_named, "gpu0", "fixed")->mean);
    nitro_evaluate_results_free(less, count);
    nitro_evaluate_results_free(named, count_named);
    less = NULL;
    assert_fails(f->context,
                 nitro_study_quality(f->store, "toy", &f->options, "gpu1", &less, &count),
                 NITRO_ERR_NO_DATA, "no device is left without gpu1");
    assert_null(less);
    nitro_string_list_free(&sources);
}

static void test_a_study_can_be_stopped(void **state)
{
    fixture *f = *state;
    nitro_evaluate_result *results = NULL;
    nitro_study_selection *selections = NULL;
    size_t count = 0;
    f->stop = true;
    f->options.progress = monitor;
    f->options.progress_user = f;
    assert_fails(f->context,
                 nitro_study_quality(f->store, "toy", &f->options, NULL, &results, &count),
                 NITRO_ERR_INTERRUPTED, "stopped after 1");
    f->last = 0;
    assert_fails(f->context, nitro_study_select(f->store, "toy", &f->options, &selections, &count),
                 NITRO_ERR_INTERRUPTED, "stopped after 1");
    f->options.num_seeds = 0;
    assert_fails(f->context,
                 nitro_study_quality(f->store, "toy", &f->options, NULL, &results, &count),
                 NITRO_ERR_ARGUMENT, "one seed");
    assert_true(!results && !selections);
}

static void test_selections(void **state)
{
    fixture *f = *state;
    nitro_study_selection *selections = NULL;
    size_t count = 0, num_kinds = 0;
    nitro_string_list targets = {0};
    while (nitro_builtin_dfs_kinds()[num_kinds])
        num_kinds++;
    assert_ok(f->context, nitro_string_list_split(f->context, &targets, "gpu2,gpu0"));
    f->options.targets = &targets;
    nitro_context_set_clock(f->context, &(nitro_clock){tick, tick, f});
    assert_ok(f->context, nitro_study_select(f->store, "toy", &f->options, &selections, &count));
    nitro_context_set_clock(f->context, NULL);
    assert_int_equal(count, 2 * num_kinds);
    for (size_t i = 0; i < count; i++) {
        const nitro_study_selection *each = &selections[i];
        assert_string_equal(each->target, i < num_kinds ? "gpu0" : "gpu2");
        assert_ptr_equal(each->kind, nitro_builtin_dfs_kinds()[i % num_kinds]);
        assert_int_equal(each->sources, DEVICES - 1);
        assert_int_equal(each->inputs, 12); /* three tenths of them */
        assert_int_equal(each->candidates, 2);
        assert_true(each->chosen.count <= 2);
        assert_true(each->refusal ? isnan(each->elapsed_ms) : each->elapsed_ms >= 1000.0);
        if (strcmp(each->kind->name, "none") == 0)
            assert_int_equal(each->chosen.count, 2);
        if (strcmp(each->kind->name, "omit") == 0)
            assert_int_equal(each->chosen.count, 0);
    }
    nitro_study_selections_free(selections, count);
    nitro_string_list_free(&targets);
}

/* gpu0 has 100 GB/s and 50 GFLOP/s, gpu1 no peaks. The second variant's flops are not given; the
 * third has no work. */
static void test_rooflines(void **state)
{
    static const char text[] =
        "{\"format\": \"nitro-computation\", \"version\": 1, \"computation\": \"any\", "
        "\"features\": [], "
        "\"work\": [{\"variants\": [\"%s\"], \"flops\": \"2e6\", \"bytes\": \"1e6\"}, "
        "{\"variants\": [\"%s\"], \"bytes\": \"1e7\"}]}";
    (void)state;
    nitro_context *context = unit_context();
    temporary folder = temporary_make();
    nitro_dataset *dataset = make_dataset(context);
    nitro_study_roof *roofs = NULL;
    char written[1024];
    snprintf(written, sizeof written, text, dataset->schema->variants[0],
             dataset->schema->variants[1]);
    const char *path = temporary_write(&folder, "d.json", written);
    assert_ok(context, nitro_device_set(context, dataset->devices[0], "peak_gbps", 100,
                                        NITRO_VALUE_STATIC, 0));
    assert_ok(context, nitro_device_set(context, dataset->devices[0], "peak_gflops_dp", 50,
                                        NITRO_VALUE_STATIC, 0));
    assert_ok(context, nitro_study_roofs(context, dataset, path, &roofs));
    /* All times of the first are 1 ms: 1 MB in 1 ms is 1 GB/s; the roof is 2 Mflop at 50 GFLOP/s,
     * 0.04 ms. */
    assert_int_equal(roofs[0].inputs, INPUTS);
    assert_true(fabs(roofs[0].intensity - 2) < 1e-9);
    assert_true(fabs(roofs[0].gflops - 2) < 1e-9);
    assert_true(fabs(roofs[0].gbps - 1) < 1e-9);
    for (size_t q = 0; q < 3; q++)
        assert_true(fabs(roofs[0].share[q] - 4) < 1e-9);
    /* The second takes 2, 1.04, 2, 1, 1 ms for 10 MB, 0.1 ms of the memory at its peak. */
    assert_true(isnan(roofs[1].gflops));
    assert_true(fabs(roofs[1].gbps - 10 / 1.04) < 1e-9);
    assert_true(fabs(roofs[1].share[1] - 10 / 1.04) < 1e-9);
    assert_true(fabs(roofs[1].share[2] - 10) < 1e-9);
    assert_int_equal(roofs[2].inputs, 0);
    assert_int_equal(roofs[3].inputs, INPUTS); /* gpu1: work, and no roof */
    assert_true(roofs[3].gflops > 0 && isnan(roofs[3].share[1]));
    free(roofs);
    path = temporary_write(
        &folder, "d.json",
        "{\"format\": \"nitro-computation\", \"version\": 1, \"computation\": \"any\", "
        "\"features\": [], \"work\": [{\"variants\": [\"none\"], \"bytes\": \"1\"}]}");
    assert_ok(context, nitro_study_roofs(context, dataset, path, &roofs));
    assert_int_equal(roofs[0].inputs, 0);
    free(roofs);
    assert_fails(context, nitro_study_roofs(context, dataset, "/no/such", &roofs),
                 NITRO_ERR_NOT_FOUND, "/no/such");
    nitro_dataset_free(dataset);
    temporary_remove(&folder);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wins),
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_common_features),
        cmocka_unit_test(test_rooflines),
        cmocka_unit_test_setup_teardown(test_seeds_are_averaged, setup, teardown),
        cmocka_unit_test(test_curves_are_averaged),
        cmocka_unit_test_setup_teardown(test_confident_decisions_are_averaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_source_less, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_study_can_be_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_selections, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
