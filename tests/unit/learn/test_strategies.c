/* Conformance of strategies: every one of nitro_builtin_strategies() learns, and the same set gives
 * the same predictor. */
#include <math.h>

#include "nitro/models/strategy_find.h"
#include "unit/learn/strategy_fixture.h"

static void check_identity(const nitro_strategy *strategy)
{
    nitro_context *context = unit_context();
    const nitro_strategy *found = NULL;
    assert_true(nitro_name_is_valid(strategy->name) || strchr(strategy->name, '-'));
    assert_ok(context, nitro_strategy_find(context, strategy->name, &found));
    assert_ptr_equal(found, strategy);
    assert_true(strlen(strategy->description) > 10 && !strchr(strategy->description, '\n'));
    bool known = false;
    for (const nitro_dfs_kind *const *d = nitro_builtin_dfs_kinds(); *d; d++)
        known = known || strcmp((*d)->name, strategy->dfs) == 0;
    assert_true(known);
    strategy->free(NULL);
    nitro_context_free(context);
}

static void test_identity(void **state)
{
    (void)state;
    for_each(check_identity);
}

static double mean_quality(const fixture *f, const double *scores)
{
    double sum = 0.0;
    for (size_t row = 0; row < f->set.num_rows; row++)
        sum += nitro_times_quality(f->set.times_ms + row * VARIANTS, VARIANTS,
                                   nitro_scores_best(scores + row * VARIANTS, VARIANTS));
    return sum / (double)f->set.num_rows;
}

/* The best fixed variant has a quality of 0.5 here. */
static void check_learns(const nitro_strategy *strategy)
{
    fixture *seen = make_fixture(MAX_ROWS, 1), *unseen = make_fixture(200, 2);
    trained made = train(seen, strategy);
    double *scores = scores_of(&made, unseen);
    assert_true(mean_quality(unseen, scores) > 0.92);
    assert_true(mean_quality(seen, made.held_out) > 0.92);
    free(scores);
    discard(&made);
    free_fixture(seen);
    free_fixture(unseen);
}

static void test_learns(void **state)
{
    (void)state;
    for_each(check_learns);
}

/* Rows of an input are nearly equal, and times are noise: a row seen in training gives the others
 * away. */
static void check_held_out(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(300, 1);
    nitro_random random;
    nitro_random_seed(&random, 9);
    for (size_t row = 0; row < 300; row += 2) {
        size_t best = nitro_random_below(&random, VARIANTS);
        memcpy(f->columns + (row + 1) * COLUMNS, f->columns + row * COLUMNS,
               COLUMNS * sizeof(double));
        for (size_t v = 0; v < VARIANTS; v++)
            f->times_ms[row * VARIANTS + v] = f->times_ms[(row + 1) * VARIANTS + v] =
                v == best ? 1.0 : 10.0;
    }
    trained made = train(f, strategy);
    assert_true(mean_quality(f, made.held_out) < 0.5); /* chance: 0.325 */
    discard(&made);
    free_fixture(f);
}

static void test_held_out_inputs_are_not_seen(void **state)
{
    (void)state;
    for_each(check_held_out);
}

static void check_threads(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(160, 3);
    f->set.num_threads = 1;
    trained one = train(f, strategy);
    char *text = text_of(f, &one);
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        f->set.num_threads = threads;
        trained other = train(f, strategy);
        char *other_text = text_of(f, &other);
        assert_string_equal(text, other_text);
        assert_memory_equal(one.held_out, other.held_out, 160 * VARIANTS * sizeof(double));
        free(other_text);
        discard(&other);
    }
    free(text);
    discard(&one);
    free_fixture(f);
}

static void test_does_not_depend_on_threads(void **state)
{
    (void)state;
    for_each(check_threads);
}

/* Held-out scores are extra: the predictor is the same without. */
static void check_without_held_out(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(100, 3);
    trained with = train(f, strategy), without = {strategy, NULL, NULL};
    assert_ok(f->context, strategy->train(f->context, &f->set, &without.predictor, NULL));
    char *text = text_of(f, &with), *other_text = text_of(f, &without);
    assert_string_equal(text, other_text);
    free(text);
    free(other_text);
    discard(&with);
    discard(&without);
    free_fixture(f);
}

static void test_predictor_without_held_out_scores(void **state)
{
    (void)state;
    for_each(check_without_held_out);
}

/* Every hyper-parameter setting makes another predictor. */
static void check_hyper_settings(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(150, 4);
    trained usual = train(f, strategy);
    double *scores = scores_of(&usual, f);
    assert_true(strategy->num_hyper_settings != 1); /* nothing to choose */
    for (size_t r = 0; r < strategy->num_hyper_settings; r++) {
        f->set.hyper_settings[0] = r;
        trained other = train(f, strategy);
        double *own = scores_of(&other, f);
        bool is_same = memcmp(scores, own, 150 * VARIANTS * sizeof(double)) == 0;
        assert_true(is_same == (r == 0));
        for (size_t i = 0; i < 150 * VARIANTS; i++)
            assert_true(isfinite(own[i]));
        assert_true(strlen(strategy->hyper_settings[r]) > 0);
        discard(&other);
        free(own);
    }
    discard(&usual);
    free(scores);
    free_fixture(f);
}

/* A strategy that averages others hands each its own. */
static void check_member_hyper_settings(const nitro_strategy *strategy)
{
    fixture *f = make_fixture(150, 4);
    trained usual = train(f, strategy);
    for (size_t m = 0; m < strategy->num_members; m++) {
        if (strategy->members[m]->num_hyper_settings == 0)
            continue;
        memset(f->set.hyper_settings, 0, sizeof(f->set.hyper_settings));
        f->set.hyper_settings[m] = 1;
        trained other = train(f, strategy);
        double before[NITRO_MAX_MEMBERS * VARIANTS], after[NITRO_MAX_MEMBERS * VARIANTS];
        strategy->score_members(usual.predictor, f->columns, before);
        strategy->score_members(other.predictor, f->columns, after);
        for (size_t i = 0; i < strategy->num_members; i++) {
            bool is_same =
                memcmp(before + i * VARIANTS, after + i * VARIANTS, VARIANTS * sizeof(double)) == 0;
            assert_true(is_same == (i != m));
        }
        discard(&other);
    }
    discard(&usual);
    free_fixture(f);
}

static void test_hyper_settings(void **state)
{
    (void)state;
    for_each(check_hyper_settings);
    for_each(check_member_hyper_settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_learns),
        cmocka_unit_test(test_held_out_inputs_are_not_seen),
        cmocka_unit_test(test_does_not_depend_on_threads),
        cmocka_unit_test(test_predictor_without_held_out_scores),
        cmocka_unit_test(test_hyper_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
