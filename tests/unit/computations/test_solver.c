/* Every host variant of the solver on every family: what it solves has a small residual in long
 * double and is near the known solution, what it does not leaves x alone and says why; the same
 * bits with any number of threads; singular, unsymmetric, oblong and broken systems; falling
 * through to another variant; features. */
#include <omp.h>

#include "apps/solver/systems.h"
#include "nitro/runtime/computation.h"
#include "unit/computation_fixture.h"

#define UNTOUCHED 12345.0

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_solver);
}

static nitro_solver *make(const computation_fixture *f, size_t family, double size, uint64_t seed)
{
    nitro_random random;
    char label[NITRO_KIT_LABEL];
    void *data = NULL;
    nitro_solver *system = NULL;
    nitro_random_seed(&random, seed);
    assert_ok(f->context, nitro_system_make(f->context, family, &random, size, label, &data));
    assert_ok(f->context, nitro_solver_kit.adopt(f->context, data, (void **)&system));
    return system;
}

/* A system of a dense matrix, by rows; zeros are not stored. */
static nitro_solver *make_dense(const computation_fixture *f, int64_t n, const double *a,
                                const double *b)
{
    nitro_matrix_entries entries = {.num_rows = n, .num_cols = n};
    nitro_matrix *matrix = NULL;
    nitro_solver *system = NULL;
    for (int64_t i = 0; i < n * n; i++)
        if (a[i] != 0)
            assert_ok(f->context,
                      nitro_matrix_entries_add(f->context, &entries, i / n, i % n, a[i]));
    assert_ok(f->context, nitro_matrix_create(f->context, "dense", &entries, &matrix));
    assert_ok(f->context, nitro_solver_kit.adopt(f->context, matrix, (void **)&system));
    if (b)
        memcpy((double *)system->b, b, (size_t)n * sizeof(*b));
    return system;
}

static long double residual_of(const nitro_solver *system)
{
    long double sum = 0, norm = 0;
    for (int64_t i = 0; i < system->num_rows; i++) {
        long double left = -(long double)system->b[i];
        for (int64_t k = system->row_offsets[i]; k < system->row_offsets[i + 1]; k++)
            left += (long double)system->values[k] * system->x[system->columns[k]];
        sum += left * left;
        norm += (long double)system->b[i] * system->b[i];
    }
    return norm > 0 ? sqrtl(sum / norm) : sum;
}

static int run_one(const nitro_variant *variant, nitro_solver *system)
{
    assert_int_equal(variant->prepare(system, variant->user), 0);
    for (int64_t i = 0; i < system->num_rows; i++)
        system->x[i] = UNTOUCHED;
    int failure = variant->run(system, variant->user);
    if (failure) {
        assert_true(failure >= NITRO_RUN_NOT_CONVERGED && failure <= NITRO_RUN_NOT_FINITE);
        assert_true(system->problem[0] != '\0');
        for (int64_t i = 0; i < system->num_rows; i++)
            assert_true(system->x[i] == UNTOUCHED);
        return failure;
    }
    assert_string_equal(system->problem, "");
    assert_true(system->residual <= NITRO_SOLVER_TOLERANCE);
    if (!(residual_of(system) <= 1.01L * NITRO_SOLVER_TOLERANCE))
        fail_msg("%s: residual %.3Lg", variant->name, residual_of(system));
    return 0;
}

static const nitro_variant *variant_of(const computation_fixture *f, const char *name)
{
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++)
        if (strcmp(f->computation->variants[v].name, name) == 0)
            return &f->computation->variants[v];
    fail_msg("no variant %s", name);
    return NULL;
}

/* Runs all allowed variants; returns how many solved the system. */
static size_t run_all(const computation_fixture *f, nitro_solver *system)
{
    double features[NITRO_SOLVER_NUM_FEATURES];
    size_t num_solved = 0;
    assert_ok(f->context, nitro_computation_evaluate(f->computation, system, features));
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        if (!variant->allows || variant->allows(features, system, variant->user))
            num_solved += run_one(variant, system) == 0;
    }
    return num_solved;
}

static void every_family(void **state)
{
    static const double sizes[] = {0, 1, 10, 77, 500, 9001};
    for (size_t family = 0; family < NITRO_SYSTEM_NUM_FAMILIES; family++)
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            nitro_solver *system = make(*state, family, sizes[s], family + s);
            if (run_all(*state, system) == 0)
                fail_msg("%s of size %g: no variant solves it", nitro_system_families[family].name,
                         sizes[s]);
            nitro_kit_free(&nitro_solver_kit, false, system);
        }
}

