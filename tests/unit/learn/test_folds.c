/* Splits for validation: whole inputs, each in one fold, drawn and dealt by the seed alone. */
#include "nitro/learn/data/dataset.h"
#include "nitro/learn/data/folds.h"
#include "unit/unit.h"

enum { NUM_INPUTS = 9, NUM_USED = 6, NUM_ROWS = 2 * NUM_USED };

/* Inputs with rows, in no order of time: two rows each, on two devices. */
static size_t row_input[NUM_ROWS] = {0, 2, 3, 5, 7, 8, 0, 2, 3, 5, 7, 8};
static double columns[NUM_ROWS * 2];

static nitro_training_set make_set(uint64_t seed)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        columns[i] = (double)i;
    return (nitro_training_set){.num_rows = NUM_ROWS,
                                .num_columns = 2,
                                .columns = columns,
                                .row_input = row_input,
                                .seed = seed};
}

/* Rows ascend, an input's rows are in one fold, and folds are below num_folds.
 * @param[out] inputs_of  shape [num_folds]: inputs in each. */
static void check_folds(const nitro_folds *folds, size_t *inputs_of)
{
    size_t fold_of[NUM_INPUTS], rows_of[NUM_INPUTS] = {0};
    for (size_t i = 0; i < folds->num_folds; i++)
        inputs_of[i] = 0;
    for (size_t i = 0; i < folds->num_rows; i++) {
        size_t input = row_input[folds->rows[i]];
        assert_true(i == 0 || folds->rows[i] > folds->rows[i - 1]);
        assert_true(folds->folds[i] < folds->num_folds);
        assert_true(rows_of[input] == 0 || fold_of[input] == folds->folds[i]);
        fold_of[input] = folds->folds[i];
        rows_of[input]++;
    }
    for (size_t input = 0; input < NUM_INPUTS; input++) {
        assert_true(rows_of[input] == 0 || rows_of[input] == 2);
        if (rows_of[input] > 0)
            inputs_of[fold_of[input]]++;
    }
}

static void test_folds_are_of_whole_inputs(void **state)
{
    nitro_context *context = unit_context();
    nitro_folds folds = {0};
    size_t inputs_of[4];
    bool differs = false;
    size_t first_folds[NUM_ROWS];
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        nitro_training_set set = make_set(seed);
        assert_ok(context, nitro_folds_draw(context, &set, 100, 4, &folds));
        assert_int_equal(folds.num_folds, 4);
        assert_int_equal(folds.num_rows, NUM_ROWS);
        check_folds(&folds, inputs_of);
        assert_int_equal(inputs_of[0], 2); /* in turn: 2, 2, 1, 1 */
        assert_int_equal(inputs_of[1], 2);
        assert_int_equal(inputs_of[2], 1);
        assert_int_equal(inputs_of[3], 1);
        if (seed == 1)
            memcpy(first_folds, folds.folds, sizeof first_folds);
        differs |= memcmp(first_folds, folds.folds, sizeof first_folds) != 0;
        nitro_folds_free(&folds);
    }
    assert_true(differs);
    size_t times_drawn[NUM_INPUTS] = {0};
    for (uint64_t seed = 1; seed < 40; seed++) { /* none comes twice, and none is drawn unasked */
        nitro_training_set set = make_set(seed);
        assert_ok(context, nitro_folds_draw(context, &set, 8, 3, &folds));
        assert_int_equal(folds.num_rows, 8);
        check_folds(&folds, inputs_of);
        assert_true(inputs_of[0] == 2 && inputs_of[1] == 1 && inputs_of[2] == 1);
        for (size_t i = 0; i < folds.num_rows; i++)
            times_drawn[row_input[folds.rows[i]]]++;
        nitro_folds_free(&folds);
    }
    for (size_t i = 0; i < NUM_USED; i++) /* 26 times, two rows each, were each as likely */
        assert_in_range(times_drawn[row_input[i]], 2 * 17, 2 * 34);
    nitro_training_set set = make_set(1);
    assert_ok(context, nitro_folds_draw(context, &set, 100, 4, &folds));
    assert_memory_equal(first_folds, folds.folds, sizeof first_folds);
    double *copied = nitro_folds_columns(context, &set, &folds);
    assert_memory_equal(copied, columns, sizeof columns);
    free(copied);
    nitro_folds_free(&folds);
    nitro_context_free(context);
}

