/* CV-DFS: its report, votes and ties, the validated range of features, and degenerate data. */
#include <jansson.h>

#include "unit/dfs_work.h"
#include "unit/unit.h"

#define NUM_VARIANTS 3

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_string_list candidates, chosen;
    nitro_dfs_task task;
    json_t *report;
    char log[UNIT_LOG_BYTES];
} fixture;

static fixture *make_fixture(uint64_t seed, size_t num_devices, size_t num_inputs,
                             size_t num_candidates)
{
    fixture *f = calloc(1, sizeof(*f));
    f->context = unit_context();
    nitro_context_set_log(f->context, NITRO_LOG_WARNING, unit_keep_log, f->log);
    f->sources = dfs_work_dataset(f->context, seed, num_devices, num_inputs, NUM_VARIANTS);
    assert_non_null(f->sources);
    dfs_work_candidates(f->context, num_candidates, &f->candidates);
    f->task = (nitro_dfs_task){.sources = f->sources,
                               .target = f->sources->devices[0],
                               .candidates = &f->candidates,
                               .max_subset = 3,
                               .k = 1,
                               .seed = seed,
                               .num_threads = 2};
    return f;
}

static void free_fixture(fixture *f)
{
    json_decref(f->report);
    nitro_string_list_free(&f->candidates);
    nitro_string_list_free(&f->chosen);
    nitro_dataset_free(f->sources);
    nitro_context_free(f->context);
    free(f);
}

static nitro_status try_kind(fixture *f, const char *name)
{
    const nitro_dfs_kind *kind = NULL;
    assert_ok(f->context, nitro_dfs_find(f->context, name, &kind));
    json_decref(f->report);
    f->report = NULL;
    nitro_string_list_free(&f->chosen);
    f->chosen = (nitro_string_list){0};
    return kind->select(f->context, &f->task, &f->chosen, &f->report);
}

static void search(fixture *f)
{
    assert_ok(f->context, try_kind(f, "cv"));
    assert_non_null(f->report);
    assert_string_equal(json_string_value(json_object_get(f->report, "selection")), "cv");
}

