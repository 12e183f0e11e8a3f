/* Regrets, folds, Cholesky factors and kernel expansions. */
#include <math.h>

#include "nitro/base/cholesky.h"
#include "nitro/learn/data/folds.h"
#include "nitro/learn/data/regret.h"
#include "nitro/learn/kernel/kernel_matrix.h"
#include "nitro/runtime/scores/kernel_expansion.h"
#include "unit/unit.h"

/* Two sources, three variants; the second source never measured variant 1. */
static const double times[] = {1.0, 2.0, NAN, 4.0, 1.0, 100.0, 3.0, NAN, 1.0, 5.0, NAN, NAN};
static const size_t devices[] = {0, 0, 1, 1};
static const size_t inputs[] = {0, 1, 0, 1};
static const nitro_training_set two_sources = {.num_rows = 4,
                                               .num_variants = 3,
                                               .times_ms = times,
                                               .row_input = inputs,
                                               .row_device = devices};

static void test_regrets(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const size_t rows[] = {0, 1, 2, 3};
    double *regrets = NULL;
    assert_ok(context, nitro_regrets_find(context, &two_sources, rows, 4, &regrets));
    const double expected[] = {0.0,      log(2.0), INFINITY, log(4.0), 0.0, log(100.0),
                               log(3.0), NAN,      0.0,      0.0,      NAN, INFINITY};
    for (size_t i = 0; i < 12; i++)
        if (isfinite(expected[i]))
            assert_near(regrets[i], expected[i], 1e-15);
        else
            assert_true(isnan(expected[i]) ? isnan(regrets[i]) : regrets[i] == INFINITY);
    free(regrets);
    nitro_context_free(context);
}

static void test_losses(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const size_t rows[] = {0, 1, 3};
    double *losses = NULL;
    assert_ok(context, nitro_losses_find(context, &two_sources, rows, 3, &losses));
    /* None is lost by the best, all by what could not run; unknown is the same input's loss on
     * other devices. */
    const double expected[] = {0.0, 0.5, 1.0, 0.75, 0.0, 0.99, 0.0, 0.0, 1.0};
    for (size_t i = 0; i < 9; i++)
        assert_near(losses[i], expected[i], 1e-15);
    free(losses);
    nitro_context_free(context);
}

/* Without the unit, both searches would lose 0.99 and more beside the two indexes. */
static void test_losses_tell_searches_apart_beside_an_index(void **state)
{
    (void)state;
    enum { INDEX, OTHER_INDEX, SEARCH, SLOW_SEARCH };
    nitro_context *context = unit_context();
    const double of_searches[] = {0.001, 0.01, 0.8, 1.6}, without_index[] = {NAN, NAN, 0.8, 1.6};
    const uint64_t prepared = 1 << INDEX | 1 << OTHER_INDEX;
    const nitro_training_set set = {.num_rows = 1,
                                    .num_variants = 4,
                                    .times_ms = of_searches,
                                    .row_input = &(size_t){0},
                                    .prepared = prepared};
    double *losses = NULL;
    assert_near(nitro_losses_unit(of_searches, 4, prepared), 0.1, 1e-15);
    assert_near(nitro_losses_unit(of_searches, 4, 0), 0.001, 1e-15);
    assert_near(nitro_losses_unit(without_index, 4, prepared), 0.8, 1e-15);
    assert_ok(context, nitro_losses_find(context, &set, &(size_t){0}, 1, &losses));
    const double expected[] = {-0.99, -0.9, 0.875, 0.9375};
    for (size_t v = 0; v < 4; v++)
        assert_near(losses[v], expected[v], 1e-12);
    free(losses);
    nitro_context_free(context);
}

/* A variant is not slow where a constraint excludes it: its loss there is unknown. */
static void test_losses_of_excluded_variants(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const size_t rows[] = {0, 1};
    const uint64_t allowed[] = {3, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    nitro_training_set set = two_sources;
    double *losses = NULL;
    set.row_allowed = allowed;
    assert_ok(context, nitro_losses_find(context, &set, rows, 2, &losses));
    assert_near(losses[2], 0.99, 1e-15); /* as in its only other row, not 1 */
    assert_near(losses[1], 0.5, 1e-15);
    free(losses);
    nitro_context_free(context);
}

enum { INPUTS = 50, ROWS = 2 * INPUTS };

static void test_folds_keep_inputs_together(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    size_t row_input[ROWS], fold_of[INPUTS], count[5] = {0};
    for (size_t row = 0; row < ROWS; row++)
        row_input[row] = row % INPUTS;
    nitro_training_set set = {.num_rows = ROWS, .row_input = row_input, .seed = 3};
    nitro_folds folds = {0};
    assert_ok(context, nitro_folds_draw(context, &set, ROWS, 5, &folds));
    assert_int_equal(folds.num_rows, ROWS);
    assert_int_equal(folds.num_folds, 5);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(folds.rows[i], i);
        if (i < INPUTS)
            fold_of[i] = folds.folds[i];
        assert_int_equal(folds.folds[i], fold_of[i % INPUTS]);
        count[folds.folds[i]]++;
    }
    for (size_t fold = 0; fold < 5; fold++)
        assert_int_equal(count[fold], ROWS / 5);
    nitro_folds_free(&folds);
    nitro_context_free(context);
}

