/* Input features of spmv against values computed by hand, and against the recorded SpMV
 * measurements for matrices in both collections. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "apps/matrix/matrix.h"
#include "apps/matrix/matrix_market.h"
#include "unit/computation_fixture.h"
#include "unit/spmv_inputs.h"
#include "variants/spmv/spmv.h"

static int setup(void **state)
{
    return computation_setup(state, &nitro_module_spmv);
}

/* A matrix with rows of these lengths, entries at columns 0, 1, 2... */
static nitro_spmv *with_lengths(const computation_fixture *f, const int64_t *lengths,
                                int64_t num_rows, int64_t num_cols)
{
    nitro_matrix_entries entries = {.num_rows = num_rows, .num_cols = num_cols};
    for (int64_t row = 0; row < num_rows; row++)
        for (int64_t column = 0; column < lengths[row]; column++)
            assert_ok(f->context, nitro_matrix_entries_add(f->context, &entries, row, column, 1));
    nitro_spmv *spmv = NULL;
    assert_ok(f->context, spmv_inputs_create(f->context, "test", &entries, &spmv));
    return spmv;
}

static void evaluate(const computation_fixture *f, const nitro_spmv *spmv,
                     double values[NITRO_SPMV_NUM_FEATURES])
{
    for (int i = 0; i < NITRO_SPMV_NUM_FEATURES; i++)
        values[i] = -77; /* all of them must be written */
    assert_ok(f->context, nitro_computation_evaluate(f->computation, spmv, values));
}

static void assert_feature(double value, double expected, const char *what)
{
    if (!(fabs(value - expected) <= 1e-12 * fmax(fabs(expected), 1)))
        fail_msg("%s is %.17g instead of %.17g", what, value, expected);
}

static void names_are_in_declared_order(void **state)
{
    static const char *const names[NITRO_SPMV_NUM_FEATURES] = {
        [NITRO_SPMV_AVG_NZ_PER_ROW] = "avg_nz_per_row",
        [NITRO_SPMV_ROWS] = "rows",
        [NITRO_SPMV_COLS] = "cols",
        [NITRO_SPMV_NNZ] = "nnz",
        [NITRO_SPMV_DENSITY] = "density",
        [NITRO_SPMV_RLSD] = "rlsd",
        [NITRO_SPMV_MAX_DEVIATION] = "max_deviation",
        [NITRO_SPMV_ELL_FILLIN] = "ell_fillin",
        [NITRO_SPMV_ROW_MIN] = "row_min",
        [NITRO_SPMV_ROW_Q1] = "row_q1",
        [NITRO_SPMV_ROW_MEDIAN] = "row_median",
        [NITRO_SPMV_ROW_Q3] = "row_q3",
        [NITRO_SPMV_ROW_MAX] = "row_max",
        [NITRO_SPMV_ROW_VARIANCE] = "row_variance",
        [NITRO_SPMV_ROW_SKEWNESS] = "row_skewness",
        [NITRO_SPMV_DIA_FILLIN] = "dia_fillin",
    };
    computation_fixture *f = *state;
    assert_int_equal(nitro_computation_num_features(f->computation), NITRO_SPMV_NUM_FEATURES);
    for (size_t i = 0; i < NITRO_SPMV_NUM_FEATURES; i++)
        assert_string_equal(nitro_computation_feature_name(f->computation, i), names[i]);
}

static void values_are_as_worked_out_by_hand(void **state)
{
    computation_fixture *f = *state;
    const int64_t lengths[] = {1, 2, 0, 5}; /* mean 2; deviations -1 0 -2 3 */
    nitro_spmv *spmv = with_lengths(f, lengths, 4, 6);
    double values[NITRO_SPMV_NUM_FEATURES];
    evaluate(f, spmv, values);
    assert_feature(values[NITRO_SPMV_AVG_NZ_PER_ROW], 2, "avg_nz_per_row");
    assert_feature(values[NITRO_SPMV_ROWS], 4, "rows");
    assert_feature(values[NITRO_SPMV_COLS], 6, "cols");
    assert_feature(values[NITRO_SPMV_NNZ], 8, "nnz");
    assert_feature(values[NITRO_SPMV_DENSITY], 8.0 / 24, "density");
    assert_feature(values[NITRO_SPMV_ROW_VARIANCE], 14.0 / 4, "row_variance");
    assert_feature(values[NITRO_SPMV_RLSD], sqrt(3.5) / 2, "rlsd");
    assert_feature(values[NITRO_SPMV_MAX_DEVIATION], 1.5, "max_deviation");
    assert_feature(values[NITRO_SPMV_ELL_FILLIN], 2.5, "ell_fillin");
    assert_feature(values[NITRO_SPMV_ROW_MIN], 0, "row_min");
    assert_feature(values[NITRO_SPMV_ROW_Q1], 0.5, "row_q1");
    assert_feature(values[NITRO_SPMV_ROW_MEDIAN], 1.5, "row_median");
    assert_feature(values[NITRO_SPMV_ROW_Q3], 3.5, "row_q3");
    assert_feature(values[NITRO_SPMV_ROW_MAX], 5, "row_max");
    assert_feature(values[NITRO_SPMV_ROW_SKEWNESS], (-1.0 - 8 + 27) / 4 / pow(3.5, 1.5),
                   "skewness");
    /* diagonals: row 0: 0; row 1: -1, 0; row 3: -3 to 1: five of them */
    assert_feature(values[NITRO_SPMV_DIA_FILLIN], 5 * 4 / 8.0, "dia_fillin");
    spmv_inputs_free(spmv);
}