/* Symmetric positive definite, some with jumps and scales: variants must solve these. */
static void definite_systems_are_solved_by_all(void **state)
{
    static const size_t families[] = {0, 1, 3, 4, 6, 10, 11, 12};
    const computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        nitro_solver *system = make(f, families[i], 4000, i);
        assert_int_equal(run_all(f, system), nitro_computation_num_variants(f->computation));
        nitro_kit_free(&nitro_solver_kit, false, system);
    }
}

static void solutions_are_the_known_ones(void **state)
{
    const computation_fixture *f = *state;
    nitro_solver *system = make(f, 0, 3000, 7);
    double *known = calloc((size_t)system->num_rows, sizeof(*known));
    memcpy(known, system->x, (size_t)system->num_rows * sizeof(*known));
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        assert_int_equal(run_one(&f->computation->variants[v], system), 0);
        for (int64_t i = 0; i < system->num_rows; i++)
            assert_true(fabs(system->x[i] - known[i]) < 1e-5);
    }
    free(known);
    nitro_kit_free(&nitro_solver_kit, false, system);
}

static void couple(double *a, int64_t n, int64_t row, int64_t column, double weight)
{
    a[row * n + column] = a[column * n + row] = -weight;
    a[row * n + row] += weight;
    a[column * n + column] += weight;
}

/* Blocks of two and three unknowns, rows of different lengths, and one row with most columns: the
 * host's variants store each in another way after some iterations. */
static void rows_of_all_kinds(void **state)
{
    enum { N = 203, BLOCKS_OF_TWO = 60, BLOCKS_OF_THREE = 120, LONG_ROW = 150 };
    static double a[N * N];
    const computation_fixture *f = *state;
    memset(a, 0, sizeof(a));
    for (int64_t i = 0; i < N; i++)
        a[i * N + i] = 0.01 * (double)(1 + i % 5);
    for (int64_t row = 0; row < BLOCKS_OF_THREE; row++) {
        int64_t block = row < BLOCKS_OF_TWO ? 2 : 3, first = row / block * block;
        for (int64_t column = row + 1; column < first + 2 * block; column++)
            couple(a, N, row, column, 1 + (double)(column % 3));
    }
    for (int64_t row = BLOCKS_OF_THREE; row + 7 < N; row++) {
        couple(a, N, row, row + 1, 1);
        if (row % 3 == 0)
            couple(a, N, row, row + 7, 2);
        if (row % 2 == 0 && row != LONG_ROW)
            couple(a, N, row, LONG_ROW, 0.5);
    }
    nitro_solver *system = make_dense(f, N, a, NULL);
    assert_int_equal(run_all(f, system), nitro_computation_num_variants(f->computation));
    assert_int_equal(run_one(&f->computation->variants[0], system), 0);
    assert_true(system->iterations > 10);
    nitro_kit_free(&nitro_solver_kit, false, system);
}

/* A chain whose rows are coupled with their neighbours, and two rows with each other: on diagonals
 * that a sample of the rows may not show. */
static void an_entry_beside_all_diagonals_counts(void **state)
{
    enum { N = 5000 };
    const computation_fixture *f = *state;
    for (int64_t coupled = 700; coupled < 703; coupled++) {
        nitro_matrix_entries entries = {.num_rows = N, .num_cols = N};
        nitro_matrix *matrix = NULL;
        nitro_solver *system = NULL;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++)
                assert_ok(f->context,
                          nitro_matrix_entries_add(f->context, &entries, i, j, i == j ? 2.1 : -1));
        assert_ok(f->context,
                  nitro_matrix_entries_add(f->context, &entries, coupled, 4 * coupled, -0.05));
        assert_ok(f->context,
                  nitro_matrix_entries_add(f->context, &entries, 4 * coupled, coupled, -0.05));
        assert_ok(f->context, nitro_matrix_create(f->context, "chain", &entries, &matrix));
        assert_ok(f->context, nitro_solver_kit.adopt(f->context, matrix, (void **)&system));
        assert_int_equal(run_all(f, system), nitro_computation_num_variants(f->computation));
        assert_int_equal(run_one(&f->computation->variants[0], system), 0);
        assert_true(system->iterations > 10);
        nitro_kit_free(&nitro_solver_kit, false, system);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    const computation_fixture *f = *state;
    int threads = omp_get_max_threads();
    nitro_solver *system = make(f, 1, 60001, 3);
    size_t bytes = (size_t)system->num_rows * sizeof(double);
    double *first = malloc(bytes);
    nitro_host_assume_wake_ns(0);
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        omp_set_num_threads(1);
        assert_int_equal(run_one(variant, system), 0);
        int64_t iterations = system->iterations;
        memcpy(first, system->x, bytes);
        omp_set_num_threads(3);
        assert_int_equal(run_one(variant, system), 0);
        assert_int_equal(system->iterations, iterations);
        assert_memory_equal(system->x, first, bytes);
    }
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
    free(first);
    nitro_kit_free(&nitro_solver_kit, false, system);
}