static void test_folds_sample_whole_inputs(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    size_t row_input[ROWS];
    for (size_t row = 0; row < ROWS; row++)
        row_input[row] = row / 2;
    nitro_training_set set = {.num_rows = ROWS, .row_input = row_input, .seed = 3};
    nitro_folds folds = {0}, others = {0};
    assert_ok(context, nitro_folds_draw(context, &set, 31, 5, &folds));
    assert_int_equal(folds.num_rows, 30);
    for (size_t i = 0; i < 30; i += 2)
        assert_int_equal(row_input[folds.rows[i]], row_input[folds.rows[i + 1]]);
    set.seed = 4;
    assert_ok(context, nitro_folds_draw(context, &set, 31, 5, &others));
    assert_memory_not_equal(folds.rows, others.rows, 30 * sizeof(size_t));
    nitro_folds_free(&folds);
    nitro_folds_free(&others);
    nitro_context_free(context);
}

/* A kernel matrix with a ridge, its right sides, and how well the solution fits. */
static double worst_residual(nitro_context *context, size_t size, unsigned threads, double *values)
{
    enum { COUNT = 2 };
    double *matrix = calloc(size * size, sizeof(double)),
           *copy = calloc(size * size, sizeof(double));
    double *right = calloc(size * COUNT, sizeof(double)), worst = 0.0;
    nitro_random random;
    nitro_random_seed(&random, size);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * size + j] = matrix[j * size + i] =
                exp(-0.001 * (double)((i - j) * (i - j))) + (i == j ? 0.1 : 0.0);
    for (size_t i = 0; i < size * COUNT; i++)
        right[i] = values[i] = nitro_random_normal(&random);
    memcpy(copy, matrix, size * size * sizeof(double));
    assert_ok(context, nitro_cholesky_factor(context, matrix, size, threads));
    nitro_cholesky_solve(matrix, size, values, COUNT);
    for (size_t i = 0; i < size; i++)
        for (size_t v = 0; v < COUNT; v++) {
            double sum = -right[i * COUNT + v];
            for (size_t j = 0; j < size; j++)
                sum += copy[i * size + j] * values[j * COUNT + v];
            worst = fmax(worst, fabs(sum));
        }
    free(matrix);
    free(copy);
    free(right);
    return worst;
}

static void test_cholesky_solves(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 3, 5, 63, 64, 65, 130, 323, 600}; /* on both sides of blocks */
    nitro_context *context = unit_context();
    double *values = calloc(600 * 2, sizeof(double)), *same = calloc(600 * 2, sizeof(double));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_true(worst_residual(context, sizes[i], 1, values) < 1e-10);
        worst_residual(context, sizes[i], 3, same);
        assert_memory_equal(values, same, sizes[i] * 2 * sizeof(double));
    }
    free(values);
    free(same);
    nitro_context_free(context);
}

static void test_cholesky_refuses(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    double indefinite[] = {1.0, 2.0, 2.0, 1.0}, not_finite[] = {1.0, NAN, NAN, 1.0};
    assert_fails(context, nitro_cholesky_factor(context, indefinite, 2, 1), NITRO_ERR_ARGUMENT,
                 "not positive definite");
    assert_fails(context, nitro_cholesky_factor(context, not_finite, 2, 1), NITRO_ERR_ARGUMENT,
                 "not positive definite");
    nitro_context_free(context);
}

static void test_kernel_matrix(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    const double columns[] = {0.0, 0.0, 1.0, 0.0, -1.0, 1.0};
    float *kernel = NULL;
    assert_ok(context, nitro_kernel_matrix(context, columns, 3, 2, 0.5, 2, &kernel));
    const double expected[] = {1.0,       exp(-0.5), exp(-1.0), exp(-0.5), 1.0,
                               exp(-2.5), exp(-1.0), exp(-2.5), 1.0};
    for (size_t i = 0; i < 9; i++)
        assert_near((double)kernel[i], expected[i], 1e-7);
    free(kernel);
    nitro_context_free(context);
}

static void test_expansion(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    nitro_kernel_expansion *expansion = NULL;
    assert_ok(context, nitro_kernel_expansion_create(context, 1, 2, 2, 2.0, &expansion));
    memcpy(expansion->bias, (double[]){10.0, 20.0}, 2 * sizeof(double));
    memcpy(expansion->vectors, (double[]){0.0, 1.0}, 2 * sizeof(double));
    memcpy(expansion->coefficients, (double[]){1.0, 2.0, 3.0, 4.0}, 4 * sizeof(double));
    const double inside = 0.5, outside = 40.0, border = 1.0;
    double outputs[2], at_border[2];
    nitro_kernel_expansion_evaluate(expansion, &inside, outputs);
    assert_near(outputs[0], 10.0 + 4.0 * exp(-0.5), 1e-14);
    assert_near(outputs[1], 20.0 + 6.0 * exp(-0.5), 1e-14);
    nitro_kernel_expansion_evaluate(expansion, &outside, outputs);
    nitro_kernel_expansion_evaluate(expansion, &border, at_border);
    assert_memory_equal(outputs, at_border, sizeof(outputs));
    nitro_kernel_expansion_free(expansion);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regrets),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_losses_of_excluded_variants),
        cmocka_unit_test(test_losses_tell_searches_apart_beside_an_index),
        cmocka_unit_test(test_folds_keep_inputs_together),
        cmocka_unit_test(test_folds_sample_whole_inputs),
        cmocka_unit_test(test_cholesky_solves),
        cmocka_unit_test(test_cholesky_refuses),
        cmocka_unit_test(test_kernel_matrix),
        cmocka_unit_test(test_expansion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
