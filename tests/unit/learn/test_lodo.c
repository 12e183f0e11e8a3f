/* Leave-one-device-out validation: whose rows count, gains of one run over another, and gains of
 * subsets of an ensemble's members. */
#include <math.h>

#include "nitro/learn/lodo.h"
#include "nitro/models/strategy_find.h"
#include "unit/synthetic.h"

enum { NUM_INPUTS = 60 };

typedef struct fixture {
    nitro_context *context;
    nitro_dataset *sources;
    nitro_device *target;
    nitro_string_list names; /* of device features */
    nitro_fit_task task;
} fixture;

/** As many sources as there are launch costs. */
static void make(fixture *f, const double *launches, size_t num_sources, size_t num_inputs)
{
    static const char *const ids[] = {"a", "b", "c"};
    nitro_device *devices[3];
    *f = (fixture){.context = unit_context()};
    for (size_t d = 0; d < num_sources; d++)
        devices[d] = synthetic_device(f->context, ids[d], launches[d]);
    f->sources = synthetic_dataset(f->context, devices, num_sources, num_inputs);
    f->target = synthetic_device(f->context, "target", 2.0);
    f->task = (nitro_fit_task){
        .sources = f->sources, .target = f->target, .device_features = &f->names, .seed = 3};
    assert_ok(f->context, nitro_strategy_find(f->context, "auto", &f->task.strategy));
}

static void discard(fixture *f)
{
    nitro_dataset_free(f->sources);
    nitro_device_free(f->target);
    nitro_context_free(f->context);
}

static void forget_times(const fixture *f, size_t row)
{
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        f->sources->times_ms[row * SYNTHETIC_VARIANTS + v] = NAN;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- Whose rows count --------------------------------------------------------------------- */

static void test_rows_without_times_have_no_scores(void **state)
{
    fixture f;
    nitro_lodo result = {0};
    (void)state;
    make(&f, (const double[]){1.0, 4.0}, 2, NUM_INPUTS);
    for (size_t row = 0; row < f.sources->num_rows; row += 7)
        forget_times(&f, row);
    assert_ok(f.context, nitro_lodo_run(f.context, &f.task, &result));
    size_t num_rows[2] = {0};
    double sums[2] = {0};
    for (size_t row = 0; row < f.sources->num_rows; row++) {
        const double *scores = result.scores + row * SYNTHETIC_VARIANTS;
        size_t device = f.sources->row_device[row];
        for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
            assert_int_equal(isnan(scores[v]), row % 7 == 0);
        if (row % 7 == 0)
            continue;
        num_rows[device]++;
        sums[device] +=
            100.0 * nitro_times_quality(nitro_dataset_times(f.sources, row), SYNTHETIC_VARIANTS,
                                        nitro_scores_best(scores, SYNTHETIC_VARIANTS));
    }
    for (size_t d = 0; d < 2; d++) {
        assert_int_equal(result.num_rows[d], num_rows[d]);
        assert_true(is_near(result.qualities[d], sums[d] / (double)num_rows[d]));
    }
    nitro_lodo_free(&result);
    discard(&f);
}

static void test_two_sources_and_two_inputs_are_needed(void **state)
{
    fixture f;
    nitro_lodo result = {0};
    (void)state;
    make(&f, (const double[]){1.0, 4.0}, 2, NUM_INPUTS);
    for (size_t row = 0; row < f.sources->num_rows; row++)
        if (f.sources->row_device[row] == 1)
            forget_times(&f, row);
    assert_fails(f.context, nitro_lodo_run(f.context, &f.task, &result), NITRO_ERR_NO_DATA,
                 "fewer than 2 source devices have usable samples");
    discard(&f);
    make(&f, (const double[]){1.0, 4.0}, 2, 1);
    assert_fails(f.context, nitro_lodo_run(f.context, &f.task, &result), NITRO_ERR_NO_DATA,
                 "too few inputs for LODO validation");
    discard(&f);
}

/* ---- Gains -------------------------------------------------------------------------------- */

/* A subset's gain is the difference to a run of the subset. */
static void test_gains_of_members(void **state)
{
    fixture f;
    nitro_lodo all = {0};
    bool differs = false;
    (void)state;
    make(&f, (const double[]){1.0, 4.0, 16.0}, 3, NUM_INPUTS);
    assert_ok(f.context, nitro_lodo_run(f.context, &f.task, &all));
    size_t whole = ((size_t)1 << f.task.strategy->num_members) - 1;
    assert_int_equal(all.num_mixes, whole + 1);
    for (size_t mix = 1; mix <= whole; mix++) {
        nitro_lodo some = {0};
        nitro_gain gains[3];
        f.task.members = mix;
        assert_ok(f.context, nitro_lodo_run(f.context, &f.task, &some));
        assert_int_equal(some.num_mixes, 0);
        nitro_lodo_compare(f.sources, &all, &some, gains);
        for (size_t d = 0; d < 3; d++) {
            const nitro_gain *gain = &all.mix_gains[mix * 3 + d];
            assert_true(is_near(gain->mean, some.qualities[d] - all.qualities[d]));
            assert_true(is_near(gain->mean, gains[d].mean));
            assert_true(is_near(gain->variance, gains[d].variance));
            differs |= gain->variance > 0.0;
        }
        nitro_lodo_free(&some);
    }
    assert_true(differs);
    nitro_lodo_free(&all);
    discard(&f);
}

/* Scores that choose `variant`. */
static void choose(double *scores, size_t variant)
{
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++)
        scores[v] = v == variant ? 1.0 : 0.0;
}

/* Where both runs have scores, the second chooses the best variant, and the first half as good a
 * one every other time. */
static void test_gains_of_a_run(void **state)
{
    enum { NUM = 8 };
    fixture f;
    double before[2 * NUM * SYNTHETIC_VARIANTS], after[2 * NUM * SYNTHETIC_VARIANTS];
    size_t num_rows[2] = {NUM, NUM - 2};
    nitro_lodo base = {.scores = before, .num_rows = num_rows};
    nitro_lodo other = {.scores = after, .num_rows = num_rows};
    nitro_gain gains[2];
    (void)state;
    make(&f, (const double[]){1.0, 4.0}, 2, NUM);
    for (size_t row = 0; row < f.sources->num_rows; row++) {
        double *times = f.sources->times_ms + row * SYNTHETIC_VARIANTS;
        bool is_first = f.sources->row_device[row] == 0;
        times[0] = 4.0;
        times[1] = 1.0;
        times[2] = 2.0;
        choose(before + row * SYNTHETIC_VARIANTS, is_first && row / 2 % 2 == 0 ? 2 : 1);
        choose(after + row * SYNTHETIC_VARIANTS, is_first ? 1 : 0);
    }
    for (size_t v = 0; v < SYNTHETIC_VARIANTS; v++) { /* two rows of the second device */
        before[3 * SYNTHETIC_VARIANTS + v] = NAN;
        after[SYNTHETIC_VARIANTS + v] = NAN;
    }
    nitro_lodo_compare(f.sources, &base, &other, gains);
    assert_true(is_near(gains[0].mean, 25.0)); /* 50 on every other row */
    assert_true(is_near(gains[0].variance, 25.0 * 25.0 / NUM));
    assert_true(is_near(gains[1].mean, -75.0));
    assert_true(is_near(gains[1].variance, 0.0));
    discard(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_without_times_have_no_scores),
        cmocka_unit_test(test_two_sources_and_two_inputs_are_needed),
        cmocka_unit_test(test_gains_of_members),
        cmocka_unit_test(test_gains_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