static void expect_of_all(const computation_fixture *f, nitro_solver *system, int failure)
{
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        int found = run_one(&f->computation->variants[v], system);
        if (failure ? found != failure : found == 0)
            fail_msg("%s returned %d: %s", f->computation->variants[v].name, found,
                     system->problem);
    }
    nitro_kit_free(&nitro_solver_kit, false, system);
}

static void unsolvable_systems_fail(void **state)
{
    static const double zeros[4] = {0}, ones[] = {1, 1, 1, 1}, right[] = {1, 0};
    expect_of_all(*state, make_dense(*state, 2, zeros, right), 0);
    expect_of_all(*state, make_dense(*state, 2, ones, right), 0);
}

static void what_is_not_finite_is_found(void **state)
{
    static const double identity[] = {1, 0, 0, 1}, tiny[] = {1e-310, 0, 0, 1e-310}, ones[] = {1, 1};
    const double right[] = {1, (double)NAN};
    expect_of_all(*state, make_dense(*state, 2, identity, right), NITRO_RUN_NOT_FINITE);
    nitro_solver *system = make_dense(*state, 2, tiny, ones);
    run_one(variant_of(*state, "bicgstab_jacobi"), system);
    assert_string_equal(system->problem, "not finite after 1 iteration, residual nan");
    nitro_kit_free(&nitro_solver_kit, false, system);
    system = make(*state, 0, 1000, 1);
    ((double *)system->values)[77] = (double)INFINITY;
    expect_of_all(*state, system, 0);
}

static void iterations_end_at_their_limit(void **state)
{
    nitro_solver *system = make(*state, 0, 5000, 1);
    system->max_iterations = 2;
    assert_int_equal(run_one(variant_of(*state, "cg_jacobi"), system), NITRO_RUN_NOT_CONVERGED);
    assert_int_equal(system->iterations, 2);
    assert_true(system->residual > 1e-3 && system->residual < 100);
    assert_non_null(strstr(system->problem, "not converged after 2 iterations, residual "));
    expect_of_all(*state, system, NITRO_RUN_NOT_CONVERGED);
}

static void right_side_of_zeros(void **state)
{
    static const double matrix[] = {4, 1, 1, 3}, right[] = {0, 0};
    const computation_fixture *f = *state;
    nitro_solver *system = make_dense(f, 2, matrix, right);
    assert_int_equal(run_all(f, system), nitro_computation_num_variants(f->computation));
    assert_true(system->x[0] == 0 && system->x[1] == 0);
    nitro_kit_free(&nitro_solver_kit, false, system);
}

/* Squares of such b vanish or overflow. Solutions of the least are not exact enough. */
static void right_sides_of_any_scale(void **state)
{
    static const double scales[] = {1e-300, 1e-170, 1e-130, 1e150, 1e300, 1e-318};
    const computation_fixture *f = *state;
    size_t num_variants = nitro_computation_num_variants(f->computation), num_scales = 6;
    for (size_t s = 0; s < num_scales; s++) {
        nitro_solver *system = make(f, 0, 3000, 1);
        for (int64_t i = 0; i < system->num_rows; i++)
            ((double *)system->b)[i] *= scales[s];
        size_t num_solved = run_all(f, system);
        assert_int_equal(num_solved, s + 1 < num_scales ? num_variants : 0);
        nitro_kit_free(&nitro_solver_kit, false, system);
    }
}

/* Of finite elements, however small or large. */
static void features_are_finite(void **state)
{
    static const double matrix[] = {1e300, 5e-324, 1e300, 1e-320}, huge[] = {1e308, -1e308, 1, 1e9};
    const computation_fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        double features[NITRO_SOLVER_NUM_FEATURES];
        nitro_solver *system = make_dense(f, 2, i == 0 ? matrix : huge, NULL);
        assert_ok(f->context, nitro_computation_evaluate(f->computation, system, features));
        nitro_kit_free(&nitro_solver_kit, false, system);
    }
}