/* Quartiles for every remainder of the rows by four, as the recorded measurements define them. */
static void quartiles_follow_the_recorded_definition(void **state)
{
    static const struct {
        int64_t lengths[8]; /* unsorted on purpose */
        int64_t count;
        double q1, median, q3;
    } cases[] = {
        {{7}, 1, 7, 7, 7},
        {{9, 1}, 2, 1, 5, 9},
        {{9, 1, 5}, 3, 4, 5, 6},
        {{8, 4, 2, 1}, 4, 1.5, 3, 6},
        {{16, 8, 4, 2, 1}, 5, 1.25, 4, 14},
        {{32, 16, 8, 4, 2, 1}, 6, 2, 6, 16},
        {{64, 32, 16, 8, 4, 2, 1}, 7, 3.5, 8, 20},
        {{128, 64, 32, 16, 8, 4, 2, 1}, 8, 3, 12, 48},
    };
    computation_fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        nitro_spmv *spmv = with_lengths(f, cases[i].lengths, cases[i].count, 128);
        double values[NITRO_SPMV_NUM_FEATURES];
        evaluate(f, spmv, values);
        assert_feature(values[NITRO_SPMV_ROW_Q1], cases[i].q1, "row_q1");
        assert_feature(values[NITRO_SPMV_ROW_MEDIAN], cases[i].median, "row_median");
        assert_feature(values[NITRO_SPMV_ROW_Q3], cases[i].q3, "row_q3");
        spmv_inputs_free(spmv);
    }
}

