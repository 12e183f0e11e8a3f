/* Conformance of strategies: poor training sets. */
#include <math.h>

#include "unit/learn/strategy_fixture.h"

/* Train, and score a few points: scores are finite, and the best variant is `expected`, or any but
 * `forbidden`. */
static void probe(fixture *f, const nitro_strategy *strategy, size_t expected, size_t forbidden)
{
    trained made = train(f, strategy);
    const double probes[][COLUMNS] = {
        {0, 0, 0}, {-1, 1, 0.5}, {0.9, -0.9, -0.9}, {1000, -1000, 1000}};
    for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
        double scores[NITRO_MAX_VARIANTS];
        strategy->score(made.predictor, probes[i], scores);
        for (size_t v = 0; v < f->set.num_variants; v++)
            assert_true(isfinite(scores[v]));
        size_t best = nitro_scores_best(scores, f->set.num_variants);
        if (expected != NITRO_NONE)
            assert_int_equal(best, expected);
        assert_true(best != forbidden);
    }
    char *text = text_of(f, &made);
    free(text);
    discard(&made);
}

static void check_one_class(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(50, 6);
    for (size_t row = 0; row < 50; row++)
        f->times_ms[row * VARIANTS + 2] = 0.001;
    probe(f, strategy, 2, NITRO_NONE);
    f->set.num_rows = 1;
    probe(f, strategy, 2, NITRO_NONE);
    free_fixture(f);
}

static void check_few_rows(const nitro_strategy *strategy)
{
    for (size_t num_rows = 1; num_rows <= 12; num_rows++) {
        fixture *f = make_fixture(num_rows, 6);
        probe(f, strategy, NITRO_NONE, NITRO_NONE);
        free_fixture(f);
    }
}

static void check_columns_that_say_nothing(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    memset(f->columns, 0, sizeof(f->columns));
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    f->set.num_columns = 0;
    f->set.row_device = NULL;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

/* Ten thousand copies of two rows that disagree: the more frequent one wins. */
static void check_identical_rows(const nitro_strategy *strategy)
{
    enum { COPIES = 10000 };
    fixture *f = make_fixture(2, 6);
    double *columns = calloc(COPIES * COLUMNS, sizeof(double));
    double *times = calloc(COPIES * VARIANTS, sizeof(double));
    size_t *inputs = calloc(COPIES, sizeof(size_t));
    for (size_t row = 0; row < COPIES; row++) {
        inputs[row] = row;
        for (size_t v = 0; v < VARIANTS; v++)
            times[row * VARIANTS + v] = v == (row % 4 == 0 ? 1u : 3u) ? 1.0 : 2.0;
    }
    f->set.num_rows = COPIES;
    f->set.columns = columns;
    f->set.times_ms = times;
    f->set.row_input = inputs;
    f->set.row_device = NULL;
    void *predictor = NULL;
    double scores[VARIANTS];
    assert_ok(f->context, strategy->train(f->context, &f->set, &predictor, NULL));
    strategy->score(predictor, columns, scores);
    assert_int_equal(nitro_scores_best(scores, VARIANTS), 3);
    strategy->free(predictor);
    free(columns);
    free(times);
    free(inputs);
    free_fixture(f);
}

static void check_variant_never_measured(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(100, 6);
    for (size_t row = 0; row < 100; row++)
        f->times_ms[row * VARIANTS] = NAN;
    probe(f, strategy, NITRO_NONE, 0);
    free_fixture(f);
}

/* All times missing but two a row, at random. */
static void check_holes(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(200, 6);
    nitro_random random;
    nitro_random_seed(&random, 1);
    for (size_t row = 0; row < 200; row++)
        for (size_t missing = 0; missing < 2; missing++)
            f->times_ms[row * VARIANTS + nitro_random_below(&random, VARIANTS)] = NAN;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

/* As many variants as there may be: two that matter, and 62 that are worse. */
static void check_most_variants(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(24, 6);
    double *times = calloc(24 * NITRO_MAX_VARIANTS, sizeof(double));
    for (size_t row = 0; row < 24; row++)
        for (size_t v = 0; v < NITRO_MAX_VARIANTS; v++)
            times[row * NITRO_MAX_VARIANTS + v] =
                v >= 62 ? f->times_ms[row * VARIANTS + v - 62] : 20.0 + (double)v;
    f->set.num_variants = NITRO_MAX_VARIANTS;
    f->set.times_ms = times;
    trained made = train(f, strategy);
    double *scores = scores_of(&made, f);
    for (size_t row = 0; row < 24; row++)
        assert_true(nitro_scores_best(scores + row * NITRO_MAX_VARIANTS, NITRO_MAX_VARIANTS) >= 62);
    free(scores);
    free(times);
    discard(&made);
    free_fixture(f);
}

static void check_two_variants(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    double times[60 * 2];
    for (size_t row = 0; row < 60; row++)
        memcpy(times + row * 2, f->times_ms + row * VARIANTS, 2 * sizeof(double));
    f->set.num_variants = 2;
    f->set.times_ms = times;
    probe(f, strategy, NITRO_NONE, NITRO_NONE);
    free_fixture(f);
}

static void check_extreme_times(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(60, 6);
    for (size_t row = 0; row < 60; row++) {
        f->times_ms[row * VARIANTS + 1] = 1e300;
        f->times_ms[row * VARIANTS + 3] = 1e-300;
    }
    probe(f, strategy, 3, NITRO_NONE);
    free_fixture(f);
}

static void test_sets_that_are_small(void **state)
{
    (void)state;
    for_each(check_one_class);
    for_each(check_few_rows);
    for_each(check_columns_that_say_nothing);
    for_each(check_identical_rows);
    for_each(check_variant_never_measured);
    for_each(check_holes);
    for_each(check_most_variants);
    for_each(check_two_variants);
    for_each(check_extreme_times);
}

static void check_row_without_times(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(10, 6);
    for (size_t v = 0; v < VARIANTS; v++)
        f->times_ms[3 * VARIANTS + v] = NAN;
    void *predictor = NULL;
    assert_fails(f->context, strategy->train(f->context, &f->set, &predictor, NULL),
                 NITRO_ERR_ARGUMENT, "row 3 has no time");
    assert_null(predictor);
    free_fixture(f);
}

static void test_a_row_without_times_is_refused(void **state)
{
    (void)state;
    for_each(check_row_without_times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_that_are_small),
        cmocka_unit_test(test_a_row_without_times_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
