/* The SMO solver against LIBSVM, and the meaning of weights. */
#include <libsvm/svm.h>
#include <math.h>

#include "nitro/learn/svm/smo.h"
#include "unit/unit.h"

#define NUM_ROWS    240
#define NUM_COLUMNS 3

typedef struct fixture {
    double points[NUM_ROWS][NUM_COLUMNS];
    signed char labels[NUM_ROWS];
    float kernel[NUM_ROWS * NUM_ROWS];
    uint32_t rows[2 * NUM_ROWS]; /* of the kernel */
    double upper_bounds[NUM_ROWS];
} fixture;

static const double gamma_of_kernel = 0.7;

static double rbf(const double *a, const double *b)
{
    double distance = 0;
    for (int c = 0; c < NUM_COLUMNS; c++)
        distance += (a[c] - b[c]) * (a[c] - b[c]);
    return exp(-gamma_of_kernel * distance);
}

static fixture *make_fixture(uint64_t seed, double noise)
{
    fixture *f = calloc(1, sizeof(*f));
    nitro_random random;
    nitro_random_seed(&random, seed);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        for (int c = 0; c < NUM_COLUMNS; c++)
            f->points[i][c] = 2 * nitro_random_uniform(&random) - 1;
        double side = f->points[i][0] * f->points[i][1] + noise * nitro_random_normal(&random);
        f->labels[i] = side > 0 ? 1 : -1;
        f->rows[i] = (uint32_t)i;
        f->upper_bounds[i] = 10;
    }
    for (size_t i = 0; i < NUM_ROWS; i++)
        for (size_t j = 0; j < NUM_ROWS; j++)
            f->kernel[i * NUM_ROWS + j] = (float)rbf(f->points[i], f->points[j]);
    return f;
}

static size_t num_gathered; /* columns, by all solvers */

static void gather(const void *user, uint32_t row, const uint32_t *rows, size_t count,
                   float *column)
{
    const fixture *f = user;
    num_gathered++;
    for (size_t k = 0; k < count; k++)
        column[k] = f->kernel[row * NUM_ROWS + rows[k]];
}

static nitro_smo_problem problem_of(fixture *f, size_t num_rows)
{
    return (nitro_smo_problem){.num_rows = num_rows,
                               .labels = f->labels,
                               .weights = f->upper_bounds,
                               .ids = f->rows,
                               .gather = gather,
                               .user = f,
                               .tolerance = 1e-3};
}

/* With C 1: weights are upper bounds. */
static void solve(nitro_context *context, const nitro_smo_problem *problem, double *coefficients,
                  double *rho)
{
    nitro_smo *smo = NULL;
    assert_ok(context, nitro_smo_create(context, problem, &smo));
    nitro_smo_solve(smo, 1.0, coefficients, rho);
    nitro_smo_free(smo);
}

static void quiet(const char *text)
{
    (void)text;
}

/* LIBSVM with a precomputed kernel and no shrinking: coefficients by row, and rho. */
static void solve_with_libsvm(const fixture *f, size_t num_rows, double *coefficients, double *rho)
{
    struct svm_node *nodes = calloc(num_rows * (num_rows + 2), sizeof(*nodes));
    struct svm_node **lines = calloc(num_rows, sizeof(*lines));
    double *labels = calloc(num_rows, sizeof(*labels));
    for (size_t i = 0; i < num_rows; i++) {
        struct svm_node *line = lines[i] = nodes + i * (num_rows + 2);
        line[0] = (struct svm_node){.index = 0, .value = (double)(i + 1)};
        for (size_t j = 0; j < num_rows; j++)
            line[j + 1] = (struct svm_node){.index = (int)j + 1,
                                            .value = f->kernel[f->rows[i] * NUM_ROWS + f->rows[j]]};
        line[num_rows + 1].index = -1;
        labels[i] = f->labels[i];
    }
    struct svm_problem problem = {.l = (int)num_rows, .y = labels, .x = lines};
    struct svm_parameter parameter = {.svm_type = C_SVC,
                                      .kernel_type = PRECOMPUTED,
                                      .cache_size = 50,
                                      .eps = 1e-3,
                                      .C = f->upper_bounds[0]};
    svm_set_print_string_function(quiet);
    struct svm_model *model = svm_train(&problem, &parameter);
    double sign = model->label[0] > 0 ? 1 : -1;
    memset(coefficients, 0, num_rows * sizeof(*coefficients));
    for (int k = 0; k < model->l; k++)
        coefficients[model->sv_indices[k] - 1] = sign * model->sv_coef[0][k];
    *rho = sign * model->rho[0];
    svm_free_and_destroy_model(&model);
    free(labels);
    free(lines);
    free(nodes);
}