static long long count_of(const fixture *f, const char *key)
{
    const json_t *value = json_object_get(f->report, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void set_feature(fixture *f, size_t device, const char *name, double value)
{
    assert_ok(f->context, nitro_device_set(f->context, f->sources->devices[device], name, value,
                                           NITRO_VALUE_RECORDED, 0));
}

/* ---- The report ---------------------------------------------------------------------------- */

static void test_report(void **state)
{
    (void)state;
    fixture *f = make_fixture(1, 4, 20, 3);
    f->task.k = 2;
    search(f);
    assert_int_equal(count_of(f, "subsets"), 7);
    assert_int_equal(count_of(f, "models"), 4 * 8);
    assert_int_equal(count_of(f, "trained"), 4 * 8); /* all devices differ in all features */
    assert_int_equal(count_of(f, "samples"), 80);
    assert_int_equal(count_of(f, "inputs"), 20);
    const json_t *targets = json_object_get(f->report, "validation_devices");
    const json_t *features = json_object_get(f->report, "features");
    assert_int_equal(json_array_size(targets), 4);
    assert_int_equal(json_array_size(features), 3);
    double votes = 0, most = 4;
    for (size_t i = 0; i < 3; i++) {
        double own = json_real_value(json_object_get(json_array_get(features, i), "votes"));
        assert_true(own <= most); /* the most votes first, at most one per validation device */
        most = own;
        votes += own;
    }
    assert_true(votes > 0 && votes <= 4 * 3);
    for (size_t t = 0; t < 4; t++) {
        const json_t *target = json_array_get(targets, t);
        assert_true(json_integer_value(json_object_get(target, "num_best")) >= 1);
        assert_true(json_real_value(json_object_get(target, "quality")) > 0.0);
        assert_true(json_real_value(json_object_get(target, "quality_without")) > 0.0);
    }
    assert_int_equal(json_array_size(json_object_get(f->report, "outside_range")), 0);
    const json_t *chosen = json_object_get(f->report, "chosen");
    assert_int_equal(json_array_size(chosen), f->chosen.count);
    for (size_t i = 0; i < f->chosen.count; i++)
        assert_string_equal(json_string_value(json_array_get(chosen, i)), f->chosen.items[i]);
    free_fixture(f);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    char *texts[2];
    for (size_t i = 0; i < 2; i++) {
        fixture *f = make_fixture(2, 4, 20, 3);
        f->task.num_threads = i ? 3 : 1;
        search(f);
        texts[i] = json_dumps(f->report, 0);
        free_fixture(f);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

/* ---- Shared models ------------------------------------------------------------------------- */

static void test_a_constant_feature_adds_no_model(void **state)
{
    (void)state;
    fixture *f = make_fixture(3, 4, 16, 3), *fewer = make_fixture(3, 4, 16, 2);
    for (size_t d = 0; d < 4; d++)
        set_feature(f, d, f->candidates.items[2], 48.0);
    search(f);
    search(fewer);
    assert_int_equal(count_of(f, "trained"), count_of(fewer, "trained"));
    assert_string_equal(f->chosen.items[0], fewer->chosen.items[0]);
    free_fixture(f);
    free_fixture(fewer);
}

/* Two training devices lie at -1 and 1 in each feature that varies: only the number of these
 * counts. */
static void test_two_training_devices_share_models(void **state)
{
    (void)state;
    fixture *f = make_fixture(4, 3, 16, 6);
    search(f);
    assert_int_equal(count_of(f, "models"), 3 * (1 + 6 + 15 + 20));
    assert_int_equal(count_of(f, "trained"), 3 * 4);
    free_fixture(f);
}

/* ---- Votes and ties ------------------------------------------------------------------------ */

static double vote_of(const fixture *f, const char *name)
{
    const json_t *features = json_object_get(f->report, "features");
    for (size_t i = 0; i < json_array_size(features); i++) {
        const json_t *feature = json_array_get(features, i);
        if (strcmp(json_string_value(json_object_get(feature, "name")), name) == 0)
            return json_real_value(json_object_get(feature, "votes"));
    }
    return NAN;
}

/* The first variant always wins: all subsets are equally good. */
static void make_subsets_equal(fixture *f)
{
    for (size_t i = 0; i < f->sources->num_rows * NUM_VARIANTS; i++)
        f->sources->times_ms[i] = 1.0 + (double)(i % NUM_VARIANTS);
}

/* The fastest variant depends on whether a feature of the device is above `middle`. */
static void let_feature_decide(fixture *f, const char *name, double middle)
{
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        const nitro_device *device = f->sources->devices[f->sources->row_device[row]];
        bool first = nitro_device_value(device, name) > middle;
        for (size_t v = 0; v < NUM_VARIANTS; v++)
            f->sources->times_ms[row * NUM_VARIANTS + v] = (v == 0) == first ? 1.0 : 3.0;
    }
}

static void test_ties_go_to_the_first(void **state)
{
    (void)state;
    fixture *f = make_fixture(5, 4, 12, 4);
    make_subsets_equal(f);
    search(f);
    assert_int_equal(f->chosen.count, 1);
    assert_string_equal(f->chosen.items[0], f->candidates.items[0]);
    for (size_t d = 0; d < 4; d++)
        set_feature(f, d, f->candidates.items[0], 8.0);
    search(f);
    assert_string_equal(f->chosen.items[0], f->candidates.items[1]);
    f->task.k = 4;
    f->log[0] = '\0';
    search(f);
    assert_int_equal(f->chosen.count, 3); /* the first varies nowhere */
    assert_non_null(strstr(f->log, "3 are chosen instead of 4"));
    free_fixture(f);
}

/* Four subsets of two features are equal, the empty one included: each feature is in two of them.
 */
static void test_best_subsets_share_the_vote(void **state)
{
    (void)state;
    fixture *f = make_fixture(5, 4, 12, 2);
    make_subsets_equal(f);
    search(f);
    assert_true(vote_of(f, f->candidates.items[0]) == 4 * 0.5);
    assert_true(vote_of(f, f->candidates.items[1]) == 4 * 0.5);
    const json_t *target = json_array_get(json_object_get(f->report, "validation_devices"), 0);
    assert_int_equal(json_integer_value(json_object_get(target, "num_best")), 4);
    assert_int_equal(json_array_size(json_object_get(target, "best")), 1); /* fewest features */
    free_fixture(f);
}

/* The second feature decides; on a single device the first one may be as good. */
static void test_mean_quality_decides(void **state)
{
    (void)state;
    const double values[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 1, 8, 2, 9, 3}};
    fixture *f = make_fixture(5, 6, 12, 2);
    for (size_t d = 0; d < 6; d++)
        for (size_t c = 0; c < 2; c++)
            set_feature(f, d, f->candidates.items[c], values[c][d]);
    let_feature_decide(f, f->candidates.items[1], 5);
    search(f);
    assert_string_equal(f->chosen.items[0], f->candidates.items[1]);
    assert_true(vote_of(f, f->candidates.items[1]) == 6.0);
    free_fixture(f);
}

/* One device of five differs from the others and misleads the models of its neighbours. */
static void test_the_empty_subset_may_be_best(void **state)
{
    (void)state;
    fixture *f = make_fixture(5, 5, 12, 1);
    for (size_t d = 0; d < 5; d++)
        set_feature(f, d, f->candidates.items[0], (double)d);
    for (size_t row = 0; row < f->sources->num_rows; row++)
        for (size_t v = 0; v < NUM_VARIANTS; v++)
            f->sources->times_ms[row * NUM_VARIANTS + v] =
                v == (f->sources->row_device[row] == 1) ? 1.0 : 3.0;
    search(f);
    assert_int_equal(f->chosen.count, 0);
    assert_non_null(strstr(f->log, "better without device features"));
    free_fixture(f);
}

/* ---- Range --------------------------------------------------------------------------------- */

static nitro_device *make_target(fixture *f, double first, double second)
{
    nitro_device *target = NULL;
    assert_ok(f->context, nitro_device_create(f->context, "far", "model", &target));
    const double values[] = {first, second};
    for (size_t c = 0; c < 2; c++)
        assert_ok(f->context, nitro_device_set(f->context, target, f->candidates.items[c],
                                               values[c], NITRO_VALUE_RECORDED, 0));
    f->task.target = target;
    return target;
}

/* Both features are 1, 2, 3, 4 on the sources: the first one is chosen unless the target is farther
 * outside its range. */
static void test_features_outside_range_are_not_chosen(void **state)
{
    (void)state;
    const struct {
        double first, second;
        size_t chosen; /* 2: none */
        size_t num_out;
    } cases[] = {{2.5, 2.5, 0, 0}, {4.5, 2.5, 1, 0},  {4.5, 5, 0, 0},
                 {7.1, 6.9, 1, 1}, {7.1, -2.1, 2, 2}, {-1.9, 7.1, 0, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture *f = make_fixture(5, 4, 12, 2);
        for (size_t d = 0; d < 4; d++)
            for (size_t c = 0; c < 2; c++)
                set_feature(f, d, f->candidates.items[c], (double)(d + 1));
        let_feature_decide(f, f->candidates.items[0], 2.5);
        nitro_device *target = make_target(f, cases[i].first, cases[i].second);
        search(f);
        assert_int_equal(json_array_size(json_object_get(f->report, "outside_range")),
                         cases[i].num_out);
        assert_int_equal(f->chosen.count, cases[i].chosen < 2);
        if (cases[i].chosen < 2)
            assert_string_equal(f->chosen.items[0], f->candidates.items[cases[i].chosen]);
        else
            assert_non_null(strstr(f->log, "outside the sources' range of every device feature"));
        nitro_device_free(target);
        free_fixture(f);
    }
}

/* Allowed as far outside as some source is outside the range of the others. */
static void test_validated_distance_is_within_range(void **state)
{
    (void)state;
    fixture *f = make_fixture(5, 4, 12, 2);
    const double values[] = {1, 2, 3, 13}; /* the last: 5 times the range of the rest */
    for (size_t d = 0; d < 4; d++)
        for (size_t c = 0; c < 2; c++)
            set_feature(f, d, f->candidates.items[c], values[d]);
    nitro_device *target = make_target(f, 13 + 5 * 12 - 1, 13 + 5 * 12 + 1);
    search(f);
    const json_t *out = json_object_get(f->report, "outside_range");
    assert_int_equal(json_array_size(out), 1);
    const json_t *second = json_array_get(out, 0);
    assert_string_equal(json_string_value(json_object_get(second, "name")), f->candidates.items[1]);
    assert_true(json_real_value(json_object_get(second, "tried")) == 5.0);
    assert_true(json_real_value(json_object_get(second, "outside")) > 5.0);
    nitro_device_free(target);
    free_fixture(f);
}

/* The first two devices are one card. The first feature is that card's own: on either of them the
 * models learn from the two others, on which it is constant. */
static void test_a_feature_that_only_a_copy_has_gets_no_vote(void **state)
{
    (void)state;
    const double values[2][4] = {{2, 2, 1, 1}, {1, 1, 2, 3}};
    fixture *f = make_fixture(5, 4, 12, 2);
    for (size_t d = 0; d < 4; d++)
        for (size_t c = 0; c < 2; c++)
            set_feature(f, d, f->candidates.items[c], values[c][d]);
    assert_ok(f->context, nitro_device_set_label(f->context, f->sources->devices[1],
                                                 NITRO_LABEL_SAME_AS, f->sources->devices[0]->id));
    make_subsets_equal(f);
    nitro_device *target = make_target(f, 1.5, 2.5);
    search(f);
    assert_true(vote_of(f, f->candidates.items[0]) == 2 * 0.5);
    assert_true(vote_of(f, f->candidates.items[1]) == 4 * 0.5);
    assert_string_equal(f->chosen.items[0], f->candidates.items[1]);
    nitro_device_free(target);
    free_fixture(f);
}

/* ---- Degenerate data ----------------------------------------------------------------------- */

static void test_one_source(void **state)
{
    (void)state;
    fixture *f = make_fixture(6, 1, 20, 3);
    search(f);
    assert_int_equal(f->chosen.count, 0);
    assert_non_null(strstr(f->log, "fewer than three sources"));
    assert_non_null(json_object_get(f->report, "reason"));
    free_fixture(f);
}

static void test_nothing_in_common(void **state)
{
    (void)state;
    fixture *f = make_fixture(6, 3, 12, 0);
    search(f);
    assert_int_equal(f->chosen.count, 0);
    assert_non_null(strstr(f->log, "no device feature in common"));
    free_fixture(f);
}

static void test_all_constant(void **state)
{
    (void)state;
    fixture *f = make_fixture(6, 3, 12, 2);
    for (size_t d = 0; d < 3; d++)
        for (size_t c = 0; c < 2; c++)
            set_feature(f, d, f->candidates.items[c], 7.0);
    search(f);
    assert_int_equal(f->chosen.count, 0);
    assert_non_null(strstr(f->log, "no device feature varies"));
    assert_int_equal(count_of(f, "trained"), 3);
    free_fixture(f);
}

static void test_missing_times(void **state)
{
    (void)state;
    fixture *f = make_fixture(7, 3, 16, 2);
    for (size_t row = 0; row < f->sources->num_rows; row++) {
        double *times = f->sources->times_ms + row * NUM_VARIANTS;
        if (f->sources->row_device[row] == 1)
            times[2] = NAN;
        if (f->sources->row_input[row] == 3)
            times[0] = INFINITY;
        for (size_t v = 0; f->sources->row_input[row] == 5 && v < NUM_VARIANTS; v++)
            times[v] = NAN;
    }
    search(f);
    assert_int_equal(f->chosen.count, 1);
    assert_int_equal(count_of(f, "samples"), 3 * 15);
    free_fixture(f);
}

/* In evaluations the target is in the list of devices, without rows, and may lack the candidates.
 */
static void test_a_device_without_samples_is_no_source(void **state)
{
    (void)state;
    fixture *f = make_fixture(7, 3, 12, 2);
    nitro_dataset *all = f->sources, *rest = NULL;
    const bool keep[] = {true, true, false};
    assert_ok(f->context, nitro_dataset_select(f->context, all, keep, NULL, &rest));
    nitro_device **devices = realloc(rest->devices, 3 * sizeof *devices);
    assert_non_null(devices);
    rest->devices = devices;
    assert_ok(f->context, nitro_device_create(f->context, "bare", "model", &devices[2]));
    rest->num_devices = 3;
    f->task.sources = rest;
    search(f);
    assert_int_equal(json_array_size(json_object_get(f->report, "validation_devices")), 2);
    assert_int_equal(count_of(f, "models"), 2 * 4);
    assert_int_equal(f->chosen.count, 0); /* one training device each: nothing varies */
    nitro_dataset_free(rest);
    free_fixture(f);
}

static void test_two_inputs(void **state)
{
    (void)state;
    fixture *f = make_fixture(8, 3, 2, 2);
    search(f);
    assert_int_equal(f->chosen.count, 1);
    free_fixture(f);
    f = make_fixture(8, 3, 1, 2);
    search(f);
    assert_int_equal(f->chosen.count, 1);
    free_fixture(f);
}

static void test_ten_thousand_identical_rows(void **state)
{
    (void)state;
    fixture *f = make_fixture(9, 2, 5000, 2);
    for (size_t row = 0; row < f->sources->num_rows; row++)
        memcpy(f->sources->features + row * 3, f->sources->features, 3 * sizeof(double));
    make_subsets_equal(f);
    search(f);
    assert_int_equal(count_of(f, "samples_before"), 10000);
    assert_int_equal(count_of(f, "samples"), 1200);
    assert_int_equal(f->chosen.count, 0); /* one training device: nothing varies */
    free_fixture(f);
}

static void add_candidates(fixture *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof(name), "more%zu", f->candidates.count);
        assert_ok(f->context, nitro_string_list_add(f->context, &f->candidates, name));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    fixture *f = make_fixture(11, 2, 4, 2);
    f->task.max_subset = 0;
    assert_fails(f->context, try_kind(f, "cv"), NITRO_ERR_ARGUMENT, "max_subset is 0");
    f->task.max_subset = 3;
    f->task.k = 0;
    assert_fails(f->context, try_kind(f, "cv"), NITRO_ERR_ARGUMENT, "k is 0");
    f->task.k = 1;
    add_candidates(f, 40);
    f->task.max_subset = 6;
    assert_fails(f->context, try_kind(f, "cv"), NITRO_ERR_ARGUMENT, "too many subsets");
    add_candidates(f, 25);
    f->task.max_subset = 1;
    assert_fails(f->context, try_kind(f, "cv"), NITRO_ERR_ARGUMENT, "too many to search");
    assert_int_equal(f->chosen.count, 0);
    assert_null(f->report);
    free_fixture(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_a_constant_feature_adds_no_model),
        cmocka_unit_test(test_two_training_devices_share_models),
        cmocka_unit_test(test_ties_go_to_the_first),
        cmocka_unit_test(test_best_subsets_share_the_vote),
        cmocka_unit_test(test_mean_quality_decides),
        cmocka_unit_test(test_the_empty_subset_may_be_best),
        cmocka_unit_test(test_features_outside_range_are_not_chosen),
        cmocka_unit_test(test_validated_distance_is_within_range),
        cmocka_unit_test(test_a_feature_that_only_a_copy_has_gets_no_vote),
        cmocka_unit_test(test_one_source),
        cmocka_unit_test(test_nothing_in_common),
        cmocka_unit_test(test_all_constant),
        cmocka_unit_test(test_missing_times),
        cmocka_unit_test(test_a_device_without_samples_is_no_source),
        cmocka_unit_test(test_two_inputs),
        cmocka_unit_test(test_ten_thousand_identical_rows),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