static void no_room_is_a_failure(void **state)
{
    const computation_fixture *f = *state;
    nitro_solver *system = make(f, 0, 1000, 1);
    for (size_t v = 0; v < nitro_computation_num_variants(f->computation); v++) {
        const nitro_variant *variant = &f->computation->variants[v];
        assert_int_equal(variant->run(system, variant->user), 1);
    }
    nitro_kit_free(&nitro_solver_kit, false, system);
}

/* Incomplete factors need a diagonal; without a model the first variant follows. */
static void another_variant_runs_after_a_failure(void **state)
{
    static const double swap[] = {0, 2, 3, 0};
    const computation_fixture *f = *state;
    nitro_solver *system = make_dense(f, 2, swap, (double[]){4, 9});
    nitro_decision decision;
    assert_ok(f->context, nitro_run(f->computation, system, &decision));
    assert_int_equal(decision.reason, NITRO_REASON_RUN_FAILED);
    assert_true(strncmp(decision.variant_name, "bicgstab_", 9) == 0);
    assert_true(fabs(system->x[0] - 3) < 1e-6 && fabs(system->x[1] - 2) < 1e-6);
    nitro_kit_free(&nitro_solver_kit, false, system);
}

static void load(const computation_fixture *f, const char *text, const char *error,
                 const char *described)
{
    const char *path = BINARY_DIR "/test_solver.mtx";
    void *argument = NULL;
    char shown[160];
    assert_ok(f->context, nitro_file_write(f->context, path, text, strlen(text)));
    nitro_status status = nitro_module_solver.load(f->context, path, &argument);
    if (error) {
        assert_fails(f->context, status, NITRO_ERR_FORMAT, error);
    } else {
        assert_ok(f->context, status);
        nitro_module_solver.describe(argument, shown, sizeof(shown));
        assert_string_equal(shown, described);
        assert_true(run_all(f, argument) > 0);
        nitro_module_solver.unload(argument);
    }
    remove(path);
}

static void matrices_of_files(void **state)
{
#define HEADER "%%MatrixMarket matrix coordinate real general\n"
    load(*state, HEADER "3 3 4\n1 1 2\n2 2 3\n3 3 4\n1 3 1\n", NULL, "3 equations, 4 non-zeros");
    load(*state, HEADER "0 0 0\n", NULL, "0 equations, 0 non-zeros");
    load(*state, HEADER "2 3 1\n1 1 1\n",
         "test_solver.mtx: the matrix is 2 x 3, and a system to solve needs a square one", NULL);
}

static void features_tell_systems_apart(void **state)
{
    const computation_fixture *f = *state;
    double values[2][NITRO_SOLVER_NUM_FEATURES];
    for (size_t i = 0; i < 2; i++) { /* poisson2d and convection2d */
        nitro_solver *system = make(f, 2 * i, 20000, 5);
        assert_ok(f->context, nitro_computation_evaluate(f->computation, system, values[i]));
        assert_true(values[i][NITRO_SOLVER_NUM_ROWS] == (double)system->num_rows);
        nitro_kit_free(&nitro_solver_kit, false, system);
    }
    assert_true(values[0][NITRO_SOLVER_ASYMMETRY] == 0 && values[1][NITRO_SOLVER_ASYMMETRY] > 0.3);
    assert_true(values[0][NITRO_SOLVER_DIAGONAL_MEAN] == 4);
    assert_true(values[0][NITRO_SOLVER_DIAGONAL_VARIANCE] == 0);
    assert_true(values[0][NITRO_SOLVER_NORM] == 8);
    assert_true(values[0][NITRO_SOLVER_DOMINANCE] == 1);
    assert_true(values[0][NITRO_SOLVER_NOT_POSITIVE] == 0);
    assert_true(values[0][NITRO_SOLVER_TRACE] == 4 * values[0][NITRO_SOLVER_NUM_ROWS]);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, computation_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_family),
        TEST(definite_systems_are_solved_by_all),
        TEST(solutions_are_the_known_ones),
        TEST(threads_do_not_change_a_bit),
        TEST(unsolvable_systems_fail),
        TEST(what_is_not_finite_is_found),
        TEST(rows_of_all_kinds),
        TEST(an_entry_beside_all_diagonals_counts),
        TEST(iterations_end_at_their_limit),
        TEST(right_side_of_zeros),
        TEST(right_sides_of_any_scale),
        TEST(features_are_finite),
        TEST(no_room_is_a_failure),
        TEST(another_variant_runs_after_a_failure),
        TEST(matrices_of_files),
        TEST(features_tell_systems_apart),
    };
    return cmocka_run_group_tests_name("solver", tests, NULL, NULL);
}