/* LIBSVM trains on the rows of its first label, then those of its second: give both that order. */
static void sort_rows_by_first_label(fixture *f, size_t num_rows)
{
    uint32_t order[NUM_ROWS];
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < num_rows; i++)
            if ((f->labels[i] > 0) == (pass == 0))
                order[count++] = (uint32_t)i;
    signed char labels[NUM_ROWS];
    for (size_t i = 0; i < num_rows; i++)
        labels[i] = f->labels[order[i]];
    memcpy(f->labels, labels, num_rows);
    memcpy(f->rows, order, num_rows * sizeof(*order));
}

static void check_against_libsvm(nitro_context *context, fixture *f, size_t num_rows)
{
    double ours[NUM_ROWS], theirs[NUM_ROWS], our_rho, their_rho;
    nitro_smo_problem problem = problem_of(f, num_rows);
    solve(context, &problem, ours, &our_rho);
    solve_with_libsvm(f, num_rows, theirs, &their_rho);
    for (size_t i = 0; i < num_rows; i++)
        assert_true(ours[i] == theirs[i]);
    assert_true(our_rho == their_rho);
}

static void test_equals_libsvm_bit_for_bit(void **state)
{
    (void)state;
    unit_skip_if_libsvm_fuses();
    nitro_context *context = unit_context();
    for (uint64_t seed = 1; seed <= 8; seed++) {
        fixture *f = make_fixture(seed, seed % 2 ? 0.05 : 0.4);
        size_t num_rows = seed % 3 ? NUM_ROWS : 57;
        sort_rows_by_first_label(f, num_rows);
        check_against_libsvm(context, f, num_rows);
        free(f);
    }
    nitro_context_free(context);
}

/* Many steps, and bounded and free support vectors. */
static void test_equals_libsvm_with_a_large_c(void **state)
{
    (void)state;
    unit_skip_if_libsvm_fuses();
    nitro_context *context = unit_context();
    for (uint64_t seed = 1; seed <= 6; seed++) {
        fixture *f = make_fixture(seed, seed % 2 ? 0.05 : 0.2);
        sort_rows_by_first_label(f, NUM_ROWS);
        f->upper_bounds[0] = seed % 3 ? 2048 : 256;
        for (size_t i = 1; i < NUM_ROWS; i++)
            f->upper_bounds[i] = f->upper_bounds[0];
        check_against_libsvm(context, f, NUM_ROWS);
        free(f);
    }
    nitro_context_free(context);
}

/* Rows that occur three times tie at every step: the last one is taken. */
static void test_equals_libsvm_with_ties(void **state)
{
    (void)state;
    unit_skip_if_libsvm_fuses();
    nitro_context *context = unit_context();
    for (uint64_t seed = 1; seed <= 6; seed++) {
        fixture *f = make_fixture(seed, 0.2);
        for (size_t i = 0; i < NUM_ROWS; i++) {
            f->rows[i] = (uint32_t)(i % (NUM_ROWS / 3));
            f->labels[i] = f->labels[f->rows[i]];
            f->upper_bounds[i] = seed % 2 ? 2048 : 4;
        }
        signed char labels[NUM_ROWS];
        size_t rows[NUM_ROWS], next = 0;
        for (int label = 1; label >= -1; label -= 2)
            for (size_t i = 0; i < NUM_ROWS; i++)
                if (f->labels[i] == label) {
                    rows[next] = f->rows[i];
                    labels[next++] = (signed char)label;
                }
        memcpy(f->labels, labels, sizeof(labels));
        memcpy(f->rows, rows, sizeof(rows));
        check_against_libsvm(context, f, NUM_ROWS);
        free(f);
    }
    nitro_context_free(context);
}

static double decision(const fixture *f, const double *coefficients, double rho,
                       const double *point)
{
    double sum = -rho;
    for (size_t i = 0; i < NUM_ROWS; i++)
        sum += coefficients[i] * rbf(f->points[f->rows[i]], point);
    return sum;
}