/* As many rows as fit, but at least an input a fold, and one fold of a single input. */
static void test_samples_are_bounded(void **state)
{
    static const struct {
        size_t max_rows, max_folds, num_folds, num_rows;
    } cases[] = {{8, 3, 3, 8},   {9, 3, 3, 8},   {7, 3, 3, 6},    {1, 3, 3, 6},
                 {12, 3, 3, 12}, {11, 3, 3, 10}, {100, 7, 6, 12}, {100, 1, 1, 12}};
    nitro_context *context = unit_context();
    nitro_training_set set = make_set(3);
    nitro_folds folds = {0};
    size_t inputs_of[NUM_INPUTS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_ok(context,
                  nitro_folds_draw(context, &set, cases[i].max_rows, cases[i].max_folds, &folds));
        assert_int_equal(folds.num_folds, cases[i].num_folds);
        assert_int_equal(folds.num_rows, cases[i].num_rows);
        check_folds(&folds, inputs_of);
        double *copied = nitro_folds_columns(context, &set, &folds);
        for (size_t row = 0; row < folds.num_rows; row++)
            assert_memory_equal(copied + 2 * row, columns + 2 * folds.rows[row],
                                2 * sizeof(double));
        free(copied);
        nitro_folds_free(&folds);
    }
    set.num_rows = 1;
    assert_ok(context, nitro_folds_draw(context, &set, 100, 4, &folds));
    assert_int_equal(folds.num_folds, 1);
    assert_int_equal(folds.num_rows, 1);
    nitro_folds_free(&folds);
    nitro_context_free(context);
}

static void deal(char **inputs, size_t count, size_t num_rows, size_t max_inputs, uint64_t seed,
                 size_t *part_of)
{
    nitro_context *context = unit_context();
    size_t rows[NUM_INPUTS];
    for (size_t i = 0; i < num_rows; i++)
        rows[i] = i;
    const nitro_dataset dataset = {
        .inputs = inputs, .num_inputs = count, .num_rows = num_rows, .row_input = rows};
    assert_ok(context, nitro_inputs_deal(context, &dataset, seed, 5, max_inputs, part_of));
    nitro_context_free(context);
}

/* By group and name: other inputs change nothing. */
static void test_parts_are_of_groups(void **state)
{
    char *inputs[NUM_INPUTS] = {"HB/a", "HB/b", "HB/c", "Bai/a", "a", "/a", "b", "c", "d"};
    size_t parts[NUM_INPUTS], fewer[NUM_INPUTS], num_parts = 0, taken = 0;
    bool seen[5] = {false}, differs = false;
    (void)state;
    deal(inputs, NUM_INPUTS, NUM_INPUTS, 100, 7, parts);
    for (size_t i = 0; i < NUM_INPUTS; i++) {
        assert_true(parts[i] < 5);
        num_parts += !seen[parts[i]];
        seen[parts[i]] = true;
    }
    assert_true(num_parts > 2);
    assert_true(parts[0] == parts[1] && parts[1] == parts[2]);
    deal(inputs, 4, 4, 100, 7, fewer);
    assert_memory_equal(parts, fewer, 4 * sizeof parts[0]);
    deal(inputs, NUM_INPUTS, NUM_INPUTS - 1, 100, 7, fewer); /* the last one has no rows */
    assert_true(fewer[NUM_INPUTS - 1] == NITRO_NONE);
    assert_memory_equal(parts, fewer, (NUM_INPUTS - 1) * sizeof parts[0]);
    for (size_t most = 0; most <= NUM_INPUTS; most++) {
        deal(inputs, NUM_INPUTS, NUM_INPUTS, most, 7, fewer);
        taken = 0;
        for (size_t i = 0; i < NUM_INPUTS; i++) {
            taken += fewer[i] != NITRO_NONE;
            assert_true(fewer[i] == NITRO_NONE || fewer[i] == parts[i]);
        }
        assert_int_equal(taken, most);
    }
    deal(inputs, NUM_INPUTS, NUM_INPUTS, 100, 8, fewer);
    for (size_t i = 0; i < NUM_INPUTS; i++)
        differs |= fewer[i] != parts[i];
    assert_true(differs);
    char *rooted[] = {"/a", "/b", "/c", "/d", "/e", "/f"}; /* no group: the root is none */
    deal(rooted, 6, 6, 100, 7, parts);
    num_parts = 1;
    for (size_t i = 1; i < 6; i++)
        num_parts += parts[i] != parts[0];
    assert_true(num_parts > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folds_are_of_whole_inputs),
                                       cmocka_unit_test(test_samples_are_bounded),
                                       cmocka_unit_test(test_parts_are_of_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