/* Rows too long to be counted one by one take another way to the same quartiles. */
static void quartiles_of_very_long_rows(void **state)
{
    computation_fixture *f = *state;
    const int64_t lengths[] = {5000, 1023, 3000, 1024, 20000, 1, 4000, 1025};
    nitro_spmv *spmv = with_lengths(f, lengths, 8, 20000);
    double values[NITRO_SPMV_NUM_FEATURES];
    evaluate(f, spmv, values);
    assert_feature(values[NITRO_SPMV_ROW_Q1], (1023 + 1024) / 2.0, "row_q1");
    assert_feature(values[NITRO_SPMV_ROW_MEDIAN], (1025 + 3000) / 2.0, "row_median");
    assert_feature(values[NITRO_SPMV_ROW_Q3], (4000 + 5000) / 2.0, "row_q3");
    assert_feature(values[NITRO_SPMV_ROW_MAX], 20000, "row_max");
    spmv_inputs_free(spmv);
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Groups of short rows are counted in another way than groups with a longer row, and a block gives
 * up on groups after some of those: lengths on both sides of that bound, rare and frequent. */
static void short_rows_are_counted_exactly(void **state)
{
    static const struct {
        int64_t least, most, outlier, period; /* every period-th row has the outlier's length */
    } cases[] = {{0, 2, 0, 7},   {0, 7, 7, 1},   {0, 7, 8, 5000}, {0, 8, 0, 1000},
                 {7, 7, 7, 1},   {7, 8, 9, 101}, {0, 2, 300, 90}, {0, 3, 64, 900},
                 {0, 1, 600, 4}, {2, 3, 256, 64}};
    enum { ROWS = 6052 }; /* some blocks, some groups, and 36 rows */
    computation_fixture *f = *state;
    nitro_random random;
    nitro_random_seed(&random, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t lengths[ROWS];
        double values[NITRO_SPMV_NUM_FEATURES];
        uint64_t range = (uint64_t)(cases[i].most - cases[i].least + 1);
        for (int64_t row = 0; row < ROWS; row++)
            lengths[row] = row % cases[i].period == cases[i].period - 1
                               ? cases[i].outlier
                               : cases[i].least + (int64_t)nitro_random_below(&random, range);
        nitro_spmv *spmv = with_lengths(f, lengths, ROWS, 1000);
        evaluate(f, spmv, values);
        double squares = 0, mean = (double)spmv->num_nonzeros / ROWS;
        for (int64_t row = 0; row < ROWS; row++)
            squares += ((double)lengths[row] - mean) * ((double)lengths[row] - mean);
        qsort(lengths, ROWS, sizeof(*lengths), compare_lengths);
        for (int64_t q = 1; q <= 3; q++)
            assert_feature(values[NITRO_SPMV_ROW_Q1 + q - 1],
                           (double)(lengths[q * ROWS / 4 - 1] + lengths[q * ROWS / 4]) / 2,
                           "quartile");
        assert_feature(values[NITRO_SPMV_ROW_MIN], (double)lengths[0], "row_min");
        assert_feature(values[NITRO_SPMV_ROW_MAX], (double)lengths[ROWS - 1], "row_max");
        assert_true(fabs(values[NITRO_SPMV_ROW_VARIANCE] - squares / ROWS) <= 1e-9 * squares);
        spmv_inputs_free(spmv);
    }
}

static double exact_dia_fillin(const nitro_spmv *spmv)
{
    size_t num_diagonals = (size_t)(spmv->num_rows + spmv->num_cols), count = 0;
    unsigned char *occupied = calloc(num_diagonals, 1);
    assert_non_null(occupied);
    for (int64_t row = 0; row < spmv->num_rows; row++)
        for (int64_t k = spmv->row_offsets[row]; k < spmv->row_offsets[row + 1]; k++)
            occupied[spmv->num_rows - row + spmv->columns[k]] = 1;
    for (size_t i = 0; i < num_diagonals; i++)
        count += occupied[i];
    free(occupied);
    return (double)count * (double)spmv->num_rows / (double)spmv->num_nonzeros;
}

/* The bounds that the features' file states, on every family and many sizes. */
static void diagonals_are_estimated_within_the_stated_bounds(void **state)
{
    computation_fixture *f = *state;
    size_t num_sampled = 0, num_banded = 0;
    for (size_t i = 0; i < 3 * NITRO_MATRIX_NUM_FAMILIES; i++) {
        char name[256];
        nitro_spmv *spmv = NULL;
        double values[NITRO_SPMV_NUM_FEATURES];
        assert_ok(f->context, spmv_inputs_generate(f->context, 7, i, name, sizeof(name), &spmv));
        evaluate(f, spmv, values);
        double exact = exact_dia_fillin(spmv), ratio = values[NITRO_SPMV_DIA_FILLIN] / exact;
        if (spmv->num_nonzeros <= 16384)
            assert_feature(values[NITRO_SPMV_DIA_FILLIN], exact, name);
        else if (exact <= 10 ? fabs(ratio - 1) > 0.35 : ratio < 0.5 || ratio > 2)
            fail_msg("%s: dia_fillin is %g, exact %g", name, values[NITRO_SPMV_DIA_FILLIN], exact);
        num_sampled += spmv->num_nonzeros > 16384;
        num_banded += spmv->num_nonzeros > 16384 && exact <= 10;
        spmv_inputs_free(spmv);
    }
    assert_true(num_sampled > 20 && num_banded > 8);
}

/* Half a million rows, some of them long: counted by several threads. */
static void features_do_not_depend_on_the_number_of_threads(void **state)
{
    computation_fixture *f = *state;
    enum { ROWS = 520000, COLS = 2000 };
    int threads = omp_get_max_threads();
    nitro_host_assume_wake_ns(0);
    int64_t *lengths = calloc(ROWS, sizeof(*lengths));
    assert_non_null(lengths);
    for (int64_t row = 0; row < ROWS; row++)
        lengths[row] = row % 4000 == 17 ? 500 + row % 1300 : row * row % 3;
    nitro_spmv *spmv = with_lengths(f, lengths, ROWS, COLS);
    double expected[NITRO_SPMV_NUM_FEATURES];
    omp_set_num_threads(1);
    evaluate(f, spmv, expected);
    for (int count = 2; count <= 5; count++) {
        double values[NITRO_SPMV_NUM_FEATURES];
        omp_set_num_threads(count);
        evaluate(f, spmv, values);
        assert_memory_equal(values, expected, sizeof(values));
    }
    omp_set_num_threads(threads);
    nitro_host_assume_wake_ns(-1);
    double variance = 0, mean = expected[NITRO_SPMV_AVG_NZ_PER_ROW];
    for (int64_t row = 0; row < ROWS; row++)
        variance += ((double)lengths[row] - mean) * ((double)lengths[row] - mean) / ROWS;
    assert_true(fabs(expected[NITRO_SPMV_ROW_VARIANCE] / variance - 1) < 1e-9);
    assert_feature(expected[NITRO_SPMV_ROW_MAX], 1717, "row_max");
    spmv_inputs_free(spmv);
    free(lengths);
}

static void features_of_empty_matrices_are_finite(void **state)
{
    computation_fixture *f = *state;
    static const int64_t none[8] = {0};
    const int64_t sizes[][2] = {{0, 0}, {0, 4}, {4, 0}, {8, 8}};
    for (size_t i = 0; i < 4; i++) {
        nitro_spmv *spmv = with_lengths(f, none, sizes[i][0], sizes[i][1]);
        double values[NITRO_SPMV_NUM_FEATURES];
        evaluate(f, spmv, values);
        assert_feature(values[NITRO_SPMV_AVG_NZ_PER_ROW], 0, "avg_nz_per_row");
        assert_feature(values[NITRO_SPMV_RLSD], 0, "rlsd");
        assert_feature(values[NITRO_SPMV_ELL_FILLIN], 1, "ell_fillin");
        assert_feature(values[NITRO_SPMV_DIA_FILLIN], 1, "dia_fillin");
        assert_feature(values[NITRO_SPMV_DENSITY], i == 3 ? 1.0 / 64 : 1, "density");
        spmv_inputs_free(spmv);
    }
}

/* Features whose scale is a plain logarithm must be positive for whatever comes. */
static void logarithms_exist(void **state)
{
    computation_fixture *f = *state;
    nitro_schema *schema = NULL;
    const int64_t lengths[] = {0, 0, 1, 0};
    nitro_spmv *spmv = with_lengths(f, lengths, 4, 1000);
    double values[NITRO_SPMV_NUM_FEATURES];
    assert_ok(f->context, nitro_schema_of(f->computation, &schema));
    evaluate(f, spmv, values);
    for (size_t i = 0; i < NITRO_SPMV_NUM_FEATURES; i++)
        assert_true(schema->features[i].scale != NITRO_SCALE_LOG || values[i] > 0);
    nitro_schema_free(schema);
    spmv_inputs_free(spmv);
}

/* Six digits are recorded. */
static void compare_with_record(const computation_fixture *f, const nitro_csv *csv, size_t row,
                                const double *values)
{
    size_t compared = 0;
    for (size_t i = 0; i < NITRO_SPMV_NUM_FEATURES; i++) {
        const char *name = nitro_computation_feature_name(f->computation, i);
        size_t column = nitro_csv_column(csv, name);
        double recorded;
        if (column == NITRO_NONE)
            continue;
        assert_ok(f->context, nitro_csv_number(csv, row, column, &recorded));
        if (fabs(values[i] - recorded) > 6e-6 * fabs(recorded))
            fail_msg("%s of %s is %.9g, recorded is %.9g", name, nitro_csv_field(csv, row, 0),
                     values[i], recorded);
        compared++;
    }
    assert_int_equal(compared, NITRO_SPMV_NUM_FEATURES - 1); /* dia_fillin is not recorded */
}

static void features_agree_with_the_recorded_measurements(void **state)
{
    static const char *const both[][2] = {
        {"HB/bcsstk13", "matrices/bcsstk13.mtx"},       {"HB/jagmesh7", "matrices/jagmesh7.mtx"},
        {"HB/west0067", "matrices/west0067.mtx"},       {"HB/zenios", "matrices/zenios.mtx"},
        {"LPnetlib/lp_afiro", "matrices/lp_afiro.mtx"},
    };
    computation_fixture *f = *state;
    nitro_csv *csv = NULL;
    assert_ok(f->context, nitro_csv_read(f->context, unit_shared_data("spmv/V100.csv"), &csv));
    size_t input = nitro_csv_column(csv, "input");
    for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
        nitro_spmv *spmv = NULL;
        double values[NITRO_SPMV_NUM_FEATURES];
        nitro_matrix *matrix = NULL;
        assert_ok(f->context,
                  nitro_matrix_market_read(f->context, unit_shared_data(both[i][1]), &matrix));
        assert_ok(f->context, nitro_spmv_kit.adopt(f->context, matrix, (void **)&spmv));
        evaluate(f, spmv, values);
        size_t row = 0;
        while (strcmp(nitro_csv_field(csv, row, input), both[i][0]) != 0)
            assert_true(++row < nitro_csv_num_rows(csv));
        compare_with_record(f, csv, row, values);
        spmv_inputs_free(spmv);
    }
    nitro_csv_free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_in_declared_order, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(values_are_as_worked_out_by_hand, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(quartiles_follow_the_recorded_definition, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(quartiles_of_very_long_rows, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(short_rows_are_counted_exactly, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(diagonals_are_estimated_within_the_stated_bounds, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(features_do_not_depend_on_the_number_of_threads, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(features_of_empty_matrices_are_finite, setup,
                                        computation_teardown),
        cmocka_unit_test_setup_teardown(logarithms_exist, setup, computation_teardown),
        cmocka_unit_test_setup_teardown(features_agree_with_the_recorded_measurements, setup,
                                        computation_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