/* A row of weight 2 is two rows of weight 1. */
static void test_a_weight_is_a_repeated_row(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    fixture *f = make_fixture(11, 0.3);
    nitro_smo_problem problem = problem_of(f, NUM_ROWS);
    problem.tolerance = 1e-9;
    const size_t num_twice = 40;
    signed char labels[NUM_ROWS + 40];
    double bounds[NUM_ROWS + 40], repeated[NUM_ROWS + 40], weighted[NUM_ROWS], rho_a, rho_b;
    for (size_t i = 0; i < NUM_ROWS + num_twice; i++) {
        f->rows[i] = (uint32_t)(i % NUM_ROWS);
        labels[i] = f->labels[i % NUM_ROWS];
        bounds[i] = 10;
    }
    nitro_smo_problem twice = problem;
    twice.num_rows = NUM_ROWS + num_twice;
    twice.labels = labels;
    twice.weights = bounds;
    solve(context, &twice, repeated, &rho_a);
    for (size_t i = 0; i < num_twice; i++) {
        f->upper_bounds[i] = 20;
        repeated[i] += repeated[NUM_ROWS + i];
    }
    solve(context, &problem, weighted, &rho_b);
    nitro_random random;
    nitro_random_seed(&random, 5);
    for (int k = 0; k < 200; k++) {
        double point[NUM_COLUMNS];
        for (int c = 0; c < NUM_COLUMNS; c++)
            point[c] = 2 * nitro_random_uniform(&random) - 1;
        double a = decision(f, repeated, rho_a, point), b = decision(f, weighted, rho_b, point);
        assert_true(fabs(a - b) < 1e-5);
    }
    free(f);
    nitro_context_free(context);
}

/* One solver for several C gives the results of one each, and gathers no column twice. */
static void test_one_solver_for_several_c(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    fixture *f = make_fixture(4, 0.05);
    nitro_smo_problem problem = problem_of(f, NUM_ROWS), single = problem;
    problem.weights = NULL;
    nitro_smo *smo = NULL;
    size_t num_by_solver = 0;
    assert_ok(context, nitro_smo_create(context, &problem, &smo));
    for (double c = 0.5; c < 1e9; c *= 8) {
        double ours[NUM_ROWS], expected[NUM_ROWS], rho, expected_rho;
        for (size_t i = 0; i < NUM_ROWS; i++)
            f->upper_bounds[i] = c;
        solve(context, &single, expected, &expected_rho);
        num_gathered = 0;
        nitro_smo_solve(smo, c, ours, &rho);
        num_by_solver += num_gathered;
        assert_memory_equal(ours, expected, sizeof(ours));
        assert_true(rho == expected_rho);
    }
    assert_true(num_by_solver <= NUM_ROWS);
    nitro_smo_free(smo);
    free(f);
    nitro_context_free(context);
}

/* The equality constraint, the box constraints and the optimality conditions. */
static void test_the_answer_is_optimal(void **state)
{
    (void)state;
    nitro_context *context = unit_context();
    fixture *f = make_fixture(3, 0.5);
    nitro_random random;
    nitro_random_seed(&random, 9);
    for (size_t i = 0; i < NUM_ROWS; i++)
        f->upper_bounds[i] = 0.01 + 20 * nitro_random_uniform(&random);
    nitro_smo_problem problem = problem_of(f, NUM_ROWS);
    double coefficients[NUM_ROWS], rho, sum = 0;
    solve(context, &problem, coefficients, &rho);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        double alpha = f->labels[i] * coefficients[i];
        double margin = f->labels[i] * decision(f, coefficients, rho, f->points[i]);
        assert_true(alpha >= 0 && alpha <= f->upper_bounds[i]);
        if (alpha < f->upper_bounds[i])
            assert_true(margin > 1 - 2e-3);
        if (alpha > 0)
            assert_true(margin < 1 + 2e-3);
        sum += coefficients[i];
    }
    assert_true(fabs(sum) < 1e-9);
    free(f);
    nitro_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_libsvm_bit_for_bit),
        cmocka_unit_test(test_equals_libsvm_with_a_large_c),
        cmocka_unit_test(test_equals_libsvm_with_ties),
        cmocka_unit_test(test_a_weight_is_a_repeated_row),
        cmocka_unit_test(test_one_solver_for_several_c),
        cmocka_unit_test(test_the_answer_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
